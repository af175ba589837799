/**
 * The workflows of a backfill, which Effect's engine runs: one that begins it, one for each leaf (`Leaves.ts`), which has an
 * activity for each of its parts, and one that ends it. The engine decides which worker runs a leaf, and gives the leaves of a
 * killed worker to others; a part whose activity has ended is not read again.
 */
import * as SharedFolder from "@sluice/node/SharedFolder"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Activity from "effect/workflow/Activity"
import * as Workflow from "effect/workflow/Workflow"
import { BackfillStore, type BackfillStoreFailed, type Failure } from "../BackfillStore.ts"
import * as Leaves from "./Leaves.ts"
import { Parts, PartFailed, Paused, Refused, type Run, Stopped } from "./Parts.ts"

const run = { id: Schema.String, generation: Schema.Int }

/** Begins a backfill. The payload names it; its request is in the store. */
export const Begin = Workflow.make("Sluice/Backfill", {
  payload: run,
  idempotencyKey: ({ generation, id }) => `${id}/${generation}`
})

/** Reads consecutive parts, and starts the next leaf of its chain. */
const Leaf = Workflow.make("Sluice/BackfillLeaf", {
  payload: {
    ...run,
    leaf: Schema.Int,
    /** How many parts the backfill has. */
    parts: Schema.Int,
    /** Whether some leaves were done before this generation. */
    continues: Schema.Boolean
  },
  idempotencyKey: ({ generation, id, leaf }) => `${id}/${generation}/${leaf}`
})

/** Ends a backfill: releases the folder, and says how it ended. */
export const End = Workflow.make("Sluice/BackfillEnd", {
  payload: run,
  idempotencyKey: ({ generation, id }) => `${id}/${generation}`
})

const persistently = <A>(self: Effect.Effect<A, BackfillStoreFailed>) =>
  Effect.flatMap(Parts, (worker) => worker.persistently(self))

type Chain = Run & { readonly parts: number; readonly continues: boolean }

const sums = (done: ReadonlyArray<SharedFolder.DonePart>) => ({
  done: done.length,
  records: done.reduce((sum, { records }) => sum + records, 0),
  bytes: done.reduce((sum, { bytes }) => sum + bytes, 0)
})

/** Takes the folder, and makes the store know of each part what the folder knows. */
const begin = (run: Run) =>
  Activity.make({
    name: "begin",
    success: Schema.Struct({ parts: Schema.Int, continues: Schema.Boolean }),
    error: Schema.Union([Refused, Stopped, Paused]),
    execute: Effect.gen(function* () {
      const store = yield* BackfillStore
      const worker = yield* Parts
      const { generation, id } = run
      const found = yield* worker.begin(run).pipe(
        Effect.tapErrorTag("Refused", ({ reason }) =>
          Effect.gen(function* () {
            yield* worker.end(run)
            const ended = yield* Clock.currentTimeMillis
            yield* persistently(
              store.change(id, generation, ["running", "paused"], { state: "refused", reason, ended })
            )
          })
        )
      )
      const parts = new Map(found.done.map((done) => [done.part, done]))
      const known = yield* persistently(store.whole(id, 0))
      for (let leaf = 0; leaf < Leaves.count(found.parts); leaf++) {
        const indexes = Leaves.parts(leaf, found.parts)
        const [first = 0] = indexes
        const done = indexes.map((part) => parts.get(part)).filter((part) => part !== undefined)
        // What an earlier generation has noted may no longer be so; what is not done will be noted again.
        if (done.length < indexes.length && !known.has(first)) continue
        // Generation 0 is none, so these have not ended unless they are done.
        const outcome = { first, parts: indexes.length, generation: 0, ...sums(done), failed: [] }
        yield* persistently(store.note(id, outcome))
      }
      yield* persistently(store.change(id, generation, ["running", "paused"], { parts: found.parts }))
      return { parts: found.parts, continues: found.done.length > 0 || run.generation > 1 }
    })
  })

/** Starts the first of these leaves of a chain that is not done. Tells whether there was one. */
const startNext = Effect.fnUntraced(function* (chain: Chain, from: number) {
  const store = yield* BackfillStore
  const leaves = Leaves.count(chain.parts)
  const size = Leaves.partsOf(chain.parts)
  const done = chain.continues && from < leaves ? yield* persistently(store.whole(chain.id, from * size)) : new Set()
  for (let leaf = from; leaf < leaves; leaf += Leaves.chains) {
    if (done.has(leaf * size)) continue
    yield* Leaf.execute({ ...chain, leaf }, { discard: true, detached: true })
    return true
  }
  return false
})

/** Ends the backfill if every leaf has ended. Of leaves that end together, the one that is noted last sees all of them. */
const endIfDone = Effect.fnUntraced(function* ({ generation, id, parts }: Chain) {
  const store = yield* BackfillStore
  const ended = yield* persistently(store.ended(id, generation))
  if (ended >= Leaves.count(parts)) yield* End.execute({ id, generation }, { discard: true, detached: true })
})

const readPart = (run: Run, part: number) =>
  Activity.make({
    name: `part-${part}`,
    success: SharedFolder.DonePart,
    error: Schema.Union([PartFailed, Stopped, Paused]),
    execute: Effect.flatMap(Parts, (worker) => worker.read(run, part))
  })

/**
 * Repeats an effect while it is told that the backfill has paused, and waits in between: an activity that waited itself would
 * keep its worker from giving its shard to another. Fails with `Stopped` where the backfill is to end.
 */
const unlessPaused = Effect.fnUntraced(function* <A, E, R>(run: Run, attempt: Effect.Effect<A, E | Paused, R>) {
  const worker = yield* Parts
  for (let times = 1; ; times++) {
    if (!(yield* worker.mayGo(run))) return yield* new Stopped()
    const result = yield* Effect.result(Effect.provideService(attempt, Activity.CurrentAttempt, times))
    if (result._tag === "Success") return result.success
    // Type boundary: `Paused` is the one error that ends here.
    if (!(result.failure instanceof Paused)) return yield* Effect.fail(result.failure as Exclude<E, Paused>)
  }
})

/** Reads the parts of a leaf. Tells whether all of them were tried. */
const readLeaf = Effect.fnUntraced(function* ({ generation, id }: Run, indexes: ReadonlyArray<number>) {
  const store = yield* BackfillStore
  const worker = yield* Parts
  const results = yield* Effect.forEach(
    indexes,
    (part) => Effect.result(unlessPaused({ id, generation }, worker.inTurn(readPart({ id, generation }, part)))),
    { concurrency: "unbounded" }
  )
  const done: Array<SharedFolder.DonePart> = []
  const failed: Array<Failure> = []
  for (const result of results) {
    if (result._tag === "Success") done.push(result.success)
    else if (result.failure._tag === "PartFailed") {
      const { error, file, part, reason } = result.failure
      failed.push({ part, file, error, reason })
    }
  }
  const [first = 0] = indexes
  const isWhole = done.length + failed.length === indexes.length
  // Noted as ended only if nothing of it was stopped, so that a retry reads the rest.
  const noted = isWhole ? generation : 0
  yield* persistently(store.note(id, { first, parts: indexes.length, generation: noted, ...sums(done), failed }))
  return isWhole
})

// The engine runs workflows uninterruptibly. These may wait for long while their backfill is paused, and a worker can give a
// shard to another only when nothing on it waits; what is interrupted is not answered, so the next owner repeats it.
const BeginLayer = Begin.toLayer((run) =>
  Effect.gen(function* () {
    const begun = yield* Effect.result(unlessPaused(run, begin(run)))
    if (begun._tag === "Failure") return
    const chain = { ...run, ...begun.success }
    const first = Array.from({ length: Math.min(Leaves.chains, Leaves.count(chain.parts)) }, (_, leaf) => leaf)
    yield* Effect.forEach(first, (leaf) => startNext(chain, leaf), { concurrency: 16, discard: true })
    // All of it may have been done before.
    yield* endIfDone(chain)
  }).pipe(Effect.interruptible)
)

const LeafLayer = Leaf.toLayer(({ leaf, ...chain }) =>
  Effect.gen(function* () {
    const isWhole = yield* readLeaf(chain, Leaves.parts(leaf, chain.parts))
    if (isWhole && !(yield* startNext(chain, leaf + Leaves.chains))) yield* endIfDone(chain)
  }).pipe(Effect.interruptible)
)

const EndLayer = End.toLayer((run) =>
  Activity.make({
    name: "end",
    execute: Effect.gen(function* () {
      const store = yield* BackfillStore
      const { id, generation } = run
      yield* (yield* Parts).end(run)
      const ended = yield* Clock.currentTimeMillis
      const { failed } = yield* persistently(store.totals(id))
      const state = failed > 0 ? "incomplete" : "finished"
      yield* persistently(store.change(id, generation, ["cancelled"], { ended }))
      yield* persistently(store.change(id, generation, ["running", "paused"], { state, reason: null, ended }))
    })
  })
)

/** Registers the workflows, so that this process runs them. */
export const layer = Layer.mergeAll(BeginLayer, LeafLayer, EndLayer)

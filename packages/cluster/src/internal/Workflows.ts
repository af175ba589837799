/**
 * The workflows of a backfill, which Effect's engine runs: one that begins it, one for each leaf (`PartChains.ts`), which has an
 * activity for each of its parts, and one that ends it. The engine decides which worker runs a leaf, and gives the leaves of a
 * killed worker to others; a part whose activity has ended is not read again.
 */
import * as SharedFolder from "@sluice/files/SharedFolder"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Activity from "effect/workflow/Activity"
import * as Workflow from "effect/workflow/Workflow"
import { BackfillStore, type BackfillStoreFailed, type Failure } from "../BackfillStore.ts"
import * as PartChains from "./PartChains.ts"
import { LeftToOthers, Parts, PartFailed, Paused, Refused, type Run, Stopped } from "./Parts.ts"

/**
 * `moves` is how often a workflow went from a worker that cannot do it to another. The engine chooses the worker by the key of a
 * workflow, so it moves by starting another with another key, until it is where it can be done.
 */
const run = { id: Schema.String, generation: Schema.Int, moves: Schema.optionalKey(Schema.Int) }

const moved = ({ moves = 0 }: { readonly moves?: number }) => (moves === 0 ? "" : `/moved/${moves}`)

/** Begins a backfill. The payload names it; its request is in the store. */
export const Begin = Workflow.make("Sluice/Backfill", {
  payload: run,
  idempotencyKey: (payload) => `${payload.id}/${payload.generation}${moved(payload)}`
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
  idempotencyKey: (payload) => `${payload.id}/${payload.generation}/${payload.leaf}${moved(payload)}`
})

/** Ends a backfill: releases the folder, and says how it ended. */
export const End = Workflow.make("Sluice/BackfillEnd", {
  payload: run,
  idempotencyKey: (payload) => `${payload.id}/${payload.generation}${moved(payload)}`
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
    error: Schema.Union([Refused, Stopped, Paused, LeftToOthers]),
    execute: Effect.gen(function* () {
      const store = yield* BackfillStore
      const worker = yield* Parts
      const { generation, id } = run
      const found = yield* worker.begin(run).pipe(
        Effect.tapErrorTag("Refused", ({ error, reason }) =>
          Effect.gen(function* () {
            yield* worker.end(run)
            const ended = yield* Clock.currentTimeMillis
            yield* persistently(
              store.change(id, generation, ["running", "paused"], { state: "refused", reason, error, ended })
            )
          })
        )
      )
      const parts = new Map(found.done.map((done) => [done.part, done]))
      const known = yield* persistently(store.whole(id, 0))
      for (let leaf = 0; leaf < PartChains.count(found.parts); leaf++) {
        const indexes = PartChains.parts(leaf, found.parts)
        const [first = 0] = indexes
        const done = indexes.map((part) => parts.get(part)).filter((part) => part !== undefined)
        // What an earlier generation has noted may no longer be so; what is not done will be noted again.
        if (done.length < indexes.length && !known.has(first)) continue
        // Generation 0 is none, so these have not ended unless they are done.
        const outcome = { first, parts: indexes.length, generation: 0, ...sums(done), failed: [] }
        yield* persistently(store.note(id, generation, outcome))
      }
      return { parts: found.parts, continues: found.done.length > 0 || run.generation > 1 }
    })
  })

/** Starts the first of these leaves of a chain that is not done. Tells whether there was one. */
const startNext = Effect.fnUntraced(function* (chain: Chain, from: number) {
  const store = yield* BackfillStore
  const leaves = PartChains.count(chain.parts)
  const size = PartChains.partsOf(chain.parts)
  const done = chain.continues && from < leaves ? yield* persistently(store.whole(chain.id, from * size)) : new Set()
  for (let leaf = from; leaf < leaves; leaf += PartChains.chains) {
    if (done.has(leaf * size)) continue
    yield* Leaf.execute({ ...chain, leaf }, detached)
    return true
  }
  return false
})

/** Ends the backfill if every leaf has ended. Of leaves that end together, the one that is noted last sees all of them. */
const endIfDone = Effect.fnUntraced(function* ({ generation, id, parts }: Chain) {
  const store = yield* BackfillStore
  const ended = yield* persistently(store.ended(id, generation))
  if (ended >= PartChains.count(parts)) yield* End.execute({ id, generation }, detached)
})

const readPart = (run: Run, part: number) =>
  Activity.make({
    name: `part-${part}`,
    success: SharedFolder.DonePart,
    error: Schema.Union([PartFailed, Stopped, Paused, LeftToOthers]),
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

/** Reads the parts of a leaf. Tells whether all of them were tried, or whether another worker is to do the rest. */
const readLeaf = Effect.fnUntraced(function* ({ generation, id }: Run, indexes: ReadonlyArray<number>) {
  const store = yield* BackfillStore
  const worker = yield* Parts
  const results = yield* Effect.forEach(
    indexes,
    (part) => Effect.result(unlessPaused({ id, generation }, worker.inTurn(readPart({ id, generation }, part)))),
    { concurrency: "unbounded" }
  )
  const isLeft = results.some((result) => result._tag === "Failure" && result.failure._tag === "LeftToOthers")
  // The other worker finds what was read here.
  if (isLeft) return "elsewhere"
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
  const outcome = { first, parts: indexes.length, generation: noted, ...sums(done), failed }
  yield* persistently(store.note(id, generation, outcome))
  return isWhole ? "whole" : "stopped"
})

/** Milliseconds between two looks for a worker that can do a backfill. */
const lookEvery = 1_000

/**
 * Milliseconds before a workflow that has moved this often moves again: where one worker of many can do it, others must
 * not spin.
 */
const waitOf = (moves: number) => Math.min(10_000, 100 * 2 ** moves)

/**
 * Waits until it is known where a backfill can be done, and while it has paused. Undefined where it is to end, or where nobody
 * who can do it has come for so many looks.
 */
const placeOf = Effect.fnUntraced(function* (run: Run, looks = Infinity) {
  const worker = yield* Parts
  for (let look = 0; look < looks; look++) {
    if (looks === Infinity && !(yield* worker.mayGo(run))) return undefined
    const place = yield* worker.placeOf(run)
    if (place !== "nowhere") return place
    yield* Effect.sleep(lookEvery)
  }
  return undefined
})

/** The same workflow, once more moved, after a wait. */
const moving = <P extends { readonly moves?: number }>(payload: P) => {
  const { moves = 0 } = payload
  return Effect.as(Effect.sleep(waitOf(moves)), { ...payload, moves: moves + 1 })
}

const detached = { discard: true, detached: true } as const

// The engine runs workflows uninterruptibly. These may wait for long while their backfill is paused, and a worker can give a
// shard to another only when nothing on it waits; what is interrupted is not answered, so the next owner repeats it.
const BeginLayer = Begin.toLayer((payload) =>
  Effect.gen(function* () {
    const { generation, id } = payload
    const run = { id, generation }
    const place = yield* placeOf(run)
    if (place === "elsewhere") return yield* Effect.asVoid(Begin.execute(yield* moving(payload), detached))
    const begun = yield* Effect.result(unlessPaused(run, begin(run)))
    if (begun._tag === "Failure") {
      if (begun.failure._tag !== "LeftToOthers") return
      return yield* Effect.asVoid(Begin.execute(yield* moving(payload), detached))
    }
    const chain = { ...run, ...begun.success }
    const first = Array.from({ length: Math.min(PartChains.chains, PartChains.count(chain.parts)) }, (_, leaf) => leaf)
    yield* Effect.forEach(first, (leaf) => startNext(chain, leaf), { concurrency: 16, discard: true })
    // All of it may have been done before.
    yield* endIfDone(chain)
  }).pipe(Effect.interruptible)
)

const LeafLayer = Leaf.toLayer((payload) =>
  Effect.gen(function* () {
    const { continues, generation, id, leaf, parts } = payload
    const chain = { id, generation, parts, continues }
    const place = yield* placeOf(chain)
    // What it has read here or before is found where it was written.
    if (place === "elsewhere") return yield* Effect.asVoid(Leaf.execute(yield* moving(payload), detached))
    const outcome = yield* readLeaf(chain, PartChains.parts(leaf, chain.parts))
    if (outcome === "elsewhere") return yield* Effect.asVoid(Leaf.execute(yield* moving(payload), detached))
    if (outcome === "whole" && !(yield* startNext(chain, leaf + PartChains.chains))) yield* endIfDone(chain)
  }).pipe(Effect.interruptible)
)

/** How often the end of a cancelled backfill looks for a worker that can release its folder or table, before it ends without. */
const looksForEnd = 10

const finish = (run: Run) =>
  Activity.make({
    name: "finish",
    error: Schema.Union([Stopped, Paused, LeftToOthers]),
    execute: Effect.flatMap(Parts, (worker) => worker.finish(run))
  })

const endHere = (run: Run) =>
  Activity.make({
    name: "end",
    execute: Effect.gen(function* () {
      const store = yield* BackfillStore
      const { id, generation } = run
      yield* (yield* Parts).end(run)
      const ended = yield* Clock.currentTimeMillis
      const { failed } = yield* persistently(store.totals(id))
      const state = failed > 0 ? "incomplete" : "finished"
      // One that no worker had begun has ended when it was cancelled.
      const isEnding = (yield* persistently(store.find(id)))?.ended === null
      if (isEnding) yield* persistently(store.change(id, generation, ["cancelled"], { ended }))
      const how = { state, reason: null, error: null, ended } as const
      yield* persistently(store.change(id, generation, ["running", "paused"], how))
    })
  })

const EndLayer = End.toLayer((payload) =>
  Effect.gen(function* () {
    const { generation, id } = payload
    // Undefined where it was cancelled.
    const place = (yield* placeOf({ id, generation })) ?? (yield* placeOf({ id, generation }, looksForEnd))
    if (place === "elsewhere") return yield* Effect.asVoid(End.execute(yield* moving(payload), detached))
    // One that was cancelled is not finished.
    const finished = yield* Effect.result(unlessPaused({ id, generation }, finish({ id, generation })))
    if (finished._tag === "Failure" && finished.failure._tag === "LeftToOthers") {
      return yield* Effect.asVoid(End.execute(yield* moving(payload), detached))
    }
    yield* endHere({ id, generation })
  }).pipe(Effect.interruptible)
)

/** Registers the workflows, so that this process runs them. */
export const layer = Layer.mergeAll(BeginLayer, LeafLayer, EndLayer)

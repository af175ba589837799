/**
 * The workflows of a backfill, which Effect's engine runs: one that begins it, one for each batch of parts (`Batches.ts`), and one
 * that ends it. The engine decides which worker runs a batch, and gives the batches of a killed worker to others; a part that was
 * finished is found and not read again.
 *
 * A worker of another version may be given any of them: it passes on what it cannot read. So their names stay, and of a payload
 * that names a backfill it reads no more than the members of {@link run}.
 */
import type * as SharedFolder from "@sluice/files/SharedFolder"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Activity from "effect/workflow/Activity"
import * as Workflow from "effect/workflow/Workflow"
import { BackfillStore, type BackfillStoreFailed, type Gap, type Outcome } from "../BackfillStore.ts"
import * as Batches from "./Batches.ts"
import { LeftToOthers, Parts, Paused, Refused, type Run, Stopped } from "./Parts.ts"
import * as ReadBatch from "./ReadBatch.ts"

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

/** What a batch is, for the version of Sluice that has begun the backfill. */
const Step = Schema.Struct({
  first: Schema.Int,
  end: Schema.Int,
  share: Schema.Int,
  lasts: Schema.Finite,
  isLimited: Schema.Boolean,
  /** How many parts the backfill has. */
  parts: Schema.Int
})
type Step = typeof Step.Type

const decodeStep = Schema.decodeUnknownEffect(Step)

/** Reads consecutive parts, and starts others for the rest. */
export const Batch = Workflow.make("Sluice/BackfillBatch", {
  payload: {
    ...run,
    /** Its name among the batches of this run. */
    key: Schema.String,
    step: Schema.Json
  },
  idempotencyKey: (payload) => `${payload.id}/${payload.generation}/${payload.key}${moved(payload)}`
})

/** Ends a backfill: releases the folder, and says how it ended. */
export const End = Workflow.make("Sluice/BackfillEnd", {
  payload: run,
  idempotencyKey: (payload) => `${payload.id}/${payload.generation}${moved(payload)}`
})

const persistently = <A>(self: Effect.Effect<A, BackfillStoreFailed>) =>
  Effect.flatMap(Parts, (worker) => worker.persistently(self))

/** What is done outside of these gaps, as the store has it. */
const outside = (gaps: ReadonlyArray<Gap>, found: SharedFolder.Found): ReadonlyArray<Outcome> => {
  const done = new Map(found.done.map((part) => [part.part, part]))
  const runs = [...gaps.map(([first]) => first), found.parts].map((end, index): Batches.Range => ({
    first: gaps[index - 1]?.[1] ?? 0,
    end
  }))
  return runs
    .filter(({ end, first }) => end > first)
    .map(({ end, first }) => {
      let records = 0
      let bytes = 0
      for (let part = first; part < end; part++) {
        records += done.get(part)?.records ?? 0
        bytes += done.get(part)?.bytes ?? 0
      }
      const parts = end - first
      return { first, parts, pieces: 0, isWhole: true, done: parts, records, bytes, failed: [] }
    })
}

/** Takes the folder, and makes the store know of each part what the folder knows. */
const begin = (run: Run) =>
  Activity.make({
    name: "begin",
    success: Schema.Struct({
      parts: Schema.Int,
      gaps: Schema.Array(Schema.Tuple([Schema.Int, Schema.Int])),
      share: Schema.Int,
      isLimited: Schema.Boolean
    }),
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
      const concurrency = (yield* persistently(store.find(id)))?.concurrency
      const share = Math.min(Batches.most, concurrency ?? Batches.most)
      const done = found.done.map(({ part }) => part).toSorted((a, b) => a - b)
      const gaps = Batches.gapsOf(done, found.parts, share).map(({ end, first }): Gap => [first, end])
      const held = yield* persistently(store.begin(id, generation, outside(gaps, found), gaps))
      if (held === undefined) return yield* new Stopped()
      return { parts: found.parts, gaps: held, share, isLimited: concurrency !== undefined }
    })
  })

/** Starts batches. Those that were started before are the same. */
const start = (
  run: Run,
  { isLimited, parts }: Pick<Step, "isLimited" | "parts">,
  batches: ReadonlyArray<Batches.Rest>
) =>
  Effect.forEach(
    batches,
    ({ end, first, lasts, share }) => {
      const step: Step = { first, end, share, lasts, isLimited, parts }
      return Batch.execute({ id: run.id, generation: run.generation, key: String(first), step }, detached)
    },
    { concurrency: 16, discard: true }
  )

/** Ends the backfill if every part was tried. Of batches that end together, the one that is noted last sees all of them. */
const endIfDone = Effect.fnUntraced(function* ({ generation, id }: Run, parts: number) {
  const store = yield* BackfillStore
  const tried = yield* persistently(store.tried(id, generation))
  if (tried >= parts) yield* End.execute({ id, generation }, detached)
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
    const { gaps, parts, share, ...how } = begun.success
    const each = Math.max(1, Math.floor(share / Math.max(1, gaps.length)))
    const first = gaps.map(([first, end]) => Batches.begin({ first, end }, each))
    yield* start(run, { ...how, parts }, first)
    // All of it may have been done before.
    if (first.length === 0) yield* endIfDone(run, parts)
  }).pipe(Effect.interruptible)
)

const BatchLayer = Batch.toLayer((payload) =>
  Effect.gen(function* () {
    const { generation, id } = payload
    const run = { id, generation }
    const place = yield* placeOf(run)
    // What it has read here or before is found where it was written.
    if (place === "elsewhere") return yield* Effect.asVoid(Batch.execute(yield* moving(payload), detached))
    if (place === undefined) return
    const step = yield* Effect.orDie(decodeStep(payload.step))
    const end = yield* ReadBatch.run({ ...run, ...step }, (batches) => start(run, step, batches))
    if (end === "elsewhere") return yield* Effect.asVoid(Batch.execute(yield* moving(payload), detached))
    if (end === "last") yield* endIfDone(run, step.parts)
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
export const layer = Layer.mergeAll(BeginLayer, BatchLayer, EndLayer)

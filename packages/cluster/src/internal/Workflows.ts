/**
 * The workflows of a backfill, which Effect's engine runs: one for the whole, and below it a tree of spans of parts, of which
 * the lowest have an activity for each part. The engine decides which worker runs a span, and gives the spans of a killed
 * worker to others; a part whose activity has ended is not read again.
 */
import * as SharedFolder from "@sluice/node/SharedFolder"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Activity from "effect/workflow/Activity"
import * as Workflow from "effect/workflow/Workflow"
import { BackfillStore, type Failure } from "../BackfillStore.ts"
import { Parts, PartFailed, persistently, Refused, type Run, Stopped } from "./Parts.ts"
import * as Spans from "./Spans.ts"

const run = { id: Schema.String, generation: Schema.Int }

/** A backfill. The payload names it; its request is in the store. */
export const Whole = Workflow.make("Sluice/Backfill", {
  payload: run,
  idempotencyKey: ({ generation, id }) => `${id}/${generation}`
})

/** Consecutive parts of a backfill. */
export const Span = Workflow.make("Sluice/BackfillSpan", {
  payload: { ...run, first: Schema.Int, parts: Schema.Int, childParts: Schema.Int },
  idempotencyKey: ({ first, generation, id, parts }) => `${id}/${generation}/${first}+${parts}`
})

/** Spans above the lowest that one workflow has under way. Each has up to 256 children under way. */
const spansAtOnce = 4

/** Parts that a lowest span hands to its worker at once, which reads as many as it has permits for. */
const partsAtOnce = 2

/** Runs the children of a span, except those that the store knows to be done. */
const runChildren = Effect.fnUntraced(function* (run: Run, span: Spans.Span) {
  const store = yield* BackfillStore
  const { childParts, first, parts } = span
  const done = yield* persistently(store.doneIn(run.id, first, parts, childParts))
  const left = Spans.children(span).filter((child, index) => done.get(index) !== child.parts)
  yield* Effect.forEach(left, (child) => Span.execute({ ...run, ...child }), {
    concurrency: childParts > Spans.leafParts ? spansAtOnce : "unbounded",
    discard: true
  })
})

const runLeaf = Effect.fnUntraced(function* (run: Run, { first, parts }: Spans.Span) {
  const store = yield* BackfillStore
  const results = yield* Effect.forEach(
    Array.from({ length: parts }, (_, index) => first + index),
    (part) => Effect.result(readPart(run, part)),
    { concurrency: partsAtOnce }
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
  yield* persistently(store.note(run.id, { first, parts, ...sums(done), failed }))
})

const sums = (done: ReadonlyArray<SharedFolder.DonePart>) => ({
  done: done.length,
  records: done.reduce((sum, { records }) => sum + records, 0),
  bytes: done.reduce((sum, { bytes }) => sum + bytes, 0)
})

const readPart = (run: Run, part: number) =>
  Activity.make({
    name: `part-${part}`,
    success: SharedFolder.DonePart,
    error: Schema.Union([PartFailed, Stopped]),
    execute: Effect.flatMap(Parts, (worker) => worker.read(run, part))
  })

/** Takes the folder, and makes the store know of each part what the folder knows. */
const begin = (run: Run) =>
  Activity.make({
    name: "begin",
    success: Schema.Int,
    error: Schema.Union([Refused, Stopped]),
    execute: Effect.gen(function* () {
      const store = yield* BackfillStore
      const worker = yield* Parts
      const found = yield* worker.begin(run)
      const parts = new Map(found.done.map((done) => [done.part, done]))
      const whole = Spans.root(found.parts)
      const known = yield* persistently(store.doneIn(run.id, 0, found.parts, 1))
      for (const { first, parts: count } of Spans.leaves(whole)) {
        const done = Array.from({ length: count }, (_, index) => parts.get(first + index)).filter(
          (part) => part !== undefined
        )
        // Failures of an earlier generation are forgotten, since these parts are read again.
        if (done.length === 0 && !known.has(first)) continue
        yield* persistently(store.note(run.id, { first, parts: count, ...sums(done), failed: [] }))
      }
      yield* persistently(store.change(run.id, run.generation, ["running", "paused"], { parts: found.parts }))
      return found.parts
    })
  })

/** Releases the folder, and says how the backfill ended. */
const end = (run: Run, refused: Refused | undefined) =>
  Activity.make({
    name: "end",
    execute: Effect.gen(function* () {
      const store = yield* BackfillStore
      yield* (yield* Parts).end(run)
      const { id, generation } = run
      const ended = yield* Clock.currentTimeMillis
      const { failed } = yield* persistently(store.totals(id))
      const state = refused !== undefined ? "refused" : failed > 0 ? "incomplete" : "finished"
      yield* persistently(store.change(id, generation, ["cancelled"], { ended }))
      const reason = refused?.reason ?? null
      yield* persistently(store.change(id, generation, ["running", "paused"], { state, reason, ended }))
    })
  })

const WholeLayer = Whole.toLayer((run) =>
  Effect.gen(function* () {
    const begun = yield* Effect.result(begin(run))
    if (begun._tag === "Success") yield* runChildren(run, Spans.root(begun.success))
    const refused = begun._tag === "Failure" && begun.failure._tag === "Refused" ? begun.failure : undefined
    yield* end(run, refused)
  })
)

const SpanLayer = Span.toLayer(({ generation, id, ...span }) =>
  Effect.gen(function* () {
    const worker = yield* Parts
    if (!(yield* worker.mayGo({ id, generation }))) return
    if (span.childParts === 0) yield* runLeaf({ id, generation }, span)
    else yield* runChildren({ id, generation }, span)
  })
)

/** Registers the workflows, so that this process runs them. */
export const layer = Layer.merge(WholeLayer, SpanLayer)

/**
 * Reads a batch: consecutive parts, one after the other, until it has lasted long enough (`Batches.ts`). What the store has
 * of a batch decides its extent: a worker that takes it over starts the same others for the rest, and finds the parts that
 * were finished by their names.
 */
import * as Monotonic from "@sluice/files/internal/progress/Monotonic"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { BackfillStore, type Extent, type Failure, type Outcome } from "../BackfillStore.ts"
import * as Batches from "./Batches.ts"
import { Parts, type Reader, type Run } from "./Parts.ts"

/** A batch, and what follows it. */
export interface Batch extends Run, Batches.Rest {
  /** Whether no more than its share of parts may be read at once, so that nothing goes on beside a part that takes long. */
  readonly isLimited: boolean
}

/**
 * How it ended: all of it was tried, and perhaps all of the backfill with it (`last`); the backfill is to end; or another
 * worker is to do the rest.
 */
export type End = "tried" | "last" | "stopped" | "elsewhere"

/** How many times as long as a batch lasts a part may take before what follows goes on without it. */
const patience = 1.25

interface Progress {
  /** The part that is next, or is read. */
  at: number
  /** Where the batch ends, once that is decided. */
  end: number | undefined
  /** Whether others were started for the rest before its end. */
  isCut: boolean
  done: number
  records: number
  bytes: number
  failed: Array<Failure>
}

const noteRead = Effect.fnUntraced(function* (reader: Reader, progress: Progress) {
  const result = yield* Effect.result(reader.read(progress.at))
  if (result._tag === "Success") {
    progress.done += 1
    progress.records += result.success.records
    progress.bytes += result.success.bytes
  } else {
    if (result.failure._tag !== "PartFailed") return result.failure._tag
    const { error, file, part, reason } = result.failure
    progress.failed.push({ part, file, error, reason })
  }
  progress.at += 1
  return undefined
})

/**
 * Reads until the batch is over, or something keeps it from the next part. `cut` starts others for what is behind the part
 * that is being read; both are told the milliseconds that a part takes.
 */
const readSome = Effect.fnUntraced(function* <R>(
  batch: Batch,
  reader: Reader,
  progress: Progress,
  cut: (millis: number) => Effect.Effect<void, never, R>
) {
  const { at: from } = progress
  const began = yield* Monotonic.now
  let isCutting = false
  const cutting = Effect.suspend(() => {
    const millis = (batch.lasts * patience) / (progress.at - from + 1)
    // What is read is found to take long, so that others need not wait for it.
    isCutting = !batch.isLimited && progress.end === undefined && progress.at + 1 < batch.end
    return isCutting ? cut(millis) : Effect.void
  })
  const timer = yield* Effect.forkChild(Effect.delay(cutting, batch.lasts * patience))
  const settle = Effect.suspend(() => (isCutting ? Fiber.join(timer) : Fiber.interrupt(timer)))
  while (progress.at < (progress.end ?? batch.end)) {
    const kept = yield* noteRead(reader, progress)
    const time = (yield* Monotonic.now) - began
    const isOver = kept === undefined && progress.end === undefined && time >= batch.lasts
    if (isOver) progress.end = progress.at
    const isOutranked = kept === undefined && !isOver && (yield* reader.isOutranked)
    if (kept === undefined && !isOver && !isOutranked) continue
    yield* settle
    return { kept: isOutranked ? ("Outranked" as const) : kept, millis: time / Math.max(1, progress.at - from) }
  }
  yield* settle
  return { kept: undefined, millis: 0 }
})

/** The same with an open folder, as long as the backfill is not to end. */
const readOpened = <R>(batch: Batch, progress: Progress, cut: (millis: number) => Effect.Effect<void, never, R>) =>
  Effect.flatMap(Parts, ({ reader }) => reader(batch)).pipe(
    Effect.flatMap((opened) => Effect.raceFirst(readSome(batch, opened, progress, cut), opened.stopped)),
    Effect.catch(({ _tag }) => Effect.succeed({ kept: _tag, millis: 0 })),
    Effect.scoped
  )

/** Reads a batch, and lets `start` begin those that follow it. */
export const run = Effect.fnUntraced(function* <R>(
  batch: Batch,
  start: (rest: ReadonlyArray<Batches.Rest>) => Effect.Effect<void, never, R>
): Effect.fn.Return<End, never, R | BackfillStore | Parts> {
  const store = yield* BackfillStore
  const worker = yield* Parts
  const { first, generation, id } = batch
  const startRest = ({ parts, pieces }: Extent) => start(Batches.divide({ ...batch, first: first + parts }, pieces))
  const known = yield* worker.persistently(store.extent(id, generation, first))
  if (known !== undefined) yield* startRest(known)
  if (known?.isWhole === true) return "last"
  const begun = (extent: Extent | undefined): Progress => ({
    at: first,
    end: extent === undefined ? undefined : first + extent.parts,
    isCut: extent !== undefined,
    done: 0,
    records: 0,
    bytes: 0,
    failed: []
  })
  const progress = begun(known)
  const note = (isWhole: boolean, millis: number) => {
    const { bytes, done, failed, records } = progress
    const end = progress.end ?? progress.at
    const pieces = end < batch.end ? Batches.piecesOf({ ...batch, first: end }, millis) : 0
    const outcome: Outcome = { first, parts: end - first, pieces, isWhole, done, records, bytes, failed: [...failed] }
    return worker.persistently(store.note(id, generation, outcome))
  }
  const cut = (millis: number) => {
    progress.end = progress.at + 1
    progress.isCut = true
    return Effect.flatMap(note(false, millis), startRest)
  }
  for (;;) {
    const { kept, millis } = (yield* worker.mayGo(batch))
      ? yield* worker.inSlot(batch, readOpened(batch, progress, cut))
      : ({ kept: "Stopped", millis: 0 } as const)
    if (kept === "LeftToOthers") return "elsewhere"
    if (kept === "Stopped") {
      if (progress.at > first || progress.isCut) yield* note(false, 0)
      return "stopped"
    }
    if (kept !== undefined) continue
    const extent = yield* note(true, millis)
    if (!extent.isWhole) {
      // Another worker took the batch for its own meanwhile, and ended it elsewhere: that is where it ends.
      yield* startRest(extent)
      Object.assign(progress, begun(extent))
      continue
    }
    if (!progress.isCut) yield* startRest(extent)
    return progress.isCut || extent.pieces === 0 ? "last" : "tried"
  }
})

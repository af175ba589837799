/**
 * Reads the records of one page chunk by chunk as they are pulled.
 *
 * A page whose bytes turn out to be damaged is requested once more. Records already emitted are skipped by count, and the
 * last of them must come back at its position, so no record is lost or repeated.
 */
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Pull from "effect/Pull"
import * as Result from "effect/Result"
import type { ApiError, Decode } from "../../ApiError.ts"
import type { RecordDecoder } from "../wire/RecordDecoder.ts"
import type * as Retry from "../../Retry.ts"
import type { Within } from "../observe/CallSpan.ts"
import type * as Envelope from "../wire/Envelope.ts"
import * as Json from "../wire/Json.ts"
import * as PageHead from "./PageHead.ts"
import * as RetrySchedule from "../retry/RetrySchedule.ts"

/** The chunks of a page. Can be read once. */
export type PageChunks = NonNullable<Envelope.Envelope["chunks"]>

/** The records of a page, an array for each chunk. */
export type PageRecords<A, R> = Pull.Pull<Arr.NonEmptyReadonlyArray<A>, ApiError, void, R>

/** A page, and how to request it once more. */
export interface Options<A, R> {
  readonly head: PageHead.PageHead
  readonly decoder: RecordDecoder<A>
  readonly retry: Retry.Policy
  /** The most records it may have; any number when absent. */
  readonly maxRecords: number | undefined
  readonly chunks: PageChunks
  /** Makes the span of the call the parent of the wait before that. */
  readonly within?: Within | undefined
  /** Requests the page again. */
  readonly refetch: Effect.Effect<PageChunks, ApiError, R>
}

/** Chunks parsed before other fibers may run: half a megabyte to two, a few milliseconds. */
const chunksPerTurn = 32

/** Why the second copy of a page cannot continue the first. */
export const changed = "the page changed when requested again, as its first copy was damaged"

/** Reads a page as it was received. */
export const make = <A, R>(options: Options<A, R>): PageRecords<A, R> => {
  const { refetch, decoder, head, maxRecords = Infinity, retry, within } = options
  let chunks = options.chunks(decoder)
  let isSecond = false
  let emitted = 0
  let last: unknown
  /** Records still to be skipped in the second copy, because they were emitted from the first. */
  let toSkip = 0
  let parsed = 0

  /** Skips records that were emitted. Returns nothing when the last of them is not the same as before. */
  const skipEmitted = (rows: ReadonlyArray<unknown>): ReadonlyArray<unknown> | undefined => {
    if (toSkip === 0) return rows
    const skipped = Math.min(toSkip, rows.length)
    toSkip -= skipped
    return toSkip > 0 || Json.isSame(rows[skipped - 1], last) ? rows.slice(skipped) : undefined
  }

  /** Waits as the retry policy says and switches to a second copy. Fails where the policy allows no retry. */
  const useSecondCopy = (damage: Decode): PageRecords<A, R> => {
    const isRetryable = (error: ApiError) => error === damage
    const copied = RetrySchedule.after(damage, refetch, retry, { waited: { millis: 0 }, isRetryable, within })
    return Effect.flatMap(copied, (copy) => {
      chunks = copy(decoder)
      isSecond = true
      toSkip = emitted
      return next
    })
  }

  const read = (): PageRecords<A, R> => {
    const chunk = chunks.next()
    if (chunk.done === true) return toSkip > 0 ? Effect.fail(PageHead.unexpected(head, "data", changed)) : Cause.done()
    if (Result.isFailure(chunk.value)) {
      const { as, issue } = chunk.value.failure
      const error = PageHead.unexpected(head, `data[${emitted}]`, issue)
      return as === "damaged" && !isSecond ? useSecondCopy(error) : Effect.fail(error)
    }
    const { isValid, records } = chunk.value.success
    const rows = skipEmitted(records)
    if (rows === undefined) return Effect.fail(PageHead.unexpected(head, "data", changed))
    if (emitted + rows.length > maxRecords) {
      return Effect.fail(
        PageHead.unexpected(
          head,
          "data",
          `the page has more than ${maxRecords} records, which is the most there may be`
        )
      )
    }
    // Type boundary: valid records come from this decoder.
    const checked = isValid ? Result.succeed(rows as ReadonlyArray<A>) : decoder.check(rows)
    if (Result.isFailure(checked)) {
      const { index, issue, path } = checked.failure
      return Effect.fail(PageHead.unexpected(head, `data[${emitted + index}]${path}`, issue))
    }
    if (!Arr.isReadonlyArrayNonEmpty(checked.success)) return next
    emitted += rows.length
    last = rows.at(-1)
    return Effect.succeed(checked.success)
  }

  const next: PageRecords<A, R> = Effect.suspend(() => {
    parsed += 1
    return parsed % chunksPerTurn === 0 ? Effect.andThen(Effect.yieldNow, Effect.suspend(read)) : read()
  })
  return next
}

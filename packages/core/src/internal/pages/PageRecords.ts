/**
 * The records of one page, read part by part as they are pulled.
 *
 * A page whose bytes turn out to be damaged, after some of its records were emitted, is asked for once more. What was
 * emitted is skipped by count, and the last of it must come back where it was, so nothing is lost and nothing
 * repeated.
 */
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Pull from "effect/Pull"
import * as Result from "effect/Result"
import { type ApiError, Decode } from "../../ApiError.ts"
import type { Reply } from "../http/Engine.ts"
import type { RecordDecoder } from "../wire/RecordDecoder.ts"
import type * as Retry from "../../Retry.ts"
import { noteFault } from "../retry/Attempts.ts"
import type * as Envelope from "../wire/Envelope.ts"
import * as Json from "../wire/Json.ts"
import * as Repetition from "../retry/Repetition.ts"

/** The parts of a page, to be read once. */
export type Parts = Iterable<Envelope.Part>

/** The records of a page, an array for each part. */
export type PageRecords<A, R> = Pull.Pull<Arr.NonEmptyReadonlyArray<A>, ApiError, void, R>

/** A page, and how to get it once more. */
export interface Options<A, R> {
  readonly endpoint: string
  readonly decoder: RecordDecoder<A>
  readonly retry: Retry.Policy
  /** The most records it may have; any number when absent. */
  readonly mostRecords: number | undefined
  readonly trace: string | undefined
  /** Takes the key out of what an error quotes. */
  readonly scrub: Reply["scrub"]
  /** Counts from 1. */
  readonly page: number
  readonly parts: Parts
  /** Asks for the page again. */
  readonly again: Effect.Effect<Parts, ApiError, R>
}

/** Parts parsed before others get their turn: about a megabyte, a few milliseconds. */
const turn = 64

/** Why a page that was asked for again does not go on where the first stopped. */
export const changed = "the page changed while it was asked for again, since its first copy was damaged"

/** Begins with a page as it was received. */
export const make = <A, R>(options: Options<A, R>): PageRecords<A, R> => {
  const { again, decoder, endpoint, mostRecords = Infinity, page, retry, scrub, trace } = options
  let parts = options.parts[Symbol.iterator]()
  let isSecond = false
  let emitted = 0
  let last: unknown
  /** Records still to be skipped in the second copy, since those of the first were emitted. */
  let toSkip = 0
  let parsed = 0

  const broken = (path: string, issue: string) =>
    new Decode({ endpoint, trace, page, path: scrub(path), issue: scrub(issue) })

  /** Skips records that were emitted; gives nothing when the last of these is not the same as before. */
  const skipEmitted = (rows: ReadonlyArray<unknown>): ReadonlyArray<unknown> | undefined => {
    if (toSkip === 0) return rows
    const skipped = Math.min(toSkip, rows.length)
    toSkip -= skipped
    return toSkip > 0 || Json.isSame(rows[skipped - 1], last) ? rows.slice(skipped) : undefined
  }

  /** Waits as the policy has it, and goes over to a second copy; fails where the policy sends nothing twice. */
  const replay = (damage: Decode): PageRecords<A, R> => {
    let isFirst = true
    const step = Effect.suspend(() => {
      if (!isFirst) return again
      isFirst = false
      return Effect.fail(damage)
    })
    return noteFault(damage).pipe(
      Effect.andThen(
        Effect.retry(
          step,
          Repetition.schedule(retry, { millis: 0 }, (error) => error === damage)
        )
      ),
      Effect.flatMap((copy) => {
        parts = copy[Symbol.iterator]()
        isSecond = true
        toSkip = emitted
        return next
      })
    )
  }

  const read = (): PageRecords<A, R> => {
    const part = parts.next()
    if (part.done === true) return toSkip > 0 ? Effect.fail(broken("data", changed)) : Cause.done()
    if (Result.isFailure(part.value)) {
      const { as, issue } = part.value.failure
      const error = broken(`data[${emitted}]`, issue)
      return as === "damaged" && !isSecond ? replay(error) : Effect.fail(error)
    }
    const rows = skipEmitted(part.value.success)
    if (rows === undefined) return Effect.fail(broken("data", changed))
    if (emitted + rows.length > mostRecords) {
      return Effect.fail(
        broken("data", `the page has more than ${mostRecords} records, which is the most there may be`)
      )
    }
    const checked = decoder.check(rows)
    if (Result.isFailure(checked)) {
      const { index, issue, path } = checked.failure
      return Effect.fail(broken(`data[${emitted + index}]${path}`, issue))
    }
    if (!Arr.isReadonlyArrayNonEmpty(checked.success)) return next
    emitted += rows.length
    last = rows.at(-1)
    return Effect.succeed(checked.success)
  }

  const next: PageRecords<A, R> = Effect.suspend(() => {
    parsed += 1
    return parsed % turn === 0 ? Effect.andThen(Effect.yieldNow, Effect.suspend(read)) : read()
  })
  return next
}

/**
 * A body read as records, over as many requests as it takes.
 *
 * A reply that is cut off is asked for again, and what was already emitted is passed over by count; the last emitted
 * record must stand where it stood, so nothing is lost and nothing repeated.
 */
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { ApiError } from "../ApiError.ts"
import type { Opened } from "../Client.ts"
import * as Retry from "../Retry.ts"
import { noteFault, withAttempts } from "./Attempts.ts"
import * as Utf8 from "./Utf8.ts"

/** Where the records stand, over all attempts. */
export interface Progress {
  /** Records emitted so far. */
  delivered: number
  /** The last of them, as text. */
  last: string
  /** Requests sent since the last record. */
  attempts: number
  /** How the last attempt ended, for a reader that has to compare. */
  ending: string | undefined
}

/** Records to emit, and the error that follows them. */
export interface Read<A> {
  readonly records: ReadonlyArray<A>
  readonly failure?: ApiError | undefined
}

/** Turns the bytes of one reply into records, passing over those an earlier attempt has emitted. */
export interface Reader<A> {
  readonly push: (piece: Uint8Array) => Read<A>
  readonly end: () => Read<A>
}

/** What {@link records} reads, and how. */
export interface Options<A, R> {
  readonly retry: Retry.Policy
  readonly open: Effect.Effect<Opened, ApiError, R | Scope.Scope>
  readonly read: (opened: Opened, progress: Progress) => Reader<A>
}

/** Reads the records of one reply, an array for each piece of it that holds any. */
export const records = <A, R>(options: Options<A, R>): Stream.Stream<A, ApiError, Exclude<R, Scope.Scope>> =>
  Stream.suspend(() => {
    const progress: Progress = { delivered: 0, last: "", attempts: 0, ending: undefined }
    const open = Effect.suspend(() => {
      progress.attempts += 1
      return options.open
    })
    return Stream.unwrap(Effect.map(open, (opened) => attempt(opened, options.read(opened, progress)))).pipe(
      Stream.tapError((error) => (Retry.isTransient(error) ? noteFault(error) : Effect.void)),
      // Safe here alone: an attempt goes on where the last one stopped, and the policy begins anew after each record.
      Stream.retry(Schedule.while(options.retry, ({ input }) => Retry.isTransient(input))),
      Stream.mapError((error) => withAttempts(error, progress.attempts))
    )
  })

/** Notes what is about to be emitted. */
export const deliver = (progress: Progress, count: number, last: string) => {
  progress.delivered += count
  progress.last = last
  progress.attempts = 1
}

type Batch<A> = Pull.Pull<Arr.NonEmptyReadonlyArray<A>, ApiError>

const attempt = <A>({ body }: Opened, reader: Reader<A>): Stream.Stream<A, ApiError> => {
  let pieces: Iterator<Uint8Array> = [].values()
  let then: Batch<A> | undefined
  const emit = ({ records, failure }: Read<A>): Batch<A> => {
    if (failure !== undefined) then = Effect.fail(failure)
    return Arr.isReadonlyArrayNonEmpty(records) ? Effect.succeed(records) : next
  }
  // Whatever has arrived is read piece by piece, so that no more of it stands in memory as text and records.
  const next: Batch<A> = Effect.suspend(() => {
    if (then !== undefined) return then
    const piece = pieces.next()
    return piece.done === true ? more : emit(reader.push(piece.value))
  })
  const more: Batch<A> = Pull.matchEffect(body, {
    onSuccess: (chunks) => {
      pieces = chunks.flatMap(Utf8.pieces).values()
      return next
    },
    onFailure: Effect.failCause,
    onDone: () => {
      then = Cause.done()
      return emit(reader.end())
    }
  })
  return Stream.fromPull(Effect.succeed(next))
}

/**
 * Reads a body as records, over as many requests as it takes.
 *
 * When a reply is cut off, the rest is requested: from the last record on for an ordered series, otherwise the whole reply
 * again, skipping the records already emitted. In both cases the last emitted record must come back, so no record is lost
 * or repeated.
 */
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Channel from "effect/Channel"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { ApiError } from "../../ApiError.ts"
import type * as Call from "../call/Call.ts"
import type { Opened } from "../http/Engine.ts"
import * as Retry from "../../Retry.ts"
import { withAttempts } from "../retry/Attempts.ts"
import * as ResumeState from "./ResumeState.ts"
import type { Within } from "../observe/CallSpan.ts"
import * as RetrySchedule from "../retry/RetrySchedule.ts"
import * as Utf8 from "../wire/Utf8.ts"
import * as Waits from "../retry/Waits.ts"

/** Records to emit, and the error that follows them. */
export interface ReadResult<A> {
  readonly records: ReadonlyArray<A>
  readonly failure?: ApiError | undefined
  /** Set where damage in transit may have caused the failure, so that another reply may be intact. */
  readonly damage?: ResumeState.DamagePosition | undefined
  /** A warning to log. */
  readonly warning?: string | undefined
}

/** Turns the bytes of one reply into records, and skips those an earlier attempt has emitted. */
export interface Reader<A> {
  /** The most bytes of the next piece. */
  readonly pieceSize: () => number
  readonly push: (piece: Uint8Array) => ReadResult<A>
  readonly end: () => ReadResult<A>
}

/** What {@link records} reads, and how. */
export interface Options<A, R> {
  readonly retry: Retry.Policy
  /** Makes the span of these records the parent of their requests. */
  readonly within: Within
  readonly call: Call.Call
  readonly open: (call: Call.Call) => Effect.Effect<Opened, ApiError, R | Scope.Scope>
  readonly read: (opened: Opened, state: ResumeState.ResumeState) => Reader<A>
  /**
   * Returns the error of a reply that ended before the last record of the service; absent where the end is not checked. A
   * failure of the check itself is final, because the check has made its own attempts.
   */
  readonly checkEnd?:
    | ((state: ResumeState.ResumeState) => Effect.Effect<ApiError | undefined, ApiError, Exclude<R, Scope.Scope>>)
    | undefined
}

/** Reads the records of a request, an array for each piece of its reply that holds any. */
export const records = <A, R>(options: Options<A, R>): Stream.Stream<A, ApiError, Exclude<R, Scope.Scope>> =>
  Stream.suspend(() => {
    const state = ResumeState.make(options.call)
    const retries = makeRetryDecision(state)
    const waited: Waits.Waited = { millis: 0 }
    const open = Effect.suspend(() => {
      state.startRequest()
      return Effect.provideService(options.within(options.open(state.call)), Waits.Current, waited)
    })
    const reply = Stream.unwrap(Effect.map(open, (opened) => attempt(opened, options.read(opened, state), retries)))
    const { checkEnd } = options
    const check =
      checkEnd && Stream.fromEffectDrain(Effect.suspend(() => options.within(retries.check(checkEnd(state)))))
    const request = (check === undefined ? reply : followedBy(reply, check)).pipe(
      // Only here is a retry safe: an attempt continues where the last one stopped, and the policy restarts after each record.
      Stream.retry(
        RetrySchedule.schedule(options.retry, { waited, isRetryable: retries.isRetryable, within: options.within })
      ),
      Stream.mapError((error) => withAttempts(error, retries.attemptsOf(error)))
    )
    return Stream.repeat(
      request,
      Schedule.while(Schedule.forever, () => state.advance())
    )
  })

/** `Stream.concat` would do, but brings the code that merges streams, which is 6 KB. */
const followedBy = <A, E, R>(self: Stream.Stream<A, E, R>, that: Stream.Stream<never, E, R>): Stream.Stream<A, E, R> =>
  Stream.fromChannel(Channel.concat(Stream.toChannel(self), Stream.toChannel(that)))

const makeRetryDecision = (state: ResumeState.ResumeState) => {
  let allowed: ApiError | undefined
  let final: ApiError | undefined
  return {
    /** Allows a retry of a failure that damage may have caused, once at each position. */
    allow: (failure: ApiError, position: ResumeState.DamagePosition) => {
      if (state.isFirstDamage(position)) allowed = failure
    },
    /** Fails with the error of a reply that ended too early. A failure of the check itself is final. */
    check: <R>(found: Effect.Effect<ApiError | undefined, ApiError, R>): Effect.Effect<void, ApiError, R> =>
      found.pipe(
        Effect.tapError((error) => Effect.sync(() => (final = error))),
        Effect.flatMap((error) => (error === undefined ? Effect.void : Effect.fail(error)))
      ),
    isRetryable: (error: ApiError): boolean => error === allowed || (error !== final && Retry.isTransient(error)),
    attemptsOf: (error: ApiError): { readonly attempts?: number; readonly total: number } =>
      error === final ? { total: state.total } : state
  }
}

/** Decides which failures are retried. */
type RetryDecision = ReturnType<typeof makeRetryDecision>

type Batch<A> = Pull.Pull<Arr.NonEmptyReadonlyArray<A>, ApiError>

const attempt = <A>({ body }: Opened, reader: Reader<A>, retries: RetryDecision): Stream.Stream<A, ApiError> => {
  // A copy: a slow reader would keep the 64 KiB chunks of the socket so long that V8 moves them to its old generation, where
  // they stay until the next full collection.
  const hold = Utf8.makeConcat()
  let pieces: Iterator<Uint8Array> = [].values()
  /** What follows the records emitted last: the error, or the end. */
  let ending: Batch<A> | undefined
  const emit = ({ records, failure, damage, warning }: ReadResult<A>): Batch<A> => {
    if (failure !== undefined) {
      if (damage !== undefined) retries.allow(failure, damage)
      ending = Effect.fail(failure)
    }
    const emitted: Batch<A> = Arr.isReadonlyArrayNonEmpty(records) ? Effect.succeed(records) : next
    return warning === undefined ? emitted : Effect.andThen(Effect.logWarning(warning), emitted)
  }
  // Bytes that have arrived are read piece by piece, so that only one piece is in memory as text and records.
  const next: Batch<A> = Effect.suspend(() => {
    if (ending !== undefined) return ending
    const piece = pieces.next()
    return piece.done === true ? more : emit(reader.push(piece.value))
  })
  const more: Batch<A> = Pull.matchEffect(body, {
    onSuccess: (chunks) => {
      const [chunk] = chunks
      // It is read at once, and nothing keeps it.
      if (chunks.length === 1 && chunk.length <= reader.pieceSize()) return emit(reader.push(chunk))
      pieces = Utf8.pieces(hold(chunks), reader.pieceSize()).values()
      return next
    },
    onFailure: Effect.failCause,
    onDone: () => {
      ending = Cause.done()
      return emit(reader.end())
    }
  })
  return Stream.fromPull(Effect.succeed(next))
}

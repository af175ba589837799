/**
 * A body read as records, over as many requests as it takes.
 *
 * What is left of a reply that is cut off is asked for: from the last record on, where it is a series in order; else all
 * of it, and what was already emitted is passed over by count. Either way the last emitted record must come back, so
 * nothing is lost and nothing repeated.
 */
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { ApiError } from "../../ApiError.ts"
import type * as Call from "../call/Call.ts"
import type { Opened } from "../http/Engine.ts"
import * as Retry from "../../Retry.ts"
import { noteFault, withAttempts } from "../retry/Attempts.ts"
import * as Progress from "./Progress.ts"
import * as Repetition from "../retry/Repetition.ts"
import * as Utf8 from "../wire/Utf8.ts"
import * as Waits from "../retry/Waits.ts"

/** Records to emit, and the error that follows them. */
export interface Read<A> {
  readonly records: ReadonlyArray<A>
  readonly failure?: ApiError | undefined
  /** Set where damage on the way may have caused the failure, so that another reply may not have it. */
  readonly damage?: Progress.Damage | undefined
  /** A warning to log. */
  readonly remark?: string | undefined
}

/** Turns the bytes of one reply into records, passing over those an earlier attempt has emitted. */
export interface Reader<A> {
  readonly push: (piece: Uint8Array) => Read<A>
  readonly end: () => Read<A>
}

/** What {@link records} reads, and how. */
export interface Options<A, R> {
  readonly retry: Retry.Policy
  readonly call: Call.Call
  readonly open: (call: Call.Call) => Effect.Effect<Opened, ApiError, R | Scope.Scope>
  readonly read: (opened: Opened, progress: Progress.Progress) => Reader<A>
  /**
   * Gives the error of a reply that ended before the last record there is; absent where the end is not checked. Its own
   * failures are final: it has made all the attempts it may.
   */
  readonly checkEnd?:
    | ((progress: Progress.Progress) => Effect.Effect<ApiError | undefined, ApiError, Exclude<R, Scope.Scope>>)
    | undefined
}

/** Reads the records of a request, an array for each piece of its reply that holds any. */
export const records = <A, R>(options: Options<A, R>): Stream.Stream<A, ApiError, Exclude<R, Scope.Scope>> =>
  Stream.suspend(() => {
    const progress = Progress.make(options.call)
    const judge = makeJudge(progress)
    const waited: Waits.Waited = { millis: 0 }
    const open = Effect.suspend(() => {
      progress.begin()
      return Effect.provideService(options.open(progress.call), Waits.Current, waited)
    })
    const reply = Stream.unwrap(Effect.map(open, (opened) => attempt(opened, options.read(opened, progress), judge)))
    const { checkEnd } = options
    const checked =
      checkEnd === undefined
        ? reply
        : Stream.concat(reply, Stream.fromEffectDrain(Effect.suspend(() => judge.check(checkEnd(progress)))))
    const request = checked.pipe(
      Stream.tapError((error) => (judge.mayRepeat(error) ? noteFault(error) : Effect.void)),
      // Safe here alone: an attempt goes on where the last one stopped, and the policy begins anew after each record.
      Stream.retry(Repetition.schedule(options.retry, waited, judge.mayRepeat)),
      Stream.mapError((error) => withAttempts(error, judge.attemptsOf(error)))
    )
    const all: typeof request = Stream.concat(
      request,
      Stream.suspend(() => (progress.advance() ? all : Stream.empty))
    )
    return all
  })

/** Tells which failures another request for the stream may mend. */
interface Judge {
  /** Spares a failure that damage may have caused, the first time at each place. */
  readonly spare: (failure: ApiError, damage: Progress.Damage) => void
  /** Makes an error of a reply that ended too early; what fails in finding out is final. */
  readonly check: <R>(found: Effect.Effect<ApiError | undefined, ApiError, R>) => Effect.Effect<void, ApiError, R>
  readonly mayRepeat: (error: ApiError) => boolean
  readonly attemptsOf: (error: ApiError) => { readonly attempts?: number; readonly total: number }
}

const makeJudge = (progress: Progress.Progress): Judge => {
  let spared: ApiError | undefined
  let final: ApiError | undefined
  return {
    spare: (failure, damage) => {
      if (progress.isFirstDamage(damage)) spared = failure
    },
    check: (found) =>
      found.pipe(
        Effect.tapError((error) => Effect.sync(() => (final = error))),
        Effect.flatMap((error) => (error === undefined ? Effect.void : Effect.fail(error)))
      ),
    mayRepeat: (error) => error === spared || (error !== final && Retry.isTransient(error)),
    attemptsOf: (error) => (error === final ? { total: progress.total } : progress)
  }
}

type Batch<A> = Pull.Pull<Arr.NonEmptyReadonlyArray<A>, ApiError>

const attempt = <A>({ body }: Opened, reader: Reader<A>, judge: Judge): Stream.Stream<A, ApiError> => {
  // A copy: a reader that takes its time would keep the chunks of the socket, 64 KiB each, long enough for V8 to move them
  // to its old generation, where they stay until the next full collection.
  const hold = Utf8.makeHolder()
  let pieces: Iterator<Uint8Array> = [].values()
  let then: Batch<A> | undefined
  const emit = ({ records, failure, damage, remark }: Read<A>): Batch<A> => {
    if (failure !== undefined) {
      if (damage !== undefined) judge.spare(failure, damage)
      then = Effect.fail(failure)
    }
    const emitted: Batch<A> = Arr.isReadonlyArrayNonEmpty(records) ? Effect.succeed(records) : next
    return remark === undefined ? emitted : Effect.andThen(Effect.logWarning(remark), emitted)
  }
  // Whatever has arrived is read piece by piece, so that no more of it stands in memory as text and records.
  const next: Batch<A> = Effect.suspend(() => {
    if (then !== undefined) return then
    const piece = pieces.next()
    return piece.done === true ? more : emit(reader.push(piece.value))
  })
  const more: Batch<A> = Pull.matchEffect(body, {
    onSuccess: (chunks) => {
      pieces = Utf8.pieces(hold(chunks)).values()
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

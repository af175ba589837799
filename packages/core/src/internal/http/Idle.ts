/**
 * Ends bodies that stall or are too slow. One fiber of a client watches all of them: a timer and a race for each chunk, or a
 * fiber for each body, would cost more than reading it. It ends with the last body, because its timer would keep a program that
 * is done from ending.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as ByteStream from "../wire/ByteStream.ts"
import * as Monotonic from "../retry/Monotonic.ts"

/** The limits of a body. */
export interface Options {
  /** The longest wait for a chunk. */
  readonly idle: Duration.Input
  /** The minimum rate over {@link span} of waiting; 0 for any. */
  readonly minBytesPerSecond: number
}

/** A watched body. Times are milliseconds. */
interface Watched {
  /** When its next chunk was pulled; absent between two pulls. */
  askedAt: number | undefined
  /** The time spent waiting for its chunks, and the bytes received, since the last check of its rate. */
  waited: number
  bytes: number
  /** Why it was ended. */
  failure: string | undefined
  /** Closes the connection, which fails the pull of the next chunk. */
  readonly abort: Effect.Effect<void>
}

/**
 * Watches a body until the scope closes. Fails it when a pull takes too long, or when too few bytes come in a minute of
 * pulling. The time between two pulls does not count: a slow reader is not a stalled service.
 */
export type Watch = <E, E2>(
  body: ByteStream.ByteStream<E>,
  on: {
    /** Closes the connection, which fails the pull of the next chunk. */
    readonly abort: Effect.Effect<void>
    readonly bytes: (count: number) => void
    readonly end: () => void
    /** Builds the error of a body that fails; `reason` tells why it was ended here. */
    readonly failure: (error: E, reason: string | undefined) => E2
  }
) => Effect.Effect<ByteStream.ByteStream<E2>, never, Scope.Scope>

/** The time over which the rate of a body is averaged. */
const span = 60_000

/** Builds the watch of a client, which runs until the scope closes. */
export const make = Effect.fnUntraced(function* ({ idle, minBytesPerSecond }: Options) {
  const limit = Duration.toMillis(idle)
  const averageOver = minBytesPerSecond > 0 ? span : Infinity
  const clock = yield* Clock.Clock
  const bodies = new Set<Watched>()
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  let watcher: Fiber.Fiber<never> | undefined

  const waited = (body: Watched, now: number) => body.waited + now - (body.askedAt ?? now)
  /** When a body must be checked, if no chunk comes before. */
  const nextCheckAt = (body: Watched, now: number) =>
    Math.min((body.askedAt ?? now) + limit, now + Math.max(0, averageOver - waited(body, now)))

  const failureOf = (body: Watched, now: number): string | undefined => {
    if ((body.askedAt ?? now) + limit <= now) return `the body stood still for ${shown(limit)}`
    const time = waited(body, now)
    if (time < averageOver) return undefined
    if (body.bytes * 1000 < minBytesPerSecond * time)
      return `the body brought less than ${minBytesPerSecond} bytes a second for ${shown(span)}`
    body.waited = (body.askedAt ?? now) - now
    body.bytes = 0
    return undefined
  }

  /** Aborts the bodies that failed, and returns how long no other can. */
  const check = Effect.gen(function* () {
    const now = Monotonic.nowUnsafe(clock)
    for (const body of bodies) {
      body.failure = failureOf(body, now)
      if (body.failure === undefined) continue
      bodies.delete(body)
      yield* body.abort
    }
    // A body pulled later is due later, so no check is missed while sleeping.
    const next = Math.min(now + limit, now + averageOver, ...[...bodies].map((body) => nextCheckAt(body, now)))
    return Math.max(1, Math.ceil(next - now))
  })
  // Interrupted in its sleep only: the last body to be aborted ends the watch, and still has to be closed.
  const watch = Effect.forever(Effect.flatMap(Effect.uninterruptible(check), Effect.sleep))
  const stop = () => {
    watcher?.interruptUnsafe()
    watcher = undefined
  }
  yield* Effect.addFinalizer(() => Effect.sync(stop))

  const remove = (body: Watched) =>
    Effect.sync(() => {
      bodies.delete(body)
      if (bodies.size === 0) stop()
    })

  const start: Watch = (body, on) => {
    const watched: Watched = { askedAt: undefined, waited: 0, bytes: 0, failure: undefined, abort: on.abort }
    const asked = Effect.suspend(() => {
      watched.askedAt = Monotonic.nowUnsafe(clock)
      return body
    })
    const given = Effect.map(asked, (chunks) => {
      watched.waited += Monotonic.nowUnsafe(clock) - (watched.askedAt ?? 0)
      watched.askedAt = undefined
      const count = ByteStream.lengthOf(chunks)
      watched.bytes += count
      on.bytes(count)
      return chunks
    })
    const inTime = Effect.mapError(given, (error) => {
      if (!Cause.isDone(error)) return on.failure(error, watched.failure)
      on.end()
      return error
    })
    // The finalizer comes first, so that an interruption between the two leaves nothing behind.
    return Effect.flatMap(Effect.scope, (scope) =>
      Effect.map(Scope.addFinalizer(scope, remove(watched)), () => {
        bodies.add(watched)
        watcher ??= fork(watch)
        return inTime
      })
    )
  }
  return start
})

const shown = (millis: number) => Duration.format(Duration.millis(millis))

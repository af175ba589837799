/**
 * Bodies that may neither stand still nor drip: one fiber of a client watches over all of them. A timer and a race for
 * each chunk, or even a fiber for each body, would cost more than reading it.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type * as Scope from "effect/Scope"
import { type Bytes, mapError } from "../wire/Bytes.ts"
import * as Monotonic from "../retry/Monotonic.ts"

/** What a body must keep to. */
export interface Options {
  /** The longest wait for a chunk. */
  readonly idle: Duration.Input
  /** The least bytes a second, over {@link span} of waiting; 0 for any. */
  readonly minBytesPerSecond: number
}

/** A body under watch. Times are milliseconds. */
interface Watched {
  /** When its next chunk was asked for; absent while nothing is asked of it. */
  askedAt: number | undefined
  /** Time it was asked for its chunks, and bytes that came, since its pace was last looked at. */
  waited: number
  bytes: number
  /** Why it was given up. */
  failure: string | undefined
  /** Ends the connection, upon which a body that waits for its next chunk fails. */
  readonly abort: Effect.Effect<void>
}

/**
 * Fails a body when it gives nothing for too long, or too little over a minute, while something is asked of it, until
 * the scope closes. The time between two pulls does not count: a slow reader is not a stalled service.
 */
export type Watch = <E>(
  body: Bytes<E>,
  abort: Effect.Effect<void>,
  onFailure: (reason: string) => E
) => Effect.Effect<Bytes<E>, never, Scope.Scope>

/** What the pace of a body is averaged over: a pause in a minute is none. */
const span = 60_000

/** Begins to watch, until the scope closes. */
export const make = Effect.fnUntraced(function* ({ idle, minBytesPerSecond }: Options) {
  const limit = Duration.toMillis(idle)
  const pace = minBytesPerSecond > 0 ? span : Infinity
  const clock = yield* Clock.Clock
  const bodies = new Set<Watched>()
  const some = yield* Latch.make(false)

  const waited = (body: Watched, now: number) => body.waited + (body.askedAt === undefined ? 0 : now - body.askedAt)
  /** When there is something to be said about it, should it give nothing until then. */
  const due = (body: Watched, now: number) =>
    Math.min((body.askedAt ?? now) + limit, now + Math.max(0, pace - waited(body, now)))

  const judge = (body: Watched, now: number): string | undefined => {
    if (body.askedAt !== undefined && body.askedAt + limit <= now) return `the body stood still for ${shown(limit)}`
    const time = waited(body, now)
    if (time < pace) return undefined
    if (body.bytes * 1000 < minBytesPerSecond * time)
      return `the body brought less than ${minBytesPerSecond} bytes a second for ${shown(span)}`
    body.waited = body.askedAt === undefined ? 0 : body.askedAt - now
    body.bytes = 0
    return undefined
  }

  const watch = Effect.gen(function* () {
    yield* some.await
    const now = Monotonic.nowUnsafe(clock)
    for (const body of bodies) {
      body.failure = judge(body, now)
      if (body.failure === undefined) continue
      bodies.delete(body)
      yield* body.abort
    }
    // A body asked later is due later, so nothing is missed while sleeping.
    const next = Math.min(now + limit, now + pace, ...[...bodies].map((body) => due(body, now)))
    yield* Effect.sleep(Math.max(1, Math.ceil(next - now)))
  })
  if (limit !== Infinity || pace !== Infinity) yield* Effect.forkScoped(Effect.forever(watch))

  const enter = (body: Watched) =>
    Effect.sync(() => {
      bodies.add(body)
      some.openUnsafe()
    })
  const leave = (body: Watched) =>
    Effect.sync(() => {
      bodies.delete(body)
      if (bodies.size === 0) some.closeUnsafe()
    })

  const start: Watch = (body, abort, onFailure) => {
    const watched: Watched = { askedAt: undefined, waited: 0, bytes: 0, failure: undefined, abort }
    const asked = Effect.suspend(() => {
      watched.askedAt = Monotonic.nowUnsafe(clock)
      return body
    })
    const given = Effect.map(asked, (chunks) => {
      watched.waited += Monotonic.nowUnsafe(clock) - (watched.askedAt ?? 0)
      watched.askedAt = undefined
      for (const chunk of chunks) watched.bytes += chunk.length
      return chunks
    })
    const inTime = mapError(given, (error) => (watched.failure === undefined ? error : onFailure(watched.failure)))
    return Effect.as(
      Effect.acquireRelease(enter(watched), () => leave(watched)),
      inTime
    )
  }
  return start
})

const shown = (millis: number) => Duration.format(Duration.millis(millis))

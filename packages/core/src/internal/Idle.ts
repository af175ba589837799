/**
 * Bodies that may not stand still: one fiber of a client watches over all of them. A timer and a race for each chunk, or
 * even a fiber for each body, would cost more than reading it.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type * as Scope from "effect/Scope"
import { type Bytes, mapError } from "./Bytes.ts"

/** A body under watch. */
interface Watched {
  /** When its next chunk was asked for; absent while nothing is asked of it. */
  askedAt: number | undefined
  isStalled: boolean
  /** Ends the connection, upon which a body that waits for its next chunk fails. */
  readonly abort: Effect.Effect<void>
}

/**
 * Fails a body when it gives nothing for so long while something is asked of it, until the scope closes. The time between
 * two pulls does not count: a slow reader is not a stalled service.
 */
export type FailWhenIdle = <E>(
  body: Bytes<E>,
  abort: Effect.Effect<void>,
  onIdle: () => E
) => Effect.Effect<Bytes<E>, never, Scope.Scope>

/** Begins to watch, until the scope closes. */
export const make = Effect.fnUntraced(function* (idle: Duration.Input) {
  const limit = Duration.toMillis(idle)
  const clock = yield* Clock.Clock
  const bodies = new Set<Watched>()
  const some = yield* Latch.make(false)

  const deadline = ({ askedAt }: Watched) => (askedAt ?? clock.currentTimeMillisUnsafe()) + limit
  const watch = Effect.gen(function* () {
    yield* some.await
    const now = clock.currentTimeMillisUnsafe()
    for (const body of bodies) {
      if (deadline(body) > now) continue
      bodies.delete(body)
      body.isStalled = true
      yield* body.abort
    }
    // A body asked later is due later, so nothing is missed while sleeping.
    yield* Effect.sleep(Math.max(1, Math.ceil(Math.min(...[...bodies].map(deadline), now + limit) - now)))
  })
  if (limit !== Infinity) yield* Effect.forkScoped(Effect.forever(watch))

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

  const failWhenIdle: FailWhenIdle = (body, abort, onIdle) => {
    const watched: Watched = { askedAt: undefined, isStalled: false, abort }
    const asked = Effect.suspend(() => {
      watched.askedAt = clock.currentTimeMillisUnsafe()
      return body
    })
    const given = Effect.map(asked, (chunks) => {
      watched.askedAt = undefined
      return chunks
    })
    const inTime = mapError(given, (error) => (watched.isStalled ? onIdle() : error))
    return Effect.as(
      Effect.acquireRelease(enter(watched), () => leave(watched)),
      inTime
    )
  }
  return failWhenIdle
})

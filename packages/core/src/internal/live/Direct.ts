/**
 * Reads the messages of a subscription without the fiber of a stream: a function is called with them where they come up.
 *
 * The stream of a live operation carries how to do that, but it is not part of its type: any operator on the stream
 * leaves it out.
 */
import type * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as Stream from "effect/Stream"

/** Takes messages. What it returns is run before the next call, if it is an effect. */
export type Handler<M, E, R> = (messages: Arr.NonEmptyReadonlyArray<M>) => Effect.Effect<unknown, E, R> | void

/**
 * Calls a handler, and returns what is still to be run. A function that returns something else passes for one without a
 * result.
 */
export const restOf = <M, E, R>(handler: Handler<M, E, R>, messages: Arr.NonEmptyReadonlyArray<M>) => {
  const rest = handler(messages)
  return Effect.isEffect(rest) ? rest : undefined
}

/** Gives all messages to a handler. Never succeeds. */
export type Run<M, E, R> = <E2, R2>(handler: Handler<M, E2, R2>) => Effect.Effect<never, E | E2, R | R2>

// A registered symbol, because a program may contain two copies of this module.
const key = Symbol.for("@sluice/core/live/Direct")

/** Says how the messages of a stream can be read directly. */
export const attach = <M, E, R>(stream: Stream.Stream<M, E, R>, run: Run<M, E, R>): Stream.Stream<M, E, R> =>
  Object.assign(stream, { [key]: run })

/** How the messages of a stream can be read directly, if they can. */
export const of = <M, E, R>(stream: Stream.Stream<M, E, R>): Run<M, E, R> | undefined =>
  // Type boundary: only `attach` sets it, for the messages of this stream.
  Predicate.hasProperty(stream, key) ? (stream[key] as Run<M, E, R>) : undefined

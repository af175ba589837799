/** Runs effects and streams as promises and async iterators, which all end when the session is closed. */
import { Misconfigured } from "@sluice/core/ApiError"
import type * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as ManagedRuntime from "effect/ManagedRuntime"
import type * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Kinds from "@sluice/node/internal/options/Kinds"
import * as Data from "effect/Data"
import { NodeInspectSymbol } from "effect/Inspectable"
import * as Predicate from "effect/Predicate"
import * as Caller from "./Caller.ts"

/** The client was closed, before the call or during it. */
export class Closed extends Schema.TaggedError<Closed>()("Closed", {}) {
  override get message() {
    return "the client is closed"
  }
}

/** What promises and iterators of one client share. */
export interface Session<R> {
  /** Runs an effect. Rejects with its error, with the reason of the signal, or with {@link Closed}. */
  readonly run: <A, E>(effect: Effect.Effect<A, E, R>, signal?: AbortSignal) => Promise<A>
  /** Reads a stream, an array at a time. Throws as `run` rejects. */
  readonly iterate: <A, E>(stream: Stream.Stream<A, E, R>, signal?: AbortSignal) => AsyncIterator<A, void, void>
  /** Ends everything that runs, waits until its sockets and files are closed, and releases the services. */
  readonly close: () => Promise<void>
}

/** Builds the services of a session. Rejects with the error of the layer. */
export const open = <R, E>(layer: Layer.Layer<R, E>): Promise<Session<R>> => {
  const runtime = ManagedRuntime.make(layer)
  const call = Caller.here()
  // A layer that fails has released what it had acquired.
  return Effect.runPromise(
    runtime.contextEffect.pipe(
      Effect.mapError((error) => Caller.named(printed(error), call)),
      Effect.map((context) => make(context, runtime.disposeEffect))
    )
  )
}

const make = <R>(context: Context.Context<R>, dispose: Effect.Effect<void>): Session<R> => {
  const runPromise = Effect.runPromiseWith(context)
  const closed = Deferred.makeUnsafe<never, Closed>()
  const running = new Set<Fiber.Fiber<unknown, unknown>>()

  const fork = <A, E>(effect: Effect.Effect<A, E, R>): Fiber.Fiber<A, E> => {
    const fiber = Effect.runForkWith(context)(effect)
    running.add(fiber)
    fiber.addObserver(() => running.delete(fiber))
    return fiber
  }

  /** Fails once the session is closed or the signal is aborted. */
  const ending = (signal: AbortSignal | undefined): Effect.Effect<never, unknown> =>
    signal === undefined ? Deferred.await(closed) : Effect.raceFirst(Deferred.await(closed), aborted(signal))

  const run = <A, E>(effect: Effect.Effect<A, E, R>, signal?: AbortSignal): Promise<A> => {
    const call = Caller.here()
    // The ending comes first, so that nothing begins after it.
    const joined = Fiber.join(fork(Effect.raceFirst(ending(signal), effect)))
    return runPromise(Effect.mapError(joined, (error) => toldOf(error, call, signal)))
  }

  const iterate = <A, E>(stream: Stream.Stream<A, E, R>, signal?: AbortSignal): AsyncIterator<A, void, void> => {
    const call = Caller.here()
    const arrays = Stream.toAsyncIterableWith(Stream.chunks(stream), context)[Symbol.asyncIterator]()
    const close = Effect.promise<unknown>(() => arrays.return?.() ?? Promise.resolve())
    let array: Iterator<A> | undefined
    let ended: { readonly error: unknown } | undefined
    let pulling: Promise<IteratorResult<A, void>> | undefined
    let watcher: Fiber.Fiber<unknown> | undefined

    /** Ends the reading between two calls of `next` too, when nobody waits for it. */
    const watch = Effect.flatMap(Effect.flip(ending(signal)), (error) => {
      ended = { error: toldOf(error, call, signal) }
      array = undefined
      return close
    })
    const stop = () => {
      array = undefined
      watcher?.interruptUnsafe()
    }
    const settle = (result: IteratorResult<ReadonlyArray<A>>): Promise<IteratorResult<A, void>> => {
      pulling = undefined
      if (ended !== undefined) return Promise.reject(ended.error)
      if (result.done === true) {
        stop()
        return Promise.resolve({ done: true, value: undefined })
      }
      array = result.value[Symbol.iterator]()
      return next()
    }
    const fail = (error: unknown) => {
      pulling = undefined
      stop()
      return Promise.reject(ended === undefined ? toldOf(error, call, signal) : ended.error)
    }
    const next = (): Promise<IteratorResult<A, void>> => {
      watcher ??= fork(watch)
      if (ended !== undefined) return Promise.reject(ended.error)
      const following = array?.next()
      if (following !== undefined && following.done !== true) return Promise.resolve(following)
      // Whoever asks while an array is on its way waits for it, and then for what is behind it.
      if (pulling !== undefined) return pulling.then(next, next)
      pulling = arrays.next().then(settle, fail)
      return pulling
    }
    return {
      next,
      return: () => {
        stop()
        return runPromise(Effect.as(close, { done: true, value: undefined }))
      }
    }
  }

  const close = Effect.gen(function* () {
    yield* Deferred.fail(closed, new Closed())
    yield* Fiber.awaitAll([...running])
    yield* dispose
  })
  return { run, iterate, close: () => Effect.runPromise(close) }
}

/** What a program gets of an error. The reason of its own signal stays as it is. */
const toldOf = <A>(error: A, call: Error, signal: AbortSignal | undefined): A =>
  error === signal?.reason ? error : Caller.named(printed(error), call)

const aborted = (signal: AbortSignal) =>
  Effect.callback<never, unknown>((resume) => {
    if (!Kinds.isSignal(signal)) {
      return resume(Effect.fail(new Misconfigured({ setting: "signal", reason: "must be an AbortSignal" })))
    }
    const abort = () => resume(Effect.fail(signal.reason))
    if (signal.aborted) return abort()
    signal.addEventListener("abort", abort, { once: true })
    return Effect.sync(() => signal.removeEventListener("abort", abort))
  })

const ofEffect: unknown = Reflect.get(Data.Error.prototype, NodeInspectSymbol)

/**
 * Takes Effect's way of printing from an error, and from errors in its fields: their fields alone, which suits a log of Effect,
 * and tells who catches one neither what happened nor where. One with a way of its own keeps it.
 */
const printed = <A>(error: A): A => {
  if (!Predicate.isError(error) || Reflect.get(error, NodeInspectSymbol) !== ofEffect) return error
  // Where this is no function, Node.js prints an error as an error.
  const isDone = Reflect.defineProperty(error, NodeInspectSymbol, { value: undefined, configurable: true })
  if (isDone) Object.values(error).forEach(within)
  return error
}

/** A field may be an error, or a list of errors or of what holds one, such as the parts of a download that failed. */
const within = (field: unknown): void => {
  printed(field)
  for (const item of Array.isArray(field) ? field : []) {
    printed(item)
    if (Predicate.hasProperty(item, "error")) printed(item.error)
  }
}

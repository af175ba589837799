/**
 * Operators on live streams: a function that is called with the messages as they come, one connection for several readers, and
 * metrics of one instant in one record.
 */
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { dual } from "effect/Function"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Buffer from "./internal/live/Buffer.ts"
import * as Direct from "./internal/live/Direct.ts"
import * as Discard from "./internal/live/Discard.ts"
import * as Merge from "./internal/live/Merge.ts"
import * as Monotonic from "./internal/retry/Monotonic.ts"
import type { WhenFull } from "./LiveClient.ts"
import { TooSlow } from "./LiveError.ts"
import type * as LiveMessage from "./LiveMessage.ts"
import * as Params from "./Params.ts"

/**
 * Calls a function with the messages, in their order and as many as there are, until the stream ends.
 *
 * **When to use**
 *
 * Where every microsecond counts. On the stream of a live operation, as it comes from the call, the function is called
 * within the event of the socket that brought the frame, as a listener of a WebSocket would be: no fiber lies between.
 * On other streams, such as after an operator, this is `Stream.runForEachArray`.
 *
 * **Details**
 *
 * It may return an effect, which is run before the next call. Meanwhile messages wait in the buffer of the call, and
 * where that is full, `whenFull` says what happens. All else is as with the stream: connections are replaced, holes are
 * filled, repeats are left out, and interruption closes the connection. What the function throws is a defect.
 *
 * **Gotchas**
 *
 * The function holds the socket back for as long as it runs, like any code of JavaScript, other streams included. Return an
 * effect for what takes longer than a few milliseconds.
 */
export const runForEachArray: {
  <M, E2 = never, R2 = never>(
    handler: (messages: Arr.NonEmptyReadonlyArray<M>) => Effect.Effect<unknown, E2, R2> | void
  ): <E, R>(self: Stream.Stream<M, E, R>) => Effect.Effect<void, E | E2, R | R2>
  <M, E, R, E2 = never, R2 = never>(
    self: Stream.Stream<M, E, R>,
    handler: (messages: Arr.NonEmptyReadonlyArray<M>) => Effect.Effect<unknown, E2, R2> | void
  ): Effect.Effect<void, E | E2, R | R2>
} = dual(
  2,
  <M, E, R, E2, R2>(
    self: Stream.Stream<M, E, R>,
    handler: Direct.Handler<M, E2, R2>
  ): Effect.Effect<void, E | E2, R | R2> =>
    Direct.of(self)?.(handler) ??
    Stream.runForEachArray(self, (messages) => Direct.restOf(handler, messages) ?? Effect.void)
)

/** Settings of {@link mergeMetrics}. */
export interface MergeOptions {
  /** The metrics of a whole record: those asked for. */
  readonly metrics: string | Params.Identified | ReadonlyArray<string | Params.Identified>
  /** The longest wait for the rest of a record, from its first part on. Default 5 seconds; Infinity for no limit. */
  readonly wait?: Duration.Input | undefined
}

/**
 * Makes one record of those that hold metrics of one asset at one time, or at `1b` of one block.
 *
 * **Details**
 *
 * The service may send metrics of one instant in several messages. A record is delivered when all `metrics` are in it,
 * when the asset's next instant begins, before `Connected`, `Disconnected`, `Reorg`, `Gap` or `Dropped`, after `wait`,
 * and at the end of the stream. A metric that comes after that is delivered in a record of its own, so nothing is lost.
 * Its `cm_sequence_id` and its `received` are those of its last part. Records of different `origin` stay apart.
 */
export const mergeMetrics =
  (options: MergeOptions) =>
  <A extends { readonly asset: string; readonly time: string }, E, R>(
    self: Stream.Stream<LiveMessage.LiveMessage<A>, E, R>
  ): Stream.Stream<LiveMessage.LiveMessage<A>, E, R> => {
    const wait = Duration.toMillis(options.wait ?? "5 seconds")
    const metrics = Params.items(options.metrics)
    type Messages = Arr.NonEmptyReadonlyArray<LiveMessage.LiveMessage<A>>
    return Stream.transformPull(self, (pull, scope) =>
      Effect.sync(() => {
        const merge = Merge.make<A>(metrics)
        type Pulled = Exit.Exit<Messages, E | Cause.Done>
        let pending: Fiber.Fiber<Pulled> | undefined
        let ended: Pulled | undefined
        const deliver = (messages: ReadonlyArray<LiveMessage.LiveMessage<A>>): typeof pull =>
          Arr.isReadonlyArrayNonEmpty(messages) ? Effect.succeed(messages) : next
        const next: typeof pull = Effect.gen(function* () {
          if (ended !== undefined) return yield* ended
          const waiting = pending ?? (yield* Effect.forkIn(Effect.exit(pull), scope))
          pending = waiting
          const since = merge.since()
          const now = yield* Monotonic.now
          // A clock may not know the rest of a millisecond.
          const left = since === undefined ? Infinity : Math.ceil(since + wait - now)
          if (left <= 0) return yield* deliver(merge.flush(now - wait))
          const timer = Number.isFinite(left) ? Effect.as(Effect.sleep(left), undefined) : Effect.never
          const pulled = yield* Effect.raceFirst(Fiber.join(waiting), timer)
          if (pulled === undefined) return yield* deliver(merge.flush((yield* Monotonic.now) - wait))
          pending = undefined
          if (Exit.isSuccess(pulled)) return yield* deliver(merge.add(pulled.value, yield* Monotonic.now))
          ended = pulled
          return yield* deliver(merge.flush(Infinity))
        })
        return next
      })
    )
  }

/** A stream that several readers read over one connection. */
export interface Shared<out M, out E> {
  /**
   * The messages from now on, for one reader. A reader that joins an open connection is told `Connected` first. Holds
   * `capacity` messages (default 10,000) and then does what `whenFull` says (default `"suspend"`).
   */
  readonly messages: (options?: ReaderOptions) => Stream.Stream<M | LiveMessage.Dropped, E | TooSlow>
  /** The readers there are. */
  readonly readers: Effect.Effect<number>
}

/** What a reader of {@link share} chooses for itself. */
export interface ReaderOptions {
  /** The messages to hold for the reader. */
  readonly capacity?: number | undefined
  /** What happens when that many are held. */
  readonly whenFull?: WhenFull | undefined
}

interface Running<M, E> {
  readonly readers: Set<Buffer.Buffer<M | LiveMessage.Dropped, E | TooSlow | Cause.Done>>
  /** The connection that is open. */
  connected: M | undefined
  fiber: Fiber.Fiber<void> | undefined
}

/**
 * Shares one subscription among several readers, each with a buffer of its own.
 *
 * **Details**
 *
 * The first reader opens the connection, and it is closed when the last one leaves; the next opens another. A reader
 * with `"suspend"` holds the others back when it is slow; one with `"dropOldest"` or `"fail"` does not. When the stream
 * fails, every reader fails. The scope ends all of them, and those that come later. What `"dropOldest"` discards are records and books, wherever
 * they came from, and frames of unknown kinds: gaps, reorganisations, warnings and connections are kept in their
 * places, as {@link LiveMessage.Dropped} says. `share(OrderBook.follow(…))` shares books: each message has the whole
 * one.
 */
export const share = Effect.fnUntraced(function* <M extends { readonly _tag: string }, E, R>(
  self: Stream.Stream<M, E, R>
): Effect.fn.Return<Shared<M, E>, never, R | Scope.Scope> {
  const context = yield* Effect.context<R | Scope.Scope>()
  const scope = yield* Effect.scope
  type Reader = Buffer.Buffer<M | LiveMessage.Dropped, E | TooSlow | Cause.Done>
  let current: Running<M, E> | undefined

  const give = (running: Running<M, E>, batch: ReadonlyArray<M>) => {
    for (const message of batch) {
      if (message._tag === "Connected") running.connected = message
      else if (message._tag === "Disconnected") running.connected = undefined
    }
    return Effect.forEach(
      [...running.readers],
      (reader) => Effect.catchCause(reader.offer(batch, 0), (cause) => Effect.sync(() => reader.end(cause))),
      { concurrency: "unbounded", discard: true }
    )
  }
  const run = (running: Running<M, E>) =>
    Stream.runForEachArray(self, (batch) => give(running, batch)).pipe(
      Effect.onExit((exit) =>
        Effect.sync(() => {
          if (current === running) current = undefined
          const cause = Exit.isSuccess(exit) ? Cause.fail(Cause.Done()) : exit.cause
          for (const reader of running.readers) reader.end(cause)
        })
      ),
      Effect.catchCause(() => Effect.void),
      Effect.provideContext(context)
    )
  const join = (reader: Reader) =>
    Effect.gen(function* () {
      const running: Running<M, E> = current ?? { readers: new Set(), connected: undefined, fiber: undefined }
      running.readers.add(reader)
      if (current === running) {
        if (running.connected !== undefined) yield* Effect.ignore(reader.offer([running.connected], 0))
        return running
      }
      if (scope.state._tag === "Closed") {
        reader.end(Cause.fail(Cause.Done()))
        return running
      }
      current = running
      running.fiber = yield* Effect.forkIn(run(running), scope)
      return running
    })
  const leave = (reader: Reader, running: Running<M, E>) =>
    Effect.suspend(() => {
      running.readers.delete(reader)
      // Lets go of whoever waits for room.
      reader.end(Cause.fail(Cause.Done()))
      if (running.readers.size > 0) return Effect.void
      if (current === running) current = undefined
      return running.fiber === undefined ? Effect.void : Fiber.interrupt(running.fiber)
    })
  const messages: Shared<M, E>["messages"] = (options = {}) =>
    Stream.unwrap(
      Effect.gen(function* () {
        const capacity = options.capacity ?? 10_000
        const reader: Reader = Buffer.make<M | LiveMessage.Dropped, E | TooSlow | Cause.Done>({
          capacity,
          whenFull: options.whenFull ?? "suspend",
          maxBytes: Number.MAX_SAFE_INTEGER,
          overflow: () => new TooSlow({ capacity }),
          // Type boundary: messages of a live stream are known by their tags, whatever record they carry; all others are
          // discarded unread.
          discard: Discard.shared as Buffer.Options<M | LiveMessage.Dropped, TooSlow>["discard"]
        })
        yield* Effect.acquireRelease(join(reader), (running) => leave(reader, running))
        return Stream.fromPull(Effect.succeed(reader.take))
      })
    )
  return { messages, readers: Effect.sync(() => current?.readers.size ?? 0) }
})

/** The connection to a Redis server, which is made in the background and again whenever it breaks. */
import * as NodeRedis from "@effect/platform-node/NodeRedis"
import type { QuotaStore } from "@sluice/core/QuotaStore"
import * as RedisQuotaStore from "@sluice/core/RedisQuotaStore"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Redis from "effect/persistence/Redis"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import * as Scope from "effect/Scope"
import type { Server } from "./Address.ts"

/** The longest time between two attempts. */
const longestPause = 1_000

/** The longest wait for the first connection before a command says why there is none. */
const patience = Duration.seconds(1.5)

/** The longest wait for connections to close. What they have under way is given up at once, so this is not reached. */
const closesWithin = "1 second"

/**
 * A scope for connections over sockets with this signal. Where it closes, the sockets do first: the client of Redis would wait for
 * every answer that is due, and a server that has stopped gives none.
 */
const forConnections = Effect.fnUntraced(function* (sockets: AbortController) {
  const scope = yield* Scope.make()
  yield* Effect.addFinalizer((exit) =>
    Effect.gen(function* () {
      sockets.abort()
      // The client learns of it in the next turn of the event loop.
      yield* Effect.yieldNow
      const closing = yield* Effect.forkDetach(Scope.close(scope, exit))
      yield* Effect.timeoutOption(Fiber.await(closing), closesWithin)
    })
  )
  return scope
})

/** The `Redis` service, whose commands wait for the connection for a moment. */
const connect = Effect.fnUntraced(function* ({ path, url }: Server) {
  const connected = yield* Deferred.make<Redis.Redis["Service"], Redis.RedisError>()
  let cause: unknown = new Error("no connection yet")
  const sockets = new AbortController()
  const { signal } = sockets
  const socket = {
    signal,
    connectTimeout: 2_000,
    reconnectStrategy: (retries: number, error: Error) => {
      cause = error
      return signal.aborted ? (false as const) : Math.min(50 * 2 ** Math.min(retries, 6), longestPause)
    }
  }
  // A command fails at once while there is no connection: the process knows what to do without one.
  const disableOfflineQueue = true
  const connection =
    path === undefined
      ? NodeRedis.layer({ url: Redacted.value(url), disableOfflineQueue, socket })
      : NodeRedis.layer({ disableOfflineQueue, socket: { ...socket, path } })
  // The quota tells of an outage once. The client would tell of every attempt.
  const built = Layer.build(connection).pipe(Effect.provideService(References.MinimumLogLevel, "None"))
  const scope = yield* forConnections(sockets)
  yield* Effect.matchEffect(built, {
    onFailure: (error) => Deferred.fail(connected, error),
    onSuccess: (context) => Deferred.succeed(connected, Context.get(context, Redis.Redis))
  }).pipe(Scope.provide(scope), Effect.forkIn(scope))
  const redis = Effect.timeoutOrElse(Deferred.await(connected), {
    duration: patience,
    orElse: () => Effect.fail(new Redis.RedisError({ cause }))
  })
  // Of a command without a connection the client says only that it is offline; why there is none is known here.
  const explained = Effect.mapError((error: Redis.RedisError) =>
    Predicate.isError(error.cause) && error.cause.message === "The client is offline"
      ? new Redis.RedisError({ cause })
      : error
  )
  return Redis.Redis.of({
    send: (command, ...args) => explained(Effect.flatMap(redis, (made) => made.send(command, ...args))),
    subscribe: (channel) => Effect.flatMap(Effect.orDie(redis), (made) => made.subscribe(channel)),
    eval:
      (script) =>
      (...params) =>
        explained(Effect.flatMap(redis, (made) => made.eval(script)(...params))),
    reserve: Effect.flatMap(redis, (made) => made.reserve)
  })
})

/** Provides the store of an account on a server. */
export const layer = (account: string, server: Server): Layer.Layer<QuotaStore> =>
  Layer.provide(RedisQuotaStore.layer({ account, place: server.place }), Layer.effect(Redis.Redis, connect(server)))

import { NodeHttpServer, NodeRuntime } from "@effect/platform-node"
import { Timeseries } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import { Cause, Clock, Config, Context, Duration, Effect, Exit, Layer, Schedule, Schema, Stream } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { createServer } from "node:http"

const settings = Config.all({
  assets: Config.Array(Schema.NonEmptyString, "ASSETS"),
  every: Config.Duration("EVERY").pipe(Config.withDefault(Duration.minutes(1)))
})

/** The newest price of each asset, kept up to date by `follow`. */
export class Prices extends Context.Service<Prices>()("prices/Prices", {
  make: Effect.gen(function* () {
    const { assets, every } = yield* settings
    const newest = new Map<string, { readonly time: string; readonly price: string }>()
    let readAt = -Infinity
    const poll = Timeseries.assetMetrics({ assets, metrics: ["PriceUSD"], limit_per_asset: 1 }).pipe(
      Stream.runForEach(({ asset, time, PriceUSD }) =>
        Effect.sync(() => PriceUSD != null && newest.set(asset, { time, price: PriceUSD }))
      ),
      Effect.andThen(Clock.currentTimeMillis),
      Effect.tap((now) => Effect.sync(() => (readAt = now))),
      // The retries are used up; the next round may do better. What no waiting mends ends the service.
      Effect.catchTag(["Unavailable", "RateLimited"], (error) => Effect.logWarning(error.message))
    )
    const isReady = Effect.map(Clock.currentTimeMillis, (now) => {
      return assets.every((asset) => newest.has(asset)) && now - readAt <= 3 * Duration.toMillis(every)
    })
    return { newest, isReady, follow: Effect.repeat(poll, Schedule.spaced(every)) }
  })
}) {
  static readonly layer = Layer.effect(Prices, Prices.make)
}

const routes = HttpRouter.addAll([
  // Alive as long as it answers: while the source is away, a restart would not help.
  HttpRouter.route("GET", "/health", HttpServerResponse.json({ ok: true })),
  HttpRouter.route(
    "GET",
    "/ready",
    Effect.gen(function* () {
      const ready = yield* (yield* Prices).isReady
      return yield* HttpServerResponse.json({ ready }, { status: ready ? 200 : 503 })
    })
  ),
  HttpRouter.route(
    "GET",
    "/prices",
    Effect.flatMap(Prices, ({ newest }) => HttpServerResponse.json(Object.fromEntries(newest)))
  )
])

/** Ends when it is interrupted, or with the error of `follow`. Both close the server and the requests to the source. */
export const priceService = Effect.gen(function* () {
  const { follow } = yield* Prices
  return yield* Effect.raceFirst(follow, Layer.launch(HttpRouter.serve(routes)))
})

if (import.meta.main) {
  const server = NodeHttpServer.layerConfig(createServer, {
    port: Config.Int("PORT").pipe(Config.withDefault(3000)),
    host: Config.String("HOST").pipe(Config.withDefault("127.0.0.1"))
  })
  priceService.pipe(
    Effect.provide([Prices.layer, server]),
    Effect.provide(NodeClient.layerConfig()),
    NodeRuntime.runMain({
      // SIGTERM and SIGINT interrupt the program: it ended as it was asked to.
      teardown: (exit, end) => end(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1)
    })
  )
}

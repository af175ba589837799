import { NodeHttpServer, NodeRuntime } from "@effect/platform-node"
import { Live } from "@sluice/core"
import { NodeLive } from "@sluice/node"
import { Clock, Config, Duration, Effect, Layer, Stream } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { createServer } from "node:http"

const assets = ["btc", "eth"]

/** A connection that says nothing for so long is stale: an asset in it may have changed without our knowing. */
const staleAfter = Duration.seconds(15)

interface Newest {
  readonly value: string
  readonly time: string
  /** When the record came, by our clock. */
  readonly at: number
}

/** What the stream has told so far. Only the stream below changes it. */
const make = Effect.sync(() => {
  const newest = new Map<string, Newest>()
  return { newest, isConnected: false, lastFrame: 0, gaps: 0 }
})

type State = Effect.Success<typeof make>

/** Follows the rates until it is interrupted, which closes the connection. */
const follow = (state: State) =>
  Live.assetMetrics({ assets, metrics: ["ReferenceRateUSD"], frequency: "1s" }).pipe(
    Stream.runForEach((message) =>
      Effect.gen(function* () {
        const at = yield* Clock.currentTimeMillis
        switch (message._tag) {
          case "Connected":
            state.isConnected = true
            break
          case "Disconnected":
            state.isConnected = false
            break
          case "Gap":
            state.gaps += 1
            break
          case "Data": {
            const { asset, time, ReferenceRateUSD: value } = message.record
            state.lastFrame = at
            // A value that was filled belongs to the past: only the newest is kept.
            if (value != null && time >= (state.newest.get(asset)?.time ?? ""))
              state.newest.set(asset, { value, time, at })
          }
        }
      })
    )
  )

/** `live`: heard lately. `quiet`: the connection is well, and this asset has had no new value. `stale`: nobody can tell. */
const stateOf = (state: State, asset: string, now: number) => {
  const limit = Duration.toMillis(staleAfter)
  const found = state.newest.get(asset)
  if (!state.isConnected || now - state.lastFrame > limit) return "stale"
  return found !== undefined && now - found.at <= limit ? "live" : "quiet"
}

const routes = (state: State) =>
  HttpRouter.addAll([
    // Alive as long as it answers: a broken connection heals by itself, and a restart would not help.
    HttpRouter.route("GET", "/health", HttpServerResponse.json({ ok: true })),
    // Ready once every asset has a value that is not stale.
    HttpRouter.route(
      "GET",
      "/ready",
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const waiting = assets.filter((asset) => !state.newest.has(asset) || stateOf(state, asset, now) === "stale")
        return yield* HttpServerResponse.json(
          { waiting, gaps: state.gaps },
          { status: waiting.length === 0 ? 200 : 503 }
        )
      })
    ),
    HttpRouter.route(
      "GET",
      "/values",
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const rows = assets.map((asset) => ({ asset, ...state.newest.get(asset), state: stateOf(state, asset, now) }))
        return yield* HttpServerResponse.json(rows)
      })
    )
  ])

/** Serves the newest values. Ends, and closes everything, when it is interrupted or when the stream fails for good. */
export const newestValues = Effect.gen(function* () {
  const state = yield* make
  const server = Layer.launch(HttpRouter.serve(routes(state)))
  return yield* Effect.raceFirst(follow(state), server)
})

if (import.meta.main) {
  const server = NodeHttpServer.layerConfig(createServer, {
    port: Config.Int("PORT").pipe(Config.withDefault(3000)),
    host: Config.String("HOST").pipe(Config.withDefault("127.0.0.1"))
  })
  newestValues.pipe(Effect.provide([server, NodeLive.layerConfig()]), NodeRuntime.runMain)
}

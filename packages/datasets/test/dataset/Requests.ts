/**
 * Services whose requests are noted, and calls of series whose times are drawn.
 */
import { Client, Retry, Timeseries } from "@sluice/core"
import { Sandbox } from "@sluice/sandbox"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as WallClock from "../../../core/test/WallClock.ts"
import * as Days from "../database/Days.ts"

const { assetMetrics, marketCandles, marketTrades } = Timeseries

export const hour = 3_600_000

export const time = (millis: number) => new Date(millis).toISOString()

/** What a request meets. */
export type Fault = (url: URL) => string | undefined

export const none: Fault = () => undefined

/** Notes requests, and has them meet a fault. */
const watcher = () => {
  const seen: Array<URL> = []
  let faultOf = none
  const ask = (request: HttpClientRequest.HttpClientRequest) => {
    const url = Option.getOrThrow(HttpClientRequest.toUrl(request))
    seen.push(url)
    const fault = faultOf(url)
    return fault === undefined ? request : HttpClientRequest.setHeader(request, "x-sandbox-fault", fault)
  }
  return { seen, ask, meet: (fault: Fault) => void (faultOf = fault) }
}

/** A service, the requests that it got, and its clock. */
export interface World {
  readonly layer: Layer.Layer<Client.Client>
  readonly seen: Array<URL>
  readonly clock: Clock.Clock
  /** Goes to another time. */
  readonly at: (now: number) => void
  /** What requests meet from now on. */
  readonly meet: (fault: Fault) => void
}

/** The stand-in in memory, whose records do not change. */
export const still = Effect.gen(function* () {
  let now = 0
  const clock = WallClock.at(yield* Clock.Clock, () => now)
  const { ask, meet, seen } = watcher()
  const layer = Layer.unwrap(
    Effect.map(Effect.zip(Sandbox.Sandbox, HttpClient.HttpClient), ([{ url: root }, http]) =>
      Client.layer({ root, apiKey: Redacted.make("demo-key"), retry: Retry.none }).pipe(
        Layer.provide(Layer.succeed(HttpClient.HttpClient, HttpClient.mapRequest(http, ask)))
      )
    )
  ).pipe(Layer.provide(Layer.fresh(Sandbox.layerMemory())), Layer.orDie)
  return { layer, seen, clock, at: (time: number) => (now = time), meet }
})

/** The stand-in, whose records come late and are revised and taken back. */
export const revising = Effect.fnUntraced(function* (seed: number) {
  const { ask, meet, seen } = watcher()
  const service = yield* Days.make(seed, {}, ask)
  return { ...service, meet, seen, at: (time: number) => service.at((time - Days.first) / (24 * hour)) }
})

/** Calls of a series, whose times are drawn: some of them meet, and some have nothing. */
export const series = [
  {
    read: (times: object) => ({ assets: ["btc", "eth"], metrics: ["PriceUSD", "TxCnt"], ...times }),
    endpoint: assetMetrics,
    step: 24 * hour,
    steps: 480,
    lookBack: 7 * 24 * hour
  },
  {
    read: (times: object) => ({ markets: ["coinbase-btc-usd-spot"], frequency: "1h", ...times }),
    endpoint: marketCandles,
    step: hour,
    steps: 500,
    lookBack: 24 * hour
  },
  {
    read: (times: object) => ({ markets: ["coinbase-btc-usd-spot", "ascendex-apt-btc-spot"], ...times }),
    endpoint: marketTrades,
    step: hour / 10,
    steps: 300,
    lookBack: hour / 30
  }
] as const

export type Span = readonly [from: number, to: number]

/** The times that a request asks for; nothing of one that does not ask for records. */
export const spanOf = ({ pathname, searchParams: query }: URL): ReadonlyArray<Span> => {
  if (!pathname.includes("timeseries/") || query.get("page_size") === "1") return []
  const [start, end] = [query.get("start_time"), query.get("end_time")]
  const isExclusive = query.get("end_inclusive") === "false"
  return [
    [start === null ? -Infinity : Date.parse(start), end === null ? Infinity : Date.parse(end) + (isExclusive ? 0 : 1)]
  ]
}

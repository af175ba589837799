import { Live, type LiveClient, type LiveEndpoint, type LiveMessage } from "@sluice/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as FakeApi from "../FakeApi.ts"
import * as FakeLive from "./FakeLive.ts"
import * as Virtual from "../Virtual.ts"

/** Numbers from 0 to 1 that follow from a seed. */
const drawing = (seed: number) => {
  let state = (seed + 1) * 0x9e3779b1
  return () => {
    state = Math.imul(state ^ (state >>> 16), 0x85ebca6b) + 0x6d2b79f5
    return ((state ^ (state >>> 13)) >>> 0) / 4_294_967_296
  }
}

/** How a service publishes, in milliseconds. */
export interface Manner {
  readonly seed: number
  /** By how much records come later than their times over the connection, at most. */
  readonly jitter: number
  /** By how much HTTP shows them later than that, at least, and by how much more at most. */
  readonly lag: number
  readonly httpJitter: number
  readonly breaks: number
  /** How many markets there are, and the mean time between two trades of one; by default two, each with a time of its own. */
  readonly markets?: number
  readonly mean?: number
}

interface Published {
  readonly market: string
  readonly time: string
  readonly coin_metrics_id: string
  readonly amount: string
  readonly price: string
  readonly at: number
  readonly shown: number
}

/** How long the markets trade, in milliseconds. */
const length = 60_000

const marketsOf = ({ markets = 2 }: Manner) => Array.from({ length: markets }, (_, index) => `m${index}-btc-usd-spot`)

const start = Date.parse("2026-01-01T00:00:00Z")

const timeOf = (millis: number) => {
  const whole = Math.floor(millis)
  return `${new Date(start + whole).toISOString().slice(0, -1)}${String(Math.floor((millis - whole) * 1e6)).padStart(6, "0")}Z`
}

/** The trades of a minute, as they are published. */
const publish = (manner: Manner): ReadonlyArray<Published> => {
  const { httpJitter, jitter, lag, seed } = manner
  const draw = drawing(seed)
  return marketsOf(manner).flatMap((market) => {
    const trades: Array<Published> = []
    const mean = manner.mean ?? 50 + 400 * draw()
    for (let millis = 0; millis < length; millis += -mean * Math.log(1 - draw())) {
      const at = millis + jitter * draw()
      const id = String(trades.length)
      const shown = at + lag + httpJitter * draw()
      trades.push({ market, time: timeOf(millis), coin_metrics_id: id, amount: "1", price: "2", at, shown })
    }
    return trades
  })
}

const recordOf = ({ amount, coin_metrics_id, market, price, time }: Published) => ({
  market,
  time,
  coin_metrics_id,
  amount,
  price
})

/** What a reader got, and what it should have got. */
export interface Read {
  readonly messages: ReadonlyArray<LiveMessage.LiveMessage<Live.LiveMarketTrade>>
  readonly lost: ReadonlyArray<string>
  readonly repeated: ReadonlyArray<string>
}

const nameOf = ({ coin_metrics_id, market }: Pick<Published, "coin_metrics_id" | "market">) =>
  `${market} ${coin_metrics_id}`

/** Follows the trades of a minute over connections that break, and says what was lost and what was repeated. */
export const run = (
  manner: Manner,
  options: LiveEndpoint.CallOptions = {},
  client: LiveClient.Options = {}
): Effect.Effect<Read> =>
  Effect.gen(function* () {
    const trades = publish(manner).toSorted((a, b) => a.at - b.at)
    const byMarket = Map.groupBy(trades, ({ market }) => market)
    const draw = drawing(manner.seed + 1_000_000)
    const ends = Array.from({ length: manner.breaks }, () => length * draw()).toSorted((a, b) => a - b)
    const origin = yield* Clock.currentTimeMillis
    const now = Effect.map(Clock.currentTimeMillis, (millis) => millis - origin)
    const connection = Effect.fnUntraced(function* (socket: FakeLive.FakeSocket) {
      let sequence = 0
      const send = (trade: Published) =>
        Effect.sync(() =>
          socket.emit("message", {
            data: JSON.stringify({ ...recordOf(trade), cm_sequence_id: String(sequence++) })
          })
        )
      const opened = yield* now
      const before = trades.filter(({ at }) => at <= opened).toSorted((a, b) => (a.time < b.time ? -1 : 1))
      for (const last of new Map(before.map((trade) => [trade.market, trade])).values()) yield* send(last)
      const end = ends.find((millis) => millis > opened) ?? Infinity
      for (const trade of trades.filter(({ at }) => at > opened && at < end)) {
        yield* Effect.sleep(Math.max(0, trade.at - (yield* now)))
        yield* send(trade)
      }
      if (end === Infinity) return
      yield* Effect.sleep(Math.max(0, end - (yield* now)))
      socket.end(1011)
    })
    const live = FakeLive.serve((index) => [Effect.suspend(() => connection(live.sockets[index]!))])
    const api = FakeApi.serve(({ url: { searchParams } }) =>
      Effect.map(now, (millis) => {
        const [asked = "", from = "", to = ""] = ["markets", "start_time", "end_time"].map(
          (name) => searchParams.get(name) ?? ""
        )
        const within = asked
          .split(",")
          .flatMap((market) => byMarket.get(market) ?? [])
          .filter(({ shown, time }) => shown <= millis && from <= time && (to === "" || time <= to))
        const ordered = within.toSorted((a, b) => (a.market + a.time < b.market + b.time ? -1 : 1))
        return FakeApi.page(ordered.map((trade) => ({ ...recordOf(trade), database_time: trade.time })))
      })
    )
    const messages: Array<LiveMessage.LiveMessage<Live.LiveMarketTrade>> = []
    yield* Live.marketTrades({ markets: "*" }, options).pipe(
      Stream.runForEach((message) => Effect.sync(() => messages.push(message))),
      Effect.timeoutOption("5 minutes"),
      Effect.orDie,
      Effect.provide(live.layer(api, { silence: Infinity, ...client }))
    )
    const names = messages.flatMap((message) => (message._tag === "Data" ? [nameOf(message.record)] : []))
    const got = new Set(names)
    return {
      messages,
      // What was published before the first connection belongs to no stream.
      lost: trades
        .filter(({ at }) => at > 10)
        .map(nameOf)
        .filter((name) => !got.has(name)),
      repeated: [...Map.groupBy(names, (name) => name)].flatMap(([name, { length }]) => (length > 1 ? [name] : []))
    }
  }).pipe((program) => Virtual.run(program, "10 minutes"))

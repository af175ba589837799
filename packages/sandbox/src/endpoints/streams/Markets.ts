/** The live streams of markets: the rows of their time series (docs/interface.md 6.2 and 6.4). */
import * as Effect from "effect/Effect"
import { MINUTE, nanos } from "../../internal/time/Calendar.ts"
import * as Frequency from "../../data/Frequency.ts"
import * as BookUpdates from "../../data/market/BookUpdates.ts"
import * as Candles from "../../data/market/Candles.ts"
import * as Contracts from "../../data/market/Contracts.ts"
import * as QuoteRows from "../../data/market/QuoteRows.ts"
import * as Trades from "../../data/market/Trades.ts"
import type { Market } from "../../data/Markets.ts"
import { below, seed } from "../../internal/random/Noise.ts"
import type * as Rows from "../../data/Rows.ts"
import * as Feed from "../../internal/live/Feed.ts"
import type { Caller } from "../../internal/request/Caller.ts"
import type { Refusal } from "../../internal/request/Refusal.ts"
import * as Query from "../../internal/request/Query.ts"
import * as Family from "../timeseries/Family.ts"
import { markets } from "../timeseries/Markets.ts"
import * as Stream from "./Stream.ts"

type FeedOf = (market: Market) => Feed.Feed | undefined

const stream = (
  name: string,
  feeds: (query: Query.Query, caller: Caller) => Effect.Effect<FeedOf, Refusal>
): Stream.Endpoint => Stream.make<Market>({ name: `market-${name}`, entities: markets, feeds })

const plain = (name: string, feeds: (query: Query.Query, caller: Caller) => FeedOf): Stream.Endpoint =>
  stream(name, (query, caller) => Effect.succeed(feeds(query, caller)))

const same = (row: string): string => row

const feed = (rows: Rows.Rows | undefined, write: (row: string, at: number) => string): Feed.Feed | undefined =>
  rows === undefined ? undefined : Feed.ofRows(rows, write)

// Trades were collected within a tenth of a second.
const trades = plain("trades", () => (market) => {
  const key = seed(market.market) + 17
  return feed(Trades.rows(market, 0), (row, at) =>
    Feed.withFields(Feed.withoutStored(row), `,"collect_time":"${nanos(at + below(key, at, 100))}"`)
  )
})

const liquidations = plain("liquidations", () => (market) => feed(Trades.liquidations(market), Feed.withoutStored))

/** Exchanges that publish open interest once a day, which no stream sends. */
const daily = new Set(["cme"])

/** How old the last known open interest may be, for a connection to begin with it. */
const freshInterest = 30 * MINUTE

const openInterest = plain("openinterest", () => (market) => {
  if (daily.has(market.exchange)) return undefined
  const rows = Contracts.rows(market, "openinterest")
  return rows && { ...Feed.ofRows(rows, Feed.withoutStored), freshFor: freshInterest }
})

const contractPrices = plain("contract-prices", () => (market) => feed(Contracts.livePrices(market), same))

const quotes = plain("quotes", (query, { dialect: { emptySide } }) => {
  const isAsked = Query.flag(query, "include_one_sided")
  return (market) => feed(QuoteRows.live(market, { isAsked, emptySide }), same)
})

const candles = stream("candles", (query, { dialect }) =>
  Effect.map(
    Family.frequency(query, (name) => Frequency.candles.includes(name)),
    (grid) => (market) => (Candles.isCentral(market) ? feed(Candles.rows(market, grid, dialect), same) : undefined)
  )
)

const orderbooks = plain("orderbooks", (query, { dialect }) => {
  const depth = query.get("depth_limit") === "full_book" ? "full_book" : 100
  return (market) => {
    const frames = BookUpdates.frames(market, { depth, ...dialect })
    if (frames === undefined) return undefined
    const feed = Feed.ofRows(frames.rows, same)
    return {
      ...feed,
      event: (n, isFirst) => {
        const event = feed.event(n, false)
        return isFirst ? { ...event, messages: frames.opening(n) } : event
      }
    }
  }
})

export const all: ReadonlyArray<Stream.Endpoint> = [
  candles,
  contractPrices,
  liquidations,
  openInterest,
  orderbooks,
  quotes,
  trades
]

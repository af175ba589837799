/** The catalogs of markets: one of all their data, and one of each kind (docs/interface.md 4.5). */
import type { Caller } from "../../internal/request/Caller.ts"
import * as Availability from "../../data/Availability.ts"
import * as Coverage from "../../data/Coverage.ts"
import * as Frequency from "../../data/Frequency.ts"
import * as Spans from "../../data/market/Spans.ts"
import type { Market } from "../../data/Markets.ts"
import * as OtherMetrics from "../../data/OtherMetrics.ts"
import * as Remembered from "../../data/Remembered.ts"
import type * as Rows from "../../data/Rows.ts"
import * as Seen from "../../data/Seen.ts"
import * as Span from "../../data/Span.ts"
import type { View } from "../../internal/history/History.ts"
import type * as Listing from "../../internal/listing/Listing.ts"
import * as Offered from "../../internal/request/Offered.ts"
import * as Query from "../../internal/request/Query.ts"
import * as MarketFilter from "../MarketFilter.ts"
import * as Reference from "../Reference.ts"
import * as Definition from "./Definition.ts"
import * as Kind from "./Kind.ts"

interface Asked {
  readonly caller: Caller
  /** The parts of a record that are wanted, where it has parts. */
  readonly wanted: ReadonlyArray<Availability.Kind>
}

interface Listed extends Pick<Definition.Definition, "name">, Partial<Pick<Definition.Definition, "edition">> {
  /** Whether a market has the data without which it is not listed, where that needs no look for the times covered. */
  readonly has?: (market: Market, view: View | undefined) => boolean
  readonly spanOf: (market: Market, view: View | undefined) => Span.Span | undefined
  readonly record: (market: Market, span: Span.Span, asked: Asked) => object
  /** Has as many markets as the caller is shown, made up beyond those of the reference data. */
  readonly isSized?: true
}

/**
 * Finds the markets that have what a catalog lists. Every page of a catalog asks for all markets, so that they are looked
 * through once where the past does not change.
 */
const having = (has: (market: Market, view: View | undefined) => boolean) => {
  const final = Remembered.each((markets: ReadonlyArray<Market>) => markets.filter((market) => has(market, undefined)))
  return (markets: ReadonlyArray<Market>, view: View | undefined): ReadonlyArray<Market> =>
    view === undefined ? final(markets) : markets.filter((market) => has(market, view))
}

const isWithin = ({ end, start }: Rows.Range, { from, fromNanos = 0, to, toNanos = 0 }: Span.Span) =>
  (start === undefined || start.ms < to || (start.ms === to && start.nanos <= toNanos)) &&
  (end === undefined || from < end.ms || (from === end.ms && fromNanos < end.nanos))

// As a catalog of options grows: the terms of an option again and again, at another strike each time.
const sized = (listing: Listing.Listing, size: number): Listing.Listing => {
  // Every record of the reference data is written once for all its copies.
  const written: Array<string> = []
  const nameBegins = '{"market":"'.length
  return {
    ...listing,
    length: size,
    rows: (from, to) => {
      const rows: Array<string> = []
      for (let n = from; n < to; n++) {
        const position = n % listing.length
        const row = (written[position] ??= listing.rows(position, position + 1)[0] ?? "")
        const copy = Math.floor(n / listing.length)
        const nameEnds = row.indexOf('"', nameBegins)
        rows.push(copy === 0 ? row : `${row.slice(0, nameEnds)}-${copy}${row.slice(nameEnds)}`)
      }
      return rows
    }
  }
}

const kinds = Offered.words("/catalog/markets", "include")

const listed = ({ edition = "both", has, isSized, name, record, spanOf }: Listed): Definition.Definition => {
  const find = having(has ?? ((market, view) => spanOf(market, view) !== undefined))
  return Definition.make(name, edition, function* (query, caller) {
    // Type boundary: the words of the table are kinds of data.
    const wanted = Query.parts(query, kinds) as Asked["wanted"]
    const limit = query.get("limit") === "none" ? undefined : Query.integer(query, "limit")
    const range = yield* Query.range(query, caller.dialect)
    const found = find(yield* MarketFilter.markets(query, caller), caller.view)
    const isWanted = (market: Market) => {
      const span = spanOf(market, caller.view)
      return span !== undefined && isWithin(range, span)
    }
    const within = range.start === undefined && range.end === undefined ? found : found.filter(isWanted)
    const listing = Reference.listing(
      within.slice(0, limit),
      // When the data of a market begins and ends is looked for only now, for the markets of a page.
      (market) => {
        const span = spanOf(market, caller.view)
        return span === undefined ? {} : record(market, span, { caller, wanted })
      },
      { name: ({ market }) => market }
    )
    const isAll = limit === undefined && MarketFilter.parameters.every((parameter) => !query.has(parameter))
    return isSized === true && isAll && caller.catalogMarkets !== undefined
      ? sized(listing, caller.catalogMarkets)
      : listing
  })
}

const markets = listed({
  name: "markets",
  isSized: true,
  spanOf: Availability.life,
  record: (market, span, { caller, wanted }) => ({
    ...market,
    ...Span.times(span),
    ...Object.fromEntries(
      wanted.flatMap((part) => {
        const own = Spans.of(market, part, caller.view)
        return own === undefined ? [] : [[part, Span.times(own)]]
      })
    )
  })
})

const data = (kind: Availability.Kind): Listed => ({
  name: `market-${kind.replaceAll("_", "-")}`,
  has: (market, view) => Spans.has(market, kind, view),
  spanOf: (market, view) => Spans.of(market, kind, view),
  record: ({ market }, span) => ({ market, ...Span.times(span) })
})

const candles: Listed = {
  name: "market-candles",
  spanOf: (market) => Availability.of(market, "candles"),
  record: ({ market }, span, { caller }) => ({
    market,
    frequencies: Seen.entries(
      caller.view,
      { series: "/timeseries/market-candles", entity: market },
      Span.entries(span, Frequency.candles)
    )
  })
}

const depth = (name: string, snapshots: Span.Span | undefined, updates?: Span.Span) => {
  const times = snapshots ?? updates
  if (times === undefined) return []
  const datasets = Object.entries({ snapshots, updates }).flatMap(([dataset, span]) =>
    span === undefined ? [] : [{ dataset, ...Span.times(span) }]
  )
  return [{ depth: name, ...Span.times(times), datasets }]
}

/**
 * The depths of a market's books. Whole ones are kept less often than their tops, and have been for a shorter time. Where updates
 * are kept, they are of all levels, of which there are 30,000 at most; the times of a depth are those of its snapshots, if it has any.
 */
const depthsOf = (market: Market, span: Span.Span, view: View | undefined): ReadonlyArray<object> => {
  const full = Spans.of(market, "full_orderbooks", view)
  const updates = Spans.of(market, "orderbook_updates", view)
  return [
    ...depth("100", span),
    ...depth("10pct_mid_price", span),
    ...depth("full_book", full, updates),
    ...depth("30000", undefined, updates)
  ]
}

/** The newer catalog has the times of order books at each depth alone. */
const orderbooks = (edition: "older" | "newer"): Listed => ({
  name: "market-orderbooks",
  edition,
  has: (market, view) => Spans.has(market, "orderbooks", view),
  spanOf: (market, view) => Spans.of(market, "orderbooks", view),
  record: (market, span, { caller }) => ({
    market: market.market,
    ...(edition === "older" ? Span.times(span) : {}),
    depths: depthsOf(market, span, caller.view)
  })
})

const metrics: Listed = {
  name: "market-metrics",
  edition: "older",
  spanOf: Availability.life,
  record: (market, _span, { caller }) => {
    const holder = Coverage.market(market)
    return {
      market: market.market,
      metrics: holder === undefined ? [] : Kind.metricsOf(holder, OtherMetrics.market, caller)
    }
  }
}

const simple = [
  "trades",
  "quotes",
  "funding_rates",
  "funding_rates_predicted",
  "contract_prices",
  "implied_volatility",
  "greeks",
  "openinterest",
  "liquidations"
] as const

export const all: ReadonlyArray<Definition.Definition> = [
  markets,
  ...[...simple.map(data), candles, orderbooks("older"), orderbooks("newer"), metrics].map(listed)
]

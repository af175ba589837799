/**
 * The catalogs of markets: one of all their data, and one of each kind (docs/interface.md 4.5).
 */
import * as Effect from "effect/Effect"
import type { Caller } from "../../internal/request/Caller.ts"
import * as Availability from "../../data/Availability.ts"
import * as Coverage from "../../data/Coverage.ts"
import * as Frequency from "../../data/Frequency.ts"
import * as Spans from "../../data/market/Spans.ts"
import type { Market } from "../../data/Markets.ts"
import * as OtherMetrics from "../../data/OtherMetrics.ts"
import * as Seen from "../../data/Seen.ts"
import * as Span from "../../data/Span.ts"
import type { View } from "../../internal/history/History.ts"
import type * as Listing from "../../internal/listing/Listing.ts"
import * as Query from "../../internal/request/Query.ts"
import * as MarketFilter from "../MarketFilter.ts"
import * as Reference from "../Reference.ts"
import type { Definition } from "./Definition.ts"
import * as Kind from "./Kind.ts"

const parts = ["trades", "orderbooks", "quotes", "funding_rates", "openinterest", "liquidations"] as const

/** Who asks, and for what. */
export interface Asked {
  readonly caller: Caller
  /** The parts of a record that are wanted, where it has parts. */
  readonly wanted: ReadonlyArray<(typeof parts)[number]>
}

/** One catalog of markets, as data. */
export interface Listed {
  readonly name: string
  /** The data without which a market is not listed. */
  readonly spanOf: (market: Market, view: View | undefined) => Span.Span | undefined
  readonly record: (market: Market, span: Span.Span, asked: Asked) => object
  /** Knows `include` and `exclude`. */
  readonly hasParts?: true
  /** Has as many markets as the caller is shown, made up beyond those of the reference data. */
  readonly isSized?: true
}

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

const listed = ({ hasParts, isSized, name, record, spanOf }: Listed): Definition => ({
  name,
  community: true,
  parameters: [...MarketFilter.parameters, "limit", ...(hasParts === undefined ? [] : ["include", "exclude"])],
  formats: ["json", "json_stream"],
  list: Effect.fnUntraced(function* (query, caller) {
    const wanted = hasParts === undefined ? [] : yield* Query.parts(query, parts)
    const limit = yield* Query.limit(query)
    const found = (yield* MarketFilter.markets(query, caller)).flatMap((market) => {
      const span = spanOf(market, caller.view)
      return span === undefined ? [] : [{ market, span }]
    })
    const listing = Reference.listing(found.slice(0, limit), ({ market, span }) =>
      record(market, span, { caller, wanted })
    )
    const isAll = [...MarketFilter.parameters, "limit"].every((parameter) => !query.has(parameter))
    return isSized === true && isAll && caller.catalogMarkets !== undefined
      ? sized(listing, caller.catalogMarkets)
      : listing
  })
})

const markets = listed({
  name: "markets",
  hasParts: true,
  isSized: true,
  spanOf: (market) => Availability.life(market),
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

/** The catalog of one kind of data: the markets that have it, and the times covered. */
export const data = (name: string, kind: Availability.Kind): Listed => ({
  name,
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

/** The depths of a market's books: whole ones are kept less often than their tops, and have been for a shorter time. */
export const depthsOf = (market: Market, span: Span.Span, view: View | undefined): ReadonlyArray<object> => {
  const full = Spans.of(market, "full_orderbooks", view)
  return [
    { depth: "100", ...Span.times(span) },
    ...(full === undefined ? [] : [{ depth: "full_book", ...Span.times(full) }])
  ]
}

const orderbooks: Listed = {
  name: "market-orderbooks",
  spanOf: (market, view) => Spans.of(market, "orderbooks", view),
  record: (market, span, { caller }) => ({
    market: market.market,
    ...Span.times(span),
    depths: depthsOf(market, span, caller.view)
  })
}

const metrics = listed({
  name: "market-metrics",
  spanOf: (market) => Availability.life(market),
  record: (market, _span, { caller }) => {
    const holder = Coverage.market(market)
    return {
      market: market.market,
      metrics: holder === undefined ? [] : Kind.metricsOf(holder, OtherMetrics.market, caller)
    }
  }
})

/** The catalogs of one kind of data each, which the v2 catalogs have as well. */
export const series: ReadonlyArray<Listed> = [
  data("market-trades", "trades"),
  candles,
  orderbooks,
  data("market-quotes", "quotes"),
  data("market-funding-rates", "funding_rates"),
  data("market-contract-prices", "contract_prices"),
  data("market-implied-volatility", "implied_volatility"),
  data("market-greeks", "greeks"),
  data("market-openinterest", "openinterest"),
  data("market-liquidations", "liquidations")
]

/** The catalogs of markets. */
export const all: ReadonlyArray<Definition> = [markets, ...series.map(listed), metrics]

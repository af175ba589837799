/**
 * The v2 catalogs of market data (docs/interface.md 3.11 and 4.9): the deprecated ones with a range of time.
 */
import * as Effect from "effect/Effect"
import type { Market } from "../../data/Markets.ts"
import type * as Rows from "../../data/Rows.ts"
import type { Span } from "../../data/Span.ts"
import * as Older from "../catalog/Markets.ts"
import * as MarketFilter from "../MarketFilter.ts"
import * as Query from "../../internal/request/Query.ts"
import * as Reference from "../Reference.ts"
import type { Definition } from "./Definition.ts"

/** Tells whether there is data within a range. */
const isWithin = ({ end, start }: Rows.Range, { from, fromNanos = 0, to, toNanos = 0 }: Span) =>
  (start === undefined || start.ms < to || (start.ms === to && start.nanos <= toNanos)) &&
  (end === undefined || from < end.ms || (from === end.ms && fromNanos < end.nanos))

const listed = ({ has, name, record, spanOf }: Older.Listed): Definition => {
  const find = Older.having(has)
  return {
    name,
    list: Effect.fnUntraced(function* (query, caller) {
      const range = yield* Query.range(query, caller.dialect)
      const found = find(yield* MarketFilter.markets(query, caller), caller.view)
      const isWanted = (market: Market) => {
        const span = spanOf(market, caller.view)
        return span !== undefined && isWithin(range, span)
      }
      const within = range.start === undefined && range.end === undefined ? found : found.filter(isWanted)
      return Reference.listing(within, Older.writer({ record, spanOf }, { caller, wanted: [] }), {
        name: ({ market }) => market
      })
    })
  }
}

// Order books have their times at each depth alone.
const orderbooks: Older.Listed["record"] = (market, span, { caller }) => ({
  market: market.market,
  depths: Older.depthsOf(market, span, caller.view)
})

/** The v2 catalogs of market data. */
export const all: ReadonlyArray<Definition> = [
  ...Older.series.map((one) => (one.name === "market-orderbooks" ? { ...one, record: orderbooks } : one)),
  Older.data("market-funding-rates-predicted", "funding_rates_predicted")
].map(listed)

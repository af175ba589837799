/**
 * From when to when a market has data of a kind: the times of its first and last record. Most kinds have a record at both
 * ends of what `Availability` says; trades, liquidations and updates of books come when they come.
 */
import * as Dialect from "../../Dialect.ts"
import { DAY } from "../../internal/time/Calendar.ts"
import * as Availability from "../Availability.ts"
import type { Market } from "../Markets.ts"
import * as Remembered from "../Remembered.ts"
import type { Rows } from "../Rows.ts"
import * as Seen from "../Seen.ts"
import type { View } from "../../internal/history/History.ts"
import type { Span } from "../Span.ts"
import * as BookUpdates from "./BookUpdates.ts"
import * as Trades from "./Trades.ts"

/** Blocks on top of a trade that is on a chain, where a request does not say how many. */
const confirmations = 2

const between = (rows: Rows | undefined): Span | undefined => {
  if (rows === undefined || rows.bounds.first > rows.bounds.last) return undefined
  const [first, last] = [rows.timeAt(rows.bounds.first), rows.timeAt(rows.bounds.last)]
  return { from: first.ms, fromNanos: first.nanos, to: last.ms, toNanos: last.nanos }
}

const irregularly = (rows: (market: Market) => Rows | undefined) => ({
  rows,
  span: Remembered.each((market: Market) => between(rows(market)))
})

const irregular: Partial<Record<Availability.Kind, ReturnType<typeof irregularly>>> = {
  trades: irregularly((market) => Trades.rows(market, confirmations)),
  liquidations: irregularly(Trades.liquidations),
  orderbook_updates: irregularly((market) =>
    BookUpdates.rows(market, { depth: "full_book", ...Dialect.usual }, "orderbook_updates", false)
  )
}

const pathOf = (kind: Availability.Kind) =>
  `/timeseries/market-${kind.includes("orderbook") ? "orderbooks" : kind.replaceAll("_", "-")}`

/** What is seen now of irregular rows: from the first to the last that is neither missing nor still to come. */
const seenOf = (rows: Rows, view: View, path: string): Span | undefined => {
  const seen = Seen.rows(rows, view, { series: path, frequency: "" })
  return between({ ...seen, bounds: Seen.ends(view, path, seen) })
}

const final = (market: Market, kind: Availability.Kind): Span | undefined =>
  (irregular[kind]?.span ?? ((market) => Availability.of(market, kind)))(market)

/** The span of one kind of data of a market; undefined where there is none. Where the past changes, as it is seen now. */
export const of = (market: Market, kind: Availability.Kind, view?: View): Span | undefined => {
  if (view === undefined) return final(market, kind)
  const path = pathOf(kind)
  const rows = irregular[kind]?.rows(market)
  if (rows !== undefined) return seenOf(rows, view, path)
  const span = final(market, kind)
  return span && Seen.span(view, { series: path, entity: market.market }, span, Availability.stepOf(kind))
}

/** A market with data for so long has irregular rows: there is a trade in each minute, and one in fifty liquidates. */
const certain = DAY

/** Whether a market has data of a kind. Mostly this needs no look for the first and the last record. */
export const has = (market: Market, kind: Availability.Kind, view?: View): boolean => {
  const whole = view === undefined ? Availability.of(market, kind) : undefined
  return (whole !== undefined && whole.to - whole.from > certain) || of(market, kind, view) !== undefined
}

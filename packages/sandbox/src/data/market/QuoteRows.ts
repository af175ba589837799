/**
 * The quotes of a market: over HTTP the top of each stored snapshot of its book, live each change of that top (docs/interface.md
 * 3.13 and 6.4). They are two series, with ids and times of their own.
 */
import type { Dialect } from "../../Dialect.ts"
import { below, seed } from "../../internal/random/Noise.ts"
import { MINUTE, nanos, SECOND } from "../../internal/time/Calendar.ts"
import type * as Instant from "../../internal/time/Instant.ts"
import * as Availability from "../Availability.ts"
import * as Frequency from "../Frequency.ts"
import type { Market } from "../Markets.ts"
import * as Rows from "../Rows.ts"
import * as BookRows from "./BookRows.ts"
import * as Books from "./Books.ts"

const bySecond = Frequency.every("1s", SECOND, 0, "2019-04-01")
const byTenSeconds = Frequency.every("10s", 10 * SECOND, 0, "2019-04-01")

export interface Empty {
  readonly isAsked: boolean
  readonly emptySide: Dialect["emptySide"]
}

/** Seconds of every ten minutes with a stored snapshot of which a side of the book, or both, are empty; and of every minute live. */
const emptySecond = { stored: 330, live: 39 } as const

/** Rows of a cycle; none where a side is empty, unless they come. */
const without = (counts: ReadonlyArray<number>, empty: number, { emptySide, isAsked }: Empty) =>
  isAsked || emptySide === "zero" ? counts : counts.map((count, n) => (n === empty ? 0 : count))

const side = (name: "ask" | "bid", level: Books.Level | undefined, { emptySide }: Empty): string => {
  if (level === undefined && emptySide === "absent") return ""
  const { price, size } = level ?? { price: "0", size: "0" }
  return `,"${name}_price":"${price}","${name}_size":"${size}"`
}

/** Writes both sides of the top of the book, of which one or both may be empty. */
const sides = (market: Market, ms: number, number: number, isEmpty: boolean, empty: Empty): string => {
  const { ask, bid } = Books.top(market, ms, number)
  const which = isEmpty ? below(seed(market.market) + 50, Math.floor(ms / SECOND), 3) : undefined
  const asks = side("ask", which === 0 || which === 2 ? undefined : ask, empty)
  return `${asks}${side("bid", which === 1 || which === 2 ? undefined : bid, empty)}`
}

const everyMark = Array.from({ length: 60 }, (_, mark) => (mark % 6 === 0 ? 2 : 1))

/** The quotes over HTTP: those of the snapshots of every ten seconds, two at each minute. */
export const stored = (market: Market, grid: Frequency.Frequency | undefined, empty: Empty): Rows.Rows | undefined => {
  const span = Availability.of(market, "quotes")
  if (span === undefined) return undefined
  const quote = (ms: number, number: number) => {
    const isEmpty = ms % (10 * MINUTE) === emptySecond.stored * SECOND
    return `${BookRows.head(market, ms, number)}${sides(market, ms, number, isEmpty, empty)}}`
  }
  if (grid !== undefined) return Rows.onGrid(market.market, grid, span, (n) => quote(grid.at(n), 0))
  const pattern = without(everyMark, emptySecond.stored / 10, empty)
  return Rows.inPattern(market.market, byTenSeconds, span, pattern, (n, number) => quote(byTenSeconds.at(n), number))
}

const everySecond = Array.from({ length: 60 }, (_, second) => (second === 59 ? 2 : 1))

/** The quotes of a live stream: one within each second, and two of one time within the last of a minute. */
export const live = (market: Market, empty: Empty): Rows.Rows | undefined => {
  const span = Availability.of(market, "quotes")
  if (span === undefined) return undefined
  const key = seed(market.market)
  // To the microsecond, and never at a whole second.
  const at = (second: number): Instant.Instant => {
    const micros = 1 + below(key + 51, second, 999_999)
    const ms = Math.floor(micros / 1_000)
    return { ms: bySecond.at(second) + ms, nanos: (micros - ms * 1_000) * 1_000 }
  }
  const pattern = without(everySecond, emptySecond.live, empty)
  const rows = Rows.inPattern(market.market, bySecond, span, pattern, (second, number) => {
    const { ms, nanos: beyond } = at(second)
    // The feed counts what it collects, and publishes some of it.
    const count = (second - bySecond.from(span.from)) * 40 + below(key + 52, second, 30) + number
    const id = `${span.from * 1_000}-${count}`
    // The size at the top changes each time.
    const told = sides(market, ms, 2 * number + (second % 2), second % 60 === emptySecond.live, empty)
    return `{"market":"${market.market}","time":"${nanos(ms, beyond)}","coin_metrics_id":"${id}"${told}}`
  })
  return Rows.shifted(rows, bySecond, at)
}

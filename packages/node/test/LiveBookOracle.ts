import { Timeseries, type OrderBook } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type * as Oracle from "./LiveOracle.ts"
import { since } from "./LiveOracle.ts"

interface True {
  readonly id: string
  readonly time: string
  readonly text: string
}

const textOf = (levels: Iterable<readonly [string, string]>, sign: 1 | -1) =>
  [...levels]
    .toSorted(([a], [b]) => sign * (Number(a) - Number(b)))
    .map(([price, size]) => `${price}x${size}`)
    .join(" ")

/** The books of a market after each update, kept in the plainest way, from what the service has over HTTP. */
export const books = (markets: string, until: string) =>
  Timeseries.marketOrderbooks({
    markets,
    dataset: "updates",
    start_with_snapshot: true,
    start_time: since,
    end_time: until
  }).pipe(
    Stream.runFold(
      () => ({ sides: new Map<string, Map<string, string>>(), books: new Map<string, Array<True>>() }),
      (all, record) => {
        const text = (["asks", "bids"] as const).map((side) => {
          const name = `${record.market} ${side}`
          const levels = all.sides.get(name) ?? new Map<string, string>()
          all.sides.set(name, levels)
          for (const { price, size } of record[side] ?? []) {
            if (Number(size) === 0) levels.delete(String(price))
            else levels.set(String(price), String(size))
          }
          return textOf(levels, side === "asks" ? 1 : -1)
        })
        const of = all.books.get(record.market) ?? []
        of.push({ id: record.coin_metrics_id, time: record.time, text: text.join(" | ") })
        all.books.set(record.market, of)
        return all
      }
    ),
    Effect.map(({ books }) => books)
  )

/** Every way in which the books that a reader got are not those of the service, with its gaps. */
export const faultsOf = ({
  asked,
  error,
  messages
}: Oracle.Run<OrderBook.BookMessage, ReadonlyMap<string, ReadonlyArray<True>>>): ReadonlyArray<string> => {
  const found: Array<string> = []
  if (error !== undefined) found.push(`failed: ${error.message}`)
  for (const [market, wanted] of asked) {
    const last = wanted.at(-1)?.time ?? ""
    const places = new Map(wanted.map(({ id, time }, place) => [`${time} ${id}`, place]))
    const delivered = new Set<number>()
    const gaps: Array<{ readonly from: string | undefined; readonly to: string }> = []
    let before = -1
    for (const message of messages) {
      if (message._tag === "Gap" && message.entity === market) gaps.push(message)
      if (message._tag !== "Book" || message.book.market !== market || message.book.time > last) continue
      const { asks, bids, coin_metrics_id: id, time } = message.book
      const place = places.get(`${time} ${id}`)
      if (place === undefined) {
        found.push(`${market}: the service has no book ${id} at ${time}`)
        continue
      }
      if (place <= before) found.push(`${market}: ${id} comes after ${wanted[before]?.id}`)
      before = place
      delivered.add(place)
      const text = [asks, bids].map((side) => side.map(({ price, size }) => `${price}x${size}`).join(" ")).join(" | ")
      if (text !== wanted[place]?.text) found.push(`${market}: ${id} is another book at ${time}`)
    }
    for (const [place, { id, time }] of wanted.entries()) {
      const isNamed = gaps.some(({ from, to }) => (from === undefined || from <= time) && time <= to)
      if (!delivered.has(place) && !isNamed) found.push(`${market}: ${id} at ${time} is missing`)
    }
  }
  return found
}

import { Timeseries, type OrderBook } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type * as Oracle from "./LiveOracle.ts"

/** A book as the service has it. */
export interface True {
  readonly id: string
  readonly time: string
  /** The best so many levels of each side. */
  readonly textOf: (most: number) => string
}

/** Makes a text once for each number of levels: of one truth there may be many readers. */
const once = (make: (most: number) => string) => {
  const made = new Map<number, string>()
  return (most: number) => {
    const text = made.get(most) ?? make(most)
    made.set(most, text)
    return text
  }
}

const textOf = (levels: Iterable<readonly [string, string]>, sign: 1 | -1, most: number) =>
  [...levels]
    .toSorted(([a], [b]) => sign * (Number(a) - Number(b)))
    .slice(0, most)
    .map(([price, size]) => `${price}x${size}`)
    .join(" ")

type Sides = Readonly<Record<"asks" | "bids", ReadonlyMap<string, string>>>

/** The books of markets after each record, kept in the plainest way, from what the service has over HTTP. */
export const books = (markets: string, since: string, until: string) =>
  Timeseries.marketOrderbooks({
    markets,
    dataset: "updates",
    start_with_snapshot: true,
    start_time: since,
    end_time: until
  }).pipe(
    Stream.runFold(
      () => ({ sides: new Map<string, Sides>(), books: new Map<string, Array<True>>() }),
      (all, record) => {
        const before = record.type === "snapshot" ? undefined : all.sides.get(record.market)
        const changed = (side: "asks" | "bids") => {
          const levels = new Map(before?.[side])
          for (const { price, size } of record[side] ?? []) {
            if (Number(size) === 0) levels.delete(String(price))
            else levels.set(String(price), String(size))
          }
          return levels
        }
        const sides = { asks: changed("asks"), bids: changed("bids") }
        all.sides.set(record.market, sides)
        const of = all.books.get(record.market) ?? []
        of.push({
          id: record.coin_metrics_id,
          time: record.time,
          textOf: once((most) => `${textOf(sides.asks, 1, most)} | ${textOf(sides.bids, -1, most)}`)
        })
        all.books.set(record.market, of)
        return all
      }
    ),
    Effect.map(({ books }) => books)
  )

const write = ({ asks, bids }: OrderBook.OrderBook) =>
  [asks, bids].map((side) => side.map(({ price, size }) => `${price}x${size}`).join(" ")).join(" | ")

/** Milliseconds by which the first book of a connection may be older than the last before it. */
const oldest = 10_000

/**
 * Every way in which the books that a reader got are not those of the service, with its gaps. A live book is that of its time
 * over HTTP, under another id. What a slow reader was not given is missing between two books of a market.
 */
export const faultsOf = (
  {
    asked,
    error,
    messages,
    truth
  }: Pick<
    Oracle.Run<OrderBook.BookMessage, ReadonlyMap<string, ReadonlyArray<True>>>,
    "asked" | "error" | "messages" | "truth"
  >,
  most: number,
  hasHistory = true
): ReadonlyArray<string> => {
  const found: Array<string> = []
  if (error !== undefined) found.push(`failed: ${error.message}`)
  for (const message of messages) {
    if (message._tag === "Gap" && message.reason === "failed") found.push(`failed: ${message.error?.message}`)
  }
  for (const [market, wanted] of asked) {
    const last = wanted.at(-1)?.time ?? ""
    const byTime = new Map(wanted.map((one) => [one.time, one]))
    const byId = new Map(wanted.map((one) => [`${one.time} ${one.id}`, one]))
    const delivered = new Set<string>()
    const gaps: Array<{ readonly from: string | undefined; readonly to: string }> = []
    let before = ""
    let latest = ""
    let begun = ""
    let isFirst = false
    let isDropped = false
    let shown = ""
    for (const message of messages) {
      if (message._tag === "Connected") isFirst = true
      if (message._tag === "Dropped") isDropped = true
      if (message._tag === "Gap" && message.entity === market) {
        gaps.push(message)
        shown = ""
      }
      if (message._tag !== "Book" || message.book.market !== market) continue
      if (isDropped) gaps.push({ from: latest, to: message.book.time })
      latest = message.book.time
      const isLive = message.origin === "live"
      if (isLive && begun === "") begun = latest
      const isAfterDropped = isDropped
      isDropped = false
      if (latest > last) continue
      const { coin_metrics_id: id, time } = message.book
      const real = isLive ? byTime.get(time) : byId.get(`${time} ${id}`)
      if (real === undefined) found.push(`${market}: the service has no book ${id} at ${time}`)
      else if (write(message.book) !== real.textOf(most)) found.push(`${market}: ${id} is another book at ${time}`)
      const isBack = isLive && isFirst && Date.parse(before) - Date.parse(time) <= oldest
      if (time < before && !isBack) found.push(`${market}: ${id} at ${time} comes after ${before}`)
      const now = `${time} ${id} ${write(message.book)}`
      if (now === shown && !isAfterDropped) found.push(`${market}: ${id} at ${time} is repeated`)
      shown = now
      if (isLive) isFirst = false
      before = time
      delivered.add(`${time} ${id}`)
    }
    const published = truth.filter((row) => row["market"] === market && String(row["time"]) >= begun)
    const all = [
      ...(hasHistory ? wanted.filter(({ time }) => time < begun) : []),
      // The first book of a connection of all levels holds what several frames before it told.
      ...(most > 100 ? [] : published.map((row) => ({ id: String(row["coin_metrics_id"]), time: String(row["time"]) })))
    ]
    for (const { id, time } of all) {
      // A gap may begin with the time that was asked for, which has no fraction of a second: as text it sorts behind those that have one.
      const isNamed = gaps.some(({ from = "", to }) => from.replace(/Z$/, "") <= time && time <= to)
      if (!delivered.has(`${time} ${id}`) && !isNamed) found.push(`${market}: ${id} at ${time} is missing`)
    }
    const end = String(published.at(-1)?.["time"] ?? "")
    if (latest < end) found.push(`${market}: no book came after ${latest}, and the last is of ${end}`)
  }
  return found
}

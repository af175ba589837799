/**
 * How the order book of a market changes: the updates that HTTP has, and the frames of a live stream, which bundle several of them
 * (docs/interface.md 4.6.4 and 6.4).
 *
 * Both are two series of one book. Each has its own ids, and what is between two of its rows is in the later one. Where snapshots
 * come amid the updates there is one every five minutes; every third is one of another collector, before which nothing came
 * for twenty seconds, so that the book before it lacks what happened meanwhile.
 */
import * as Base64Url from "effect/encoding/Base64Url"
import type { Dialect } from "../../Dialect.ts"
import { mix, seed } from "../../internal/random/Noise.ts"
import { nanos, SECOND } from "../../internal/time/Calendar.ts"
import * as Availability from "../Availability.ts"
import * as Frequency from "../Frequency.ts"
import type { Market } from "../Markets.ts"
import * as Rows from "../Rows.ts"
import { sides } from "./BookRows.ts"
import * as Books from "./Books.ts"
import * as Trades from "./Trades.ts"

type Snapshots = Dialect["bookSnapshots"]

/** One row: which of the books of its second it tells, and how. */
interface Told {
  /** Later books of a second have a little more at their top. */
  readonly book: 0 | 1
  /** `again`: a snapshot that changes nothing, of the time and the id of the row before. */
  readonly kind: "update" | "snapshot" | "again"
}

const bySecond = Frequency.every("1s", SECOND, 0, "2019-04-01")

/** Seconds after which everything begins again. */
const cycle = 900

const update: Told = { book: 0, kind: "update" }
const later: Told = { book: 1, kind: "update" }
const snapshot: Told = { book: 0, kind: "snapshot" }
const again: Told = { book: 0, kind: "again" }

const pattern = (
  snapshots: Snapshots,
  plain: (second: number) => ReadonlyArray<Told>,
  repeated: number
): ReadonlyArray<ReadonlyArray<Told>> =>
  Array.from({ length: cycle }, (_, second) => {
    if (snapshots === "first") return plain(second)
    if (second % 300 === 0) return [snapshot]
    if (second >= cycle - 20) return []
    return snapshots === "redundant" && second % 300 === repeated ? [update, again, again] : plain(second)
  })

/** The updates over HTTP: five in ten seconds, of which three share a time and one has nothing on either side. */
const http = (second: number): ReadonlyArray<Told> => {
  if (second % 10 === 3) return [update, later, later]
  return second % 10 === 0 || second % 10 === 7 ? [update] : []
}

const live = (second: number): ReadonlyArray<Told> => {
  if (second % 10 === 3) return [later]
  return second % 10 === 7 ? [update] : []
}

const patterns: Readonly<Record<Snapshots, Readonly<Record<"http" | "live", ReadonlyArray<ReadonlyArray<Told>>>>>> = {
  amid: { http: pattern("amid", http, -1), live: pattern("amid", live, -1) },
  redundant: { http: pattern("redundant", http, 150), live: pattern("redundant", live, 147) },
  first: { http: pattern("first", http, -1), live: pattern("first", live, -1) }
}

const bytes = (...words: ReadonlyArray<number>): Uint8Array => {
  const all = new DataView(new ArrayBuffer(words.length * 4))
  words.forEach((word, n) => all.setUint32(n * 4, word))
  return new Uint8Array(all.buffer)
}

/** An id of HTTP: the microseconds, the market, and a number, in 24 characters. */
const httpId = (key: number, ms: number, number: number): string => {
  const micros = ms * 1_000
  const wide = bytes(Math.floor(micros / 2 ** 32), micros % 2 ** 32, key, mix(key, 1), number)
  // The last word in two bytes.
  return Base64Url.encode(new Uint8Array([...wide.slice(0, 16), ...wide.slice(18)]))
}

/** An id of a live frame: sixteen bytes of the stream and a counter of eight. */
const liveId = (key: number, counter: number): string =>
  Base64Url.encode(
    bytes(mix(key, 2), mix(key, 3), mix(key, 4), mix(key, 5), Math.floor(counter / 2 ** 32), counter % 2 ** 32)
  )

export interface Way extends Pick<Dialect, "bookSnapshots" | "leavingLevels"> {
  readonly depth: Books.Depth
}

interface Source {
  readonly cells: ReadonlyArray<ReadonlyArray<Told>>
  readonly id: (ms: number, number: number) => string
  readonly rest: (ms: number, number: number) => string
}

const make = (
  market: Market,
  { depth, leavingLevels }: Way,
  span: { readonly from: number; readonly to: number },
  source: Source
) => {
  const { cells, id, rest } = source
  // A book of all levels has none beyond.
  const leaving = typeof depth === "number" ? leavingLevels : "removed"
  const at = (instant: number): ReadonlyArray<Told> => cells[((instant % cycle) + cycle) % cycle]!
  // Mostly rows are read one after the other.
  let known: { readonly key: string; readonly book: Books.Book } | undefined
  const bookOf = (instant: number, book: number): Books.Book => {
    const key = `${instant}.${book}`
    if (known?.key !== key) known = { key, book: Books.at(market, bySecond.at(instant), depth, book) }
    return known.book
  }
  const before = (instant: number, number: number): Books.Book => {
    if (number > 0) return bookOf(instant, at(instant)[number - 1]!.book)
    let earlier = instant - 1
    while (at(earlier).length === 0) earlier--
    return bookOf(earlier, at(earlier).at(-1)!.book)
  }
  let first = bySecond.from(span.from)
  while (at(first).length === 0) first++
  const write = (type: "snapshot" | "update", instant: number, number: number, book: Books.Book) => {
    const ms = bySecond.at(instant)
    // A snapshot that says nothing new has the id of what it repeats; a second one is the same.
    const isAgain = at(instant)[number]!.kind === "again"
    const own = isAgain ? 0 : number
    return (
      `{"market":"${market.market}","time":"${nanos(ms)}","coin_metrics_id":"${id(ms, own)}",${sides(book)}` +
      `,"type":"${type}"${rest(ms, isAgain ? 1 : number)}}`
    )
  }
  const whole = (instant: number, number: number) =>
    write("snapshot", instant, number, bookOf(instant, at(instant)[number]!.book))
  const changes = (instant: number, number: number, from: Books.Book) =>
    write("update", instant, number, Books.update(from, bookOf(instant, at(instant)[number]!.book), leaving))
  const isWhole = (instant: number, number: number) =>
    at(instant)[number]!.kind !== "update" || (instant === first && number === 0)
  const counts = cells.map(({ length }) => length)
  const all = Rows.inPattern(market.market, bySecond, span, counts, (instant, number) =>
    isWhole(instant, number) ? whole(instant, number) : changes(instant, number, before(instant, number))
  )
  const byPlace =
    <A>(read: (instant: number, number: number) => A) =>
    (place: number): A => {
      const { instant, number } = all.slotAt(place)
      return read(instant, number)
    }
  const rows = { ...all, isSequential: true }
  return { rows, isWhole: byPlace(isWhole), whole: byPlace(whole), changes, bookOf }
}

/** The updates of a market over HTTP. With `isOpened` a range begins with a snapshot. */
export const rows = (market: Market, way: Way, kind: Availability.Kind, isOpened: boolean): Rows.Rows | undefined => {
  const span = Availability.of(market, kind)
  if (span === undefined) return undefined
  const key = seed(market.market)
  const { isWhole, rows, whole } = make(market, way, span, {
    cells: patterns[way.bookSnapshots].http,
    id: (ms, number) => httpId(key, ms, number),
    rest: (ms, number) =>
      `,"database_time":"${Trades.stored(market, ms, ms + number)}","collect_time":"${nanos(ms + 1 + number)}"`
  })
  if (!isOpened) return rows
  if (way.bookSnapshots === "first") return { ...rows, opening: whole }
  return {
    ...rows,
    opensAt: (place) => {
      let nearest = place
      while (nearest > rows.bounds.first && !isWhole(nearest)) nearest--
      return nearest
    }
  }
}

const collected = (ms: number) => `,"collect_time":"${nanos(ms + 1)}"`

/**
 * The live frames of a market. A connection begins with the whole book of its last frame. One of all levels begins with the book
 * of the last ten seconds, and what has changed since follows.
 */
export const frames = (market: Market, way: Way) => {
  const span = Availability.of(market, "orderbooks")
  if (span === undefined) return undefined
  const key = seed(`${market.market} ${way.depth}`)
  const { bookOf, changes, rows, whole } = make(market, way, span, {
    cells: patterns[way.bookSnapshots].live,
    id: (ms, number) => liveId(key, (ms / SECOND) * 4 + number),
    rest: collected
  })
  const opening = (place: number): ReadonlyArray<string> => {
    const { instant, number } = rows.slotAt(place)
    const mark = instant - (((instant % 10) + 10) % 10)
    if (typeof way.depth === "number" || mark === instant || bySecond.at(mark) < span.from) return [whole(place)]
    const ms = bySecond.at(mark)
    const book = bookOf(mark, 0)
    return [
      `{"market":"${market.market}","time":"${nanos(ms)}","coin_metrics_id":"${liveId(key, (ms / SECOND) * 4 + 3)}",${sides(book)}` +
        `,"type":"snapshot"${collected(ms)}}`,
      changes(instant, number, book)
    ]
  }
  return { rows, opening }
}

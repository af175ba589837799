/**
 * Keeps the books of a live stream: checks each record before it is delivered, and makes the books of those that are.
 *
 * For each market two books are held, one where records are checked and one of the reader, whatever waits between them.
 */
import * as Result from "effect/Result"
import type { Data, Gap, LiveMessage, Origin } from "../../LiveMessage.ts"
import * as Timestamp from "../../Timestamp.ts"
import * as Book from "./Book.ts"

/** The most levels of a side, live and of records over HTTP, which are of all levels. */
export interface Most {
  readonly live: number
  readonly http: number
  /** Of the books that the reader gets. */
  readonly shown: number
}

/** What is known of a market where records are checked, before the reader gets them. */
interface Kept {
  /** The last book that is right. */
  book: Book.OrderBook | undefined
  /** Whether nothing is known of the book until the next snapshot. */
  isLost: boolean
  /** Whether a new connection was asked for in vain. */
  isRefused: boolean
  /** The connection of the last live snapshot. */
  connection: number
  /** The time of the first of the books whose sides cross; absent where they do not, or where a snapshot says so. */
  crossed: string | undefined
  /** Counts the records. */
  version: number
}

/** What the reader has to do with a record. */
interface Mark {
  readonly version: number
  /** `next`: make the book from the one before. `after`: the same, and nothing was known before. `lost`: nothing is known. */
  readonly state: "next" | "after" | "lost"
  /** Why nothing is known, where that is to be told. */
  readonly reason?: string
}

/** Sees records before they are delivered. */
export interface Keeper {
  /** Keeps the book of a record's market, and says why the record cannot be right. */
  readonly see: (record: Book.Change, origin: Origin, connection: number) => string | undefined
  readonly markOf: (record: Book.Change) => Mark | undefined
  readonly kept: ReadonlyMap<string, Kept>
}

/** Nanoseconds for which sides may cross: those of a market do for moments at most. */
const longestCrossing = 10_000_000_000n

const nanosOf = (time: string) => Result.getOrElse(Timestamp.toEpochNanos(time), () => 0n)

/** Why a book that an update made cannot be right: its sides have crossed for too long. */
const crossing = (kept: Kept, book: Book.OrderBook): string | undefined => {
  if (kept.crossed === undefined || nanosOf(book.time) - nanosOf(kept.crossed) <= longestCrossing) return undefined
  const [bid, ask] = [book.bids[0]?.price, book.asks[0]?.price]
  return `the best bid ${bid} is not below the best ask ${ask}, and has not been since ${kept.crossed}`
}

export const make = (most: Most): Keeper => {
  const all = new Map<string, Kept>()
  // The marks last as long as the records that wait for the reader.
  const marks = new WeakMap<Book.Change, Mark>()
  const of = (market: string): Kept => {
    const fresh: Kept = {
      book: undefined,
      isLost: false,
      isRefused: false,
      connection: 0,
      crossed: undefined,
      version: 0
    }
    const one = all.get(market) ?? fresh
    all.set(market, one)
    return one
  }
  const next = (
    one: Kept,
    record: Book.Change,
    origin: Origin,
    connection: number
  ): Result.Result<Book.OrderBook, string> => {
    const isWhole = record.type === "snapshot"
    const isLive = origin === "live"
    if (isLive && !isWhole && one.connection !== connection) {
      return Result.fail("an update came before the first snapshot of its connection")
    }
    return Result.flatMap(Book.after(one.book, record, isLive ? most.live : most.http), (book) => {
      // What a snapshot says is so, and what the history of HTTP says cannot be asked for again.
      if (!Book.isCrossed(book) || !isLive) one.crossed = undefined
      else if (!isWhole && one.book !== undefined && !Book.isCrossed(one.book)) one.crossed = book.time
      const reason = isWhole ? undefined : crossing(one, book)
      if (isWhole) one.crossed = undefined
      return reason === undefined ? Result.succeed(book) : Result.fail(reason)
    })
  }
  const see: Keeper["see"] = (record, origin, connection) => {
    const { market } = record
    const one = of(market)
    const mark = (state: Mark["state"], more: { readonly reason?: string } = {}) => {
      one.version += 1
      marks.set(record, { version: one.version, state, ...more })
      return undefined
    }
    const isWhole = record.type === "snapshot"
    if (isWhole && origin === "live") one.connection = connection
    if (one.isLost && !isWhole && (origin !== "live" || one.isRefused)) {
      one.book = undefined
      return mark("lost")
    }
    const found = next(one, record, origin, connection)
    if (Result.isSuccess(found)) {
      const state = one.isLost ? "after" : "next"
      one.book = found.success
      one.isLost = false
      if (isWhole) one.isRefused = false
      return mark(state)
    }
    one.isLost = true
    const reason = `${market}: ${found.failure}`
    if (origin === "live" && !one.isRefused) {
      one.isRefused = true
      return reason
    }
    one.book = undefined
    return mark("lost", origin === "live" ? { reason } : {})
  }
  return { see, markOf: (record) => marks.get(record), kept: all }
}

/** A book after a snapshot or an update. */
export interface Made {
  readonly _tag: "Book"
  /** The book. */
  readonly book: Book.OrderBook
  /** Where the snapshot or the update came from. */
  readonly origin: Origin
}

/** What a reader is told: books in place of records. */
export type Message = Made | Exclude<LiveMessage<never>, Data<never>>

/** What the reader was told of a market. */
interface Told {
  book: Book.OrderBook | undefined
  version: number
  /** Whether the reader was told of a gap since the last book. */
  hasGap: boolean
}

/** Builds what makes the books of records that a keeper has seen. */
export const reader = (most: Most, { kept, markOf }: Keeper) => {
  const told = new Map<string, Told>()
  const of = (market: string): Told => {
    const one = told.get(market) ?? { book: undefined, version: 0, hasGap: false }
    told.set(market, one)
    return one
  }
  const shown = (book: Book.OrderBook) => Book.cut(book, most.shown)
  const read = (record: Book.Change, origin: Origin): ReadonlyArray<Message> => {
    const mark = markOf(record)
    const one = of(record.market)
    if (mark === undefined || mark.version <= one.version) return []
    one.version = mark.version
    if (mark.state === "lost") {
      return mark.reason === undefined ? [] : [{ _tag: "Warning", type: "unsound_book", message: mark.reason }]
    }
    const before = one.book
    const made = Book.after(before, record, origin === "live" ? most.live : most.http)
    if (Result.isFailure(made)) return []
    one.book = made.success
    const book = shown(made.success)
    const gap = mark.state === "after" && !one.hasGap ? gapBetween(before, book) : []
    // A new connection begins with the book as it is, which may be as it was.
    if (gap.length === 0 && !one.hasGap && before !== undefined && Book.isSame(shown(before), book)) return []
    one.hasGap = false
    return [...gap, { _tag: "Book", book, origin }]
  }
  /** The newest books, in place of those that were dropped. */
  const catchUp = (): ReadonlyArray<Message> => {
    const books: Array<Message> = []
    for (const [market, { book, isLost, version }] of kept) {
      const one = of(market)
      if (one.version >= version) continue
      one.version = version
      if (isLost || book === undefined) continue
      const isOld = one.book !== undefined && Timestamp.Order(book.time, one.book.time) < 0
      one.book = book
      // A new connection may begin with a snapshot that is older than what the reader has.
      if (isOld) continue
      one.hasGap = false
      books.push({ _tag: "Book", book: shown(book), origin: "live" })
    }
    return books
  }
  return (message: LiveMessage<Book.Change>): ReadonlyArray<Message> => {
    if (message._tag === "Data") return read(message.record, message.origin)
    if (message._tag === "Gap") of(message.entity).hasGap = true
    return message._tag === "Dropped" ? [message, ...catchUp()] : [message]
  }
}

const gapBetween = (before: Book.OrderBook | undefined, { market, time }: Book.OrderBook): ReadonlyArray<Gap> => {
  if (before === undefined) return []
  // A snapshot may be older than the last book before it.
  const isLater = Timestamp.Order(before.time, time) <= 0
  const [from, to] = isLater ? [before.time, time] : [time, before.time]
  return [
    { _tag: "Gap", entity: market, metrics: undefined, unit: "time", from, to, reason: "unfillable", error: undefined }
  ]
}

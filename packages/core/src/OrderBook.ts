/**
 * Order books that are kept from a live stream: a snapshot, then updates. Source: docs/interface.md 6.4.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as Decimal from "./Decimal.ts"
import * as Live from "./endpoints/Live.ts"
import type { PriceLevel } from "./endpoints/Timeseries.ts"
import * as Expand from "./internal/live/Expand.ts"
import type { LiveClient } from "./LiveClient.ts"
import type { CallOptions } from "./LiveEndpoint.ts"
import type { LiveError } from "./LiveError.ts"
import type { Data, Gap, LiveMessage, Origin } from "./LiveMessage.ts"
import type { Timestamp } from "./Timestamp.ts"

/** What is offered or wanted at one price. */
export interface Level {
  readonly price: Decimal.Decimal
  /** More than 0. */
  readonly size: Decimal.Decimal
}

/** The order book of a market at one moment. It never changes: an update makes another one. */
export interface OrderBook {
  readonly market: string
  readonly time: Timestamp
  /** That of the last snapshot or update in it. */
  readonly coin_metrics_id: string
  /** What is offered, the lowest price first. */
  readonly asks: ReadonlyArray<Level>
  /** What is wanted, the highest price first. */
  readonly bids: ReadonlyArray<Level>
}

/** A record of {@link Live.marketOrderbooks}. */
export type Change = Live.LiveMarketOrderbook

/** A book after a snapshot or an update. */
export interface Book {
  readonly _tag: "Book"
  readonly book: OrderBook
  /** Where the snapshot or the update came from. */
  readonly origin: Origin
}

/** A message of {@link follow}. */
export type BookMessage = Book | Exclude<LiveMessage<never>, Data<never>>

/** Settings of {@link follow}. */
export interface Options extends CallOptions {
  /**
   * The most levels of a side. A book with more cannot be right. Default 100, or 100,000 with `depth_limit: "full_book"`.
   */
  readonly maxLevels?: number | undefined
}

const sides = ["asks", "bids"] as const
type Side = (typeof sides)[number]

/**
 * The book after a snapshot, or after an update of `book`; or in words why it cannot be right: an update without a book, a level
 * that is removed and was not there, sides out of order, a best bid that is not below the best ask, or too many levels.
 */
export const apply = (
  book: OrderBook | undefined,
  change: Change,
  maxLevels = 100
): Result.Result<OrderBook, string> => {
  const isWhole = change.type === "snapshot"
  if (!isWhole && change.type !== "update") return Result.fail(`"${change.type}" is neither snapshot nor update`)
  if (!isWhole && book === undefined) return Result.fail("an update came before a snapshot")
  const sideOf = (side: Side) =>
    isWhole || book === undefined ? whole(change[side] ?? [], side) : changed(book[side], change[side] ?? [], side)
  const [asks, bids] = [sideOf("asks"), sideOf("bids")]
  if (Predicate.isString(asks)) return Result.fail(asks)
  if (Predicate.isString(bids)) return Result.fail(bids)
  const [ask, bid] = [asks[0], bids[0]]
  if (ask !== undefined && bid !== undefined && order(bid.price, ask.price) >= 0) {
    return Result.fail(`the best bid ${bid.price} is not below the best ask ${ask.price}`)
  }
  const most = Math.max(asks.length, bids.length)
  if (most > maxLevels) return Result.fail(`a side has ${most} levels, more than ${maxLevels}`)
  const { coin_metrics_id, market, time } = change
  return Result.succeed({ market, time, coin_metrics_id, asks, bids })
}

/** Orders prices. Numbers decide as long as they can tell them apart. */
const order = (a: string, b: string): number => {
  if (a === b) return 0
  const [left, right] = [Number(a), Number(b)]
  return left < right ? -1 : left > right ? 1 : Decimal.Order(a, b)
}

/** Orders the prices of a side, the best first. */
const orderOf = (side: Side) => (side === "asks" ? order : (a: string, b: string) => order(b, a))

const levelOf = ({ price, size }: PriceLevel): Level | undefined =>
  Predicate.isString(price) && Predicate.isString(size) && Decimal.isDecimal(price) && Decimal.isDecimal(size)
    ? { price, size }
    : undefined

const isNone = ({ size }: Level) => Number(size) === 0

const whole = (levels: ReadonlyArray<PriceLevel>, side: Side): ReadonlyArray<Level> | string => {
  const compare = orderOf(side)
  const found: Array<Level> = []
  for (const each of levels) {
    const level = levelOf(each)
    if (level === undefined) return `a level of the ${side} has no price or no size`
    const before = found.at(-1)
    if (before !== undefined && compare(before.price, level.price) >= 0) {
      return `the ${side} are not in the order of their prices: ${before.price}, then ${level.price}`
    }
    if (isNone(level)) return `a snapshot has no size at ${level.price}`
    found.push(level)
  }
  return found
}

const changed = (
  before: ReadonlyArray<Level>,
  levels: ReadonlyArray<PriceLevel>,
  side: Side
): ReadonlyArray<Level> | string => {
  if (levels.length === 0) return before
  const compare = orderOf(side)
  const found = [...before]
  for (const each of levels) {
    const level = levelOf(each)
    if (level === undefined) return `a level of the ${side} has no price or no size`
    const at = placeOf(found, level.price, compare)
    const there = found[at]
    const isThere = there !== undefined && compare(there.price, level.price) === 0
    if (!isNone(level)) found.splice(at, isThere ? 1 : 0, level)
    else if (isThere) found.splice(at, 1)
    else return `the level ${level.price} of the ${side} is removed, but was not there`
  }
  return found
}

/** The first place whose price is not better. */
const placeOf = (levels: ReadonlyArray<Level>, price: string, compare: (a: string, b: string) => number): number => {
  let [low, high] = [0, levels.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compare(levels[middle]?.price ?? price, price) < 0) low = middle + 1
    else high = middle
  }
  return low
}

/** What is known of a market where records are checked, before the reader gets them. */
interface Kept {
  /** The last book that is right. */
  book: OrderBook | undefined
  /** Whether nothing is known of the book until the next snapshot. */
  isLost: boolean
  /** Counts the records. */
  version: number
}

/** What the reader has to do with a record. */
interface Mark {
  readonly version: number
  /** `next`: make the book from the one before. `after`: the same, and nothing was known before. `lost`: nothing is known. */
  readonly state: "next" | "after" | "lost"
  /** Why a snapshot cannot be right. */
  readonly reason?: string
}

/**
 * Follows order books of markets: each message is the whole book after a snapshot or an update.
 *
 * **Details**
 *
 * Each book is checked before it is delivered, as {@link apply} says. A live record that makes a book that cannot be right
 * shows that something was lost: the connection is replaced, which brings a new snapshot, and a `Gap` says from when to when the
 * book of the market is not known. Books delivered since the snapshot before may have lacked the same change. A snapshot that
 * cannot be right is asked for again once; then a `Warning` of the type `unsound_book` comes, and the market has no book until a
 * snapshot can be right.
 *
 * For each market two books are held, whatever the buffer holds. With `whenFull: "dropOldest"`, the newest book of each
 * market that has changed follows `Dropped`.
 */
export const follow = (
  params: Live.LiveMarketOrderbooksParams,
  options: Options = {}
): Stream.Stream<BookMessage, LiveError, LiveClient> =>
  Stream.suspend(() => {
    const most = options.maxLevels ?? (params.depth_limit === "full_book" ? 100_000 : 100)
    const keeper = makeKeeper(most)
    const reader = makeReader(most, keeper)
    const verify: CallOptions["verify"] = (record, origin) => {
      const said = options.verify?.(record, origin)
      // Type boundary: the decoder has checked the record.
      return said !== undefined && origin === "live" ? said : keeper.see(record as Change, origin)
    }
    return Expand.expand(Live.marketOrderbooks(params, { ...options, verify }), (messages) => messages.flatMap(reader))
  })

interface Keeper {
  /** Keeps the book of a record's market, and says why the record cannot be right. */
  readonly see: (record: Change, origin: Origin) => string | undefined
  readonly markOf: (record: Change) => Mark | undefined
  readonly kept: ReadonlyMap<string, Kept>
}

const makeKeeper = (most: number): Keeper => {
  const kept = new Map<string, Kept>()
  const refused = new Set<string>()
  // The marks last as long as the records that wait for the reader.
  const marks = new WeakMap<Change, Mark>()
  const see: Keeper["see"] = (record, origin) => {
    const { market } = record
    const one = kept.get(market) ?? { book: undefined, isLost: false, version: 0 }
    kept.set(market, one)
    const isWhole = record.type === "snapshot"
    const mark = (state: Mark["state"], more: { readonly reason?: string } = {}) => {
      one.version += 1
      marks.set(record, { version: one.version, state, ...more })
      return undefined
    }
    if (one.isLost && !isWhole && (origin !== "live" || refused.has(market))) {
      one.book = undefined
      return mark("lost")
    }
    const next = apply(one.book, record, most)
    if (Result.isSuccess(next)) {
      const state = one.isLost ? "after" : "next"
      one.book = next.success
      one.isLost = false
      refused.delete(market)
      return mark(state)
    }
    one.isLost = true
    const reason = `${market}: ${next.failure}`
    if (origin === "live" && !(isWhole && refused.has(market))) {
      if (isWhole) refused.add(market)
      return reason
    }
    one.book = undefined
    return mark("lost", isWhole ? { reason } : {})
  }
  return { see, markOf: (record) => marks.get(record), kept }
}

/** What the reader was told of a market. */
interface Told {
  book: OrderBook | undefined
  version: number
}

const makeReader = (most: number, { kept, markOf }: Keeper) => {
  const told = new Map<string, Told>()
  const of = (market: string): Told => {
    const one = told.get(market) ?? { book: undefined, version: 0 }
    told.set(market, one)
    return one
  }
  const read = (record: Change, origin: Origin): ReadonlyArray<BookMessage> => {
    const mark = markOf(record)
    const one = of(record.market)
    if (mark === undefined || mark.version <= one.version) return []
    one.version = mark.version
    if (mark.state === "lost") {
      return mark.reason === undefined ? [] : [{ _tag: "Warning", type: "unsound_book", message: mark.reason }]
    }
    const next = apply(one.book, record, most)
    if (Result.isFailure(next)) return []
    const gap = mark.state === "after" ? gapBetween(one.book, next.success) : []
    const isTold = gap.length === 0 && isSame(one.book, next.success)
    one.book = next.success
    // A new connection begins with the book as it is, which may be as it was.
    if (isTold) return []
    return [...gap, { _tag: "Book", book: next.success, origin }]
  }
  /** The newest books, in place of those that were dropped. */
  const catchUp = (): ReadonlyArray<BookMessage> => {
    const books: Array<BookMessage> = []
    for (const [market, { book, isLost, version }] of kept) {
      const one = of(market)
      if (one.version >= version) continue
      one.version = version
      if (isLost || book === undefined) continue
      one.book = book
      books.push({ _tag: "Book", book, origin: "live" })
    }
    return books
  }
  return (message: LiveMessage<Change>): ReadonlyArray<BookMessage> => {
    if (message._tag === "Data") return read(message.record, message.origin)
    return message._tag === "Dropped" ? [message, ...catchUp()] : [message]
  }
}

const isSame = (before: OrderBook | undefined, after: OrderBook): boolean =>
  before !== undefined &&
  before.coin_metrics_id === after.coin_metrics_id &&
  before.time === after.time &&
  sides.every((side) => {
    const levels = after[side]
    return (
      before[side].length === levels.length &&
      before[side].every(({ price, size }, at) => price === levels[at]?.price && size === levels[at].size)
    )
  })

const gapBetween = (before: OrderBook | undefined, { market, time }: OrderBook): ReadonlyArray<Gap> =>
  before === undefined
    ? []
    : [
        {
          _tag: "Gap",
          entity: market,
          metrics: undefined,
          unit: "time",
          from: before.time,
          to: time,
          reason: "unfillable",
          error: undefined
        }
      ]

/** An order book, and how its records change it. */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Decimal from "../../Decimal.ts"
import type { Timestamp } from "../../Timestamp.ts"

/** What is offered or wanted at one price. */
export interface Level {
  /** Price of the level, in the quote asset. */
  readonly price: Decimal.Decimal
  /** More than 0. */
  readonly size: Decimal.Decimal
}

/** The order book of a market at one moment. It never changes: an update makes another one. */
export interface OrderBook {
  /** The market, such as `coinbase-btc-usd-spot`. */
  readonly market: string
  /** Time of the last snapshot or update in it. */
  readonly time: Timestamp
  /** That of the last snapshot or update in it. */
  readonly coin_metrics_id: string
  /** What is offered, the lowest price first. */
  readonly asks: ReadonlyArray<Level>
  /** What is wanted, the highest price first. */
  readonly bids: ReadonlyArray<Level>
}

/** What a record says of one price. */
export interface LevelChange {
  /** Price of the level. */
  readonly price?: string | null
  /** What is there now; 0 where the level is gone. */
  readonly size?: string | null
}

/** A snapshot or an update: a live record, or one of `dataset: "updates"` over HTTP. */
export interface Change {
  /** The market. */
  readonly market: string
  /** Time of the change. */
  readonly time: Timestamp
  /** Id of the record. */
  readonly coin_metrics_id: string
  /** `snapshot` or `update`. */
  readonly type?: string | null
  /** Levels of what is offered. */
  readonly asks?: ReadonlyArray<LevelChange> | null
  /** Levels of what is wanted. */
  readonly bids?: ReadonlyArray<LevelChange> | null
}

/** The two sides of a book as they are kept, to be changed in place. */
export interface Sides {
  asks: Array<Level>
  bids: Array<Level>
}

type Side = keyof Sides

export const sides: ReadonlyArray<Side> = ["asks", "bids"]

/** Orders prices. Numbers decide as long as they can tell them apart. */
const order = (a: string, b: string): number => {
  if (a === b) return 0
  const [left, right] = [Number(a), Number(b)]
  return left < right ? -1 : left > right ? 1 : Decimal.Order(a, b)
}

/** The first place whose price is not better. */
const placeOf = (levels: ReadonlyArray<Level>, price: string, sign: 1 | -1): number => {
  const last = levels.at(-1)
  // Those of a snapshot come in order.
  if (last === undefined || sign * order(last.price, price) < 0) return levels.length
  let [low, high] = [0, levels.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (sign * order(levels[middle]?.price ?? price, price) < 0) low = middle + 1
    else high = middle
  }
  return low
}

/** The levels of a snapshot with the best first: to put each into its place would take quadratic time where they are not in order. */
const inOrder = (told: ReadonlyArray<LevelChange>, sign: 1 | -1): ReadonlyArray<LevelChange> => {
  const compare = (a: LevelChange, b: LevelChange) => sign * order(a.price ?? "", b.price ?? "")
  const isOrdered = (level: LevelChange, at: number) => at === 0 || compare(told[at - 1]!, level) <= 0
  // One without a price is refused where it is put into its place.
  const isReadable = told.every(({ price }) => Predicate.isString(price) && Decimal.isDecimal(price))
  return !isReadable || told.every(isOrdered) ? told : told.toSorted(compare)
}

/** Puts levels into a side. Returns in words what cannot be read; the side is of no more use then. */
const put = (levels: Array<Level>, told: ReadonlyArray<LevelChange>, side: Side): string | undefined => {
  const sign = side === "asks" ? 1 : -1
  for (const { price, size } of levels.length === 0 ? inOrder(told, sign) : told) {
    if (
      !Predicate.isString(price) ||
      !Predicate.isString(size) ||
      !Decimal.isDecimal(price) ||
      !Decimal.isDecimal(size)
    )
      return `a level of the ${side} has no price or no size`
    if (Number(size) < 0) return `a level of the ${side} has a size below 0`
    const at = placeOf(levels, price, sign)
    const there = levels[at]
    const isThere = there !== undefined && order(there.price, price) === 0
    if (Number(size) !== 0) levels.splice(at, isThere ? 1 : 0, { price, size })
    else if (isThere) levels.splice(at, 1)
  }
  return undefined
}

/** Changes the sides of a book by a record. Returns in words why that is not possible; the sides are of no more use then. */
export const change = (book: Sides | undefined, record: Change, maxLevels: number): Result.Result<Sides, string> => {
  const isWhole = record.type === "snapshot"
  if (!isWhole && record.type !== "update") return Result.fail(`"${record.type}" is neither snapshot nor update`)
  if (!isWhole && book === undefined) return Result.fail("an update came before a snapshot")
  const next = isWhole || book === undefined ? { asks: [], bids: [] } : book
  for (const side of sides) {
    const issue = put(next[side], record[side] ?? [], side)
    if (issue !== undefined) return Result.fail(issue)
    if (next[side].length > maxLevels) next[side].length = maxLevels
  }
  return Result.succeed(next)
}

/** The book that sides make with the record that came last, of so many levels. */
export const of = ({ coin_metrics_id, market, time }: Change, { asks, bids }: Sides, maxLevels: number): OrderBook => ({
  market,
  time,
  coin_metrics_id,
  asks: asks.slice(0, maxLevels),
  bids: bids.slice(0, maxLevels)
})

/** The book after a record, which leaves the one before as it is. A side that does not change is shared. */
export const after = (
  book: OrderBook | undefined,
  record: Change,
  maxLevels: number
): Result.Result<OrderBook, string> => {
  const isChanged = (side: Side) => record.type !== "update" || (record[side]?.length ?? 0) > 0
  // Type boundary: a side that nothing is put into is not changed, unless it is cut.
  const copy = (side: Side) =>
    book === undefined
      ? []
      : isChanged(side) || book[side].length > maxLevels
        ? [...book[side]]
        : (book[side] as Array<Level>)
  const before = book && { asks: copy("asks"), bids: copy("bids") }
  return Result.map(change(before, record, maxLevels), ({ asks, bids }) => ({
    market: record.market,
    time: record.time,
    coin_metrics_id: record.coin_metrics_id,
    asks,
    bids
  }))
}

/** Whether the best bid is not below the best ask. */
export const isCrossed = ({ asks: [ask], bids: [bid] }: Pick<OrderBook, "asks" | "bids">): boolean =>
  ask !== undefined && bid !== undefined && order(bid.price, ask.price) >= 0

/** A book with no more than so many levels of a side. */
export const cut = (book: OrderBook, maxLevels: number): OrderBook =>
  Math.max(book.asks.length, book.bids.length) <= maxLevels
    ? book
    : { ...book, asks: book.asks.slice(0, maxLevels), bids: book.bids.slice(0, maxLevels) }

/** Whether two books are one, with the same levels. */
export const isSame = (before: OrderBook | undefined, after: OrderBook): boolean =>
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

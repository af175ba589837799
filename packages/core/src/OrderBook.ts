/**
 * Order books that are kept from their snapshots and updates: live, and of the past. Source: docs/interface.md 6.4 and 4.6.4.
 */
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as Arrays from "effect/Array"
import * as Effect from "effect/Effect"
import type * as Pull from "effect/Pull"
import { type ApiError, Decode } from "./ApiError.ts"
import * as Bulk from "./Bulk.ts"
import type { Client } from "./Client.ts"
import type { Decimal } from "./Decimal.ts"
import type * as Endpoint from "./Endpoint.ts"
import * as Live from "./endpoints/Live.ts"
import * as Timeseries from "./endpoints/Timeseries.ts"
import * as Book from "./internal/book/Book.ts"
import * as Keeper from "./internal/book/Keeper.ts"
import type { LiveClient } from "./LiveClient.ts"
import type { CallOptions } from "./LiveEndpoint.ts"
import type { LiveError } from "./LiveError.ts"
import * as Timestamp from "./Timestamp.ts"

export type { Change, Level, LevelChange, OrderBook } from "./internal/book/Book.ts"
export type { Made as Book, Message as BookMessage } from "./internal/book/Keeper.ts"

/** The most levels of a side of a whole book. The service has 30,000 at most. */
const whole = 100_000

/** The most levels of a side, where nothing else is said. */
const usual = (depth: "100" | "full_book" | undefined) => (depth === "full_book" ? whole : 100)

/**
 * The book after a snapshot, or after an update of `book`; or in words why there is none: an update without a book, a record that
 * is neither, or a level without a price or a size.
 *
 * **Details**
 *
 * A snapshot replaces the book, whatever came before. A level of size 0 is removed, if it is there; levels come in any order. Of each
 * side the best `maxLevels` are kept, because a service that sends the best hundred may say nothing of a level that leaves them. Give
 * as many as the records are of: a level that is cut does not come back.
 *
 * **Gotchas**
 *
 * The best bid may stand at or above the best ask for a moment, where a change of the exchange comes in several updates.
 */
export const apply = (
  book: Book.OrderBook | undefined,
  change: Book.Change,
  maxLevels = 100
): Result.Result<Book.OrderBook, string> => Book.after(book, change, maxLevels)

/** Settings of {@link follow}. */
export interface Options extends CallOptions {
  /** The most levels of a side that a book has: the best. Default 100, or 100,000 with `depth_limit: "full_book"`. */
  readonly maxLevels?: number | undefined
}

/**
 * Follows order books of markets: each message is the whole book after a snapshot or an update.
 *
 * **Details**
 *
 * A snapshot replaces the book, wherever it comes. A connection begins with one, so the book is right again after each reconnect,
 * and a `Gap` says where its changes are not known. It may be some seconds older than the last book before it.
 *
 * A live record that shows that something was lost is not delivered: an update before the first snapshot of a connection, a level
 * without a price or a size, or sides that have crossed for more than ten seconds although no snapshot said so. The
 * connection is replaced, which brings a new snapshot, and a `Gap` says from when to when the book of the market is not known.
 * Books delivered since the snapshot before may have lacked the same change. Where that does not help, a `Warning` of the type
 * `unsound_book` comes, and the market has no book until a snapshot can be read. A lost update after which the book looks right is
 * not noticed before the next snapshot.
 *
 * With `since` the books of the past come first, made of the updates that HTTP has, of which each market that is named must have
 * some; see {@link replay}.
 *
 * For each market two books are held, whatever the buffer holds. With `whenFull: "dropOldest"`, the newest book of each
 * market that has changed follows `Dropped`.
 */
export const follow = (
  params: Live.LiveMarketOrderbooksParams,
  options: Options = {}
): Stream.Stream<Keeper.Message, LiveError, LiveClient> =>
  Stream.suspend(() => {
    const depth = usual(params.depth_limit)
    const shown = options.maxLevels ?? depth
    const most = { live: Math.max(depth, shown), http: whole, shown }
    const keeper = Keeper.make(most)
    const reader = Keeper.reader(most, keeper)
    const verify: CallOptions["verify"] = (record, origin, connection) => {
      const said = options.verify?.(record, origin, connection)
      // Type boundary: the decoder has checked the record.
      return said !== undefined && origin === "live" ? said : keeper.see(record as Book.Change, origin, connection)
    }
    return expand(Live.marketOrderbooks(params, { ...options, verify }), (messages) => messages.flatMap(reader))
  })

/** Parameters of {@link replay}. */
export interface ReplayParams extends Pick<
  Timeseries.MarketOrderbooksParams,
  "markets" | "start_time" | "end_time" | "end_inclusive"
> {
  /** How much of each side the books have: the first 100 levels, which is the default, or all. */
  readonly depth_limit?: Live.LiveMarketOrderbooksParams["depth_limit"]
}

/** Settings of {@link replay}. */
export interface ReplayOptions extends Omit<Endpoint.CallOptions, "lazy"> {
  /** The most levels of a side that a book has: the best. Default 100, or 100,000 with `depth_limit: "full_book"`. */
  readonly maxLevels?: number | undefined
}

/**
 * Reads the order books of the past, one after each update: those of a market after those of the one before.
 *
 * **Details**
 *
 * Made of `Timeseries.marketOrderbooks` with `dataset: "updates"`, which not all markets have. Reading begins at the nearest
 * snapshot before `start_time`, to know the book there; the first book is that of the first update from `start_time` on. Without a
 * `start_time` what comes before the first snapshot is left out. The end of the reply is checked, unless `checkEnd` is false.
 *
 * Fails with `Decode` where a record makes no book, see {@link apply}, and where a service that was asked to begin with a snapshot
 * sends updates from `start_time` on without one.
 */
export const replay = (
  params: ReplayParams,
  { maxLevels, ...options }: ReplayOptions = {}
): Stream.Stream<Book.OrderBook, ApiError, Client> =>
  Stream.suspend(() => {
    const { depth_limit, ...range } = params
    const { start_time } = range
    const most = maxLevels ?? usual(depth_limit)
    const kept = new Map<string, Book.Sides>()
    const call = { ...range, dataset: "updates", start_with_snapshot: true } as const
    let failure: Decode | undefined
    const make = (records: ReadonlyArray<Timeseries.MarketOrderbook>): ReadonlyArray<Book.OrderBook> => {
      const books: Array<Book.OrderBook> = []
      for (const record of records) {
        const before = kept.get(record.market)
        const isEarly = start_time === undefined || Timestamp.Order(record.time, start_time) < 0
        if (before === undefined && record.type === "update" && isEarly) continue
        const changed = Book.change(before, record, whole)
        if (Result.isFailure(changed)) {
          const issue = `${record.market} at ${record.time}: ${changed.failure}`
          failure = new Decode({ endpoint: Timeseries.marketOrderbooks.path, path: "", issue })
          break
        }
        kept.set(record.market, changed.success)
        if (start_time !== undefined && isEarly) continue
        books.push(Book.of(record, changed.success, most))
      }
      return books
    }
    const records = Bulk.read(Timeseries.marketOrderbooks, { index: 0, params: call }, options)
    return expandUntil(records, make, () => failure)
  })

/** The top of an order book. A side that is empty is absent. */
export interface Quote {
  /** The market, such as `coinbase-btc-usd-spot`. */
  readonly market: string
  /** Time of the update that changed it. */
  readonly time: Timestamp.Timestamp
  /** That of the update that changed it. */
  readonly coin_metrics_id: string
  /** The lowest price that is offered; absent where nothing is. */
  readonly ask_price?: Decimal
  /** The amount offered at that price. */
  readonly ask_size?: Decimal
  /** The highest price that is wanted; absent where nothing is. */
  readonly bid_price?: Decimal
  /** The amount wanted at that price. */
  readonly bid_size?: Decimal
}

/**
 * Reads the quotes of the past, tick by tick: one each time the best bid or the best ask of a market changes.
 *
 * **Details**
 *
 * `Timeseries.marketQuotes` has a sample every ten seconds; these are the tops of the books of {@link replay}. The first is that of
 * the first update from `start_time` on.
 */
export const quotes = (
  params: Omit<ReplayParams, "depth_limit">,
  options: Omit<ReplayOptions, "maxLevels"> = {}
): Stream.Stream<Quote, ApiError, Client> =>
  Stream.suspend(() => {
    const last = new Map<string, string>()
    const change = ({
      asks: [ask],
      bids: [bid],
      coin_metrics_id,
      market,
      time
    }: Book.OrderBook): ReadonlyArray<Quote> => {
      const top = `${ask?.price} ${ask?.size} ${bid?.price} ${bid?.size}`
      if (last.get(market) === top) return []
      last.set(market, top)
      return [
        {
          market,
          time,
          coin_metrics_id,
          ...(ask !== undefined && { ask_price: ask.price, ask_size: ask.size }),
          ...(bid !== undefined && { bid_price: bid.price, bid_size: bid.size })
        }
      ]
    }
    return expand(replay(params, { ...options, maxLevels: 1 }), (books) => books.flatMap(change))
  })

/** Gives for each array of a stream another one; goes on where that is empty. */
const expand = <A, B, E, R>(
  self: Stream.Stream<A, E, R>,
  f: (items: Arrays.NonEmptyReadonlyArray<A>) => ReadonlyArray<B>
): Stream.Stream<B, E, R> => expandUntil<A, B, E, never, R>(self, f, () => undefined)

/** Does the same until there is a failure, which comes behind what was given before it. */
const expandUntil = <A, B, E, E2, R>(
  self: Stream.Stream<A, E, R>,
  f: (items: Arrays.NonEmptyReadonlyArray<A>) => ReadonlyArray<B>,
  failure: () => E2 | undefined
): Stream.Stream<B, E | E2, R> =>
  Stream.transformPull(self, (pull) => {
    const next: Pull.Pull<Arrays.NonEmptyReadonlyArray<B>, E | E2, void, R> = Effect.suspend(() => {
      const failed = failure()
      if (failed !== undefined) return Effect.fail(failed)
      return Effect.flatMap(pull, (items) => {
        const made = f(items)
        return Arrays.isReadonlyArrayNonEmpty(made) ? Effect.succeed(made) : next
      })
    })
    return Effect.succeed(next)
  })

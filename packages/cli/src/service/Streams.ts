/** Questions about live streams, each with one short connection. */
import * as Effect from "effect/Effect"
import { isItem, type Item, itemsOf, textOf, textsOf } from "./Item.ts"
import { assumed, open, type Question } from "./Question.ts"
import * as Reading from "./Reading.ts"
import { type Query, Service } from "./Service.ts"
import type { Until } from "./Connection.ts"
import * as Subjects from "./Subjects.ts"
import { forbidden, unclear } from "./Undecided.ts"

/** The frames of a connection that was opened. */
const heard = Effect.fnUntraced(function* (name: string, query: Query, until: Until) {
  const { frames, refused } = yield* Service.use(({ listen }) => listen(`/timeseries-stream/${name}`, query, until))
  if (refused === 403) return yield* forbidden("HTTP 403")
  if (refused !== undefined) return yield* unclear(`HTTP ${refused}`)
  return frames
})

/** The frames that tell about sequence numbers. */
const mostFrames = 60

/** The word for the numbers of consecutive frames. */
const sequenceOf = (numbers: ReadonlyArray<number>) => {
  const [first = Number.NaN] = numbers
  const steps = numbers.slice(1).map((number, index) => number - numbers[index]!)
  if (!numbers.every(Number.isInteger)) return "other"
  if (steps.some((step) => step <= 0)) return "falls"
  // The client takes any first number alike.
  if (steps.every((step) => step === 1)) return first === 0 ? "zero" : "one"
  return steps.every((step) => step === 2) ? "even" : "jumps"
}

/** The sides of a book, with the order of their prices from the best one on. */
const sides = { asks: 1, bids: -1 } as const

/** The levels that a live book has at most. */
const mostLevels = 100

/** Whether levels that leave the hundred best are removed, or nothing tells of them; nothing where none left. */
const leaving = (frames: ReadonlyArray<Item>): "removed" | "silent" | undefined => {
  const words = [...new Set(textsOf(frames, "market"))].flatMap((market) => {
    const own = frames.filter((frame) => textOf(frame, "market") === market)
    return Object.entries(sides).map(([side, sign]) => leavingSide(own, side, sign))
  })
  return words.find((word) => word === "silent") ?? words.find((word) => word === "removed")
}

const leavingSide = (frames: ReadonlyArray<Item>, side: string, sign: number) => {
  let word: "removed" | undefined
  const levels = new Set<number>()
  for (const frame of frames) {
    if (textOf(frame, "type") === "snapshot") levels.clear()
    const isFull = levels.size === mostLevels
    const worst = Math.max(...[...levels].map((price) => price * sign))
    const changes = itemsOf(frame[side]).map((level) => [Number(textOf(level, "price")), Number(textOf(level, "size"))])
    for (const [price = 0, size] of changes) {
      if (size === 0) levels.delete(price)
      else levels.add(price)
    }
    if (levels.size > mostLevels) return "silent"
    if (
      isFull &&
      levels.size === mostLevels &&
      changes.some(([price = 0, size]) => size === 0 && price * sign === worst)
    ) {
      word = "removed"
    }
  }
  return word
}

/** Books of a hundred levels, until one of them has left. */
const books = Effect.gen(function* () {
  const { markets } = yield* Subjects.book
  return yield* heard(
    "market-orderbooks",
    { markets: markets.slice(0, 10).join() },
    { within: "60 seconds", enough: (frames) => leaving(frames) !== undefined }
  )
})

export const questions: ReadonlyArray<Question> = [
  open("sequence", {
    contradictions: {
      other: "Lost frames of live streams are not noticed.",
      falls: "Live streams connect again and again."
    },
    ask: Effect.gen(function* () {
      const markets = (yield* Subjects.quotes).slice(0, mostFrames).join()
      const frames = yield* heard(
        "market-quotes",
        { markets },
        { within: "20 seconds", enough: ({ length }) => length >= mostFrames }
      )
      const numbers = frames.flatMap((frame) => ("cm_sequence_id" in frame ? [Number(frame["cm_sequence_id"])] : []))
      if (numbers.length < 10) return yield* unclear(`${numbers.length} frames within 20 seconds`)
      return sequenceOf(numbers)
    })
  }),
  assumed({
    name: "bookStart",
    asks: "Does a live book begin with a snapshot?",
    section: "6.2",
    words: ["snapshot"],
    contradictions: { update: "A live book is not usable until a snapshot comes." },
    ask: Effect.gen(function* () {
      const [first] = yield* books
      if (first === undefined) return yield* unclear("no frame within a minute")
      return textOf(first, "type") === "snapshot" ? "snapshot" : "update"
    })
  }),
  open("leavingLevels", {
    ask: Effect.flatMap(books, (frames) => {
      const word = leaving(frames)
      return word === undefined ? unclear("no level left the book within a minute") : Effect.succeed(word)
    })
  }),
  assumed({
    name: "backfill",
    asks: "Does a live stream first send the last record of each entity?",
    section: "6.2",
    words: ["sent"],
    contradictions: { none: "A stream shows nothing until the next record." },
    ask: Effect.gen(function* () {
      const { market } = yield* Subjects.candles
      const query = { markets: market, frequency: "1d", backfill: "latest" }
      const frames = yield* heard("market-candles", query, { within: "10 seconds", enough: ({ length }) => length > 0 })
      return frames.length > 0 ? "sent" : "none"
    })
  }),
  assumed({
    name: "tradeIds",
    asks: "Has a live trade the coin_metrics_id that it has over HTTP?",
    section: "6.4",
    words: ["same"],
    contradictions: { other: "Trades come twice where history and a live stream are joined." },
    ask: Effect.gen(function* () {
      const market = yield* Subjects.trades
      const until = { within: "20 seconds", enough: (frames: ReadonlyArray<Item>) => frames.length > 0 } as const
      const [trade] = yield* heard("market-trades", { markets: market, backfill: "latest" }, until)
      const time = textOf(trade, "time")
      if (trade === undefined) return yield* unclear("no trade within 20 seconds")
      // The HTTP side is a little behind.
      yield* Effect.sleep("10 seconds")
      const query = { markets: market, start_time: time, end_time: time, page_size: 1_000 }
      const items = yield* Reading.records("/timeseries/market-trades", query)
      return textsOf(items, "coin_metrics_id").includes(textOf(trade, "coin_metrics_id")) ? "same" : "other"
    })
  }),
  assumed({
    name: "liveRefusal",
    asks: "Is a live stream of an unknown name refused, by a status or by an error frame?",
    section: "6.1",
    words: ["status", "frame"],
    contradictions: { silent: "A live stream of a misspelt name stays silent." },
    ask: Effect.gen(function* () {
      const { listen } = yield* Service
      const query = { markets: "sluice-no-such-market" }
      const until = { within: "10 seconds", enough: (frames: ReadonlyArray<Item>) => frames.length > 0 } as const
      const { frames, refused } = yield* listen("/timeseries-stream/market-trades", query, until)
      if (refused !== undefined) return "status"
      return isItem(frames[0]?.["error"]) ? "frame" : "silent"
    })
  })
]

/** Questions about candles, and with them about times. */
import * as Effect from "effect/Effect"
import { textOf, textsOf } from "./Item.ts"
import { assumed, open, type Question } from "./Question.ts"
import * as Reading from "./Reading.ts"
import type { Query } from "./Service.ts"
import * as Subjects from "./Subjects.ts"
import { implied, unclear } from "./Undecided.ts"

const path = "/timeseries/market-candles"

const read = (query: Query) => Reading.records(path, { page_size: 100, paging_from: "start", ...query })

/** The hourly candles of a market until a date without a time: the last day that has more than the candle of its midnight. */
const untilDate = Effect.fnUntraced(function* (more: Query) {
  const { hour, market } = yield* Subjects.candles
  const date = Reading.dayOf(Reading.shifted(hour, { hours: -1 }))
  const start_time = Reading.shifted(`${date}T00:00:00.000Z`, { days: -1 })
  const items = yield* read({ markets: market, frequency: "1h", start_time, end_time: date, ...more })
  return { date, last: textOf(items.at(-1), "time") }
})

/** Whether a date as the end covers more than its midnight. */
const endDate = Effect.gen(function* () {
  const { date, last } = yield* untilDate({})
  if (!last.startsWith(date)) return yield* unclear("no candle on the last day")
  return last.includes("T00:00:00") ? "midnight" : "day"
})

/** Five daily candles. */
const days = Effect.fnUntraced(function* (more: Query) {
  const { hour, market } = yield* Subjects.candles
  const today = `${Reading.dayOf(hour)}T00:00:00.000Z`
  const query = { start_time: Reading.shifted(today, { days: -5 }), end_time: Reading.shifted(today, { days: -1 }) }
  return yield* read({ markets: market, frequency: "1d", ...query, ...more })
})

export const questions: ReadonlyArray<Question> = [
  open("endDate", { ask: endDate }),
  open("excludedDate", {
    ask: Effect.gen(function* () {
      // A range that ends at midnight has no other day to exclude.
      if ((yield* endDate) !== "day") return yield* implied("a date ends at its midnight")
      const { date, last } = yield* untilDate({ end_inclusive: false })
      return last.startsWith(date) ? "instant" : "day"
    })
  }),
  assumed({
    name: "candleTime",
    asks: "Is the time of a candle its begin?",
    section: "14.2",
    words: ["begin"],
    contradictions: { end: "A candle of a dataset or a split belongs to the part before its own." },
    ask: Effect.gen(function* () {
      const [first] = yield* days({})
      const { market } = yield* Subjects.candles
      const time = textOf(first, "time")
      const [hour] = yield* read({ markets: market, frequency: "1h", start_time: time, end_time: time })
      if (textOf(hour, "price_open") === textOf(hour, "price_close")) return yield* unclear("the price stood still")
      if (textOf(first, "price_open") === textOf(hour, "price_open")) return "begin"
      return textOf(first, "price_close") === textOf(hour, "price_close") ? "end" : yield* unclear("the candles differ")
    })
  }),
  assumed({
    name: "timezone",
    asks: "Does timezone move the borders of daily candles?",
    section: "4.6.1",
    words: ["moves"],
    contradictions: { stays: "Daily candles in a timezone are those of days in UTC." },
    ask: Effect.gen(function* () {
      const times = textsOf(yield* days({ timezone: "America/New_York" }), "time")
      if (times.every((time) => /T0[45]:00:00/.test(time))) return "moves"
      return times.every((time) => time.includes("T00:00:00"))
        ? "stays"
        : yield* unclear("the days begin at other hours")
    })
  }),
  assumed({
    name: "wildcard",
    asks: "Do time series take names of markets with `*`?",
    section: "11.3",
    words: ["yes"],
    contradictions: { no: "Reads with a wildcard fail with InvalidRequest." },
    ask: Effect.gen(function* () {
      const { exchange, hour } = yield* Subjects.candles
      return yield* Reading.refusedOr(["no", "yes"], path, {
        markets: `${exchange}-btc-*-spot`,
        frequency: "1h",
        start_time: hour,
        end_time: hour,
        page_size: 100
      })
    })
  }),
  open("flatCandles", {
    ask: Effect.gen(function* () {
      const { hour } = yield* Subjects.candles
      const query = {
        frequency: "1m",
        start_time: Reading.shifted(hour, { hours: -4 }),
        end_time: hour,
        page_size: 10_000
      }
      const found = yield* read({ ...query, markets: (yield* Subjects.quiet).join() })
      if (found.some((item) => textOf(item, "candle_trades_count") === "0")) return "present"
      const hasHole = found.some((item, index) => {
        const before = found[index - 1]
        if (before === undefined || textOf(before, "market") !== textOf(item, "market")) return false
        const next = Reading.shifted(textOf(before, "time"), { minutes: 1 })
        return textOf(item, "time").slice(0, 19) !== next.slice(0, 19)
      })
      return hasHole ? "absent" : yield* unclear("these markets traded in every minute")
    })
  })
]

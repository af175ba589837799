/** Questions about time series, asked of a daily metric. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { ascends, textOf, textsOf, type Item } from "./Item.ts"
import { assumed, open, type Question } from "./Question.ts"
import * as Reading from "./Reading.ts"
import type { Query } from "./Service.ts"
import * as Subjects from "./Subjects.ts"
import { unclear } from "./Undecided.ts"

const path = "/timeseries/asset-metrics"

/** The first instant of a day, a few days before the last one that has a value. */
const back = (to: string, days: number) => Reading.shifted(`${to}T00:00:00.000Z`, { days: -days })

/** The parameters that choose ten days of one asset, by instants. */
const tenDays = Effect.map(Subjects.metric, ({ asset, metric, to }) => {
  const query: Query = {
    assets: asset,
    metrics: metric,
    start_time: back(to, 10),
    end_time: back(to, 1),
    page_size: 100
  }
  return query
})

const times = (items: ReadonlyArray<Item>) => textsOf(items, "time")

/** All ten days, to compare with. */
const whole = Effect.gen(function* () {
  const query = yield* tenDays
  const all = times(yield* Reading.records(path, { ...query, paging_from: "start" }))
  if (all.length < 5 || !ascends(all)) return yield* unclear(`${all.length} records of ten days`)
  return { all, query }
})

/** Which end of the ten days some records are: the first or the last ones. */
const endOf = (all: ReadonlyArray<string>, some: ReadonlyArray<string>) => {
  if (some.join() === all.slice(0, some.length).join()) return "first"
  return some.join() === all.slice(-some.length).join() ? "latest" : "other"
}

const limited = Effect.fnUntraced(function* (more: Query) {
  const { all, query } = yield* whole
  const some = times(yield* Reading.records(path, { ...query, limit_per_asset: 2, ...more }))
  return some.length === 2 ? endOf(all, some) : yield* unclear(`${some.length} records with a limit of 2`)
})

/** Three days of two assets, asked for against the order of their names. */
const two = Effect.gen(function* () {
  const { assets, metric, to } = yield* Subjects.metric
  const query = { assets: assets.toReversed().join(), metrics: metric, start_time: back(to, 3), end_time: back(to, 1) }
  return { metric, items: yield* Reading.records(path, { ...query, page_size: 100, paging_from: "start" }) }
})

/** Whether the value of a midnight is given by a range that begins a part of a second later. */
const isReadAs = (start: string) =>
  Effect.gen(function* () {
    const { asset, metric, to } = yield* Subjects.metric
    const query = { assets: asset, metrics: metric, start_time: `${to}T00:00:00.${start}Z`, end_time: `${to}T12:00:00` }
    return (yield* Reading.page(path, query)).items.length > 0
  })

export const questions: ReadonlyArray<Question> = [
  assumed({
    name: "seriesOrder",
    asks: "Are the records of a series in the order of entity and time, whatever the order of the request?",
    section: "12.1",
    words: ["entity-time"],
    contradictions: { other: "Reads warn of disorder, and a resumed read repeats or loses records." },
    ask: Effect.map(two, ({ items }) => {
      const keys = items.map((item) => `${textOf(item, "asset")} ${textOf(item, "time")}`)
      return ascends(keys) ? "entity-time" : "other"
    })
  }),
  assumed({
    name: "timeDigits",
    asks: "Are times of a series written in UTC with nine fractional digits and Z?",
    section: "14.2",
    words: ["nine"],
    contradictions: { other: "Times of records compare wrongly as texts, for example where a read resumes." },
    ask: Effect.map(two, ({ items }) =>
      times(items).every((time) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/.test(time)) ? "nine" : "other"
    )
  }),
  assumed({
    name: "numbers",
    asks: "Are numbers of a series JSON texts?",
    section: "14.1",
    words: ["text"],
    contradictions: { number: "Reads fail with Decode, or digits are lost." },
    ask: Effect.map(two, ({ items, metric }) =>
      items.some((item) => Predicate.isNumber(item[metric])) ? "number" : "text"
    )
  }),
  assumed({
    name: "pagesFromEnd",
    asks: "With paging_from=end, does each page ascend, and hold the records before those of the page before?",
    section: "2.3",
    words: ["ascend"],
    contradictions: { other: "Reads from the end give records in a wrong order." },
    ask: Effect.gen(function* () {
      const { all, query } = yield* whole
      const fromEnd = { ...query, page_size: 2, paging_from: "end" }
      const { items: last, token } = yield* Reading.page(path, fromEnd)
      if (token === undefined) return yield* unclear("a full page names no next one")
      const { items: before } = yield* Reading.page(path, { ...fromEnd, next_page_token: token })
      return [...times(before), ...times(last)].join() === all.slice(-4).join() ? "ascend" : "other"
    })
  }),
  open("limit", {
    ask: Effect.gen(function* () {
      const end = yield* limited({ paging_from: "start" })
      if (end === "other") return yield* unclear("with a limit come neither the first records nor the latest")
      return end === "first" ? "paging_from" : "latest"
    })
  }),
  assumed({
    name: "newest",
    asks: "Does limit_per_* with paging_from=end give the latest records, ascending?",
    section: "4.6.1",
    words: ["latest"],
    contradictions: {
      other: "What is read as the newest records is not.",
      first: "The oldest records come in place of the newest."
    },
    ask: limited({ paging_from: "end" })
  }),
  assumed({
    name: "limitLines",
    asks: "Does limit_per_* with json_stream give the first records, or the latest?",
    section: "4.6.1",
    words: ["first", "latest"],
    contradictions: { other: "A limit with json_stream gives neither the first records nor the latest." },
    ask: Effect.gen(function* () {
      const { all, query } = yield* whole
      const { page_size: _, ...rest } = query
      const { items } = yield* Reading.lines(path, { ...rest, limit_per_asset: 2 })
      return items.length === 2 ? endOf(all, times(items)) : yield* unclear(`${items.length} records with a limit of 2`)
    })
  }),
  assumed({
    name: "bounds",
    asks: "Do both bounds of a range belong to it?",
    section: "14.2",
    words: ["included"],
    contradictions: { other: "Reads in parts lose the records on the borders of the parts." },
    ask: Effect.gen(function* () {
      const { all, query } = yield* whole
      const same = (time: string, bound: string) =>
        all.at(bound === "start_time" ? 0 : -1)?.slice(0, 19) === time.slice(0, 19)
      return ["start_time", "end_time"].every((bound) => same(String(query[bound]), bound)) ? "included" : "other"
    })
  }),
  assumed({
    name: "startInclusive",
    asks: "Does start_inclusive=false leave out the record at the start, and no other?",
    section: "14.2",
    words: ["excluded"],
    contradictions: { other: "Reads in parts repeat or lose the records on the borders of the parts." },
    ask: Effect.gen(function* () {
      const { all, query } = yield* whole
      const rest = times(yield* Reading.records(path, { ...query, start_inclusive: false, paging_from: "start" }))
      return rest.join() === all.slice(1).join() ? "excluded" : "other"
    })
  }),
  open("noValue", {
    ask: Effect.gen(function* () {
      const { all, asset } = yield* Subjects.metric
      const [early, ...others] = all.toSorted((a, b) => (a.min < b.min ? -1 : 1))
      const later = others.find(({ min }) => min > Reading.shifted(early?.min ?? "", { days: 10 }))
      if (early === undefined || later === undefined) return yield* unclear("all metrics begin at the same time")
      // Before its first value a metric has none, while the other one has.
      const day = Reading.shifted(later.min, { days: -5 })
      const [record] = yield* Reading.records(path, {
        assets: asset,
        metrics: `${early.metric},${later.metric}`,
        start_time: day,
        end_time: day,
        page_size: 10
      })
      if (record?.[later.metric] === null) return "null"
      return record !== undefined && !(later.metric in record) ? "absent" : yield* unclear("the metric has a value")
    })
  }),
  open("requestDigits", {
    ask: Effect.gen(function* () {
      if (yield* isReadAs("000999999")) return "3"
      return (yield* isReadAs("000000999")) ? "6" : "9"
    })
  })
]

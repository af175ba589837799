/** `sluice metrics`, `sluice assets` and `sluice markets`: what there is to read. */
import * as Discover from "@sluice/core/Discover"
import * as ReferenceData from "@sluice/core/endpoints/ReferenceData"
import { harmless } from "@sluice/core/PlainText"
import { similar } from "@sluice/core/Suggestions"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as NameLists from "../../endpoints/NameLists.ts"
import { among, meant } from "../../endpoints/Nearest.ts"
import * as Parameters from "../../endpoints/Parameters.ts"
import * as Suggestions from "../../endpoints/Suggestions.ts"
import * as Connection from "../../settings/Connection.ts"
import * as GlobalFlags from "../../settings/GlobalFlags.ts"
import { Screen } from "../../terminal/Screen.ts"
import { type ListInput, marketTypes } from "../flags/FormatFlags.ts"
import * as ListOutput from "./ListOutput.ts"

const { text, time } = ListOutput

const times = ["min_time", "max_time"].map(time)

const ofMetrics = [...["metric", "frequency"].map(text), ...times, ...["unit", "full_name"].map(text)]

const ofAssets = [...["asset", "metric", "frequency"].map(text), ...times]

const ofMarkets = [...["market", "type", "base", "quote", "status"].map(text), ...times]

export class UnknownMetric extends Data.TaggedError("UnknownMetric")<{ readonly message: string }> {}

/** Says something of a list without rows. */
const hint = Effect.fnUntraced(function* (text: string) {
  const { err, say } = yield* Screen
  if (!(yield* GlobalFlags.Json)) yield* say(`${err.style.dim(harmless(text))}\n`)
})

/** The frequencies that there are. */
const hintOnFrequencies = (name: string, all: ReadonlyArray<{ readonly frequency?: string | undefined }>) => {
  const frequencies = new Set(all.flatMap(({ frequency }) => frequency ?? []))
  return hint(`${name} has the frequencies ${[...frequencies].toSorted().join(", ")}.`)
}

const wordsOf = (texts: ReadonlyArray<string>) => texts.flatMap((text) => text.toLowerCase().split(/\s+/))

/** Lists the metrics of an asset that have all the words in their name, their name for people or their frequency. */
export const metrics = Effect.fnUntraced(function* (
  asset: string,
  filter: ReadonlyArray<string>,
  only: string | undefined,
  list: ListInput
) {
  const words = wordsOf(filter)
  const listed = Effect.gen(function* () {
    const all = yield* Discover.metrics(asset)
    const rows = all.filter(({ frequency, full_name = "", metric }) => {
      if (only !== undefined && frequency !== only) return false
      const searched = `${metric} ${full_name} ${frequency}`.toLowerCase()
      return words.every((word) => searched.includes(word))
    })
    yield* ListOutput.print(rows, ofMetrics, list)
    if (rows.length === 0 && all.length > 0) yield* hintOnFrequencies(asset, all)
    yield* NameLists.note(
      "asset-metrics",
      all.map(({ metric }) => metric)
    )
  })
  yield* listed.pipe(Suggestions.onRefused({ assets: asset }), Effect.provide(Connection.layerDiscover))
})

const series = { path: "/timeseries/asset-metrics" }

/** Lists the assets that have a metric, at one frequency or at each, with the times covered. */
export const assets = Effect.fnUntraced(
  function* (metric: string, frequency: string | undefined, list: ListInput) {
    const all = yield* Effect.catchTag(
      Discover.available(series, undefined, { metrics: metric }),
      "InvalidRequest",
      (error) => (error.parameter === "metrics" ? Effect.andThen(known(metric), error) : Effect.fail(error))
    )
    const found = all.filter((one) => one.metric === metric)
    if (found.length === 0) yield* known(metric)
    const rows = found
      .filter((one) => frequency === undefined || one.frequency === frequency)
      .map(({ entity, ...rest }) => ({ asset: entity, ...rest }))
    yield* ListOutput.print(rows, ofAssets, list)
    if (rows.length === 0 && found.length > 0) yield* hintOnFrequencies(metric, found)
    yield* NameLists.note(
      "assets",
      found.map(({ entity }) => entity)
    )
  },
  (effect, metric) => effect.pipe(Suggestions.onRefused({ metrics: metric }), Effect.provide(Connection.layerDiscover))
)

const known = Effect.fnUntraced(function* (metric: string) {
  const names = yield* Discover.names(series, "metrics")
  if (names.some(({ name }) => name === metric)) return
  const like = meant(yield* similar(series, "metrics", [metric]))
  return yield* new UnknownMetric({ message: `there is no asset metric ${JSON.stringify(metric)}${like}` })
})

const properties = ({ base, exchange, quote, type }: Discover.AvailableMarket) => [exchange, base, quote, type]

/** Lists the markets that the flags leave, and that have each word as one of their properties. */
export const markets = Effect.fnUntraced(function* (
  filter: Discover.MarketFilter,
  texts: ReadonlyArray<string>,
  list: ListInput
) {
  const words = wordsOf(texts)
  const found = Effect.gen(function* () {
    // All markets are tens of thousands: the service leaves out those of other exchanges and types.
    const exchanges = words.length === 0 ? [] : yield* Discover.names(ReferenceData.markets, "exchange")
    const exchange = words.find((word) => exchanges.some(({ name }) => name === word))
    const type = words.find((word) => marketTypes.includes(word))
    const given = Parameters.given({ exchange, type, ...Parameters.given({ ...filter }) })
    const all = yield* Discover.markets(given)
    const rows = all.filter((market) => words.every((word) => properties(market).includes(word)))
    yield* ListOutput.print(rows, ofMarkets, list)
    if (rows.length === 0 && all.length > 0) {
      const known = new Set(
        [...all.flatMap(properties), ...exchanges.map(({ name }) => name)].filter(Predicate.isString)
      )
      const unknown = words.find((word) => !known.has(word))
      if (unknown === undefined) return yield* hint(`No market here has all these words: ${words.join(", ")}.`)
      const like = meant(among(unknown, [...known])) || "."
      return yield* hint(`There is no exchange, asset or type ${JSON.stringify(unknown)} here${like}`)
    }
    yield* NameLists.note(
      "markets",
      rows.map(({ market }) => market)
    )
    if (rows.length > 0 || (yield* GlobalFlags.Json)) return
    yield* Suggestions.sayOnNothing(ReferenceData.markets, given)
  })
  yield* found.pipe(Suggestions.onRefused({ ...filter }), Effect.provide(Connection.layerDiscover))
})

/**
 * `sluice metrics`, `sluice assets` and `sluice markets`: what there is to read.
 */
import * as Discover from "@sluice/core/Discover"
import * as ReferenceData from "@sluice/core/endpoints/ReferenceData"
import { harmless } from "@sluice/core/PlainText"
import { similar } from "@sluice/core/Suggestions"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as NameLists from "../../endpoints/NameLists.ts"
import { meant } from "../../endpoints/Nearest.ts"
import * as Parameters from "../../endpoints/Parameters.ts"
import * as Suggestions from "../../endpoints/Suggestions.ts"
import * as Connection from "../../settings/Connection.ts"
import * as GlobalFlags from "../../settings/GlobalFlags.ts"
import { Screen } from "../../terminal/Screen.ts"
import type { ListInput } from "../flags/ListFlags.ts"
import * as ListOutput from "./ListOutput.ts"

const { text, times } = ListOutput

const ofMetrics = [...["metric", "frequency"].map(text), ...times, ...["unit", "full_name"].map(text)]

const ofAssets = [...["asset", "metric", "frequency"].map(text), ...times]

const ofMarkets = [...["market", "type", "base", "quote", "status"].map(text), ...times]

/** No asset has a metric of this name. */
export class UnknownMetric extends Schema.TaggedError<UnknownMetric>()("UnknownMetric", {
  metric: Schema.String,
  /** Similar names. */
  suggestions: Schema.Array(Schema.String)
}) {
  override get message() {
    return `there is no asset metric ${JSON.stringify(this.metric)}${meant(this.suggestions)}`
  }
}

/** Lists the metrics of an asset that have all the words in their name, their name for people or their frequency. */
export const metrics = Effect.fnUntraced(function* (asset: string, filter: ReadonlyArray<string>, list: ListInput) {
  const words = filter.flatMap((words) => words.toLowerCase().split(/\s+/))
  const listed = Effect.gen(function* () {
    const all = yield* Discover.metrics(asset)
    const rows = all.filter(({ frequency, full_name = "", metric }) => {
      const searched = `${metric} ${full_name} ${frequency}`.toLowerCase()
      return words.every((word) => searched.includes(word))
    })
    yield* ListOutput.print(rows, ofMetrics, list)
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
    if (rows.length === 0 && found.length > 0 && !(yield* GlobalFlags.Json)) {
      const { err, say } = yield* Screen
      const others = [...new Set(found.flatMap((one) => one.frequency ?? []))].toSorted()
      yield* say(`${err.style.dim(harmless(`${metric} has the frequencies ${others.join(", ")}.`))}\n`)
    }
    yield* NameLists.note(
      "assets",
      found.map(({ entity }) => entity)
    )
  },
  (effect, metric) => effect.pipe(Suggestions.onRefused({ metrics: metric }), Effect.provide(Connection.layerDiscover))
)

/** Fails where there is no metric of this name. */
const known = Effect.fnUntraced(function* (metric: string) {
  const names = yield* Discover.names(series, "metrics")
  if (names.some(({ name }) => name === metric)) return
  return yield* new UnknownMetric({ metric, suggestions: yield* similar(series, "metrics", [metric]) })
})

/** Lists the markets that the flags leave. */
export const markets = Effect.fnUntraced(function* (filter: Discover.MarketFilter, list: ListInput) {
  const given = Parameters.given({ ...filter })
  const found = Effect.gen(function* () {
    const rows = yield* Discover.markets(given)
    yield* ListOutput.print(rows, ofMarkets, list)
    yield* NameLists.note(
      "markets",
      rows.map(({ market }) => market)
    )
    if (rows.length > 0 || (yield* GlobalFlags.Json)) return
    yield* Suggestions.sayOnNothing(ReferenceData.markets, given)
  })
  yield* found.pipe(Suggestions.onRefused(given), Effect.provide(Connection.layerDiscover))
})

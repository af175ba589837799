/**
 * The catalogs of metrics: for each metric and frequency, what has it (docs/interface.md 4.5).
 */
import * as Effect from "effect/Effect"
import * as Struct from "effect/Struct"
import type { MetricRecord } from "../../data/OtherMetrics.ts"
import * as Reference from "../Reference.ts"
import type { Definition } from "./Definition.ts"
import * as Kind from "./Kind.ts"

const definition = (
  name: string,
  kind: Kind.Kind,
  describe: (metric: MetricRecord) => Partial<MetricRecord> = (metric) => metric
): Definition => {
  const byName = new Map(kind.metrics.map((metric) => [metric.metric, metric]))
  return {
    name,
    list: Effect.fnUntraced(function* (query, caller) {
      const named = yield* Reference.only(query, "metrics", kind.metrics, (id) => byName.get(id))
      const items = (yield* Reference.reviewable(query, named))
        .map((metric) => ({ metric, frequencies: Kind.frequenciesOf(kind, metric.metric, caller) }))
        .filter(({ frequencies }) => frequencies.length > 0)
      return Reference.listing(items, ({ frequencies, metric }) => ({ ...describe(metric), frequencies }))
    })
  }
}

/** The catalogs of metrics. */
export const all: ReadonlyArray<Definition> = [
  definition("metrics", Kind.asset, Struct.omit(["product"])),
  definition("asset-metrics", Kind.asset),
  definition("exchange-metrics", Kind.exchange),
  definition("exchange-asset-metrics", Kind.exchangeAsset),
  definition("pair-metrics", Kind.pair),
  definition("institution-metrics", Kind.institution)
]

/** docs/interface.md 4.6.2 and 4.6.3, with the records of 3.12. */
import { key, may, type Type } from "../Field.ts"
import { by, get, newer, type Operation, paid } from "../Operation.ts"
import * as P from "../Parameter.ts"
import * as Shared from "../records/Shared.ts"

/** The value of a metric. */
export const metricValue: Type = { _tag: "decimal" }

/** What names a record. */
export const metricsOf = (keys: string) => key(keys, "time:time")

const metrics = P.required(P.list)

const daily = (...others: ReadonlyArray<string>) => P.or(P.open(...others, "1d"), "1d")

const sort = (...words: readonly [string, ...ReadonlyArray<string>]) => P.or(P.oneOf(...words), words[0])

const assetMetrics = get("/timeseries/asset-metrics", {
  section: "4.6",
  // At `1b` by asset, height and block_hash.
  ...by("asset time"),
  parameters: {
    assets: P.wild(P.required(P.list)),
    metrics,
    // `1d-sg-close` is among the frequencies of 14.3, and not among those the newest edition names here.
    frequency: P.or(P.open("1b", ...Shared.lengths, "1d-ny-close", "1d-ny-midday", "1d-sg-close"), "1d"),
    status: P.or(P.oneOf("all", "flash", "reviewed", "revised"), "all"),
    ...P.exclusive(
      P.exclusive(
        {
          ...P.timeRange,
          start_height: P.integer(0),
          ...P.disabled({ end_height: P.integer(0) }),
          start_hash: P.text,
          end_hash: P.text
        },
        "start_time",
        "start_height",
        "start_hash"
      ),
      "end_time",
      "end_height",
      "end_hash"
    ),
    // 2 for btc, 99 for eth.
    min_confirmations: P.integer(0, 99),
    sort: sort("asset", "height", "time"),
    ...P.limitPer("asset"),
    null_as_zero: P.or(P.boolean, false),
    ...P.ignoring,
    ...P.paging("end"),
    ...P.format("js", "csv")
  },
  record: metricsOf("asset"),
  more: { metrics: metricValue, blocks: may("block_hash parent_block_hash height:int64") }
})

/** 4.6.3: the path, the list of entities, the key of the record, and what else it takes. */
const series = (path: string, entities: string, entity: string, more: P.Parameters, given: Partial<Operation> = {}) =>
  get(`/timeseries/${path}`, {
    section: "4.6",
    ...by(`${entity} time`),
    parameters: {
      [entities]: P.wild(P.required(P.list)),
      metrics,
      ...more,
      ...P.timeRange,
      ...P.limitPer(entity),
      ...P.paging("end")
    },
    record: metricsOf(entity),
    more: { metrics: metricValue },
    ...given
  })

export const operations: ReadonlyArray<Operation> = [
  assetMetrics,
  series("exchange-metrics", "exchanges", "exchange", {
    frequency: daily("1h"),
    sort: sort("exchange", "time"),
    ...P.format("csv")
  }),
  series("exchange-asset-metrics", "exchange_assets", "exchange_asset", {
    frequency: daily("5m", "1h"),
    sort: sort("exchange_asset", "time"),
    ...P.format("js", "csv")
  }),
  series(
    "exchange-pair-metrics",
    "exchange_pairs",
    "exchange_pair",
    { frequency: daily("1h"), ...P.format("js", "csv") },
    newer
  ),
  series("pair-metrics", "pairs", "pair", { frequency: daily("1h"), sort: sort("pair", "time"), ...P.format("csv") }),
  series("institution-metrics", "institutions", "institution", {
    frequency: daily(),
    // Not by time with a wildcard.
    sort: sort("institution", "time"),
    ...P.format("csv")
  }),
  series("market-metrics", "markets", "market", {
    frequency: daily("1m", "5m", "1h"),
    sort: sort("market", "time"),
    ...P.ignoring,
    ...P.format("js", "csv")
  }),
  get("/timeseries/protocol-metrics", {
    section: "4.6",
    ...paid,
    ...newer,
    ...by("protocol market"),
    apart: ["protocol", "market", "chain", "time"],
    parameters: {
      protocols: P.list,
      chains: P.list,
      markets: P.list,
      metrics: P.list,
      frequency: P.required(P.open("1m", "1d")),
      ...P.timeRange,
      ...P.paging("start"),
      ...P.format("js")
    },
    record: metricsOf("protocol market chain"),
    more: { metrics: metricValue }
  })
]

/** docs/interface.md 4.6.5, 4.6.6 and 4.10: each series with its record, of 3.14 and 3.15. */
import { type Fields, key, list, may, must, object } from "../Field.ts"
import { by, experimental, get, type Operation, paid, shared } from "../Operation.ts"
import * as P from "../Parameter.ts"
import { byNothing, candles, prices, volumes } from "./MarketSeries.ts"

const entities = P.wild(P.required(P.list))

const series = (
  path: string,
  parameters: P.Parameters,
  record: Fields,
  order: string,
  given: Partial<Operation> = {}
) =>
  get(`/timeseries/${path}`, {
    section: "4.6",
    ...by(order),
    parameters: { ...parameters, ...P.timeRange, ...P.paging("end"), ...P.format("csv") },
    record,
    ...given
  })

const index = key("index time:time")

/** 4.6.5. */
export const indexLevels = get("/timeseries/index-levels", {
  section: "4.6",
  ...by("index time"),
  parameters: {
    indexes: entities,
    // And `1d-HH:00` of any hour.
    frequency: P.or(P.open("1s", "15s", "1h", "1d-ny-close", "1d-sg-close", "1d"), "1d"),
    granularity: P.or(P.open("raw", "1d-ny-close", "1d-ldn-close", "1d-sg-close"), "raw"),
    include_verification: P.or(P.boolean, false),
    ...P.limitPer("index"),
    ...P.timeRange,
    ...P.paging("end"),
    ...P.format("js", "csv")
  },
  record: {
    ...index,
    ...must("level:decimal"),
    ...may({ verification: object(may("signature timestamp:time level:decimal")) })
  }
})

const indexConstituent = may("asset weight:decimal price:decimal quantity:decimal weight_basis_value:decimal")

/** 4.6.5. */
const instruments = [
  series(
    "pair-candles",
    { pairs: entities, frequency: candles, ...P.limitPer("pair") },
    // The last four are published as required and never declared.
    { ...key("pair time:time"), ...must(prices), ...may(volumes) },
    "pair time"
  ),
  series(
    "index-candles",
    { indexes: entities, frequency: candles, ...P.limitPer("index") },
    { ...index, ...must(prices, "candle_trades_count:int64") },
    "index time"
  ),
  indexLevels,
  series(
    "index-constituents",
    { indexes: entities, frequency: P.open("1h", "1d", "1d-ny-close", "1d-ny-midday", "1d-sg-close") },
    { ...index, ...must({ constituents: list(indexConstituent) }) },
    "index time",
    byNothing
  )
]

const assets = { assets: P.required(P.list) }

const asset = key("asset time:time")

const miningPoolTip = may("last_time:time height:int64 hash pool_count:int64")

const chainBlock = may("time:time hash height:int64")

const feerate = may("feerate:decimal count:int64 consensus_size:decimal fees:decimal physical_size:decimal")

/** 4.6.6. */
const chains = [
  series(
    "mining-pool-tips-summary",
    assets,
    { ...asset, ...must("tips_count:int64 block_hashes_at_tip:int64", { tips: list(miningPoolTip) }) },
    "asset time",
    { ...experimental, ...byNothing }
  ),
  series(
    "asset-chains",
    assets,
    {
      ...asset,
      ...must("chains_count:int64 blocks_count_at_tip:int64", { chains: list(list(chainBlock)) }),
      ...may("reorg reorg_depth:int64")
    },
    "asset time",
    { ...experimental, ...byNothing }
  ),
  get("/timeseries/mempool-feerates", {
    section: "4.6",
    ...paid,
    ...by("asset time"),
    ...byNothing,
    parameters: { ...assets, ...P.timeRange, ...P.paging("end", 200, 10), ...P.format("csv") },
    record: { ...asset, ...must({ feerates: list(feerate) }) }
  }),
  series(
    "asset-alerts",
    { ...assets, alerts: P.required(P.list), include_heartbeats: P.or(P.boolean, false) },
    { ...asset, ...key("alert"), ...must("status"), ...may("block_height:int64 value threshold") },
    "asset time alert",
    { ...paid, ...shared("alert"), beside: ["heartbeats"] }
  )
]

const balanceSheetLiability = may("asset total_units:decimal total_usd:decimal total_share:decimal")

const balanceSheetAsset = {
  ...balanceSheetLiability,
  ...may(
    "loans_lent_units:decimal tvl_units:decimal loans_lent_usd:decimal tvl_usd:decimal",
    "loans_lent_share:decimal tvl_share:decimal"
  )
}

/** 4.6.6. */
const balanceSheets = get("/timeseries/defi-balance-sheets", {
  section: "4.6",
  ...paid,
  ...experimental,
  ...shared("block_height"),
  parameters: {
    defi_protocols: entities,
    ...P.exclusive(
      P.exclusive(
        { ...P.timeRange, start_height: P.integer(0), end_height: P.integer(0) },
        "start_time",
        "start_height"
      ),
      "end_time",
      "end_height"
    ),
    ...P.paging("end"),
    ...P.format("csv")
  },
  record: {
    ...key("defi_protocol block_height:int64 time:time"),
    ...must(
      "assets_total_usd:decimal liabilities_total_usd:decimal loans_lent_total_usd:decimal tvl_total_usd:decimal",
      "net_working_capital_usd:decimal assets_total_count:int64 liabilities_total_count:int64",
      { assets: list(balanceSheetAsset), liabilities: list(balanceSheetLiability) }
    ),
    ...may(
      "protocol_utilization_ratio:decimal liquid_supply_ratio:decimal current_ratio:decimal",
      "debt_to_assets_ratio:decimal"
    )
  }
})

const constituents = { metric: P.required(P.text), start_time: P.time, end_time: P.time }

/** What a constituent is: published of exchanges, assumed of the others. 3.15. */
const constituent = may("exchange market asset pair")

/** 4.10. */
const composition = [
  get("/constituent-snapshots/asset-metrics", {
    section: "4.10",
    parameters: {
      ...P.exclusive(
        // A time, or `now`.
        P.exclusive({ ...constituents, at_time: P.text }, "at_time", "start_time"),
        "at_time",
        "end_time"
      ),
      ...P.paging("end"),
      ...P.format("csv")
    },
    record: { ...key("time:time"), ...constituent }
  }),
  // The newest edition says that the times exclude at_time, which does not exist here.
  get("/constituent-timeframes/asset-metrics", {
    section: "4.10",
    parameters: { ...constituents, constituents: P.list, ...P.paging("end"), ...P.format("csv") },
    record: { ...key("start_time:time"), ...must("end_time:time"), ...constituent }
  })
]

export const operations: ReadonlyArray<Operation> = [...instruments, ...chains, balanceSheets, ...composition]

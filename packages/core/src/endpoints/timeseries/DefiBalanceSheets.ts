/** Balance sheets of DeFi protocols. Source: docs/interface.md 4.6.6 and 3.15. */
import * as Schema from "effect/Schema"
import * as Endpoint from "../../Endpoint.ts"
import { decimal, id, integer, integerId, many, text } from "../../internal/wire/fields.ts"
import * as Params from "../../Params.ts"
import { Timestamp } from "../../Timestamp.ts"

/** What a protocol owes in one asset. */
export const BalanceSheetLiability = Schema.Struct({
  /** Ticker of the asset. */
  asset: text,
  /** Units of the asset. */
  total_units: decimal,
  /** What they are worth in US dollars. */
  total_usd: decimal,
  /** Their share of the whole side of the sheet. */
  total_share: decimal
})
export interface BalanceSheetLiability extends Schema.Schema.Type<typeof BalanceSheetLiability> {}

/** What a protocol has in one asset: what is lent out and what is locked in it. */
export const BalanceSheetAsset = Schema.Struct({
  ...BalanceSheetLiability.fields,
  /** Units that are lent out. */
  loans_lent_units: decimal,
  /** Units that are locked in the protocol. */
  tvl_units: decimal,
  /** What is lent out, in US dollars. */
  loans_lent_usd: decimal,
  /** What is locked, in US dollars. */
  tvl_usd: decimal,
  /** Share of all that is lent out. */
  loans_lent_share: decimal,
  /** Share of all that is locked. */
  tvl_share: decimal
})
export interface BalanceSheetAsset extends Schema.Schema.Type<typeof BalanceSheetAsset> {}

/** The balance sheet of a protocol at one block. */
export const DefiBalanceSheet = Schema.Struct({
  /** The protocol, such as `aave_v2_eth`. */
  defi_protocol: id,
  /** Height of the block, as text. */
  block_height: integerId,
  /** Time of the block. */
  time: Timestamp,
  /** In US dollars. */
  assets_total_usd: decimal,
  /** In US dollars. */
  liabilities_total_usd: decimal,
  /** In US dollars. */
  loans_lent_total_usd: decimal,
  /** What is locked in the protocol, in US dollars. */
  tvl_total_usd: decimal,
  /** Assets less liabilities, in US dollars. */
  net_working_capital_usd: decimal,
  /** Number of `assets`, as text. */
  assets_total_count: integer,
  /** Number of `liabilities`, as text. */
  liabilities_total_count: integer,
  /** What the protocol has, by asset. */
  assets: many<BalanceSheetAsset>(BalanceSheetAsset),
  /** What the protocol owes, by asset. */
  liabilities: many<BalanceSheetLiability>(BalanceSheetLiability),
  /** How much of what the protocol has is lent out, as a fraction. */
  protocol_utilization_ratio: decimal,
  /** How much of what was supplied can be withdrawn now, as a fraction. */
  liquid_supply_ratio: decimal,
  /** Assets divided by liabilities. */
  current_ratio: decimal,
  /** Liabilities divided by assets. */
  debt_to_assets_ratio: decimal
})
export interface DefiBalanceSheet extends Schema.Schema.Type<typeof DefiBalanceSheet> {}

/** Parameters of {@link defiBalanceSheets}. Source: docs/interface.md 4.6.6. */
export const DefiBalanceSheetsParams = Schema.Struct({
  /** Protocols; `*` stands for any characters, as in `aave_*`. */
  defi_protocols: Params.entities(Params.requiredList, "defi_protocol"),
  ...Params.timeRange,
  /** Lowest block. Excludes `start_time`. */
  start_height: Params.startHeight,
  /** Highest block. Excludes `end_time`. */
  end_height: Params.endHeight,
  ...Params.paging
}).check(Params.atMostOne("start_time", "start_height"), Params.atMostOne("end_time", "end_height"))
export interface DefiBalanceSheetsParams extends Schema.Schema.Type<typeof DefiBalanceSheetsParams> {}

/**
 * Reads balance sheets of DeFi protocols, one for each block. Not offered at the community root. Experimental: it may
 * change.
 *
 * **Gotchas**
 *
 * The order of its records is not published: the stream takes them to come protocol by protocol, ascending by time.
 *
 * Source: docs/interface.md 4.6.6.
 */
export const defiBalanceSheets: Endpoint.Endpoint<DefiBalanceSheetsParams, DefiBalanceSheet> = Endpoint.make(
  "/timeseries/defi-balance-sheets",
  {
    section: "4.6",
    order: "series",
    identity: ["block_height"],
    community: false,
    params: DefiBalanceSheetsParams,
    record: DefiBalanceSheet
  }
)

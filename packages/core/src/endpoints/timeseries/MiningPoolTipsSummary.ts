/** The blocks that mining pools work on. Source: docs/interface.md 4.6.6 and 3.15. */
import * as Schema from "effect/Schema"
import * as Endpoint from "../../Endpoint.ts"
import { integer, many, text, timestamp } from "../../internal/wire/fields.ts"
import * as ChainSeries from "./ChainSeries.ts"

/** A block on which pools build the next one. */
export const MiningPoolTip = Schema.Struct({
  /** When a pool last worked on it. */
  last_time: timestamp,
  /** Height of the block, as text. */
  height: integer,
  /** Hash of the block. */
  hash: text,
  /** Number of pools that work on it, as text. */
  pool_count: integer
})
export interface MiningPoolTip extends Schema.Schema.Type<typeof MiningPoolTip> {}

/** What the mining pools of one chain work on at one moment. */
export const MiningPoolTipsSummary = Schema.Struct({
  ...ChainSeries.record,
  /** Number of `tips`, as text. */
  tips_count: integer,
  /** Number of different blocks at the greatest height, as text: above one where the chain forks. */
  block_hashes_at_tip: integer,
  /** Blocks that pools work on top of, each with the pools. */
  tips: many<MiningPoolTip>(MiningPoolTip)
})
export interface MiningPoolTipsSummary extends Schema.Schema.Type<typeof MiningPoolTipsSummary> {}

/** Parameters of {@link miningPoolTipsSummary}. Source: docs/interface.md 4.6.6. */
export const MiningPoolTipsSummaryParams = Schema.Struct(ChainSeries.params)
export interface MiningPoolTipsSummaryParams extends Schema.Schema.Type<typeof MiningPoolTipsSummaryParams> {}

/** Reads the blocks that mining pools work on. Experimental: it may change. Source: docs/interface.md 4.6.6. */
export const miningPoolTipsSummary: Endpoint.Endpoint<MiningPoolTipsSummaryParams, MiningPoolTipsSummary> =
  Endpoint.make("/timeseries/mining-pool-tips-summary", {
    section: "4.6",
    order: "series",
    identity: [],
    params: MiningPoolTipsSummaryParams,
    record: MiningPoolTipsSummary
  })

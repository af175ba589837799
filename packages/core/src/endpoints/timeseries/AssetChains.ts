/** The ends of chains, forks among them. Source: docs/interface.md 4.6.6 and 3.15. */
import * as Schema from "effect/Schema"
import * as Endpoint from "../../Endpoint.ts"
import { integer, many, text, timestamp } from "../../internal/wire/fields.ts"
import * as ChainSeries from "./ChainSeries.ts"

/** A block at the end of a chain. */
export const ChainBlock = Schema.Struct({
  /** When it was made. */
  time: timestamp,
  /** Hash of the block. */
  hash: text,
  /** Height of the block, as text. */
  height: integer
})
export interface ChainBlock extends Schema.Schema.Type<typeof ChainBlock> {}

/** The ends of the chains of one asset at one moment. */
export const AssetChains = Schema.Struct({
  ...ChainSeries.record,
  /** Number of `chains`, as text: above one where the chain forks. */
  chains_count: integer,
  /** Number of blocks at the greatest height, as text. */
  blocks_count_at_tip: integer,
  /** The last blocks of each chain. */
  chains: many<ReadonlyArray<ChainBlock>>(Schema.Array(ChainBlock)),
  /** Present where the longest chain took the place of another. */
  reorg: text,
  /** Number of blocks that were replaced, as text. */
  reorg_depth: integer
})
export interface AssetChains extends Schema.Schema.Type<typeof AssetChains> {}

/** Parameters of {@link assetChains}. Source: docs/interface.md 4.6.6. */
export const AssetChainsParams = Schema.Struct(ChainSeries.params)
export interface AssetChainsParams extends Schema.Schema.Type<typeof AssetChainsParams> {}

/** Reads the ends of chains, forks among them. Experimental: it may change. Source: docs/interface.md 4.6.6. */
export const assetChains: Endpoint.Endpoint<AssetChainsParams, AssetChains> = Endpoint.make(
  "/timeseries/asset-chains",
  { section: "4.6", order: "series", identity: [], params: AssetChainsParams, record: AssetChains }
)

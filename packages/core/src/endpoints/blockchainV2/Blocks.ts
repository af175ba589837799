/** Blocks of a chain. Source: docs/interface.md 4.11 and 3.16. */
import * as Schema from "effect/Schema"
import * as Endpoint from "../../Endpoint.ts"
import { decimal, id, integer, integerId, many, text, timestamp } from "../../internal/wire/fields.ts"
import * as Params from "../../Params.ts"
import { InnerBalanceUpdate } from "./BalanceUpdates.ts"
import * as Shared from "./Params.ts"
import { InnerTransaction } from "./Transactions.ts"

/** One block. Source: docs/interface.md 3.16. */
export const Block = Schema.Struct({
  /** Hash of the block. */
  block_hash: id,
  /** Height, as text. Two blocks of a fork have the same. */
  height: integerId,
  /** When the block was agreed upon. */
  consensus_time: timestamp,
  /** What its maker wrote as its time. */
  miner_time: timestamp,
  /** Number of its transactions, as text. */
  n_transactions: integer,
  /** Number of its balance updates, as text. */
  n_balance_updates: integer,
  /** Hash of the block before. */
  parent_block_hash: text,
  /** The number that miners vary until the hash is low enough. */
  nonce: text,
  /** Data that whoever made the block put into it. */
  extra_data: text,
  /** Version of the format of the block. */
  version: text,
  /** How hard it was to find the block. */
  difficulty: decimal,
  /** Bytes, as text. */
  physical_size: integer,
  /** Size in the unit of the chain's consensus, as text. */
  consensus_size: integer,
  /** The largest size that the rules of the chain allow, as text. */
  consensus_size_limit: integer,
  /** Present where the block is not on the main chain. */
  stale: text
})
export interface Block extends Schema.Schema.Type<typeof Block> {}

/** One block with everything in it. Source: docs/interface.md 3.16. */
export const FullBlock = Schema.Struct({
  ...Block.fields,
  /** The transactions of the block, each with its balance updates. */
  transactions: many<InnerTransaction>(InnerTransaction),
  /** Updates outside of any transaction. */
  balance_updates: many<InnerBalanceUpdate>(InnerBalanceUpdate)
})
export interface FullBlock extends Schema.Schema.Type<typeof FullBlock> {}

/** Parameters of {@link blocks}. Source: docs/interface.md 4.11. */
export const BlocksParams = Schema.Struct({
  ...Shared.path,
  ...Shared.blockHashes,
  /** Heights of blocks; one at the community root. */
  heights: Params.entities(Params.list),
  ...Shared.chain,
  ...Shared.list
}).check(Params.atMostOne("start_time", "start_height"), Params.atMostOne("end_time", "end_height"))
export interface BlocksParams extends Schema.Schema.Type<typeof BlocksParams> {}

/**
 * Lists the blocks of a chain, ordered by height, then by hash.
 *
 * **Gotchas**
 *
 * With `chain: "all"` a fork gives two blocks of one height. Without a range these are all blocks since the first.
 *
 * Source: docs/interface.md 4.11.
 */
export const blocks: Endpoint.Endpoint<BlocksParams, Block> = Endpoint.make("/blockchain-v2/{asset}/blocks", {
  section: "4.11",
  order: "series",
  identity: ["block_hash"],
  params: BlocksParams,
  record: Block
})

/** Parameters of {@link block}. Source: docs/interface.md 4.11. */
export const BlockParams = Schema.Struct({
  ...Shared.path,
  /** Hash of the block. */
  block_hash: Params.pathPart,
  ...Shared.single
})
export interface BlockParams extends Schema.Schema.Type<typeof BlockParams> {}

/**
 * Reads one block with its transactions and balance updates.
 *
 * **Gotchas**
 *
 * The whole block comes in one reply, of up to 64 MiB unless `limits.maxPageBytes` says otherwise.
 *
 * Source: docs/interface.md 4.11.
 */
export const block: Endpoint.Single<BlockParams, FullBlock> = Endpoint.makeSingle(
  "/blockchain-v2/{asset}/blocks/{block_hash}",
  { section: "4.11", params: BlockParams, record: FullBlock }
)

/**
 * Transactions on their way into the blocks of a chain. Source: docs/interface.md 4.12; record in 3.17.
 *
 * Not offered at the community root, and only as pages.
 */
import * as Schema from "effect/Schema"
import * as Endpoint from "../Endpoint.ts"
import { decimal, flag, id, integer, many, one, text, timestamp, word } from "../internal/wire/fields.ts"
import * as Params from "../Params.ts"

const status = word(["UNCONFIRMED", "CONFIRMED", "ROLLED_BACK", "REMOVED"])

/** What happened to a transaction. Source: docs/interface.md 3.17. */
export const StatusUpdate = Schema.Struct({
  /** When it happened. */
  time: timestamp,
  /** Where the transaction stood from then on. */
  status,
  /** Hash of the block that holds the transaction. */
  block_hash: text,
  /** Why it was taken out of the mempool. */
  removal_reason: word(["EXPIRY", "SIZE_LIMIT", "REORG", "CONFLICT", "REPLACED"]),
  /** Id of the transaction that replaced it. */
  replacement_txid: text,
  /** Height of the block, as text. */
  height: integer
})
export interface StatusUpdate extends Schema.Schema.Type<typeof StatusUpdate> {}

/** What a transaction is. Source: docs/interface.md 3.17. */
export const TransactionDetails = Schema.Struct({
  /** What the transaction moves, in native units. */
  amount: decimal,
  /** Version of the format of the transaction. */
  version: text,
  /** Whether a transaction with a higher fee may replace it. */
  replace_by_fee_supported: flag,
  /** Its fee, in native units. */
  fee: decimal,
  /** Its fee for each unit of its size. */
  feerate: decimal,
  /** Mean fee rate of the mempool when the transaction was first seen. */
  mempool_feerate_mean_at_first_seen_time: decimal,
  /** Lowest fee rate of the mempool when the transaction was first seen. */
  mempool_feerate_min_at_first_seen_time: decimal,
  /** Its size as the rules of the chain count it. */
  consensus_size: decimal,
  /** Its size in bytes. */
  physical_size: decimal
})
export interface TransactionDetails extends Schema.Schema.Type<typeof TransactionDetails> {}

/** Where and when a transaction was seen. Source: docs/interface.md 3.17. */
export const Sighting = Schema.Struct({
  /** Where it was seen. */
  location: text,
  /** When it was seen there. */
  seen_time: timestamp
})
export interface Sighting extends Schema.Schema.Type<typeof Sighting> {}

/** An address that pays or receives. Source: docs/interface.md 3.17. */
export const TransactionAddress = Schema.Struct({
  /** The address. */
  address: text
})
export interface TransactionAddress extends Schema.Schema.Type<typeof TransactionAddress> {}

/** One transaction that is followed. Source: docs/interface.md 3.17. */
export const TrackedTransaction = Schema.Struct({
  /** Id of the transaction. */
  txid: id,
  /** Time of the record. */
  time: timestamp,
  /** When the transaction was first seen. */
  first_seen_time: timestamp,
  /** When its status last changed. */
  status_update_time: timestamp,
  /** Where it stands now. */
  status,
  /** Every change of its status. */
  status_updates: many<StatusUpdate>(StatusUpdate),
  /** Amount, fee and sizes of the transaction. */
  details: one<TransactionDetails>(TransactionDetails),
  /** About where it stands in the mempool, as text. */
  mempool_approx_queue_position: text,
  /** Percent. */
  next_block_approx_settlement_probability_pct: decimal,
  /** Hash of the block that holds it; absent while none does. */
  block_hash: text,
  /** Height of the block, as text. */
  height: integer,
  /** Blocks on top of its block and the block itself, as text. */
  n_confirmations: integer,
  /** Id of the transaction that it replaces. */
  replacement_for_txid: text,
  /** Where and when it was seen. */
  geo: many<Sighting>(Sighting),
  /** Addresses that pay. */
  inputs: many<TransactionAddress>(TransactionAddress),
  /** Addresses that receive. */
  outputs: many<TransactionAddress>(TransactionAddress)
})
export interface TrackedTransaction extends Schema.Schema.Type<typeof TrackedTransaction> {}

/** Parameters of {@link transactionTracker}. Source: docs/interface.md 4.12. */
export const TransactionTrackerParams = Schema.Struct({
  /** Asset whose chain is followed: `btc` or `eth`. */
  asset: Params.pathPart,
  /** Ids of transactions. */
  txids: Params.entities(Params.list),
  /** Transactions whose replacements are read; `btc` only. */
  replacements_for_txids: Params.list,
  /** Addresses that pay or receive; `btc` only. */
  addresses: Params.list,
  /** Reads only transactions that replace another. */
  replacements_only: Params.boolean,
  /** Reads only transactions in no block yet, of `addresses`, with which it is the default. */
  unconfirmed_only: Params.boolean,
  ...Params.timeRange,
  ...Params.paging
}).check(Params.atMostOne("txids", "replacements_for_txids", "addresses"))
export interface TransactionTrackerParams extends Schema.Schema.Type<typeof TransactionTrackerParams> {}

/**
 * Reads where transactions stand: seen, in a block, replaced or removed. Not offered at the community root.
 *
 * **Gotchas**
 *
 * A snapshot: the same transaction has another `status` later.
 *
 * Source: docs/interface.md 4.12.
 */
export const transactionTracker: Endpoint.Endpoint<TransactionTrackerParams, TrackedTransaction> = Endpoint.make(
  "/blockchain/{asset}/transaction-tracker",
  {
    section: "4.12",
    order: "series",
    identity: ["txid"],
    community: false,
    params: TransactionTrackerParams,
    record: TrackedTransaction
  }
)

/** Transactions of a chain. Source: docs/interface.md 4.11 and 3.16. */
import * as Schema from "effect/Schema"
import * as Endpoint from "../../Endpoint.ts"
import { decimal, id, integer, many, text, timestamp } from "../../internal/wire/fields.ts"
import * as Params from "../../Params.ts"
import { InnerBalanceUpdate } from "./BalanceUpdates.ts"
import * as Shared from "./Params.ts"

/** One transaction. Source: docs/interface.md 3.16. */
export const Transaction = Schema.Struct({
  /** Id of the transaction. */
  txid: id,
  /** Of a transaction in both blocks of a fork there are two records. */
  block_hash: id,
  /** Height of the block, as text. */
  height: integer,
  /** Place among all transactions of the chain, as text. */
  tx_position: integer,
  /** Number of its balance updates, as text. */
  n_balance_updates: integer,
  /** Time of the block, by the rules of the chain. */
  consensus_time: timestamp,
  /** What all accounts together received. */
  amount: decimal,
  /** Time that whoever made the block gave it. */
  miner_time: timestamp,
  /** Place of its first balance update among all changes of the chain, as text. */
  min_chain_sequence_number: integer,
  /** Place of its last balance update among all changes of the chain, as text. */
  max_chain_sequence_number: integer,
  /** Bytes. */
  physical_size: decimal,
  /** Size in the unit of the chain's consensus. */
  consensus_size: decimal,
  /** Its fee. */
  fee: decimal,
  /** Version of the format of the transaction. */
  version: text,
  /** Present where the block is not on the main chain. */
  stale: text
})
export interface Transaction extends Schema.Schema.Type<typeof Transaction> {}

/** One transaction with what it changed. Source: docs/interface.md 3.16. */
export const FullTransaction = Schema.Struct({
  ...Transaction.fields,
  /** The changes of balances that it made. */
  balance_updates: many<InnerBalanceUpdate>(InnerBalanceUpdate)
})
export interface FullTransaction extends Schema.Schema.Type<typeof FullTransaction> {}

/** A transaction inside its block, which says the rest. Source: docs/interface.md 3.16. */
export const InnerTransaction = Schema.Struct({
  /** Id of the transaction. */
  txid: text,
  /** Its place within the block, as text. */
  tx_position: integer,
  /** Number of balance updates, as text. */
  n_balance_updates: integer,
  /** Time of the block, by the rules of the chain. */
  consensus_time: timestamp,
  /** What it moved. */
  amount: decimal,
  /** Time that whoever made the block gave it. */
  miner_time: timestamp,
  /** Place of its first balance update among all changes of the chain, as text. */
  min_chain_sequence_number: integer,
  /** Place of its last balance update among all changes of the chain, as text. */
  max_chain_sequence_number: integer,
  /** Present where the block is not on the main chain. */
  stale: text,
  /** The changes of balances that it made. */
  balance_updates: many<InnerBalanceUpdate>(InnerBalanceUpdate)
})
export interface InnerTransaction extends Schema.Schema.Type<typeof InnerTransaction> {}

/** Parameters of {@link transactions}. Source: docs/interface.md 4.11. */
export const TransactionsParams = Schema.Struct({
  ...Shared.path,
  ...Shared.txids,
  ...Shared.blockHashes,
  ...Shared.chain,
  ...Shared.list
}).check(Params.atMostOne("start_time", "start_height"), Params.atMostOne("end_time", "end_height"))
export interface TransactionsParams extends Schema.Schema.Type<typeof TransactionsParams> {}

/**
 * Lists the transactions of a chain, ordered by position, then by id.
 *
 * **Gotchas**
 *
 * Without a filter or a range these are all transactions since the first block.
 *
 * Source: docs/interface.md 4.11.
 */
export const transactions: Endpoint.Endpoint<TransactionsParams, Transaction> = Endpoint.make(
  "/blockchain-v2/{asset}/transactions",
  {
    section: "4.11",
    order: "series",
    identity: ["txid", "block_hash"],
    params: TransactionsParams,
    record: Transaction
  }
)

/** Parameters of {@link transaction}. Source: docs/interface.md 4.11. */
export const TransactionParams = Schema.Struct({
  ...Shared.path,
  /** Id of the transaction. */
  txid: Params.pathPart,
  ...Shared.single
})
export interface TransactionParams extends Schema.Schema.Type<typeof TransactionParams> {}

/** Reads one transaction with its balance updates. Source: docs/interface.md 4.11. */
export const transaction: Endpoint.Single<TransactionParams, FullTransaction> = Endpoint.makeSingle(
  "/blockchain-v2/{asset}/transactions/{txid}",
  { section: "4.11", params: TransactionParams, record: FullTransaction }
)

/** Parameters of {@link blockTransaction}. Source: docs/interface.md 4.11. */
export const BlockTransactionParams = Schema.Struct({
  ...Shared.path,
  /** Hash of the block. */
  block_hash: Params.pathPart,
  /** Id of the transaction. */
  txid: Params.pathPart,
  ...Shared.single
})
export interface BlockTransactionParams extends Schema.Schema.Type<typeof BlockTransactionParams> {}

/**
 * Reads one transaction as it stands in one block, with its balance updates.
 *
 * **When to use**
 *
 * For a transaction that stands in both blocks of a fork.
 *
 * Source: docs/interface.md 4.11.
 */
export const blockTransaction: Endpoint.Single<BlockTransactionParams, FullTransaction> = Endpoint.makeSingle(
  "/blockchain-v2/{asset}/blocks/{block_hash}/transactions/{txid}",
  { section: "4.11", params: BlockTransactionParams, record: FullTransaction }
)

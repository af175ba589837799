/** Records of docs/interface.md 3.16 to 3.18, and 13. */
import { either, type Fields, key, list, may, object, omit, texts, word } from "../Field.ts"
import { instrumentFields, marketKeys } from "./Reference.ts"
import { marketData } from "./Shared.ts"

/** 3.16. `export_time` is published as required and never declared. */
export const Block = {
  ...key("block_hash height:int64"),
  ...may(
    "consensus_time:time miner_time:time n_transactions:int64 n_balance_updates:int64",
    "parent_block_hash nonce extra_data version difficulty:decimal",
    "physical_size:int64 consensus_size:int64 consensus_size_limit:int64 stale"
  )
}

/** 3.16. */
export const Account = {
  ...key("account"),
  ...may(
    "type creation_height:int64 creation_chain_sequence_number:int64 creation_block_hash creation_time:time",
    "balance:decimal n_debits:int64 n_credits:int64 last_chain_sequence_number:int64",
    "last_debit_height:int64 last_credit_height:int64 denomination"
  )
}

/** 3.16. */
export const SubAccount = {
  ...key("sub_account account"),
  ...may(
    "type creation_block_hash creation_height:int64 creation_chain_sequence_number:int64 creation_time:time",
    "balance:decimal"
  )
}

/** 3.16: with `include_sub_accounts=true`. */
export const SubAccountBalance = may(
  "sub_account previous_balance:decimal new_balance:decimal total_received:decimal total_sent:decimal",
  "n_debits:int64 n_credits:int64 previous_credit_height:int64 previous_debit_height:int64",
  "previous_chain_sequence_number:int64 creation_height:int64"
)

/** 3.16. */
export const BalanceUpdate = {
  ...key("chain_sequence_number:int64 block_hash"),
  ...may(
    "account height:int64 account_creation_height:int64 transaction_sequence_number:int64",
    "n_debits:int64 n_credits:int64 consensus_time:time change:decimal previous_balance:decimal",
    "new_balance:decimal total_received:decimal total_sent:decimal credit:bool",
    "previous_debit_height:int64 previous_credit_height:int64 previous_chain_sequence_number:int64"
  ),
  ...may("rebasing_numerator:decimal rebasing_denominator:decimal rebasing_rounding_mode", "txid denomination stale", {
    sub_account: object(SubAccountBalance)
  })
}

/** 3.16: inside a block or a transaction. */
export const InnerBalanceUpdate = omit(
  BalanceUpdate,
  "block_hash height consensus_time txid credit total_received total_sent"
)

/** 3.16. */
export const Transaction = {
  ...key("txid block_hash"),
  ...may(
    "height:int64 tx_position:int64 n_balance_updates:int64 consensus_time:time amount:decimal",
    "miner_time:time min_chain_sequence_number:int64 max_chain_sequence_number:int64",
    "physical_size:decimal consensus_size:decimal fee:decimal version stale"
  )
}

const updates = may({ balance_updates: list(InnerBalanceUpdate) })

/** 3.16: by itself, with what it changed. */
export const FullTransaction = { ...Transaction, ...updates }

/** 3.16: inside a block. */
export const InnerTransaction = {
  ...omit(Transaction, "block_hash height version physical_size consensus_size fee"),
  ...updates
}

/** 3.16: by itself, with what it holds. */
export const FullBlock = { ...Block, ...may({ transactions: list(InnerTransaction) }), ...updates }

/** 3.16. */
export const RebasingChange = {
  ...key("chain_sequence_number:int64 block_hash"),
  ...may(
    "height:int64 consensus_time:time",
    "previous_rebasing_numerator:decimal previous_rebasing_denominator:decimal previous_rebasing_rounding_mode",
    "new_rebasing_numerator:decimal new_rebasing_denominator:decimal new_rebasing_rounding_mode",
    "txid stale transaction_sequence_number:int64"
  )
}

const transactionStatus = { status: word("UNCONFIRMED", "CONFIRMED", "ROLLED_BACK", "REMOVED") }

export const TransactionStatusUpdate = {
  ...may("time:time", transactionStatus),
  ...may("block_hash replacement_txid height:int64", {
    removal_reason: word("EXPIRY", "SIZE_LIMIT", "REORG", "CONFLICT", "REPLACED")
  })
}

export const TransactionDetails = {
  ...may(
    "amount:decimal",
    "version replace_by_fee_supported:bool fee:decimal feerate:decimal consensus_size:decimal",
    "physical_size:decimal mempool_feerate_mean_at_first_seen_time:decimal",
    "mempool_feerate_min_at_first_seen_time:decimal"
  )
}

export const TransactionSighting = may("location seen_time:time")

export const TransactionAddress = may("address")

/** 3.17. */
export const TrackedTransaction = {
  ...key("txid"),
  ...may("time:time first_seen_time:time status_update_time:time", {
    ...transactionStatus,
    status_updates: list(TransactionStatusUpdate),
    details: object(TransactionDetails)
  }),
  ...may(
    "mempool_approx_queue_position block_hash replacement_for_txid",
    "next_block_approx_settlement_probability_pct:decimal height:int64 n_confirmations:int64",
    { geo: list(TransactionSighting), inputs: list(TransactionAddress), outputs: list(TransactionAddress) }
  )
}

/** 3.17. */
export const Location = key("location")

/** 3.17. */
export const Owner = { ...key("owner_name"), ...may("type") }

/** 3.17. */
export const Tag = { ...key("tag"), ...may("type", "description") }

/** 3.17. */
export const TaggedEntity = {
  ...key("entity tag"),
  ...may(
    "location type tagger_type tagger_method",
    "owner_name start_time end_time start_block_height end_block_height start_block_hash end_block_hash"
  )
}

/** 3.18. */
export const SecurityAsset = {
  ...key("asset"),
  ...may(
    "code description overview website whitepaper decimals creation_date type parent_asset pricing_asset",
    "erc20_token_contract fiat:bool"
  )
}

const span = (kind: string): Fields => may(`${kind}_min_time ${kind}_max_time`)

/** 3.18. */
export const SecurityMarket: Fields = {
  ...marketKeys,
  ...may("code"),
  ...Object.assign({}, ...marketData.map(span)),
  ...may(
    "price_open:decimal price_close:decimal price_high:decimal price_low:decimal vwap:decimal volume:decimal",
    "candle_usd_volume:decimal candle_trades_count:int64"
  ),
  ...instrumentFields
}

/** 13.3. */
export const JobAccountBalance = { ...key("account balance:decimal"), ...may("asset") }

/** 13.3. */
export const JobBalanceUpdate = {
  ...key("account change:decimal"),
  ...may(
    "previous_balance:decimal new_balance:decimal consensus_time:time",
    "asset block_hash height:int64 slot:int64 txid reason"
  )
}

/** 13.3. */
export const JobTransaction = {
  ...key("txid n_balance_updates:int64"),
  ...may(
    "consensus_time:time miner_time:time amount:decimal block_hash height:int64",
    { balance_updates: either(JobBalanceUpdate) },
    "asset slot:int64"
  )
}

export const JobError = { ...may("type", "message") }

export const JobResult = may("url")

/** 13.2. The published schema gives the times no form. */
export const Job = {
  ...key("id"),
  ...may({ status: word("running", "completed", "failed", "expired") }, "creation_time:time"),
  ...may("completion_time:time expiration_time:time", {
    error: object(JobError),
    results: list(JobResult),
    warnings: texts
  })
}

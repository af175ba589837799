/** Changes of balances. Source: docs/interface.md 4.11 and 3.16. */
import * as Schema from "effect/Schema"
import * as Endpoint from "../../Endpoint.ts"
import { decimal, flag, id, integer, integerId, one, text, timestamp } from "../../internal/wire/fields.ts"
import * as Params from "../../Params.ts"
import * as Shared from "./Params.ts"

/** The part of an account that an update changed, with `include_sub_accounts`. Source: docs/interface.md 3.16. */
export const SubAccountBalance = Schema.Struct({
  /** Name of the part of the account. */
  sub_account: text,
  /** Balance before the change. */
  previous_balance: decimal,
  /** Balance after the change. */
  new_balance: decimal,
  /** All that it has received until then. */
  total_received: decimal,
  /** All that it has sent until then. */
  total_sent: decimal,
  /** Number of changes that lowered the balance until then, as text. */
  n_debits: integer,
  /** Number of changes that raised the balance until then, as text. */
  n_credits: integer,
  /** Height of the block that raised the balance before, as text. */
  previous_credit_height: integer,
  /** Height of the block that lowered the balance before, as text. */
  previous_debit_height: integer,
  /** Place of the change before among all changes of the chain, as text. */
  previous_chain_sequence_number: integer,
  /** Height of the block that made the part, as text. */
  creation_height: integer
})
export interface SubAccountBalance extends Schema.Schema.Type<typeof SubAccountBalance> {}

/** One change of the balance of one account. Source: docs/interface.md 3.16. */
export const BalanceUpdate = Schema.Struct({
  /** Place among all changes of the chain, as text. Two blocks of a fork may have the same. */
  chain_sequence_number: integerId,
  /** Hash of the block. */
  block_hash: id,
  /** The account whose balance changed. */
  account: text,
  /** Height of the block, as text. */
  height: integer,
  /** Height of the block that made the account, as text. */
  account_creation_height: integer,
  /** Place within the transaction, as text. */
  transaction_sequence_number: integer,
  /** Debits of the account up to this one, as text. */
  n_debits: integer,
  /** Credits of the account up to this one, as text. */
  n_credits: integer,
  /** Time of the block, by the rules of the chain. */
  consensus_time: timestamp,
  /** Below zero where the account paid. */
  change: decimal,
  /** Balance before the change. */
  previous_balance: decimal,
  /** Balance after the change. */
  new_balance: decimal,
  /** All that the account received up to this update. */
  total_received: decimal,
  /** All that the account sent up to this update. */
  total_sent: decimal,
  /** Whether the account received. */
  credit: flag,
  /** Height of the block that lowered the balance before, as text. */
  previous_debit_height: integer,
  /** Height of the block that raised the balance before, as text. */
  previous_credit_height: integer,
  /** Place of the change before among all changes of the chain, as text. */
  previous_chain_sequence_number: integer,
  /** Numerator of the factor by which balances are multiplied. */
  rebasing_numerator: decimal,
  /** Denominator of the factor by which balances are multiplied. */
  rebasing_denominator: decimal,
  /** How products with the factor are rounded. */
  rebasing_rounding_mode: text,
  /** Absent where the update stands outside of any transaction. */
  txid: text,
  /** Unit of the amounts; absent where it is the asset's own. */
  denomination: text,
  /** Present where the block is not on the main chain. */
  stale: text,
  /** The part of the account that changed, with its balance; with `include_sub_accounts` only. */
  sub_account: one<SubAccountBalance>(SubAccountBalance)
})
export interface BalanceUpdate extends Schema.Schema.Type<typeof BalanceUpdate> {}

/** A balance update inside its block or transaction, which says the rest. Source: docs/interface.md 3.16. */
export const InnerBalanceUpdate = Schema.Struct({
  /** Place among all changes of the chain, as text. */
  chain_sequence_number: integer,
  /** The account whose balance changed. */
  account: text,
  /** Height of the block that made the account, as text. */
  account_creation_height: integer,
  /** Place within the transaction, as text. */
  transaction_sequence_number: integer,
  /** Number of changes that lowered the balance until then, as text. */
  n_debits: integer,
  /** Number of changes that raised the balance until then, as text. */
  n_credits: integer,
  /** Below zero where the account paid. */
  change: decimal,
  /** Balance before the change. */
  previous_balance: decimal,
  /** Balance after the change. */
  new_balance: decimal,
  /** Height of the block that lowered the balance before, as text. */
  previous_debit_height: integer,
  /** Height of the block that raised the balance before, as text. */
  previous_credit_height: integer,
  /** Place of the change before among all changes of the chain, as text. */
  previous_chain_sequence_number: integer,
  /** Numerator of the factor by which balances are multiplied. */
  rebasing_numerator: decimal,
  /** Denominator of the factor by which balances are multiplied. */
  rebasing_denominator: decimal,
  /** How products with the factor are rounded. */
  rebasing_rounding_mode: text,
  /** Unit of the amounts; absent where it is the asset's own. */
  denomination: text,
  /** Present where the block is not on the main chain. */
  stale: text,
  /** The part of the account that changed, with its balance; with `include_sub_accounts` only. */
  sub_account: one<SubAccountBalance>(SubAccountBalance)
})
export interface InnerBalanceUpdate extends Schema.Schema.Type<typeof InnerBalanceUpdate> {}

const filters = {
  ...Shared.txids,
  ...Shared.blockHashes,
  ...Shared.denominations,
  ...Shared.sequenceRange,
  ...Shared.subAccounts,
  ...Shared.chain,
  ...Shared.list
}

/** Parameters of {@link balanceUpdates}. Source: docs/interface.md 4.11. */
export const BalanceUpdatesParams = Schema.Struct({
  ...Shared.path,
  ...Shared.accounts,
  /**
   * Keeps the latest so many updates of each account, or with `paging_from: "start"` the earliest. Disabled at the community
   * root, where it is always 100: there `paging_from: "end"` gives the latest updates.
   */
  limit_per_account: Params.paidOnly(Params.limitPer),
  /** Sub-accounts that the updates changed. Not taken at the community root. */
  sub_accounts: Params.paidOnly(Params.list),
  ...filters
}).check(Params.atMostOne("start_time", "start_height"), Params.atMostOne("end_time", "end_height"))
export interface BalanceUpdatesParams extends Schema.Schema.Type<typeof BalanceUpdatesParams> {}

/**
 * Lists changes of balances, ordered by sequence number, then by block.
 *
 * **Gotchas**
 *
 * Without a filter or a range these are all changes of the chain since its first block; at the community root, of the last 30
 * days.
 *
 * Source: docs/interface.md 4.11.
 */
export const balanceUpdates: Endpoint.Endpoint<BalanceUpdatesParams, BalanceUpdate> = Endpoint.make(
  "/blockchain-v2/{asset}/balance-updates",
  {
    section: "4.11",
    order: "series",
    identity: ["chain_sequence_number", "block_hash"],
    params: BalanceUpdatesParams,
    record: BalanceUpdate
  }
)

/** Parameters of {@link accountBalanceUpdates}. Source: docs/interface.md 4.11. */
export const AccountBalanceUpdatesParams = Schema.Struct({
  ...Shared.path,
  /** The account. */
  account: Params.pathPart,
  /** Adds the other accounts of each transaction, in a form that is not published. */
  include_counterparties: Params.detail(Params.boolean),
  ...filters
}).check(Params.atMostOne("start_time", "start_height"), Params.atMostOne("end_time", "end_height"))
export interface AccountBalanceUpdatesParams extends Schema.Schema.Type<typeof AccountBalanceUpdatesParams> {}

/**
 * Lists the changes of one account's balance, ordered by sequence number, then by block. Not offered at the community
 * root.
 *
 * **Gotchas**
 *
 * An account that the chain does not know fails with `NotFound`.
 *
 * Source: docs/interface.md 4.11.
 */
export const accountBalanceUpdates: Endpoint.Endpoint<AccountBalanceUpdatesParams, BalanceUpdate> = Endpoint.make(
  "/blockchain-v2/{asset}/accounts/{account}/balance-updates",
  {
    section: "4.11",
    order: "series",
    identity: ["chain_sequence_number", "block_hash"],
    community: false,
    params: AccountBalanceUpdatesParams,
    record: BalanceUpdate
  }
)

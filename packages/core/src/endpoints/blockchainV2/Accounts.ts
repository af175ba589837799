/** Accounts of a chain, and changes of what its units are worth. Source: docs/interface.md 4.11 and 3.16. */
import * as Schema from "effect/Schema"
import * as Endpoint from "../../Endpoint.ts"
import { decimal, id, integer, integerId, text, timestamp } from "../../internal/wire/fields.ts"
import * as Params from "../../Params.ts"
import * as Shared from "./Params.ts"

const creation = {
  /** Kind of the account. */
  type: text,
  /** Height of the block that made it, as text. */
  creation_height: integer,
  /** Place of the change that made it among all changes of the chain, as text. */
  creation_chain_sequence_number: integer,
  /** Hash of the block that made it. */
  creation_block_hash: text,
  /** Time of the block that made it. */
  creation_time: timestamp
}

/** One account: an address, a contract, or what else holds a balance. Source: docs/interface.md 3.16. */
export const Account = Schema.Struct({
  /** The account, such as an address. */
  account: id,
  ...creation,
  /** Its balance now. */
  balance: decimal,
  /** Number of changes that lowered its balance, as text. */
  n_debits: integer,
  /** Number of changes that raised its balance, as text. */
  n_credits: integer,
  /** Place of its last change among all changes of the chain, as text. */
  last_chain_sequence_number: integer,
  /** Height of the last block that lowered its balance, as text. */
  last_debit_height: integer,
  /** Height of the last block that raised its balance, as text. */
  last_credit_height: integer,
  /** Unit of the balance; absent where it is the asset's own. */
  denomination: text
})
export interface Account extends Schema.Schema.Type<typeof Account> {}

/** One part of an account. Source: docs/interface.md 3.16. */
export const SubAccount = Schema.Struct({
  /** Name of the part. */
  sub_account: id,
  /** The account that it is a part of. */
  account: id,
  ...creation,
  /** Its balance now. */
  balance: decimal
})
export interface SubAccount extends Schema.Schema.Type<typeof SubAccount> {}

/** Parameters of {@link accounts} and {@link subAccounts}. Source: docs/interface.md 4.11. */
export const AccountsParams = Schema.Struct({
  ...Shared.path,
  ...Shared.accounts,
  ...Shared.sequenceRange,
  ...Shared.list
}).check(Params.atMostOne("start_time", "start_height"), Params.atMostOne("end_time", "end_height"))
export interface AccountsParams extends Schema.Schema.Type<typeof AccountsParams> {}

/**
 * Lists the accounts of a chain, ordered by their creation, then by name.
 *
 * **Gotchas**
 *
 * The range is that of their creation. Without a filter or a range these are all accounts of the chain.
 *
 * Source: docs/interface.md 4.11.
 */
export const accounts: Endpoint.Endpoint<AccountsParams, Account> = Endpoint.make("/blockchain-v2/{asset}/accounts", {
  section: "4.11",
  order: "series",
  identity: ["account"],
  params: AccountsParams,
  record: Account
})

/**
 * Lists the parts of accounts, ordered by their creation, then by account.
 *
 * **Gotchas**
 *
 * The range is that of their creation.
 *
 * Source: docs/interface.md 4.11.
 */
export const subAccounts: Endpoint.Endpoint<AccountsParams, SubAccount> = Endpoint.make(
  "/blockchain-v2/{asset}/sub-accounts",
  { section: "4.11", order: "series", identity: ["sub_account", "account"], params: AccountsParams, record: SubAccount }
)

/** A change of the factor by which balances are multiplied. Source: docs/interface.md 3.16. */
export const RebasingChange = Schema.Struct({
  /** Place among all changes of the chain, as text. */
  chain_sequence_number: integerId,
  /** Hash of the block. */
  block_hash: id,
  /** Height of the block, as text. */
  height: integer,
  /** Time of the block, by the rules of the chain. */
  consensus_time: timestamp,
  /** Numerator of the factor before the change. */
  previous_rebasing_numerator: decimal,
  /** Denominator of the factor before the change. */
  previous_rebasing_denominator: decimal,
  /** How products with the factor were rounded before the change. */
  previous_rebasing_rounding_mode: text,
  /** Numerator of the factor after the change. */
  new_rebasing_numerator: decimal,
  /** Denominator of the factor after the change. */
  new_rebasing_denominator: decimal,
  /** How products with the factor are rounded after the change. */
  new_rebasing_rounding_mode: text,
  /** Id of the transaction that made the change. */
  txid: text,
  /** Present where the block is not on the main chain. */
  stale: text,
  /** Place among the changes of its transaction, as text. */
  transaction_sequence_number: integer
})
export interface RebasingChange extends Schema.Schema.Type<typeof RebasingChange> {}

/** Parameters of {@link rebasingChanges}. Source: docs/interface.md 4.11. */
export const RebasingChangesParams = Schema.Struct({
  ...Shared.path,
  ...Shared.txids,
  ...Shared.blockHashes,
  ...Shared.sequenceRange,
  ...Shared.chain,
  ...Shared.list
}).check(Params.atMostOne("start_time", "start_height"), Params.atMostOne("end_time", "end_height"))
export interface RebasingChangesParams extends Schema.Schema.Type<typeof RebasingChangesParams> {}

/**
 * Lists changes of the factor by which balances are multiplied, ordered by sequence number, then by block. Source:
 * docs/interface.md 4.11.
 */
export const rebasingChanges: Endpoint.Endpoint<RebasingChangesParams, RebasingChange> = Endpoint.make(
  "/blockchain-v2/{asset}/rebasing-changes",
  {
    section: "4.11",
    order: "series",
    identity: ["chain_sequence_number", "block_hash"],
    params: RebasingChangesParams,
    record: RebasingChange
  }
)

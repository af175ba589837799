/**
 * Accounts of a chain, and changes of what its units are worth. Source: docs/interface.md 4.11 and 3.16.
 */
import * as Schema from "effect/Schema"
import * as Endpoint from "../../Endpoint.ts"
import { decimal, id, integer, integerId, text, timestamp } from "../../internal/wire/fields.ts"
import * as Params from "../../Params.ts"
import * as Shared from "./Params.ts"

const creation = {
  type: text,
  /** Height of the block that made it, as text. */
  creation_height: integer,
  /** Place of the change that made it among all changes of the chain, as text. */
  creation_chain_sequence_number: integer,
  creation_block_hash: text,
  creation_time: timestamp
}

/** One account: an address, a contract, or what else holds a balance. Source: docs/interface.md 3.16. */
export const Account = Schema.Struct({
  account: id,
  ...creation,
  /** Its balance now. */
  balance: decimal,
  n_debits: integer,
  n_credits: integer,
  last_chain_sequence_number: integer,
  last_debit_height: integer,
  last_credit_height: integer,
  denomination: text
})
export interface Account extends Schema.Schema.Type<typeof Account> {}

/** One part of an account. Source: docs/interface.md 3.16. */
export const SubAccount = Schema.Struct({
  sub_account: id,
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
  {
    section: "4.11",
    order: "series",
    identity: ["sub_account", "account"],
    params: AccountsParams,
    record: SubAccount
  }
)

/** A change of the factor by which balances are multiplied. Source: docs/interface.md 3.16. */
export const RebasingChange = Schema.Struct({
  /** Place among all changes of the chain, as text. */
  chain_sequence_number: integerId,
  block_hash: id,
  /** Height of the block, as text. */
  height: integer,
  consensus_time: timestamp,
  previous_rebasing_numerator: decimal,
  previous_rebasing_denominator: decimal,
  previous_rebasing_rounding_mode: text,
  new_rebasing_numerator: decimal,
  new_rebasing_denominator: decimal,
  new_rebasing_rounding_mode: text,
  txid: text,
  /** Present where the block is not on the main chain. */
  stale: text,
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

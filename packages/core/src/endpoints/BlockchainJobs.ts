/**
 * Jobs that compute large results over chains in the background. Source: docs/interface.md 13.
 *
 * Not offered at the community root. Each call starts a job of its own.
 */
import * as Schema from "effect/Schema"
import { Decimal } from "../Decimal.ts"
import { decimal, id, integer, integerId, one, text, timestamp } from "../internal/wire/fields.ts"
import * as Job from "../Job.ts"
import * as Parameter from "../Parameter.ts"
import * as Params from "../Params.ts"
import * as Jobs from "./Jobs.ts"

/** What every record of a job has. */
const common = {
  /** Only in the results of a job that was started for several assets, or for `*`. */
  asset: text
}

/** The balance of one account. Source: docs/interface.md 13.3. */
export const AccountBalance = Schema.Struct({
  ...common,
  /** The account, such as an address. */
  account: id,
  /** In native units. A record without it is of a job of another kind, and is refused. */
  balance: Decimal
})
export interface AccountBalance extends Schema.Schema.Type<typeof AccountBalance> {}

/** One change of the balance of an account. Amounts are in native units. Source: docs/interface.md 13.3. */
export const BalanceUpdate = Schema.Struct({
  ...common,
  /** The account, such as an address. */
  account: id,
  /** Negative for a debit. A record without it is of a job of another kind, and is refused. */
  change: Decimal,
  /** Balance before the change. */
  previous_balance: decimal,
  /** Balance after the change. */
  new_balance: decimal,
  /** Time of the block, by the rules of the chain. */
  consensus_time: timestamp,
  /** Hash of the block. */
  block_hash: text,
  /** Whole number as text. */
  height: integer,
  /** Whole number as text. */
  slot: integer,
  /** Id of the transaction. */
  txid: text,
  /** Why the balance changed. */
  reason: text
})
export interface BalanceUpdate extends Schema.Schema.Type<typeof BalanceUpdate> {}

/** One change of a balance within a transaction, as {@link BalanceUpdate}. Source: docs/interface.md 13.3. */
export const TransactionUpdate = Schema.Struct({
  ...BalanceUpdate.fields,
  /** The account, such as an address. */
  account: text,
  /** Negative for a debit. */
  change: decimal
})
export interface TransactionUpdate extends Schema.Schema.Type<typeof TransactionUpdate> {}

/** One transaction. Source: docs/interface.md 13.3. */
export const Transaction = Schema.Struct({
  ...common,
  /** Id of the transaction. */
  txid: id,
  /** Time of the block, by the rules of the chain. */
  consensus_time: timestamp,
  /** By the miner's clock. */
  miner_time: timestamp,
  /** Whole number as text. A record without it is of a job of another kind, and is refused. */
  n_balance_updates: integerId,
  /** In native units. */
  amount: decimal,
  /** Hash of the block. */
  block_hash: text,
  /** Whole number as text. */
  height: integer,
  /** Whole number as text. */
  slot: integer,
  /** A list, or a single object: both are published. {@link updatesOf} reads either. */
  balance_updates: one<TransactionUpdate | ReadonlyArray<TransactionUpdate>>(
    Schema.Union([Schema.Array(TransactionUpdate), TransactionUpdate])
  )
})
export interface Transaction extends Schema.Schema.Type<typeof Transaction> {}

/** Lists the changes of balances of a transaction; none where it does not say. */
export const updatesOf = ({ balance_updates }: Transaction): ReadonlyArray<TransactionUpdate> => {
  if (balance_updates === undefined || balance_updates === null) return []
  // Type boundary: `isArray` does not narrow a readonly array.
  return Array.isArray(balance_updates) ? balance_updates : [balance_updates as TransactionUpdate]
}

const whole = Params.integer(0, Number.MAX_SAFE_INTEGER)

/** These parameters may be given only with one asset. */
const ofOneAsset = (...names: ReadonlyArray<string>) =>
  Schema.makeFilter((params: { readonly assets: Params.List }) => {
    const name = names.find((name) => Reflect.get(params, name) !== undefined)
    const [asset, ...others] = Params.items(params.assets)
    const isOne = others.length === 0 && asset !== "*"
    return name === undefined || isOne || { path: [name], issue: 'cannot be combined with several "assets"' }
  })

const chain = {
  /** Asset tickers, or `*` for all that have jobs. With several, each record names its asset. */
  assets: Params.requiredList
}

const accounts = {
  ...chain,
  /** Names of accounts. Of `eth_cl`, public keys or indexes of validators. */
  accounts: Params.requiredList
}

/** Parameters of {@link accountBalances}. Source: docs/interface.md 13.1. */
export const AccountBalancesParams = Schema.Struct({
  ...accounts,
  /**
   * The moment of the balances. Exactly one of `at_time`, `at_slot` and `at_height` is required. Give a time: which moment of
   * its day a date means is not published.
   */
  at_time: Params.time,
  /** The slot of the balances, of one asset. */
  at_slot: whole,
  /** The height of the block of the balances, of one asset. */
  at_height: whole
}).check(
  Params.atMostOne("at_time", "at_slot", "at_height"),
  Parameter.atLeastOne("at_time", "at_slot", "at_height"),
  ofOneAsset("at_slot", "at_height")
)
export interface AccountBalancesParams extends Schema.Schema.Type<typeof AccountBalancesParams> {}

/**
 * Starts a job for the balances of accounts at one moment, and reads them. Not offered at the community root. Source:
 * docs/interface.md 13.1.
 */
export const accountBalances: Job.Job<AccountBalancesParams, AccountBalance> = Job.make(
  "/blockchain-job/account-balances",
  { section: "13.1", params: AccountBalancesParams, record: AccountBalance, statuses: Jobs.list }
)

/** Parameters of {@link balanceUpdates}. Source: docs/interface.md 13.1. */
export const BalanceUpdatesParams = Schema.Struct({
  ...accounts,
  /** Earliest time, included. Exactly one range is required, with both of its ends. */
  start_time: Params.startTime,
  /** Latest time, included. A date is its whole day. */
  end_time: Params.endTime,
  /** First height, included; of one asset. */
  start_height: Params.startHeight,
  /** Last height, included. */
  end_height: Params.endHeight,
  /** First slot, included; of one asset. */
  start_slot: whole,
  /** Last slot, included. */
  end_slot: whole
}).check(
  Parameter.atMostOnePair("start_time", "end_time", "start_height", "end_height", "start_slot", "end_slot"),
  Parameter.atLeastOne("start_time", "start_height", "start_slot"),
  ofOneAsset("start_height", "end_height", "start_slot", "end_slot")
)
export interface BalanceUpdatesParams extends Schema.Schema.Type<typeof BalanceUpdatesParams> {}

/**
 * Starts a job for the changes of the balances of accounts, and reads them. Not offered at the community root. Source:
 * docs/interface.md 13.1.
 */
export const balanceUpdates: Job.Job<BalanceUpdatesParams, BalanceUpdate> = Job.make(
  "/blockchain-job/balance-updates",
  { section: "13.1", params: BalanceUpdatesParams, record: BalanceUpdate, statuses: Jobs.list }
)

/** Parameters of {@link transactions}. Source: docs/interface.md 13.1. */
export const TransactionsParams = Schema.Struct({
  ...chain,
  /** Ids of transactions. */
  txids: Params.requiredList
})
export interface TransactionsParams extends Schema.Schema.Type<typeof TransactionsParams> {}

/**
 * Starts a job for transactions by their ids, and reads them. Not offered at the community root. Source:
 * docs/interface.md 13.1.
 */
export const transactions: Job.Job<TransactionsParams, Transaction> = Job.make("/blockchain-job/transactions", {
  section: "13.1",
  params: TransactionsParams,
  record: Transaction,
  statuses: Jobs.list
})

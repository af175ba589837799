/** The records of a chain as the service writes them (docs/interface.md 3.16). */
import type { Asset } from "../Assets.ts"
import * as Blocks from "../Blocks.ts"
import { nanos } from "../../internal/time/Calendar.ts"
import { below } from "../../internal/random/Noise.ts"
import * as Ledger from "./Ledger.ts"

/** Of a block that is not stale, nothing is said. */
const stale = ({ isStale }: Ledger.Block) => (isStale ? "true" : undefined)

const timeOf = (asset: Asset, height: number) => nanos(Blocks.timeAt(asset, height))

// A miner's clock is up to a minute ahead of the consensus.
const minedAt = (asset: Asset, height: number) =>
  nanos(Blocks.timeAt(asset, height) + below(asset.seed + 3, height, 60) * 1000)

export const block = (asset: Asset, self: Ledger.Block) => {
  const { height, isStale } = self
  return {
    block_hash: Ledger.hashOf(asset, self),
    height: String(height),
    consensus_time: timeOf(asset, height),
    miner_time: minedAt(asset, height),
    n_transactions: String(isStale ? 1 : Ledger.countTransactions(height)),
    n_balance_updates: String(isStale ? 2 : Ledger.countUpdates(height)),
    parent_block_hash: Blocks.hash(asset, height - 1),
    ...(asset.kind === "work" ? { nonce: String(below(asset.seed + 4, height, 2 ** 32)), version: "536870912" } : {}),
    stale: stale(self)
  }
}

const isRebasing = (asset: Asset) => asset.asset === "eth"

/** The factor in force while a block is made. */
const factor = (height: number) => 1_000_000 + Math.ceil(height / 10)

/** The factor as fields; their names begin as is said. */
const rebasing = (name: string, height: number) => ({
  [`${name}numerator`]: String(factor(height)),
  [`${name}denominator`]: "1000000",
  [`${name}rounding_mode`]: "FLOOR"
})

const text = (number: number | undefined) => (number === undefined ? undefined : String(number))

const subAccount = (asset: Asset, update: Ledger.Update, before: Ledger.Standing) => {
  const name = Ledger.subAccountOf(asset, update.account)
  return (
    name && {
      sub_account: name,
      previous_balance: Ledger.written(before.previous),
      new_balance: Ledger.written(before.previous + update.change),
      creation_height: String(update.account)
    }
  )
}

/** What a change of a balance says wherever it stands. */
export const innerUpdate = (asset: Asset, update: Ledger.Update, withSubAccounts: boolean) => {
  const before = Ledger.standingOf(asset, update.account, Ledger.sequenceOf(update))
  const isDebit = update.change < 0
  return {
    chain_sequence_number: String(Ledger.sequenceOf(update)),
    account: Ledger.nameOf(asset, update.account),
    account_creation_height: String(Math.max(0, update.account)),
    transaction_sequence_number: String(update.index % 2),
    n_debits: String(before.debits + (isDebit ? 1 : 0)),
    n_credits: String(before.credits + (isDebit ? 0 : 1)),
    change: Ledger.written(update.change),
    previous_balance: Ledger.written(before.previous),
    new_balance: Ledger.written(before.previous + update.change),
    previous_debit_height: text(before.lastDebit),
    previous_credit_height: text(before.lastCredit),
    previous_chain_sequence_number: text(before.lastSequence),
    ...(isRebasing(asset) ? rebasing("rebasing_", update.height) : {}),
    denomination: asset.asset,
    stale: stale(update),
    sub_account: withSubAccounts ? subAccount(asset, update, before) : undefined
  }
}

export const update = (asset: Asset, self: Ledger.Update, withSubAccounts: boolean) => {
  const before = Ledger.standingOf(asset, self.account, Ledger.sequenceOf(self))
  const { chain_sequence_number, ...inner } = innerUpdate(asset, self, withSubAccounts)
  return {
    chain_sequence_number,
    block_hash: Ledger.hashOf(asset, self),
    height: String(self.height),
    consensus_time: timeOf(asset, self.height),
    txid: Ledger.txidOf(asset, self),
    credit: self.change >= 0,
    total_received: Ledger.written(before.received + Math.max(0, self.change)),
    total_sent: Ledger.written(before.sent + Math.max(0, -self.change)),
    ...inner
  }
}

const innerTransaction = (asset: Asset, self: Ledger.Transaction) => {
  const { height, place } = self
  return {
    txid: Ledger.txidOf(asset, self),
    tx_position: String(height * Ledger.width + place),
    n_balance_updates: "2",
    consensus_time: timeOf(asset, height),
    amount: Ledger.written(Ledger.amountOf(asset, self)),
    miner_time: minedAt(asset, height),
    min_chain_sequence_number: String(Ledger.sequenceOf({ height, index: 2 * place })),
    max_chain_sequence_number: String(Ledger.sequenceOf({ height, index: 2 * place + 1 })),
    stale: stale(self)
  }
}

export const transaction = (asset: Asset, self: Ledger.Transaction) => {
  const { txid, ...inner } = innerTransaction(asset, self)
  return {
    txid,
    block_hash: Ledger.hashOf(asset, self),
    height: String(self.height),
    ...inner,
    physical_size: "275",
    fee: "0.00000000",
    version: "1"
  }
}

const updatesOf = (asset: Asset, self: Ledger.Transaction, withSubAccounts: boolean) => ({
  balance_updates: Ledger.updatesOf(asset, self).map((update) => innerUpdate(asset, update, withSubAccounts))
})

export const fullTransaction = (asset: Asset, self: Ledger.Transaction, withSubAccounts: boolean) => ({
  ...transaction(asset, self),
  ...updatesOf(asset, self, withSubAccounts)
})

export const fullBlock = (asset: Asset, self: Ledger.Block, withSubAccounts: boolean) => ({
  ...block(asset, self),
  transactions: Ledger.transactionsOf(self).map((transaction) => ({
    ...innerTransaction(asset, transaction),
    ...updatesOf(asset, transaction, withSubAccounts)
  })),
  balance_updates: []
})

const creation = (asset: Asset, account: number) => {
  const height = Math.max(0, account)
  return {
    creation_height: String(height),
    creation_chain_sequence_number: String(creationOf(account)),
    creation_block_hash: Blocks.hash(asset, height),
    creation_time: timeOf(asset, height)
  }
}

export const creationOf = (account: number): number =>
  account === Ledger.treasury ? 1 : Ledger.sequenceOf({ height: account, index: 0 })

export const account = (asset: Asset, self: number) => {
  const { credits, debits, lastCredit, lastDebit, lastSequence, previous } = Ledger.standingOf(asset, self)
  return {
    account: Ledger.nameOf(asset, self),
    type: self === Ledger.treasury ? "CONTRACT" : "ACCOUNT",
    ...creation(asset, self),
    balance: Ledger.written(previous),
    n_debits: String(debits),
    n_credits: String(credits),
    last_chain_sequence_number: text(lastSequence),
    last_debit_height: text(lastDebit),
    last_credit_height: text(lastCredit),
    denomination: asset.asset
  }
}

export const part = (asset: Asset, self: number) => ({
  sub_account: Ledger.subAccountOf(asset, self) ?? "",
  account: Ledger.nameOf(asset, self),
  type: "RESERVE",
  ...creation(asset, self),
  balance: Ledger.written(Ledger.standingOf(asset, self).previous)
})

/** The place of a change of the factor in its block: behind all changes of balances. */
export const rebasingIndex = 900_000

/** A change of the factor, which each tenth block brings. */
export const rebasingChange = (asset: Asset, self: Ledger.Block) => ({
  chain_sequence_number: String(Ledger.sequenceOf({ height: self.height, index: rebasingIndex })),
  block_hash: Ledger.hashOf(asset, self),
  height: String(self.height),
  consensus_time: timeOf(asset, self.height),
  ...rebasing("previous_rebasing_", self.height),
  ...rebasing("new_rebasing_", self.height + 1),
  txid: Ledger.txidOf(asset, { ...self, place: 0 }),
  transaction_sequence_number: "2"
})

/**
 * What the blocks of a chain hold: transactions, and the changes of balances they make (docs/interface.md 3.16).
 *
 * Each block makes an account, named by its height, and pays it a reward of 50 in its first transaction, with half a unit
 * more to the treasury of the chain. A block may have up to three further transactions: number `p` moves an amount from
 * the account made `p` blocks ago to the one made ten blocks before that. So an account has at most seven changes, all
 * known from its height, never goes below zero, and every balance is the sum of its changes. Nothing is stored.
 *
 * Each fiftieth block has a stale rival of its height, with a first transaction alone.
 */
import type { Asset } from "../Assets.ts"
import * as Blocks from "../Blocks.ts"
import { below, hex, mix } from "../../internal/random/Noise.ts"

/** A block of the main chain, or its stale rival. */
export interface Block {
  readonly height: number
  readonly isStale: boolean
}

export interface Transaction extends Block {
  readonly place: number
}

/** A change of one account. Amounts are in halves of a unit, which are exact. */
export interface Update extends Transaction {
  /** Place among the changes of its block. */
  readonly index: number
  readonly account: number
  readonly change: number
}

/** The account of a chain to which each block pays. */
export const treasury = -1

/** So many changes a block may have in its sequence numbers. */
export const width = 1_000_000

const reward = 100
const sizes = [1, 3, 2, 4, 2, 3, 1, 4, 2, 2]

export const countTransactions = (height: number): number => (height < 16 ? 1 : (sizes[height % 10] ?? 1))
export const countUpdates = (height: number): number => 2 * countTransactions(height)
export const isForked = (height: number): boolean => height % 50 === 17

const encoded = (asset: Asset, salt: number, n: number) =>
  ((n ^ mix(asset.seed, salt)) >>> 0).toString(16).padStart(8, "0")

const decoded = (asset: Asset, salt: number, digits: string) =>
  (Number.parseInt(digits, 16) ^ mix(asset.seed, salt)) >>> 0

export const hashOf = (asset: Asset, { height, isStale }: Block): string =>
  isStale
    ? `${"0".repeat(8)}${encoded(asset, 80, height)}${hex(asset.seed + 9, height, 48)}`
    : Blocks.hash(asset, height)

export const blockOf = (asset: Asset, hash: string): Block | undefined => {
  const height = Blocks.heightOf(asset, hash)
  if (height !== undefined) return { height, isStale: false }
  const block = { height: decoded(asset, 80, hash.slice(8, 16)), isStale: true }
  return block.height <= Blocks.last(asset) && isForked(block.height) && hashOf(asset, block) === hash
    ? block
    : undefined
}

export const txidOf = (asset: Asset, { height, isStale, place }: Transaction): string =>
  `${encoded(asset, 79, height)}${isStale ? "f" : place}${hex(asset.seed + 11, height * 8 + place, 55)}`

export const transactionOf = (asset: Asset, txid: string): Transaction | undefined => {
  const height = decoded(asset, 79, txid.slice(0, 8))
  const isStale = txid.charAt(8) === "f"
  const place = isStale ? 0 : Number(txid.charAt(8))
  const known = isStale ? isForked(height) : place < countTransactions(height)
  const transaction = { height, isStale, place }
  return height <= Blocks.last(asset) && known && txidOf(asset, transaction) === txid ? transaction : undefined
}

export const nameOf = (asset: Asset, account: number): string =>
  account === treasury
    ? `treasury-${asset.asset}`
    : `${encoded(asset, 78, account)}${hex(asset.seed + 13, account, 32)}`

export const accountOf = (asset: Asset, name: string): number | undefined => {
  if (name === nameOf(asset, treasury)) return treasury
  const account = decoded(asset, 78, name.slice(0, 8))
  return account <= Blocks.last(asset) && nameOf(asset, account) === name ? account : undefined
}

/** The name of the part of an account through which all its changes go, where it has one. */
export const subAccountOf = (asset: Asset, account: number): string | undefined =>
  account >= 0 && account % 2 === 0 ? `${nameOf(asset, account)}-1` : undefined

export const amountOf = (asset: Asset, { height, place }: Transaction): number =>
  place === 0 ? reward + 1 : 1 + below(asset.seed + place, height, 16)

/** The changes that a transaction makes: the debit first. */
export const updatesOf = (asset: Asset, transaction: Transaction): ReadonlyArray<Update> => {
  const { height, place } = transaction
  const update = (n: number, account: number, change: number): Update => ({
    ...transaction,
    index: 2 * place + n,
    account,
    change
  })
  if (place === 0) return [update(0, height, reward), update(1, treasury, 1)]
  const amount = amountOf(asset, transaction)
  return [update(0, height - place, -amount), update(1, height - place - 10, amount)]
}

export const transactionsOf = ({ height, isStale }: Block): ReadonlyArray<Transaction> =>
  Array.from({ length: isStale ? 1 : countTransactions(height) }, (_, place) => ({ height, isStale, place }))

export const blocksAt = (height: number, withStale: boolean): ReadonlyArray<Block> => [
  { height, isStale: false },
  ...(withStale && isForked(height) ? [{ height, isStale: true }] : [])
]

/** The changes of an account on the main chain, in order; of the treasury, those up to one of its own. */
export const history = (asset: Asset, account: number): ReadonlyArray<Update> => {
  const last = Blocks.last(asset)
  const found = (height: number, place: number) =>
    height <= last && place < countTransactions(height)
      ? updatesOf(asset, { height, isStale: false, place }).filter((update) => update.account === account)
      : []
  return [
    ...found(account, 0),
    ...[1, 2, 3].flatMap((place) => found(account + place, place)),
    ...[1, 2, 3].flatMap((place) => found(account + place + 10, place))
  ]
}

export const sequenceOf = ({ height, index }: Pick<Update, "height" | "index">): number => height * width + index

const standingAfter = (updates: ReadonlyArray<Pick<Update, "change" | "height" | "index">>) => {
  const debits = updates.filter(({ change }) => change < 0)
  const credits = updates.filter(({ change }) => change >= 0)
  const sum = (some: typeof updates) => some.reduce((total, { change }) => total + Math.abs(change), 0)
  const last = updates.at(-1)
  return {
    previous: sum(credits) - sum(debits),
    received: sum(credits),
    sent: sum(debits),
    debits: debits.length,
    credits: credits.length,
    lastDebit: debits.at(-1)?.height,
    lastCredit: credits.at(-1)?.height,
    lastSequence: last && sequenceOf(last)
  }
}

export type Standing = ReturnType<typeof standingAfter>

/** What an account has come to before a sequence number; all of it where none is given. */
export const standingOf = (asset: Asset, account: number, before = Number.POSITIVE_INFINITY): Standing => {
  if (account !== treasury) {
    return standingAfter(history(asset, account).filter((update) => sequenceOf(update) < before))
  }
  // One change in each block.
  const count = Math.min(Blocks.last(asset) + 1, Math.ceil((before - 1) / width))
  if (count === 0) return standingAfter([])
  const last = standingAfter([{ change: 1, height: count - 1, index: 1 }])
  return { ...last, previous: count, received: count, credits: count }
}

export const written = (halves: number): string => (halves / 2).toFixed(8)

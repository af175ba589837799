/**
 * PUT /blockchain-job/*: what a job is asked to compute (docs/interface.md 13.1), and its records (13.3).
 *
 * **Details**
 *
 * The blocks of the stand-in have no slots, so a slot is refused. Some names of accounts and ids of transactions say what
 * becomes of a job: `sandbox-queued` and `sandbox-running` leave it as it is, `sandbox-failed` and `sandbox-expired` end it
 * so, and `sandbox-array` and `sandbox-plain` change the form of its files.
 */
import * as Effect from "effect/Effect"
import * as Assets from "../../data/Assets.ts"
import * as Blocks from "../../data/Blocks.ts"
import * as Ledger from "../../data/chain/Ledger.ts"
import * as Records from "../../data/chain/Records.ts"
import type { Rows } from "../../internal/jobs/File.ts"
import * as Task from "../../internal/jobs/Task.ts"
import * as Query from "../../internal/request/Query.ts"
import * as Refusal from "../../internal/request/Refusal.ts"

/** An operation that starts jobs. */
export interface Start {
  readonly path: string
  /** Reads the form of a request. */
  readonly task: (form: Query.Query) => Effect.Effect<Task.Task, Refusal.Refusal>
}

const chainOf = Effect.fnUntraced(function* (form: Query.Query) {
  const assets = yield* Query.required(form, "assets")
  const [name = "", second] = assets
  if (second !== undefined) return yield* Refusal.badParameter("assets", "Only one asset is supported.")
  const asset = Assets.find(name)
  return asset === undefined || !Blocks.has(asset) ? yield* Refusal.unsupported("assets", name) : asset
})

const named = Effect.fnUntraced(function* (form: Query.Query, list: string) {
  const names = yield* Query.required(form, list)
  const wishes = new Set(names.flatMap((name) => Task.wishOf(name) ?? []))
  return { names: names.filter((name) => Task.wishOf(name) === undefined), wishes }
})

const height = (form: Query.Query, name: string) =>
  Query.integer(form, name, { minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

const instant = Effect.fnUntraced(function* (form: Query.Query, name: string) {
  return (yield* Query.instant(form, name, yield* Query.zone(form)))?.ms
})

const noSlots = (form: Query.Query, ...names: ReadonlyArray<string>) => {
  const name = names.find((name) => form.has(name))
  return name === undefined ? Effect.void : Effect.fail(Refusal.badParameter(name, "The chain has no slots."))
}

const rowsOf = <A>(items: ReadonlyArray<A>, record: (item: A) => object): Rows => ({
  length: items.length,
  rows: (from, to) => items.slice(from, to).map((item) => JSON.stringify(record(item)))
})

const accountBalances: Start = {
  path: "/blockchain-job/account-balances",
  task: Effect.fnUntraced(function* (form) {
    const asset = yield* chainOf(form)
    const { names, wishes } = yield* named(form, "accounts")
    const moments = ["at_time", "at_slot", "at_height"]
    yield* Query.atMostOne(form, moments)
    if (!moments.some((name) => form.has(name))) {
      return yield* Refusal.badParameter("at_time", `One of ${moments.join(", ")} is required.`)
    }
    yield* noSlots(form, "at_slot")
    const time = yield* instant(form, "at_time")
    const at = (yield* height(form, "at_height")) ?? (time === undefined ? 0 : Blocks.from(asset, time + 1) - 1)
    const balance = (account: string) => {
      const known = Ledger.accountOf(asset, account)
      const halves = known === undefined ? 0 : Ledger.standingOf(asset, known, (at + 1) * Ledger.width).previous
      return { account, balance: Ledger.written(halves) }
    }
    return { ...rowsOf(names, balance), wishes }
  })
}

const rangeOf = Effect.fnUntraced(function* (form: Query.Query, asset: Assets.Asset) {
  const pairs = ["time", "height", "slot"].map((unit) => [`start_${unit}`, `end_${unit}`] as const)
  const given = pairs.filter((pair) => pair.some((name) => form.has(name)))
  const [pair, second] = given
  if (second !== undefined) return yield* Refusal.exclusive(second[0], pair?.[0] ?? "")
  const lonely = pair?.find((name) => !form.has(name))
  if (lonely !== undefined) return yield* Refusal.badParameter(lonely, "Missing required parameter.")
  yield* noSlots(form, "start_slot", "end_slot")
  const [from, to] = [yield* instant(form, "start_time"), yield* instant(form, "end_time")]
  if (from !== undefined && to !== undefined) return [Blocks.from(asset, from), Blocks.from(asset, to + 1) - 1] as const
  const last = Blocks.last(asset)
  const [first, end] = [(yield* height(form, "start_height")) ?? 0, (yield* height(form, "end_height")) ?? last]
  return [first, Math.min(end, last)] as const
})

const inner = (asset: Assets.Asset, update: Ledger.Update) => {
  const { account, change, new_balance, previous_balance } = Records.innerUpdate(asset, update, false)
  return { account, change, previous_balance, new_balance }
}

const update = (asset: Assets.Asset, self: Ledger.Update) => {
  const { block_hash, consensus_time, height, txid } = Records.update(asset, self, false)
  return { ...inner(asset, self), consensus_time, block_hash, height, txid }
}

/** The changes of the treasury in some blocks: one in each. */
const treasury = (asset: Assets.Asset, first: number, last: number): Rows => ({
  length: Math.max(0, last - first + 1),
  rows: (from, to) =>
    Array.from({ length: to - from }, (_, index) => {
      const transaction = { height: first + from + index, isStale: false, place: 0 }
      const own = Ledger.updatesOf(asset, transaction).filter(({ account }) => account === Ledger.treasury)
      return own.map((one) => JSON.stringify(update(asset, one))).join("")
    })
})

const balanceUpdates: Start = {
  path: "/blockchain-job/balance-updates",
  task: Effect.fnUntraced(function* (form) {
    const asset = yield* chainOf(form)
    const { names, wishes } = yield* named(form, "accounts")
    const [first, last] = yield* rangeOf(form, asset)
    const accounts = names.flatMap((name) => Ledger.accountOf(asset, name) ?? [])
    // Alone, because its changes are too many to be kept.
    if (accounts.length === 1 && accounts[0] === Ledger.treasury) return { ...treasury(asset, first, last), wishes }
    const updates = accounts
      .filter((account) => account !== Ledger.treasury)
      .flatMap((account) => Ledger.history(asset, account))
      .filter(({ height }) => height >= first && height <= last)
    return { ...rowsOf(updates, (one) => update(asset, one)), wishes }
  })
}

const transactions: Start = {
  path: "/blockchain-job/transactions",
  task: Effect.fnUntraced(function* (form) {
    const asset = yield* chainOf(form)
    const { names, wishes } = yield* named(form, "txids")
    const found = names.flatMap((txid) => Ledger.transactionOf(asset, txid) ?? [])
    const record = (transaction: Ledger.Transaction) => {
      const { amount, block_hash, consensus_time, height, miner_time, n_balance_updates, txid } = Records.transaction(
        asset,
        transaction
      )
      const balance_updates = Ledger.updatesOf(asset, transaction).map((one) => inner(asset, one))
      return { txid, consensus_time, miner_time, n_balance_updates, amount, block_hash, height, balance_updates }
    }
    return { ...rowsOf(found, record), wishes }
  })
}

/** Every operation that starts jobs, by its path. */
export const all: ReadonlyMap<string, Start> = new Map(
  [accountBalances, balanceUpdates, transactions].map((start) => [start.path, start])
)

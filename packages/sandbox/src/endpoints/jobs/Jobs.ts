/**
 * Jobs: GET /jobs, and PUT /blockchain-job/*, what a job is asked to compute (docs/interface.md 13.1), and its records (13.3).
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
import type { Dialect } from "../../Dialect.ts"
import * as Ledger from "../../data/chain/Ledger.ts"
import * as Records from "../../data/chain/Records.ts"
import * as File from "../../internal/jobs/File.ts"
import * as Endpoint from "../../internal/listing/Endpoint.ts"
import * as Query from "../../internal/request/Query.ts"
import * as Refusal from "../../internal/request/Refusal.ts"
import * as Instant from "../../internal/time/Instant.ts"
import * as Reference from "../Reference.ts"
import * as Select from "../blockchainV2/Select.ts"

export interface Start {
  readonly path: string
  /** Reads the form of a request, whose fields were checked and have their defaults. */
  readonly task: (form: Query.Query, dialect: Dialect) => Effect.Effect<File.Task, Refusal.Refusal>
}

/** The chains of a job. Where they may be several, each record names its own. */
interface Chains {
  readonly assets: ReadonlyArray<Assets.Asset>
  readonly named: (asset: Assets.Asset) => { readonly asset?: string }
}

const chainsOf = Effect.fnUntraced(function* (form: Query.Query) {
  const names = Query.list(form, "assets") ?? []
  if (names.includes("*")) return several(Assets.all.filter(Blocks.has))
  const assets = yield* Effect.forEach(names, (name) => Select.chainOf("assets", name))
  if (assets.length > 1) return several(assets)
  return { assets, named: () => ({}) } satisfies Chains
})

const several = (assets: ReadonlyArray<Assets.Asset>): Chains => ({ assets, named: ({ asset }) => ({ asset }) })

const oneChain = (form: Query.Query, { assets }: Chains, ...names: ReadonlyArray<string>) => {
  const name = names.find((name) => form.has(name))
  return assets.length === 1 || name === undefined
    ? Effect.void
    : Effect.fail(Refusal.badParameter(name, "It cannot be used with more than one asset."))
}

const named = Effect.fnUntraced(function* (form: Query.Query, list: string) {
  const names = Query.list(form, list) ?? []
  const wishes = new Set(names.flatMap((name) => File.wishOf(name) ?? []))
  return { names: names.filter((name) => File.wishOf(name) === undefined), wishes }
})

const instant = Effect.fnUntraced(function* (form: Query.Query, name: string) {
  return (yield* Query.instant(form, name, yield* Query.zone(form)))?.ms
})

const noSlots = (form: Query.Query, ...names: ReadonlyArray<string>) => {
  const name = names.find((name) => form.has(name))
  return name === undefined ? Effect.void : Effect.fail(Refusal.badParameter(name, "The chain has no slots."))
}

const rowsOf = <A>(items: ReadonlyArray<A>, record: (item: A) => object): File.Rows => ({
  length: items.length,
  rows: (from, to) => items.slice(from, to).map((item) => JSON.stringify(record(item)))
})

const concat = (parts: ReadonlyArray<File.Rows>): File.Rows => ({
  length: parts.reduce((sum, { length }) => sum + length, 0),
  rows: (from, to) => {
    let begin = 0
    return parts.flatMap(({ length, rows }) => {
      const [first, last] = [Math.max(0, from - begin), Math.min(length, to - begin)]
      begin += length
      return first < last ? rows(first, last) : []
    })
  }
})

const accountBalances: Start = {
  path: "/blockchain-job/account-balances",
  task: Effect.fnUntraced(function* (form) {
    const chains = yield* chainsOf(form)
    const { names, wishes } = yield* named(form, "accounts")
    yield* oneChain(form, chains, "at_slot", "at_height")
    yield* noSlots(form, "at_slot")
    const time = yield* instant(form, "at_time")
    const asked = Query.integer(form, "at_height")
    const balances = (asset: Assets.Asset) => {
      const at = asked ?? (time === undefined ? 0 : Blocks.from(asset, time + 1) - 1)
      return rowsOf(names, (account) => {
        const known = Ledger.accountOf(asset, account)
        const halves = known === undefined ? 0 : Ledger.standingOf(asset, known, (at + 1) * Ledger.width).previous
        return { ...chains.named(asset), account, balance: Ledger.written(halves) }
      })
    }
    return { ...concat(chains.assets.map(balances)), wishes }
  })
}

const fromInstant = (asset: Assets.Asset, instant: Instant.Instant) => Blocks.from(asset, Instant.wholeMs(instant))

const rangeOf = Effect.fnUntraced(function* (form: Query.Query, dialect: Dialect, chains: Chains) {
  yield* oneChain(form, chains, "start_height", "end_height", "start_slot", "end_slot")
  yield* noSlots(form, "start_slot", "end_slot")
  const { end: to, start: from } = yield* Query.range(form, dialect)
  const [first = 0, end = 0] = [Query.integer(form, "start_height"), Query.integer(form, "end_height")]
  return (asset: Assets.Asset) =>
    from === undefined || to === undefined
      ? ([first, Math.min(end, Blocks.last(asset))] as const)
      : ([fromInstant(asset, from), Math.min(fromInstant(asset, to) - 1, Blocks.last(asset))] as const)
})

const inner = (asset: Assets.Asset, update: Ledger.Update) => {
  const { account, change, new_balance, previous_balance } = Records.innerUpdate(asset, update, false)
  return { account, change, previous_balance, new_balance }
}

const update = (asset: Assets.Asset, self: Ledger.Update) => {
  const { block_hash, consensus_time, height, txid } = Records.update(asset, self, false)
  return { ...inner(asset, self), consensus_time, block_hash, height, txid }
}

type Write = (update: Ledger.Update) => object

/** The changes of the treasury in some blocks: one in each, too many to be kept. */
const treasury = (asset: Assets.Asset, first: number, last: number, write: Write): File.Rows => ({
  length: Math.max(0, last - first + 1),
  rows: (from, to) =>
    Array.from({ length: to - from }, (_, index) => {
      const transaction = { height: first + from + index, isStale: false, place: 0 }
      const own = Ledger.updatesOf(asset, transaction).filter(({ account }) => account === Ledger.treasury)
      return own.map((one) => JSON.stringify(write(one))).join("")
    })
})

const balanceUpdates: Start = {
  path: "/blockchain-job/balance-updates",
  task: Effect.fnUntraced(function* (form, dialect) {
    const chains = yield* chainsOf(form)
    const { names, wishes } = yield* named(form, "accounts")
    const range = yield* rangeOf(form, dialect, chains)
    const updates = chains.assets.flatMap((asset) => {
      const [first, last] = range(asset)
      const write: Write = (one) => ({ ...chains.named(asset), ...update(asset, one) })
      return names.flatMap((name) => {
        const account = Ledger.accountOf(asset, name)
        if (account === undefined) return []
        if (account === Ledger.treasury) return treasury(asset, first, last, write)
        const own = Ledger.history(asset, account).filter(({ height }) => height >= first && height <= last)
        return rowsOf(own, write)
      })
    })
    return { ...concat(updates), wishes }
  })
}

const transactions: Start = {
  path: "/blockchain-job/transactions",
  task: Effect.fnUntraced(function* (form, dialect) {
    const chains = yield* chainsOf(form)
    const { names, wishes } = yield* named(form, "txids")
    const record = (asset: Assets.Asset) => (transaction: Ledger.Transaction) => {
      const { amount, block_hash, consensus_time, height, miner_time, n_balance_updates, txid } = Records.transaction(
        asset,
        transaction
      )
      const updates = Ledger.updatesOf(asset, transaction).map((one) => inner(asset, one))
      const balance_updates = dialect.balanceUpdates === "object" ? updates[0] : updates
      const common = { txid, consensus_time, miner_time, n_balance_updates, amount, block_hash, height }
      return { ...chains.named(asset), ...common, balance_updates }
    }
    const found = chains.assets.map((asset) =>
      rowsOf(
        names.flatMap((txid) => Ledger.transactionOf(asset, txid) ?? []),
        record(asset)
      )
    )
    return { ...concat(found), wishes }
  })
}

export const starts: ReadonlyMap<string, Start> = new Map(
  [accountBalances, balanceUpdates, transactions].map((start) => [start.path, start])
)

/** GET /jobs (docs/interface.md 13.2). A caller without jobs has none that it could be told of. */
export const jobs = Endpoint.source("/jobs", function* (query, caller) {
  const ids = Query.list(query, "ids") ?? []
  const withWarnings = Query.flag(query, "include_warnings")
  const jobs = caller.jobs?.(ids) ?? []
  return Reference.listing(jobs, (job) => (withWarnings ? { ...job, warnings: [] } : job))
})

/** The chain data of docs/interface.md 4.11. */
import * as Effect from "effect/Effect"
import type { Asset } from "../../data/Assets.ts"
import * as Blocks from "../../data/Blocks.ts"
import * as Counted from "../../data/chain/Counted.ts"
import * as Ledger from "../../data/chain/Ledger.ts"
import * as Records from "../../data/chain/Records.ts"
import * as Endpoint from "../../internal/listing/Endpoint.ts"
import type * as Listing from "../../internal/listing/Listing.ts"
import * as Paging from "../../internal/listing/Paging.ts"
import type { Caller } from "../../internal/request/Caller.ts"
import * as Query from "../../internal/request/Query.ts"
import * as Refusal from "../../internal/request/Refusal.ts"
import * as Select from "./Select.ts"

const path = "/blockchain-v2/{asset}"

type List = (
  asset: Asset,
  query: Query.Query,
  parts: Endpoint.Parts,
  caller: Caller
) => Effect.fn.Return<Listing.Listing, Refusal.Refusal>

// The chain of one asset is said to be late, so that there are warnings (docs/interface.md 2.8).
const late = [{ type: "asset_delayed", message: "The chain is some blocks behind." }]

const list = (name: string, read: List, isWarned = true): Endpoint.Source =>
  Endpoint.source(`${path}/${name}`, function* (query, caller, parts) {
    const asset = yield* Select.chain(parts)
    const listing = yield* read(asset, query, parts, caller)
    return isWarned && asset.asset === "etc" ? { ...listing, warnings: late } : listing
  })

const noAccount = (name: string) => Refusal.unknown(`Account '${name}'`)

/** Reads a list that names records, and gives what was found of each. */
const items = Effect.fnUntraced(function* <A>(
  query: Query.Query,
  name: string,
  find: (item: string) => A | undefined,
  refuse = (item: string) => Refusal.unsupported(name, item)
) {
  const named = Query.list(query, name)
  if (named === undefined) return undefined
  const isLenient = Query.flag(query, "ignore_unsupported_errors")
  const found: Array<A> = []
  for (const item of named) {
    const one = find(item)
    if (one !== undefined) found.push(one)
    else if (!isLenient) return yield* refuse(item)
  }
  return found
})

const isSameBlock = (a: Ledger.Block, b: Ledger.Block) => a.height === b.height && a.isStale === b.isStale
const heightOf = ({ height }: Ledger.Block) => height

const isSameTransaction = (a: Ledger.Transaction, b: Ledger.Transaction) => a.place === b.place && isSameBlock(a, b)

const byBlock = Effect.fnUntraced(function* (query: Query.Query, asset: Asset) {
  const blocks = yield* items(query, "block_hashes", (hash) => Ledger.blockOf(asset, hash))
  return Select.filter(blocks, (block) => [block.height], isSameBlock)
})

const byPlace = Effect.fnUntraced(function* (query: Query.Query, asset: Asset) {
  const found = yield* items(query, "txids", (txid) => Ledger.transactionOf(asset, txid))
  const byTransaction = Select.filter(found, (one) => [one.height], isSameTransaction)
  return [...byTransaction, ...(yield* byBlock(query, asset))]
})

const blocksOf = (asset: Asset, withStale: boolean): Select.Kind<Ledger.Block> => ({
  at: (height) => Ledger.blocksAt(height, withStale),
  heightOf,
  numberOf: heightOf,
  nameOf: (block) => Ledger.hashOf(asset, block),
  record: (block) => Records.block(asset, block)
})

const blocks = list("blocks", function* (asset, query, _parts, caller) {
  const kind = blocksOf(asset, Select.withStale(query))
  const heights = yield* items(query, "heights", (text) => (/^\d{1,15}$/.test(text) ? Number(text) : undefined))
  const known = heights?.filter((height) => height <= Blocks.last(asset))
  const byHeight = Select.filter(
    known,
    (height) => [height],
    (block: Ledger.Block, height) => block.height === height
  )
  const filters = [...byHeight, ...(yield* byBlock(query, asset))]
  return yield* Select.list(query, caller, asset, { kind, filters, since: Select.firstOf(caller) })
})

const transactions = list("transactions", function* (asset, query, _parts, caller) {
  const withStale = Select.withStale(query)
  const kind: Select.Kind<Ledger.Transaction> = {
    at: (height) => Ledger.blocksAt(height, withStale).flatMap(Ledger.transactionsOf),
    ...Select.transactions(asset),
    record: (transaction) => Records.transaction(asset, transaction)
  }
  const filters = yield* byPlace(query, asset)
  return yield* Select.list(query, caller, asset, { kind, filters, since: Select.firstOf(caller) })
})

const updatesOf = (asset: Asset, withStale: boolean, withSubAccounts: boolean): Select.Kind<Ledger.Update> => ({
  at: (height) =>
    Ledger.blocksAt(height, withStale)
      .flatMap(Ledger.transactionsOf)
      .flatMap((transaction) => Ledger.updatesOf(asset, transaction)),
  heightOf,
  numberOf: Ledger.sequenceOf,
  nameOf: (update) => Ledger.hashOf(asset, update),
  record: (update) => Records.update(asset, update, withSubAccounts)
})

const updates = Effect.fnUntraced(function* (asset: Asset, query: Query.Query) {
  const withSubAccounts = Query.flag(query, "include_sub_accounts")
  const kind = updatesOf(asset, Select.withStale(query), withSubAccounts)
  const denominations = yield* items(query, "denominations", (name) => (name === asset.asset ? name : undefined))
  const none: ReadonlyArray<Select.Filter<Ledger.Update>> =
    denominations?.length === 0 ? [{ heights: [], keeps: () => false }] : []
  const filters = [...none, ...(yield* byPlace(query, asset))]
  return { kind, filters } satisfies Select.Narrowed<Ledger.Update>
})

const only = (
  asset: Asset,
  account: number,
  { filters, kind, ...rest }: Select.Narrowed<Ledger.Update>
): Select.Narrowed<Ledger.Update> => {
  const keeps = (update: Ledger.Update) => update.account === account
  if (account !== Ledger.treasury) {
    const heights = Ledger.history(asset, account).map(({ height }) => height)
    return { ...rest, kind, filters: [{ heights, keeps }, ...filters] }
  }
  // It has a change in each block, so it is counted rather than searched for.
  return { ...rest, kind: { ...kind, at: (height) => kind.at(height).filter(keeps) }, filters }
}

const limited = (limit: Paging.Limit) => (source: Counted.Source<Ledger.Update>) => {
  const counts = new Map<number, number>()
  const all = Array.from({ length: source.length }, (_, position) => source.at(position))
  const isFromStart = limit.from === "start"
  const taken = (isFromStart ? all : all.toReversed()).filter(({ account }) => {
    const count = (counts.get(account) ?? 0) + 1
    counts.set(account, count)
    return count <= limit.count
  })
  const kept = isFromStart ? taken : taken.toReversed()
  // Type boundary: positions asked for are below the length.
  return { length: kept.length, at: (position: number) => kept[position] as Ledger.Update }
}

const isOf = (update: Ledger.Update, account: number) => update.account === account

const balanceUpdates = list("balance-updates", function* (asset, query, _parts, caller) {
  const all = { ...(yield* updates(asset, query)), since: Select.firstOf(caller) }
  const accounts = yield* items(query, "accounts", (name) => Ledger.accountOf(asset, name), noAccount)
  // Fixed at the community root; of the stand-in only where accounts are named.
  const isFixed = caller.isCommunity && accounts !== undefined
  const counted = isFixed ? new Map([...query, ["limit_per_account", "100"]]) : query
  const limit = Paging.limit(counted, caller, "limit_per_account")
  const parts = Query.list(query, "sub_accounts")
  const [first, ...others] = accounts ?? []
  if (first === Ledger.treasury && others.length === 0) {
    // It has a change in each block, so its places are counted, and none is looked at.
    const some = (source: Counted.Source<Ledger.Update>) => {
      const count = Math.min(limit?.count ?? source.length, source.length)
      const begin = limit?.from === "start" ? 0 : source.length - count
      return Counted.slice(source, begin, begin + count)
    }
    return yield* Select.list(query, caller, asset, { ...only(asset, first, all), limit: some })
  }
  if (limit !== undefined && accounts === undefined) {
    return yield* Refusal.badParameter("limit_per_account", "The stand-in takes it with 'accounts' alone.")
  }
  const heightsOf = (account: number) =>
    account === Ledger.treasury ? ("all" as const) : Ledger.history(asset, account).map(heightOf)
  const owners = parts
    ?.map((part) => Ledger.accountOf(asset, part.replace(/-1$/, "")) ?? Number.NaN)
    .filter((owner) => Ledger.subAccountOf(asset, owner) !== undefined)
  const byAccount = Select.filter(accounts, heightsOf, isOf)
  const byPart = Select.filter(owners, heightsOf, isOf)
  return yield* Select.list(query, caller, asset, {
    ...all,
    filters: [...byAccount, ...byPart, ...all.filters],
    ...(limit === undefined ? {} : { limit: limited(limit) })
  })
})

const accountBalanceUpdates = list("accounts/{account}/balance-updates", function* (asset, query, parts, caller) {
  const name = parts.get("account") ?? ""
  const account = Ledger.accountOf(asset, name)
  if (account === undefined) return yield* noAccount(name)
  return yield* Select.list(query, caller, asset, only(asset, account, yield* updates(asset, query)))
})

const accountHeight = (account: number) => Math.max(0, account)

const accountList = (
  name: string,
  at: (height: number) => ReadonlyArray<number>,
  record: (asset: Asset, account: number) => object
) =>
  list(
    name,
    function* (asset, query, _parts, caller) {
      const kind: Select.Kind<number> = {
        at,
        heightOf: accountHeight,
        numberOf: Records.creationOf,
        nameOf: (account) => Ledger.nameOf(asset, account),
        record: (account) => record(asset, account)
      }
      const found = yield* items(query, "accounts", (name) => Ledger.accountOf(asset, name), noAccount)
      const filters = Select.filter(
        found,
        (account) => [accountHeight(account)],
        (item: number, one) => item === one
      )
      return yield* Select.list(query, caller, asset, { kind, filters })
    },
    false
  )

const accounts = accountList("accounts", (height) => (height === 0 ? [0, Ledger.treasury] : [height]), Records.account)
const subAccounts = accountList("sub-accounts", (height) => (height % 2 === 0 ? [height] : []), Records.part)

const rebasingChanges = list("rebasing-changes", function* (asset, query, _parts, caller) {
  if (asset.asset !== "eth") return yield* Refusal.unsupported("asset", asset.asset)
  const kind: Select.Kind<Ledger.Transaction> = {
    at: (height) => (height % 10 === 0 ? [{ height, isStale: false, place: 0 }] : []),
    heightOf,
    numberOf: ({ height }) => Ledger.sequenceOf({ height, index: Records.rebasingIndex }),
    nameOf: (block) => Ledger.hashOf(asset, block),
    record: (block) => Records.rebasingChange(asset, block)
  }
  const filters = yield* byPlace(query, asset)
  return yield* Select.list(query, caller, asset, { kind, filters, since: Select.firstOf(caller) })
})

const single = (
  name: string,
  find: (asset: Asset, parts: Endpoint.Parts, withSubAccounts: boolean) => Effect.fn.Return<object, Refusal.Refusal>
): Endpoint.Source =>
  Endpoint.source(`${path}/${name}`, function* (query, _caller, parts) {
    const asset = yield* Select.chain(parts)
    const record = yield* find(asset, parts, Query.flag(query, "include_sub_accounts"))
    return { length: 1, rows: () => [JSON.stringify(record)], nameAt: () => "", positionOf: () => undefined }
  })

/** Finds what a part of the path names, or refuses it; in which words is not known. */
const part = <A>(parts: Endpoint.Parts, name: string, find: (text: string) => A | undefined) => {
  const text = parts.get(name) ?? ""
  const found = find(text)
  return found === undefined ? Effect.fail(Refusal.unknown(`'${text}'`)) : Effect.succeed(found)
}

const block = single("blocks/{block_hash}", function* (asset, parts, withSubAccounts) {
  const block = yield* part(parts, "block_hash", (hash) => Ledger.blockOf(asset, hash))
  return Records.fullBlock(asset, block, withSubAccounts)
})

const transaction = single("transactions/{txid}", function* (asset, parts, withSubAccounts) {
  const transaction = yield* part(parts, "txid", (txid) => Ledger.transactionOf(asset, txid))
  return Records.fullTransaction(asset, transaction, withSubAccounts)
})

const blockTransaction = single("blocks/{block_hash}/transactions/{txid}", function* (asset, parts, withSubAccounts) {
  const block = yield* part(parts, "block_hash", (hash) => Ledger.blockOf(asset, hash))
  const transaction = yield* part(parts, "txid", (txid) => {
    const found = Ledger.transactionOf(asset, txid)
    return found !== undefined && isSameBlock(found, block) ? found : undefined
  })
  return Records.fullTransaction(asset, transaction, withSubAccounts)
})

export const all: ReadonlyArray<Endpoint.Source> = [
  blocks,
  accounts,
  subAccounts,
  transactions,
  balanceUpdates,
  rebasingChanges,
  accountBalanceUpdates,
  block,
  transaction,
  blockTransaction
]

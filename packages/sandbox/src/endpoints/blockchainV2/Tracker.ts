/**
 * GET /blockchain/{asset}/transaction-tracker and /blockchain-metadata/* (docs/interface.md 3.17 and 4.12).
 *
 * The stand-in follows the transactions of its blocks, all of which are confirmed and none of which replaces another. Its
 * tags are those of the treasuries of its chains.
 */
import * as Effect from "effect/Effect"
import * as Assets from "../../data/Assets.ts"
import * as Blocks from "../../data/Blocks.ts"
import { nanos } from "../../internal/time/Calendar.ts"
import * as Ledger from "../../data/chain/Ledger.ts"
import * as ChainData from "../../data/ChainData.ts"
import * as Endpoint from "../../internal/listing/Endpoint.ts"
import * as Query from "../../internal/request/Query.ts"
import * as Refusal from "../../internal/request/Refusal.ts"
import * as Reference from "../Reference.ts"
import * as Select from "./Select.ts"

const record = (asset: Assets.Asset, transaction: Ledger.Transaction) => {
  const { height } = transaction
  const time = Blocks.timeAt(asset, height)
  const block_hash = Blocks.hash(asset, height)
  const seen = nanos(time - 90_000)
  const updates = Ledger.updatesOf(asset, transaction)
  const addresses = (isPaying: boolean) =>
    updates
      .filter(({ change }) => change < 0 === isPaying)
      .map(({ account }) => ({ address: Ledger.nameOf(asset, account) }))
  return {
    txid: Ledger.txidOf(asset, transaction),
    time: nanos(time),
    first_seen_time: seen,
    status_update_time: nanos(time),
    status: "CONFIRMED",
    status_updates: [
      { time: seen, status: "UNCONFIRMED" },
      { time: nanos(time), status: "CONFIRMED", block_hash, height: String(height) }
    ],
    details: { amount: Ledger.written(Ledger.amountOf(asset, transaction)), fee: "0.00000000", physical_size: "275" },
    block_hash,
    height: String(height),
    n_confirmations: String(Blocks.last(asset) - height + 1),
    inputs: addresses(true),
    outputs: addresses(false)
  }
}

const kindOf = (asset: Assets.Asset): Select.Kind<Ledger.Transaction> => ({
  at: (height) => Ledger.transactionsOf({ height, isStale: false }),
  ...Select.transactions(asset),
  record: (transaction) => record(asset, transaction)
})

const nothing: Select.Filter<Ledger.Transaction> = { heights: [], keeps: () => false }

const heightsOf = ({ height }: Ledger.Transaction) => [height]
const isSame = (a: Ledger.Transaction, b: Ledger.Transaction) => a.height === b.height && a.place === b.place

const filters = Effect.fnUntraced(function* (query: Query.Query, asset: Assets.Asset) {
  // Of addresses it is the default.
  const unconfirmed = query.has("unconfirmed_only") ? Query.flag(query, "unconfirmed_only") : query.has("addresses")
  if (unconfirmed && !query.has("addresses")) {
    return yield* Refusal.badParameter("unconfirmed_only", "It needs 'addresses'.")
  }
  const replacements = Query.flag(query, "replacements_only")
  if (unconfirmed || replacements || query.has("replacements_for_txids")) return [nothing]
  const txids = Query.list(query, "txids")
  const addresses = Query.list(query, "addresses")
  if (txids !== undefined) {
    // A transaction that nobody has seen is no error: it may still come.
    const found = txids.flatMap((txid) => Ledger.transactionOf(asset, txid) ?? []).filter(({ isStale }) => !isStale)
    return Select.filter(found, heightsOf, isSame)
  }
  if (addresses === undefined) return []
  const accounts = addresses.flatMap((address) => Ledger.accountOf(asset, address) ?? [])
  const updates = accounts.filter((account) => account !== Ledger.treasury).flatMap((one) => Ledger.history(asset, one))
  return Select.filter(updates, heightsOf, isSame)
})

const tracker = Endpoint.source("/blockchain/{asset}/transaction-tracker", function* (query, caller, parts) {
  const asset = yield* Select.chain(parts)
  if (!ChainData.transactions.some((followed) => followed.asset === asset.asset)) {
    return yield* Refusal.unsupported("asset", asset.asset)
  }
  return yield* Select.list(query, caller, asset, { kind: kindOf(asset), filters: yield* filters(query, asset) })
})

const chains = Assets.all.filter(Blocks.has)

const tags = [
  { tag: "CONTRACT", type: "KIND", description: "Is run by the chain itself." },
  { tag: "TREASURY", type: "SERVICE", description: "Gets a part of each block." }
]

const owner = ({ fullName }: Assets.Asset) => ({ owner_name: `${fullName} Foundation`, type: "FOUNDATION" })

const owners = chains.map(owner).toSorted((a, b) => (a.owner_name < b.owner_name ? -1 : 1))

const tagged = chains.flatMap((asset) =>
  tags.map(({ tag }) => ({
    entity: Ledger.nameOf(asset, Ledger.treasury),
    tag,
    location: asset.asset,
    type: "ACCOUNT",
    tagger_type: "SERVICE",
    tagger_method: "KNOWN",
    owner_name: owner(asset).owner_name,
    start_time: nanos(asset.start),
    start_block_height: "0",
    start_block_hash: Blocks.hash(asset, 0)
  }))
)

const fixed = (name: string, items: (query: Query.Query) => ReadonlyArray<object>): Endpoint.Source => ({
  path: `/blockchain-metadata/${name}`,
  list: (query) => Effect.succeed(Reference.listing(items(query)))
})

const one = (query: Query.Query, name: string) => {
  const items = Query.list(query, name)
  return (items?.length ?? 0) > 1
    ? Effect.fail(Refusal.badParameter(name, "Must be one item."))
    : Effect.succeed(items?.[0])
}

export const all: ReadonlyArray<Endpoint.Source> = [
  tracker,
  fixed("locations", () => chains.map(({ asset }) => ({ location: asset }))),
  fixed("owners", () => owners),
  fixed("tags", (query) => tags.filter(({ type }) => type === (query.get("type") ?? type))),
  Endpoint.source("/blockchain-metadata/tagged-entities", function* (query) {
    const entities = Query.list(query, "entities")
    const tag = yield* one(query, "tags")
    const owner_name = yield* one(query, "owner_names")
    const location = yield* one(query, "locations")
    const items = tagged.filter(
      (item) =>
        (entities ?? [item.entity]).includes(item.entity) &&
        (tag ?? item.tag) === item.tag &&
        (owner_name ?? item.owner_name) === item.owner_name &&
        (location ?? item.location) === item.location
    )
    return Reference.listing(items, undefined, { name: ({ entity, tag }) => `${entity} ${tag}` })
  })
]

/** Which records of a chain a query asks for (docs/interface.md 4.11). */
import * as Effect from "effect/Effect"
import type { Dialect } from "../../Dialect.ts"
import * as Assets from "../../data/Assets.ts"
import * as Blocks from "../../data/Blocks.ts"
import * as Counted from "../../data/chain/Counted.ts"
import * as Ledger from "../../data/chain/Ledger.ts"
import * as Rows from "../../data/Rows.ts"
import { DAY, TODAY } from "../../internal/time/Calendar.ts"
import type { Parts } from "../../internal/listing/Endpoint.ts"
import * as Listing from "../../internal/listing/Listing.ts"
import type { Caller } from "../../internal/request/Caller.ts"
import * as Query from "../../internal/request/Query.ts"
import * as Refusal from "../../internal/request/Refusal.ts"

/** Records of one kind, ordered by a number and then by a text. */
export interface Kind<A> {
  /** Those of a height, as many at each as {@link Counted} expects. */
  readonly at: (height: number) => ReadonlyArray<A>
  readonly heightOf: (item: A) => number
  readonly numberOf: (item: A) => number
  readonly nameOf: (item: A) => string
  readonly record: (item: A) => object
}

/** How the transactions of a chain are ordered. */
export const transactions = (asset: Assets.Asset) => ({
  heightOf: ({ height }: Ledger.Transaction) => height,
  numberOf: ({ height, place }: Ledger.Transaction) => height * Ledger.width + place,
  nameOf: (transaction: Ledger.Transaction) => Ledger.txidOf(asset, transaction)
})

/** Keeps some of the records: those a filter names, and the heights at which they are. */
export interface Filter<A> {
  /** In any order; `all` where they may be anywhere in the range. */
  readonly heights: ReadonlyArray<number> | "all"
  readonly keeps: (item: A) => boolean
}

/** Keeps what belongs to one of those that were named; no filter where none were. */
export const filter = <A, N>(
  named: ReadonlyArray<N> | undefined,
  heightsOf: (one: N) => ReadonlyArray<number> | "all",
  isOf: (item: A, one: N) => boolean
): ReadonlyArray<Filter<A>> => {
  if (named === undefined) return []
  const heights = named.map(heightsOf)
  return [
    {
      heights: heights.includes("all") ? "all" : heights.flatMap((some) => (some === "all" ? [] : some)),
      keeps: (item) => named.some((one) => isOf(item, one))
    }
  ]
}

export const chainOf = (parameter: string, name: string) => {
  const asset = Assets.find(name)
  return asset === undefined || !Blocks.has(asset)
    ? Effect.fail(Refusal.unsupported(parameter, name))
    : Effect.succeed(asset)
}

export const chain = (parts: Parts) => chainOf("asset", parts.get("asset") ?? "")

/** The first moment that the community root shows of blocks and what is in them: 30 days ago. */
export const firstOf = ({ isCommunity }: Caller): number => (isCommunity ? TODAY - 30 * DAY : Number.NEGATIVE_INFINITY)

export const withStale = (query: Query.Query) => query.get("chain") === "all"

/** Reads the range, as heights of which both belong to it. */
const heights = Effect.fnUntraced(function* (query: Query.Query, asset: Assets.Asset, dialect: Dialect) {
  const within = yield* Query.range(query, dialect)
  const { first = 0, last = Blocks.last(asset) } = Query.heights(query)
  const from = Rows.atWholeMs((ms) => Blocks.from(asset, ms))
  return {
    first: Math.max(first, within.start === undefined ? 0 : from(within.start)),
    last: Math.min(last, Blocks.last(asset), within.end === undefined ? last : from(within.end) - 1)
  }
})

const compare = (n: number, name: string, m: number, other: string): number =>
  n === m ? (name < other ? -1 : name > other ? 1 : 0) : n - m

const listing = <A>(source: Counted.Source<A>, { nameOf, numberOf, record }: Kind<A>): Listing.Listing => ({
  length: source.length,
  rows: (from, to) => Array.from({ length: to - from }, (_, n) => JSON.stringify(record(source.at(from + n)))),
  nameAt: (position) => {
    const item = source.at(position)
    return `${numberOf(item)}.${nameOf(item)}`
  },
  positionOf: (text) => {
    const [, number = "", name = ""] = /^(\d+)\.(.*)$/.exec(text) ?? []
    if (number === "") return undefined
    return Listing.find(source.length, (position) => {
      const item = source.at(position)
      return compare(numberOf(item), nameOf(item), Number(number), name)
    })
  }
})

// So many blocks are searched; the service itself has no such limit.
const widest = 100_000

const named = <A>(
  at: Kind<A>["at"],
  filters: ReadonlyArray<Filter<A>>,
  { first, last }: { readonly first: number; readonly last: number }
): Counted.Source<A> | Refusal.Refusal => {
  const found = filters.find(({ heights }) => heights !== "all")?.heights
  if (found === undefined && last - first > widest) {
    return Refusal.badParameter("accounts", `The stand-in searches ${widest} blocks: give a range.`)
  }
  const heights =
    found === undefined || found === "all"
      ? Array.from({ length: Math.max(0, last - first + 1) }, (_, n) => first + n)
      : [...new Set(found)].toSorted((a, b) => a - b)
  const items = heights.flatMap(at).filter((item) => filters.every(({ keeps }) => keeps(item)))
  // Type boundary: positions asked for are below the length.
  return { length: items.length, at: (position) => items[position] as A }
}

export interface Narrowed<A> {
  readonly kind: Kind<A>
  readonly filters: ReadonlyArray<Filter<A>>
  /** The first moment that is shown, in milliseconds. */
  readonly since?: number
  readonly limit?: (source: Counted.Source<A>) => Counted.Source<A>
}

export const list = Effect.fnUntraced(function* <A>(
  query: Query.Query,
  { dialect }: Caller,
  asset: Assets.Asset,
  narrowed: Narrowed<A>
) {
  const { filters, kind, limit = (source) => source, since = Number.NEGATIVE_INFINITY } = narrowed
  const asked = yield* heights(query, asset, dialect)
  const range = { first: Math.max(asked.first, since < asset.start ? 0 : Blocks.from(asset, since)), last: asked.last }
  const { first, last } = range
  const { nameOf, numberOf } = kind
  const ordered = (height: number) =>
    kind.at(height).toSorted((a, b) => numberOf(a) - numberOf(b) || (nameOf(a) < nameOf(b) ? -1 : 1))
  const start = Query.integer(query, "start_chain_sequence_number")
  const end = Query.integer(query, "end_chain_sequence_number")
  const all = filters.length === 0 ? Counted.blocks(ordered, first, last) : named(ordered, filters, range)
  if (all instanceof Refusal.Refusal) return yield* all
  const from = Listing.firstThat(all.length, (n) => {
    const item = all.at(n)
    return kind.heightOf(item) >= first && kind.numberOf(item) >= (start ?? 0)
  })
  const to = Listing.firstThat(all.length, (n) => {
    const item = all.at(n)
    return kind.heightOf(item) > last || kind.numberOf(item) > (end ?? Number.POSITIVE_INFINITY)
  })
  return listing(limit(Counted.slice(all, from, to)), kind)
})

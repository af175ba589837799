/** What the reference data endpoints have in common: a table, filters, and the provider array on request. */
import * as Effect from "effect/Effect"
import * as Listing from "../internal/listing/Listing.ts"
import * as Query from "../internal/request/Query.ts"
import * as Refusal from "../internal/request/Refusal.ts"

/** Reads `include`: whether the provider array is wanted. */
export const include = Effect.fnUntraced(function* (query: Query.Query) {
  const wanted = Query.list(query, "include") ?? []
  const unknown = wanted.find((namespace) => namespace !== "talos")
  if (unknown !== undefined) return yield* Refusal.unsupported("include", unknown)
  return wanted.length > 0
})

/** Narrows to the items a comma list names; a name that is not found is refused. */
export const only = Effect.fnUntraced(function* <A>(
  query: Query.Query,
  name: string,
  all: ReadonlyArray<A>,
  find: (id: string) => A | undefined = (id) => all.find((item) => item === id),
  refuse: (id: string) => Refusal.Refusal = (id) => Refusal.unsupported(name, id)
) {
  const ids = Query.list(query, name)
  if (ids === undefined) return all
  const chosen = new Set<A>()
  for (const id of ids) {
    const item = find(id)
    if (item === undefined) return yield* refuse(id)
    chosen.add(item)
  }
  if (chosen.size > all.length / 16) return all.filter((item) => chosen.has(item))
  // A few of thousands: found one by one, in the order of all.
  return [...chosen]
    .map((item) => ({ item, position: all.indexOf(item) }))
    .filter(({ position }) => position >= 0)
    .sort((a, b) => a.position - b.position)
    .map(({ item }) => item)
})

/** Keeps the items that have one of the values which each list names; a value that no item has is refused. */
export const having = Effect.fnUntraced(function* <A>(
  query: Query.Query,
  all: ReadonlyArray<A>,
  lists: Readonly<Record<string, (item: A) => ReadonlyArray<string>>>
) {
  let items = all
  for (const [name, valuesOf] of Object.entries(lists)) {
    const wanted = Query.list(query, name)
    if (wanted === undefined) continue
    const known = new Set(all.flatMap(valuesOf))
    const unknown = wanted.find((value) => !known.has(value))
    if (unknown !== undefined) return yield* Refusal.unsupported(name, unknown)
    items = items.filter((item) => valuesOf(item).some((value) => wanted.includes(value)))
  }
  return items
})

/** Reads `reviewable`: keeps the metrics that people may review, or the others. */
export const reviewable = Effect.fnUntraced(function* <A extends { readonly reviewable?: boolean }>(
  query: Query.Query,
  metrics: ReadonlyArray<A>
) {
  const wanted = Query.flag(query, "reviewable")
  return query.has("reviewable") ? metrics.filter((metric) => (metric.reviewable ?? false) === wanted) : metrics
})

/** Refuses an exchange; the documented words name the parameter `id`, whatever its name in the query. */
export const noExchange = (id: string): Refusal.Refusal =>
  Refusal.badParameter("id", `Exchange '${id}' is not supported.`)

export interface Extra<A> {
  readonly provider?: ((item: A) => unknown) | undefined
  /** Names an item, in the order of the list; the first field of its record where nothing is said. */
  readonly name?: (item: A) => string
}

/** Lists items, which must be in the order of their names, as records. */
export const listing = <A extends object>(
  items: ReadonlyArray<A>,
  record: (item: A) => object = (item) => item,
  { name = (item) => String(Object.values(record(item))[0]), provider }: Extra<A> = {}
): Listing.Listing => {
  const nameAt = (position: number) => {
    const item = items[position]
    return item === undefined ? "" : name(item)
  }
  return {
    length: items.length,
    rows: (from, to) =>
      items.slice(from, to).map((item) => {
        const text = JSON.stringify(record(item))
        return provider === undefined ? text : `${text.slice(0, -1)},"talos":${JSON.stringify(provider(item))}}`
      }),
    nameAt,
    positionOf: (name) =>
      Listing.find(items.length, (position) => {
        const other = nameAt(position)
        return other < name ? -1 : other === name ? 0 : 1
      })
  }
}

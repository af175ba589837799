/**
 * What the reference data endpoints have in common: a table, filters, and the provider array on request.
 */
import * as Effect from "effect/Effect"
import type * as Listing from "../Listing.ts"
import * as Query from "../Query.ts"
import * as Refusal from "../Refusal.ts"

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
  find: (id: string) => A | undefined,
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
  return all.filter((item) => chosen.has(item))
})

/** Reads `reviewable`: keeps the metrics that people may review, or the others. */
export const reviewable = Effect.fnUntraced(function* <A extends { readonly reviewable?: boolean }>(
  query: Query.Query,
  metrics: ReadonlyArray<A>
) {
  const wanted = yield* Query.boolean(query, "reviewable", false)
  return query.has("reviewable") ? metrics.filter((metric) => (metric.reviewable ?? false) === wanted) : metrics
})

/** Refuses an exchange; the documented words name the parameter `id`, whatever its name in the query. */
export const noExchange = (id: string): Refusal.Refusal =>
  Refusal.badParameter("id", `Exchange '${id}' is not supported.`)

/** Lists items as records. */
export const listing = <A>(
  items: ReadonlyArray<A>,
  record: (item: A) => unknown,
  provider?: (item: A) => unknown
): Listing.Listing => ({
  length: items.length,
  rows: (from, to) =>
    items.slice(from, to).map((item) => {
      const text = JSON.stringify(record(item))
      return provider === undefined ? text : `${text.slice(0, -1)},"talos":${JSON.stringify(provider(item))}}`
    })
})

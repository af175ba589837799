/** What a dataset covers, and its records. Asks the service nothing. */
import * as Parameter from "@sluice/core/Parameter"
import { harmless } from "@sluice/core/PlainText"
import * as Dataset from "@sluice/datasets/Dataset"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { Range } from "../../chart/Chart.ts"
import * as EndpointIndex from "../../endpoints/EndpointIndex.ts"
import * as RelativeTime from "../../endpoints/RelativeTime.ts"
import { currentOf } from "../data/HeldLists.ts"
import type { Place } from "../data/Place.ts"
import { type Collected, most } from "./Collect.ts"
import { millisOf, NotDrawable } from "./Layout.ts"

/** Where a dataset is, and how messages name it. */
type At = Pick<Place, "name" | "to">

const statusOf = Effect.fnUntraced(function* ({ name, to }: At) {
  const found = yield* Dataset.status(to)
  if (found !== undefined) return found
  const reason = Predicate.isString(to)
    ? `the folder ${JSON.stringify(to)} holds no dataset; name one of its files`
    : `${name} holds no dataset`
  return yield* new NotDrawable({ reason, drawable: [] })
})

/** The times that each entity has, with its holes. */
export const coverage = Effect.fnUntraced(function* (place: At) {
  const { definition, entities, lacking } = yield* statusOf(place)
  const rows = entities.slice(0, most.Coverage).map(({ entity, first, last }) => {
    const range = { from: millisOf(first) ?? 0, to: millisOf(last) ?? 0 }
    const holes = lacking.filter((span) => span.entity === entity)
    return { name: harmless(entity), ranges: without(range, holes) }
  })
  const title = harmless(`${place.name}  ${definition.endpoint.slice(1)}`)
  const collected: Collected = {
    chart: rows.length === 0 ? undefined : { _tag: "Coverage", title, rows },
    records: entities.reduce((sum, one) => sum + one.rows, 0),
    others: entities.length - rows.length,
    left: 0
  }
  return collected
})

/** A range without holes that lie in it. */
const without = (range: Range, holes: ReadonlyArray<Dataset.Span>): ReadonlyArray<Range> => {
  const ranges: Array<Range> = []
  let from = range.from
  const missing = holes.map((hole) => ({
    from: Math.max(range.from, millisOf(hole.from) ?? range.from),
    to: Math.min(range.to, millisOf(hole.to) ?? range.to)
  }))
  for (const hole of missing.toSorted((a, b) => a.from - b.from)) {
    if (hole.to <= from || hole.from >= hole.to) continue
    if (hole.from > from) ranges.push({ from, to: hole.from })
    from = hole.to
  }
  return [...ranges, { from, to: range.to }]
}

/** The records of the first entities, as many as are drawn, and what they are of. */
export const records = Effect.fnUntraced(function* (place: At, asOf: string | undefined) {
  const { definition, entities } = yield* statusOf(place)
  const { endpoint } = yield* EndpointIndex.get(definition.endpoint)
  const list = Parameter.find(endpoint.parameters, "Entities")?.name ?? ""
  const drawn = entities.slice(0, most.Lines).map(({ entity }) => entity)
  const params = { ...currentOf(endpoint, definition), [list]: drawn }
  const past = asOf === undefined ? undefined : yield* RelativeTime.past("as-of", asOf)
  // Type boundary: the parameters of a definition are data; the read checks them.
  const held = Dataset.read(endpoint, params as never, { from: place.to, offline: true, asOf: past })
  return { endpoint, params, held, others: entities.length - drawn.length }
})

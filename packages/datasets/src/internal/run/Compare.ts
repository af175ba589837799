/**
 * What the catalogs of the service list, and a dataset does not have.
 */
import * as Discover from "@sluice/core/Discover"
import * as Effect from "effect/Effect"
import * as Catalog from "../model/Catalog.ts"
import * as Prepare from "../plan/Prepare.ts"
import type { Held, Time } from "../model/Store.ts"
import * as SeriesParams from "../model/SeriesParams.ts"

/** Records that a catalog lists of an entity, and a dataset does not have. */
export interface Difference {
  /** The entity. */
  readonly entity: string
  /** `absent`: none is held. `earlier`: the service has records before the first that is held, `later`: behind the last. */
  readonly reason: "absent" | "earlier" | "later"
  /** Time of the first or the last record that is held; absent where none is. */
  readonly held: string | undefined
  /** Time of the first or the last record that the catalog lists. */
  readonly listed: string
}

/** What came of comparing a dataset with the catalogs of the service. */
export interface Comparison {
  /** Entities of which a catalog lists times: none where none lists the series. */
  readonly compared: number
  /** Where the dataset and the catalog differ. */
  readonly differences: ReadonlyArray<Difference>
}

/** Compares what is held with what catalogs list. */
export const compare = Effect.fnUntraced(function* (prepared: Prepare.Prepared) {
  const { definition, store, subject } = prepared
  const { given } = yield* Prepare.plan(prepared)
  const ranges = yield* Catalog.rangesOf(subject, SeriesParams.askedOf(subject, definition), given.entities)
  const held = new Map((yield* store.held).map((one) => [one.entity, one]))
  const start = SeriesParams.startOf(subject, definition)
  const wanted = given.entities.flatMap((entity) => {
    const range = ranges.get(entity)
    return range === undefined || (start !== undefined && range.last < start) ? [] : [{ entity, range }]
  })
  const differences = wanted.flatMap(({ entity, range }) => between(entity, held.get(entity), range, start))
  const comparison: Comparison = { compared: wanted.length, differences }
  return comparison
}, Effect.provide(Discover.layer()))

const between = (
  entity: string,
  held: Held | undefined,
  { first, last }: Catalog.Range,
  start: Time | undefined
): ReadonlyArray<Difference> => {
  if (held === undefined) return [{ entity, reason: "absent", held: undefined, listed: last }]
  // A catalog does not tell which record is the first after a start in the middle of the series.
  const isEarlier = (start === undefined || start <= first) && first < held.first
  return [
    ...(isEarlier ? [{ entity, reason: "earlier", held: held.first, listed: first } as const] : []),
    ...(last > held.last ? [{ entity, reason: "later", held: held.last, listed: last } as const] : [])
  ]
}

/**
 * What every time series has in common (docs/interface.md 4.6.1): the list of entities, the range of time, so many
 * of each, sorting and leniency. A series says where the rows of one entity are, and nothing else.
 */
import * as Effect from "effect/Effect"
import type { Caller } from "../../internal/request/Caller.ts"
import * as Frequency from "../../data/Frequency.ts"
import * as Rows from "../../data/Rows.ts"
import * as Seen from "../../data/Seen.ts"
import * as Endpoint from "../../internal/listing/Endpoint.ts"
import * as Listing from "../../internal/listing/Listing.ts"
import * as Paging from "../../internal/listing/Paging.ts"
import * as Query from "../../internal/request/Query.ts"
import * as Refusal from "../../internal/request/Refusal.ts"
import * as Entities from "./Entities.ts"

export interface Series<E> extends Pick<Endpoint.Source, "path" | "pageSize"> {
  readonly entities: Entities.Entities<E>
  /** Decimal fields that are corrected after a row was published, where the past changes. */
  readonly corrected?: ReadonlyArray<string>
  /**
   * Reads the parameters of its own, and gives the rows of an entity: nothing for one that has no such series, and a
   * refusal where there is more to say.
   */
  readonly rows: (
    query: Query.Query,
    caller: Caller,
    entities: ReadonlyArray<E>
  ) => Effect.Effect<(entity: E) => Rows.Rows | Refusal.Refusal | undefined, Refusal.Refusal>
}

export const frequency = Effect.fnUntraced(function* (query: Query.Query, isKnown: (name: string) => boolean) {
  const name = query.get("frequency") ?? ""
  const grid = isKnown(name) ? Frequency.find(name) : undefined
  return grid ?? (yield* Refusal.unsupported("frequency", name))
})

/** Reads the `frequency` of candles: their days are those of `timezone`. */
export const candles = (query: Query.Query) =>
  Effect.zipWith(frequency(query, Frequency.isOfCandles), Query.zone(query), Frequency.inZone)

/** Reads `granularity`: the grid to which a series is thinned out; nothing for `raw`, the default. */
export const granularity = (query: Query.Query) => Frequency.find(query.get("granularity") ?? "raw")

/** The rows that a caller is shown: those that are published by now, as they are seen now. */
export const seenBy = (
  { corrected, path }: Pick<Series<unknown>, "corrected" | "path">,
  query: Query.Query,
  { jitter, until, view }: Caller,
  rows: Rows.Rows
): Rows.Rows => {
  if (view === undefined) return Rows.publishedBy(rows, until, jitter)
  const word = query.get("frequency") ?? query.get("granularity") ?? "raw"
  const frequency = word === "raw" ? "" : word
  return Seen.rows(rows, view, { series: path, frequency, corrected, jitter })
}

/** Builds the endpoint of a series: reads the parameters that all have, and those of its own, and lists the rows they ask for. */
export const endpoint = <E>(self: Series<E>): Endpoint.Source => {
  const entities = Entities.of(self.path, self.entities)
  const source = Endpoint.source(self.path, function* (query, caller) {
    const leniency = Entities.leniency(query)
    const listed = Entities.listedAt(entities, caller.view)
    const chosen = yield* Entities.choose(listed, query, leniency)
    const within = yield* Query.range(query, caller.dialect)
    const limit = Paging.limit(query, caller, `limit_per_${entities.field}`)
    const sort = query.get("sort") ?? entities.field
    const named = chosen.map(({ entity }) => entity)
    const rowsOf = yield* self.rows(query, caller, named)
    const found = yield* Entities.resolve(listed, chosen, leniency, rowsOf)
    const parts = found.map((rows) => Rows.within(seenBy(self, query, caller, rows), within, limit))
    return sort === entities.field || parts.length === 1 ? Listing.concat(parts) : Listing.merge(parts)
  })
  return { ...source, pageSize: self.pageSize }
}

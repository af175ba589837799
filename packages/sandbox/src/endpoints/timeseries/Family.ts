/**
 * What every time series has in common (docs/interface.md 4.6.1): the list of entities, the range of time, so many
 * of each, sorting and leniency. A series says where the rows of one entity are, and nothing else.
 */
import * as Effect from "effect/Effect"
import type { Caller } from "../../internal/request/Caller.ts"
import * as Frequency from "../../data/Frequency.ts"
import * as Rows from "../../data/Rows.ts"
import * as Seen from "../../data/Seen.ts"
import type { Endpoint } from "../../internal/listing/Endpoint.ts"
import * as Limit from "../../internal/listing/Limit.ts"
import * as Listing from "../../internal/listing/Listing.ts"
import * as Query from "../../internal/request/Query.ts"
import * as Refusal from "../../internal/request/Refusal.ts"
import * as Entities from "./Entities.ts"

/** One time series, as data. */
export interface Series<E> extends Pick<Endpoint, "path" | "formats" | "pageSize"> {
  readonly entities: Entities.Entities<E>
  /** Served at the community root too; true where not said. */
  readonly community?: boolean
  /** The parameters of its own. */
  readonly parameters?: ReadonlyArray<string>
  /** Whether it offers `limit_per_<entity>`; true where not said. */
  readonly isLimited?: boolean
  /** The words of `sort`, where it offers them: the entity's field first. */
  readonly sorts?: readonly [string, ...Array<string>]
  /** Whether it offers to leave out what is not supported, and what may not be read. */
  readonly isLenient?: boolean
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

/** The parameters of a range of time. */
export const times: ReadonlyArray<string> = ["start_time", "end_time", "start_inclusive", "end_inclusive", "timezone"]

const leniency = ["ignore_forbidden_errors", "ignore_unsupported_errors"]

/** Reads `frequency`, of which the grids that a series has are known by name. */
export const frequency = Effect.fnUntraced(function* (
  query: Query.Query,
  isKnown: (name: string) => boolean,
  otherwise = "1d"
) {
  const name = query.get("frequency") ?? otherwise
  const grid = isKnown(name) ? Frequency.find(name) : undefined
  return grid ?? (yield* Refusal.unsupported("frequency", name))
})

/** Reads the `frequency` of candles: their days are those of `timezone`. */
export const candles = (query: Query.Query) =>
  Effect.zipWith(frequency(query, Frequency.isOfCandles), Query.zone(query), Frequency.inZone)

/** Reads `granularity`: the grid to which a series is thinned out; nothing for `raw`, the default. */
export const granularity = (query: Query.Query) =>
  Effect.map(Query.oneOf(query, "granularity", ["raw", "1m", "1h", "1d"], "raw"), Frequency.find)

/** The rows that a caller is shown: those that are published by now, as they are seen now. */
export const seenBy = (
  { corrected, path }: Pick<Series<unknown>, "corrected" | "path">,
  query: Query.Query,
  { jitter, until, view }: Caller,
  rows: Rows.Rows
): Rows.Rows => {
  if (view === undefined) return Rows.publishedBy(rows, until, jitter)
  const frequency = query.get("frequency") ?? query.get("granularity") ?? (frequencyless.test(path) ? "" : "1d")
  return Seen.rows(rows, view, { series: path, frequency, corrected, jitter })
}

// Series of trades, books and chains have no frequency, all others one day where nothing is said.
const frequencyless =
  /trades|books|quotes|liquidations|rates|openinterest|prices|volatility|greeks|chains|tips|alerts|sheets/

/** Reads the parameters that every series has, and those of its own, and lists the rows they ask for. */
const list = <E>(self: Series<E>) =>
  Effect.fnUntraced(function* (query: Query.Query, caller: Caller) {
    const { entities, isLenient = false, isLimited = true } = self
    const [first, ...others] = self.sorts ?? [entities.field]
    const ignores = (name: string) => (isLenient ? Query.boolean(query, name, false) : Effect.succeed(false))
    const ignoresUnsupported = yield* ignores("ignore_unsupported_errors")
    const ignoresForbidden = yield* ignores("ignore_forbidden_errors")
    const listed = Entities.listedAt(entities, caller.view)
    const chosen = yield* Entities.choose(listed, query, ignoresUnsupported)
    const within = yield* Query.range(query, caller.dialect)
    const limit = isLimited ? yield* Limit.read(query, caller, `limit_per_${entities.field}`) : undefined
    const sort = others.length === 0 ? first : yield* Query.oneOf(query, "sort", [first, ...others], first)
    const named = chosen.map(({ entity }) => entity)
    const rowsOf = yield* self.rows(query, caller, named)
    const found = yield* Entities.resolve(listed, chosen, { ignoresForbidden, ignoresUnsupported }, rowsOf)
    const parts = found.map((rows) => Rows.within(seenBy(self, query, caller, rows), within, limit))
    return sort === first || parts.length === 1 ? Listing.concat(parts) : Listing.merge(parts)
  })

/** Builds the endpoint of a series. */
export const endpoint = <E>(self: Series<E>): Endpoint => ({
  path: self.path,
  community: self.community ?? true,
  parameters: [
    self.entities.parameter,
    ...(self.parameters ?? []),
    ...times,
    ...(self.isLimited === false ? [] : [`limit_per_${self.entities.field}`]),
    ...(self.sorts === undefined ? [] : ["sort"]),
    ...(self.isLenient === true ? leniency : [])
  ],
  pagingFrom: "end",
  formats: self.formats,
  pageSize: self.pageSize,
  list: list(self)
})

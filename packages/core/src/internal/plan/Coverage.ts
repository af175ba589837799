/** From when to when the entities of a series have records, as its catalog lists it. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Discover from "../../Discover.ts"
import type * as Endpoint from "../../Endpoint.ts"
import * as Parameter from "../../Parameter.ts"
import * as Params from "../../Params.ts"
import * as Timestamp from "../../Timestamp.ts"
import * as Wildcard from "../call/Wildcard.ts"

/** A range of time in nanoseconds since 1970, with both of its ends. */
export interface Span {
  readonly first: bigint
  readonly last: bigint
}

/** Spans by entity; undefined where an entity is listed without times. An entity that is not listed has no records. */
export type Coverage = ReadonlyMap<string, Span | undefined>

/** Characters of names that fit a request for a part of the catalog. */
const mostCharacters = 6_000

/** Exchanges whose markets are requested one exchange at a time; of more, the whole catalog is requested. */
const mostExchanges = 2

/** Reads the catalog for these names, which may have wildcards. Undefined where no catalog tells. */
export const read = Effect.fnUntraced(function* (
  endpoint: Endpoint.Info,
  params: object,
  list: string,
  names: ReadonlyArray<string>
) {
  // The catalog has the names of the service, not those of other providers.
  if (names.length === 0 || names.some((name) => name.includes(":")) || !Discover.isCatalogued(endpoint))
    return undefined
  const found = yield* Effect.forEach(questionsOf(list, names), ([some, filter]) =>
    Discover.available(endpoint, some, filter)
  ).pipe(Effect.catchTag("Forbidden", () => Effect.undefined))
  if (found === undefined) return undefined
  const columns = Parameter.find(endpoint.parameters, "Columns")?.name
  const asked = columns === undefined ? [] : Params.items(Reflect.get(params, columns))
  const isMetric = (metric: string | undefined) =>
    metric === undefined || asked.some((name) => Wildcard.matcher(name)(metric))
  const wanted = Parameter.frequencyOf(endpoint, params)
  const frequency = wanted !== undefined && /^1d-\d\d:00$/.test(wanted) ? "1d" : wanted
  const spans = new Map<string, Span | undefined>()
  for (const one of found.flat()) {
    if (!isMetric(one.metric) || (one.frequency !== undefined && one.frequency !== frequency)) continue
    spans.set(one.entity, spans.has(one.entity) ? hull(spans.get(one.entity), spanOf(one)) : spanOf(one))
  }
  return spans
})

const spanOf = ({ max_time, min_time }: Discover.Available): Span | undefined => {
  const [first, last] = [min_time, max_time].map((time) => Result.getOrUndefined(Timestamp.toEpochNanos(time ?? "")))
  return first === undefined || last === undefined ? undefined : { first, last }
}

/** A record has the metrics that there are at its time, so the first and the last of any count. */
const hull = (a: Span | undefined, b: Span | undefined): Span | undefined =>
  a === undefined || b === undefined
    ? undefined
    : { first: a.first < b.first ? a.first : b.first, last: a.last > b.last ? a.last : b.last }

type Question = readonly [names: ReadonlyArray<string> | undefined, filter: Readonly<Record<string, string>>]

/** As few requests as list all names: by their names where these fit one, else all of an exchange, or all there are. */
const questionsOf = (list: string, names: ReadonlyArray<string>): ReadonlyArray<Question> => {
  const isShort = names.join("%2C").length <= mostCharacters
  if (isShort && !names.some(Wildcard.is)) return [[names, {}]]
  if (list !== "markets") return [[undefined, {}]]
  const filters = new Map(names.map(Wildcard.marketFilter).map((filter) => [JSON.stringify(filter), filter]))
  const exchanges = new Set([...filters.values()].map(({ exchange }) => exchange))
  if (exchanges.has(undefined) || exchanges.size > mostExchanges) return [[undefined, {}]]
  const types = new Set([...filters.values()].map(({ type }) => type))
  const [type] = types.size === 1 ? types : []
  return [...exchanges].map((exchange = "") => [undefined, { exchange, ...(type === undefined ? {} : { type }) }])
}

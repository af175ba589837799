/**
 * Time series: which records are the same, and which requests read the rest of a series from a record on.
 */
import * as Predicate from "effect/Predicate"
import * as Call from "../call/Call.ts"
import * as Params from "../../Params.ts"
import * as Timestamp from "../../Timestamp.ts"

/**
 * A series of records, ordered by entity, then by time. Where there is one record per block it is ordered by height, then
 * by hash: two blocks of a fork have one height, and time may go back from one block to the next.
 */
export interface Series {
  /** The field that names a record's entity, such as `asset`. */
  readonly entity: string
  /** The list parameter that names entities, such as `assets`. */
  readonly entities: string
}

/** The series of an endpoint: its entities come from the list parameter whose items the records name. */
export const of = ({ order, parameters }: Call.EndpointInfo): Series | undefined => {
  if (order !== "series") return undefined
  const [found] = [...parameters.values()].flatMap(({ name, role }): ReadonlyArray<Series> =>
    role._tag === "Entities" && role.field !== undefined ? [{ entity: role.field, entities: name }] : []
  )
  return found
}

/** How far a series was read. */
export interface SeriesPosition {
  /** The entities seen, including the current one. */
  readonly seen: ReadonlySet<string>
  /** The last record. */
  readonly record: unknown
}

/** Tracks which entities of one request were seen. */
export interface EntityTracker {
  readonly add: (records: ReadonlyArray<unknown>) => void
  /** The entities seen so far; nothing once the records were out of order: an entity or a lower height came back. */
  readonly seen: () => ReadonlySet<string> | undefined
}

/** Builds the tracker of a request. Where the request names one entity, only the order of blocks is checked. */
export const trackEntities = (series: Series | undefined, call: Call.Call): EntityTracker => {
  if (series === undefined) return { add: () => {}, seen: () => undefined }
  const named = Params.items(call.values.get(series.entities))
  const perBlock = Call.isPerBlock(call)
  if (named.length === 1 && !perBlock) return { add: () => {}, seen: () => new Set(named) }
  const seen = new Set<string>()
  let entity: string | undefined
  let height = 0
  let isGrouped = true
  const add = (records: ReadonlyArray<unknown>) => {
    for (const record of records) {
      const next = entityOf(series, record)
      if (perBlock) {
        const before = next === entity ? height : 0
        height = Number(textOf(record, "height"))
        // Also where a height is missing: no request can continue from it.
        if (!(height >= before)) isGrouped = false
      }
      if (next === entity) continue
      if (next === undefined || seen.has(next)) isGrouped = false
      else seen.add(next)
      entity = next
    }
  }
  return { add, seen: () => (isGrouped ? seen : undefined) }
}

/** A field of a record, if it is a text. */
export const textOf = (record: unknown, key: string) => {
  const found = Predicate.isObject(record) ? Reflect.get(record, key) : undefined
  return Predicate.isString(found) ? found : undefined
}

/** The entity of a record. */
export const entityOf = ({ entity }: Series, record: unknown): string | undefined => textOf(record, entity)

/** The time or height of a record, which a request can start from. The blocks of a fork share it. */
export const keyOf = (call: Call.Call, record: unknown): string | undefined =>
  textOf(record, Call.isPerBlock(call) ? "height" : "time")

/** Whether two records have the same entity and key. */
export const isSamePosition = (series: Series, call: Call.Call, record: unknown, other: unknown): boolean =>
  entityOf(series, record) === entityOf(series, other) && keyOf(call, record) === keyOf(call, other)

/**
 * Whether two records describe the same thing, whatever their values. In a series: the same entity and time, or the same
 * block. In a list: the same first field, which identifies its items.
 */
export const isSame = (series: Series | undefined, call: Call.Call, record: unknown, other: unknown): boolean => {
  if (series === undefined) {
    const [name = ""] = Predicate.isObject(record) ? Object.keys(record) : []
    return textOf(record, name) !== undefined && textOf(record, name) === textOf(other, name)
  }
  return isSamePosition(series, call, record, other) && (!Call.isPerBlock(call) || hashOf(record) === hashOf(other))
}

/** The hash of a record's block, which tells the blocks of a fork apart. */
export const hashOf = (record: unknown) => textOf(record, "block_hash")

/**
 * Whether a record comes after another record of its entity. Without this check, a service that repeats its reply would
 * be asked from the same position for ever. Of the requested height, only new blocks get here.
 */
export const isAfter = (call: Call.Call, record: unknown, other: unknown): boolean => {
  const [key = "", otherKey = ""] = [keyOf(call, record), keyOf(call, other)]
  return Call.isPerBlock(call)
    ? Number(key) > Number(otherKey) || (key === otherKey && hashOf(record) !== undefined)
    : Timestamp.Order(key, otherKey) > 0
}

/** Whether entity, key and hash identify a record of the series. They do not where blocks come without hashes. */
export const isIdentified = (call: Call.Call, record: unknown): boolean =>
  !Call.isPerBlock(call) || hashOf(record) !== undefined

/**
 * Builds the requests that read the rest of a series from its last record on, including that record: first the rest of
 * its entity, then the entities not seen yet.
 *
 * Returns nothing where the order or the set of records does not allow it: another order, a wildcard, a provider's name,
 * a limit, times in another zone, a token, or a parameter unknown here. Then the whole reply must be read again.
 */
export const requestsFrom = (
  series: Series | undefined,
  call: Call.Call,
  { seen, record }: SeriesPosition
): readonly [current: Call.Call, ...rest: ReadonlyArray<Call.Call>] | undefined => {
  if (series === undefined) return undefined
  const perBlock = Call.isPerBlock(call)
  const named = Params.items(call.values.get(series.entities))
  const entity = entityOf(series, record)
  const key = keyOf(call, record)
  const isKey = perBlock ? /^\d+$/.test(key ?? "") : Timestamp.isTimestamp(key ?? "")
  const sort = Call.valueOf(call, "Sort")
  const isOrdered = sort === undefined || sort === series.entity
  if (entity === undefined || key === undefined || !isKey || !isOrdered) return undefined
  if (!Call.isUtc(call) || Call.isIndivisible(call)) return undefined
  if (![entity, ...seen].every((name) => named.includes(name)) || named.some((name) => /[*:]/.test(name)))
    return undefined
  const start = Call.nameOf(call, "Start", perBlock ? "height" : "time")
  const inclusive = Call.nameOf(call, "StartInclusive")
  if (start === undefined || inclusive === undefined) return undefined
  const remaining = named.filter((name) => !seen.has(name))
  const ofEntity = Call.set(Call.without(call, "Start", "StartInclusive"), { [series.entities]: [entity] })
  const current = Call.set(ofEntity, { [start]: key, [inclusive]: true })
  return remaining.length === 0 ? [current] : [current, Call.set(call, { [series.entities]: remaining })]
}

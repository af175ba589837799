/** Time series: which records are the same, and which requests read the rest of a series from a record on. */
import * as Predicate from "effect/Predicate"
import * as Call from "../call/Call.ts"
import * as Parameter from "../../Parameter.ts"
import * as Params from "../../Params.ts"
import * as Timestamp from "../../Timestamp.ts"
import * as Changes from "../wire/Changes.ts"
import * as Json from "../wire/Json.ts"

/**
 * A series of records, ordered by entity, then by position: by time, or by height where there is one record per block.
 * Several records may share a position: trades of one time, blocks of a fork, of which time may go back from one to the
 * next.
 */
export interface Series {
  /** The field that names a record's entity, such as `asset`. */
  readonly entity: string
  /** The list parameter that names entities, such as `assets`. */
  readonly entities: string
  /** The field that a request can start from. */
  readonly position: "time" | "height"
  /**
   * The fields that tell apart the records of one position, in whatever order they come. Absent where each has a position
   * of its own; none where only all fields of a record tell it from another.
   */
  readonly identity: ReadonlyArray<string> | undefined
}

/** The series a call reads: its entities come from the list parameter whose items the records name. */
export const of = (call: Call.Call): Series | undefined => {
  const { order, parameters } = call.endpoint
  if (order !== "series") return undefined
  const shape = Call.isPerBlock(call)
    ? { position: "height" as const, identity: ["block_hash"] }
    : { position: "time" as const, identity: Parameter.identityOf(call.endpoint, call.values) }
  const [found] = [...parameters.values()].flatMap(({ name, role }): ReadonlyArray<Series> =>
    role._tag === "Entities" && role.field !== undefined ? [{ entity: role.field, entities: name, ...shape }] : []
  )
  return found
}

/** Whether records come entity by entity. Any other order mixes the entities. */
export const isByEntity = ({ entity }: Series, call: Call.Call): boolean => {
  const sort = Call.valueOf(call, "Sort")
  return sort === undefined || sort === entity
}

/** How far a series was read. */
export interface SeriesPosition {
  /** The entities seen, including the current one. */
  readonly seen: ReadonlySet<string>
  /** Where the current entity began. */
  readonly begin: string | undefined
  /** The last record. */
  readonly record: unknown
}

/** Builds the tracker of a request. Where the request names one entity, only the order of blocks is checked. */
export const trackEntities = (series: Series | undefined, call: Call.Call) => {
  let begin: string | undefined
  if (series === undefined) return { add: () => {}, seen: () => undefined, begin: () => begin }
  const named = Params.items(call.values.get(series.entities))
  const perBlock = series.position === "height"
  if (named.length === 1 && !perBlock) {
    const add = (records: ReadonlyArray<unknown>) => {
      begin ??= positionOf(series, records[0])
    }
    return { add, seen: () => new Set(named), begin: () => begin }
  }
  const seen = new Set<string>()
  let entity: string | undefined
  let height = 0
  let isGrouped = true
  const add = (records: ReadonlyArray<unknown>) => {
    for (const record of perBlock ? records : Changes.changes(records, series.entity)) {
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
      begin = positionOf(series, record)
    }
  }
  return {
    add,
    /** The entities seen so far; nothing once the records were out of order: an entity or a lower height came back. */
    seen: (): ReadonlySet<string> | undefined => (isGrouped ? seen : undefined),
    /** The position of the first record of the current entity. */
    begin: (): string | undefined => begin
  }
}

/** Tracks which entities of one request were seen. */
export type EntityTracker = ReturnType<typeof trackEntities>

export const textOf = Json.textAt

/** The name of its first field. */
export const firstKey = (record: unknown): string | undefined => {
  for (const key in Predicate.isObject(record) ? record : {}) return key
  return undefined
}

export const entityOf = ({ entity }: Series, record: unknown): string | undefined => textOf(record, entity)

const positionOf = ({ position }: Series, record: unknown): string | undefined => textOf(record, position)

export const isSamePosition = (series: Series, record: unknown, other: unknown): boolean =>
  entityOf(series, record) === entityOf(series, other) && positionOf(series, record) === positionOf(series, other)

/**
 * Whether two records describe the same thing, whatever their values. In a series: the same entity, position and identity.
 * Without a series: the same fields of `keys`, or the same first field, which identifies the items of a list.
 */
export const isSame = (
  series: Series | undefined,
  record: unknown,
  other: unknown,
  keys?: ReadonlyArray<string>
): boolean => {
  if (series === undefined) {
    const names = keys?.length ? keys : [firstKey(record) ?? ""]
    return names.every((name) => textOf(record, name) !== undefined && textOf(record, name) === textOf(other, name))
  }
  const { identity } = series
  if (!isSamePosition(series, record, other)) return false
  if (identity?.length === 0) return Json.isSame(record, other)
  return identity?.every((field) => textOf(record, field) === textOf(other, field)) ?? true
}

/** Whether its fields identify a record; not where blocks come without hashes, or where records have no identity. */
export const isIdentified = ({ identity }: Series, record: unknown): boolean =>
  identity === undefined || (identity.length > 0 && identity.every((field) => textOf(record, field) !== undefined))

/** The text that tells a record from others of its position: its identity, or the whole record where it has none. */
export const idOf = (series: Series, record: unknown): string =>
  (isIdentified(series, record)
    ? series.identity?.map((field) => textOf(record, field)).join("\n")
    : Json.written(record)) ?? ""

/**
 * Whether a record comes after another record of its entity. Without this check, a service that repeats its reply would
 * be asked from the same position for ever. Of the requested position, only new records get here.
 */
export const isAfter = (series: Series, record: unknown, other: unknown): boolean => {
  const [here = "", there = ""] = [positionOf(series, record), positionOf(series, other)]
  if (series.identity !== undefined && here === there) return isIdentified(series, record)
  return series.position === "height" ? Number(here) > Number(there) : Timestamp.Order(here, there) > 0
}

/**
 * Builds the requests that read the rest of a series from its last record on, including that record: first the rest of
 * its entity, then the entities not seen yet.
 *
 * Returns nothing where the order or the set of records does not allow it: another order, a wildcard, a provider's name,
 * a limit, times in another zone, a token, or a parameter unknown here. Then the whole reply must be read again. It must be
 * as well where what the range was opened with is all that came of the entity: without an opening it may begin otherwise.
 */
export const requestsFrom = (
  series: Series | undefined,
  call: Call.Call,
  { begin, record, seen }: SeriesPosition
): readonly [current: Call.Call, ...rest: ReadonlyArray<Call.Call>] | undefined => {
  if (series === undefined) return undefined
  const named = Params.items(call.values.get(series.entities))
  const entity = entityOf(series, record)
  const key = positionOf(series, record)
  const isKey = series.position === "height" ? /^\d+$/.test(key ?? "") : Timestamp.isTimestamp(key ?? "")
  if (entity === undefined || key === undefined || !isKey || !isByEntity(series, call)) return undefined
  const isOpened = Call.valueOf(call, "Opening") === true
  if (!Call.isUtc(call) || Call.isIndivisible(Call.without(call, "Opening"))) return undefined
  if (isOpened && begin === key) return undefined
  if (![entity, ...seen].every((name) => named.includes(name)) || named.some((name) => /[*:]/.test(name)))
    return undefined
  const start = Call.nameOf(call, "Start", series.position)
  const inclusive = Call.nameOf(call, "StartInclusive")
  if (start === undefined || inclusive === undefined) return undefined
  const remaining = named.filter((name) => !seen.has(name))
  const ofEntity = Call.set(Call.without(call, "Start", "StartInclusive", "Opening"), { [series.entities]: [entity] })
  const current = Call.set(ofEntity, { [start]: key, [inclusive]: true })
  return remaining.length === 0 ? [current] : [current, Call.set(call, { [series.entities]: remaining })]
}

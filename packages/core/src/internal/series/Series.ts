/**
 * Time series asked for from a record on: which requests read what is left of one.
 */
import * as Predicate from "effect/Predicate"
import * as Call from "../call/Call.ts"
import * as Params from "../../Params.ts"
import * as Timestamp from "../../Timestamp.ts"

/**
 * A series of records, ordered by entity, then by time; by height, then by hash instead where there is one record per
 * block: of a fork two blocks have one height, and time may go back from one block to the next.
 */
export interface Series {
  /** The field that names a record's entity, such as `asset`. */
  readonly entity: string
  /** The list parameter that names entities, such as `assets`. */
  readonly entities: string
}

/** The series an endpoint gives: those of the list whose items its records name. */
export const of = ({ order, parameters }: Call.Target): Series | undefined => {
  if (order !== "series") return undefined
  const [found] = [...parameters.values()].flatMap(({ name, role }): ReadonlyArray<Series> =>
    role._tag === "Entities" && role.field !== undefined ? [{ entity: role.field, entities: name }] : []
  )
  return found
}

/** Where the reading of a series stands. */
export interface Place {
  /** The entities that were met, the current one among them. */
  readonly met: ReadonlySet<string>
  /** The last record. */
  readonly record: unknown
}

/** The entities of one request, as they are met. */
export interface Meeting {
  readonly see: (records: ReadonlyArray<unknown>) => void
  /** The entities met so far; nothing once the records were not in order: an entity or a lower height came back. */
  readonly met: () => ReadonlySet<string> | undefined
}

/** Begins to watch over the records of a request; where it names one entity, only the order of blocks is watched. */
export const meeting = (series: Series | undefined, call: Call.Call): Meeting => {
  if (series === undefined) return { see: () => {}, met: () => undefined }
  const named = Params.items(call.values.get(series.entities))
  const perBlock = Call.isPerBlock(call)
  if (named.length === 1 && !perBlock) return { see: () => {}, met: () => new Set(named) }
  const met = new Set<string>()
  let entity: string | undefined
  let height = 0
  let isGrouped = true
  const see = (records: ReadonlyArray<unknown>) => {
    for (const record of records) {
      const next = entityOf(series, record)
      if (perBlock) {
        const before = next === entity ? height : 0
        height = Number(textOf(record, "height"))
        // Also where a height is missing: there is no asking from it on.
        if (!(height >= before)) isGrouped = false
      }
      if (next === entity) continue
      if (next === undefined || met.has(next)) isGrouped = false
      else met.add(next)
      entity = next
    }
  }
  return { see, met: () => (isGrouped ? met : undefined) }
}

/** A field of a record, if it is a text. */
export const textOf = (record: unknown, key: string) => {
  const found = Predicate.isObject(record) ? Reflect.get(record, key) : undefined
  return Predicate.isString(found) ? found : undefined
}

/** The entity of a record. */
export const entityOf = ({ entity }: Series, record: unknown): string | undefined => textOf(record, entity)

/** Where a record of an entity stands, as a request can ask for it; the blocks of a fork share it. */
export const keyOf = (call: Call.Call, record: unknown): string | undefined =>
  textOf(record, Call.isPerBlock(call) ? "height" : "time")

/** Whether two records have the same entity and key. */
export const isSamePlace = (series: Series, call: Call.Call, record: unknown, other: unknown): boolean =>
  entityOf(series, record) === entityOf(series, other) && keyOf(call, record) === keyOf(call, other)

/**
 * Whether two records stand for the same thing, whatever their values: entity and time, or block, of a series; elsewhere
 * the field that the service writes first, by which its lists go.
 */
export const isSame = (series: Series | undefined, call: Call.Call, record: unknown, other: unknown): boolean => {
  if (series === undefined) {
    const [name = ""] = Predicate.isObject(record) ? Object.keys(record) : []
    return textOf(record, name) !== undefined && textOf(record, name) === textOf(other, name)
  }
  return isSamePlace(series, call, record, other) && (!Call.isPerBlock(call) || hashOf(record) === hashOf(other))
}

/** The hash of a record's block, which tells the blocks of a fork apart. */
export const hashOf = (record: unknown) => textOf(record, "block_hash")

/**
 * Whether a record comes after another of its entity, as it has to: asked again and again from the same place, a service
 * that answers the same would never end. Of the height that was asked for, only blocks that are new get here.
 */
export const isAfter = (call: Call.Call, record: unknown, other: unknown): boolean => {
  const [key = "", otherKey = ""] = [keyOf(call, record), keyOf(call, other)]
  return Call.isPerBlock(call)
    ? Number(key) > Number(otherKey) || (key === otherKey && hashOf(record) !== undefined)
    : Timestamp.Order(key, otherKey) > 0
}

/** Whether entity, key and hash tell the records of a series apart; not where blocks come without their hashes. */
export const isIdentified = (call: Call.Call, record: unknown): boolean =>
  !Call.isPerBlock(call) || hashOf(record) !== undefined

/**
 * Builds the requests that read a series from its last record on, that record included: the rest of its entity, then
 * the entities not met yet.
 *
 * Gives nothing where the order or the set of records does not allow it (another order, a wildcard, a provider's name,
 * the latest so many, times in another zone, a token, a parameter not known here): then only reading it all again tells.
 */
export const from = (
  series: Series | undefined,
  call: Call.Call,
  { met, record }: Place
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
  if (!Call.isUtc(call) || Call.isWhole(call)) return undefined
  if (![entity, ...met].every((name) => named.includes(name)) || named.some((name) => /[*:]/.test(name)))
    return undefined
  const start = Call.nameOf(call, "Start", perBlock ? "height" : "time")
  const inclusive = Call.nameOf(call, "StartInclusive")
  if (start === undefined || inclusive === undefined) return undefined
  const left = named.filter((name) => !met.has(name))
  const rest = Call.set(Call.without(call, "Start", "StartInclusive"), { [series.entities]: [entity] })
  const current = Call.set(rest, { [start]: key, [inclusive]: true })
  return left.length === 0 ? [current] : [current, Call.set(call, { [series.entities]: left })]
}

/**
 * Remembers how far each series of a subscription was delivered, so that a new connection can go on without hole or repeat.
 *
 * A lane is one entity, or of metrics one metric of an entity: metrics of one instant may come in several frames, at
 * different times.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Timestamp from "../../Timestamp.ts"
import * as Json from "../wire/Json.ts"
import * as Series from "../series/Series.ts"

/** What identifies the records of a subscription. */
export interface Shape {
  /** The field that names a record's entity. */
  readonly entity: string
  /** The field by which records of an entity are ordered. */
  readonly position: "time" | "height"
  /** Fields that tell apart the records of one position. */
  readonly identity: ReadonlyArray<string>
  /** The metrics asked for; absent where a record has no metrics. */
  readonly metrics: ReadonlyArray<string> | undefined
  /** The fields that a record is known to have. Others say nothing of whether it was revised. */
  readonly fields: ReadonlySet<string>
  /** Whether records of an entity were asked for. */
  readonly isAsked: (entity: string) => boolean
  /** Tells a record that replaces what was known from one that says what has changed; absent where each stands alone. */
  readonly isWhole?: ((record: object) => boolean) | undefined
}

/** One entity, or one metric of an entity. */
export interface Lane {
  readonly entity: string
  /** The metric; empty where the series has none. */
  readonly column: string
  /** Position of the last record delivered. */
  last: string | undefined
  /** The lowest height delivered, where the position is the height. */
  first: string | undefined
  /** The connection in which it is known that nothing is missing. 0 before. */
  settled: number
  /** The latest doubt after which it is known that nothing is missing. */
  checked: number
  /** Identities delivered lately, those of the last position among them: all up to 10,000. */
  readonly known: Map<string, Delivered>
  /** Whether an identity may have a position behind the last one, because that went back. */
  wentBack: boolean
}

interface Delivered {
  readonly position: string
  readonly value: unknown
}

/** A record with the texts that place it. */
export interface Placed {
  readonly record: object
  readonly entity: string
  readonly position: string
  readonly id: string
  /** The metrics it holds; one empty text where the series has none. */
  readonly columns: ReadonlyArray<string>
}

/** Identities that a lane keeps besides those of the last position; more where blocks may leave the main chain. */
const kept = { time: 8, height: 32 } as const

/** Identities of the last position that a lane keeps; where there are more, a new connection may repeat the others. */
const keptAtOnce = 10_000

const noMetrics = [""]

/** Lanes of a subscription. A service has fewer entities; one that goes wrong must not fill the memory with names. */
const mostLanes = 200_000

const nameOf = (entity: string, column: string) => (column === "" ? entity : `${entity}\n${column}`)

const nothing: ReadonlyArray<string> = []

/** Orders positions. */
export const compare = (unit: Shape["position"], a: string, b: string): number => {
  if (unit === "height") return Number(a) - Number(b)
  // Texts of one length usually have one format, which sorts by time.
  return a.length === b.length ? (a < b ? -1 : a === b ? 0 : 1) : Timestamp.Order(a, b)
}

/**
 * Whether a text comes after another one of the same length. V8 compares parts of texts, as all values of records are,
 * in a slow way.
 */
const isGreater = (text: string, other: string): boolean => {
  const { length } = text
  if (length !== other.length) return false
  for (let at = 0; at < length; at++) {
    const difference = text.charCodeAt(at) - other.charCodeAt(at)
    if (difference !== 0) return difference > 0
  }
  return false
}

/** Nanoseconds by which no service lags behind what it has published: five minutes. A time further ahead is wrong. */
const farBefore = 300_000_000_000n

const isFarBefore = (time: string, last: string | undefined): boolean => {
  const [from, to] = [Timestamp.toEpochNanos(time), Timestamp.toEpochNanos(last ?? "")]
  return Result.isSuccess(from) && Result.isSuccess(to) && to.success - from.success > farBefore
}

/** Places a record, if it has the fields for that. */
export const place = ({ entity, identity, metrics, position }: Shape, record: object): Placed | undefined => {
  const [name, at] = [Series.textOf(record, entity), Series.textOf(record, position)]
  if (name === undefined || at === undefined) return undefined
  const columns = metrics === undefined ? noMetrics : metrics.filter((metric) => Object.hasOwn(record, metric))
  let id = at
  for (const field of identity) id += `\n${Series.textOf(record, field) ?? ""}`
  return { record, entity: name, position: at, id, columns }
}

/** The lanes of a subscription. */
export interface Lanes {
  /** Whether a record may have lanes: its entity was asked for, and there are not too many. */
  readonly admits: (placed: Placed) => boolean
  readonly of: (entity: string, column: string) => Lane
  /** Begins a connection: no lane is settled in it. */
  readonly begin: (connection: number) => void
  /** Doubts that every lane that has delivered something is complete: a record of one may have been lost. */
  readonly doubt: () => void
  /** Whether nobody knows if a record of the lane was lost. */
  readonly isDoubted: (lane: Lane) => boolean
  /** Ends the doubt of a lane. */
  readonly check: (lane: Lane) => void
  /** The metrics of a record from the connection that were not delivered yet. */
  readonly fresh: (placed: Placed) => ReadonlyArray<string>
  /**
   * The lane of a record that belongs to a single one, if the record plainly follows: nothing is missing in the lane in this
   * connection, and it has delivered something, but not this record.
   */
  readonly following: (placed: Placed) => Lane | undefined
  /**
   * The same of a record that is told by its entity and its time alone, because the time is later than all others of the
   * lane: most are. Building the identity of a record and looking it up takes a third of the time of reading it.
   */
  readonly later: (record: object) => Lane | undefined
  /** Notes a metric of a record as delivered. */
  readonly note: (lane: Lane, placed: Placed) => void
  /** Whether a record is before what was delivered. Never where blocks may be replaced. */
  readonly isBefore: (lane: Lane, placed: Placed) => boolean
  /** Whether a record was delivered and has a time far after those that came later, so that it says nothing of what follows. */
  readonly isAhead: (lane: Lane, placed: Placed) => boolean
  /**
   * Forgets a position far after the first record of a connection, such as that of a damaged time: it would hold back every
   * record before it. The lane goes back to what it delivered last before the record.
   */
  readonly goBack: (lane: Lane, placed: Placed) => void
  /** The number of the connection. */
  readonly connection: () => number
}

/** Whether a record replaces what was known. It is delivered wherever it comes, also where it was delivered before. */
export const isWhole = (shape: Shape, record: object): boolean => shape.isWhole?.(record) === true

/** Whether a record with this identity was delivered, as far as is remembered. */
export const isKnown = ({ known }: Lane, { id }: Placed): boolean => known.has(id)

/** Whether it was delivered with the same value. Another value is a revision: the last candle may still grow. */
export const isRepeat = ({ fields }: Shape, { column, known }: Lane, { id, record }: Placed): boolean => {
  const before = known.get(id)
  return before !== undefined && !differs(fields, before.value, valueOf(record, column))
}

/** Whether a block is below the last one, at a height of which no block is remembered, so that it replaces none. */
export const isBeforeKnown = ({ position: unit }: Shape, { known, last }: Lane, { position }: Placed): boolean =>
  unit === "height" &&
  last !== undefined &&
  compare(unit, position, last) <= 0 &&
  ![...known.values()].some((delivered) => delivered.position === position)

/** Builds the lanes of a subscription. */
export const make = (shape: Shape): Lanes => {
  const lanes = new Map<string, Lane>()
  const unit = shape.position
  let connection = 0
  // Doubts are numbered. A lane is in doubt whose last check came before the latest one; 0 where none is.
  let [doubts, doubt] = [0, 0]

  // Often the record before was of the same lane.
  let latest: Lane | undefined

  const of: Lanes["of"] = (entity, column) => {
    if (latest !== undefined && latest.entity === entity && latest.column === column) return latest
    const name = nameOf(entity, column)
    latest = lanes.get(name)
    if (latest !== undefined) return latest
    latest = {
      entity,
      column,
      last: undefined,
      first: undefined,
      settled: 0,
      checked: doubts,
      known: new Map(),
      wentBack: false
    }
    lanes.set(name, latest)
    return latest
  }

  const admits: Lanes["admits"] = ({ columns, entity }) =>
    latest?.entity === entity ||
    columns.every((column) => lanes.has(nameOf(entity, column))) ||
    (lanes.size < mostLanes && shape.isAsked(entity))

  const isBefore: Lanes["isBefore"] = ({ last }, { position }) =>
    unit === "time" && last !== undefined && compare(unit, position, last) < 0

  const goBack: Lanes["goBack"] = (lane, placed) => {
    if (!isBefore(lane, placed) || lane.known.has(placed.id) || !isFarBefore(placed.position, lane.last)) return
    const positions = [...lane.known.values()].map(({ position }) => position)
    const earlier = positions.filter((at) => compare(unit, at, placed.position) <= 0)
    lane.last = earlier.toSorted((a, b) => compare(unit, a, b)).at(-1)
    for (const [id, { position }] of lane.known) {
      if (compare(unit, position, placed.position) > 0) lane.known.delete(id)
    }
  }

  const isAhead: Lanes["isAhead"] = ({ known, last }, { id, position }) =>
    unit === "time" && last !== undefined && known.has(id) && isFarBefore(last, position)

  const note: Lanes["note"] = (lane, { id, position, record }) => {
    const { last } = lane
    if (last === undefined) lane.checked = doubts
    const isNext = last === undefined || unit === "height" || compare(unit, position, last) > 0
    // Far before it: the time of the last record was wrong, and what comes later is not held back by it.
    if (isNext) lane.last = position
    else if (isFarBefore(position, last)) {
      lane.last = position
      lane.wentBack = true
    }
    if (shape.isWhole !== undefined && connection > 0 && isWhole(shape, record)) {
      // What was known is replaced: the same change, told again, changes something else.
      lane.last = position
      lane.known.clear()
    }
    if (unit === "height" && (lane.first === undefined || compare(unit, position, lane.first) < 0))
      lane.first = position
    // Put at the end, so that the oldest come first.
    lane.known.delete(id)
    // A copy, since the reader may change the fields of a record.
    lane.known.set(id, { position, value: lane.column === "" ? { ...record } : valueOf(record, lane.column) })
    while (lane.known.size > kept[unit]) {
      const [oldest, { position: at }] = lane.known.entries().next().value!
      if (unit === "time" && at === lane.last && lane.known.size <= keptAtOnce) break
      lane.known.delete(oldest)
    }
  }

  const isDoubted: Lanes["isDoubted"] = ({ checked, last }) =>
    checked < doubt && (last !== undefined || unit === "time")

  const isNew = (lane: Lane, placed: Placed): boolean =>
    isWhole(shape, placed.record) ||
    (lane.known.has(placed.id)
      ? !isRepeat(shape, lane, placed)
      : lane.settled === connection || !isBefore(lane, placed))

  const fresh: Lanes["fresh"] = (placed) => {
    const { columns, entity } = placed
    if (columns.length > 1) return columns.filter((column) => isNew(of(entity, column), placed))
    return columns[0] === undefined || isNew(of(entity, columns[0]), placed) ? columns : nothing
  }

  const following: Lanes["following"] = ({ columns, entity, id }) => {
    const [column] = columns
    if (column === undefined || columns.length > 1) return undefined
    const isLatest = latest?.entity === entity && latest.column === column
    const lane = isLatest ? latest : lanes.get(nameOf(entity, column))
    if (lane === undefined || lane.settled !== connection || lane.last === undefined) return undefined
    if (lane.checked < doubt || lane.known.has(id)) return undefined
    latest = lane
    return lane
  }

  const isOneLane = unit === "time" && shape.metrics === undefined
  const later: Lanes["later"] = (record) => {
    if (!isOneLane) return undefined
    // Type boundary: any property of an object can be read. Here, because a look-up in a function that others share takes several
    // times as long.
    const { [shape.entity]: entity, time } = record as Readonly<Record<string, unknown>>
    if (typeof entity !== "string" || typeof time !== "string") return undefined
    const lane = latest !== undefined && latest.entity === entity ? latest : lanes.get(entity)
    if (lane === undefined || lane.settled !== connection || lane.wentBack) return undefined
    if (lane.last === undefined || lane.checked < doubt || !isGreater(time, lane.last)) return undefined
    latest = lane
    return lane
  }

  return {
    admits,
    following,
    later,
    of,
    begin: (number) => {
      connection = number
    },
    doubt: () => {
      doubts += 1
      doubt = doubts
    },
    isDoubted,
    check: (lane) => {
      lane.checked = doubts
    },
    fresh,
    note,
    isBefore,
    isAhead,
    goBack,
    connection: () => connection
  }
}

/** What a lane delivers of a record. */
const valueOf = (record: object, column: string): unknown => (column === "" ? record : Reflect.get(record, column))

/** Whether two values differ in what both have: HTTP and live records have a few fields of their own. */
const differs = (fields: ReadonlySet<string>, before: unknown, after: unknown): boolean => {
  if (!Predicate.isObject(before) || !Predicate.isObject(after)) return !Json.isSame(before, after)
  return Object.entries(after).some(
    ([name, value]) =>
      fields.has(name) &&
      !onlyHere.has(name) &&
      Object.hasOwn(before, name) &&
      !Json.isSame(Reflect.get(before, name), value)
  )
}

/** Fields that say nothing of the record itself. */
const onlyHere = new Set(["cm_sequence_id", "database_time", "collect_time", "type"])

/** A record with only these of its metrics. */
export const only = ({ metrics = [] }: Shape, { columns, record }: Placed, wanted: ReadonlyArray<string>): object => {
  if (wanted.length === columns.length) return record
  const others = metrics.filter((metric) => !wanted.includes(metric))
  const dropped = new Set(others.flatMap((metric) => [metric, `${metric}-status`, `${metric}-status-time`]))
  return Object.fromEntries(Object.entries(record).filter(([name]) => !dropped.has(name)))
}

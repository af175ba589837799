/**
 * Remembers how far each series of a subscription was delivered, so that a new connection can go on without hole or repeat.
 *
 * A lane is one entity, or of metrics one metric of an entity: metrics of one instant may come in several frames, at
 * different times.
 */
import * as Predicate from "effect/Predicate"
import type { Origin } from "../../../LiveMessage.ts"
import * as Json from "../../wire/Json.ts"
import * as Series from "../../series/Series.ts"
import * as Digest from "./Digest.ts"
import * as Memory from "./Memory.ts"
import * as Position from "./Position.ts"

/** What identifies the records of a subscription. */
export interface Shape {
  /** The field that names a record's entity. */
  readonly entity: string
  /** The field by which records of an entity are ordered. */
  readonly position: Position.Unit
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
  /** The fields that tell whether the connection brings a record again as it was. */
  readonly compared: ReadonlyArray<string>
  readonly memory: Memory.Memory
  /** The lowest position delivered, where the stream did not begin at `since`: what is before it is from before the stream. */
  lowest: string | undefined
  /** The first record that was left out, because it is of before `since`. */
  early: string | undefined
  /** Whether a connection has brought a record. */
  hasCome: boolean
  /** The connection in which it is known that nothing is missing; 0 where none is. */
  settledIn: number
  /** How many first records of connections came behind the others, up to three. */
  behind: number
  /** The latest doubt after which it is known that nothing is missing. */
  checked: number
  /** The turn in which it delivered something last. */
  touched: number
  /** The connection in which the reader was told that records are left out; 0 where none is. */
  leftOutIn: number
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

const noMetrics = [""]

/** Lanes of a subscription. A service has fewer entities; one that goes wrong must not fill the memory with names. */
const mostLanes = 200_000

export const nameOf = (entity: string, column: string): string => (column === "" ? entity : `${entity}\n${column}`)

const nothing: ReadonlyArray<string> = []

/** Places a record, if it has the fields for that. */
export const place = ({ entity, identity, metrics, position }: Shape, record: object): Placed | undefined => {
  const [name, at] = [Series.textOf(record, entity), Series.textOf(record, position)]
  if (name === undefined || at === undefined) return undefined
  const columns = metrics === undefined ? noMetrics : metrics.filter((metric) => Object.hasOwn(record, metric))
  let id = at
  for (const field of identity) id += `\n${Series.textOf(record, field) ?? ""}`
  return { record, entity: name, position: at, id, columns }
}

export interface Lanes {
  /** Whether the position of a record is one that exists. */
  readonly isSound: (placed: Placed) => boolean
  /** Whether a record may have lanes: its entity was asked for, and there are not too many. */
  readonly admits: (placed: Placed) => boolean
  readonly of: (entity: string, column: string) => Lane
  /** Begins a connection: no lane is settled in it. */
  readonly begin: (connection: number) => void
  readonly end: () => void
  /** Counts turns, which tell how long ago something was delivered. */
  readonly turn: () => void
  /**
   * Whether a lane delivered something shortly before the last live record of the connections that ended, so that a record of it may
   * still be late. How long they lasted after that says nothing: a dead connection brings nothing either.
   */
  readonly isActive: (lane: Lane) => boolean
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
  /** Notes a metric of a record as delivered, and the look that found it. */
  readonly note: (lane: Lane, placed: Placed, origin: Origin, look?: number) => void
  /** Begins a look over HTTP. Returns its number, from 1. */
  readonly look: () => number
  /** Notes that a block has left the main chain. False where that was known. */
  readonly noteGone: (entity: string, hash: string) => boolean
  /** The lowest time that was delivered of any lane. */
  readonly lowest: () => string | undefined
  readonly connection: () => number
}

/** Whether a record replaces what was known. It is delivered wherever it comes, also where it was delivered before. */
export const isWhole = (shape: Shape, record: object): boolean => shape.isWhole?.(record) === true

/** Whether a record with this identity was delivered, as far as is remembered. */
export const isKnown = ({ memory }: Lane, { id }: Placed): boolean => Memory.get(memory, id) !== undefined

/** Whether it was delivered with the same value. Another value is a revision: the last candle may still grow. */
export const isRepeat = ({ fields }: Shape, { column, compared, memory }: Lane, { id, record }: Placed): boolean => {
  const before = Memory.get(memory, id)
  // A block that was taken back may return.
  if (before === undefined || before.isGone) return false
  const { source, value } = before
  return source.origin === "live" && typeof value === "number"
    ? value === Digest.of(record, compared)
    : !differs(fields, value, valueOf(record, column))
}

/**
 * Whether a record that HTTP shows in a look is a revision of the delivered one. It never is of a live record, nor of a record that
 * a later look has shown.
 */
export const isRevised = (shape: Shape, lane: Lane, placed: Placed, look: number): boolean => {
  const before = Memory.get(lane.memory, placed.id)
  if (before === undefined || isRepeat(shape, lane, placed)) return false
  return before.isGone || (before.source.origin !== "live" && before.source.look <= look)
}

/** Whether the last record delivered is this one. */
export const isLast = ({ memory }: Lane, { id }: Placed): boolean => memory.last === id

/**
 * Whether a record says nothing of what follows: others that are later came before it. One that replaces what was known does so too:
 * it may be some seconds old, and what comes next may be of now.
 */
export const isBehind = (shape: Shape, { memory }: Lane, { position, record }: Placed): boolean => {
  if (shape.position === "height") return false
  if (!isWhole(shape, record)) return Memory.isBehind(memory, position)
  const last = memory.recent.at(-1)
  return last !== undefined && Position.compare("time", position, last) <= 0
}

/** Whether the memory cannot tell if a record was delivered, because it has forgotten others at its position or after it. */
export const isForgotten = ({ forgotten, unit }: Memory.Memory, { position }: Placed): boolean =>
  forgotten !== undefined && Position.compare(unit, position, forgotten) <= 0

export const make = (shape: Shape, since?: string): Lanes => {
  const lanes = new Map<string, Lane>()
  const unit = shape.position
  const placing = new Set([shape.entity, unit, ...shape.identity])
  const compared = [...shape.fields].filter((name) => !onlyHere.has(name) && !placing.has(name))
  let connection = 0
  // Doubts are numbered. A lane is in doubt whose last check came before the latest one; 0 where none is.
  let doubts = 0
  let [turns, heard, ended, looks] = [0, 0, 0, 0]

  const exists = Position.makeCheck(unit)

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
      compared: column === "" ? compared : [column],
      memory: Memory.make(unit, turns),
      lowest: undefined,
      early: undefined,
      hasCome: false,
      settledIn: 0,
      behind: 0,
      checked: 0,
      touched: turns,
      leftOutIn: 0
    }
    lanes.set(name, latest)
    return latest
  }

  const admits: Lanes["admits"] = ({ columns, entity }) =>
    latest?.entity === entity ||
    columns.every((column) => lanes.has(nameOf(entity, column))) ||
    (lanes.size < mostLanes && shape.isAsked(entity))

  const note: Lanes["note"] = (lane, { id, position, record }, origin, look = 0) => {
    const { lowest, memory } = lane
    const isFirst = memory.highest === undefined && since === undefined
    if (shape.isWhole !== undefined && connection > 0 && isWhole(shape, record)) {
      // What was known is replaced: the same change, told again, changes something else.
      Memory.clear(memory)
    }
    const isLive = origin === "live"
    if (unit === "height" && isLive) {
      // A block that comes live takes the place of another; if that returns, it is delivered again.
      for (const [other, delivered] of Memory.entries(memory)) {
        if (delivered.position === position && other !== id) delivered.isGone = true
      }
    }
    lane.touched = turns
    if (isLive) heard = turns
    // A copy, since the reader may change the fields of a record.
    const value =
      (isLive ? Digest.of(record, lane.compared) : undefined) ??
      (lane.column === "" ? { ...record } : valueOf(record, lane.column))
    const isHighest = Memory.note(memory, id, position, value, isLive ? Memory.live : { origin, look }, turns)
    if (isFirst || (!isHighest && lowest !== undefined && Position.compare(unit, position, lowest) < 0)) {
      lane.lowest = position
    }
  }

  const isDoubted: Lanes["isDoubted"] = ({ checked, memory }) =>
    checked < doubts && (memory.highest !== undefined || unit === "time")

  const isNew = (lane: Lane, placed: Placed): boolean =>
    isWhole(shape, placed.record) ||
    // No other record has its position, which is a part of its identity.
    Memory.isAhead(lane.memory, placed.position) ||
    (isKnown(lane, placed)
      ? !isRepeat(shape, lane, placed)
      : lane.settledIn === connection || !isForgotten(lane.memory, placed))

  const fresh: Lanes["fresh"] = (placed) => {
    const { columns, entity } = placed
    if (columns.length > 1) return columns.filter((column) => isNew(of(entity, column), placed))
    return columns[0] === undefined || isNew(of(entity, columns[0]), placed) ? columns : nothing
  }

  const following: Lanes["following"] = (placed) => {
    const { columns, entity } = placed
    const [column] = columns
    if (column === undefined || columns.length > 1) return undefined
    const isLatest = latest?.entity === entity && latest.column === column
    const lane = isLatest ? latest : lanes.get(nameOf(entity, column))
    if (lane === undefined || lane.settledIn !== connection || lane.memory.highest === undefined) return undefined
    if (lane.checked < doubts || isKnown(lane, placed)) return undefined
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
    if (lane === undefined || lane.settledIn !== connection) return undefined
    const { highest } = lane.memory
    if (highest === undefined || lane.checked < doubts) return undefined
    if (!Position.isGreater(time, highest) || !exists(time)) return undefined
    latest = lane
    return lane
  }

  return {
    isSound: ({ position }) => exists(position),
    admits,
    following,
    later,
    of,
    begin: (number) => {
      connection = number
    },
    end: () => {
      ended = heard
    },
    turn: () => {
      turns += 1
    },
    isActive: ({ touched }) => touched + 4 > ended,
    doubt: () => {
      doubts += 1
    },
    isDoubted,
    check: (lane) => {
      lane.checked = doubts
    },
    fresh,
    note,
    look: () => (looks += 1),
    noteGone: (entity, hash) => {
      let [isKnown, isNews] = [false, false]
      for (const column of shape.metrics ?? noMetrics) {
        const lane = lanes.get(nameOf(entity, column))
        for (const [id, delivered] of lane === undefined ? [] : Memory.entries(lane.memory)) {
          if (!id.endsWith(`\n${hash}`)) continue
          isKnown = true
          isNews ||= !delivered.isGone
          delivered.isGone = true
        }
      }
      return isNews || !isKnown
    },
    lowest: () => {
      let lowest: string | undefined
      for (const lane of lanes.values()) {
        if (
          lane.lowest !== undefined &&
          (lowest === undefined || Position.compare(shape.position, lane.lowest, lowest) < 0)
        )
          lowest = lane.lowest
      }
      return lowest
    },
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

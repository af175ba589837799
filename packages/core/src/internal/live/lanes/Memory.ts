/**
 * What a lane has delivered lately, by identity and in the order of delivery. Repeats are told by it alone, and it says where a hole
 * begins. A time that is wrong changes neither: what is forgotten is what was delivered longest ago, and never what lies ahead.
 */
import type { Origin } from "../../../LiveMessage.ts"
import * as Position from "./Position.ts"

/** How a record was delivered. */
export interface Source {
  /** The place of one that was filled says nothing of the order: it came behind others. */
  readonly origin: Origin
  /** The number of the look that found it; 0 where it was not filled. */
  readonly look: number
}

/** By the connection. */
export const live: Source = { origin: "live", look: 0 }

export interface Delivered {
  readonly position: string
  readonly value: unknown
  readonly source: Source
  /** Whether it is a block that the reader knows to have left the main chain. */
  isGone: boolean
}

/**
 * Records in the order of delivery. Those of `byId` come before the others, which are put there when somebody asks for one: most are
 * never asked for, and that takes longer than all else that is done to remember them.
 */
interface Generation {
  readonly byId: Map<string, Delivered>
  ids: Array<string>
  values: Array<unknown>
  sources: Array<Source>
}

/** What was delivered lately: first `old`, then `young`. */
export interface Memory {
  readonly unit: Position.Unit
  old: Generation
  young: Generation
  /** A position after which none of the records of `old` is; absent where there is none. */
  oldUpTo: string | undefined
  /** The identity of the last one, and the positions of the last three. */
  last: string | undefined
  readonly recent: Array<string>
  /** The turn in which `young` began. */
  turn: number
  /** How many want nothing to be forgotten, because they look for what was not delivered. */
  held: number
  /** The highest position delivered: what comes after it is no repeat. */
  highest: string | undefined
  /** The highest position that was forgotten: of records up to it nobody knows whether they were delivered. */
  forgotten: string | undefined
}

/** Records of a generation at least; more where blocks may leave the main chain. */
const fewest = { time: 8, height: 32 } as const

/** Records of a generation at most. */
const most = 5_000

/** Turns that a generation lasts at least. */
const lasting = 3

/** The length of a turn in milliseconds. */
export const turnLength = 15_000

/** By how many nanoseconds records may be late, where nothing else is known. The service has delays that differ by a second. */
export const leastLate = 2_000_000_000n

/** By how much they are taken to be late at most. */
const mostLate = 30_000_000_000n

const generation = (entries: Iterable<readonly [string, Delivered]> = []): Generation => ({
  byId: new Map(entries),
  ids: [],
  values: [],
  sources: []
})

const sizeOf = ({ byId, ids }: Generation): number => byId.size + ids.length

const indexOf = (self: Generation): ReadonlyMap<string, Delivered> => {
  const { byId, ids, sources, values } = self
  if (ids.length === 0) return byId
  for (const [at, id] of ids.entries()) {
    // An identity begins with the position.
    const [position = ""] = id.split("\n", 1)
    byId.set(id, { position, value: values[at], source: sources[at]!, isGone: false })
  }
  self.ids = []
  self.values = []
  self.sources = []
  return byId
}

export const make = (unit: Position.Unit, turn: number): Memory => ({
  unit,
  old: generation(),
  young: generation(),
  last: undefined,
  recent: [],
  turn,
  held: 0,
  highest: undefined,
  oldUpTo: undefined,
  forgotten: undefined
})

/** What was delivered with an identity, as far as is remembered. */
export const get = ({ old, young }: Memory, id: string): Delivered | undefined =>
  indexOf(young).get(id) ?? indexOf(old).get(id)

/** All that is remembered, in the order of delivery. */
export const entries = ({ old, young }: Memory): ReadonlyArray<readonly [string, Delivered]> => [
  ...indexOf(old),
  ...indexOf(young)
]

/** The middle one of three positions, or the highest of fewer: one wrong position among them is never chosen. */
const middle = (unit: Position.Unit, positions: ReadonlyArray<string>): string | undefined => {
  const ascending = positions.toSorted((a, b) => Position.compare(unit, a, b))
  return ascending.length < 3 ? ascending.at(-1) : ascending[1]
}

/** Records of the older generation at most, where nothing is to be forgotten. */
const mostHeld = 40_000

/**
 * Begins a generation and forgets the oldest one, except the records ahead of the newest position, and as many of those that open
 * holes need as there is room for.
 */
const turnOver = (self: Memory, turn: number) => {
  const { held, old, unit, young } = self
  const here = middle(unit, self.recent) ?? ""
  const isHeld = held > 0 && sizeOf(old) < mostHeld
  self.young = generation()
  self.turn = turn
  const forget = (position: string) => {
    if (self.forgotten === undefined || Position.isAfter(unit, position, self.forgotten)) self.forgotten = position
  }
  if (isHeld) self.old = generation([...indexOf(old), ...indexOf(young)])
  else if (self.oldUpTo !== undefined && Position.isAfter(unit, self.oldUpTo, here)) {
    const ahead: Array<readonly [string, Delivered]> = []
    for (const entry of indexOf(old)) {
      const { position } = entry[1]
      if (Position.isAfter(unit, position, here)) ahead.push(entry)
      else forget(position)
    }
    self.old = generation([...ahead.slice(-most), ...indexOf(young)])
  } else {
    if (self.oldUpTo !== undefined) forget(self.oldUpTo)
    self.old = young
  }
  self.oldUpTo = self.highest
}

/** Whether a position comes after all that were delivered. */
export const isAhead = ({ highest, unit }: Memory, position: string): boolean =>
  highest !== undefined && Position.isAfter(unit, position, highest)

/** Remembers a record, by its identity, which begins with its position. Returns whether no position is as high. */
export const note = (
  self: Memory,
  id: string,
  position: string,
  value: unknown,
  source: Source,
  turn: number
): boolean => {
  const { recent, unit } = self
  const size = sizeOf(self.young)
  if (size >= most || (turn >= self.turn + lasting && size >= fewest[unit])) turnOver(self, turn)
  const { young } = self
  // Makes one text of the parts of the identity, which keep frames in memory.
  Number(id)
  young.ids.push(id)
  young.values.push(value)
  young.sources.push(source)
  const isHighest = self.highest === undefined || isAhead(self, position)
  if (isHighest) self.highest = position
  if (source.origin === "filled") return isHighest
  self.last = id
  if (recent.push(position) > 3) recent.shift()
  return isHighest
}

export const clear = (self: Memory): void => {
  self.old = generation()
  self.oldUpTo = undefined
  self.young = generation()
  self.last = undefined
  self.recent.length = 0
}

/** Whether most of the last three came after a position: a record there is late, and says nothing of what follows. */
export const isBehind = ({ recent, unit }: Memory, position: string): boolean =>
  2 * recent.filter((other) => Position.compare(unit, other, position) > 0).length > recent.length

/** The position up to which most of the last three records came; absent where none did. */
export const latest = ({ recent, unit }: Memory): string | undefined => middle(unit, recent)

/** How far a lane was delivered, for a record that comes next. */
export interface Frontier {
  /** The position that was reached; absent where nothing up to the record is remembered. */
  readonly reached: string | undefined
  /** The lowest of the last three positions, as two of them may be wrong, but not long before that. */
  readonly lowest: string | undefined
  /** Nanoseconds by which records of the lane may be late: twice what they were. */
  readonly late: bigint
}

/** Tells how far a lane was delivered. */
export const frontier = (self: Memory, to: string): Frontier => {
  const { unit } = self
  const positions = entries(self).flatMap(([, { position, source }]) =>
    source.origin !== "filled" && Position.compare(unit, position, to) <= 0 ? [position] : []
  )
  const late = unit === "time" ? 2n * latenessOf(positions) : 0n
  const last = positions.slice(-3)
  const reached = middle(unit, last)
  const limit = reached === undefined || unit === "height" ? reached : Position.before(unit, reached, mostLate)
  return {
    reached,
    lowest:
      limit &&
      last.reduce(
        (a, b) => (Position.compare(unit, b, a) < 0 && Position.compare(unit, b, limit) > 0 ? b : a),
        reached!
      ),
    late: late < leastLate ? leastLate : late > mostLate ? mostLate : late
  }
}

/** By how much a record came behind one of a later time, at most. */
const latenessOf = (positions: ReadonlyArray<string>): bigint => {
  let [high, late] = [positions[0], 0n]
  for (const position of positions) {
    if (Position.compare("time", position, high!) >= 0) high = position
    else {
      const behind = Position.nanosOf(high!) - Position.nanosOf(position)
      if (behind > late) late = behind
    }
  }
  return late
}

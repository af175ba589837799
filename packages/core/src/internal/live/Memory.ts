/**
 * What a lane has delivered lately, by identity and in the order of delivery. Repeats are told by it alone, and it says where a hole
 * begins. A time that is wrong changes neither: what is forgotten is what was delivered longest ago, and never what lies ahead.
 */
import type { Origin } from "../../LiveMessage.ts"
import * as Position from "./Position.ts"

/** A record that was delivered. */
export interface Delivered {
  readonly id: string
  readonly position: string
  readonly value: unknown
  /** The place of one that was filled says nothing of the order: it came behind others. */
  readonly origin: Origin
  /** The number of the look that found it; 0 where it was not filled. */
  readonly look: number
  /** Whether it is a block that the reader knows to have left the main chain. */
  isGone?: boolean
}

/**
 * Records in the order of delivery. They are put under their identities when somebody asks for one: most are never asked for, and that
 * takes longer than all else that is done to remember them.
 */
interface Generation {
  readonly log: Array<Delivered>
  readonly byId: Map<string, Delivered>
  /** How many of the log are in `byId`. */
  indexed: number
}

/** What was delivered lately: first `old`, then `young`. */
export interface Memory {
  readonly unit: Position.Unit
  old: Generation
  young: Generation
  /** The identity of the last one, and the positions of the last three. */
  last: string | undefined
  readonly recent: Array<string>
  /** The turn in which `young` began. */
  turn: number
  /** How many want nothing to be forgotten, because they look for what was not delivered. */
  held: number
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

const generation = (log: Array<Delivered> = []): Generation => ({ log, byId: new Map(), indexed: 0 })

const indexOf = (self: Generation): ReadonlyMap<string, Delivered> => {
  for (; self.indexed < self.log.length; self.indexed++) {
    const delivered = self.log[self.indexed]!
    self.byId.set(delivered.id, delivered)
  }
  return self.byId
}

/** Nothing was delivered. */
export const make = (unit: Position.Unit, turn: number): Memory => ({
  unit,
  old: generation(),
  young: generation(),
  last: undefined,
  recent: [],
  turn,
  held: 0,
  forgotten: undefined
})

/** What was delivered with an identity, as far as is remembered. */
export const get = ({ old, young }: Memory, id: string): Delivered | undefined => indexOf(young).get(id) ?? indexOf(old).get(id)

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

/** Begins a generation, and forgets the oldest one, but not what lies ahead, and of what holes need as much as there is room for. */
const turnOver = (self: Memory, turn: number) => {
  const here = middle(self.unit, self.recent)!
  const { log } = self.old
  const isHeld = self.held > 0 && log.length < mostHeld
  const ahead: Array<Delivered> = []
  for (const delivered of isHeld ? [] : log) {
    const { position } = delivered
    if (Position.isAfter(self.unit, position, here)) ahead.push(delivered)
    else if (self.forgotten === undefined || Position.isAfter(self.unit, position, self.forgotten)) {
      self.forgotten = position
    }
  }
  const kept = isHeld ? log : ahead.slice(-most)
  self.old = kept.length === 0 ? self.young : generation([...kept, ...self.young.log])
  self.young = generation()
  self.turn = turn
}

/** Remembers a record. */
export const note = (self: Memory, delivered: Delivered, turn: number): void => {
  const { recent, unit, young } = self
  const { length } = young.log
  if (length >= most || (turn >= self.turn + lasting && length >= fewest[unit])) turnOver(self, turn)
  self.young.log.push(delivered)
  if (delivered.origin === "filled") return
  self.last = delivered.id
  if (recent.push(delivered.position) > 3) recent.shift()
}

/** Forgets all. */
export const clear = (self: Memory): void => {
  self.old = generation()
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
  /** Nanoseconds by which records of the lane may be late: twice what they were. */
  readonly late: bigint
}

/** Tells how far a lane was delivered. */
export const frontier = (self: Memory, to: string): Frontier => {
  const { unit } = self
  const positions = entries(self).flatMap(([, { origin, position }]) =>
    origin !== "filled" && Position.compare(unit, position, to) <= 0 ? [position] : []
  )
  const late = unit === "time" ? 2n * latenessOf(positions) : 0n
  return {
    reached: middle(unit, positions.slice(-3)),
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

/**
 * A seam between what a lane has delivered and its next record: where to look for records that lie between, and what is known.
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { ApiError } from "../../../ApiError.ts"
import type { Gap, LiveMessage } from "../../../LiveMessage.ts"
import * as Lanes from "./Lanes.ts"
import * as Memory from "./Memory.ts"
import * as Position from "./Position.ts"

/** What to read over HTTP: entities from one position to another, both included. */
export interface Range {
  /** Absent for all entities of the subscription. */
  readonly entities: ReadonlyArray<string> | undefined
  /** The metrics to read; absent for all of the subscription. */
  readonly metrics: ReadonlyArray<string> | undefined
  readonly unit: Position.Unit
  readonly from: string
  readonly to: string | undefined
}

/** Reads a range in order. Its records have the names of fields that live records have. */
export type ReadRange = (range: Range) => Stream.Stream<object, ApiError>

/** A lane whose next record may not follow from what was delivered: its first one of a connection, or one after a jump. */
export interface Seam {
  readonly lane: Lanes.Lane
  /** That record. */
  readonly to: Lanes.Placed
  /** The position up to which the lane was delivered; absent where nothing was. */
  readonly reached: string | undefined
  /** Where to look from, for what came late too; absent where nothing was delivered. */
  readonly from: string | undefined
  /** Whether a single record is remembered. */
  readonly isLone: boolean
  /** Nanoseconds by which a record of the lane may be late. */
  readonly late: bigint
  /** The blocks that were delivered before it; none where positions are times. */
  readonly blocks: ReadonlyArray<readonly [id: string, Memory.Delivered]>
  /** Whether the record was delivered before, so that only what came late may be missing. */
  readonly isKnown: boolean
  /** Whether the lane is settled in the connection, and only a jump of the sequence numbers raises doubts. */
  readonly isCheck: boolean
  /** Whether it is the first record of the lane that came over any connection. */
  readonly isFirstLive: boolean
}

export const make = (lane: Lanes.Lane, to: Lanes.Placed, kind: Pick<Seam, "isKnown" | "isCheck">): Seam => {
  const { hasCome, lowest, memory } = lane
  const { unit } = memory
  const { late, lowest: begin, reached } = Memory.frontier(memory, to.position)
  const early = begin === undefined ? undefined : Position.before(unit, begin, late)
  const isBelow = early !== undefined && lowest !== undefined && Position.compare(unit, early, lowest) < 0
  const from = isBelow ? lowest : early
  const blocks = unit === "height" ? Memory.entries(memory) : []
  return { lane, to, reached, from, isLone: memory.recent.length === 1, late, blocks, isFirstLive: !hasCome, ...kind }
}

/** What closes seams. */
export interface Settings {
  /** The path of the live operation. */
  readonly endpoint: string
  readonly shape: Lanes.Shape
  readonly lanes: Lanes.Lanes
  /** Absent where no HTTP operation has the records. */
  readonly read: ReadRange | undefined
  /** Where the stream begins, if it has a history. */
  readonly since: string | undefined
  /** Where a lane begins that has delivered nothing. */
  readonly floor: (to: Lanes.Placed) => string | undefined
  /** Removes the key of the account from text of the service. */
  readonly scrub: (text: string) => string
  /** The longest wait for the HTTP side to show the record at a seam. */
  readonly overlap: Duration.Duration
  readonly emit: (messages: () => ReadonlyArray<LiveMessage<object>>) => Effect.Effect<void>
  /** The present, as text. */
  readonly now: () => string
  /** Says what is wrong with a record whose position is none. */
  readonly damageOf: (placed: Lanes.Placed) => ApiError
  /** Is shown each record before it is delivered. */
  readonly see: (record: object) => unknown
}

/** A single record has a wrong time if that is an hour before the stream began: what was before that is not missing. */
const longBefore = 3_600_000_000_000n

/** Where to look from; nothing where nobody knows. */
export const startOf = ({ floor }: Pick<Settings, "floor">, { from, isLone, to }: Seam): string | undefined => {
  if (from === undefined) return floor(to)
  const start = isLone ? floor(to) : undefined
  return start !== undefined && Position.nanosOf(start) - Position.nanosOf(from) > longBefore ? start : from
}

/** Whether records from the hole on are forgotten, so that nobody knows which of them were delivered. */
export const isForgotten = (settings: Pick<Settings, "floor">, seam: Seam): boolean => {
  const { forgotten, unit } = seam.lane.memory
  const from = seam.reached ?? startOf(settings, seam)
  return forgotten !== undefined && from !== undefined && Position.compare(unit, from, forgotten) <= 0
}

/** Delivers what `take` makes of records that were read over HTTP; fails behind them if the position of one does not exist. */
export const deliver = (
  { damageOf, emit, lanes, shape }: Settings,
  records: ReadonlyArray<object>,
  take: (placed: ReadonlyArray<Lanes.Placed>) => ReadonlyArray<LiveMessage<object>>
): Effect.Effect<void, ApiError> => {
  const placed = records.flatMap((record) => Lanes.place(shape, record) ?? [])
  const damaged = placed.find((one) => !lanes.isSound(one))
  if (damaged === undefined) return emit(() => take(placed))
  return Effect.andThen(
    emit(() => take(placed.filter(lanes.isSound))),
    Effect.fail(damageOf(damaged))
  )
}

/** What became of seams. */
export interface Closed {
  /** The records and reorganisations that were missing. */
  readonly found: number
  /** Whether HTTP showed the records at the end of all of them, so that nothing else is missing but what comes late. */
  readonly isWhole: boolean
}

/** Says that records may be missing: one message for the metrics of an entity that have the same range. */
export const gapsOf = (
  { floor, read, shape }: Settings,
  seams: Iterable<Seam>,
  reason: Gap["reason"],
  error?: ApiError
): ReadonlyArray<Gap> => {
  const byRange = new Map<string, Gap>()
  for (const seam of seams) {
    const { isFirstLive, lane, reached, to } = seam
    // Where HTTP has other records, those of the stream are missing from the beginning on, whatever was read as history.
    const isOther = isFirstLive && read === undefined
    // No change of a book comes behind the next snapshot.
    const from = (isOther ? undefined : shape.isWhole === undefined ? startOf({ floor }, seam) : reached) ?? floor(to)
    const key = `${lane.entity}\n${from}\n${to.position}`
    const metrics = shape.metrics && [...(byRange.get(key)?.metrics ?? []), lane.column]
    const { position: unit } = shape
    byRange.set(key, { _tag: "Gap", entity: lane.entity, metrics, unit, from, to: to.position, reason, error })
  }
  return [...byRange.values()]
}

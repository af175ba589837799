/**
 * Closes the seam between what was delivered and the first record of a new connection: reads over HTTP what lies between
 * them, and says what may be missing.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { ApiError } from "../../ApiError.ts"
import type { TooSlow } from "../../LiveError.ts"
import type { Data, Gap, LiveMessage } from "../../LiveMessage.ts"
import * as Monotonic from "../retry/Monotonic.ts"
import * as Lanes from "./Lanes.ts"

/** What to read over HTTP: an entity from one position to another, both included. */
export interface Range {
  /** Absent for all entities of the subscription. */
  readonly entity: string | undefined
  /** The metrics to read; absent for all of the subscription. */
  readonly metrics: ReadonlyArray<string> | undefined
  readonly unit: "time" | "height"
  readonly from: string
  readonly to: string | undefined
}

/** Reads a range in order. Its records have the names of fields that live records have. */
export type ReadRange = (range: Range) => Stream.Stream<object, ApiError>

/** A lane whose next record may not follow from what was delivered: its first new one of a connection, or one after a jump. */
export interface Seam {
  readonly lane: Lanes.Lane
  /** That record. It is not delivered yet. */
  readonly to: Lanes.Placed
  /** Whether the lane is settled in the connection, and only a jump of the sequence numbers raises doubts. */
  readonly isCheck: boolean
  /** Whether it is the first record of the lane that came over a connection. */
  readonly isFirst: boolean
}

/** What became of seams. */
export interface Closed {
  /** The records that were missing. */
  readonly found: number
  /** Whether HTTP showed the records at the end of all of them, so that nothing else is missing. */
  readonly isWhole: boolean
}

/** Settings of {@link close}. */
export interface Settings {
  readonly shape: Lanes.Shape
  readonly lanes: Lanes.Lanes
  /** Absent where no HTTP operation can fill a hole. */
  readonly read: ReadRange | undefined
  /** Where the stream began, for lanes that delivered nothing yet and a record of the new connection. */
  readonly floor: (to: Lanes.Placed) => string | undefined
  /** The longest wait for the HTTP side to show the record at the end of a hole. */
  readonly overlap: Duration.Duration
  readonly emit: (messages: ReadonlyArray<LiveMessage<object>>) => Effect.Effect<void, TooSlow>
  /** Is shown each record before it is delivered. */
  readonly see: (record: object) => unknown
}

/** Blocks before the last one at which a fill begins, because they may have been replaced meanwhile. */
const replaceable = 12

/** The first and the longest time between two looks at an HTTP side that lags. */
const [firstPause, longestPause] = [250, 5_000]

/** Closes the seams of one entity. */
export const close = Effect.fnUntraced(function* (
  settings: Settings,
  seams: ReadonlyArray<Seam>
): Effect.fn.Return<Closed, TooSlow> {
  const { emit, lanes, overlap, read, shape } = settings
  const unit = shape.position
  let found = 0
  // Where HTTP has other records, those of the stream are missing from the beginning on, whatever was read as history.
  const positionOf = ({ isFirst, lane, to }: Seam) =>
    (isFirst && read === undefined ? undefined : lane.last) ?? settings.floor(to)
  // A block below the first one delivered is from before the stream began.
  const isTooEarly = ({ first: lowest }: Lanes.Lane, { position }: Lanes.Placed) =>
    unit === "height" && lowest !== undefined && Lanes.compare(unit, position, lowest) < 0
  const gaps = (open: Iterable<Seam>, reason: Gap["reason"], error?: ApiError) => {
    const byRange = new Map<string, Gap>()
    for (const seam of open) {
      const { lane, to } = seam
      const from = positionOf(seam)
      const key = `${from}\n${to.position}`
      const metrics = shape.metrics && [...(byRange.get(key)?.metrics ?? []), lane.column]
      byRange.set(key, { _tag: "Gap", entity: lane.entity, metrics, unit, from, to: to.position, reason, error })
    }
    return [...byRange.values()]
  }
  const giveUp = (reason: Gap["reason"], left: Iterable<Seam>, error?: ApiError) =>
    Effect.as(emit(gaps(left, reason, error)), { found, isWhole: false })
  if (read === undefined) return yield* giveUp("unfillable", seams)

  const open = new Set(seams)
  const take = (record: object): ReadonlyArray<Data<object>> => {
    const placed = Lanes.place(shape, record)
    if (placed === undefined) return []
    const fresh: Array<string> = []
    for (const seam of open) {
      const { lane, to } = seam
      // A reply may hold another entity, whose lane this is not.
      if (placed.entity !== lane.entity || !placed.columns.includes(lane.column)) continue
      // A metric that has no value yet was not published.
      if (lane.column !== "" && Reflect.get(record, lane.column) === null) continue
      if (placed.id === to.id) open.delete(seam)
      else if (Lanes.compare(unit, placed.position, to.position) <= 0) {
        if (Lanes.isRepeat(shape, lane, placed) || lanes.isBefore(lane, placed) || isTooEarly(lane, placed)) continue
        // The fill begins earlier than the hole, for blocks that replaced others. Blocks that replace none are no news.
        if (Lanes.isBeforeKnown(shape, lane, placed)) continue
        lanes.note(lane, placed)
        fresh.push(lane.column)
      }
    }
    if (fresh.length === 0) return []
    found += 1
    const filled = Lanes.only(shape, placed, fresh)
    settings.see(filled)
    return [{ _tag: "Data", record: filled, origin: "filled" }]
  }

  const deadline = (yield* Monotonic.now) + Duration.toMillis(overlap)
  for (let pause = firstPause; ; pause = Math.min(2 * pause, longestPause)) {
    const range = rangeOf(shape, [...open], positionOf)
    if (range === undefined) return yield* giveUp("unfillable", open)
    const failure = yield* Stream.runForEachArray(read(range), (records) => emit(records.flatMap(take))).pipe(
      Effect.map(() => undefined),
      Effect.catchIf(
        (error): error is ApiError => error._tag !== "TooSlow",
        (error) => Effect.succeed(error)
      )
    )
    if (open.size === 0) return { found, isWhole: true }
    if (failure !== undefined) return yield* giveUp("failed", open, failure)
    const left = deadline - (yield* Monotonic.now)
    // Less than a millisecond may be no time for a clock.
    if (left < 1) return yield* giveUp("lagging", open)
    yield* Effect.sleep(Math.min(pause, left))
  }
})

/** The range that holds all of these seams; nothing where nobody knows where one begins. */
const rangeOf = (
  { metrics, position: unit }: Lanes.Shape,
  seams: ReadonlyArray<Seam>,
  positionOf: (seam: Seam) => string | undefined
): Range | undefined => {
  const ascending = (a: string, b: string) => Lanes.compare(unit, a, b)
  const starts = seams.map(positionOf).filter((start) => start !== undefined)
  const [from] = starts.toSorted(ascending)
  const to = seams
    .map((seam) => seam.to.position)
    .toSorted(ascending)
    .at(-1)
  if (from === undefined || starts.length < seams.length) return undefined
  return {
    entity: seams[0]?.lane.entity,
    metrics: metrics && seams.map(({ lane }) => lane.column),
    unit,
    from: unit === "time" ? from : String(Math.max(lowestOf(seams), Number(from) - replaceable)),
    to
  }
}

/** The lowest height that was delivered of any of these. */
const lowestOf = (seams: ReadonlyArray<Seam>) => Math.min(...seams.map(({ lane }) => Number(lane.first ?? 0)))

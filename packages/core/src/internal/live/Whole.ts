/**
 * Closes the seam before the first record of a connection where that replaces what was known, as a whole order book does: nothing
 * has to be filled for what follows to be right. What is not known between is said at once, because the records of the connection
 * are no series of HTTP, so that HTTP never shows one of them.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { ApiError } from "../../ApiError.ts"
import type { TooSlow } from "../../LiveError.ts"
import type { Data, Gap } from "../../LiveMessage.ts"
import * as Lanes from "./Lanes.ts"
import type { Closed, Seam, Settings } from "./Seam.ts"

/**
 * Whether nothing is missing before a record that replaces what was known: it is not later than the last one delivered, and what
 * follows changes it.
 */
export const follows = (shape: Lanes.Shape, { last }: Lanes.Lane, { position, record }: Lanes.Placed): boolean =>
  Lanes.isWhole(shape, record) && last !== undefined && Lanes.compare(shape.position, position, last) <= 0

/**
 * Closes the seams of one entity. Behind its history, what HTTP has up to the time of the first live record is read, once and
 * without waiting: history may have taken long.
 */
export const close = Effect.fnUntraced(function* (
  { emit, floor, lanes, read, see, shape }: Settings,
  seams: ReadonlyArray<Seam>
): Effect.fn.Return<Closed, TooSlow> {
  const unit = shape.position
  let found = 0
  const closed = (isWhole: boolean): Closed => ({ found, isWhole })
  const [seam] = seams
  if (seam === undefined) return closed(true)
  const { isFirst, lane, to } = seam
  const gap = (reason: Gap["reason"], error?: ApiError) => {
    const from = lane.last ?? floor(to)
    return Effect.as(
      emit([{ _tag: "Gap", entity: lane.entity, metrics: undefined, unit, from, to: to.position, reason, error }]),
      closed(false)
    )
  }
  if (!isFirst || read === undefined || lane.last === undefined) return yield* gap("unfillable")

  const from = lane.last
  let isReached = false
  const take = (record: object): ReadonlyArray<Data<object>> => {
    const placed = Lanes.place(shape, record)
    if (placed === undefined || placed.entity !== lane.entity) return []
    const order = Lanes.compare(unit, placed.position, to.position)
    isReached ||= order >= 0
    const wasRead = placed.position === from && Lanes.isKnown(lane, placed)
    if (order > 0 || wasRead || lanes.isBefore(lane, placed)) return []
    lanes.note(lane, placed)
    found += 1
    see(record)
    return [{ _tag: "Data", record, origin: "filled" }]
  }
  const range = { entity: lane.entity, metrics: undefined, unit, from, to: to.position }
  const failure = yield* Stream.runForEachArray(read(range), (records) => emit(records.flatMap(take))).pipe(
    Effect.map(() => undefined),
    Effect.catchIf(
      (error): error is ApiError => error._tag !== "TooSlow",
      (error) => Effect.succeed(error)
    )
  )
  if (failure !== undefined) return yield* gap("failed", failure)
  // A record of the same time shows that HTTP has all before it.
  return isReached ? closed(true) : yield* gap("lagging")
})

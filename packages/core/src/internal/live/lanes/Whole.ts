/**
 * Closes the seam before the first record of a connection where that replaces what was known, as a whole order book does: nothing
 * has to be filled for what follows to be right. What is not known between is said at once, because the records of the connection
 * are no series of HTTP, so that HTTP never shows one of them.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { ApiError } from "../../../ApiError.ts"
import type { Data, Gap } from "../../../LiveMessage.ts"
import * as Lanes from "./Lanes.ts"
import * as Memory from "./Memory.ts"
import * as Position from "./Position.ts"
import { deliver, gapsOf, type Seam, type Settings } from "./Seam.ts"

/**
 * Closes the seam of an entity. Behind its history, what HTTP has up to the time of the first live record is read, once and
 * without waiting: history may have taken long.
 */
export const close = Effect.fnUntraced(function* (settings: Settings, seam: Seam): Effect.fn.Return<void> {
  const { emit, lanes, now, read, see, shape } = settings
  const { isFirstLive, lane, reached: from, to } = seam
  const { position: unit } = shape
  const giveUp = (reason: Gap["reason"], error?: ApiError) => emit(() => gapsOf(settings, [seam], reason, error))
  // What HTTP has changes the book before the snapshot, which is not there any more behind it.
  const isBefore = isFirstLive && Lanes.isWhole(shape, to.record)
  if (!isBefore || read === undefined || from === undefined) return yield* giveUp("unfillable")

  // A snapshot may have the identity of the update beside it, so what this fill delivers itself does not count.
  const known = new Set(Memory.entries(lane.memory).map(([id]) => id))
  const take = (placed: Lanes.Placed, received: string): ReadonlyArray<Data<object>> => {
    const { entity, id, position, record } = placed
    const isWithin = Position.compare(unit, position, to.position) <= 0 && Position.compare(unit, position, from) >= 0
    if (entity !== lane.entity || !isWithin || known.has(id)) return []
    lanes.note(lane, placed, "filled")
    see(record)
    return [{ _tag: "Data", record, origin: "filled", received }]
  }
  const range = { entities: [lane.entity], metrics: undefined, unit, from, to: to.position }
  const takeAll = (records: ReadonlyArray<object>) => {
    const received = now()
    return deliver(settings, records, (placed) => placed.flatMap((one) => take(one, received)))
  }
  const failure = yield* Stream.runForEachArray(read(range), takeAll).pipe(
    Effect.as(undefined),
    Effect.catch((error) => Effect.succeed(error))
  )
  // HTTP has updates some seconds late, and never the snapshot, so nothing shows that it has all before that.
  return yield* failure === undefined ? giveUp("lagging") : giveUp("failed", failure)
})

/**
 * Fills what may be missing at seams: looks over HTTP until the records at their ends are there, says what is not, and looks again
 * for what comes late.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { ApiError } from "../../ApiError.ts"
import type { Gap } from "../../LiveMessage.ts"
import * as Monotonic from "../retry/Monotonic.ts"
import * as Look from "./Look.ts"
import { type Closed, gapsOf, type Seam, type Settings, startOf } from "./Seam.ts"

/** The first and the longest time between two looks at an HTTP side that lags, in milliseconds. */
const [firstPause, longestPause] = [250, 5_000]

/** What became of seams, and a look at them later, if that may find something. */
export interface Filled extends Closed {
  readonly again: Effect.Effect<void> | undefined
}

/** Closes seams. One wait, for as long as `overlap`, serves all of them. */
export const close = Effect.fnUntraced(function* (
  settings: Settings,
  seams: ReadonlyArray<Seam>
): Effect.fn.Return<Filled> {
  const { emit, overlap, read } = settings
  const open = new Set(seams.filter(({ isKnown }) => !isKnown))
  const given = new Set<Seam>()
  let found = 0
  const giveUp = (left: ReadonlyArray<Seam>, reason: Gap["reason"], error?: ApiError) => {
    for (const seam of left) {
      open.delete(seam)
      given.add(seam)
    }
    return emit(gapsOf(settings, left, reason, error))
  }
  const start = yield* Monotonic.now
  yield* giveUp(
    [...open].filter((seam) => read === undefined || startOf(settings, seam) === undefined),
    "unfillable"
  )
  if (read === undefined) return { found, isWhole: given.size === 0, again: undefined }
  for (let pause = firstPause; open.size > 0; pause = Math.min(2 * pause, longestPause)) {
    const look = yield* Look.at({ ...settings, read }, [...open], false)
    found += look.found
    for (const seam of look.shown) open.delete(seam)
    for (const [error, left] of byError(look)) yield* giveUp(left, "failed", error)
    const left = Duration.toMillis(overlap) - ((yield* Monotonic.now) - start)
    if (open.size === 0) break
    // Less than a millisecond may be no time for a clock.
    if (left < 1) yield* giveUp([...open], "lagging")
    else yield* Effect.sleep(Math.min(pause, left))
  }
  const lag = (yield* Monotonic.now) - start
  const rest = seams.filter((seam) => !given.has(seam) && settings.shape.position === "time")
  const again = rest.length === 0 ? undefined : lookAgain({ ...settings, read }, rest, lag)
  return { found, isWhole: given.size === 0, again }
})

/**
 * Looks for what HTTP shows late: twice, and for as long as it finds something. Waits for as long as records may be late and as HTTP
 * lagged, and twice as long each time.
 */
const lookAgain = Effect.fnUntraced(function* (
  settings: Parameters<typeof Look.at>[0],
  seams: ReadonlyArray<Seam>,
  lag: number
): Effect.fn.Return<void> {
  const start = yield* Monotonic.now
  const late = seams.map((seam) => Number(seam.late / 1_000_000n)).reduce((a, b) => Math.max(a, b))
  for (let [looks, pause] = [1, Math.max(late, lag)]; ; looks++, pause *= 2) {
    yield* Effect.sleep(pause)
    const look = yield* Look.at(settings, seams, true)
    for (const [error, left] of byError(look)) yield* settings.emit(gapsOf(settings, left, "failed", error))
    const isOver = (yield* Monotonic.now) - start >= Duration.toMillis(settings.overlap)
    if (look.failed.size > 0 || (looks >= 2 && (look.found === 0 || isOver))) return
  }
})

const byError = ({ failed }: Look.Look): ReadonlyArray<readonly [ApiError, ReadonlyArray<Seam>]> =>
  [...Map.groupBy(failed, ([, error]) => error)].map(([error, left]) => [error, left.map(([seam]) => seam)])

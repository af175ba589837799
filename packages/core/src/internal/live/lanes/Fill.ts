/**
 * Fills what may be missing at seams: looks over HTTP until the records at their ends are there, says what is not, and looks again
 * for what comes late.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { ApiError } from "../../../ApiError.ts"
import type { Gap } from "../../../LiveMessage.ts"
import * as Monotonic from "../../retry/Monotonic.ts"
import * as Look from "./Look.ts"
import { type Closed, gapsOf, isForgotten, type Seam, type Settings, startOf } from "./Seam.ts"

/** The first and the longest time between two looks at an HTTP side that lags, in milliseconds. */
const [firstPause, longestPause] = [250, 5_000]

/** What became of seams, and later looks at them, which tell how many records they have found. */
interface Filled extends Closed {
  readonly again: Effect.Effect<number>
}

/** Holds what the lanes of seams remember, until {@link close} and its later looks have ended. */
export const hold = (seams: ReadonlyArray<Seam>): void => change(seams, 1)

const change = (seams: ReadonlyArray<Seam>, by: 1 | -1) => {
  for (const { lane } of seams) lane.memory.held += by
}

/**
 * Closes seams that are held. One wait serves all of them, for as long as `overlap` since their records came, so that no record is later
 * than that. The later looks have to be run.
 */
export const close = Effect.fnUntraced(function* (
  settings: Settings,
  seams: ReadonlyArray<Seam>,
  since: number
): Effect.fn.Return<Filled> {
  const { overlap, read, shape } = settings
  const open = new Set(seams)
  const givenUp = new Set<Seam>()
  let found = 0
  const giveUp = (left: ReadonlyArray<Seam>, reason: Gap["reason"], error?: ApiError) => {
    for (const seam of left) {
      open.delete(seam)
      givenUp.add(seam)
    }
    return tell(settings, left, reason, error)
  }
  const start = yield* Monotonic.now
  yield* giveUp(
    seams.filter((seam) => read === undefined || startOf(settings, seam) === undefined),
    "unfillable"
  )
  for (let pause = firstPause; open.size > 0; pause = Math.min(2 * pause, longestPause)) {
    if (read === undefined) break
    const look = yield* Look.run({ ...settings, read }, [...open], false)
    found += look.found
    for (const seam of look.shown) open.delete(seam)
    for (const [error, left] of byError(look)) yield* giveUp(left, "failed", error)
    if (open.size === 0) break
    const left = Duration.toMillis(overlap) - ((yield* Monotonic.now) - since)
    // Less than a millisecond may be no time for a clock.
    if (left < 1) yield* giveUp([...open], "lagging")
    else yield* Effect.sleep(Math.min(pause, left))
  }
  const lag = (yield* Monotonic.now) - start
  yield* tell(settings, forgottenOf(settings, seams, givenUp), "forgotten")
  // No block comes late.
  const rest = seams.filter((seam) => !givenUp.has(seam) && shape.position === "time")
  const later =
    read === undefined || rest.length === 0 ? Effect.succeed(0) : lookAgain({ ...settings, read }, rest, lag, givenUp)
  const again = Effect.ensuring(
    later,
    Effect.sync(() => change(seams, -1))
  )
  return { found, isWhole: givenUp.size === 0, again }
})

/** The seams for which the memory no longer holds what was delivered, and no `Gap` was sent. Adds them to `told`. */
const forgottenOf = (settings: Settings, seams: ReadonlyArray<Seam>, told: Set<Seam>): ReadonlyArray<Seam> => {
  const forgotten = seams.filter((seam) => !told.has(seam) && isForgotten(settings, seam))
  for (const seam of forgotten) told.add(seam)
  return forgotten
}

/** Says what may be missing. Before a record that was delivered only what comes late is, which is taken for none where HTTP has nothing. */
const tell = (settings: Settings, seams: ReadonlyArray<Seam>, reason: Gap["reason"], error?: ApiError) => {
  const missing = seams.filter(({ isKnown }) => !isKnown || reason !== "unfillable")
  const gaps = gapsOf(settings, missing, reason, error)
  return gaps.length === 0 ? Effect.void : settings.emit(() => gaps)
}

/**
 * Looks for what HTTP shows late: twice, and for as long as it finds something. Waits for as long as records may be late and as HTTP
 * lagged, and twice as long each time. A look that does not show the record at a seam any more is one at a server that lags, and counts
 * for nothing.
 */
const lookAgain = Effect.fnUntraced(function* (
  settings: Parameters<typeof Look.run>[0],
  seams: ReadonlyArray<Seam>,
  lag: number,
  told: Set<Seam>
): Effect.fn.Return<number> {
  const start = yield* Monotonic.now
  const late = seams.map((seam) => Number(seam.late / 1_000_000n)).reduce((a, b) => Math.max(a, b))
  let [found, looks] = [0, 0]
  let left = seams
  for (let pause = Math.max(late, lag); ; pause *= 2) {
    yield* Effect.sleep(pause)
    const look = yield* Look.run(settings, left, true)
    left = left.filter((seam) => !look.failed.has(seam))
    const hidden = left.filter((seam) => !look.shown.has(seam))
    if (hidden.length === 0) looks += 1
    found += look.found
    for (const [error, some] of byError(look)) yield* tell(settings, some, "failed", error)
    yield* tell(settings, forgottenOf(settings, left, told), "forgotten")
    const isOver = (yield* Monotonic.now) - start >= Duration.toMillis(settings.overlap)
    if (left.length === 0 || (looks >= 2 && (look.found === 0 || isOver))) return found
    if (isOver && hidden.length > 0) {
      yield* tell(settings, hidden, "lagging")
      return found
    }
  }
})

const byError = ({ failed }: Look.Look): ReadonlyArray<readonly [ApiError, ReadonlyArray<Seam>]> =>
  [...Map.groupBy(failed, ([, error]) => error)].map(([error, left]) => [error, left.map(([seam]) => seam)])

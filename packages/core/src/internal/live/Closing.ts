/**
 * Finds the seams before the records of a connection, and has them closed.
 *
 * A lane is one entity, or one metric of it, of a subscription. A seam is the place in a lane between the last record of one
 * connection and the first of the next. To close it, HTTP is read for the range between (a look), as often as the records need to
 * appear there; what a look finds and was not delivered is delivered as `filled`.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { Decode } from "../../ApiError.ts"
import type { TooSlow } from "../../LiveError.ts"
import * as Timestamp from "../../Timestamp.ts"
import * as LiveSpan from "../observe/LiveSpan.ts"
import * as Series from "../series/Series.ts"
import * as Fill from "./lanes/Fill.ts"
import * as Lanes from "./lanes/Lanes.ts"
import * as Memory from "./lanes/Memory.ts"
import * as Monotonic from "../retry/Monotonic.ts"
import * as Moment from "../retry/Moment.ts"
import * as Position from "./lanes/Position.ts"
import { andThen, type Rest } from "./socket/Rest.ts"
import * as Seam from "./lanes/Seam.ts"
import * as Sequence from "./Sequence.ts"
import type { Plan, State } from "./State.ts"
import * as Whole from "./lanes/Whole.ts"

const noSeams: ReadonlyArray<Seam.Seam> = []

/** The seams at the first new records of lanes in this connection. */
export const findSeams = (
  state: State,
  placed: ReadonlyArray<Lanes.Placed | undefined>,
  isFirst: boolean
): ReadonlyArray<Seam.Seam> => {
  const { lanes, plan } = state
  const { shape } = plan
  const connection = lanes.connection()
  let found: Array<Seam.Seam> | undefined
  for (const to of placed) {
    if (to === undefined) continue
    for (const column of to.columns) {
      const lane = lanes.of(to.entity, column)
      const isDoubted = lanes.isDoubted(lane)
      // Of an entity that was not seen before, a frame since the stream began may be lost too.
      const isCheck = lane.settledIn === connection || (isFirst && isDoubted && lane.memory.highest === undefined)
      if (isCheck && !isDoubted) continue
      const isKnown = Lanes.isKnown(lane, to)
      // A repeat says nothing of what was published since; but the last one says that nothing was.
      const isRepeat = isKnown && (isCheck || !Lanes.isLast(lane, to))
      const isBehind = !isKnown && Lanes.isBehind(shape, lane, to)
      if (
        isRepeat ||
        (isBehind && (isCheck || isFirst || shape.isWhole !== undefined || Lanes.isForgotten(lane.memory, to)))
      ) {
        lane.hasCome = true
        continue
      }
      const seam = Seam.make(lane, to, { isKnown, isCheck })
      // Before a record from before the stream nothing is missing.
      const follows = !isCheck && (isFirst || isBeforeStart(state, lane, to))
      lane.hasCome = true
      // A record behind the others is late, or the times of those are wrong: what follows may be missing too. Three of them are the
      // last three.
      lane.behind = isBehind ? (lane.behind + 1) % 3 : 0
      if (lane.behind === 0) lane.settledIn = connection
      lanes.check(lane)
      const isQuiet = shape.isWhole !== undefined || shape.position === "height" || !lanes.isActive(lane)
      if (follows || (isKnown && isQuiet)) continue
      found ??= []
      found.push(seam)
    }
  }
  return found ?? noSeams
}

/** Whether a lane has delivered nothing, and a record of it is older than `since`. */
export const isBeforeStart = ({ plan: { since } }: State, { memory }: Lanes.Lane, { record }: Lanes.Placed) => {
  if (memory.highest !== undefined || since === undefined) return false
  const time = Series.textOf(record, "time")
  return time !== undefined && Timestamp.Order(time, since) < 0
}

/**
 * Closes seams: before the records behind them; or beside them, where the reader wants each record as soon as it is there, and where
 * only what comes late may be missing. Books and blocks always come in order.
 */
export const close = (state: State, seams: ReadonlyArray<Seam.Seam>): Rest<TooSlow> => {
  const { order, shape } = state.plan
  if (shape.isWhole === undefined) Fill.hold(seams)
  const isOrdered = order === "series" || shape.isWhole !== undefined || shape.position === "height"
  const aside = isOrdered ? seams.filter(({ isKnown }) => isKnown) : seams
  const before = isOrdered ? seams.filter(({ isKnown }) => !isKnown) : []
  const hasNews = Effect.sync(() => {
    state.hasNews = true
  })
  const closeBefore = Effect.flatMap(Monotonic.now, (now) => closeAll(state, before, (state.waitingSince ??= now)))
  return andThen(before.length === 0 ? undefined : Effect.andThen(closeBefore, hasNews), () => {
    if (aside.length === 0) return undefined
    // Those that come at once are read together.
    const isFirst = state.aside.push(...aside) === aside.length
    const closing = Effect.flatMap(Monotonic.now, (now) => closeAll(state, state.aside.splice(0), now))
    return isFirst ? beside(state, Effect.delay(closing, gathering)) : undefined
  })
}

/** How long seams beside the records are gathered, in milliseconds. */
const gathering = 250

/** Runs an effect beside the connections. A defect of it is the end of the stream. */
const beside = ({ out, scope }: State, effect: Effect.Effect<unknown>): Effect.Effect<void> =>
  Effect.asVoid(
    Effect.forkIn(
      Effect.catchCause(effect, (cause) => Effect.sync(() => out.end(cause))),
      scope
    )
  )

const kindOf = ({ isCheck, reached }: Seam.Seam) => (isCheck ? (reached === undefined ? "new" : "check") : "hole")

const closeAll = (state: State, seams: ReadonlyArray<Seam.Seam>, since: number) =>
  Effect.forEach(Map.groupBy(seams, kindOf), ([kind, some]) => closeSome(state, some, kind, since), { discard: true })

const closeSome = Effect.fnUntraced(function* (
  state: State,
  seams: ReadonlyArray<Seam.Seam>,
  what: ReturnType<typeof kindOf>,
  since: number
) {
  const { jumps, lanes, out, plan } = state
  const { kind, shape } = plan
  const now = yield* Moment.now
  const settings: Seam.Settings = {
    endpoint: kind.endpoint,
    shape,
    lanes,
    read: shape.isWhole === undefined ? plan.fill : plan.history,
    since: plan.since === undefined ? undefined : Position.moved(plan.since, 0n),
    floor: (to) => (shape.position === "time" ? floorOf(state, now, to) : undefined),
    // Where HTTP could not tell of one jump in time, it is asked for others without waiting.
    overlap: what !== "hole" && jumps.unclear > 0 ? Duration.zero : plan.overlap,
    emit: out.offerPatiently,
    now: () => state.now(),
    damageOf: damageOf(plan),
    scrub: kind.scrub,
    see: (record) => plan.verify?.(record, "filled", lanes.connection())
  }
  if (shape.isWhole !== undefined) {
    return yield* Effect.forEach(seams, (seam) => LiveSpan.fill(kind.endpoint, Whole.close(settings, seam)), {
      discard: true
    })
  }
  const filled = yield* LiveSpan.fill(kind.endpoint, Fill.close(settings, seams, since))
  const learnLater = (found: number) =>
    Effect.sync(() => {
      if (what === "check" && found > 0) Sequence.learn(jumps, { found, isWhole: true })
    })
  yield* beside(state, Effect.flatMap(filled.again, learnLater))
  // What HTTP has of an entity that was not seen before may be from before the stream.
  if (what === "hole" || (what === "new" && filled.found > 0)) return
  Sequence.learn(jumps, filled)
  if (jumps.areFalse || !Sequence.haveProvedFalse(jumps)) return
  jumps.areFalse = true
  yield* out.offerPatiently(() => [Sequence.provedFalse])
})

/**
 * Where a lane begins that has delivered nothing: as long before its first record as the stream has run, and a little more. The
 * clock of this machine may differ from that of the service, so it tells nothing but how long that is.
 */
const floorOf = ({ lanes, opened, plan: { since } }: State, now: Moment.Moment, { position }: Lanes.Placed) => {
  if (since !== undefined || opened === undefined) return since
  const before = (millis: number) =>
    Position.before("time", position, BigInt(Math.ceil(Math.max(millis, 0))) * 1_000_000n + Memory.leastLate)
  const [byWall, byMonotonic] = [before(now.wall - opened.wall), before(now.monotonic - opened.monotonic)]
  // A monotonic clock may rest while the machine does. A wall clock may be set: it counts back to the first record of the stream only.
  const begin = lanes.lowest()
  const wall = begin !== undefined && Position.compare("time", byWall, begin) < 0 ? begin : byWall
  return Position.compare("time", wall, byMonotonic) < 0 ? wall : byMonotonic
}

/** Says what is wrong with a record whose position is none. */
export const damageOf =
  ({ kind: { endpoint, scrub }, shape: { position: unit } }: Plan) =>
  ({ position }: Lanes.Placed) =>
    new Decode({ endpoint, path: unit, issue: scrub(`"${position.slice(0, 100)}" is no ${unit} that exists`) })

/**
 * Delivers what a connection brings, in order: closes the seams before it, leaves out what was delivered, and notices what is
 * missing.
 *
 * All this is one function of a batch of frames as long as nothing has to be waited for. Only then it is an effect: that of
 * each batch would take as long as its records.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type ApiError, Decode } from "../../ApiError.ts"
import type { LiveError, TooSlow } from "../../LiveError.ts"
import type { LiveMessage, Origin } from "../../LiveMessage.ts"
import type * as Retry from "../../Retry.ts"
import * as Timestamp from "../../Timestamp.ts"
import type * as Call from "../call/Call.ts"
import * as LiveSpan from "../observe/LiveSpan.ts"
import * as Series from "../series/Series.ts"
import * as Asked from "./Asked.ts"
import type * as Buffer from "./Buffer.ts"
import type * as Connection from "./Connection.ts"
import * as Fill from "./Fill.ts"
import * as Frames from "./Frames.ts"
import { fromFrame, unavailable } from "./Handshake.ts"
import { type Frame, sizeOf } from "./Inbox.ts"
import * as Lanes from "./Lanes.ts"
import * as Memory from "./Memory.ts"
import * as Moment from "./Moment.ts"
import * as Position from "./Position.ts"
import * as Seam from "./Seam.ts"
import * as Sequence from "./Sequence.ts"
import * as Whole from "./Whole.ts"

/**
 * When records are delivered. `series`: in the order of each series, so after a broken connection all records wait until what was
 * missed is read over HTTP, for as long as `overlap`. `arrival`: as soon as they are there, and what was missed behind them, marked
 * `filled`.
 */
export type Order = "series" | "arrival"

/** What a subscription reads, and how. */
export interface Plan {
  readonly kind: Frames.Kind
  readonly shape: Lanes.Shape
  readonly connection: Connection.Settings
  readonly retry: Retry.Policy
  readonly overlap: Duration.Duration
  /** The call of the first connection. */
  readonly call: Call.Call
  /** The call of the others, and of the first where history was read: the last record of each entity comes first. */
  readonly again: Call.Call
  /** Reads the history of the series over HTTP; absent where there is none. */
  readonly history: Seam.ReadRange | undefined
  /** Reads records of the stream over HTTP; absent where HTTP has none, or others. */
  readonly fill: Seam.ReadRange | undefined
  /** Where history begins. */
  readonly since: string | undefined
  readonly order: Order
  /** Sees each record before it is delivered, and says of a live one why it cannot be right. */
  readonly verify: ((record: object, origin: Origin, connection: number) => string | undefined) | undefined
}

/** Where messages wait for their reader. */
export type Out = Buffer.Buffer<LiveMessage<object>, LiveError, TooSlow>

/** What a session keeps from one connection to the next. */
export interface State {
  readonly plan: Plan
  readonly lanes: Lanes.Lanes
  /** What outlives a connection, such as a look at what HTTP shows late. */
  readonly scope: Scope.Scope
  /** When the first connection was opened, by both clocks of this machine in milliseconds. */
  opened: Moment.Moment | undefined
  /** Whether the reader knows of entities that were not asked for. */
  hasWarned: boolean
  connections: number
  /** Whether the connection brought anything. */
  hasNews: boolean
  attempts: number
  readonly jumps: Sequence.Jumps
  /** The frame that could not be read and ended the connection, if one did, without its number. */
  damaged: string | undefined
  readonly out: Out
  readonly emit: Out["offer"]
}

/** The bytes of frames that are parsed in one turn. */
const turn = 262_144

/** What is still to be done, if anything. */
type Rest<E = ApiError | TooSlow> = Effect.Effect<void, E> | undefined

/** Does one thing after another: at once where the first leaves nothing to be done. */
const andThen = <E>(first: Rest<E>, next: () => Rest<E>): Rest<E> =>
  first === undefined
    ? next()
    : Effect.andThen(
        first,
        Effect.suspend(() => next() ?? Effect.void)
      )

/** Builds what delivers the batches of one connection. */
export const make = (state: State, isFirst: boolean) => {
  const { jumps, plan } = state
  const read = Frames.make(plan.kind)
  Sequence.connected(jumps)
  // The first number of a connection may be any.
  let last = -1
  const deliverPart = (part: Sequence.Part, bytes: number): Rest => {
    const rest = stepInto(state, part)
    return andThen(rest, () => deliver(state, part, bytes, isFirst))
  }
  const deliverParts = (parts: ReadonlyArray<Sequence.Part>, bytes: number): Rest => {
    for (let index = 0; index < parts.length; index++) {
      // The bytes of a batch count with its first part.
      const rest = deliverPart(parts[index]!, index === 0 ? bytes : 0)
      if (rest === undefined) continue
      const others = parts.slice(index + 1)
      return others.length === 0 ? rest : andThen(rest, () => deliverParts(others, 0))
    }
    return undefined
  }
  const deliverSlice = (slice: ReadonlyArray<Frame>, bytes: number): Rest => {
    const { failure, frames } = read(slice)
    const next = frames.length === 1 && failure === undefined ? nextRecord(state, frames[0]!, last) : undefined
    if (next !== undefined) {
      last = next.sequence ?? last
      return deliverNext(state, next, bytes)
    }
    const cut = Sequence.partsOf(frames, last, state.jumps)
    last = cut.last
    return andThen(deliverParts(cut.parts, bytes), () =>
      failure === undefined ? undefined : fail(state, failure.error, failure.frame)
    )
  }
  return (batch: ReadonlyArray<Frame>): Rest => {
    if (batch.length === 1) return deliverSlice(batch, batch[0]!.length)
    const bytes = sizeOf(batch)
    // In slices each frame counts a byte more.
    if (bytes + batch.length <= turn) return deliverSlice(batch, bytes)
    const slices = Frames.slicesOf(batch, turn)
    if (slices.length === 1) return deliverSlice(batch, bytes)
    return Effect.forEach(
      slices,
      (slice) =>
        Effect.andThen(
          Effect.suspend(() => deliverSlice(slice, sizeOf(slice)) ?? Effect.void),
          Effect.yieldNow
        ),
      { discard: true }
    )
  }
}

/** A record that is plainly the next of its series. */
interface Next {
  readonly record: object
  readonly lane: Lanes.Lane
  readonly sequence: number | undefined
  /** Where it is placed, if that was needed to tell. */
  readonly placed: Lanes.Placed | undefined
}

/**
 * The record of a frame that comes alone, if it is plainly the next of its series: most frames of a connection.
 * {@link deliver} would deliver it too, but the checks for all other cases take half as long as reading the record.
 */
const nextRecord = ({ jumps, lanes, plan }: State, frame: Frames.Classified, before: number): Next | undefined => {
  if (frame._tag !== "Record" || plan.verify !== undefined) return undefined
  const { record, sequence } = frame
  // A jump that proved false is none.
  if (sequence !== undefined && sequence !== before + 1 && !(jumps.areFalse && sequence > before)) return undefined
  const lane = lanes.later(record)
  if (lane !== undefined) return { record, lane, sequence, placed: undefined }
  const placed = Lanes.place(plan.shape, record)
  const following = placed === undefined || !lanes.isSound(placed) ? undefined : lanes.following(placed)
  return following === undefined ? undefined : { record, lane: following, sequence, placed }
}

/** Notes it, and delivers it after that: the reader may change what it gets. The note takes half a microsecond. */
const deliverNext = (state: State, { lane, placed, record }: Next, bytes: number): Rest => {
  state.hasNews = true
  const noted = placed ?? Lanes.place(state.plan.shape, record)
  if (noted !== undefined) state.lanes.note(lane, noted)
  return state.out.offerNow([{ _tag: "Data", record, origin: "live" }], bytes)
}

/** What there is to do before the frames of a part: most follow from the one before. */
const stepInto = ({ jumps, lanes, out, plan }: State, part: Sequence.Part): Rest => {
  const { before, frames, number, step } = part
  const broken = (reason: string) => Effect.fail(unavailable(plan.kind, "body", reason))
  const [first] = frames
  if (first?._tag === "Error") return Effect.fail(fromFrame(first.said, { ...plan.kind, ...plan.connection }))
  if (step === "fall") return broken(`cm_sequence_id fell from ${before} to ${number}`)
  if (step !== "jump" || jumps.areFalse) return undefined
  const beginsWhole = plan.shape.isWhole !== undefined
  if (beginsWhole && !jumps.hasReplaced) {
    jumps.hasReplaced = true
    return broken(`frames ${before + 1} to ${number - 1} are missing`)
  }
  if (plan.fill !== undefined && !beginsWhole && Sequence.isChecked(jumps)) {
    jumps.count += 1
    lanes.doubt()
    return undefined
  }
  if (jumps.isTold) return undefined
  jumps.isTold = true
  return out.offerNow([Sequence.unchecked(part)], 0)
}

/** Delivers frames in their order, after what closes the seams before them. */
const deliver = (state: State, part: Sequence.Part, bytes: number, isFirst: boolean): Rest => {
  const { lanes, plan } = state
  const { frames } = part
  const placed: Array<Lanes.Placed | undefined> = []
  let unasked: Set<number> | undefined
  for (const frame of frames) {
    const at = frame._tag === "Record" ? Lanes.place(plan.shape, frame.record) : undefined
    if (at !== undefined && !lanes.admits(at)) unasked = (unasked ?? new Set()).add(placed.length)
    placed.push(at)
  }
  if (unasked !== undefined) {
    return deliver(state, { ...part, frames: Asked.without(state, frames, unasked) }, bytes, isFirst)
  }
  const unsound = placed.findIndex((at) => at !== undefined && !lanes.isSound(at))
  if (unsound >= 0) {
    const at = placed[unsound]!
    return andThen(deliver(state, { ...part, frames: frames.slice(0, unsound) }, bytes, isFirst), () =>
      fail(state, damageOf(plan)(at), JSON.stringify(at.record))
    )
  }
  const seams = findSeams(state, placed, isFirst)
  return andThen(seams.length === 0 ? undefined : close(state, seams), () => {
    const { broken, messages } = messagesOf(state, part, placed)
    if (messages.length > 0) state.hasNews = true
    return andThen<ApiError | TooSlow>(state.out.offerNow(messages, bytes), () =>
      broken === undefined ? undefined : unavailable(plan.kind, "body", broken)
    )
  })
}

/** Ends the connection because of a frame, which is told from others without its number. */
const fail = (state: State, error: ApiError, frame: string) => {
  state.damaged = frame.replace(/"cm_sequence_id": ?"?\d+"?/, "")
  return Effect.fail(error)
}

const damageOf =
  ({ kind: { endpoint, scrub }, shape: { position: unit } }: Plan) =>
  ({ position }: Lanes.Placed) =>
    new Decode({ endpoint, path: unit, issue: scrub(`"${position.slice(0, 100)}" is no ${unit} that exists`) })

/** Closes seams: before the records behind them, or beside them where the reader wants each record as soon as it is there. */
const close = (state: State, seams: ReadonlyArray<Seam.Seam>): Effect.Effect<void, TooSlow> => {
  const { order, shape } = state.plan
  const closed = Effect.forEach(
    [seams.filter(({ isCheck }) => !isCheck), seams.filter(({ isCheck }) => isCheck)],
    (some) => closeSome(state, some),
    { discard: true }
  )
  return order === "series" || shape.isWhole !== undefined
    ? closed
    : Effect.asVoid(Effect.forkIn(Effect.ignore(closed), state.scope))
}

const closeSome = Effect.fnUntraced(function* (state: State, seams: ReadonlyArray<Seam.Seam>) {
  const [first] = seams
  if (first === undefined) return
  const { jumps, lanes, out, plan, scope } = state
  const { kind, shape } = plan
  const now = yield* Moment.now
  const settings: Seam.Settings = {
    shape,
    lanes,
    read: shape.isWhole === undefined ? plan.fill : plan.history,
    since: plan.since === undefined ? undefined : Position.moved(plan.since, 0n),
    floor: (to) => (shape.position === "time" ? floorOf(state, now, to) : undefined),
    // Where HTTP could not tell of one jump in time, it is asked for others without waiting.
    overlap: first.isCheck && jumps.unclear > 0 ? Duration.zero : plan.overlap,
    emit: out.offerPatiently,
    damageOf: damageOf(plan),
    see: (record) => plan.verify?.(record, "filled", lanes.connection())
  }
  if (shape.isWhole !== undefined) {
    return yield* Effect.forEach(seams, (seam) => LiveSpan.fill(kind.endpoint, Whole.close(settings, seam)), {
      discard: true
    })
  }
  const filled = yield* LiveSpan.fill(kind.endpoint, Fill.close(settings, seams))
  state.hasNews = true
  if (filled.again !== undefined) yield* Effect.forkIn(filled.again, scope)
  if (!first.isCheck) return
  Sequence.learn(jumps, filled)
  if (jumps.areFalse || !Sequence.haveProvedFalse(jumps)) return
  jumps.areFalse = true
  yield* out.offer([Sequence.provedFalse], 0)
})

/**
 * Where a lane begins that has delivered nothing: as long before its first record as the stream has run, and a little more. The
 * clock of this machine may differ from that of the service, so it tells nothing but how long that is.
 */
const floorOf = ({ opened, plan: { since } }: State, now: Moment.Moment, { position }: Lanes.Placed) => {
  if (since !== undefined || opened === undefined) return since
  // A wall clock may be set, and a monotonic one may rest while the machine does.
  const millis = Math.max(now.wall - opened.wall, now.monotonic - opened.monotonic, 0)
  return Position.before("time", position, BigInt(Math.ceil(millis)) * 1_000_000n + Memory.leastLate)
}

/** What frames tell the reader, and why the connection cannot be right, if it cannot. */
const messagesOf = (
  state: State,
  { before, frames, step }: Sequence.Part,
  placed: ReadonlyArray<Lanes.Placed | undefined>
) => {
  const { lanes, plan } = state
  const { shape } = plan
  const messages: Array<LiveMessage<object>> = []
  for (let index = 0; index < frames.length; index++) {
    const frame = frames[index]!
    const isRepeat = step === "repeat" && index === 0
    if (frame._tag === "Message" && !isRepeat) {
      const { message } = frame
      if (message._tag === "Reorg" && message.hash !== undefined) lanes.noteGone(message.asset, message.hash)
      messages.push(message)
    }
    if (frame._tag !== "Record") continue
    const at = placed[index]
    // A record without a place, such as one of metrics that holds none, cannot be told from others.
    if (at === undefined || at.columns.length === 0) {
      messages.push({ _tag: "Data", record: frame.record, origin: "live" })
      continue
    }
    const wanted =
      plan.since === undefined ? lanes.fresh(at) : lanes.fresh(at).filter((column) => isWanted(state, at, column))
    if (wanted.length === 0 || (isRepeat && areRepeats(state, at, wanted))) continue
    const broken = isRepeat
      ? `cm_sequence_id ${before} came again with another record`
      : plan.verify?.(frame.record, "live", lanes.connection())
    if (broken !== undefined) return { messages, broken }
    for (const column of wanted) lanes.note(lanes.of(at.entity, column), at)
    messages.push({ _tag: "Data", record: Lanes.only(shape, at, wanted), origin: "live" })
  }
  return { messages, broken: undefined }
}

/** Whether a lane has delivered nothing, and a record of it is older than `since`. */
const isBeforeStart = ({ plan: { since } }: State, { highest }: Lanes.Lane, { record }: Lanes.Placed) => {
  if (highest !== undefined || since === undefined) return false
  const time = Series.textOf(record, "time")
  return time !== undefined && Timestamp.Order(time, since) < 0
}

/** Whether a record is not from before `since`. What later records change is needed, however old it is. */
const isWanted = (state: State, placed: Lanes.Placed, column: string) =>
  Lanes.isWhole(state.plan.shape, placed.record) || !isBeforeStart(state, state.lanes.of(placed.entity, column), placed)

/** Whether a record was delivered as it is, which one that is always delivered may have been too. */
const areRepeats = ({ lanes, plan }: State, placed: Lanes.Placed, columns: ReadonlyArray<string>) =>
  columns.every((column) => Lanes.isRepeat(plan.shape, lanes.of(placed.entity, column), placed))

const noSeams: ReadonlyArray<Seam.Seam> = []

/** The seams at the first new records of lanes in this connection. */
const findSeams = (
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
      // Of an entity that was not seen before, a frame since the stream began may be lost too.
      const isNew = isFirst && shape.position === "time" && lane.highest === undefined
      const isCheck = lane.settled === connection || (isNew && lanes.isDoubted(lane))
      if (isCheck && !lanes.isDoubted(lane)) continue
      const isKnown = Lanes.isKnown(lane, to)
      // A repeat, or a late record, says nothing of what was published since; but the last one says that nothing was.
      if (isKnown ? isCheck || !Lanes.isLast(lane, to) : Lanes.isBehind(shape, lane, to)) {
        if (lane.settled === 0) lane.settled = Lanes.unsettled
        continue
      }
      const seam = Seam.make(lane, to, { isKnown, isCheck })
      // Before a record from before the stream nothing is missing.
      const follows = !isCheck && (isFirst || isBeforeStart(state, lane, to))
      lane.settled = connection
      lanes.check(lane)
      if (follows || (isKnown && (!lanes.isActive(lane) || shape.isWhole !== undefined))) continue
      found ??= []
      found.push(seam)
    }
  }
  return found ?? noSeams
}

/**
 * One subscription from its first connection to its end: reads history, connects, goes on after a broken connection, and
 * fills the holes.
 */
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import type { ApiError } from "../../ApiError.ts"
import type { LiveError, TooSlow } from "../../LiveError.ts"
import type { Data, LiveMessage, Origin } from "../../LiveMessage.ts"
import type * as Retry from "../../Retry.ts"
import * as Timestamp from "../../Timestamp.ts"
import type * as Call from "../call/Call.ts"
import { noteFault, withAttempts } from "../retry/Attempts.ts"
import * as RetrySchedule from "../retry/RetrySchedule.ts"
import * as Series from "../series/Series.ts"
import * as Retries from "../../Retry.ts"
import type * as Buffer from "./Buffer.ts"
import * as Connection from "./Connection.ts"
import * as Frames from "./Frames.ts"
import { unavailable } from "./Handshake.ts"
import * as Inbox from "./Inbox.ts"
import * as Lanes from "./Lanes.ts"
import * as Seam from "./Seam.ts"

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
  /** Reads the same series over HTTP; absent where there is none. */
  readonly read: Seam.ReadRange | undefined
  /** Where history begins. */
  readonly since: string | undefined
  /** Sees each record before it is delivered, and says of a live one why it cannot be right. */
  readonly verify: ((record: object, origin: Origin) => string | undefined) | undefined
}

type Out = Buffer.Buffer<LiveMessage<object>, LiveError, TooSlow>

/** Seams that are closed at a time. */
const parallel = 4

/** Runs a subscription. Never succeeds: it goes on until it fails or is interrupted. */
export const run = Effect.fnUntraced(function* (plan: Plan, out: Out): Effect.fn.Return<never, LiveError> {
  const { kind, shape, since } = plan
  const { endpoint } = kind
  const lanes = Lanes.make(shape)
  const emit = out.offer
  const state: State = {
    plan,
    lanes,
    floor: since,
    connections: 0,
    hasNews: false,
    attempts: 0,
    damage: none,
    out,
    emit
  }
  if (since !== undefined) yield* readHistory(state, since)

  let step: Step | undefined
  /** A damaged frame is asked for again once. */
  const isRetryable = (error: ApiError) =>
    Retries.isTransient(error) || (error._tag === "Decode" && state.damage === none)
  for (;;) {
    state.hasNews = false
    state.attempts += 1
    const failure = yield* Effect.flip(Effect.scoped(connect(state)))
    if (failure._tag === "TooSlow") return yield* failure
    if (state.hasNews) {
      step = undefined
      state.attempts = 1
    }
    yield* noteFault(failure)
    step ??= yield* Schedule.toStep(RetrySchedule.schedule(plan.retry, { millis: 0 }, isRetryable))
    const now = yield* Clock.currentTimeMillis
    const [, delay] = yield* Pull.catchDone(step(now, failure), () =>
      Effect.fail(withAttempts(failure, { attempts: state.attempts }))
    )
    state.damage = failure._tag === "Decode" ? new Map() : state.damage
    if (failure._tag === "Decode")
      yield* Effect.logWarning(`${endpoint}: connects again after a frame that cannot be read`)
    yield* Effect.sleep(delay)
  }
})

type Step = Effect.Success<ReturnType<typeof Schedule.toStep<unknown, ApiError, never, never>>>

/** The first position of each entity in a connection. */
type Firsts = Map<string, string>

/** No damaged frame lately. */
const none: Firsts = new Map()

interface State {
  readonly plan: Plan
  readonly lanes: Lanes.Lanes
  /** Where the stream began. */
  floor: string | undefined
  connections: number
  /** Whether the connection brought anything. */
  hasNews: boolean
  attempts: number
  /**
   * After a damaged frame, what came in the connection since; else `none`. The last record of each entity comes again in a new
   * connection, so a frame that is always bad comes before any entity has a further record. Once one has, it was another.
   */
  damage: Firsts
  readonly out: Out
  readonly emit: Out["offer"]
}

/** Reads the series over HTTP up to now. What is published meanwhile is left to the seams of the first connection. */
const readHistory = ({ lanes, out, plan }: State, since: string) => {
  const { read, shape } = plan
  if (read === undefined) return Effect.void
  const take = (record: object): Data<object> => {
    const placed = Lanes.place(shape, record)
    for (const column of placed?.columns ?? []) {
      // A metric that has no value yet was not published.
      if (placed === undefined || (column !== "" && Reflect.get(record, column) === null)) continue
      lanes.note(lanes.of(placed.entity, column), placed)
    }
    plan.verify?.(record, "history")
    return { _tag: "Data", record, origin: "history" }
  }
  const range = { entity: undefined, metrics: undefined, unit: "time" as const, from: since, to: undefined }
  return Stream.runForEachArray(read(range), (records) => out.offerPatiently(records.map(take)))
}

/** Opens a connection and delivers what it brings, until it breaks. */
const connect = Effect.fnUntraced(function* (state: State) {
  const { emit, lanes, plan } = state
  const isFirst = state.connections === 0 && plan.since === undefined
  const connection = yield* Connection.open(plan.connection, isFirst ? plan.call : plan.again)
  state.connections += 1
  state.floor ??= Timestamp.fromEpochNanos(BigInt(Math.floor(yield* Clock.currentTimeMillis)) * 1_000_000n)
  lanes.begin(state.connections)
  state.damage = state.damage === none ? none : new Map()
  yield* emit([{ _tag: "Connected", connection: state.connections }], 0)
  const ended = yield* Effect.flip(readAll(state, connection, isFirst))
  if (ended._tag !== "TooSlow") yield* emit([{ _tag: "Disconnected", error: ended }], 0)
  return yield* Effect.fail(ended)
})

const readAll = (state: State, connection: Connection.Connection, isFirst: boolean) => {
  const { endpoint } = state.plan.kind
  // A connection counts from 0, so a higher first number tells of frames that were lost before it.
  let sequence = -1
  const read = Frames.make(state.plan.kind)
  const readSlice = (batch: ReadonlyArray<Inbox.Frame>) =>
    Effect.suspend(() => {
      const { failure, frames } = read(batch)
      const sorted = untilBroken(frames, sequence)
      sequence = sorted.sequence
      const ending = sorted.broken === undefined ? failure : unavailable({ endpoint }, "body", sorted.broken)
      const delivered = deliver(state, sorted.frames, Inbox.sizeOf(batch), isFirst)
      return ending === undefined ? delivered : Effect.andThen(delivered, Effect.fail(ending))
    })
  return connection.take.pipe(
    Effect.flatMap((batch) => {
      const slices = Frames.slicesOf(batch, turn)
      return slices.length === 1
        ? readSlice(batch)
        : Effect.forEach(slices, (slice) => Effect.andThen(readSlice(slice), Effect.yieldNow), { discard: true })
    }),
    Effect.forever({ disableYield: true })
  )
}

/** The bytes of frames that are parsed in one turn. */
const turn = 262_144

/** The frames up to one that says that the connection is of no more use. */
const untilBroken = (frames: ReadonlyArray<Frames.Classified>, before: number) => {
  let sequence = before
  for (const [index, frame] of frames.entries()) {
    if (frame._tag === "Stall") {
      const said = [frame.type, frame.message].filter((part) => part !== "").join(": ")
      return { frames: frames.slice(0, index), sequence, broken: `the service gave the connection up (${said})` }
    }
    if (frame.sequence === undefined) continue
    if (frame.sequence > sequence + 1) {
      const broken = `frames ${sequence + 1} to ${frame.sequence - 1} are missing`
      return { frames: frames.slice(0, index), sequence, broken }
    }
    sequence = Math.max(sequence, frame.sequence)
  }
  return { frames, sequence, broken: undefined }
}

/** Delivers frames in their order, after what closes the seams before them. */
const deliver = Effect.fnUntraced(function* (
  state: State,
  frames: ReadonlyArray<Frames.Classified>,
  bytes: number,
  isFirst: boolean
) {
  const { emit, lanes, out, plan } = state
  const { shape } = plan
  const placed = frames.map((frame) => (frame._tag === "Record" ? Lanes.place(shape, frame.record) : undefined))
  const seams = findSeams(state, placed, isFirst)
  if (seams.length > 0) {
    const settings: Seam.Settings = {
      shape,
      lanes,
      read: plan.read,
      floor: () => (shape.position === "time" ? state.floor : undefined),
      overlap: plan.overlap,
      emit: out.offerPatiently,
      see: (record) => plan.verify?.(record, "filled")
    }
    yield* Effect.forEach(seams, (seams) => Seam.close(settings, seams), { concurrency: parallel, discard: true })
    state.hasNews = true
  }
  const messages: Array<LiveMessage<object>> = []
  let broken: string | undefined
  for (const [index, frame] of frames.entries()) {
    if (frame._tag === "Message") messages.push(frame.message)
    if (frame._tag !== "Record") continue
    const at = placed[index]
    // A record without a place, such as one of metrics that holds none, cannot be told from others.
    if (at === undefined || at.columns.length === 0) {
      messages.push({ _tag: "Data", record: frame.record, origin: "live" })
      continue
    }
    const wanted =
      plan.since === undefined ? lanes.fresh(at) : lanes.fresh(at).filter((column) => isWanted(state, at, column))
    noteProgress(state, at, wanted.length > 0)
    if (wanted.length === 0) continue
    broken = plan.verify?.(frame.record, "live")
    if (broken !== undefined) break
    for (const column of wanted) lanes.note(lanes.of(at.entity, column), at)
    messages.push({ _tag: "Data", record: Lanes.only(shape, at, wanted), origin: "live" })
  }
  if (messages.length > 0) {
    state.hasNews = true
    yield* emit(messages, bytes)
  }
  if (broken !== undefined) return yield* unavailable({ endpoint: plan.kind.endpoint }, "body", broken)
})

/** Whether a lane has delivered nothing, and a record of it is older than `since` or the first connection. */
const isBeforeStart = ({ floor }: State, { last }: Lanes.Lane, { record }: Lanes.Placed) => {
  if (last !== undefined || floor === undefined) return false
  const time = Series.textOf(record, "time")
  return time !== undefined && Timestamp.Order(time, floor) < 0
}

/** Whether a record is not from before `since`. */
const isWanted = (state: State, placed: Lanes.Placed, column: string) =>
  !isBeforeStart(state, state.lanes.of(placed.entity, column), placed)

/** Forgets a damaged frame once an entity has a second record in the connection. */
const noteProgress = (state: State, { entity, position }: Lanes.Placed, isFresh: boolean) => {
  if (state.damage === none) return
  const first = state.damage.get(entity)
  if (first === undefined) state.damage.set(entity, position)
  else if (isFresh && first !== position) state.damage = none
}

/** The seams at the first new records of lanes in this connection, by entity. */
const findSeams = (
  state: State,
  placed: ReadonlyArray<Lanes.Placed | undefined>,
  isFirst: boolean
): ReadonlyArray<ReadonlyArray<Seam.Seam>> => {
  const { lanes } = state
  const connection = lanes.connection()
  const found = new Map<string, Array<Seam.Seam>>()
  for (const to of placed) {
    for (const column of to?.columns ?? []) {
      if (to === undefined) continue
      const lane = lanes.of(to.entity, column)
      if (lane.settled === connection) continue
      lanes.goBack(lane, to)
      if (lanes.isBefore(lane, to)) continue
      // The last known record comes first: where it was delivered, nothing was published since.
      // A record from before the stream began has no hole between them.
      const follows = Lanes.isKnown(lane, to) || isFirst || isBeforeStart(state, lane, to)
      lane.settled = connection
      if (follows) continue
      const seams = found.get(lane.entity)
      if (seams === undefined) found.set(lane.entity, [{ lane, to }])
      else seams.push({ lane, to })
    }
  }
  return [...found.values()]
}

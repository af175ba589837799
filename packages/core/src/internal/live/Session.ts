/**
 * One subscription from its first connection to its end: reads history, connects, goes on after a broken connection, and
 * fills the holes.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { ApiError } from "../../ApiError.ts"
import type { LiveError } from "../../LiveError.ts"
import type { Data } from "../../LiveMessage.ts"
import * as Monotonic from "../retry/Monotonic.ts"
import { withAttempts } from "../retry/Attempts.ts"
import * as RetrySchedule from "../retry/RetrySchedule.ts"
import * as Retries from "../../Retry.ts"
import { noteDecodeFailure } from "../observe/CallSpan.ts"
import * as LiveSpan from "../observe/LiveSpan.ts"
import * as Connection from "./socket/Connection.ts"
import * as Delivery from "./Delivery.ts"
import * as Inbox from "./socket/Inbox.ts"
import * as Lanes from "./lanes/Lanes.ts"
import * as Memory from "./lanes/Memory.ts"
import * as Moment from "../retry/Moment.ts"
import * as Sequence from "./Sequence.ts"
import type * as State from "./State.ts"
import * as Timestamp from "../../Timestamp.ts"

/** Connections in a row that one frame may end because it cannot be read. */
const mostDamaged = 3

/** Runs a subscription, whose scope ends all that it has begun. Never succeeds: it goes on until it fails or is interrupted. */
export const run = Effect.fnUntraced(function* (
  plan: State.Plan,
  out: State.Out
): Effect.fn.Return<never, LiveError, Scope.Scope> {
  const { kind, shape, since } = plan
  const { endpoint } = kind
  const lanes = Lanes.make(shape, since)
  const clock = yield* Clock.Clock
  const textOf = textsOfMoments()
  const now = (wall = clock.currentTimeMillisUnsafe()) => textOf(wall)
  const state: State.State = {
    plan,
    lanes,
    scope: yield* Effect.scope,
    aside: [],
    opened: undefined,
    hasWarned: false,
    hasToldEarly: false,
    connections: 0,
    hasNews: false,
    attempts: 0,
    jumps: Sequence.noJumps(),
    damaged: undefined,
    waitingSince: undefined,
    received: "",
    now,
    out
  }
  yield* Effect.forkScoped(Effect.forever(Effect.delay(Effect.sync(lanes.turn), Memory.turnLength)))
  if (since !== undefined) yield* readHistory(state, since)

  const waited = { millis: 0, outage: { warnedAt: -Infinity } }
  const steps = new Map<Retries.Policy, Step>()
  let hasWorked = false
  // A frame that is always damaged comes again among the records with which a connection begins.
  let [damaged, times]: readonly [string | undefined, number] = [undefined, 0]
  // Once a connection has worked, all that is no refusal is an outage: also a host name that is not known, and a long wait.
  const isOutage = (error: ApiError) =>
    hasWorked ? error._tag === "Unavailable" || error._tag === "RateLimited" : Retries.isTransient(error)
  const isRetryable = (error: ApiError) => isOutage(error) || (error._tag === "Decode" && times < mostDamaged)
  for (;;) {
    state.hasNews = false
    state.attempts += 1
    state.damaged = undefined
    const failure = yield* Effect.flip(Effect.scoped(connect(state)))
    if (failure._tag === "TooSlow") return yield* failure
    const culprit = state.damaged ?? (failure._tag === "Decode" ? failure.issue : undefined)
    times = culprit !== undefined && culprit === damaged ? times + 1 : 1
    damaged = culprit
    if (state.hasNews) {
      hasWorked = true
      steps.clear()
      state.attempts = 1
    }
    const policy = hasWorked && isOutage(failure) ? plan.reconnect : plan.retry
    // The time of an outage is none of frames that cannot be read.
    if (policy !== plan.retry) steps.delete(plan.retry)
    const step = steps.get(policy) ?? (yield* Schedule.toStep(RetrySchedule.schedule(policy, { waited, isRetryable })))
    steps.set(policy, step)
    const failedAt = yield* Clock.currentTimeMillis
    const [, delay] = yield* Pull.catchDone(step(failedAt, failure), () =>
      Effect.andThen(
        failure._tag === "Decode" ? noteDecodeFailure(endpoint) : Effect.void,
        Effect.fail(withAttempts(failure, { attempts: state.attempts }))
      )
    )
    if (failure._tag === "Decode")
      yield* Effect.logWarning(`${endpoint}: connects again after a frame that cannot be read`)
    yield* Effect.sleep(delay)
  }
})

type Step = Effect.Success<ReturnType<typeof Schedule.toStep<unknown, ApiError, never, never>>>

/** Reads the series over HTTP up to now. What is published meanwhile is left to the seams of the first connection. */
const readHistory = ({ lanes, now, out, plan }: State.State, since: string) => {
  const { history, shape } = plan
  if (history === undefined) return Effect.void
  const take = (record: object, received: string): Data<object> => {
    const placed = Lanes.place(shape, record)
    for (const column of placed?.columns ?? []) {
      // A metric that has no value yet was not published.
      if (placed === undefined || !lanes.admits(placed) || !lanes.isSound(placed)) continue
      if (column !== "" && Reflect.get(record, column) === null) continue
      lanes.note(lanes.of(placed.entity, column), placed, "history")
    }
    plan.verify?.(record, "history", 0)
    return { _tag: "Data", record, origin: "history", received }
  }
  const range = { entities: undefined, metrics: undefined, unit: "time" as const, from: since, to: undefined }
  return Stream.runForEachArray(history(range), (records) => {
    const received = now()
    return out.offerPatiently(() => records.map((record) => take(record, received)))
  })
}

/** Opens a connection and delivers what it brings, until it breaks. */
const connect = Effect.fnUntraced(function* (state: State.State) {
  const { lanes, out, plan } = state
  const isFirst = state.connections === 0 && plan.since === undefined
  const { endpoint } = plan.kind
  const opened = Connection.open(plan.connection, isFirst ? plan.call : plan.again)
  const connection = yield* LiveSpan.handshake(endpoint, plan.connection.root, opened)
  const { count } = yield* LiveSpan.connection(endpoint)
  state.connections += 1
  state.opened ??= yield* Moment.now
  lanes.begin(state.connections)
  yield* out.offer([{ _tag: "Connected", connection: state.connections }], 0)
  const since = yield* Monotonic.now
  const deliver = Delivery.make(state, isFirst)
  const ended = yield* Effect.flip(
    connection.run((batch, waited) => {
      state.waitingSince = waited?.since
      state.received = state.now(waited?.last)
      const rest = deliver(batch)
      // Behind, because that takes half as long as reading a frame.
      count(batch.length, Inbox.sizeOf(batch))
      return rest
    })
  )
  lanes.end()
  // A connection of a quiet series brings nothing new, and has succeeded all the same.
  if ((yield* Monotonic.now) - since >= Duration.toMillis(plan.connection.openWithin)) state.hasNews = true
  if (ended._tag !== "TooSlow") yield* out.offer([{ _tag: "Disconnected", error: ended }], 0)
  return yield* Effect.fail(ended)
})

/** Writes moments of the clock, in milliseconds, as the service writes times. Frames of one second have most of the text alike. */
const textsOfMoments = (): ((millis: number) => string) => {
  let [second, start] = [Number.NaN, ""]
  return (millis) => {
    const own = Math.floor(millis / 1_000)
    if (own !== second) {
      second = own
      start = Timestamp.fromEpochNanos(BigInt(own) * 1_000_000_000n).slice(0, -10)
    }
    return `${start}${String(Math.floor(millis) - own * 1_000).padStart(3, "0")}000000Z`
  }
}

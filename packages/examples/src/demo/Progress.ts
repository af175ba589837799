/**
 * How far a piece of work has come: counted a batch at a time, shown a few times a second.
 */
import { Clock, Effect, Stream } from "effect"
import * as Screen from "./Screen.ts"
import { pause, type Traffic } from "./Traffic.ts"

/** Counts the records that pass. */
export interface Counter {
  readonly count: <A, E, R>(records: Stream.Stream<A, E, R>) => Stream.Stream<A, E, R>
}

/** Everything the lines show. */
export interface State {
  readonly records: number
  /** How many records it will be. */
  readonly expected: number
  /** Records per second, of late. */
  readonly rate: number
  /** Absent where no service is involved. */
  readonly traffic: Traffic | undefined
}

/** What work came to. */
export interface Done<A> {
  readonly value: A
  readonly records: number
  readonly seconds: number
}

/** What to show while working. */
export interface Options {
  readonly expected: number
  /** Tells the traffic, where a service is involved. */
  readonly traffic?: Effect.Effect<Traffic> | undefined
}

/**
 * Does work and shows how far it has come: on a terminal in two lines five times a second, elsewhere in a line a second.
 * Faults are told in lines of their own.
 */
export const during = Effect.fn("Progress.during")(function* <A, E, R>(
  { expected, traffic }: Options,
  work: (counter: Counter) => Effect.Effect<A, E, R>
) {
  const screen = yield* Screen.Screen
  const look = traffic ?? Effect.undefined
  const start = yield* Clock.currentTimeMillis
  let records = 0
  let before = { at: start, records: 0, rate: 0, traffic: yield* look }

  const counter: Counter = {
    count: Stream.mapArray((batch) => {
      records += batch.length
      return batch
    })
  }
  const measure = Effect.gen(function* () {
    const at = yield* Clock.currentTimeMillis
    const latest = (records - before.records) / Math.max(0.001, (at - before.at) / 1000)
    const rate = before.rate === 0 ? latest : 0.7 * before.rate + 0.3 * latest
    const next = { at, records, rate, traffic: yield* look }
    const told = news(before.traffic, next.traffic).map((line) => `   ${screen.style.warn("!")} ${line}`)
    before = next
    if (told.length > 0) yield* screen.print(...told)
    return { ...next, expected } satisfies State
  })
  const show = (tick: number) =>
    Effect.flatMap(measure, (state) => {
      if (screen.live) return screen.redraw(bar(state, screen.style), details(state))
      return tick % 5 === 4 ? screen.print(line(state)) : Effect.void
    })

  yield* Effect.addFinalizer(() => screen.redraw())
  yield* Stream.tick("200 millis").pipe(
    Stream.zipWithIndex,
    Stream.runForEach(([, n]) => show(n)),
    Effect.forkScoped
  )
  const value = yield* work(counter)
  yield* measure
  const seconds = ((yield* Clock.currentTimeMillis) - start) / 1000
  return { value, records, seconds } satisfies Done<A>
}, Effect.scoped)

const width = 40

/** Draws how much is done. */
export const bar = ({ expected, records }: State, style: Screen.Style): string => {
  const share = Math.min(1, records / Math.max(1, expected))
  const full = Math.floor(share * width)
  const drawn = style.accent("━".repeat(full)) + style.dim("─".repeat(width - full))
  return `   ${drawn}  ${percent(share)}  ${whole(records)} of ${whole(expected)}`
}

/** Says what goes on: below the bar. */
export const details = (state: State): string => `   ${activity(state, " records/s", " requests left").join("   ")}`

/** Says everything in one line, where nothing can be redrawn. */
export const line = (state: State): string => {
  const share = percent(state.records / Math.max(1, state.expected))
  return `   ${[share, `${whole(state.records)} records`, ...activity(state, "/s", " left")].join("  ")}`
}

const activity = ({ rate, traffic }: State, perSecond: string, left: string): ReadonlyArray<string> => {
  const speed = `${whole(rate)}${perSecond}`
  if (traffic === undefined) return [speed]
  const { inFlight, limit, remaining, waiting } = traffic.quota
  const wait = pause(traffic.quota)
  if (wait > 0) return [`waiting ${tenths(wait)} for the service`, `${waiting} requests wait`]
  // A service without rate-limit headers leaves open how much is left.
  const quota = Number.isFinite(limit) ? [`${whole(remaining)}${left}`] : []
  return [speed, `${inFlight} in flight`, `${waiting} waiting`, ...quota]
}

const news = (before: Traffic | undefined, now: Traffic | undefined): ReadonlyArray<string> => {
  if (before === undefined || now === undefined) return []
  return [
    ...(now.limited > before.limited
      ? [`429: the service asks for a pause of ${tenths(now.asked)}; all requests wait`]
      : []),
    ...(now.broken > before.broken ? ["a connection was cut: its page is asked for again"] : [])
  ]
}

/** Writes a number with its thousands apart. */
export const whole = (value: number): string => Math.round(value).toLocaleString("en-US")

/** Writes milliseconds as seconds. */
export const tenths = (millis: number): string => `${(millis / 1000).toFixed(1)} s`

const percent = (share: number) => `${String(Math.floor(share * 100)).padStart(3)} %`

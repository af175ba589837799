/**
 * How far a piece of work has come: counted a batch at a time, shown a few times a second.
 */
import type { Download } from "@sluice/files"
import { Clock, Effect, Stream } from "effect"
import * as Screen from "./Screen.ts"
import { pause, type Traffic } from "./Traffic.ts"

/** Learns how far the work has come. */
export interface Counter {
  /** Counts the records that pass. */
  readonly count: <A, E, R>(records: Stream.Stream<A, E, R>) => Stream.Stream<A, E, R>
  /** Takes it from what a download tells; ends with the names of its files, in the order of the parts. */
  readonly follow: <E, R>(events: Stream.Stream<Download.Event, E, R>) => Effect.Effect<ReadonlyArray<string>, E, R>
}

/** Where a download stands. */
interface Followed {
  readonly records: number
  readonly rate: number
  /** Files that are whole, and how many there will be. */
  readonly done: number
  readonly parts: number
}

/** Everything the lines show. */
export interface State {
  readonly records: number
  /** How many records it will be. */
  readonly expected: number
  /** Records per second, of late. */
  readonly rate: number
  /** Files that are whole, and how many there will be; absent where none are downloaded. */
  readonly files: { readonly done: number; readonly parts: number } | undefined
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
  let counted = 0
  const followed: Array<Followed> = []
  let before: Omit<State, "expected"> & { readonly at: number } = {
    at: start,
    records: 0,
    rate: 0,
    files: undefined,
    traffic: yield* look
  }

  const sum = (of: (one: Followed) => number) => followed.reduce((total, one) => total + of(one), 0)
  const records = () => counted + sum((one) => one.records)
  const counter: Counter = {
    count: Stream.mapArray((batch) => {
      counted += batch.length
      return batch
    }),
    follow: (events) =>
      Effect.suspend(() => {
        const place = followed.push({ records: 0, rate: 0, done: 0, parts: 0 }) - 1
        const names: Array<string> = []
        const see = (event: Download.Event) => {
          if (event._tag === "PartDone") names[event.part] = event.file
          if (event._tag === "Progress") followed[place] = { ...event, rate: event.recordsPerSecond }
          if (event._tag === "Finished") {
            followed[place] = { records: event.records, rate: 0, done: event.files, parts: event.files }
          }
        }
        return Effect.as(
          Stream.runForEach(events, (event) => Effect.sync(() => see(event))),
          names
        )
      })
  }
  const measure = Effect.gen(function* () {
    const at = yield* Clock.currentTimeMillis
    const latest = (records() - before.records) / Math.max(0.001, (at - before.at) / 1000)
    const smooth = before.rate === 0 ? latest : 0.7 * before.rate + 0.3 * latest
    // A download tells its own.
    const rate = followed.length === 0 ? smooth : sum((one) => one.rate)
    const files = followed.length === 0 ? undefined : { done: sum((one) => one.done), parts: sum((one) => one.parts) }
    const next = { at, records: records(), rate, files, traffic: yield* look }
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
  return { value, records: records(), seconds } satisfies Done<A>
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

const activity = ({ files, rate, traffic }: State, perSecond: string, left: string): ReadonlyArray<string> => {
  const speed = `${whole(rate)}${perSecond}`
  if (traffic === undefined) return [speed]
  const finished = files === undefined ? [] : [`${files.done}/${files.parts} files`]
  const { inFlight, limit, remaining, waiting } = traffic.quota
  const wait = pause(traffic.quota)
  if (wait > 0) return [`waiting ${tenths(wait)} for the service`, `${waiting} requests wait`]
  // A service without rate-limit headers leaves open how much is left.
  const quota = Number.isFinite(limit) ? [`${whole(remaining)}${left}`] : []
  return [speed, ...finished, `${inFlight} in flight`, ...quota]
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

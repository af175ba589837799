/**
 * Many schedules, one after another: each is run and judged, and those that fail are told.
 */
import { Console, Effect, type Scope } from "effect"
import * as Tool from "../Tool.ts"
import * as Expected from "./Expected.ts"
import * as Faults from "./Faults.ts"
import * as Judge from "./Judge.ts"
import type { Schedule } from "./Schedule.ts"
import * as Shrink from "./Shrink.ts"
import * as World from "./World.ts"

/** The result of a schedule. */
export interface Trial {
  readonly schedule: Schedule
  readonly observed: World.Observed
  /** Broken promises; empty when all were kept. */
  readonly findings: ReadonlyArray<string>
}

/** Collects unhandled rejections, which Node reports after all other work of a turn. */
const rejections = Effect.acquireRelease(
  Effect.sync(() => {
    const reasons: Array<string> = []
    const listener = (reason: unknown) => void reasons.push(`an unhandled rejection: ${String(reason)}`)
    process.on("unhandledRejection", listener)
    return { listener, reasons }
  }),
  ({ listener }) => Effect.sync(() => process.off("unhandledRejection", listener))
)

const nextTurn = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

const judged = Effect.fnUntraced(function* (schedule: Schedule): Effect.fn.Return<Trial> {
  const expected = yield* Effect.forEach(schedule.streams, ({ target }) => Expected.of(target, schedule))
  const observed = yield* World.run(schedule)
  const isPolluted = "sandbox_polluted" in {}
  const findings = schedule.streams.flatMap((reading, index) =>
    Judge.stream(schedule, reading, observed.streams[index]!, expected[index]!).map(
      (text) => `stream ${index}, ${reading.target.path}: ${text}`
    )
  )
  return {
    schedule,
    observed,
    findings: [
      ...findings,
      ...Judge.pace(schedule, observed.streams),
      ...observed.leaks,
      ...(isPolluted ? ["the prototype of all objects was changed"] : [])
    ]
  }
})

/** Runs a schedule with a timeout by the wall clock, for those in which the virtual clock stops. */
const trial = Effect.fnUntraced(function* (schedule: Schedule): Effect.fn.Return<Trial, never, Scope.Scope> {
  const { reasons } = yield* rejections
  const endless = { schedule, observed: { streams: [], leaks: [], elapsed: 0 }, findings: ["did not end"] }
  const done = yield* Effect.timeoutOrElse(judged(schedule), {
    duration: "2 minutes",
    orElse: () => Effect.succeed<Trial>(endless)
  })
  yield* nextTurn
  return { ...done, findings: [...done.findings, ...reasons] }
}, Effect.scoped)

/** The first finding without names and numbers, which differ between schedules that fail in the same way. */
const kindOf = ({ findings }: Trial) => (findings[0] ?? "").replace(/^.*?: |\/[\w/-]+|\[.*?\]|\(.*?\)|"[^"]*"|\d+/g, "")

/** Explains a failure: what went wrong, and a smaller schedule that fails as well. */
const explain = Effect.fnUntraced(function* (failed: Trial) {
  let smallest = failed
  const fails = Effect.fnUntraced(function* (schedule: Schedule) {
    const candidate = yield* trial(schedule)
    const isAlike = candidate.findings.length > 0 && kindOf(candidate) === kindOf(failed)
    if (isAlike) smallest = candidate
    return isAlike
  })
  // By the wall clock: a step may be a schedule that is slow, or hangs.
  yield* Effect.timeoutOption(Shrink.run(failed.schedule, fails), "1 minute")
  return [
    `seed ${failed.schedule.seed}:`,
    ...failed.findings.map((text) => `  - ${text}`),
    "a smaller one fails as well:",
    ...smallest.findings.map((text) => `  - ${text}`),
    `again with: pnpm chaos --schedule '${JSON.stringify(smallest.schedule)}'`,
    ...smallest.observed.streams.map(
      ({ end, requests, rows }) => `  ${rows.length} records, ${JSON.stringify(requests)}, ${JSON.stringify(end)}`
    )
  ].join("\n")
})

/** How often it is told how far it has come. */
const often = 1_000

/** How many failures are explained; of the others the first finding is told. */
const explained = 3

/** Runs schedules, tells of those that fail, and gives what is said of these. */
export const run = Effect.fnUntraced(function* (schedules: Iterable<Schedule>) {
  const total = { schedules: 0, streams: 0, requests: 0, records: 0, elapsed: 0 }
  const [ends, faults, failed] = [{}, {}, new Array<string>()]
  for (const schedule of schedules) {
    const done = yield* trial(schedule)
    total.schedules += 1
    total.elapsed += done.observed.elapsed
    for (const { end, requests, rows } of done.observed.streams) {
      total.streams += 1
      total.requests += requests.length
      total.records += rows.length
      Tool.count(ends, end._tag === "Failed" ? end.error._tag : end._tag)
      for (const request of requests) for (const { kind } of Faults.parse(request.faults)) Tool.count(faults, kind)
    }
    if (done.findings.length > 0) {
      failed.push(failed.length < explained ? yield* explain(done) : `seed ${schedule.seed}: ${done.findings[0]}`)
      // At once: a long run may be ended before it ends.
      yield* Console.log(failed.at(-1))
    }
    if (total.schedules % often === 0) yield* Console.log(`${total.schedules} schedules, ${failed.length} failed`)
  }
  return {
    failed,
    text: `${Tool.shown(total)} ms\nends    ${Tool.shown(ends)}\nfaults  ${Tool.shown(faults)}\nfailed  ${failed.length}`
  }
})

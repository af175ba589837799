/**
 * Processes that ask for as much as their quota lets them: how much of the service's window they use, and how it is shared.
 */
import type { SharedQuota } from "@sluice/core"
import { Plan, Sandbox, Simulation } from "@sluice/sandbox"
import { Clock, Duration, Effect } from "effect"
import { HttpClient } from "effect/http"
import * as MemoryJournal from "../../../core/test/quota/MemoryJournal.ts"
import * as Auditor from "./Auditor.ts"
import * as Processes from "./Processes.ts"

/** What is done. All times are in milliseconds. */
export interface Scenario {
  readonly plan: "trial" | "default"
  readonly processes: number
  /** Requests that each process has under way or waiting at once. */
  readonly loops: number
  readonly millis: number
  /** From sending a request to its reply. */
  readonly latency: (nth: number) => number
  /** A process dies, and another takes its place, so long after the last one. */
  readonly churn?: number
  /** The store cannot be reached for a while, and may have lost what it held. */
  readonly outage?: { readonly from: number; readonly to: number; readonly isLost: boolean }
  /** What the processes do meanwhile. */
  readonly whenUnavailable?: SharedQuota.WhenUnavailable
  /** Messages are late, processes stand still, and the times of steps are out of order. */
  readonly isBusy?: boolean
}

/** The largest distance of a count from the mean, as a part of it. */
export const spread = (counts: ReadonlyArray<number>): number => {
  const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length
  return Math.max(...counts.map((count) => Math.abs(count - mean))) / mean
}

/** A message is late. By more, the store would be out of reach, and who is cut off alone goes on beside the others. */
const late = Effect.flatMap(Simulation.below(4), (nth) => Effect.sleep([0, 10, 100, 500][nth]!))

/** A store in memory that is gone for a while. */
const makeStore = ({ isBusy = false, outage }: Scenario, began: number, step: () => void) => {
  const empty = () => MemoryJournal.make(isBusy ? late : Effect.void)
  let journal = empty()
  let isKept = true
  const isGone = (now: number) => outage !== undefined && now >= began + outage.from && now < began + outage.to
  const current = Effect.flatMap(Clock.currentTimeMillis, (now) => {
    step()
    if (isGone(now)) return Effect.fail(Processes.gone)
    if (outage?.isLost === true && isKept && now >= began + outage.to) {
      isKept = false
      journal = empty()
    }
    return Effect.succeed(journal)
  })
  return { current, isGone }
}

/** How long the store keeps the permits of a process of which it hears nothing, in milliseconds. */
const lease = 6_000

/** Lets a process stand still now and then: all of it does, so its other points wait too. */
const makeAwake = () => {
  let until = 0
  return Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    if ((yield* Simulation.below(400)) === 1) until = now + [100, 800, 3_000, 20_000][yield* Simulation.below(4)]!
    if (until > now) yield* Effect.sleep(until - now)
  })
}

/** Runs a scenario in the world of a simulation. */
export const run = Effect.fnUntraced(function* (scenario: Scenario) {
  const { churn, isBusy = false, latency, loops, millis, plan, whenUnavailable = "share" } = scenario
  const { stats } = yield* Sandbox.Sandbox
  const began = yield* Clock.currentTimeMillis
  const end = began + millis
  const arrivals: Array<number> = []
  const { limit, window } = Plan.plans[plan]
  const length = Duration.toMillis(window)
  let latest = -Infinity
  const counts: Array<number> = []
  const figures = {
    steps: 0,
    /** Replies during the outage. */
    meanwhile: 0,
    /** Requests rejected while none was in the window that came when the store may have given its permit to others. */
    unexplained: 0
  }
  const store = makeStore(scenario, began, () => (figures.steps += 1))
  const http: Processes.World["http"] = (own, while_) =>
    HttpClient.transform(own, (send) =>
      Effect.flatMap(Clock.currentTimeMillis, (permitted) => {
        const half = Effect.sleep(latency(arrivals.length) / 2)
        const sent = Effect.map(Clock.currentTimeMillis, (now) => {
          arrivals.push(now)
          if (now - permitted >= lease) latest = now
        })
        const way = isBusy ? Effect.andThen(half, late) : half
        return way.pipe(
          Effect.andThen(sent),
          Effect.andThen(send),
          Effect.tap(({ status }) =>
            Effect.map(Clock.currentTimeMillis, (now) => {
              if (status === 429 && now - latest > length) figures.unexplained += 1
            })
          ),
          Effect.tap(() => way),
          while_
        )
      })
    )
  const options = { longestWait: Infinity, whenUnavailable } as const
  /** Starts a process, and gives it. */
  const begin = Effect.gen(function* () {
    const index = counts.push(0) - 1
    const world = { journal: store.current, http, options, ...(isBusy && { awake: makeAwake() }) }
    const process = yield* Processes.make(world)
    const one = Effect.matchEffect(Processes.read, {
      onFailure: () => Effect.sleep("1 second"),
      onSuccess: () =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          counts[index]! += 1
          if (store.isGone(now)) figures.meanwhile += 1
        })
    })
    const loop = Effect.repeat(Effect.andThen(one, Clock.currentTimeMillis), { until: (now) => now >= end })
    const all = Effect.all(
      Array.from({ length: loops }, () => loop),
      { concurrency: "unbounded" }
    )
    yield* Effect.forkDetach(process.run(all))
    return process
  })
  const alive = yield* Effect.forEach(Array.from({ length: scenario.processes }), () => begin)
  const deaths = churn === undefined ? 0 : Math.ceil(millis / churn) - 1
  for (let nth = 0; nth < deaths; nth++) {
    yield* Effect.sleep(churn ?? 0)
    yield* alive[nth % alive.length]!.die
    alive[nth % alive.length] = yield* begin
  }
  yield* Effect.sleep(end - (yield* Clock.currentTimeMillis))
  const [from, last] = [began + length, arrivals.at(-1)!]
  // Each request is in the window for its length.
  const used = arrivals.reduce((sum, at) => sum + Math.max(0, Math.min(at + length, last) - Math.max(at, from)), 0)
  const { peak, rejected } = yield* stats
  return {
    ...figures,
    accepted: arrivals.length - rejected,
    rejected,
    /** Most requests at once. */
    most: peak,
    /** Mean part of the window that is used, from one window after the start until the last request. */
    fill: used / (limit * (last - from)),
    /** The largest distance of a process from the mean, as a part of the mean. */
    unequal: spread(counts)
  }
})

export type Figures = Effect.Success<ReturnType<typeof run>>

/** From 40 to 240 ms. */
export const slow = (nth: number): number => 40 + ((nth * 7_919) % 200)

/** Four processes with the plan of a trial. Within a shorter time one request more or less counts for much. */
export const trial: Scenario = { plan: "trial", processes: 4, loops: 5, millis: 120_000, latency: slow }

/**
 * The service refuses nothing, but beside requests that a process sends late because it stood still; what may be expected of use and
 * shares depends on what happens.
 */
const judged = Effect.fnUntraced(function* (
  scenario: Scenario,
  expected: (figures: Figures) => Record<string, boolean>
) {
  const figures = yield* run(scenario)
  const kept = { "no more than ten at once": figures.most <= 10, ...expected(figures) }
  const missed = Object.keys(kept).filter((what) => !kept[what as keyof typeof kept])
  yield* Auditor.released({
    [`rejected by ${JSON.stringify(scenario)}`]: figures.unexplained,
    [`missed (${missed.join(", ")}) of ${JSON.stringify(figures)}`]: missed.length
  })
})

const outages = [
  { from: 13_500, to: 25_500 },
  { from: 20_000, to: 22_000 },
  { from: 15_000, to: 15_100 }
] as const

/** One of them, as the run chooses. */
export const any = Effect.gen(function* () {
  const way = yield* Simulation.below(4)
  if (way === 0) {
    return yield* judged(trial, ({ fill, unequal }) => ({
      "95 of 100 places used": fill >= 0.95,
      "shares within a tenth": unequal <= 0.1
    }))
  }
  if (way === 1) {
    return yield* judged({ ...trial, millis: 60_000, isBusy: true }, ({ accepted }) => ({
      "more than a window": accepted > 10
    }))
  }
  if (way === 2) {
    const churning = { ...trial, millis: 60_000, processes: 12, churn: 5_000 }
    return yield* judged(churning, ({ fill }) => ({ "most places used": fill >= 0.7 }))
  }
  const outage = { ...outages[yield* Simulation.below(3)]!, isLost: (yield* Simulation.below(2)) === 1 }
  const whenUnavailable = (["share", "fail"] as const)[yield* Simulation.below(2)]!
  yield* judged({ ...trial, millis: 50_000, outage, whenUnavailable }, ({ accepted, meanwhile }) => ({
    // Eight windows, less what the outage and the seconds after it cost.
    "back by itself": accepted >= (whenUnavailable === "share" ? 65 : 45),
    "requests meanwhile": outage.to - outage.from < 6_000 || meanwhile > 0 === (whenUnavailable === "share")
  }))
}).pipe(Effect.provide(Processes.service("trial")))

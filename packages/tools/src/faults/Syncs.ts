/**
 * What a user sees of a sync that something goes wrong with, what a reader of its files sees meanwhile, and what the next sync
 * makes of it: on a disk and a clock of its own, where nothing else happens.
 */
import type { ApiError } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import { Fault, Sandbox, Simulation } from "@sluice/sandbox"
import { Cause, Effect, Exit, Stream } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import * as Datasets from "../simulation/Datasets.ts"
import * as Disk from "../../../files/test/storage/Disk.ts"
import * as Kept from "../simulation/Kept.ts"
import * as Process from "../simulation/Process.ts"
import * as Page from "./Page.ts"

/** A week that is held, and a week that is new. */
const days = Kept.all[0]!
const series: Kept.Series = { ...days, params: { ...days.params, start_time: "2026-09-24" } }
const start = "2026-10-01T12:00:00Z"
const week = "7 days"
const lookBack = 4 * 86_400_000

const service = Sandbox.layerMemory({
  live: { from: start },
  history: { seed: 2, settles: "3 days", fills: "3 days" }
})

/** Something that goes wrong with a sync. */
interface Trouble {
  /** The fault of its requests, or of the first alone. */
  readonly fault?: string
  readonly isOnce?: boolean
  /** What strikes before each of its operations with files in turn. */
  readonly strikes?: "killed" | "full"
}

/** Reads what goes wrong from its words. */
const troubleOf = (words: string): Trouble => {
  if (words.includes("(`")) return { fault: Page.faultOf(words), isOnce: words.includes(" once ") }
  return { strikes: words.startsWith("the disk is full") ? "full" : "killed" }
}

const told = (exit: Exit.Exit<unknown, Dataset.DatasetError | ApiError.Misconfigured>): string => {
  if (Exit.isSuccess(exit)) return "all records"
  const failure = exit.cause.reasons.find((reason) => reason._tag === "Fail")?.error
  if (failure === undefined) return `**a defect: ${Cause.pretty(exit.cause)}**`
  const inner = failure._tag === "SyncFailed" ? ` (\`${failure.failed[0]?.error._tag ?? ""}\`)` : ""
  return `\`${failure._tag}\`${inner}`
}

/** The way to the service, on which the first request, or each, meets the fault. */
const faulty = ({ fault, isOnce = false }: Trouble) => {
  let sent = 0
  return HttpClient.mapRequest((request) => {
    const isMet = fault !== undefined && !(isOnce && sent > 0)
    sent += 1
    return isMet ? HttpClientRequest.setHeader(request, Fault.header, fault) : request
  })
}

/**
 * Syncs a week, and with the trouble another; where it strikes at such a moment. What is held then is whole and of the service, and
 * a further sync makes all of it good. Tells how the sync with the trouble ended, and how many moments it had.
 */
const run = Effect.fnUntraced(
  function* (trouble: Trouble, moment: number) {
    // Of what is written in two pieces, the first is a half.
    const disk = Disk.make((bound) => Effect.succeed(bound >> 1), false)
    const place = yield* Datasets.place(disk)
    const kept = Kept.follow({
      series,
      lookBack,
      onRemoved: "remove",
      isExact: place.isExact,
      meanwhile: Effect.succeed([])
    })
    const http = yield* HttpClient.HttpClient
    const sync = Effect.fnUntraced(function* (number: number, { strikes, ...way }: Trouble) {
      const process = yield* Effect.provideService(Process.make(disk, number), HttpClient.HttpClient, faulty(way)(http))
      if (strikes !== undefined) yield* process.strike(moment, strikes === "full" ? disk.fill(true) : undefined)
      const { endpoint, params } = series
      const job = { endpoint, params, lookBack, onRemoved: "remove" as const, ...place.job(process) }
      yield* kept.begin(yield* Kept.truthOf(series, params), yield* place.read)
      const end = yield* Process.live(disk, process, Stream.runDrain(Dataset.sync(job)), true)
      yield* disk.fill(false)
      const [held, truth] = [yield* place.read, yield* Kept.truthOf(series, params)]
      yield* kept.half(held, truth)
      if (end._tag === "Ended" && Exit.isSuccess(end.exit)) yield* kept.whole(held, truth)
      return { end, moments: process.moments() }
    })
    yield* sync(1, {})
    yield* Effect.sleep(week)
    const disturbed = yield* sync(2, trouble)
    const { end } = yield* sync(3, {})
    if (end._tag === "Killed" || Exit.isFailure(end.exit))
      return yield* Effect.die(`the next sync fails: ${String(end)}`)
    return disturbed
  },
  (effect) => Effect.provide(effect, service, { local: true })
)

/** One run, in which nothing is chosen. */
const options: Simulation.Options = { seeds: 1, choices: "", start, within: "30 days", shrink: 0 }

/** Moments of an operation with files: before it and after it. */
const perOperation = 2

/** Tries what goes wrong in a row, before each operation where it strikes at files. */
const tried = Effect.fnUntraced(function* ([what = ""]: ReadonlyArray<string>) {
  const trouble = troubleOf(what)
  const ends = new Set<string>()
  const problems: Array<string> = []
  let moments = 1
  for (let moment = 1; moment <= moments; moment += perOperation) {
    const once = Effect.map(run(trouble, moment), (made) => {
      // Behind the last of its moments nothing strikes it.
      if (trouble.strikes !== undefined && made.moments < moment) return
      if (trouble.strikes !== undefined) moments = moment + perOperation
      // Nobody is there any more to whom a process that was killed could say something.
      ends.add(made.end._tag === "Ended" ? told(made.end.exit) : "that it is gone")
    })
    const checked = yield* Effect.result(Simulation.check(once, options))
    if (checked._tag === "Failure") {
      problems.push(`Of a sync, where ${what}, at moment ${moment}: ${checked.failure.message}`)
    }
  }
  return { row: [what, [...ends].toSorted().join(", or ")], problems }
})

/** Syncs under what goes wrong in every row. */
export const measure = ({ rows }: Page.Table) =>
  Effect.map(Effect.forEach(rows, tried), (all): Page.Measured => ({
    rows: all.map(({ row }) => row),
    problems: all.flatMap(({ problems }) => problems)
  }))

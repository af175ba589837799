/**
 * What a user sees of a sync that something goes wrong with, what a reader of its files sees meanwhile, and what the next sync
 * makes of it.
 */
import { NodeServices } from "@effect/platform-node"
import { Timeseries } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import { Cause, Effect, Exit, Stream } from "effect"
import type * as Disk from "../month/Disk.ts"
import * as Folder from "../month/Folder.ts"
import * as World from "../month/World.ts"
import * as Page from "./Page.ts"

/** A week that is held, and a week that is new. */
const params = { assets: "btc,eth,ltc", metrics: "PriceUSD,FlowInExUSD", start_time: "2026-09-24" }
const held = Date.UTC(2026, 9, 1, 12)
const present = Date.UTC(2026, 9, 8, 12)

const jobOf = (to: string): Dataset.Job<typeof Timeseries.assetMetrics> => ({
  endpoint: Timeseries.assetMetrics,
  params: { ...params, metrics: ["PriceUSD", "FlowInExUSD"] },
  to,
  layout: { period: "month" },
  format: { as: "csv" },
  concurrency: 1
})

/** Something that goes wrong with a sync. */
interface Trouble extends Pick<World.Attempt, "always" | "faults"> {
  readonly what: string
  /** What strikes at each of its operations with files in turn. */
  readonly strikes?: Disk.Strike["kind"]
}

const troubles: ReadonlyArray<Trouble> = [
  { what: "the service answers 503 once (`status=503`)", faults: ["status=503"] },
  { what: "the service answers 503 (`status=503`)", always: "status=503" },
  { what: "the service answers 403 (`status=403`)", always: "status=403" },
  { what: "the service resets the connection once (`reset`)", faults: ["reset"] },
  { what: "the service resets the connection (`reset`)", always: "reset" },
  { what: "a reply is cut within a record once (`truncate-after=within:4`)", faults: ["truncate-after=within:4"] },
  { what: "each reply is cut within a record (`truncate-after=within:4`)", always: "truncate-after=within:4" },
  { what: "the service answers what is not HTTP (`garbage`)", always: "garbage" },
  { what: "the process is killed, at whatever operation with files", strikes: "killed" },
  { what: "the disk is full, from whatever operation with files on", strikes: "full" }
]

const told = (exit: Exit.Exit<unknown, Dataset.DatasetError>): string => {
  if (Exit.isSuccess(exit)) return "all records"
  const failure = exit.cause.reasons.find((reason) => reason._tag === "Fail")?.error
  if (failure === undefined) return `**a defect: ${Cause.pretty(exit.cause)}**`
  const inner = failure._tag === "SyncFailed" ? ` (\`${failure.failed[0]?.error._tag ?? ""}\`)` : ""
  return `\`${failure._tag}\`${inner}`
}

const lines = (contents: Folder.Contents): ReadonlyArray<string> =>
  contents.records.map((record) => JSON.stringify(record, Object.keys(record).toSorted())).toSorted()

/** Tries a trouble, at each operation with files where it strikes there. */
const tried = Effect.gen(function* () {
  const { folder, fs, inProcess, path, setTime } = yield* World.make(
    { seed: 2, settles: "3 days", fills: "3 days" },
    held
  )
  const sync = (to: string, attempt?: World.Attempt) =>
    inProcess(() => Stream.runDrain(Dataset.sync(jobOf(to))), attempt)
  const week = path.join(folder, "held")
  const first = yield* sync(week)
  if (Exit.isFailure(first.exit)) return yield* Effect.die(first.exit.cause)
  /** A folder of its own that holds the first week. */
  const copy = (name: string) =>
    Effect.as(Effect.orDie(fs.copy(week, path.join(folder, name))), path.join(folder, name))

  setTime(present)
  const whole = yield* copy("whole")
  const { operations } = yield* sync(whole)
  const after = lines(yield* Folder.read(whole))
  const known = new Set([...lines(yield* Folder.read(week)), ...after])
  return yield* Effect.forEach(
    troubles,
    Effect.fnUntraced(function* ({ strikes, what, ...faults }, n) {
      const ends = new Set<string>()
      const wrong: Array<string> = []
      const moments = strikes === undefined ? [undefined] : Array.from({ length: operations }, (_, at) => at)
      for (const at of moments) {
        const to = yield* copy(`${n}-${at ?? ""}`)
        const strike = strikes === undefined || at === undefined ? undefined : { kind: strikes, at }
        const { exit } = yield* sync(to, { ...faults, strike })
        const end = told(exit)
        // Nobody is there any more to whom a process that was killed could say something.
        if (strikes !== "killed") ends.add(end)
        const half = yield* Folder.read(to)
        const seen = lines(half)
        const next = yield* sync(to)
        const isHealed = JSON.stringify(lines(yield* Folder.read(to))) === JSON.stringify(after)
        const found = [
          ...half.wrong,
          ...(strikes !== "killed" && end.startsWith("**") ? [end] : []),
          ...(new Set(seen).size === seen.length ? [] : ["a record is there twice"]),
          ...(seen.some((line) => !known.has(line)) ? ["a record is of no moment"] : []),
          ...(Exit.isFailure(next.exit) ? [`the next sync fails: ${told(next.exit)}`] : []),
          ...(isHealed ? [] : ["the next sync does not make it good"])
        ]
        wrong.push(...found.map((text) => `Of a sync, where ${what}, at operation ${at ?? 0}: ${text}.`))
      }
      return { what, ends: [...ends].toSorted(), wrong }
    })
  )
}).pipe(Effect.scoped, Effect.provide(NodeServices.layer))

/** The section of datasets. */
export const measure = Effect.map(tried, (all): Page.Section => ({
  text: Page.paragraphs(
    "# Datasets",
    "A folder that holds a week of three assets is synced a week later, from a service that has corrected some of it meanwhile. " +
      "Something goes wrong with that sync, and another follows that nothing disturbs. Where it is about files, it is tried at " +
      "every operation of the sync. In each run the files that readers see are whole, no record is there twice, and each is " +
      "what the service says or said; the next sync always makes all of it what a first download would give.",
    Page.table(
      ["what goes wrong", "the user sees"],
      all.map(({ ends, what }) => [what, ends.length === 0 ? "that it is gone" : ends.join(", or ")])
    )
  ),
  problems: all.flatMap(({ wrong }) => wrong)
}))

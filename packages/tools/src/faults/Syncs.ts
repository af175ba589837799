/**
 * What a user sees of a sync that something goes wrong with, what a reader of its files sees meanwhile, and what the next sync
 * makes of it.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import type { Client } from "@sluice/core"
import { Timeseries } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Stream from "effect/Stream"
import * as DayClock from "../month/DayClock.ts"
import * as Disk from "../month/Disk.ts"
import * as Folder from "../month/Folder.ts"
import * as Service from "../month/Service.ts"

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
interface Trouble {
  readonly what: string
  /** Faults of its requests: of the first ones, and of all others. */
  readonly faults?: ReadonlyArray<string>
  readonly always?: string
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

/** What was seen of a sync under a trouble, or of each of many. */
export interface Measured {
  readonly what: string
  /** What the user saw, one of each kind. */
  readonly ends: ReadonlyArray<string>
  /** How often it was tried. */
  readonly runs: number
  /** What readers of files saw: a file that is not whole, a record twice, or one that neither sync gives. */
  readonly wrong: ReadonlyArray<string>
  /** Runs after which the next sync had all records. */
  readonly healed: number
}

const told = (exit: Exit.Exit<unknown, Dataset.DatasetError>): string => {
  if (Exit.isSuccess(exit)) return "all records"
  const failure = exit.cause.reasons.find((reason) => reason._tag === "Fail")?.error
  if (failure === undefined) return `**a defect: ${Cause.pretty(exit.cause)}**`
  const inner = failure._tag === "SyncFailed" ? ` (\`${failure.failed[0]?.error._tag ?? ""}\`)` : ""
  return `\`${failure._tag}\`${inner}`
}

const lines = (contents: Folder.Contents): ReadonlyArray<string> =>
  contents.records.map((record) => JSON.stringify(record, Object.keys(record).toSorted())).toSorted()

const makeWorld = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const real = yield* Clock.Clock
  const root = yield* Effect.orDie(fs.makeTempDirectoryScoped({ prefix: "sluice-syncs-" }))
  const moment: DayClock.Moment = { now: held, begun: 0, speed: 0 }
  DayClock.set(real, moment, held)
  const service = yield* Service.start({ seed: 2, settles: "3 days", fills: "3 days" }, moment)
  let lives = 0

  const inProcess = Effect.fnUntraced(function* <A, E>(
    program: Effect.Effect<A, E, Client.Client | FileSystem.FileSystem | Path.Path>,
    { always = "", faults = [] }: Pick<Trouble, "always" | "faults"> = {},
    strike?: Disk.Strike
  ) {
    lives += 1
    const life: Disk.Life = { number: lives, strike, operations: 0 }
    yield* service.meet({ faults, always })
    const exit = yield* Effect.exit(program).pipe(
      Effect.provide(service.client, { local: true }),
      Effect.provideService(FileSystem.FileSystem, Disk.of(fs, life)),
      Effect.provideService(Path.Path, path),
      Effect.provideService(Clock.Clock, DayClock.ofSync(real, moment))
    )
    return { exit, operations: life.operations }
  })
  const sync = (to: string, ...rest: [trouble?: Trouble, strike?: Disk.Strike]) =>
    inProcess(Stream.runDrain(Dataset.sync(jobOf(to))), ...rest)

  /** A folder of its own that holds the first week. */
  const copy = (name: string) =>
    Effect.gen(function* () {
      const to = path.join(root, name)
      yield* Effect.orDie(fs.copy(path.join(root, "held"), to))
      return to
    })
  return { copy, moment, real, root, sync, path }
})

/** Tries a trouble, at each operation with files where it strikes there. */
export const measure: Effect.Effect<ReadonlyArray<Measured>> = Effect.gen(function* () {
  const { copy, moment, path, real, root, sync } = yield* makeWorld
  const first = yield* sync(path.join(root, "held"))
  if (Exit.isFailure(first.exit)) return yield* Effect.die(first.exit.cause)
  const before = new Set(lines(yield* Folder.read(path.join(root, "held"))))
  DayClock.set(real, moment, present)
  const whole = yield* copy("whole")
  const { operations } = yield* sync(whole)
  const after = lines(yield* Folder.read(whole))
  const known = new Set([...before, ...after])
  const measured: Array<Measured> = []
  for (const [n, trouble] of troubles.entries()) {
    const ends = new Set<string>()
    const wrong: Array<string> = []
    let healed = 0
    const { strikes } = trouble
    const moments = strikes === undefined ? [undefined] : Array.from({ length: operations }, (_, at) => at)
    for (const at of moments) {
      const to = yield* copy(`${n}-${at ?? ""}`)
      const strike = strikes === undefined || at === undefined ? undefined : { kind: strikes, at }
      const { exit } = yield* sync(to, trouble, strike)
      // Nobody is there any more to whom a process that was killed could say something.
      if (strikes !== "killed") ends.add(told(exit))
      const half = yield* Folder.read(to)
      const seen = lines(half)
      const where = at === undefined ? "" : ` at operation ${at}`
      wrong.push(...half.wrong.map((text) => `${text}${where}`))
      if (new Set(seen).size !== seen.length) wrong.push(`a record is there twice${where}`)
      if (seen.some((line) => !known.has(line))) wrong.push(`a record is of no moment${where}`)
      const next = yield* sync(to)
      if (Exit.isFailure(next.exit)) wrong.push(`the next sync fails${where}: ${told(next.exit)}`)
      if (JSON.stringify(lines(yield* Folder.read(to))) === JSON.stringify(after)) healed += 1
    }
    measured.push({ what: trouble.what, ends: [...ends].toSorted(), runs: moments.length, wrong, healed })
  }
  return measured
}).pipe(Effect.scoped, Effect.provide(NodeServices.layer))

/** What is wrong, a sentence each. */
export const problems = (all: ReadonlyArray<Measured>): ReadonlyArray<string> =>
  all.flatMap(({ ends, healed, runs, what, wrong }) => [
    ...wrong.map((text) => `Of a sync, where ${what}: ${text}.`),
    ...ends.filter((end) => end.startsWith("**")).map((end) => `Of a sync, where ${what}: ${end}.`),
    ...(healed === runs
      ? []
      : [`Of a sync, where ${what}: ${runs - healed} of ${runs} were not made good by the next.`])
  ])

const line = (cells: ReadonlyArray<string>) => `| ${cells.join(" | ")} |`

/** Prints the section. */
export const print = (all: ReadonlyArray<Measured>): string =>
  [
    "# Datasets",
    "A folder that holds a week of three assets is synced a week later, from a service that has corrected some of it meanwhile. " +
      "Something goes wrong with that sync, and another follows that nothing disturbs. Where it is about files, it is tried at " +
      "every operation of the sync. In each run the files that readers see are whole, no record is there twice, and each is " +
      "what the service says or said; the next sync always makes all of it what a first download would give.",
    [
      line(["what goes wrong", "the user sees"]),
      line(["---", "---"]),
      ...all.map(({ ends, what }) => line([what, ends.length === 0 ? "that it is gone" : ends.join(", or ")]))
    ].join("\n")
  ].join("\n\n")

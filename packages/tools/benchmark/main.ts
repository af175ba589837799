/**
 * `pnpm bench`: Sluice against the code people write by hand, over a loopback connection to replies prepared beforehand.
 */
import type * as NodeServices from "@effect/platform-node/NodeServices"
import { Command, Flag } from "effect/cli"
import { Console, Data, Effect, Option, Redacted, Schema } from "effect"
import * as Tool from "../src/Tool.ts"
import * as Measure from "./Measure.ts"
import * as Parts from "./Parts.ts"
import * as PostgresData from "../../datasets/test/database/PostgresData.ts"
import * as PostgresServer from "../../datasets/test/database/PostgresServer.ts"
import * as Ratio from "../../cluster/benchmark/Ratio.ts"
import * as Workers from "../../cluster/benchmark/Workers.ts"
import * as Report from "./Report.ts"
import * as Startup from "./Startup.ts"
import { pageSize } from "./Workload.ts"

class UnknownPart extends Data.TaggedError("UnknownPart")<{ readonly part: string; readonly known: string }> {
  override get message() {
    return `There is no part ${JSON.stringify(this.part)}. There are ${this.known}.`
  }
}

type Verdicts = ReadonlyArray<Report.Verdict>

const millis = (seconds: number) => `${Math.round(seconds * 1000)} ms`

const how = (rounds: number) =>
  `Medians of ${rounds} alternating rounds (memory: at most 3), each case in a fresh process after a warm-up of its own, the server
in another; our modules as the JavaScript that is published; loopback, pages of ${pageSize.toLocaleString("en-US")}, the same query for all. A ratio is taken against the first row of the same round, then
the median. CPU is the processor time of all threads of a process, collection of garbage included. Every process runs as Node
comes, without options.`

const runPart = Effect.fnUntraced(function* ({ base, bounds, rounds: enough, suite }: Parts.Part, rounds: number) {
  const measured = yield* Measure.run(suite, Math.min(rounds, enough ?? rounds))
  yield* Console.log(`\n${suite.title}\n\n${Report.table(measured, base)}`)
  return bounds.map((bound) => Report.judge(measured, bound))
})

const runTables = Effect.fnUntraced(function* (rows: number, rounds: number) {
  if (!PostgresData.isInstalled) {
    yield* Console.log("\nTables: no PostgreSQL is installed, so they were not measured.")
    return []
  }
  const { url } = yield* PostgresServer.make
  const database = { url: Redacted.value(url()), psql: PostgresData.program("psql") }
  return yield* runPart(Parts.tables(rows, database), rounds)
}, Effect.scoped)

const runStart = Effect.fnUntraced(function* (rounds: number) {
  const { fetch, get, idle, version } = yield* Startup.measure(3 * rounds)
  yield* Console.log(
    `\nProcessor time from start to end: node -e 0 ${millis(idle)}, a fetch by hand ${millis(fetch)}, sluice --version ${millis(version)}, sluice get of a record ${millis(get)}`
  )
  return [
    { bound: "sluice --version, processor time, ratio to node -e 0", figure: version / idle, limit: 3 },
    { bound: "sluice get, processor time, ratio to a fetch by hand", figure: get / fetch, limit: 3.4 }
  ]
})

/** What measures each part, by name. */
const partsOf = (rows: number, rounds: number) =>
  new Map<string, Effect.Effect<Verdicts, Failure, NodeServices.NodeServices>>([
    ...Object.entries(Parts.make(rows)).map(([name, part]) => [name, runPart(part, rounds)] as const),
    ["tables", runTables(rows, rounds)],
    ["start", runStart(rounds)],
    ["workers", Workers.run],
    ["cluster", Ratio.run]
  ])

type Failure = Effect.Error<
  ReturnType<typeof runPart | typeof runTables | typeof runStart> | typeof Workers.run | typeof Ratio.run
>

const rounds = Flag.Int("rounds").pipe(
  Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 99 }))),
  Flag.withDescription("Rounds that count; 5, or 1 with --quick"),
  Flag.optional
)

const rows = Flag.Int("rows").pipe(
  Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 1_000, maximum: 1_000_000 }))),
  Flag.withDescription("Records of usual length in a run, up to 1000000; 500000, or 50000 with --quick"),
  Flag.optional
)

const quick = Flag.Boolean("quick").pipe(
  Flag.withDescription("A smoke run: fewer records, one round, no bounds"),
  Flag.withDefault(false)
)

const only = Flag.String("only").pipe(
  Flag.withDescription("Parts to measure, such as trades,books; all when absent"),
  Flag.optional
)

const command = Command.make(
  "bench",
  { rounds, rows, quick, only },
  Effect.fnUntraced(function* (options) {
    const rounds = Option.getOrElse(options.rounds, () => (options.quick ? 1 : 5))
    const rows = Option.getOrElse(options.rows, () => (options.quick ? 50_000 : 500_000))
    const parts = partsOf(rows, rounds)
    const names = Option.match(options.only, { onNone: () => [...parts.keys()], onSome: (text) => text.split(",") })
    const chosen = yield* Effect.forEach(names, (part) => {
      const run = parts.get(part)
      return run === undefined ? new UnknownPart({ part, known: [...parts.keys()].join(", ") }) : Effect.succeed(run)
    })
    const all = (yield* Effect.forEach(chosen, (run) => run)).flat()
    yield* Console.log(`\n${how(rounds)}`)
    if (options.quick) return yield* Console.log("\nA quick run: bounds are not checked.")
    yield* Console.log(`\n${Report.verdicts(all)}`)
    if (!all.every(Report.isKept)) return yield* new Tool.Found()
  })
).pipe(Command.withDescription("Measures Sluice against hand-written code"))

Tool.main(command)

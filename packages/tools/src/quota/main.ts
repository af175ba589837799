/**
 * `pnpm quotas`: how close processes that share a quota come to its limit: simulated on the virtual clock, and with `--real` by
 * processes against the stand-in service, over Redis and over a file of this machine.
 */
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Console, Effect, Logger, Option } from "effect"
import { Command, Flag } from "effect/cli"
import * as FileSystem from "effect/FileSystem"
import * as Load from "./Load.ts"
import * as RedisServer from "../../../node/test/quota/RedisServer.ts"
import * as Simulation from "./Simulation.ts"

const parts = Flag.Int("parts").pipe(
  Flag.withDescription("Requests of the fifty processes that come and go"),
  Flag.withDefault(100_000)
)

const minutes = Flag.Finite("minutes").pipe(
  Flag.withDescription("How long the four processes run, on the virtual clock"),
  Flag.withDefault(10)
)

const real = Flag.Finite("real").pipe(
  Flag.withDescription("Minutes of real load instead, by four processes against the stand-in"),
  Flag.withDefault(0)
)

const plan = Flag.Literals("plan", ["trial", "default"]).pipe(
  Flag.withDescription("With --real: this plan alone"),
  Flag.optional
)

/** From 15 to 25 ms, the same in every run. */
const fast = (nth: number) => 15 + ((nth * 7_919) % 11)
/** From 40 to 240 ms. */
const slow = (nth: number) => 40 + ((nth * 7_919) % 200)

const row = (cells: ReadonlyArray<string>) => `| ${cells.join(" | ")} |`
const percent = (part: number) => `${(part * 100).toFixed(1)} %`

/** The largest distance of a process from the mean. */
const spread = (counts: ReadonlyArray<number>) => {
  const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length
  return Math.max(...counts.map((count) => Math.abs(count - mean))) / mean
}

const simulate = Effect.fnUntraced(function* (name: string, scenario: Simulation.Scenario) {
  const found = yield* Effect.provide(Simulation.run(scenario), Logger.layer([]))
  const cells = [
    name,
    `${found.accepted}`,
    `${Math.round(found.elapsed / 1_000)} s`,
    `${found.rejected}`,
    percent(found.fill),
    scenario.churn === undefined ? percent(spread(found.perProcess)) : `${found.killed} killed`,
    (found.steps / found.accepted).toFixed(1)
  ]
  yield* Console.log(row(cells))
})

const simulations = Effect.fnUntraced(function* (millis: number, parts: number) {
  yield* Console.log(
    row(["scenario", "requests", "virtual time", "429", "fill", "unequal by at most", "steps per request"])
  )
  yield* Console.log(row(Array.from({ length: 7 }, () => "---")))
  const trial = { limit: 10, window: 6_000, plan: "trial", latency: slow }
  const large = { limit: 6_000, window: 20_000, plan: "default", latency: fast }
  yield* simulate("4 processes, trial", { ...trial, processes: 4, requests: 5, millis })
  yield* simulate("4 processes, default", { ...large, processes: 4, requests: 10, millis })
  const busy: Simulation.Busy = {
    seed: 1,
    pauses: { part: 0.0005, from: 100, to: 500 },
    delays: { part: 0.02, most: 300 },
    lag: 5
  }
  yield* simulate("4 processes, trial, busy machine", { ...trial, processes: 4, requests: 5, millis, busy })
  yield* simulate("4 processes, default, busy machine", { ...large, processes: 4, requests: 10, millis, busy })
  yield* simulate("50 processes, default", { ...large, processes: 50, requests: 4, parts })
  const churning = { ...large, processes: 50, requests: 4, parts, churn: 5_000 }
  yield* simulate("50 processes, default, one killed every 5 s", churning)
})

/** Milliseconds of a processor for each request. */
const costOf = (millis: number, { accepted }: Load.Outcome) => `${(millis / Math.max(1, accepted)).toFixed(2)} ms`

const load = Effect.fnUntraced(function* (millis: number, plans: ReadonlyArray<Load.Load["plan"]>) {
  const files = yield* FileSystem.FileSystem
  const folder = yield* files.makeTempDirectoryScoped()
  const redis = RedisServer.program === undefined ? undefined : yield* RedisServer.start
  const file = { name: "a file", store: `local:${folder}`, cpu: Effect.succeed(0) }
  const stores = redis === undefined ? [file] : [{ ...redis, name: "Redis" }, file]
  const heads = ["processes", "stand-in", "Redis"].map((name) => `processor time of ${name} per request`)
  const columns = ["plan and store", "accepted", "429", "unequal by at most", "most at once", ...heads]
  yield* Console.log(row(columns))
  yield* Console.log(row(columns.map(() => "---")))
  for (const plan of plans) {
    for (const { cpu, name, store } of stores) {
      const before = yield* cpu
      const found = yield* Load.run({ processes: 4, loops: 10, plan, millis, store })
      const { accepted, most, perProcess, rejected } = found
      yield* Console.log(
        row(
          [`${plan}, ${name}`, `${accepted}`, `${rejected}`, percent(spread(perProcess)), `${most}`].concat(
            [found.cpu.processes, found.cpu.service, (yield* cpu) - before].map((millis) => costOf(millis, found))
          )
        )
      )
    }
  }
}, Effect.scoped)

const command = Command.make("quotas", { parts, minutes, real, plan }, ({ minutes, parts, plan, real }) =>
  real > 0
    ? load(real * 60_000, Option.isSome(plan) ? [plan.value] : ["trial", "default"])
    : simulations(minutes * 60_000, parts)
).pipe(Command.withDescription("Says how close processes that share a quota come to its limit"))

command.pipe(Command.run({ version: "0.1.0" }), Effect.provide(NodeServices.layer), NodeRuntime.runMain)

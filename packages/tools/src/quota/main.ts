/**
 * `pnpm quotas`: how close processes that share a quota come to its limit: in the simulation, under seeds of their own, and with
 * `--real` by processes against the stand-in service, over Redis and over a file of this machine.
 */
import { Simulation } from "@sluice/sandbox"
import { Console, Effect, FileSystem, Logger } from "effect"
import { Command, Flag } from "effect/cli"
import * as RedisServer from "../../../node/test/quota/RedisServer.ts"
import * as Page from "../faults/Page.ts"
import * as Processes from "../simulation/Processes.ts"
import * as Sharing from "../simulation/Sharing.ts"
import * as Tool from "../Tool.ts"
import * as Load from "./Load.ts"

const percent = (part: number) => `${(part * 100).toFixed(1)} %`

/** From 15 to 25 ms, the same in every run. */
const fast = (nth: number) => 15 + ((nth * 7_919) % 11)

const trial = { ...Sharing.trial, millis: 600_000 }
const large: Sharing.Scenario = { plan: "default", processes: 4, loops: 10, millis: 60_000, latency: fast }
const many: Sharing.Scenario = { ...large, processes: 50, loops: 4 }

const scenarios: ReadonlyArray<readonly [name: string, scenario: Sharing.Scenario]> = [
  ["4 processes, trial", trial],
  ["4 processes, default", large],
  ["4 processes, trial, busy machine", { ...trial, isBusy: true }],
  ["50 processes, default", many],
  ["50 processes, default, one killed every 5 s", { ...many, churn: 5_000 }]
]

const simulations = Effect.fnUntraced(
  function* (from: number) {
    const rows: Array<ReadonlyArray<string>> = []
    for (const [name, scenario] of scenarios) {
      let found: Sharing.Figures | undefined
      const run = Effect.tap(Sharing.run(scenario), (figures) => Effect.sync(() => (found = figures)))
      const world = Effect.provide(run, Processes.service(scenario.plan), { local: true })
      yield* Simulation.check(world, { from, seeds: 1, turns: 1e9 })
      const { accepted, fill, rejected, steps, unequal } = found!
      const shares = scenario.churn === undefined ? percent(unequal) : "some die"
      rows.push([name, `${accepted}`, `${rejected}`, percent(fill), shares, (steps / accepted).toFixed(1)])
    }
    yield* Console.log(
      Page.table(["scenario", "requests", "429", "used", "unequal by at most", "steps per request"], rows)
    )
  },
  Effect.provide(Logger.layer([]))
)

const load = Effect.fnUntraced(function* (millis: number) {
  const files = yield* FileSystem.FileSystem
  const folder = yield* files.makeTempDirectoryScoped()
  const redis = RedisServer.program === undefined ? undefined : yield* RedisServer.start
  const file = { name: "a file", store: `local:${folder}` }
  const stores = redis === undefined ? [file] : [{ name: "Redis", store: redis.store }, file]
  const rows: Array<ReadonlyArray<string>> = []
  for (const plan of ["trial", "default"] as const) {
    for (const { name, store } of stores) {
      const { accepted, most, perProcess, rejected } = yield* Load.run({ processes: 4, loops: 10, plan, millis, store })
      const shares = percent(Sharing.spread(perProcess))
      rows.push([`${plan}, ${name}`, `${accepted}`, `${rejected}`, shares, `${most}`])
    }
  }
  yield* Console.log(Page.table(["plan and store", "accepted", "429", "unequal by at most", "most at once"], rows))
}, Effect.scoped)

const command = Command.make(
  "quotas",
  {
    from: Flag.Int("from").pipe(Flag.withDescription("The seed of the simulation"), Flag.withDefault(1)),
    real: Flag.Finite("real").pipe(
      Flag.withDescription("Minutes of real load instead, by four processes against the stand-in"),
      Flag.withDefault(0)
    )
  },
  Effect.fnUntraced(function* ({ from, real }) {
    yield* real === 0 ? simulations(from) : load(real * 60_000)
  })
).pipe(Command.withDescription("Says how close processes that share a quota come to its limit"))

Tool.main(command)

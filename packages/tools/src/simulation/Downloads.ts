/**
 * A download into a folder, whose processes are killed and whose machine loses power, until one comes to its end.
 */
import { Client, Timeseries } from "@sluice/core"
import { Download } from "@sluice/files"
import { Sandbox, Simulation } from "@sluice/sandbox"
import { Effect, Exit, Fiber, Stream } from "effect"
import * as Auditor from "./Auditor.ts"
import * as Disk from "./Disk.ts"
import * as Process from "./Process.ts"

const params = {
  assets: ["btc", "eth"],
  metrics: ["PriceUSD"],
  start_time: "2024-01-01",
  end_time: "2024-03-31"
} as const

const run = Stream.runDrain(
  Download.run({
    endpoint: Timeseries.assetMetrics,
    params,
    split: { by: "assets", every: "1 month" },
    to: "/data/prices",
    format: { as: "ndjson" },
    concurrency: 3
  })
)

const truth = Stream.runCollect(Timeseries.assetMetrics(params)).pipe(
  Effect.provide(Sandbox.layerClient(Client.layer), { local: true }),
  Effect.map((all) => all.map(Auditor.textOf))
)

/** The most processes before one that is left alone. */
const lives = 4

/** Runs processes one after another, or two at once on different machines, and reads the folder afterwards. */
export const make = Effect.map(truth, (truth) =>
  Effect.gen(function* () {
    const disk = Disk.make(Simulation.below)
    for (let number = 1; number <= lives; number++) {
      const process = yield* Process.make(disk, number)
      // Detached: of a process that was killed nothing ends.
      const fiber = yield* Effect.forkDetach(process.run(run))
      const way = number === lives ? 0 : yield* Simulation.below(4)
      if (way === 0) {
        const exit = yield* Fiber.await(fiber)
        if (Exit.isSuccess(exit)) break
        // Others may still be written down as having the folder, until they have been silent for a minute.
        if (number === lives) return yield* exit
        continue
      }
      yield* Process.someTime
      if (way === 1) yield* Fiber.interrupt(fiber)
      else yield* process.kill
      if (way === 3) yield* disk.loseUnsynced
    }
    yield* Auditor.same(
      Disk.linesOf(disk, ".ndjson").map((line): unknown => JSON.parse(line)),
      truth
    )
  }).pipe(Effect.provide(Sandbox.layerMemory()))
)

/**
 * A dataset in a folder that is synced day by day, by processes that are killed, on a machine that loses power. After a run that
 * was left alone it has what the service has.
 */
import { Client, Timeseries } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import { Sandbox, Simulation } from "@sluice/sandbox"
import { Effect, Exit, Redacted, Stream } from "effect"
import * as Auditor from "./Auditor.ts"
import * as Disk from "./Disk.ts"
import * as Process from "./Process.ts"

const params = { assets: ["btc", "eth"], metrics: ["PriceUSD"], frequency: "1d", start_time: "2026-09-20" } as const

const sync = Stream.runDrain(
  Dataset.sync({
    endpoint: Timeseries.assetMetrics,
    params,
    to: "/data/prices",
    layout: { period: "month" },
    format: { as: "ndjson" },
    lookBack: "5 days"
  })
)

/** What the service has now. */
const truth = Effect.gen(function* () {
  const { url } = yield* Sandbox.Sandbox
  const client = Client.layer({ root: url, apiKey: Redacted.make("demo-key") })
  const all = yield* Effect.provide(Stream.runCollect(Timeseries.assetMetrics(params)), client, { local: true })
  return all.map(Auditor.textOf)
})

/** Runs processes on three days, one after another, and compares what is held after each that came to its end. */
export const make = Effect.succeed(
  Effect.gen(function* () {
    const disk = Disk.make(Simulation.below)
    for (let number = 1; number <= 6; number++) {
      const process = yield* Process.make(disk, number)
      const before = yield* truth
      const end = yield* Process.live(disk, process, sync, number === 6)
      if (end._tag === "Ended" && Exit.isSuccess(end.exit)) {
        yield* Auditor.between(
          Disk.linesOf(disk, ".ndjson").map((line): unknown => JSON.parse(line)),
          before,
          yield* truth
        )
      } else if (end._tag === "Ended" && number === 6) return yield* end.exit
      yield* Effect.sleep([0, 3_600_000, 86_400_000][yield* Simulation.below(3)] ?? 0)
    }
  }).pipe(Effect.provide(Sandbox.layerMemory({ live: { from: "2026-10-05" } })))
)

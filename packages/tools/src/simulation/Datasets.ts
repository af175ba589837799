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

/** A few assets by name, or all that have a metric, which come and go. */
const asked = [
  { assets: "btc,eth", metrics: "PriceUSD" },
  { assets: "*", metrics: "futures_aggregate_funding_rate_usd_margin_1d_period" }
].map((params) => ({ ...params, frequency: "1d", start_time: "2026-09-26" }))

const layouts = [{ period: "month" }, { byEntity: false, period: "none", rows: 7 }] as const

type Params = (typeof asked)[number]

const sync = (params: Params, layout: (typeof layouts)[number]) =>
  Stream.runDrain(
    Dataset.sync({
      endpoint: Timeseries.assetMetrics,
      params,
      to: "/data/prices",
      layout,
      format: { as: "ndjson" },
      lookBack: "5 days",
      onRemoved: "remove"
    })
  )

/** What the service has now. */
const truthOf = Effect.fnUntraced(function* (params: Params) {
  const { url } = yield* Sandbox.Sandbox
  const client = Client.layer({ root: url, apiKey: Redacted.make("demo-key") })
  const all = yield* Effect.provide(Stream.runCollect(Timeseries.assetMetrics(params)), client, { local: true })
  return all.map(Auditor.textOf)
})

const history = { seed: 7, settles: 2 * 86_400_000, fills: 2 * 86_400_000, renamed: "unknown" } as const

/** Runs processes on some days, one after another, and compares what is held after each that came to its end. */
export const make = Effect.succeed(
  Effect.gen(function* () {
    const disk = Disk.make(Simulation.below)
    const params = asked[yield* Simulation.below(2)]!
    const layout = layouts[yield* Simulation.below(2)]!
    for (let number = 1; number <= 6; number++) {
      const process = yield* Process.make(disk, number)
      const before = yield* truthOf(params)
      const end = yield* Process.live(disk, process, sync(params, layout), number === 6)
      if (end._tag === "Ended" && Exit.isSuccess(end.exit)) {
        yield* Auditor.between(
          Disk.linesOf(disk, ".ndjson").map((line): unknown => JSON.parse(line)),
          before,
          yield* truthOf(params)
        )
        const proof = yield* Process.make(disk, number + 10)
        yield* proof.run(Stream.runDrain(Dataset.verify("/data/prices")))
      } else if (end._tag === "Ended" && number === 6) return yield* end.exit
      yield* Effect.sleep([0, 3_600_000, 86_400_000, 3 * 86_400_000][yield* Simulation.below(4)] ?? 0)
      if ((yield* Simulation.below(4)) === 1) yield* disk.damage(".ndjson", "removed")
    }
    yield* disk.expectOneHolder
  }).pipe(Effect.provide(Sandbox.layerMemory({ live: { from: "2026-10-05" }, history })))
)

/**
 * Blocks of assets over connections that break, some of them taken back: the chain that a reader knows at the end is that of the
 * service, or a gap names it.
 */
import { Live } from "@sluice/core"
import { Sandbox, Simulation } from "@sluice/sandbox"
import { Effect } from "effect"
import * as Chain from "../../../node/test/LiveChainOracle.ts"
import * as Auditor from "./Auditor.ts"
import * as LiveWorld from "./LiveWorld.ts"

const metrics = ["PriceUSD", "BlkCnt"]

const assets = "btc,eth"

const [since, from] = ["2026-09-30T23:59:00.000000000Z", "2026-10-01T00:00:00Z"]

const path = `/timeseries-stream/asset-metrics?assets=${assets}&metrics=${metrics.join(",")}`

const read = Effect.gen(function* () {
  const { messages, until } = yield* LiveWorld.read(Live.assetMetrics({ assets, metrics }, { since }), { seconds: 240 })
  const { live } = yield* Sandbox.Sandbox
  const texts = yield* live.series(path, { after: since, until })
  const truth = texts.map((text) => JSON.parse(text))
  yield* Auditor.none(metrics.flatMap((metric) => Chain.faultsOf(metric, since, { error: undefined, messages, truth })))
})

/** Blocks of two chains, which fork by themselves now and then, and in some runs before each block. */
export const make = Effect.succeed(
  Effect.gen(function* () {
    const reorgs = yield* Simulation.below(4)
    const sequence = yield* LiveWorld.word("sequence")
    const forks = yield* LiveWorld.one([1, 8, 3])
    const faults = [yield* LiveWorld.drawFaults, reorgs === 0 ? "" : `live-reorg=${reorgs}`].filter(Boolean).join(",")
    yield* Effect.provide(read, LiveWorld.layer({ faults, forks, dialect: { sequence }, from }), { local: true })
  })
)

import { assert, describe, it } from "@effect/vitest"
import { Timeseries } from "@sluice/core"
import type * as Endpoint from "@sluice/core/Endpoint"
import * as LazyLines from "@sluice/core/internal/columns/LazyLines"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Draw from "../../../core/test/Draw.ts"
import * as TestMode from "../../../core/test/TestMode.ts"
import type * as Comparing from "../../src/internal/versions/Comparing.ts"
import * as History from "../../src/internal/versions/History.ts"
import * as HeldFile from "./HeldFile.ts"

const metrics = ["PriceUSD", "TxCnt"]
const hour = 3_600_000

type Fields = Readonly<Record<string, unknown>>

// Type boundary, twice: an endpoint whose parameters have types of its own is no `Endpoint.Any`, which takes data.
/** Series of which each record has its time, and one of which several may have the same. */
const ofMetrics = {
  endpoint: Timeseries.assetMetrics as unknown as Endpoint.Any,
  params: { assets: "btc,eth", metrics, frequency: "1h" },
  entity: "asset",
  identity: undefined
}
const ofTrades = {
  endpoint: Timeseries.marketTrades as unknown as Endpoint.Any,
  params: { markets: "btc,eth" },
  entity: "market",
  identity: ["coin_metrics_id"]
}

const numbers = ["1", "1.0", "0", "-0", "0.1", "0.100000000000000001", "12345678.9", "1e3", "1000", "10", null, "5"]
const timeOf = (hours: number) => new Date(Date.UTC(2026, 0, 1) + hours * hour).toISOString().replace("Z", "000000Z")

const drawMetrics = (draw: Draw.Draw, entity: string, at: number): Fields => ({
  asset: entity,
  time: timeOf(at),
  ...(draw.below(9) > 0 && { PriceUSD: draw.one(numbers) }),
  ...(draw.below(4) === 0 && { "PriceUSD-status": draw.one(["reviewed", "flash", null, ""]) }),
  ...(draw.below(4) === 0 && { "PriceUSD-status-time": draw.one([timeOf(50), timeOf(51), null]) }),
  ...(draw.below(3) > 0 && { TxCnt: draw.one(numbers) })
})

const drawTrade = (draw: Draw.Draw, entity: string, at: number): Fields => ({
  market: entity,
  time: timeOf(at >> 1),
  coin_metrics_id: String(at),
  amount: draw.one(numbers),
  price: draw.one(["1", "2", "3"]),
  side: "buy"
})

describe("what a change does to records", () => {
  for (const seed of TestMode.seeds(60, 2_000)) {
    it.effect(`is recorded from bytes and columns as from records: seed ${seed}`, () =>
      Effect.gen(function* () {
        const draw = Draw.from(seed)
        const [series, make] =
          draw.below(4) === 0 ? ([ofTrades, drawTrade] as const) : ([ofMetrics, drawMetrics] as const)
        const { endpoint, entity, params } = series
        const format = draw.one(HeldFile.formats)
        const count = 1 + draw.below(draw.one([5, 50, 400]))
        const rate = draw.one([1, 2, 10, 100])
        const [held, sent]: [Array<Fields>, Array<Fields>] = [[], []]
        const entities = draw.one([["btc"], ["btc", "eth"]])
        const isOfEntity = entities.length === 1 && draw.below(2) === 0
        for (const entity of entities) {
          for (let at = 0; at < count; at++) {
            const record = make(draw, entity, at)
            const happens = draw.below(rate) === 0 ? draw.one(["new", "removed", "other"] as const) : "nothing"
            if (happens !== "new") held.push(record)
            if (happens !== "removed") sent.push(happens === "other" ? make(draw, entity, at) : record)
          }
        }
        const { comparing, gathered, read } = yield* HeldFile.make(series, format, held, isOfEntity)
        // Of a metric that was not asked for before, what is new is no revision.
        const had = draw.one([metrics, ["TxCnt"]])
        const recorded = (own: Comparing.Comparing, isGathered: boolean) =>
          Effect.gen(function* () {
            const recording = History.record({
              fields: { entity, ...(isOfEntity && { fixed: "btc" }) },
              comparing: own,
              every: hour,
              metrics,
              looked: "2026-03-01T00:00:00.000000000Z",
              looking: undefined,
              complete: undefined,
              cursorOf: (entity) => ({ entity, from: null, last: timeOf(count), columns: had }),
              freshTo: () => undefined
            })
            yield* Stream.runForEachArray(read, (records) => Effect.sync(() => recording.replaced(records)))
            const lines = Stream.succeed(Buffer.from(sent.map((record) => `${JSON.stringify(record)}\n`).join("")))
            const arriving = LazyLines.records(endpoint, params, lines)
            yield* Stream.runForEachArray(isGathered ? gathered(arriving) : arriving, (records) =>
              Effect.sync(() => recording.fresh(records))
            )
            const { lines: all, ...rest } = recording.end("2026-04-01T00:00:00.000000000Z")
            return { ...rest, lines: all.map((line): unknown => JSON.parse(line)) }
          })
        const plain = { ...comparing, arrived: () => undefined }
        assert.deepStrictEqual(yield* recorded(comparing, true), yield* recorded(plain, false))
      })
    )
  }
})

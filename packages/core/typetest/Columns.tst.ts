import { BlockchainV2, Columns, ReferenceData, Timeseries } from "@sluice/core"
import type * as Effect from "effect/Effect"
import { expectTypeOf } from "vitest"

type Read<S> = S extends Effect.Effect<Columns.Batch<infer C>, infer _E, infer _R> ? C : never

// The columns of the metrics that were asked for, without their review status.
const prices = Columns.collect(Timeseries.assetMetrics, { assets: "btc", metrics: ["PriceUSD", "TxCnt"] })
expectTypeOf<keyof Read<typeof prices>>().toEqualTypeOf<"asset" | "time" | "PriceUSD" | "TxCnt">()
expectTypeOf<Read<typeof prices>["PriceUSD"]>().toEqualTypeOf<Columns.Doubles>()
expectTypeOf<Read<typeof prices>["time"]>().toEqualTypeOf<Columns.Times>()
expectTypeOf<Read<typeof prices>["asset"]>().toEqualTypeOf<Columns.Words | Columns.Texts | Columns.Integers>()

// Exact numbers, and a choice of columns.
const exact = Columns.collect(
  Timeseries.marketTrades,
  { markets: "coinbase-btc-usd-spot" },
  { columns: ["time", "price"], numbers: "decimal" }
)
expectTypeOf<keyof Read<typeof exact>>().toEqualTypeOf<"time" | "price">()
expectTypeOf<Read<typeof exact>["price"]>().toEqualTypeOf<Columns.Decimals>()

// A choice of the columns of metrics, review status too.
const status = Columns.collect(
  Timeseries.assetMetrics,
  { assets: "btc", metrics: ["PriceUSD", "TxCnt"] },
  { columns: ["time", "PriceUSD", "PriceUSD-status"] }
)
expectTypeOf<keyof Read<typeof status>>().toEqualTypeOf<"time" | "PriceUSD" | "PriceUSD-status">()
expectTypeOf<Read<typeof status>["PriceUSD"]>().toEqualTypeOf<Columns.Doubles>()
// @ts-expect-error a metric that was not asked for
Columns.collect(Timeseries.assetMetrics, { assets: "btc", metrics: ["PriceUSD"] }, { columns: ["TxCnt"] })

// Lists are JSON text, and times of what is no series are text.
const books = Columns.collect(Timeseries.marketOrderbooks, { markets: "coinbase-btc-usd-spot" })
expectTypeOf<Read<typeof books>["asks"]>().toEqualTypeOf<Columns.Texts>()
const assets = Columns.collect(ReferenceData.assets, {})
expectTypeOf<Read<typeof assets>["full_name"]>().toEqualTypeOf<Columns.Words | Columns.Texts | Columns.Integers>()

// @ts-expect-error a column that the records have not
Columns.collect(Timeseries.marketTrades, { markets: "coinbase-btc-usd-spot" }, { columns: ["volume"] })
// @ts-expect-error a required parameter is missing
Columns.collect(Timeseries.marketTrades, {})

// Records without a required time may be of a series or of a list.
const blocks = Columns.collect(BlockchainV2.blocks, { asset: "btc" })
expectTypeOf<Read<typeof blocks>["consensus_time"]>().toEqualTypeOf<Columns.Times | Columns.Texts>()

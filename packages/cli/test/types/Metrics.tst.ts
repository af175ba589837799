import { type Decimal, Timeseries } from "@sluice/core"
import type * as Stream from "effect/Stream"
import { expectTypeOf } from "vitest"
import type { Asset, AssetMetric, AssetMetrics, Frequency, Readable } from "./metrics.d.ts"

type Row<S> = S extends Stream.Stream<infer A, infer _E, infer _R> ? A : never

// What the key may read compiles, and its metrics are still the columns of the record.
const prices = Timeseries.assetMetrics({
  assets: ["btc", "eth"],
  metrics: ["PriceUSD", "TxCnt"],
  frequency: "1d"
} satisfies Readable)
expectTypeOf<Row<typeof prices>["PriceUSD"]>().toEqualTypeOf<Decimal.Decimal | null | undefined>()
expectTypeOf<Row<typeof prices>["TxCnt"]>().toEqualTypeOf<Decimal.Decimal | null | undefined>()
// @ts-expect-error: a metric that was not asked for is no column
expectTypeOf<Row<typeof prices>["AdrActCnt"]>()

// Every other parameter is allowed as well, and checked.
const narrowed = Timeseries.assetMetrics({
  assets: ["btc"],
  metrics: ["PriceUSD"],
  frequency: "1h",
  start_time: "2024-01-01",
  end_time: "2024-02-01",
  end_inclusive: false,
  limit_per_asset: 5,
  paging_from: "end",
  null_as_zero: true
} satisfies Readable)
expectTypeOf<Row<typeof narrowed>["PriceUSD"]>().toEqualTypeOf<Decimal.Decimal | null | undefined>()
// @ts-expect-error: no such parameter
Timeseries.assetMetrics({ assets: ["btc"], metrics: ["PriceUSD"], start: "2024-01-01" } satisfies Readable)
// @ts-expect-error: a number is expected
Timeseries.assetMetrics({ assets: ["btc"], metrics: ["PriceUSD"], limit_per_asset: "5" } satisfies Readable)

// @ts-expect-error: no such metric
Timeseries.assetMetrics({ assets: ["btc"], metrics: ["PriceUDS"] } satisfies Readable)
// @ts-expect-error: no such asset among those that were asked for
Timeseries.assetMetrics({ assets: ["doge"], metrics: ["PriceUSD"] } satisfies Readable)
// @ts-expect-error: no metric has this frequency
Timeseries.assetMetrics({ assets: ["btc"], metrics: ["PriceUSD"], frequency: "7d" } satisfies Readable)

expectTypeOf<"btc">().toExtend<Asset>()
expectTypeOf<"PriceUDS">().not.toExtend<AssetMetric>()
expectTypeOf<"1d">().toExtend<AssetMetrics["PriceUSD"]>()
expectTypeOf<AssetMetrics["AdrBalCnt"]>().toEqualTypeOf<"1d">()
expectTypeOf<Frequency>().toExtend<string>()

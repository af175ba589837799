import {
  type ApiError,
  type Client,
  type Decimal,
  type Paging,
  Timeseries,
  type Timestamp,
  TokenMetrics
} from "@sluice/core"
import type * as Stream from "effect/Stream"
import { expectTypeOf } from "vitest"
import type { Flat, Row } from "./Wire.ts"

type Value = Decimal.Decimal | null | undefined

// Literals become columns, null or absent, never a number.
const literals = Timeseries.assetMetrics({ assets: ["btc"], metrics: ["PriceUSD", "TxTknCnt"] })
type Literals = Row<typeof literals>
expectTypeOf<Literals["asset"]>().toEqualTypeOf<string>()
expectTypeOf<Literals["time"]>().toEqualTypeOf<Timestamp.Timestamp>()
expectTypeOf<Literals["PriceUSD"]>().toEqualTypeOf<Value>()
expectTypeOf<Literals["TxTknCnt"]>().toEqualTypeOf<Value>()
expectTypeOf<Literals["PriceUSD-status"]>().toEqualTypeOf<Timeseries.ReviewStatus | null | undefined>()
expectTypeOf<Literals["PriceUSD-status-time"]>().toEqualTypeOf<Timestamp.Timestamp | null | undefined>()
// @ts-expect-error: a metric that was not asked for is no column
expectTypeOf<Literals["AdrActCnt"]>()
// @ts-expect-error: block keys come with frequency 1b alone
expectTypeOf<Literals["height"]>()

// One literal, a comma list, a constant, several of them, a mixture.
const one = Timeseries.assetMetrics({ assets: "btc", metrics: "PriceUSD" })
expectTypeOf<Row<typeof one>["PriceUSD"]>().toEqualTypeOf<Value>()
const comma = Timeseries.assetMetrics({ assets: "btc,eth", metrics: "PriceUSD,AdrActCnt" })
expectTypeOf<Row<typeof comma>["PriceUSD"]>().toEqualTypeOf<Value>()
expectTypeOf<Row<typeof comma>["AdrActCnt"]>().toEqualTypeOf<Value>()
// @ts-expect-error: the list itself is no column
expectTypeOf<Row<typeof comma>["PriceUSD,AdrActCnt"]>()
const constant = Timeseries.assetMetrics({ assets: "eth", metrics: TokenMetrics.TxERC20Cnt })
expectTypeOf<Row<typeof constant>["TxERC20Cnt"]>().toEqualTypeOf<Value>()
const four = Timeseries.assetMetrics({ assets: "eth", metrics: TokenMetrics.all })
expectTypeOf<keyof Row<typeof four> & `Tx${string}Cnt`>().toEqualTypeOf<
  "TxTknCnt" | "TxERC20Cnt" | "TxERC721Cnt" | "TxERC1155Cnt"
>()
const mixed = Timeseries.assetMetrics({ assets: "eth", metrics: [TokenMetrics.TxTknCnt, "PriceUSD"] })
expectTypeOf<Row<typeof mixed>["TxTknCnt"]>().toEqualTypeOf<Value>()
expectTypeOf<Row<typeof mixed>["PriceUSD"]>().toEqualTypeOf<Value>()

// Names known at run time only: any column, and the two that are always there.
declare const wide: ReadonlyArray<string>
const anything = Timeseries.assetMetrics({ assets: "eth", metrics: wide })
type Anything = Row<typeof anything>
expectTypeOf<Anything["asset"]>().toEqualTypeOf<string>()
expectTypeOf<Anything["time"]>().toExtend<Timestamp.Timestamp>()
expectTypeOf<Anything["Whatever"]>().toEqualTypeOf<Decimal.Decimal | string | null | undefined>()

// Frequency 1b adds the keys of blocks, any of which may be null or absent.
const blocks = Timeseries.assetMetrics({ assets: "btc", metrics: "BlkCnt", frequency: "1b" })
expectTypeOf<Row<typeof blocks>["height"]>().toEqualTypeOf<string | null | undefined>()
expectTypeOf<Row<typeof blocks>["block_hash"]>().toEqualTypeOf<string | null | undefined>()
expectTypeOf<Row<typeof blocks>["parent_block_hash"]>().toEqualTypeOf<string | null | undefined>()
const hourly = Timeseries.assetMetrics({ assets: "btc", metrics: "PriceUSD", frequency: "1h" })
// @ts-expect-error: block keys come with frequency 1b alone
expectTypeOf<Row<typeof hourly>["height"]>()
declare const frequency: string
const maybe = Timeseries.assetMetrics({ assets: "btc", metrics: "PriceUSD", frequency })
expectTypeOf<Row<typeof maybe>["height"]>().toEqualTypeOf<string | null | undefined>()

// The closed union of errors and the client, nothing else.
expectTypeOf(literals).toEqualTypeOf<Stream.Stream<Literals, ApiError.ApiError, Client.Client>>()

// Pages keep the record type.
const pages = Timeseries.assetMetrics.pages({ assets: "btc", metrics: ["PriceUSD"] })
expectTypeOf<Row<typeof pages>>().toExtend<Paging.Page<{ readonly asset: string }>>()
expectTypeOf<Row<typeof pages>["data"][number]["PriceUSD"]>().toEqualTypeOf<Value>()
expectTypeOf(pages).toExtend<Stream.Stream<unknown, ApiError.ApiError, Client.Client>>()

// A request keeps its metrics and its frequency as they were written.
expectTypeOf<Flat<Timeseries.AssetMetricsRequest<"PriceUSD", "1h">>>().toEqualTypeOf<
  Flat<
    Omit<Timeseries.AssetMetricsParams, "metrics" | "frequency"> & {
      readonly metrics: "PriceUSD" | ReadonlyArray<"PriceUSD">
      readonly frequency?: "1h" | undefined
    }
  >
>()

// A constant says what it counts.
interface TokenMetric<Id extends string> {
  readonly id: Id
  readonly name: string
  readonly unit: "Transactions" | "Transfers"
  readonly interval: "1d"
  readonly assets: ReadonlyArray<string>
  readonly counts: string
  readonly release: string
}
expectTypeOf(TokenMetrics.TxTknCnt).toEqualTypeOf<TokenMetric<"TxTknCnt">>()
expectTypeOf(TokenMetrics.TxERC20Cnt).toEqualTypeOf<TokenMetric<"TxERC20Cnt">>()
expectTypeOf(TokenMetrics.TxERC721Cnt).toEqualTypeOf<TokenMetric<"TxERC721Cnt">>()
expectTypeOf(TokenMetrics.TxERC1155Cnt).toEqualTypeOf<TokenMetric<"TxERC1155Cnt">>()

import {
  type ApiError,
  Bulk,
  type Client,
  type Decimal,
  type Endpoint,
  ReferenceData,
  Timeseries,
  TokenMetrics
} from "@sluice/core"
import type * as Arr from "effect/Array"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import { expectTypeOf } from "vitest"
import type { Row } from "./Wire.ts"

type Parts<S> = S extends Effect.Effect<infer A, infer _E, infer _R> ? A : never
declare const partsOf: <A, E, R>(split: Effect.Effect<A, E, R>) => A

type Value = Decimal.Decimal | null | undefined

// Parts of an endpoint with one type of record.
const pairs = Bulk.split(ReferenceData.pairs, { pairs: ["btc-usd", "eth-usd"] }, { by: "pairs", size: 1 })
expectTypeOf<Effect.Error<typeof pairs>>().toEqualTypeOf<Bulk.BadSplit | ApiError.InvalidRequest>()
expectTypeOf<Effect.Services<typeof pairs>>().toEqualTypeOf<never>()
expectTypeOf<Parts<typeof pairs>[number]["index"]>().toEqualTypeOf<number>()
expectTypeOf<Parts<typeof pairs>[number]["params"]["pairs"]>().toEqualTypeOf<ReadonlyArray<"btc-usd" | "eth-usd">>()
const pairRecords = Bulk.records(ReferenceData.pairs, partsOf(pairs), { concurrency: 3, order: "parts" })
expectTypeOf(pairRecords).toEqualTypeOf<Stream.Stream<ReferenceData.Pair, Bulk.PartFailed, Client.Client>>()
const pairPart = Bulk.read(ReferenceData.pairs, partsOf(pairs)[0]!)
expectTypeOf(pairPart).toEqualTypeOf<Endpoint.Records<ReferenceData.Pair>>()

// Exactly the columns that were asked for, through a split and back.
const prices = Bulk.split(
  Timeseries.assetMetrics,
  { assets: "btc,eth", metrics: ["PriceUSD", TokenMetrics.TxTknCnt], start_time: "2024-01-01", end_time: "2025-01-01" },
  { by: "assets", every: "30 days" }
)
type PriceParams = Parts<typeof prices>[number]["params"]
expectTypeOf<PriceParams["assets"]>().toEqualTypeOf<ReadonlyArray<"btc" | "eth">>()
expectTypeOf<PriceParams["metrics"]>().toEqualTypeOf<ReadonlyArray<"PriceUSD" | "TxTknCnt">>()
expectTypeOf<PriceParams["start_time"]>().toEqualTypeOf<string>()
const priceRecords = Bulk.records(Timeseries.assetMetrics, partsOf(prices))
expectTypeOf<Row<typeof priceRecords>["asset"]>().toEqualTypeOf<string>()
expectTypeOf<Row<typeof priceRecords>["PriceUSD"]>().toEqualTypeOf<Value>()
expectTypeOf<Row<typeof priceRecords>["TxTknCnt"]>().toEqualTypeOf<Value>()
// @ts-expect-error: a metric that was not asked for is no column
expectTypeOf<Row<typeof priceRecords>["AdrActCnt"]>()
// @ts-expect-error: block keys come with frequency 1b alone
expectTypeOf<Row<typeof priceRecords>["height"]>()
const blocks = Bulk.split(Timeseries.assetMetrics, { assets: ["btc"], metrics: ["BlkCnt"], frequency: "1b" })
const blockRecords = Bulk.records(Timeseries.assetMetrics, partsOf(blocks))
expectTypeOf<Row<typeof blockRecords>["height"]>().toEqualTypeOf<string | null | undefined>()
const included = Bulk.split(ReferenceData.assets, { assets: ["btc"], include: ["talos"] }, { by: "assets" })
const includedRecords = Bulk.records(ReferenceData.assets, partsOf(included))
expectTypeOf<Row<typeof includedRecords>["talos"]>().toEqualTypeOf<
  ReadonlyArray<ReferenceData.AssetProvider> | null | undefined
>()

// What became of a part keeps its parameters and the type of its records, and nothing fails.
const settled = Bulk.settled(ReferenceData.pairs, partsOf(pairs))
type PairParams = Parts<typeof pairs>[number]["params"]
expectTypeOf(settled).toEqualTypeOf<Stream.Stream<Bulk.Settled<ReferenceData.Pair, PairParams>, never, Client.Client>>()
type Some = Extract<Row<typeof settled>, { readonly _tag: "Records" }>
expectTypeOf<Some["records"]>().toEqualTypeOf<Arr.NonEmptyReadonlyArray<ReferenceData.Pair>>()
expectTypeOf<Extract<Row<typeof settled>, { readonly _tag: "Failed" }>["error"]>().toEqualTypeOf<ApiError.ApiError>()

// An endpoint known as data only takes any parameters and gives records of no known type.
declare const any: Endpoint.Any
declare const params: Readonly<Record<string, unknown>>
declare const by: string
const unknown = Bulk.split(any, params, { by, size: Infinity, every: "1 hour" })
expectTypeOf<Parts<typeof unknown>>().toEqualTypeOf<ReadonlyArray<Bulk.Part>>()
const unknownRecords = Bulk.records(any, partsOf(unknown))
expectTypeOf(unknownRecords).toEqualTypeOf<Stream.Stream<unknown, Bulk.PartFailed, Client.Client>>()
expectTypeOf<Row<ReturnType<typeof unknownSettled>>>().toEqualTypeOf<Bulk.Settled<unknown>>()
const unknownSettled = () => Bulk.settled(any, partsOf(unknown))
const unknownPart = Bulk.read(any, partsOf(unknown)[0]!)
expectTypeOf(unknownPart).toEqualTypeOf<Endpoint.Records<unknown>>()
expectTypeOf<typeof Bulk.Part.Type>().toEqualTypeOf<Bulk.Part>()

// What a call refuses a split refuses, and only lists can be split by.
// @ts-expect-error: a parameter nobody knows
Bulk.split(ReferenceData.pairs, { pair: "btc-usd" })
// @ts-expect-error: metrics are required
Bulk.split(Timeseries.assetMetrics, { assets: "btc" })
// @ts-expect-error: there is no list of that name
Bulk.split(ReferenceData.pairs, { pairs: "btc-usd" }, { by: "pair" })
// @ts-expect-error: parts of one endpoint are not parts of another
Bulk.records(ReferenceData.assets, partsOf(pairs))

// What the compiler must know of the endpoints without Effect. `check` compiles this file; nothing runs it.
import type {
  BlockchainJobs,
  BlockchainV2,
  Decimal,
  Endpoints,
  Job,
  Paging,
  ReferenceData,
  Timeseries,
  Timestamp
} from "@sluice/core"
import { TokenMetrics } from "@sluice/core"
import { type Call, type Records, Sluice, type Source } from "@sluice/promise"
import { expectTypeOf } from "vitest"

type Row<S> = S extends Source<infer A> ? A : never
type Value = Decimal.Decimal | null | undefined

const sluice = await Sluice.open({ apiKey: "key", retry: { times: 2 } })

// No endpoint is lost on the way, whatever its interface is.
type Sections = typeof Endpoints.sections
type Lost = {
  [S in keyof Sections]: {
    [E in keyof Sections[S] as Sections[S][E] extends { readonly reply: "list" | "record" | "job" } ? E : never]: [
      Call<Sections[S][E]>
    ] extends [never]
      ? E
      : never
  }[keyof {
    [E in keyof Sections[S] as Sections[S][E] extends { readonly reply: "list" | "record" | "job" } ? E : never]: E
  }]
}[keyof Sections]
expectTypeOf<Lost>().toEqualTypeOf<never>()

// The columns asked for are those of the record.
const prices = sluice.timeseries.assetMetrics({
  assets: ["btc"],
  metrics: ["PriceUSD", TokenMetrics.TxTknCnt],
  start_time: new Date(0),
  end_time: "2026-01-01"
})
expectTypeOf<Row<typeof prices>["PriceUSD"]>().toEqualTypeOf<Value>()
expectTypeOf<Row<typeof prices>["TxTknCnt"]>().toEqualTypeOf<Value>()
expectTypeOf<Row<typeof prices>["time"]>().toEqualTypeOf<Timestamp.Timestamp>()
// @ts-expect-error: a metric that was not asked for is no column
expectTypeOf<Row<typeof prices>["AdrActCnt"]>()
// @ts-expect-error: block keys come with frequency 1b alone
expectTypeOf<Row<typeof prices>["height"]>()
const blocks = sluice.timeseries.assetMetrics({ assets: "btc", metrics: "BlkCnt", frequency: "1b" })
expectTypeOf<Row<typeof blocks>["height"]>().toEqualTypeOf<string | null | undefined>()

const pairs = sluice.timeseries.pairMetrics({ pairs: ["btc-usd"], metrics: ["volume_reported_spot_usd_1h"] })
expectTypeOf<Row<typeof pairs>["pair"]>().toEqualTypeOf<string>()
expectTypeOf<Row<typeof pairs>["volume_reported_spot_usd_1h"]>().toEqualTypeOf<Value>()
const protocols = sluice.timeseries.protocolMetrics({
  frequency: "1d",
  metrics: ["borrow_usd"],
  start_time: new Date(0)
})
expectTypeOf<Row<typeof protocols>["borrow_usd"]>().toEqualTypeOf<Value>()
expectTypeOf<Row<typeof protocols>["protocol"]>().toEqualTypeOf<string>()

// An array of a provider comes with its namespace.
const included = sluice.referenceData.assets({ include: ["talos"] })
expectTypeOf<Row<typeof included>["talos"]>().toEqualTypeOf<
  ReadonlyArray<ReferenceData.AssetProvider> | null | undefined
>()
// @ts-expect-error: it was not asked for
expectTypeOf<Row<ReturnType<typeof plain>>["talos"]>()
const plain = () => sluice.referenceData.assets()

// Records of one type, pages of them, and what is one record.
const candles = sluice.timeseries.marketCandles({ markets: ["coinbase-btc-usd-spot"], start_time: new Date(0) })
expectTypeOf(candles).toEqualTypeOf<Records<Timeseries.MarketCandle, Timeseries.MarketCandlesParams>>()
expectTypeOf(candles.pages()).toEqualTypeOf<Source<Paging.Page<Timeseries.MarketCandle>>>()
expectTypeOf(candles.batches()).toEqualTypeOf<Source<ReadonlyArray<Timeseries.MarketCandle>>>()
expectTypeOf(candles.toArray()).toEqualTypeOf<Promise<Array<Timeseries.MarketCandle>>>()
expectTypeOf(candles.split({ by: "markets", every: "1 day" })).toEqualTypeOf<Source<Timeseries.MarketCandle>>()
expectTypeOf(sluice.blockchainV2.block({ asset: "btc", block_hash: "00" })).toEqualTypeOf<
  Promise<BlockchainV2.FullBlock>
>()

// A job: its records, its start, and its results.
const { accountBalances } = sluice.blockchainJobs
const ask = { assets: "btc", accounts: ["a"], at_time: new Date(0) }
expectTypeOf(accountBalances(ask)).toEqualTypeOf<Source<BlockchainJobs.AccountBalance>>()
expectTypeOf(accountBalances.submit(ask)).toEqualTypeOf<Promise<Job.Submitted>>()
expectTypeOf(accountBalances.results("id", { poll: { cap: "1 minute" } })).toEqualTypeOf<
  Source<BlockchainJobs.AccountBalance>
>()
// @ts-expect-error: accounts are required
accountBalances({ assets: "btc" })

// @ts-expect-error: a parameter nobody knows
sluice.referenceData.pairs({ pair: "btc-usd" })
// @ts-expect-error: metrics are required
sluice.timeseries.assetMetrics({ assets: "btc" })
// @ts-expect-error: parameters are required
sluice.timeseries.marketCandles()
// @ts-expect-error: there is no list of that name
candles.split({ by: "market" })
// @ts-expect-error: the request of a download is the call
candles.download({ to: "x", format: { as: "csv" }, params: {} })
// @ts-expect-error: a name is no moment
sluice.timeseries.marketCandles({ markets: new Date() })
// @ts-expect-error: only endpoints are there
expectTypeOf(sluice.timeseries.AssetMetricsParams)

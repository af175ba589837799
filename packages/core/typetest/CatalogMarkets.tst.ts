import { type ApiError, Catalog, type Client, type Endpoint, Identifier } from "@sluice/core"
import type * as Stream from "effect/Stream"
import { expectTypeOf } from "vitest"
import type * as Records from "./Records.ts"
import type { FrequencyRange, MetricRange, TimeRange } from "./Records.ts"
import type { Format, List, Offered, Open, Pretty } from "./Wire.ts"

// Records of docs/interface.md 4.5 and 3.10.
interface Market extends Records.Market, TimeRange {
  readonly trades?: TimeRange | null
  readonly orderbooks?: TimeRange | null
  readonly quotes?: TimeRange | null
  readonly funding_rates?: TimeRange | null
  readonly openinterest?: TimeRange | null
  readonly liquidations?: TimeRange | null
}

interface MarketSeries extends TimeRange {
  readonly market: string
}

interface MarketCandles {
  readonly market: string
  readonly frequencies?: ReadonlyArray<FrequencyRange> | null
}

interface DatasetRange extends TimeRange {
  readonly dataset?: string | null
}

interface DepthRange extends TimeRange {
  readonly depth?: string | null
  readonly datasets?: ReadonlyArray<DatasetRange> | null
}

interface MarketOrderbooks extends TimeRange {
  readonly market: string
  readonly depths?: ReadonlyArray<DepthRange> | null
}

interface MarketMetrics {
  readonly market: string
  readonly metrics?: ReadonlyArray<MetricRange> | null
}

interface MarketFilters extends Pretty, Format {
  readonly markets?: List | undefined
  readonly exchange?: string | undefined
  readonly type?: Open<"spot" | "future" | "option" | "bond"> | undefined
  readonly base?: string | undefined
  readonly quote?: string | undefined
  readonly asset?: string | undefined
  readonly symbol?: string | undefined
  readonly limit?: number | "none" | `${number}` | undefined
}

type Kind = "trades" | "orderbooks" | "quotes" | "funding_rates" | "openinterest" | "liquidations"

interface MarketsParams extends MarketFilters {
  readonly include?: Kind | ReadonlyArray<Kind> | undefined
  readonly exclude?: Kind | ReadonlyArray<Kind> | undefined
}

expectTypeOf<Catalog.Market>().toEqualTypeOf<Market>()
expectTypeOf<Catalog.MarketSeries>().toEqualTypeOf<MarketSeries>()
expectTypeOf<Catalog.MarketCandles>().toEqualTypeOf<MarketCandles>()
expectTypeOf<Catalog.DatasetRange>().toEqualTypeOf<DatasetRange>()
expectTypeOf<Catalog.DepthRange>().toEqualTypeOf<DepthRange>()
expectTypeOf<Catalog.MarketOrderbooks>().toEqualTypeOf<MarketOrderbooks>()
expectTypeOf<Catalog.MarketMetrics>().toEqualTypeOf<MarketMetrics>()
expectTypeOf<Catalog.MarketFilters>().toEqualTypeOf<MarketFilters>()
expectTypeOf<Catalog.MarketSeriesParams>().toEqualTypeOf<MarketFilters>()
expectTypeOf<Catalog.MarketsParams>().toEqualTypeOf<MarketsParams>()

// Parameters and record of each endpoint.
type Filtered<A> = Endpoint.Endpoint<MarketFilters, A>
expectTypeOf(Catalog.markets).toEqualTypeOf<Endpoint.Endpoint<MarketsParams, Market>>()
expectTypeOf(Catalog.marketTrades).toEqualTypeOf<Filtered<MarketSeries>>()
expectTypeOf(Catalog.marketCandles).toEqualTypeOf<Filtered<MarketCandles>>()
expectTypeOf(Catalog.marketOrderbooks).toEqualTypeOf<Filtered<MarketOrderbooks>>()
expectTypeOf(Catalog.marketQuotes).toEqualTypeOf<Filtered<MarketSeries>>()
expectTypeOf(Catalog.marketFundingRates).toEqualTypeOf<Filtered<MarketSeries>>()
expectTypeOf(Catalog.marketContractPrices).toEqualTypeOf<Filtered<MarketSeries>>()
expectTypeOf(Catalog.marketImpliedVolatility).toEqualTypeOf<Filtered<MarketSeries>>()
expectTypeOf(Catalog.marketGreeks).toEqualTypeOf<Filtered<MarketSeries>>()
expectTypeOf(Catalog.marketOpeninterest).toEqualTypeOf<Filtered<MarketSeries>>()
expectTypeOf(Catalog.marketLiquidations).toEqualTypeOf<Filtered<MarketSeries>>()
expectTypeOf(Catalog.marketMetrics).toEqualTypeOf<Filtered<MarketMetrics>>()

// Every filter is optional; the closed union of errors and the client, nothing else, whatever the format.
expectTypeOf(Catalog.markets()).toEqualTypeOf<Stream.Stream<Market, ApiError.ApiError, Client.Client>>()
expectTypeOf(Catalog.markets({ format: "json_stream" })).toEqualTypeOf<Endpoint.Records<Market>>()
expectTypeOf(Catalog.marketTrades({ limit: 10 })).toEqualTypeOf<
  Stream.Stream<MarketSeries, ApiError.ApiError, Client.Client>
>()
expectTypeOf(Catalog.marketMetrics.pages({ limit: "none" })).toEqualTypeOf<Endpoint.Pages<MarketMetrics>>()

// Lists take one name, a comma list, several, and identifiers.
const coinbase = Identifier.bySymbolUnsafe("talos", "coinbase", "BTC-USD")
Catalog.markets({ markets: coinbase, include: "trades", exclude: ["quotes", "liquidations"] })
Catalog.marketTrades({ markets: [coinbase, Identifier.byIdUnsafe("talos", 1001, 24n), "kraken-btc-usd-spot"] })
Catalog.marketGreeks({ markets: "a,b", exchange: "deribit", type: "option", base: "btc", quote: "usd", format: "json" })

// Known types are offered, others are accepted.
expectTypeOf<Offered<Catalog.MarketFilters["type"]>>().toEqualTypeOf<"spot" | "future" | "option" | "bond">()
expectTypeOf<Offered<Catalog.Market["type"]>>().toEqualTypeOf<"spot" | "future" | "option" | "bond">()
expectTypeOf<string>().toExtend<Catalog.Market["type"]>()
declare const anyType: string
Catalog.marketTrades({ type: anyType })

// @ts-expect-error: one of six kinds of data
Catalog.markets({ include: "candles" })
// @ts-expect-error: one of six kinds of data
Catalog.markets({ exclude: ["trades", "metrics"] })
// @ts-expect-error: several words are an array
Catalog.markets({ include: "trades,quotes" })
// @ts-expect-error: only the catalog of all kinds of data has parts to choose
Catalog.marketTrades({ include: "trades" })
// The service's own form of a limit is text.
Catalog.markets({ limit: "10" })
// @ts-expect-error: a number, or the word none
Catalog.marketQuotes({ limit: "all" })
// @ts-expect-error: csv is not offered
Catalog.markets({ format: "csv" })
// @ts-expect-error: pages are json, so there is no format to choose
Catalog.marketTrades.pages({ format: "json_stream" })
// @ts-expect-error: a catalog comes whole
Catalog.markets({ page_size: 10 })
// @ts-expect-error: a filter of reference data alone
Catalog.markets({ publisher: "p" })
// @ts-expect-error: one exchange
Catalog.marketOrderbooks({ exchange: ["coinbase", "kraken"] })

import { type ApiError, Catalog, type Client, type Endpoint, Identifier } from "@sluice/core"
import type * as Stream from "effect/Stream"
import { expectTypeOf } from "vitest"
import type { Frequency, FrequencyRange, Metric, MetricRange, TimeRange } from "./Records.ts"
import type { List, Members, Offered, Pretty, Taking } from "./Wire.ts"

// Records of docs/interface.md 4.5; those of markets have a file of their own.
interface AssetFrequencyRange extends FrequencyRange {
  readonly min_height?: string | null
  readonly max_height?: string | null
  readonly min_hash?: string | null
  readonly max_hash?: string | null
  readonly community?: boolean | null
  readonly experimental?: boolean | null
}

interface AssetMetricRange {
  readonly metric?: string | null
  readonly frequencies?: ReadonlyArray<AssetFrequencyRange> | null
}

interface Asset {
  readonly asset: string
  readonly full_name?: string | null
  readonly experimental?: boolean | null
  readonly metrics?: ReadonlyArray<AssetMetricRange> | null
  readonly exchanges?: ReadonlyArray<string> | null
  readonly markets?: ReadonlyArray<string> | null
  readonly atlas?: boolean | null
}

interface AlertCondition {
  readonly description?: string | null
  readonly threshold?: string | null
  readonly constituents?: ReadonlyArray<string> | null
}

interface AssetAlert {
  readonly asset: string
  readonly name: string
  readonly conditions?: ReadonlyArray<AlertCondition> | null
}

interface AssetSeries extends TimeRange {
  readonly asset: string
}

interface AssetFrequency {
  readonly frequency?: Frequency | null
  readonly assets?: ReadonlyArray<string> | null
}

interface AssetMetric extends Metric {
  readonly frequencies?: ReadonlyArray<AssetFrequency> | null
}

interface ExchangeFrequency {
  readonly frequency?: Frequency | null
  readonly exchanges?: ReadonlyArray<string> | null
}

interface ExchangeMetric extends Metric {
  readonly frequencies?: ReadonlyArray<ExchangeFrequency> | null
}

interface ExchangeAssetFrequency {
  readonly frequency?: Frequency | null
  readonly exchange_assets?: ReadonlyArray<string> | null
}

interface ExchangeAssetMetric extends Metric {
  readonly frequencies?: ReadonlyArray<ExchangeAssetFrequency> | null
}

interface PairFrequency {
  readonly frequency?: Frequency | null
  readonly pairs?: ReadonlyArray<string> | null
}

interface PairMetric extends Metric {
  readonly frequencies?: ReadonlyArray<PairFrequency> | null
}

interface InstitutionFrequency {
  readonly frequency?: Frequency | null
  readonly institutions?: ReadonlyArray<string> | null
}

interface InstitutionMetric extends Metric {
  readonly frequencies?: ReadonlyArray<InstitutionFrequency> | null
}

interface Exchange extends TimeRange {
  readonly exchange: string
  readonly markets?: ReadonlyArray<string> | null
  readonly metrics?: ReadonlyArray<MetricRange> | null
}

interface ExchangeAsset {
  readonly exchange_asset: string
  readonly metrics?: ReadonlyArray<MetricRange> | null
}

interface Institution {
  readonly institution: string
  readonly metrics?: ReadonlyArray<MetricRange> | null
}

interface Pair {
  readonly pair: string
  readonly full_name?: string | null
  readonly metrics?: ReadonlyArray<MetricRange> | null
}

interface PairCandles {
  readonly pair: string
  readonly frequencies?: ReadonlyArray<FrequencyRange> | null
}

interface Index {
  readonly index: string
  readonly full_name?: string | null
  readonly description?: string | null
  readonly frequencies?: ReadonlyArray<FrequencyRange> | null
  readonly type?: string | null
}

interface IndexCandles {
  readonly index: string
  readonly frequencies?: ReadonlyArray<FrequencyRange> | null
}

expectTypeOf<Catalog.TimeRange>().toEqualTypeOf<TimeRange>()
expectTypeOf<Catalog.FrequencyRange>().toEqualTypeOf<FrequencyRange>()
expectTypeOf<Catalog.MetricRange>().toEqualTypeOf<MetricRange>()
expectTypeOf<Catalog.AssetFrequencyRange>().toEqualTypeOf<AssetFrequencyRange>()
expectTypeOf<Catalog.AssetMetricRange>().toEqualTypeOf<AssetMetricRange>()
expectTypeOf<Catalog.Asset>().toEqualTypeOf<Asset>()
expectTypeOf<Catalog.AlertCondition>().toEqualTypeOf<AlertCondition>()
expectTypeOf<Catalog.AssetAlert>().toEqualTypeOf<AssetAlert>()
expectTypeOf<Catalog.AssetSeries>().toEqualTypeOf<AssetSeries>()
expectTypeOf<Catalog.AssetFrequency>().toEqualTypeOf<AssetFrequency>()
expectTypeOf<Catalog.AssetMetric>().toEqualTypeOf<AssetMetric>()
expectTypeOf<Catalog.ExchangeFrequency>().toEqualTypeOf<ExchangeFrequency>()
expectTypeOf<Catalog.ExchangeMetric>().toEqualTypeOf<ExchangeMetric>()
expectTypeOf<Catalog.ExchangeAssetFrequency>().toEqualTypeOf<ExchangeAssetFrequency>()
expectTypeOf<Catalog.ExchangeAssetMetric>().toEqualTypeOf<ExchangeAssetMetric>()
expectTypeOf<Catalog.PairFrequency>().toEqualTypeOf<PairFrequency>()
expectTypeOf<Catalog.PairMetric>().toEqualTypeOf<PairMetric>()
expectTypeOf<Catalog.InstitutionFrequency>().toEqualTypeOf<InstitutionFrequency>()
expectTypeOf<Catalog.InstitutionMetric>().toEqualTypeOf<InstitutionMetric>()
expectTypeOf<Catalog.Exchange>().toEqualTypeOf<Exchange>()
expectTypeOf<Catalog.ExchangeAsset>().toEqualTypeOf<ExchangeAsset>()
expectTypeOf<Catalog.Institution>().toEqualTypeOf<Institution>()
expectTypeOf<Catalog.Pair>().toEqualTypeOf<Pair>()
expectTypeOf<Catalog.PairCandles>().toEqualTypeOf<PairCandles>()
expectTypeOf<Catalog.Index>().toEqualTypeOf<Index>()
expectTypeOf<Catalog.IndexCandles>().toEqualTypeOf<IndexCandles>()

type Part = "metrics" | "markets" | "exchanges"

interface AssetsParams extends Pretty {
  readonly assets?: List | undefined
  readonly include?: Part | ReadonlyArray<Part> | undefined
  readonly exclude?: Part | ReadonlyArray<Part> | undefined
}

interface AssetAlertsParams extends Pretty {
  readonly assets?: List | undefined
  readonly alerts?: List | undefined
}

interface AssetSeriesParams extends Pretty {
  readonly assets?: List | undefined
}

interface MetricsParams extends Pretty {
  readonly metrics?: List | undefined
  readonly reviewable?: boolean | undefined
}

interface ExchangesParams extends Pretty {
  readonly exchanges?: List | undefined
}

interface ExchangeAssetsParams extends Pretty {
  readonly exchange_assets?: List | undefined
}

interface InstitutionsParams extends Pretty {
  readonly institutions?: List | undefined
}

interface PairsParams extends Pretty {
  readonly pairs?: List | undefined
}

interface IndexesParams extends Pretty {
  readonly indexes?: List | undefined
}

expectTypeOf<Catalog.AssetsParams>().toEqualTypeOf<AssetsParams>()
expectTypeOf<Catalog.AssetAlertsParams>().toEqualTypeOf<AssetAlertsParams>()
expectTypeOf<Catalog.AssetSeriesParams>().toEqualTypeOf<AssetSeriesParams>()
expectTypeOf<Catalog.MetricsParams>().toEqualTypeOf<MetricsParams>()
expectTypeOf<Catalog.ExchangesParams>().toEqualTypeOf<ExchangesParams>()
expectTypeOf<Catalog.ExchangeAssetsParams>().toEqualTypeOf<ExchangeAssetsParams>()
expectTypeOf<Catalog.InstitutionsParams>().toEqualTypeOf<InstitutionsParams>()
expectTypeOf<Catalog.PairsParams>().toEqualTypeOf<PairsParams>()
expectTypeOf<Catalog.IndexesParams>().toEqualTypeOf<IndexesParams>()

// Parameters and record of each endpoint.
expectTypeOf(Catalog.assets).toEqualTypeOf<Endpoint.Endpoint<AssetsParams, Asset>>()
expectTypeOf(Catalog.assetAlerts).toEqualTypeOf<Endpoint.Endpoint<AssetAlertsParams, AssetAlert>>()
expectTypeOf(Catalog.assetChains).toEqualTypeOf<Endpoint.Endpoint<AssetSeriesParams, AssetSeries>>()
expectTypeOf(Catalog.mempoolFeerates).toEqualTypeOf<Endpoint.Endpoint<AssetSeriesParams, AssetSeries>>()
expectTypeOf(Catalog.miningPoolTipsSummary).toEqualTypeOf<Endpoint.Endpoint<AssetSeriesParams, AssetSeries>>()
expectTypeOf(Catalog.transactionTracker).toEqualTypeOf<Endpoint.Endpoint<AssetSeriesParams, AssetSeries>>()
expectTypeOf(Catalog.metrics).toEqualTypeOf<Endpoint.Endpoint<MetricsParams, AssetMetric>>()
expectTypeOf(Catalog.assetMetrics).toEqualTypeOf<Endpoint.Endpoint<MetricsParams, AssetMetric>>()
expectTypeOf(Catalog.exchangeMetrics).toEqualTypeOf<Endpoint.Endpoint<MetricsParams, ExchangeMetric>>()
expectTypeOf(Catalog.exchangeAssetMetrics).toEqualTypeOf<Endpoint.Endpoint<MetricsParams, ExchangeAssetMetric>>()
expectTypeOf(Catalog.pairMetrics).toEqualTypeOf<Endpoint.Endpoint<MetricsParams, PairMetric>>()
expectTypeOf(Catalog.institutionMetrics).toEqualTypeOf<Endpoint.Endpoint<MetricsParams, InstitutionMetric>>()
expectTypeOf(Catalog.exchanges).toEqualTypeOf<Endpoint.Endpoint<ExchangesParams, Exchange>>()
expectTypeOf(Catalog.exchangeAssets).toEqualTypeOf<Endpoint.Endpoint<ExchangeAssetsParams, ExchangeAsset>>()
expectTypeOf(Catalog.institutions).toEqualTypeOf<Endpoint.Endpoint<InstitutionsParams, Institution>>()
expectTypeOf(Catalog.pairs).toEqualTypeOf<Endpoint.Endpoint<PairsParams, Pair>>()
expectTypeOf(Catalog.pairCandles).toEqualTypeOf<Endpoint.Endpoint<PairsParams, PairCandles>>()
expectTypeOf(Catalog.indexes).toEqualTypeOf<Endpoint.Endpoint<IndexesParams, Index>>()
expectTypeOf(Catalog.indexCandles).toEqualTypeOf<Endpoint.Endpoint<IndexesParams, IndexCandles>>()

// Those, the ones of markets, and no other.
type OfMarkets =
  | "markets"
  | "marketTrades"
  | "marketCandles"
  | "marketOrderbooks"
  | "marketQuotes"
  | "marketFundingRates"
  | "marketContractPrices"
  | "marketImpliedVolatility"
  | "marketGreeks"
  | "marketOpeninterest"
  | "marketLiquidations"
  | "marketMetrics"
type OfOthers =
  | "assets"
  | "assetAlerts"
  | "assetChains"
  | "mempoolFeerates"
  | "miningPoolTipsSummary"
  | "transactionTracker"
  | "metrics"
  | "assetMetrics"
  | "exchangeMetrics"
  | "exchangeAssetMetrics"
  | "pairMetrics"
  | "institutionMetrics"
  | "exchanges"
  | "exchangeAssets"
  | "institutions"
  | "pairs"
  | "pairCandles"
  | "indexes"
  | "indexCandles"
expectTypeOf<keyof Members<typeof Catalog>>().toEqualTypeOf<OfMarkets | OfOthers>()
expectTypeOf<Taking<typeof Catalog, "pretty">>().toEqualTypeOf<OfMarkets | OfOthers>()
expectTypeOf<Taking<typeof Catalog, "format">>().toEqualTypeOf<OfMarkets>()
expectTypeOf<Taking<typeof Catalog, "limit">>().toEqualTypeOf<OfMarkets>()
expectTypeOf<Taking<typeof Catalog, "include">>().toEqualTypeOf<"assets" | "markets">()
expectTypeOf<Taking<typeof Catalog, "exclude">>().toEqualTypeOf<"assets" | "markets">()
expectTypeOf<Taking<typeof Catalog, "page_size">>().toEqualTypeOf<never>()
expectTypeOf<Taking<typeof Catalog, "paging_from">>().toEqualTypeOf<never>()
expectTypeOf<Taking<typeof Catalog, "next_page_token">>().toEqualTypeOf<never>()

// Every filter is optional; the closed union of errors and the client, nothing else.
expectTypeOf(Catalog.assets()).toEqualTypeOf<Stream.Stream<Asset, ApiError.ApiError, Client.Client>>()
expectTypeOf(Catalog.metrics({})).toEqualTypeOf<Stream.Stream<AssetMetric, ApiError.ApiError, Client.Client>>()
expectTypeOf(Catalog.indexes.pages()).toEqualTypeOf<Endpoint.Pages<Index>>()

// Lists take one name, a comma list, several, and identifiers.
Catalog.assets({ assets: [Identifier.bySymbolUnsafe("talos", "BTC"), "eth"], include: "metrics" })
Catalog.assets({ assets: Identifier.byIdUnsafe("talos", 24), include: ["metrics", "markets"], exclude: ["exchanges"] })
Catalog.assetAlerts({ assets: Identifier.byNameUnsafe("btc"), alerts: ["assets_v4_reorg", "hash_rate"] })
Catalog.assetChains({ assets: [Identifier.byNameUnsafe("btc")] })
Catalog.mempoolFeerates({ assets: [Identifier.byNameUnsafe("btc")] })
Catalog.miningPoolTipsSummary({ assets: [Identifier.byNameUnsafe("btc")] })
Catalog.transactionTracker({ assets: [Identifier.byNameUnsafe("btc")], pretty: true })
Catalog.exchanges({ exchanges: [Identifier.bySymbolUnsafe("talos", "coinbase"), "binance"] })
Catalog.metrics({ metrics: "PriceUSD,AdrActCnt", reviewable: true }, { retry: undefined, query: { brand_new: "x" } })

// Known frequencies are offered, others are accepted.
type AnyFrequency = Exclude<Catalog.FrequencyRange["frequency"], null | undefined>
expectTypeOf<Offered<AnyFrequency>>().toEqualTypeOf<Offered<Frequency>>()
expectTypeOf<"1d">().toExtend<Offered<AnyFrequency>>()
expectTypeOf<string>().toExtend<AnyFrequency>()

// @ts-expect-error: metrics, markets or exchanges
Catalog.assets({ include: "trades" })
// @ts-expect-error: metrics, markets or exchanges
Catalog.assets({ exclude: ["metrics", "full_name"] })
// @ts-expect-error: several words are an array
Catalog.assets({ include: "metrics,markets" })
// @ts-expect-error: only assets and markets have parts to choose
Catalog.exchanges({ include: "markets" })
// @ts-expect-error: only markets are offered as lines
Catalog.assets({ format: "json_stream" })
// @ts-expect-error: only markets are offered as lines
Catalog.indexes({ format: "json" })
// @ts-expect-error: only catalogs of markets have a limit
Catalog.pairs({ limit: 1 })
// @ts-expect-error: a catalog comes whole
Catalog.assets({ page_size: 10 })
// @ts-expect-error: a catalog comes whole
Catalog.assets.pages({ page_size: 10 })
// @ts-expect-error: a catalog comes whole
Catalog.institutions({ paging_from: "end" })
// @ts-expect-error: a catalog comes whole
Catalog.metrics({ next_page_token: "t" })
// @ts-expect-error: true or false
Catalog.pairMetrics({ reviewable: "true" })
// @ts-expect-error: alerts have assets and names
Catalog.assetChains({ alerts: "a" })

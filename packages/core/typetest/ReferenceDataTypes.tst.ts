import {
  type ApiError,
  type Client,
  type Decimal,
  type Endpoint,
  Identifier,
  ReferenceData,
  type Timestamp
} from "@sluice/core"
import type { IncludingEndpoint } from "@sluice/core/endpoints/ReferenceData"
import type * as Stream from "effect/Stream"
import { expectTypeOf } from "vitest"
import type { Market, Metric } from "./Records.ts"
import type { Flat, Format, List, Members, Offered, Open, Paging, Row } from "./Wire.ts"

// Records of docs/interface.md 3.2 to 3.6.
interface Asset {
  readonly asset: string
  readonly full_name?: string | null
}

interface AssetProvider {
  readonly cm_ext_asset?: string | null
  readonly cm_ext_asset_by_id?: string | null
  readonly symbol?: string | null
  readonly currency_id?: number | string | null
  readonly description?: string | null
  readonly alias_for_currency?: string | null
  readonly alias_for_chain_symbol?: string | null
}

interface Exchange {
  readonly exchange: string
  readonly full_name?: string | null
}

interface ExchangeCapabilities {
  readonly transfers?: boolean | null
  readonly market_data?: boolean | null
  readonly orders?: boolean | null
  readonly balances?: boolean | null
}

interface ExchangeFlags {
  readonly supports_margin_cost?: boolean | null
  readonly supports_reduce_only?: boolean | null
  readonly supports_native_counter_currency?: boolean | null
  readonly orders_fill_at_requested_price?: boolean | null
  readonly supports_exchange_credit?: boolean | null
}

interface ExchangeProvider {
  readonly cm_ext_exchange?: string | null
  readonly cm_ext_exchange_by_id?: string | null
  readonly market?: string | null
  readonly market_id?: number | string | null
  readonly display_name?: string | null
  readonly short_name?: string | null
  readonly type?: string | null
  readonly color?: string | null
  readonly depth_type?: string | null
  readonly capabilities?: ExchangeCapabilities | null
  readonly flags?: ExchangeFlags | null
  readonly supported_time_in_force?: ReadonlyArray<string> | null
}

interface SizeBucket {
  readonly size?: number | string | null
}

interface MarketProvider {
  readonly cm_ext_market?: string | null
  readonly cm_ext_market_by_id?: string | null
  readonly market?: string | null
  readonly market_id?: number | string | null
  readonly symbol?: string | null
  readonly security_id?: number | string | null
  readonly market_symbol?: string | null
  readonly product_type?: string | null
  readonly base_currency_id?: number | string | null
  readonly quote_currency_id?: number | string | null
  readonly end_time?: Timestamp.Timestamp | null
  readonly display_name?: string | null
  readonly normal_size?: number | string | null
  readonly description?: string | null
  readonly base_currency?: string | null
  readonly quote_currency?: string | null
  readonly counter_currency?: string | null
  readonly option_type?: string | null
  readonly strike_price?: Decimal.Decimal | null
  readonly settlement_currency?: string | null
  readonly notional_multiplier?: number | string | null
  readonly expiration?: Timestamp.Timestamp | null
  readonly settle_value_type?: string | null
  readonly size_buckets?: ReadonlyArray<SizeBucket> | null
  readonly position_currency_id?: number | string | null
  readonly underlying_security_id?: number | string | null
  readonly underlying_quote_currency?: string | null
  readonly underlying_code?: string | null
}

interface Index {
  readonly index: string
  readonly full_name?: string | null
  readonly description?: string | null
  readonly type?: string | null
}

interface Pair {
  readonly pair: string
  readonly full_name?: string | null
}

interface ProtocolChain {
  readonly chain?: string | null
  readonly address?: string | null
  readonly asset?: string | null
  readonly asset_address?: string | null
  readonly asset_decimals?: string | null
  readonly configurator_address?: string | null
  readonly atoken_address?: string | null
  readonly atoken_asset?: string | null
  readonly variable_debt_token_address?: string | null
  readonly variable_debt_asset?: string | null
  readonly stable_debt_token_address?: string | null
  readonly curator_address?: string | null
  readonly curator_name?: string | null
  readonly guardian_address?: string | null
  readonly guardian_name?: string | null
  readonly collateral_asset?: string | null
  readonly collateral_asset_address?: string | null
  readonly oracle_address?: string | null
  readonly irm_address?: string | null
  readonly lltv?: string | null
}

interface ProtocolMarket {
  readonly market: string
  readonly full_name?: string | null
  readonly protocol: string
  readonly type?: Open<"aave_pool" | "morpho_vault"> | null
  readonly chains?: ReadonlyArray<ProtocolChain> | null
}

expectTypeOf<ReferenceData.Asset>().toEqualTypeOf<Asset>()
expectTypeOf<ReferenceData.AssetProvider>().toEqualTypeOf<AssetProvider>()
expectTypeOf<ReferenceData.Exchange>().toEqualTypeOf<Exchange>()
expectTypeOf<ReferenceData.ExchangeCapabilities>().toEqualTypeOf<ExchangeCapabilities>()
expectTypeOf<ReferenceData.ExchangeFlags>().toEqualTypeOf<ExchangeFlags>()
expectTypeOf<ReferenceData.ExchangeProvider>().toEqualTypeOf<ExchangeProvider>()
expectTypeOf<ReferenceData.Market>().toEqualTypeOf<Market>()
expectTypeOf<ReferenceData.SizeBucket>().toEqualTypeOf<SizeBucket>()
expectTypeOf<ReferenceData.MarketProvider>().toEqualTypeOf<MarketProvider>()
expectTypeOf<ReferenceData.Index>().toEqualTypeOf<Index>()
expectTypeOf<ReferenceData.Pair>().toEqualTypeOf<Pair>()
expectTypeOf<ReferenceData.ProtocolChain>().toEqualTypeOf<ProtocolChain>()
expectTypeOf<ReferenceData.ProtocolMarket>().toEqualTypeOf<ProtocolMarket>()
expectTypeOf<ReferenceData.Metric>().toEqualTypeOf<Metric>()

interface Common extends Paging, Format {}

interface AssetsParams extends Common {
  readonly assets?: List | undefined
  readonly include?: List | undefined
}

interface ExchangesParams extends Common {
  readonly exchanges?: List | undefined
  readonly include?: List | undefined
}

interface MarketsParams extends Common {
  readonly markets?: List | undefined
  readonly exchange?: string | undefined
  readonly type?: Open<"spot" | "future" | "option" | "bond"> | undefined
  readonly base?: string | undefined
  readonly quote?: string | undefined
  readonly asset?: string | undefined
  readonly symbol?: string | undefined
  readonly publisher?: string | undefined
  readonly asset_class?: Open<"digital" | "equity" | "fixed_income"> | undefined
  readonly source_type?: Open<"exchange" | "platform" | "composite" | "evaluated"> | undefined
  readonly cusip?: string | undefined
  readonly figi?: string | undefined
  readonly isin?: string | undefined
  readonly include?: List | undefined
}

interface IndexesParams extends Common {
  readonly indexes?: List | undefined
}

interface PairsParams extends Common {
  readonly pairs?: List | undefined
}

interface ProtocolsParams extends Common {
  readonly protocols?: List | undefined
  readonly chains?: List | undefined
  readonly markets?: List | undefined
}

interface MetricsParams extends Common {
  readonly metrics?: List | undefined
}

interface AssetMetricsParams extends MetricsParams {
  readonly reviewable?: boolean | undefined
}

expectTypeOf<ReferenceData.AssetsParams>().toEqualTypeOf<AssetsParams>()
expectTypeOf<ReferenceData.ExchangesParams>().toEqualTypeOf<ExchangesParams>()
expectTypeOf<ReferenceData.MarketsParams>().toEqualTypeOf<MarketsParams>()
expectTypeOf<ReferenceData.IndexesParams>().toEqualTypeOf<IndexesParams>()
expectTypeOf<ReferenceData.PairsParams>().toEqualTypeOf<PairsParams>()
expectTypeOf<ReferenceData.ProtocolsParams>().toEqualTypeOf<ProtocolsParams>()
expectTypeOf<ReferenceData.MetricsParams>().toEqualTypeOf<MetricsParams>()
expectTypeOf<ReferenceData.AssetMetricsParams>().toEqualTypeOf<AssetMetricsParams>()

// Parameters and record of each endpoint, and no endpoint beside these.
expectTypeOf(ReferenceData.assets).toEqualTypeOf<IncludingEndpoint<AssetsParams, Asset, AssetProvider>>()
expectTypeOf(ReferenceData.exchanges).toEqualTypeOf<IncludingEndpoint<ExchangesParams, Exchange, ExchangeProvider>>()
expectTypeOf(ReferenceData.markets).toEqualTypeOf<IncludingEndpoint<MarketsParams, Market, MarketProvider>>()
expectTypeOf(ReferenceData.indexes).toEqualTypeOf<Endpoint.Endpoint<IndexesParams, Index>>()
expectTypeOf(ReferenceData.pairs).toEqualTypeOf<Endpoint.Endpoint<PairsParams, Pair>>()
expectTypeOf(ReferenceData.protocols).toEqualTypeOf<Endpoint.Endpoint<ProtocolsParams, ProtocolMarket>>()
expectTypeOf(ReferenceData.assetMetrics).toEqualTypeOf<Endpoint.Endpoint<AssetMetricsParams, Metric>>()
expectTypeOf(ReferenceData.exchangeMetrics).toEqualTypeOf<Endpoint.Endpoint<MetricsParams, Metric>>()
expectTypeOf(ReferenceData.exchangeAssetMetrics).toEqualTypeOf<Endpoint.Endpoint<MetricsParams, Metric>>()
expectTypeOf(ReferenceData.pairMetrics).toEqualTypeOf<Endpoint.Endpoint<MetricsParams, Metric>>()
expectTypeOf(ReferenceData.institutionMetrics).toEqualTypeOf<Endpoint.Endpoint<MetricsParams, Metric>>()
expectTypeOf(ReferenceData.marketMetrics).toEqualTypeOf<Endpoint.Endpoint<MetricsParams, Metric>>()
expectTypeOf<keyof Members<typeof ReferenceData>>().toEqualTypeOf<
  | "assets"
  | "exchanges"
  | "markets"
  | "indexes"
  | "pairs"
  | "protocols"
  | "assetMetrics"
  | "exchangeMetrics"
  | "exchangeAssetMetrics"
  | "pairMetrics"
  | "institutionMetrics"
  | "marketMetrics"
>()

// What a call with `include` yields, whole; the closed union of errors and the client, nothing else.
const plain = ReferenceData.assets()
expectTypeOf<Flat<Row<typeof plain>>>().toEqualTypeOf<Flat<Asset>>()
expectTypeOf(plain).toExtend<Stream.Stream<Asset, ApiError.ApiError, Client.Client>>()
const assets = ReferenceData.assets({ include: "talos", format: "json_stream" })
expectTypeOf<Flat<Row<typeof assets>>>().toEqualTypeOf<{
  readonly asset: string
  readonly full_name?: string | null
  readonly talos?: ReadonlyArray<AssetProvider> | null
}>()
expectTypeOf(assets).toEqualTypeOf<Stream.Stream<Row<typeof assets>, ApiError.ApiError, Client.Client>>()
const exchanges = ReferenceData.exchanges({ include: ["talos"] })
expectTypeOf<Flat<Row<typeof exchanges>>>().toEqualTypeOf<{
  readonly exchange: string
  readonly full_name?: string | null
  readonly talos?: ReadonlyArray<ExchangeProvider> | null
}>()
const markets = ReferenceData.markets({ include: "talos", exchange: "coinbase" })
expectTypeOf<Flat<Row<typeof markets>>>().toEqualTypeOf<
  Flat<Market & { readonly talos?: ReadonlyArray<MarketProvider> | null }>
>()

// Lists take identifiers.
ReferenceData.assets({ assets: [Identifier.bySymbolUnsafe("talos", "BTC"), "eth"], include: "talos" })
ReferenceData.assets({ assets: Identifier.byIdUnsafe("talos", 24) })
ReferenceData.exchanges({ exchanges: [Identifier.byIdUnsafe("talos", 1003)] })
ReferenceData.markets({ markets: [Identifier.bySymbolUnsafe("talos", "coinbase", "BTC-USD")] })

// Known words are offered, others are accepted.
expectTypeOf<Offered<ReferenceData.Market["type"]>>().toEqualTypeOf<"spot" | "future" | "option" | "bond">()
expectTypeOf<Offered<ReferenceData.MarketsParams["type"]>>().toEqualTypeOf<"spot" | "future" | "option" | "bond">()
expectTypeOf<Offered<ReferenceData.Market["status"]>>().toEqualTypeOf<"online" | "offline">()
expectTypeOf<Offered<ReferenceData.Metric["product"]>>().toEqualTypeOf<"Market Data" | "Network Data">()
expectTypeOf<Offered<ReferenceData.Metric["unit"]>>().toEqualTypeOf<
  "Addresses" | "Dimensionless" | "Native Units" | "Transactions" | "Transfers" | "USD"
>()
expectTypeOf<Offered<ReferenceData.Metric["data_type"]>>().toEqualTypeOf<"bigint" | "decimal">()
expectTypeOf<Offered<ReferenceData.ProtocolMarket["type"]>>().toEqualTypeOf<"aave_pool" | "morpho_vault">()
expectTypeOf<string>().toExtend<ReferenceData.Market["type"]>()
expectTypeOf<string>().toExtend<ReferenceData.Metric["category"]>()
declare const anyType: string
ReferenceData.markets({ type: anyType })
// @ts-expect-error: a word is text
ReferenceData.markets({ type: 1 })
// @ts-expect-error: only catalogs of markets have a limit
ReferenceData.markets({ limit: 1 })
// @ts-expect-error: one exchange
ReferenceData.markets({ exchange: ["coinbase", "kraken"] })

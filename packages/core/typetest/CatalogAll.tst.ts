import { type ApiError, Catalog, CatalogAll, type Client, type Endpoint, Identifier } from "@sluice/core"
import type * as Stream from "effect/Stream"
import { expectTypeOf } from "vitest"
import type { Members } from "./Wire.ts"

// docs/interface.md 4.7: parameters and records of the catalog of the same name, for every name there is.
expectTypeOf<Members<typeof CatalogAll>>().toEqualTypeOf<Members<typeof Catalog>>()
expectTypeOf(CatalogAll.assets).toEqualTypeOf(Catalog.assets)
expectTypeOf(CatalogAll.assetAlerts).toEqualTypeOf(Catalog.assetAlerts)
expectTypeOf(CatalogAll.assetChains).toEqualTypeOf(Catalog.assetChains)
expectTypeOf(CatalogAll.mempoolFeerates).toEqualTypeOf(Catalog.mempoolFeerates)
expectTypeOf(CatalogAll.miningPoolTipsSummary).toEqualTypeOf(Catalog.miningPoolTipsSummary)
expectTypeOf(CatalogAll.transactionTracker).toEqualTypeOf(Catalog.transactionTracker)
expectTypeOf(CatalogAll.metrics).toEqualTypeOf(Catalog.metrics)
expectTypeOf(CatalogAll.assetMetrics).toEqualTypeOf(Catalog.assetMetrics)
expectTypeOf(CatalogAll.exchangeMetrics).toEqualTypeOf(Catalog.exchangeMetrics)
expectTypeOf(CatalogAll.exchangeAssetMetrics).toEqualTypeOf(Catalog.exchangeAssetMetrics)
expectTypeOf(CatalogAll.pairMetrics).toEqualTypeOf(Catalog.pairMetrics)
expectTypeOf(CatalogAll.institutionMetrics).toEqualTypeOf(Catalog.institutionMetrics)
expectTypeOf(CatalogAll.exchanges).toEqualTypeOf(Catalog.exchanges)
expectTypeOf(CatalogAll.exchangeAssets).toEqualTypeOf(Catalog.exchangeAssets)
expectTypeOf(CatalogAll.institutions).toEqualTypeOf(Catalog.institutions)
expectTypeOf(CatalogAll.pairs).toEqualTypeOf(Catalog.pairs)
expectTypeOf(CatalogAll.pairCandles).toEqualTypeOf(Catalog.pairCandles)
expectTypeOf(CatalogAll.indexes).toEqualTypeOf(Catalog.indexes)
expectTypeOf(CatalogAll.indexCandles).toEqualTypeOf(Catalog.indexCandles)
expectTypeOf(CatalogAll.markets).toEqualTypeOf(Catalog.markets)
expectTypeOf(CatalogAll.marketTrades).toEqualTypeOf(Catalog.marketTrades)
expectTypeOf(CatalogAll.marketCandles).toEqualTypeOf(Catalog.marketCandles)
expectTypeOf(CatalogAll.marketOrderbooks).toEqualTypeOf(Catalog.marketOrderbooks)
expectTypeOf(CatalogAll.marketQuotes).toEqualTypeOf(Catalog.marketQuotes)
expectTypeOf(CatalogAll.marketFundingRates).toEqualTypeOf(Catalog.marketFundingRates)
expectTypeOf(CatalogAll.marketContractPrices).toEqualTypeOf(Catalog.marketContractPrices)
expectTypeOf(CatalogAll.marketImpliedVolatility).toEqualTypeOf(Catalog.marketImpliedVolatility)
expectTypeOf(CatalogAll.marketGreeks).toEqualTypeOf(Catalog.marketGreeks)
expectTypeOf(CatalogAll.marketOpeninterest).toEqualTypeOf(Catalog.marketOpeninterest)
expectTypeOf(CatalogAll.marketLiquidations).toEqualTypeOf(Catalog.marketLiquidations)
expectTypeOf(CatalogAll.marketMetrics).toEqualTypeOf(Catalog.marketMetrics)

// The closed union of errors and the client, nothing else.
expectTypeOf(CatalogAll.assets()).toEqualTypeOf<Stream.Stream<Catalog.Asset, ApiError.ApiError, Client.Client>>()
expectTypeOf(CatalogAll.markets({ limit: 1, format: "json_stream" })).toEqualTypeOf<Endpoint.Records<Catalog.Market>>()
expectTypeOf(CatalogAll.marketCandles.pages({ limit: 1 })).toEqualTypeOf<Endpoint.Pages<Catalog.MarketCandles>>()
CatalogAll.assets({ assets: [Identifier.bySymbolUnsafe("talos", "BTC"), "eth"], exclude: ["markets", "exchanges"] })

// @ts-expect-error: metrics, markets or exchanges
CatalogAll.assets({ include: ["trades"] })
// @ts-expect-error: one of six kinds of data
CatalogAll.markets({ exclude: "greeks" })
// @ts-expect-error: only markets are offered as lines
CatalogAll.assets({ format: "json_stream" })
// @ts-expect-error: only catalogs of markets have a limit
CatalogAll.indexes({ limit: 1 })
// @ts-expect-error: a catalog comes whole
CatalogAll.markets({ page_size: 10 })

/**
 * Time series.
 *
 * Ordered by entity, then time, ascending: Sluice asks for `paging_from=start`, since the service would begin at the end.
 * With `paging_from: "end"` a stream is newest first throughout.
 *
 * Source: docs/interface.md 4.6.
 */
export * from "./timeseries/AssetAlerts.ts"
export * from "./timeseries/AssetChains.ts"
export * from "./timeseries/AssetMetrics.ts"
export * from "./timeseries/DefiBalanceSheets.ts"
export * from "./timeseries/ExchangeMetrics.ts"
export * from "./timeseries/IndexCandles.ts"
export * from "./timeseries/IndexConstituents.ts"
export * from "./timeseries/IndexLevels.ts"
export * from "./timeseries/InstitutionMetrics.ts"
export * from "./timeseries/MarketCandles.ts"
export * from "./timeseries/MarketContractPrices.ts"
export * from "./timeseries/MarketFundingRates.ts"
export * from "./timeseries/MarketFundingRatesPredicted.ts"
export * from "./timeseries/MarketGreeks.ts"
export * from "./timeseries/MarketImpliedVolatility.ts"
export * from "./timeseries/MarketLiquidations.ts"
export * from "./timeseries/MarketMetrics.ts"
export * from "./timeseries/MarketOpeninterest.ts"
export * from "./timeseries/MarketOrderbooks.ts"
export * from "./timeseries/MarketQuotes.ts"
export * from "./timeseries/MarketTrades.ts"
export * from "./timeseries/MempoolFeerates.ts"
export * from "./timeseries/MetricSeries.ts"
export * from "./timeseries/MiningPoolTipsSummary.ts"
export * from "./timeseries/PairCandles.ts"
export * from "./timeseries/PairMetrics.ts"
export * from "./timeseries/ProtocolMetrics.ts"

/**
 * Live streams.
 *
 * Each operation is a stream of messages that goes on until nobody reads it. A broken connection is replaced and the hole is
 * filled over HTTP; what could not be filled is named by a `Gap`. With `since`, the stream begins with history.
 *
 * Source: docs/interface.md 6.
 */
export * from "./live/AssetMetrics.ts"
export * from "./live/IndexLevels.ts"
export * from "./live/MarketCandles.ts"
export * from "./live/MarketContractPrices.ts"
export * from "./live/MarketLiquidations.ts"
export * from "./live/MarketOpeninterest.ts"
export * from "./live/MarketOrderbooks.ts"
export * from "./live/MarketQuotes.ts"
export * from "./live/MarketTrades.ts"
export * from "./live/Quotes.ts"

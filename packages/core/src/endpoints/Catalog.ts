/**
 * Catalogs: the data that the key may read, and the times it covers.
 *
 * The service has deprecated all of them, and each names its replacement. A catalog comes in one reply.
 *
 * Source: docs/interface.md 4.5.
 */
export * from "./catalog/Assets.ts"
export * from "./catalog/Exchanges.ts"
export * from "./catalog/Indexes.ts"
export * from "./catalog/MarketSeries.ts"
export * from "./catalog/Markets.ts"
export * from "./catalog/Metrics.ts"
export * from "./catalog/Pairs.ts"
export * from "./catalog/Ranges.ts"

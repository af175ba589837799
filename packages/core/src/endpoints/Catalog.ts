/**
 * Catalogs: the data there is within the reach of the key, and the times it covers. Source: docs/interface.md 4.5.
 *
 * All of them are deprecated at the service; each says what takes its place. A catalog comes whole, in one reply.
 */
export * from "./catalog/Assets.ts"
export * from "./catalog/Exchanges.ts"
export * from "./catalog/Indexes.ts"
export * from "./catalog/MarketSeries.ts"
export * from "./catalog/Markets.ts"
export * from "./catalog/Metrics.ts"
export * from "./catalog/Pairs.ts"
export * from "./catalog/Ranges.ts"

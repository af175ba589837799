/**
 * Reference data: what assets, exchanges, markets, indexes, pairs, protocols and metrics there are.
 *
 * Without a list filter, all items are returned. Records come in the service's own order.
 *
 * Source: docs/interface.md 4.1; records in 3.2 to 3.6.
 */
export * from "./referenceData/Assets.ts"
export * from "./referenceData/Exchanges.ts"
export * from "./referenceData/Include.ts"
export * from "./referenceData/Instruments.ts"
export * from "./referenceData/Markets.ts"
export * from "./referenceData/Metrics.ts"

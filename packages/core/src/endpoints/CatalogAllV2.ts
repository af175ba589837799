/**
 * Full catalogs v2: all data of the service, whatever the key may read.
 *
 * Each has the parameters and records of the v2 catalog of the same name.
 *
 * Source: docs/interface.md 4.9.
 */
export * from "./catalogAllV2/Chains.ts"
export * from "./catalogAllV2/Instruments.ts"
export * from "./catalogAllV2/Markets.ts"
export * from "./catalogAllV2/Metrics.ts"

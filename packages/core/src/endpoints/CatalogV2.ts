/**
 * Catalogs v2: the data that the key may read, and the times it covers.
 *
 * They replace the deprecated catalogs. Here an entity lists its metrics; there a metric lists its entities.
 *
 * Source: docs/interface.md 4.9; records in 3.11.
 */
export * from "./catalog/Ranges.ts"
export * from "./catalogV2/Chains.ts"
export * from "./catalogV2/Instruments.ts"
export * from "./catalogV2/Markets.ts"
export * from "./catalogV2/Metrics.ts"

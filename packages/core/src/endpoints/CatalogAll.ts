/**
 * Full catalogs: all data the service has, whatever the key may read. Source: docs/interface.md 4.7.
 *
 * Each has the parameters and records of the catalog of the same name. All of them are deprecated at the service.
 */
export * from "./catalogAll/Assets.ts"
export * from "./catalogAll/Instruments.ts"
export * from "./catalogAll/Markets.ts"

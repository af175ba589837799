/**
 * Full catalogs: all data of the service, whatever the key may read.
 *
 * Each has the parameters and records of the catalog of the same name. The service has deprecated all of them.
 *
 * Source: docs/interface.md 4.7.
 */
export * from "./catalogAll/Assets.ts"
export * from "./catalogAll/Instruments.ts"
export * from "./catalogAll/Markets.ts"

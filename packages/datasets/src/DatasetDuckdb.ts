/**
 * Datasets as tables of a DuckDB file. Needs the package `@duckdb/node-api`.
 *
 * **Example** (Keeping the daily prices of all assets in a file)
 *
 * ```ts
 * Dataset.sync({
 *   endpoint: Timeseries.assetMetrics,
 *   params: { assets: "*", metrics: ["PriceUSD"], start_time: "2020-01-01" },
 *   to: DatasetDuckdb.make({ file: "market.duckdb", table: "prices" })
 * })
 * ```
 *
 * **Details**
 *
 * The first sync makes the table, with a column for each field of the records. Decimal numbers are `DOUBLE`, or
 * `DECIMAL(38, 18)` or `VARCHAR` with `numbers`; whole numbers `BIGINT`; times `TIMESTAMP_NS`, in UTC, with all their digits;
 * lists and objects `JSON`. It has no primary key, which would make DuckDB keep an index in memory: each record is there once
 * because a transaction replaces all that is held of a time, and a change that has a record twice is refused.
 *
 * Records are written to a Parquet file in a folder beside the database as they come. One transaction then puts them in the place
 * of what was held, and keeps how far each entity is, in the tables `sluice_datasets` and `sluice_cursors` of the same schema.
 *
 * **Gotchas**
 *
 * A sync has the file open while it reads or writes it, and a second longer; meanwhile no other process can open it. While another
 * process has it open, a sync waits for five seconds, and then fails. A program that reads the file in the process of a sync opens it
 * with `DuckDBInstance.fromCache`: a file that a process opens twice with `DuckDBInstance.create` is damaged.
 *
 * The file of a change is not compressed, and a first change may have the whole history of an entity, so that much room is needed
 * beside the database. A sync that was killed leaves the folder until the next sync of the table. DuckDB has to be allowed to read
 * files (`enable_external_access`).
 */
import "@sluice/node/internal/runtime/NodeVersion"
export { make, type Options } from "./internal/duckdb/DuckdbStore.ts"
export type { TableOptions } from "./internal/database/Table.ts"

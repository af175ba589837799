/**
 * Datasets as tables of PostgreSQL. Needs the package `@effect/sql-pg`.
 *
 * **Example** (Keeping the daily prices of all assets in a table)
 *
 * ```ts
 * Dataset.sync({
 *   endpoint: Timeseries.assetMetrics,
 *   params: { assets: "*", metrics: ["PriceUSD"], start_time: "2020-01-01" },
 *   to: DatasetPostgres.make({ url, table: "prices" })
 * })
 * ```
 *
 * **Details**
 *
 * The first sync makes the table, with a column for each field of the records under the name it has in the service; so names
 * such as `"PriceUSD"` need quotes in SQL. Its primary key is the entity, the time, and what else tells records apart. Further
 * metrics become further columns.
 *
 * | of the service | in the table |
 * |---|---|
 * | decimal numbers | `double precision`; `numeric` or `text` with `numbers`, which keep every digit |
 * | whole numbers | `bigint`; `text` with `numbers: "text"` |
 * | times | `timestamptz`, cut to microseconds |
 * | `true` and `false` | `boolean` |
 * | lists and objects | `jsonb` |
 *
 * Trades, quotes and other events have nanoseconds: where records are of no frequency, the column `time_ns` has the whole time
 * as a `bigint` of nanoseconds since 1970, and is a part of the key.
 *
 * Records are copied (`COPY`) to a temporary table as they come. One transaction then removes what the service no longer has,
 * adds and changes the rest, leaves rows that are the same untouched, and keeps how far each entity is, in the tables
 * `sluice_datasets` and `sluice_cursors` of the same schema. So each record is there once, wherever a sync, its connection or
 * the server ends, and readers see all of a change or nothing.
 *
 * **Gotchas**
 *
 * One sync at a time has a table: an advisory lock of its connection, so a pooler between has to keep sessions together. Where
 * nothing but all fields tells records apart, the table has no primary key, and its records are replaced by their times alone.
 */
import "@sluice/node/internal/runtime/NodeVersion"
export { duckLake, type LakeOptions } from "./internal/postgres/DuckLake.ts"
export { make } from "./internal/postgres/PostgresStore.ts"
export type { TableOptions } from "./internal/database/Table.ts"
export type { Connection } from "./internal/postgres/Session.ts"
export type { Options } from "./internal/postgres/TargetOptions.ts"

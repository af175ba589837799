/**
 * The cases by name. A case's module is loaded in its own process only, so that none pays for the others.
 */
import type { Reader } from "./Workload.ts"

export interface Case {
  readonly label: string
  /** What its count of what it touched is of: cases that name the same must have seen the same. */
  readonly sees:
    | "a field"
    | "a column"
    | "a trade"
    | "no record"
    | "NDJSON"
    | "CSV"
    | "Parquet"
    | "Arrow"
    | "files"
    | "a table"
    | "DuckDB"
    | "no news"
  readonly load: () => Promise<(root: string) => Reader>
}

const handWritten = () => import("./HandWritten.ts")
const sluice = () => import("./Sluice.ts")
const columns = () => import("./SluiceColumns.ts")
const live = () => import("./SluiceLive.ts")
const downloads = () => import("./Downloads.ts")
const datasets = () => import("./Datasets.ts")
const datasetTables = () => import("./DatasetTables.ts")
const reads = () => import("./Reads.ts")

export const cases = {
  bytes: { label: "bytes drained only", sees: "no record", load: async () => (await handWritten()).bytes },
  pageLoop: {
    label: "page loop by hand, one request for all (baseline)",
    sees: "a field",
    load: async () => (await handWritten()).pages
  },
  chains: { label: "ten page loops by hand at once", sees: "a field", load: async () => (await handWritten()).chains },
  lines: { label: "json_stream split by hand", sees: "a field", load: async () => (await handWritten()).lines },
  sluicePages: { label: "Sluice pages", sees: "a field", load: async () => (await sluice()).pages },
  sluiceLines: { label: "Sluice json_stream", sees: "a field", load: async () => (await sluice()).lines },
  sluiceBulk: { label: "Sluice Bulk, ten parts at once", sees: "a field", load: async () => (await sluice()).bulk },
  sluiceRecords: {
    label: "Sluice pages, record by record",
    sees: "a field",
    load: async () => (await sluice()).perRecord
  },
  columnPageLoop: {
    label: "page loop by hand to typed arrays (baseline)",
    sees: "a column",
    load: async () => (await handWritten()).columnPages
  },
  columnLines: {
    label: "json_stream by hand to typed arrays (baseline)",
    sees: "a column",
    load: async () => (await handWritten()).columnLines
  },
  sluiceColumnPages: {
    label: "Sluice columns, pages",
    sees: "a column",
    load: async () => (await columns()).pages
  },
  sluiceColumnLines: {
    label: "Sluice columns, json_stream",
    sees: "a column",
    load: async () => (await columns()).lines
  },
  liveBare: {
    label: "bare ws loop with JSON.parse (baseline)",
    sees: "a trade",
    load: async () => (await import("./LiveReaders.ts")).bare
  },
  liveStream: {
    label: "bare ws loop into an Effect stream",
    sees: "a trade",
    load: async () => (await import("./LiveStreams.ts")).bare
  },
  liveSluice: { label: "Sluice live", sees: "a trade", load: async () => (await live()).stream },
  liveCallback: {
    label: "Sluice live, runForEachArray",
    sees: "a trade",
    load: async () => (await live()).callback
  },
  files: { label: "page loop by hand to NDJSON", sees: "NDJSON", load: async () => (await handWritten()).files },
  ndjson: { label: "Sluice download, NDJSON", sees: "NDJSON", load: async () => (await downloads()).ndjson },
  csv: { label: "Sluice download, CSV", sees: "CSV", load: async () => (await downloads()).csv },
  parquet: { label: "Sluice download, Parquet", sees: "Parquet", load: async () => (await downloads()).parquet },
  arrowByHand: {
    label: "page loop by hand, apache-arrow from row objects",
    sees: "Arrow",
    load: async () => (await import("./ApacheArrow.ts")).arrow
  },
  arrow: { label: "Sluice columns, Arrow", sees: "Arrow", load: async () => (await import("./SluiceArrow.ts")).arrow },
  dataset: { label: "Sluice dataset, first load, Parquet", sees: "files", load: async () => (await datasets()).load },
  command: {
    label: "sluice sync, first load, Parquet",
    sees: "files",
    load: async () => (await import("./Command.ts")).load
  },
  copyByHand: {
    label: "page loop by hand, COPY by psql",
    sees: "a table",
    load: async () => (await import("./CopyByHand.ts")).copy
  },
  table: {
    label: "Sluice dataset, first load, PostgreSQL",
    sees: "a table",
    load: async () => (await datasetTables()).loadTable
  },
  duckdbByHand: {
    label: "json_stream by hand to a file, read by DuckDB",
    sees: "DuckDB",
    load: async () => (await import("./DuckdbByHand.ts")).duckdb
  },
  duckdb: {
    label: "Sluice dataset, first load, DuckDB",
    sees: "DuckDB",
    load: async () => (await datasetTables()).duckdb
  },
  ndjsonByDuckdb: {
    label: "NDJSON of a dataset, read by DuckDB (baseline)",
    sees: "a column",
    load: async () => (await reads()).ndjson.duckdb
  },
  ndjsonColumns: {
    label: "Sluice dataset, NDJSON as columns",
    sees: "a column",
    load: async () => (await reads()).ndjson.columns
  },
  ndjsonRecords: {
    label: "Sluice dataset, NDJSON as records",
    sees: "a column",
    load: async () => (await reads()).ndjson.records
  },
  parquetByDuckdb: {
    label: "Parquet of a dataset, read by DuckDB (baseline)",
    sees: "a column",
    load: async () => (await reads()).parquet.duckdb
  },
  parquetColumns: {
    label: "Sluice dataset, Parquet as columns",
    sees: "a column",
    load: async () => (await reads()).parquet.columns
  },
  parquetRecords: {
    label: "Sluice dataset, Parquet as records",
    sees: "a column",
    load: async () => (await reads()).parquet.records
  },
  noNews: { label: "Sluice dataset, sync without news", sees: "no news", load: async () => (await datasets()).noNews }
} satisfies Readonly<Record<string, Case>>

export type Name = keyof typeof cases

export const isName = (name: string): name is Name => Object.hasOwn(cases, name)

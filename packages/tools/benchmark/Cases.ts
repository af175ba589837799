/** The cases by name. A case's module is loaded in its own process only, so that none pays for the others. */
import type { Reader } from "./Workload.ts"

export interface Case {
  readonly label: string
  /** What its count of what it touched is of: cases that name the same must have seen the same. */
  readonly sees: string
  readonly load: () => Promise<(root: string) => Reader>
}

/** The case that a module exports under a name. */
const of = <Name extends string>(
  load: () => Promise<Readonly<Record<Name, (root: string) => Reader>>>,
  name: Name,
  sees: string,
  label: string
): Case => ({ label, sees, load: async () => (await load())[name] })

const handWritten = () => import("./HandWritten.ts")
const sluice = () => import("./Sluice.ts")
const columns = () => import("./SluiceColumns.ts")
const live = () => import("./SluiceLive.ts")
const downloads = () => import("./Downloads.ts")
const datasets = () => import("./Datasets.ts")
const datasetTables = () => import("./DatasetTables.ts")
const reads = () => import("./Reads.ts")

export const cases = {
  bytes: of(handWritten, "bytes", "no record", "bytes drained only"),
  pageLoop: of(handWritten, "pages", "a field", "page loop by hand, one request for all (baseline)"),
  chains: of(handWritten, "chains", "a field", "ten page loops by hand at once"),
  lines: of(handWritten, "lines", "a field", "json_stream split by hand"),
  sluicePages: of(sluice, "pages", "a field", "Sluice pages"),
  sluiceLines: of(sluice, "lines", "a field", "Sluice json_stream"),
  sluiceBulk: of(sluice, "bulk", "a field", "Sluice Bulk, ten parts at once"),
  sluiceRecords: of(sluice, "perRecord", "a field", "Sluice pages, record by record"),
  columnPageLoop: of(handWritten, "columnPages", "a column", "page loop by hand to typed arrays (baseline)"),
  columnLines: of(handWritten, "columnLines", "a column", "json_stream by hand to typed arrays (baseline)"),
  sluiceColumnPages: of(columns, "pages", "a column", "Sluice columns, pages"),
  sluiceColumnLines: of(columns, "lines", "a column", "Sluice columns, json_stream"),
  liveBare: of(() => import("./LiveReaders.ts"), "bare", "a trade", "bare ws loop with JSON.parse (baseline)"),
  liveStream: of(() => import("./LiveStreams.ts"), "bare", "a trade", "bare ws loop into an Effect stream"),
  liveSluice: of(live, "stream", "a trade", "Sluice live"),
  liveCallback: of(live, "callback", "a trade", "Sluice live, runForEachArray"),
  files: of(handWritten, "files", "NDJSON", "page loop by hand to NDJSON"),
  ndjson: of(downloads, "ndjson", "NDJSON", "Sluice download, NDJSON"),
  csv: of(downloads, "csv", "CSV", "Sluice download, CSV"),
  parquet: of(downloads, "parquet", "Parquet", "Sluice download, Parquet"),
  arrowByHand: of(
    () => import("./ApacheArrow.ts"),
    "arrow",
    "Arrow",
    "page loop by hand, apache-arrow from row objects"
  ),
  arrow: of(() => import("./SluiceArrow.ts"), "arrow", "Arrow", "Sluice columns, Arrow"),
  dataset: of(datasets, "load", "files", "Sluice dataset, first load, Parquet"),
  command: of(() => import("./Command.ts"), "load", "files", "sluice sync, first load, Parquet"),
  copyByHand: of(() => import("./CopyByHand.ts"), "copy", "a table", "page loop by hand, COPY by psql"),
  table: of(datasetTables, "loadTable", "a table", "Sluice dataset, first load, PostgreSQL"),
  duckdbByHand: of(
    () => import("./DuckdbByHand.ts"),
    "duckdb",
    "DuckDB",
    "json_stream by hand to a file, read by DuckDB"
  ),
  duckdb: of(datasetTables, "duckdb", "DuckDB", "Sluice dataset, first load, DuckDB"),
  ndjsonByDuckdb: of(reads, "ndjsonByDuckdb", "a column", "NDJSON of a dataset, read by DuckDB (baseline)"),
  ndjsonColumns: of(reads, "ndjsonColumns", "a column", "Sluice dataset, NDJSON as columns"),
  ndjsonRecords: of(reads, "ndjsonRecords", "a column", "Sluice dataset, NDJSON as records"),
  parquetByDuckdb: of(reads, "parquetByDuckdb", "a column", "Parquet of a dataset, read by DuckDB (baseline)"),
  parquetColumns: of(reads, "parquetColumns", "a column", "Sluice dataset, Parquet as columns"),
  parquetRecords: of(reads, "parquetRecords", "a column", "Sluice dataset, Parquet as records"),
  againNdjson: of(datasets, "againNdjson", "files", "NDJSON, no versions (baseline)"),
  againNdjsonKept: of(datasets, "againNdjsonKept", "files", "NDJSON, versions kept"),
  againParquet: of(datasets, "againParquet", "files", "Parquet, no versions (baseline)"),
  againParquetKept: of(datasets, "againParquetKept", "files", "Parquet, versions kept"),
  noNews: of(datasets, "noNews", "no news", "Sluice dataset, sync without news")
} satisfies Readonly<Record<string, Case>>

export type Name = keyof typeof cases

export const isName = (name: string): name is Name => Object.hasOwn(cases, name)

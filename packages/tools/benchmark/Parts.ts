/**
 * The parts of the benchmark: what each measures, and the bounds it keeps.
 *
 * Over loopback a bound is of processor time, garbage collection included, because other programs on the machine change it
 * little. With latency it is of time.
 */
import { cases, type Name } from "./Cases.ts"
import type * as Measure from "./Measure.ts"
import type * as Report from "./Report.ts"
import * as Server from "./Server.ts"
import { before, total, type Workload } from "./Workload.ts"

export interface Part {
  readonly suite: Measure.Suite
  readonly bounds: ReadonlyArray<Report.Bound>
  /** The case that the ratios of a row are taken against; the first of the table when absent. */
  readonly base?: (label: string) => string
  /** Rounds that are enough, where each takes long. */
  readonly rounds?: number
}

const label = (name: Name) => cases[name].label
const count = (records: number) => records.toLocaleString("en-US")

const oneAsset = (rows: number): Workload => ({ assets: ["btc"], start: "2017-01-01T00:00:00Z", rows })

const oneMarket = (rows: number, kind: NonNullable<Workload["kind"]>): Workload => ({
  ...oneAsset(rows),
  assets: ["coinbase-btc-usd-spot"],
  kind
})

/** Ten assets, half of whose values are short. */
export const tenAssets = (rows: number): Workload => ({
  assets: ["ada", "bch", "bnb", "btc", "doge", "eth", "link", "ltc", "trx", "xrp"],
  start: "2022-01-01T00:00:00Z",
  rows: Math.ceil(rows / 10),
  metrics: mixed
})

/** Names that `Records.ts` gives long decimals and short counts in turns. */
const alternating = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    index === 0 ? "PriceUSD" : `M${index}${index % 2 === 0 ? "USD" : "Cnt"}`
  )
const mixed = alternating(4)

/** Cases that read the same. */
export const entries = (names: ReadonlyArray<Name>, workload: Workload): ReadonlyArray<Measure.Entry> =>
  names.map((name) => ({ label: label(name), name, workload }))

const suite = (title: string, entries: ReadonlyArray<Measure.Entry>, server = Server.replies()): Measure.Suite => ({
  title,
  server,
  entries
})

const ratio = (name: Name, figure: Report.FigureName, limit: number, against: Name = "pageLoop"): Report.Bound => ({
  label: label(name),
  figure,
  limit,
  against: label(against)
})

const formats = ["sluicePages", "sluiceLines"] as const

/** Pages and json_stream beside the page loop, over loopback. */
const kind = (
  of: string,
  workload: Workload,
  limits?: { readonly pages: number; readonly lines: number },
  others: ReadonlyArray<Name> = []
): Part => ({
  suite: suite(
    `${count(workload.assets.length * workload.rows)} ${of}`,
    entries(["pageLoop", ...formats, ...others], workload)
  ),
  bounds:
    limits === undefined
      ? []
      : [ratio("sluicePages", "processor time", limits.pages), ratio("sluiceLines", "processor time", limits.lines)]
})

/** Typed arrays beside those made by hand of the same format. */
const columns = (of: string, workload: Workload): Part => ({
  suite: suite(
    `${count(workload.rows)} ${of} as typed arrays`,
    entries(["columnPageLoop", "sluiceColumnPages", "columnLines", "sluiceColumnLines", "bytes"], workload)
  ),
  base: (row) => label(row.includes("json_stream") ? "columnLines" : "columnPageLoop"),
  bounds: [
    ratio("sluiceColumnPages", "processor time", 0.35, "columnPageLoop"),
    ratio("sluiceColumnLines", "processor time", 0.3, "columnLines")
  ]
})

const halfShort = { pages: 0.6, lines: 0.5 }
const long = { pages: 0.75, lines: 0.65 }
const trades = { pages: 0.6, lines: 0.6 }
/** Of records that have to be parsed. */
const parsed = { pages: 1.1, lines: 1.1 }

/** What a dataset holds, as columns and as records, beside DuckDB that reads its files. */
const reads = (rows: number): Part => ({
  suite: suite(
    `${count(rows)} trades that a dataset holds`,
    entries(
      ["ndjsonByDuckdb", "ndjsonColumns", "ndjsonRecords", "parquetByDuckdb", "parquetColumns", "parquetRecords"],
      { ...oneMarket(rows, "trades"), start: before(rows), times: { warmUp: 1, measured: 3 } }
    )
  ),
  base: (row) => label(row.includes("NDJSON") ? "ndjsonByDuckdb" : "parquetByDuckdb"),
  rounds: 3,
  bounds: [
    ratio("ndjsonColumns", "time", 0.5, "ndjsonByDuckdb"),
    ratio("parquetColumns", "time", 0.7, "parquetByDuckdb")
  ]
})

/** First loads beside downloads, and a sync without news of many assets beside a loop by hand over the same page. */
const datasets = (rows: number): Part => {
  const many: Workload = {
    assets: Array.from({ length: 1_000 }, (_, index) => `a${index}`),
    start: before(3),
    rows: 3,
    metrics: mixed
  }
  return {
    suite: suite(`A dataset of ${count(rows)} records of ten assets, and one of a thousand assets that is current`, [
      ...entries(["parquet", "dataset"], endingAsOthers(rows)),
      ...entries(["noNews"], many)
    ]),
    rounds: 3,
    bounds: [
      ratio("dataset", "processor time", 1.1, "parquet"),
      { label: label("noNews"), figure: "processor time", limit: 0.5 }
    ]
  }
}

/** All of a dataset read again, with one record in a hundred revised. */
const versions = (rows: number): Part => ({
  suite: suite(
    `${count(rows)} records of ten assets that a dataset reads again, one in a hundred revised`,
    entries(["againNdjson", "againNdjsonKept", "againParquet", "againParquetKept"], {
      ...endingAsOthers(rows),
      times: { warmUp: 2, measured: 6 }
    })
  ),
  base: (row) => label(row.includes("NDJSON") ? "againNdjson" : "againParquet"),
  rounds: 5,
  bounds: [
    ratio("againNdjsonKept", "processor time", 1.1, "againNdjson"),
    ratio("againParquetKept", "processor time", 1.1, "againParquet")
  ]
})

/** First loads of a table beside a COPY by hand into one like it. */
export const tables = (rows: number, database: NonNullable<Workload["database"]>): Part => ({
  suite: suite(
    `A table of PostgreSQL of ${count(2 * rows)} records of ten assets`,
    entries(["copyByHand", "table"], { ...endingAsOthers(2 * rows), database })
  ),
  rounds: 3,
  bounds: [ratio("table", "time", 1.3, "copyByHand")]
})

/** A first load of a table of DuckDB beside DuckDB that reads a file of the same reply. */
const duckdb = (of: string, workload: Workload): Part => ({
  suite: suite(`A table of DuckDB of ${count(total(workload))} ${of}`, entries(["duckdbByHand", "duckdb"], workload)),
  bounds: [ratio("duckdb", "time", 1.5, "duckdbByHand"), ratio("duckdb", "processor time", 1.5, "duckdbByHand")]
})

const sized = (name: Name, workload: Workload) => `${label(name)}, ${count(workload.assets.length * workload.rows)}`

/** Entries of two sizes each, and the bounds of their memory, in bytes. */
const twoSizes = (
  title: string,
  names: ReadonlyArray<Name>,
  sizes: readonly [Workload, Workload],
  limits: Partial<Record<"memory above the imports" | "memory", number>>,
  shown: ReadonlyArray<Name> = []
): Part => {
  const [small, large] = sizes
  const all = [...names, ...shown]
  const smaller = new Map(all.map((name) => [sized(name, large), sized(name, small)]))
  return {
    suite: suite(
      title,
      all.flatMap((name) => sizes.map((workload) => ({ label: sized(name, workload), name, workload })))
    ),
    base: (label) => smaller.get(label) ?? label,
    rounds: 3,
    bounds: names.flatMap((name) => [
      ...(["memory above the imports", "memory"] as const).flatMap((figure) =>
        sizes.flatMap((workload) => {
          const limit = limits[figure]
          return limit === undefined ? [] : [{ label: sized(name, workload), figure, limit, isHighest: true }]
        })
      ),
      { label: sized(name, large), figure: "memory", limit: 1.15, against: sized(name, small) }
    ])
  }
}

/** Ten assets whose records end where the others do. */
const endingAsOthers = (rows: number): Workload => ({ ...tenAssets(rows), start: before(rows / 10) })

const memory = (rows: number): Part => {
  // Both begin where the larger one ends with the data.
  const large: Workload = { ...oneAsset(5 * rows), start: before(5 * rows), metrics: mixed }
  return twoSizes(
    `Memory of ${count(rows)} and ${count(5 * rows)} records of one asset, no option of V8`,
    formats,
    [{ ...large, rows }, large],
    { "memory above the imports": 60e6, memory: 300e6 }
  )
}

const downloads = (rows: number): Part => {
  const limits = { ndjson: 0.6, csv: 0.9, parquet: 1.2 } as const
  const written = ["ndjson", "csv", "parquet"] as const
  return {
    suite: suite(
      `Downloads of ${count(rows)} records of ten assets, half of the values short, with checksum, fsync and manifest: by hand one request and no file`,
      entries(["pageLoop", "files", ...written], tenAssets(rows))
    ),
    // They hold for the time that passes and for the processor time of all threads.
    bounds: written.flatMap((name) => [ratio(name, "time", limits[name]), ratio(name, "processor time", limits[name])])
  }
}

/** With what every reader that is an Effect stream costs, however its records come, and with a function in place of a stream. */
const onePerFrame = ["liveBare", "liveStream", "liveSluice", "liveCallback"] as const

/** Live streams beside a bare loop over a WebSocket. */
const live = (
  title: string,
  names: ReadonlyArray<Name>,
  bounds: ReadonlyArray<Report.Bound>,
  how: Partial<Workload>
): Part => ({ suite: suite(title, entries(names, { ...oneAsset(0), ...how }), Server.frames), bounds })

/** All parts by name, for so many records of usual length. */
export const make = (rows: number): Readonly<Record<string, Part>> => ({
  mixed: kind("flat metric records, half of the values short", { ...oneAsset(2 * rows), metrics: mixed }, halfShort, [
    "bytes",
    "lines",
    "sluiceRecords"
  ]),
  long: kind("flat metric records, long decimals", oneAsset(2 * rows), long),
  wide: kind("wide records, 30 metrics", { ...oneAsset(rows / 5), metrics: alternating(30) }, halfShort),
  nulls: kind(
    "flat metric records, two of four values null in each fifth",
    { ...oneAsset(rows), metrics: ["PriceUSD", "OptUSD", "OptCnt", "M1Cnt"] },
    halfShort
  ),
  gzip: kind("flat metric records, gzip", { ...oneAsset(rows), metrics: mixed, gzip: true }),
  trades: kind("trades", oneMarket(rows, "trades"), trades),
  candles: kind("candles", oneMarket(rows, "candles"), long),
  books: kind("order books of 200 levels", oneMarket(rows / 100, "books"), parsed),
  markets: kind("nested markets of reference data", oneMarket(rows / 5, "markets"), parsed),
  names: kind("assets, one name in ten not ASCII", oneMarket(2 * rows, "names"), parsed),
  foreign: kind("assets, no name ASCII", oneMarket(2 * rows, "foreign"), parsed),
  escaped: kind("assets, each name with escapes", oneMarket(2 * rows, "escaped"), parsed),
  spaced: kind("flat metric records with white space", { ...oneAsset(rows), metrics: mixed, kind: "spaced" }, parsed),
  columns: columns("flat metric records, half of the values short,", { ...oneAsset(2 * rows), metrics: mixed }),
  columnsOfTrades: columns("trades", oneMarket(rows, "trades")),
  bulk: {
    suite: suite(
      `${count(2 * rows)} records of ten assets, half of the values short, ten parts at once`,
      entries(["pageLoop", "chains", "sluiceBulk"], tenAssets(2 * rows))
    ),
    bounds: [ratio("sluiceBulk", "processor time", 0.65)]
  },
  sequence: {
    suite: suite(
      `${count(rows)} records of one asset, half of the values short, page after page, 100 ms before every reply`,
      entries(["pageLoop", "sluicePages"], { ...oneAsset(rows), metrics: mixed }),
      Server.replies(100)
    ),
    bounds: [ratio("sluicePages", "time", 1)]
  },
  distant: {
    suite: suite(
      `${count(rows)} records of ten assets, half of the values short, 100 ms before every reply`,
      entries(["pageLoop", "chains", "sluicePages", "sluiceLines", "sluiceBulk"], tenAssets(rows)),
      Server.replies(100)
    ),
    bounds: [ratio("sluiceBulk", "time", 0.2), ratio("sluicePages", "time", 0.35), ratio("sluiceLines", "time", 0.35)]
  },
  memory: memory(2 * rows),
  downloads: downloads(2 * rows),
  downloadMemory: twoSizes(
    `Memory of downloads, ${count(2 * rows)} and ${count(10 * rows)} records of ten assets over ten permits`,
    ["ndjson", "csv", "parquet"],
    [tenAssets(2 * rows), tenAssets(10 * rows)],
    { memory: 300e6 }
  ),
  arrow: {
    suite: suite(
      `${count(2 * rows)} records of six columns as an Arrow stream, half of the values short`,
      entries(["arrowByHand", "arrow"], { ...oneAsset(2 * rows), metrics: mixed })
    ),
    bounds: [ratio("arrow", "processor time", 0.5, "arrowByHand")]
  },
  datasets: datasets(8 * rows),
  versions: versions(2 * rows),
  reads: reads(2 * rows),
  duckdb: duckdb("metric records of ten assets", endingAsOthers(2 * rows)),
  duckdbOfTrades: duckdb("trades", { ...oneMarket(2 * rows, "trades"), start: before(2 * rows) }),
  // The command as its users run it, whose memory is bounded, and the library in a process without options, whose memory is only
  // shown: there V8's young generation grows.
  datasetMemory: twoSizes(
    `Memory of first loads of a dataset, ${count(4 * rows)} and ${count(20 * rows)} records of ten assets`,
    ["command"],
    [endingAsOthers(4 * rows), endingAsOthers(20 * rows)],
    { "memory above the imports": 150e6 },
    ["dataset"]
  ),
  live: live(
    `${count(rows)} live frames at once, prepared by the server`,
    ["liveBare", "liveSluice"],
    [ratio("liveSluice", "time", 1.1, "liveBare")],
    { rows }
  ),
  burst: live(
    "200,000 live frames at once, in a process of 10 MB that has read nothing",
    ["liveBare", "liveSluice", "liveCallback"],
    [ratio("liveSluice", "memory", 1.37, "liveBare"), ratio("liveCallback", "memory", 1.37, "liveBare")],
    { rows: 200_000, warmUp: 0, held: 10 }
  ),
  paced: live(
    "3,000 live frames, one each millisecond: from sending to the callback",
    onePerFrame,
    [ratio("liveSluice", "delay", 1.1, "liveBare"), ratio("liveCallback", "delay", 1.1, "liveBare")],
    { rows: 3_000, pace: 1 }
  ),
  warm: live("300 live frames, 50 a second, after 100,000 at once", onePerFrame, [], {
    rows: 300,
    pace: 20,
    warmUp: 100_000
  }),
  cold: live("300 live frames, 50 a second, in a process that has read nothing", onePerFrame, [], {
    rows: 300,
    pace: 20,
    warmUp: 0
  })
})

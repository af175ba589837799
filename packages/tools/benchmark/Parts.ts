/**
 * The parts of the benchmark: what each measures, and the bounds it keeps.
 *
 * Over loopback a bound is of processor time, garbage collection included, because other programs on the machine change it
 * little. With latency it is of time.
 */
import { cases, type Name } from "./Cases.ts"
import * as DownloadCpu from "./DownloadCpu.ts"
import type * as Measure from "./Measure.ts"
import * as Report from "./Report.ts"
import * as Server from "./Server.ts"
import { before, type Workload } from "./Workload.ts"

/** One table of the benchmark. */
export interface Part {
  readonly suite: Measure.Suite
  /** The case that the ratios of a row are taken against. */
  readonly base: (label: string) => string
  readonly bounds: (measured: Report.Rounds) => ReadonlyArray<Report.Verdict>
  /** Rounds that are enough, where each takes long. */
  readonly rounds?: number
}

const label = (name: Name) => cases[name].label
const count = (records: number) => records.toLocaleString("en-US")
const base = label("pageLoop")
const toBase = () => base

const oneAsset = (rows: number): Workload => ({ assets: ["btc"], start: "2017-01-01T00:00:00Z", rows })

const oneMarket = (rows: number, kind: NonNullable<Workload["kind"]>): Workload => ({
  ...oneAsset(rows),
  assets: ["coinbase-btc-usd-spot"],
  kind
})

const tenAssets = (rows: number): Workload => ({
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

const entries = (names: ReadonlyArray<Name>, workload: Workload): ReadonlyArray<Measure.Entry> =>
  names.map((name) => ({ label: label(name), name, workload }))

const formats = ["sluicePages", "sluiceLines"] as const

/** The greatest ratios of pages and json_stream. */
interface Limits {
  readonly pages: number
  readonly lines: number
}

const bound = (rounds: Report.Rounds, what: string, name: Name, figure: Report.Figure, limit: number) => ({
  bound: `${what}: ${label(name)}, ${figure === Report.cpu ? "CPU" : "time"} ratio`,
  figure: Report.ratio(rounds, label(name), base, figure),
  limit
})

/** Pages and json_stream beside the page loop, over loopback. */
const kind = (of: string, workload: Workload, limits: Limits | undefined, others: ReadonlyArray<Name> = []): Part => ({
  suite: {
    title: `${count(workload.assets.length * workload.rows)} ${of}`,
    server: Server.replies(),
    entries: entries(["pageLoop", ...formats, ...others], workload)
  },
  base: toBase,
  bounds: (measured) =>
    limits === undefined
      ? []
      : [
          bound(measured, of, "sluicePages", Report.cpu, limits.pages),
          bound(measured, of, "sluiceLines", Report.cpu, limits.lines)
        ]
})

const halfShort: Limits = { pages: 0.6, lines: 0.5 }
const long: Limits = { pages: 0.75, lines: 0.65 }
const trades: Limits = { pages: 0.6, lines: 0.6 }
/** Of records that have to be parsed. */
const parsed: Limits = { pages: 1.1, lines: 1.1 }

const bulk = (rows: number): Part => ({
  suite: {
    title: `${count(rows)} records of ten assets, half of the values short, ten parts at once`,
    server: Server.replies(),
    entries: entries(["pageLoop", "chains", "sluiceBulk"], tenAssets(rows))
  },
  base: toBase,
  bounds: (measured) => [bound(measured, "ten assets", "sluiceBulk", Report.cpu, 0.65)]
})

/** First loads beside downloads, and a sync without news of many assets beside a loop by hand over the same page. */
const datasets = (rows: number): Part => {
  const many: Workload = {
    assets: Array.from({ length: 1_000 }, (_, index) => `a${index}`),
    start: before(3),
    rows: 3,
    metrics: mixed
  }
  const ten = { ...tenAssets(rows), start: before(rows / 10) }
  return {
    suite: {
      title: `A dataset of ${count(rows)} records of ten assets, and one of a thousand assets that is current`,
      server: Server.replies(),
      entries: [...entries(["parquet", "dataset"], ten), ...entries(["noNews"], many)]
    },
    base: () => label("parquet"),
    rounds: 3,
    bounds: (measured) => [
      {
        bound: "first load of a dataset beside a download, CPU ratio",
        figure: Report.ratio(measured, label("dataset"), label("parquet"), Report.cpu),
        limit: 1.15
      },
      {
        bound: "sync of a thousand assets without news, CPU seconds",
        figure: Report.typical(measured, label("noNews"), Report.cpu),
        limit: 0.5
      }
    ]
  }
}

const latency = Server.replies(100)

const sequence = (rows: number): Part => ({
  suite: {
    title: `${count(rows)} records of one asset, half of the values short, page after page, 100 ms before every reply`,
    server: latency,
    entries: entries(["pageLoop", "sluicePages"], { ...oneAsset(rows), metrics: mixed })
  },
  base: toBase,
  bounds: (measured) => [bound(measured, "100 ms, in sequence", "sluicePages", Report.seconds, 1)]
})

const distant = (rows: number): Part => ({
  suite: {
    title: `${count(rows)} records of ten assets, half of the values short, 100 ms before every reply`,
    server: latency,
    entries: entries(["pageLoop", "chains", "sluicePages", "sluiceLines", "sluiceBulk"], tenAssets(rows))
  },
  base: toBase,
  bounds: (measured) => [
    bound(measured, "100 ms, ten assets", "sluiceBulk", Report.seconds, 0.2),
    bound(measured, "100 ms, ten assets", "sluicePages", Report.seconds, 0.35),
    bound(measured, "100 ms, ten assets", "sluiceLines", Report.seconds, 0.35)
  ]
})

const sized = (name: Name, workload: Workload) => `${label(name)}, ${count(workload.assets.length * workload.rows)}`

/** The most memory of a process, in bytes. */
interface MemoryLimits {
  readonly aboveImports?: number
  readonly peak?: number
}

/** Entries of two sizes each, and the bounds of their memory. */
const twoSizes = (
  title: string,
  names: ReadonlyArray<Name>,
  [small, large]: readonly [Workload, Workload],
  { aboveImports, peak }: MemoryLimits
): Part => {
  const smaller = new Map(names.map((name) => [sized(name, large), sized(name, small)]))
  return {
    suite: {
      title,
      server: Server.replies(),
      entries: names.flatMap((name) =>
        [small, large].map((workload) => ({ label: sized(name, workload), name, workload }))
      )
    },
    base: (label) => smaller.get(label) ?? label,
    rounds: 3,
    bounds: (measured) =>
      names.flatMap((name) => {
        const both = [sized(name, small), sized(name, large)]
        const [first = "", second = ""] = both
        return [
          ...(aboveImports === undefined
            ? []
            : both.map((of) => ({
                bound: `${of}, highest peak above the imports`,
                figure: Report.highestGrowth(measured, [of]),
                limit: aboveImports,
                unit: "MB" as const
              }))),
          ...(peak === undefined
            ? []
            : [
                {
                  bound: `${label(name)}, highest peak of any round`,
                  figure: Report.highest(measured, both),
                  limit: peak,
                  unit: "MB" as const
                }
              ]),
          {
            bound: `${second} to ${first}, peak`,
            figure: Report.ratio(measured, second, first, Report.peak),
            limit: 1.15
          }
        ]
      })
  }
}

const memory = (rows: number): Part => {
  // Both begin where the larger one ends with the data.
  const large: Workload = { ...oneAsset(5 * rows), start: before(5 * rows), metrics: mixed }
  return twoSizes(
    `Memory of ${count(rows)} and ${count(5 * rows)} records of one asset, no option of V8`,
    formats,
    [{ ...large, rows }, large],
    { aboveImports: 60e6, peak: 300e6 }
  )
}

const downloadMemory = (rows: number): Part =>
  twoSizes(
    `Memory of downloads, ${count(rows)} and ${count(5 * rows)} records of ten assets over ten permits`,
    ["ndjson", "csv", "parquet"],
    [tenAssets(rows), tenAssets(5 * rows)],
    { peak: 300e6 }
  )

/** Ten assets whose records end where the others do. */
const endingAsOthers = (rows: number): Workload => ({ ...tenAssets(rows), start: before(rows / 10) })

/**
 * The command as its users run it, whose memory is bounded, and the library in a process without options, whose memory is only shown:
 * there V8's young generation grows.
 */
const datasetMemory = (rows: number): Part => {
  const title = `Memory of first loads of a dataset, ${count(rows)} and ${count(5 * rows)} records of ten assets`
  const sizes = [endingAsOthers(rows), endingAsOthers(5 * rows)] as const
  const command = twoSizes(title, ["command"], sizes, { aboveImports: 150e6 })
  const shown = twoSizes(title, ["dataset"], sizes, {})
  return {
    ...command,
    suite: { ...command.suite, entries: [...command.suite.entries, ...shown.suite.entries] },
    base: (label) => shown.base(command.base(label))
  }
}

const downloads = (rows: number): Part => ({
  suite: DownloadCpu.suite(tenAssets(rows), count(rows)),
  base: DownloadCpu.baseline,
  bounds: DownloadCpu.verdicts
})

/** All parts by name, for so many records of usual length. */
export const make = (rows: number) =>
  ({
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
    gzip: kind("flat metric records, gzip", { ...oneAsset(rows), metrics: mixed, gzip: true }, undefined),
    trades: kind("trades", oneMarket(rows, "trades"), trades),
    candles: kind("candles", oneMarket(rows, "candles"), long),
    books: kind("order books of 200 levels", oneMarket(rows / 100, "books"), parsed),
    markets: kind("nested markets of reference data", oneMarket(rows / 5, "markets"), parsed),
    names: kind("assets, one name in ten not ASCII", oneMarket(2 * rows, "names"), parsed),
    foreign: kind("assets, no name ASCII", oneMarket(2 * rows, "foreign"), parsed),
    escaped: kind("assets, each name with escapes", oneMarket(2 * rows, "escaped"), parsed),
    spaced: kind("flat metric records with white space", { ...oneAsset(rows), metrics: mixed, kind: "spaced" }, parsed),
    bulk: bulk(2 * rows),
    sequence: sequence(rows),
    distant: distant(rows),
    memory: memory(2 * rows),
    downloads: downloads(2 * rows),
    downloadMemory: downloadMemory(2 * rows),
    datasets: datasets(2 * rows),
    datasetMemory: datasetMemory(4 * rows)
  }) satisfies Readonly<Record<string, Part>>

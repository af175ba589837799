/**
 * `pnpm bench`: Sluice against the code people write by hand, over a loopback connection to the sandbox.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import { cases, type Name } from "./Cases.ts"
import * as DownloadCpu from "./DownloadCpu.ts"
import * as Measure from "./Measure.ts"
import * as Report from "./Report.ts"
import * as Startup from "./Startup.ts"
import { pageSize, type Workload } from "./Workload.ts"

/** A bound was missed; the table of bounds has said which. */
class BoundMissed extends Data.TaggedError("BoundMissed") {
  override readonly [Runtime.errorReported] = false
}

const names = ["bytes", "baseline", "lines", "sluicePages", "sluiceLines", "sluiceRecords"] as const
const formats = ["ndjson", "csv", "parquet"] as const
const label = (name: Name) => cases[name].label
const baseline = () => label("baseline")
const byHand = () => label("files")
const millis = (seconds: number) => `${Math.round(seconds * 1000)} ms`
const count = (records: number) => records.toLocaleString("en-US")

const oneAsset = (rows: number): Workload => ({ assets: ["btc"], start: "2017-01-01T00:00:00Z", rows })

// All listed before the first minute, so that each has all its rows.
const tenAssets = (rows: number): Workload => ({
  assets: ["ada", "bch", "bnb", "btc", "doge", "eth", "link", "ltc", "trx", "xrp"],
  start: "2022-01-01T00:00:00Z",
  rows: Math.ceil(rows / 10)
})

/** The option of Node that the command `sluice` runs with, and that the README names for programs that run long. */
const flags = ["--max-semi-space-size=8"]

/** Code written by hand runs as Node comes. */
const entryOf = (name: Name, workload: Workload): Measure.Entry => ({
  label: label(name),
  name,
  workload,
  ...(byHandNames.has(name) ? {} : { flags })
})

const byHandNames: ReadonlySet<Name> = new Set(["bytes", "baseline", "lines", "files", "liveBare"])

const plain = (rows: number): Measure.Suite => ({
  title: `${count(rows)} records of one asset`,
  server: {},
  entries: names.map((name) => entryOf(name, oneAsset(rows)))
})

/** Names that `Replies.ts` gives long decimals and short counts in turns. */
const alternating = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    index === 0 ? "PriceUSD" : `M${index}${index % 2 === 0 ? "USD" : "Cnt"}`
  )

const kinds = [
  { of: "flat metric records, half of the values short", metrics: alternating(4), share: 1 },
  { of: "wide records, 30 metrics", metrics: alternating(30), share: 0.2 },
  { of: "null in each fifth record", metrics: ["PriceUSD", "OptUSD", "OptCnt", "M1Cnt"], share: 1 }
] as const

const realistic = (rows: number, { metrics, of, share }: (typeof kinds)[number]): Measure.Suite => ({
  title: `${count(rows * share)} ${of}`,
  server: { isRealistic: true },
  entries: names
    .filter((name) => name !== "sluiceRecords")
    .map((name) => entryOf(name, { ...oneAsset(rows * share), metrics }))
})

const bulk = (rows: number, latency?: "100ms"): Measure.Suite => ({
  title: `${count(rows)} records of ten assets, half of the values short, ten parts at once${latency === undefined ? "" : ", 100 ms before every reply"}`,
  server: { isRealistic: true, ...(latency === undefined ? {} : { latency }) },
  entries: (["baseline", "sluiceBulk"] as const).map((name) =>
    entryOf(name, { ...tenAssets(rows), metrics: kinds[0].metrics })
  )
})

const sequence = (rows: number): Measure.Suite => ({
  title: `${count(rows)} records of one asset, half of the values short, page after page, 100 ms before every reply`,
  server: { isRealistic: true, latency: "100ms" },
  entries: (["baseline", "sluicePages"] as const).map((name) =>
    entryOf(name, { ...oneAsset(rows), metrics: kinds[0].metrics })
  )
})

const distant = (rows: number): Measure.Suite => ({
  title: `${count(rows)} records of ten assets, 100 ms before every reply: by hand one request after another, Sluice one stream an asset`,
  server: { latency: "100ms" },
  entries: names.map((name) => entryOf(name, tenAssets(rows)))
})

const streaming = ["sluicePages", "sluiceLines"] as const
const sized = (name: Name, rows: number) => `${label(name)}, ${count(rows)}`

const bare = (label: string) => `${label}, no option`

const memory = (rows: number): Measure.Suite => ({
  title: `Memory, ${count(rows)} against ${count(5 * rows)} records of one asset, with ${flags.join(" ")} and without`,
  server: {},
  entries: streaming.flatMap((name) =>
    [rows, 5 * rows].flatMap((rows) => [
      { label: sized(name, rows), name, flags, workload: oneAsset(rows) },
      { label: bare(sized(name, rows)), name, workload: oneAsset(rows) }
    ])
  )
})

const download = (rows: number): Measure.Suite => ({
  title: `Downloads of ${count(rows)} records of ten assets into files: by hand one after another, Sluice a file of a month and an asset each`,
  server: {},
  entries: (["files", ...formats] as const).map((name) => entryOf(name, tenAssets(rows)))
})

const downloadMemory = (rows: number): Measure.Suite => ({
  title: `Memory of downloads, ${count(2 * rows)} against ${count(10 * rows)} records of ten assets over ten permits`,
  server: {},
  entries: formats.flatMap((name) =>
    [2 * rows, 10 * rows].map((rows) => ({ label: sized(name, rows), name, flags, workload: tenAssets(rows) }))
  )
})

const live = (rows: number): Measure.Suite => ({
  title: `${count(rows)} live frames at once, prepared by the server`,
  server: { isLive: true },
  entries: (["liveBare", "liveSluice"] as const).map((name) => entryOf(name, oneAsset(rows)))
})

const livePaced = (rows: number): Measure.Suite => ({
  title: `${count(rows)} live frames, one each millisecond: from sending to the callback`,
  server: { isLive: true },
  entries: (["liveBare", "liveSluice"] as const).map((name) => entryOf(name, { ...oneAsset(rows), pace: 1 }))
})

const micros = (seconds: number) => `${Math.round(seconds * 1e6)} µs`

const delays = (rounds: Report.Rounds) =>
  Report.align([
    ["case", "median delay", "ratio"],
    ...(["liveBare", "liveSluice"] as const).map((name) => [
      label(name),
      micros(Report.typical(rounds, label(name), Report.delay)),
      Report.ratio(rounds, label(name), label("liveBare"), Report.delay).toFixed(2)
    ])
  ])

const againstBare = (rounds: Report.Rounds, figure: Report.Figure) =>
  Report.ratio(rounds, label("liveSluice"), label("liveBare"), figure)

const liveVerdicts = (burst: Report.Rounds, paced: Report.Rounds): ReadonlyArray<Report.Verdict> => [
  { bound: "Sluice live, frames at once, ratio", figure: againstBare(burst, Report.seconds), limit: 1.1 },
  { bound: "Sluice live, median delay, ratio", figure: againstBare(paced, Report.delay), limit: 1.1 }
]

const how = (rounds: number) =>
  `Medians of ${rounds} alternating rounds, each case in a fresh process after a warm-up of its own, the server in another;
loopback, plain bytes, pages of ${count(pageSize)}, the same query for all. A ratio is taken against the base of the same round, then
the median. Peak RSS is that of the whole process of the case. Sluice runs with the option of Node that the command
\`sluice\` runs with, ${flags.join(" ")}, where no other is named: without, V8 doubles its young generation at some record
or other, whatever the code. Code written by hand runs as Node comes.`

const ratio = (rounds: Report.Rounds, name: Name) => Report.ratio(rounds, label(name), baseline(), Report.seconds)

interface Measured {
  readonly near: Report.Rounds
  /** Of the first of the realistic kinds. */
  readonly mixed: Report.Rounds
  readonly far: Report.Rounds
  /** Pages of one stream, 100 ms before every reply. */
  readonly inSequence: Report.Rounds
  readonly bulkNear: Report.Rounds
  readonly bulkFar: Report.Rounds
  readonly large: Report.Rounds
  readonly files: Report.Rounds
  readonly burst: Report.Rounds
  readonly paced: Report.Rounds
  readonly downloads: Report.Rounds
  /** Seconds of `sluice --version`. */
  readonly version: number
}

const verdicts = (rows: number, measured: Measured) => {
  const { bulkFar, bulkNear, burst, downloads, far, files, inSequence, large, mixed, near, paced, version } = measured
  const highest = (name: Name) =>
    Math.max(
      Report.highest(near, [label(name)]),
      Report.highest(far, [label(name)]),
      Report.highest(large, [sized(name, rows), sized(name, 5 * rows)])
    )
  const growth = (name: Name) => Report.ratio(large, sized(name, 5 * rows), sized(name, rows), Report.peak)
  return [
    { bound: "Sluice pages, long decimals, ratio", figure: ratio(near, "sluicePages"), limit: 0.75 },
    { bound: "Sluice json_stream, long decimals, ratio", figure: ratio(near, "sluiceLines"), limit: 0.65 },
    { bound: "Sluice pages, half of the values short, ratio", figure: ratio(mixed, "sluicePages"), limit: 0.6 },
    { bound: "Sluice json_stream, half of the values short, ratio", figure: ratio(mixed, "sluiceLines"), limit: 0.5 },
    { bound: "Sluice Bulk, ten parts at once, ratio", figure: ratio(bulkNear, "sluiceBulk"), limit: 0.65 },
    { bound: "Sluice Bulk, 100 ms, ratio", figure: ratio(bulkFar, "sluiceBulk"), limit: 0.2 },
    { bound: "Sluice pages in sequence, 100 ms, ratio", figure: ratio(inSequence, "sluicePages"), limit: 1 },
    ...streaming.flatMap((name) =>
      [rows, 5 * rows].map((rows) => ({
        bound: `${bare(sized(name, rows))}, highest peak RSS above that of the imports`,
        figure: Report.highestGrowth(large, [bare(sized(name, rows))]),
        limit: 60e6,
        unit: "MB" as const
      }))
    ),
    { bound: "Sluice pages, 100 ms and split, ratio", figure: ratio(far, "sluicePages"), limit: 0.35 },
    { bound: "Sluice json_stream, 100 ms and split, ratio", figure: ratio(far, "sluiceLines"), limit: 0.35 },
    ...streaming.map((name) => ({
      bound: `${label(name)}, highest peak RSS of any round`,
      figure: highest(name),
      limit: 300e6,
      unit: "MB" as const
    })),
    ...streaming.map((name) => ({
      bound: `${label(name)}, peak RSS at ${count(5 * rows)} to ${count(rows)}`,
      figure: growth(name),
      limit: 1.15
    })),
    ...DownloadCpu.verdicts(downloads),
    ...formats.map((name) => ({
      bound: `${label(name)}, highest peak RSS of any round`,
      figure: Report.highest(files, [sized(name, 2 * rows), sized(name, 10 * rows)]),
      limit: 300e6,
      unit: "MB" as const
    })),
    ...formats.map((name) => ({
      bound: `${label(name)}, peak RSS at ${count(10 * rows)} to ${count(2 * rows)}`,
      figure: Report.ratio(files, sized(name, 10 * rows), sized(name, 2 * rows), Report.peak),
      limit: 1.15
    })),
    ...liveVerdicts(burst, paced),
    { bound: "sluice --version, seconds", figure: version, limit: 0.5 }
  ] satisfies ReadonlyArray<Report.Verdict>
}

const rounds = Flag.Int("rounds").pipe(
  Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 99 }))),
  Flag.withDescription("Rounds that count; 3, or 1 with --quick"),
  Flag.optional
)

const rows = Flag.Int("rows").pipe(
  Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 10, maximum: 1_000_000 }))),
  Flag.withDescription("Records of the smaller runs, up to 1000000; that, or 100000 with --quick"),
  Flag.optional
)

const quick = Flag.Boolean("quick").pipe(
  Flag.withDescription("A smoke run: fewer records, one round, no bounds"),
  Flag.withDefault(false)
)

const onlyLive = Flag.Boolean("live").pipe(Flag.withDescription("Measures live streams only"), Flag.withDefault(false))

const command = Command.make(
  "bench",
  { rounds, rows, quick, live: onlyLive },
  Effect.fnUntraced(function* (options) {
    const rounds = Option.getOrElse(options.rounds, () => (options.quick ? 1 : 3))
    const rows = Option.getOrElse(options.rows, () => (options.quick ? 100_000 : 1_000_000))
    const measure = Effect.fnUntraced(function* (
      suite: Measure.Suite,
      base: (label: string) => string,
      figure: Report.Figure
    ) {
      const measured = yield* Measure.run(suite, rounds)
      yield* Console.log(`\n${suite.title}\n\n${Report.table(measured, base, figure)}`)
      return measured
    })
    const smaller = (name: string) =>
      name.replace(count(5 * rows), count(rows)).replace(count(10 * rows), count(2 * rows))
    const followed = Effect.gen(function* () {
      const burst = yield* measure(live(rows / 2), () => label("liveBare"), Report.seconds)
      const paced = yield* Measure.run(livePaced(3_000), rounds)
      yield* Console.log(`\n${livePaced(3_000).title}\n\n${delays(paced)}`)
      return { burst, paced }
    })
    if (options.live) {
      const { burst, paced } = yield* followed
      const all = liveVerdicts(burst, paced)
      yield* Console.log(`\n${Report.verdicts(all)}`)
      return yield* options.quick || all.every(Report.isKept) ? Effect.void : new BoundMissed()
    }
    const near = yield* measure(plain(rows), baseline, Report.seconds)
    const others = yield* Effect.forEach(kinds, (kind) => measure(realistic(rows, kind), baseline, Report.seconds))
    const far = yield* measure(distant(rows), baseline, Report.seconds)
    const bulkNear = yield* measure(bulk(rows), baseline, Report.seconds)
    const bulkFar = yield* measure(bulk(rows, "100ms"), baseline, Report.seconds)
    const inSequence = yield* measure(sequence(rows), baseline, Report.seconds)
    const large = yield* measure(memory(rows), smaller, Report.peak)
    yield* measure(download(rows), byHand, Report.seconds)
    const written = DownloadCpu.suite({ ...tenAssets(rows), metrics: alternating(4) }, count(rows), flags)
    const downloads = yield* measure(written, DownloadCpu.baseline, Report.cpu)
    const files = yield* measure(downloadMemory(rows), smaller, Report.peak)
    const { burst, paced } = yield* followed
    const { idle, version } = yield* Startup.measure(3 * rounds)
    yield* Console.log(`\nFrom start to end: sluice --version ${millis(version)}, node -e 0 ${millis(idle)}`)
    yield* Console.log(`\n${how(rounds)}`)
    if (options.quick) return yield* Console.log("\nA quick run: bounds are not checked.")
    const all = verdicts(rows, {
      near,
      burst,
      paced,
      mixed: others[0]!,
      far,
      inSequence,
      bulkNear,
      bulkFar,
      large,
      downloads,
      files,
      version
    })
    yield* Console.log(`\n${Report.verdicts(all)}`)
    if (!all.every(Report.isKept)) return yield* new BoundMissed()
  })
).pipe(Command.withDescription("Measures Sluice against hand-written code"))

command.pipe(Command.run({ version: "0.1.0" }), Effect.provide(NodeServices.layer), NodeRuntime.runMain())

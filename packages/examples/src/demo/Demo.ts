/**
 * The demo, phase by phase: read what there is, download it, read the files back, say what was found.
 */
import * as CandleRows from "@sluice/cli/chart/CandleRows"
import * as Chart from "@sluice/cli/chart/Chart"
import * as Frame from "@sluice/cli/chart/Frame"
import * as LineRows from "@sluice/cli/chart/LineRows"
import * as Text from "@sluice/cli/chart/Text"
import { Decimal, Timestamp, TokenMetrics } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import { Sandbox } from "@sluice/sandbox"
import { DateTime, Effect, Path, Redacted, Result, Schema, Stream } from "effect"
import * as Audit from "./Audit.ts"
import * as Download from "./Download.ts"
import * as Files from "./Files.ts"
import * as Progress from "./Progress.ts"
import { whole } from "./Progress.ts"
import * as Screen from "./Screen.ts"
import * as Summary from "./Summary.ts"
import * as Traffic from "./Traffic.ts"

/** The files do not hold what they should. */
export class Incomplete extends Schema.TaggedError<Incomplete>()("Incomplete", {
  lost: Schema.Int,
  repeated: Schema.Int,
  foreign: Schema.Int
}) {
  override get message() {
    return `the files are not what was asked for: ${this.lost} records are lost, ${this.repeated} are repeated and ${this.foreign} do not belong there`
  }
}

/** What one run does. */
export interface Settings {
  /** Where the files go. */
  readonly directory: string
  /** What is downloaded besides the token metrics. */
  readonly bulk?: Download.Bulk | undefined
}

const assets = "aave,ada,algo,atom,avax,bch,bnb,btc,doge,dot,etc,eth,fil,hbar,icp,link,ltc,near,sol,trx,uni,xlm,xmr,xrp"

/** The run of `pnpm demo`: 24 assets times 44,640 minutes are 1,071,360 records; the candles of two markets are 1,488. */
export const standard: Settings & { readonly bulk: Download.Bulk } = {
  directory: "out/demo",
  bulk: {
    assets: assets.split(","),
    markets: ["coinbase-btc-usd-spot", "coinbase-eth-usd-spot"],
    from: "2026-10-01T00:00:00Z",
    to: "2026-10-31T23:59:00Z"
  }
}

/**
 * One 429 and one connection cut in the middle of a page, both well into the bulk download.
 *
 * The 429 names a second of its own: with the usual headers it would ask to wait until the window is over.
 */
export const standardFaults = "status=429;after=40;times=1;headers=none;retry-after=1,reset-after=2000;after=80;times=1"

/** Runs against the stand-in service in force, with faults injected on the way. */
export const onSandbox = Effect.fn("Demo.onSandbox")(function* (settings: Settings, faults: string) {
  const sandbox = yield* Sandbox.Sandbox
  const about = [
    "A stand-in for the service runs in this process. On the way it answers one",
    "request with 429, and cuts the connection of another in the middle of a page."
  ]
  // The stand-in knows what it did, the client what it met: the summary tells the first.
  const counted = Effect.map(sandbox.stats, ({ faults, rejected }) => ({
    limited: rejected,
    broken: (faults["reset"] ?? 0) + (faults["reset-after"] ?? 0),
    countedBy: "the service"
  }))
  return yield* Effect.provide(
    run(settings, about, () => counted),
    NodeClient.layer({ root: sandbox.faultUrl(faults), apiKey: Redacted.make("sandbox-download"), gzip: false })
  )
})

/** Reads the token metrics of the service that the environment names. */
export const onService = Effect.fn("Demo.onService")(function* (directory: string) {
  const about = ["The token metrics of the service at SLUICE_BASE_URL."]
  return yield* Effect.provide(run({ directory }, about, countedByClient), NodeClient.layerConfig())
})

const countedByClient = ({ broken, limited }: Traffic.Traffic) =>
  Effect.succeed({ limited, broken, countedBy: "the client" })

type CountFaults = (seen: Traffic.Traffic) => Effect.Effect<Omit<Summary.Faults, "held">>

const run = Effect.fn("Demo.run")(function* (
  settings: Settings,
  about: ReadonlyArray<string>,
  countFaults: CountFaults
) {
  const { print, style } = yield* Screen.Screen
  yield* print(style.bold("Sluice"), ...about.map(style.dim))
  const traffic = yield* Traffic.watch
  const yardstick = yield* readReference(settings)
  const targets = yield* download(settings, yardstick, traffic)
  const groups = yield* readBack(targets)
  const seen = yield* traffic
  const report: Summary.Report = {
    groups,
    faults: { ...(yield* countFaults(seen)), held: seen.held },
    against: yardstick.described
  }
  yield* sumUp(settings, report)
  yield* draw(targets.tokens.path)
  if (settings.bulk !== undefined) yield* drawCandles(targets.candles, settings.bulk.markets)
  const { foreign, lost, repeated } = Summary.total(groups.flatMap(({ files }) => files))
  if (lost + repeated + foreign > 0) return yield* new Incomplete({ lost, repeated, foreign })
  return report
}, Effect.scoped)

/** What the files are held against. */
interface Yardstick {
  /** The minutes every asset of the bulk download has. */
  readonly minutes: ReadonlyArray<string>
  /** The hours every market has candles of. */
  readonly hours: ReadonlyArray<string>
  /** The keys of all token metrics. */
  readonly days: ReadonlyArray<string>
  readonly described: ReadonlyArray<string>
}

const readReference = Effect.fnUntraced(function* ({ bulk }: Settings) {
  yield* heading(1, bulk === undefined ? "What to expect" : "Reference data")
  if (bulk !== undefined) {
    const { assets, exchanges, markets, metrics } = yield* Download.reference
    yield* say(
      `${whole(assets)} assets, ${whole(exchanges)} exchanges, ${whole(markets)} markets, ${whole(metrics)} asset metrics`
    )
  }
  const days = yield* Download.tokenKeys
  const minutes = bulk === undefined ? [] : Audit.calendar(bulk.from, bulk.to, "1 minute")
  const hours = bulk === undefined ? [] : Audit.calendar(bulk.from, bulk.to, "1 hour")
  const total = whole(minutes.length * (bulk?.assets.length ?? 0))
  if (bulk !== undefined) {
    yield* say(`${total} minutes expected by the calendar, ${bulk.from.slice(0, 10)} to ${bulk.to.slice(0, 10)}`)
  }
  if (bulk !== undefined)
    yield* say(
      `${whole(hours.length * bulk.markets.length).padStart(total.length)} hours of candles expected by the same`
    )
  const first = whole(days.length).padStart(total.length)
  yield* say(`${first} days of token metrics expected by a first reading, as JSON lines`)
  const described = [
    "by reading the files back and comparing every (asset, time):",
    ...(bulk === undefined ? [] : ["minutes and candles with the calendar of the interval;"]),
    "the token metrics with that first reading"
  ]
  return { minutes, hours, days, described } satisfies Yardstick
})

/** A file, and the keys of the records that should be in it. */
interface Target {
  readonly name: string
  readonly path: string
  readonly keys: () => ReadonlyArray<string>
}

/** All files of a run. */
interface Targets {
  readonly rates: ReadonlyArray<Target>
  readonly tokens: Target
  readonly candles: ReadonlyArray<Target>
  /** How many records they should hold. */
  readonly expected: number
}

/** The folder of the prices, in that of the run. */
const ratesFolder = "asset-metrics"

/** The folder of the candles, in that of the run. */
const candlesFolder = "market-candles"

/** The folder of the token metrics, in that of the run. */
const tokensFolder = "tokens"

const download = Effect.fnUntraced(function* (
  { bulk, directory }: Settings,
  { days, hours, minutes }: Yardstick,
  traffic: Effect.Effect<Traffic.Traffic>
) {
  yield* heading(2, "Bulk download")
  const { join } = yield* Path.Path
  const assets = bulk?.assets ?? []
  const markets = bulk?.markets ?? []
  const tokens = `the token metrics of ${Download.tokenAssets.join(", ")} by the day`
  yield* say(bulk === undefined ? tokens : `${assets.length} assets by the minute, and ${tokens}`)
  if (bulk !== undefined) yield* say(`beside them the candles of ${markets.length} markets by the hour`)
  const folders = {
    rates: join(directory, ratesFolder),
    candles: join(directory, candlesFolder),
    tokens: join(directory, tokensFolder)
  }
  yield* Effect.forEach([folders.rates, folders.candles, folders.tokens], Files.forget)
  const expected = assets.length * minutes.length + markets.length * hours.length + days.length
  const saved = yield* Progress.during({ expected, traffic }, ({ follow }) =>
    Effect.all(
      {
        rates: bulk === undefined ? Effect.succeed([]) : follow(Download.rates(bulk, folders.rates)),
        candles: bulk === undefined ? Effect.succeed([]) : follow(Download.candles(bulk, folders.candles)),
        tokens: follow(Download.tokens(folders.tokens))
      },
      { concurrency: "unbounded" }
    )
  )
  yield* done(saved)
  const target = (folder: string, file: string, keys: Target["keys"]): Target => {
    const name = `${folder}/${file}`
    return { name, path: join(directory, name), keys }
  }
  const [table = ""] = saved.value.tokens
  return {
    // A file of each asset, in their order.
    rates: saved.value.rates.map((file, part) =>
      target(ratesFolder, file, () => minutes.map((time) => Audit.key({ asset: assets[part] ?? "", time })))
    ),
    candles: saved.value.candles.map((file, part) =>
      target(candlesFolder, file, () =>
        hours.map((time) => Audit.key(Download.candleKey({ market: markets[part] ?? "", time })))
      )
    ),
    tokens: target(tokensFolder, table, () => days),
    expected
  } satisfies Targets
})

const readBack = Effect.fnUntraced(function* ({ candles, expected, rates, tokens }: Targets) {
  yield* heading(3, "Reading back")
  const read = yield* Progress.during({ expected }, ({ count }) => {
    const audit = <E, R>({ keys, name }: Target, rows: Stream.Stream<Audit.Row, E, R>) =>
      Effect.map(Audit.against(count(rows), keys()), (audit): Summary.File => ({ name, audit }))
    return Effect.all([
      Effect.forEach(rates, (target) => audit(target, Files.readNdjson(target.path, Audit.Row))),
      Effect.forEach(candles, (target) =>
        audit(target, Stream.map(Files.readCsv(target.path, Download.CandleRow), Download.candleKey))
      ),
      audit(tokens, Files.readCsv(tokens.path, Audit.Row))
    ])
  })
  yield* done(read)
  const [bulk, candleTables, table] = read.value
  const groups: ReadonlyArray<Summary.Group> = [
    { name: `${ratesFolder}/*.ndjson`, files: bulk },
    { name: `${candlesFolder}/*.csv`, files: candleTables },
    { name: table.name, files: [table] }
  ]
  return groups
})

const sumUp = Effect.fnUntraced(function* ({ directory }: Settings, report: Summary.Report) {
  const { print, style } = yield* Screen.Screen
  yield* heading(4, `Summary of ${directory}`)
  yield* print(...Summary.lines(report, style))
})

/** The frame of the charts: names and scales before the axis, and 64 columns behind it. */
const frameOf = ({ accent, good, warn }: Screen.Style, height: number): Frame.Frame => ({
  width: 77,
  margin: 11,
  height,
  isAscii: false,
  paints: [accent],
  up: good,
  down: warn,
  dim: (text) => text
})

const millisOf = (time: string) =>
  Result.match(Timestamp.toDateTime(time), { onFailure: () => undefined, onSuccess: DateTime.toEpochMillis })

const draw = Effect.fnUntraced(function* (path: string) {
  const { print, style } = yield* Screen.Screen
  const rows = yield* Stream.runCollect(Files.readCsv(path, Download.TokenRow))
  const lines = Download.tokenAssets.map((asset) => {
    const line = Chart.line(`   ${asset}`)
    for (const { asset: of, time, TxTknCnt } of rows) {
      const [at, value] = [millisOf(time), Decimal.toNumber(TxTknCnt ?? "")]
      if (of === asset && at !== undefined && Result.isSuccess(value)) line.add({ at, value: value.success })
    }
    return line.end()
  })
  const times = Chart.timesOf({ _tag: "Lines", title: "", isLog: false, lines })
  if (times === undefined) return
  const { name, unit } = TokenMetrics.TxTknCnt
  const frame = frameOf(style, 3)
  yield* print("", `   ${style.bold("TxTknCnt")}  ${name}, ${unit.toLowerCase()} per day`, "")
  for (const line of lines) yield* print(...LineRows.draw([line], times, frame, { name: line.name }))
  yield* print(...Frame.axis(times, frame))
})

const drawCandles = Effect.fnUntraced(function* (tables: ReadonlyArray<Target>, names: ReadonlyArray<string>) {
  const { print, style } = yield* Screen.Screen
  const markets = yield* Effect.forEach(tables, ({ path }, part) =>
    Effect.map(Stream.runCollect(Files.readCsv(path, Download.CandleRow)), (rows) => {
      const market = Chart.market(`   ${names[part]?.split("-")[1]}`)
      for (const row of rows) {
        const [open, close] = [Number(row.price_open), Number(row.price_close)]
        const [high, low] = [Number(row.price_high), Number(row.price_low)]
        market.add({ at: millisOf(row.time) ?? 0, open, close, high, low })
      }
      return market.end()
    })
  )
  const times = Chart.timesOf({ _tag: "Candles", title: "", isLog: false, markets })
  const [first] = markets
  if (times === undefined || first === undefined) return
  const frame = frameOf(style, 6)
  const each = Text.lengthOf(Chart.fold(first, times, Frame.roomOf(frame)).each)
  yield* print("", `   ${style.bold("market-candles")}  US dollars; a candle is ${each}`, "")
  for (const market of markets) yield* print(...CandleRows.draw(market, times, frame, { name: market.name }))
  yield* print(...Frame.axis(times, frame))
})

const heading = Effect.fnUntraced(function* (number: number, title: string) {
  const { print, style } = yield* Screen.Screen
  yield* print("", `${style.accent(String(number))}  ${style.bold(title)}`)
})

const say = Effect.fnUntraced(function* (...lines: ReadonlyArray<string>) {
  const { print } = yield* Screen.Screen
  yield* print(...lines.map((line) => `   ${line}`))
})

const done = Effect.fnUntraced(function* ({ records, seconds }: Progress.Done<unknown>) {
  const { print, style } = yield* Screen.Screen
  const rate = whole(records / Math.max(0.001, seconds))
  yield* print(`   ${style.good("✓")} ${whole(records)} records in ${seconds.toFixed(1)} s, ${rate}/s`)
})

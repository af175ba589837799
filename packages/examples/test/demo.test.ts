import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Sandbox } from "@sluice/sandbox"
import { ConfigProvider, Console, Effect, FileSystem, Layer, Metric, Ref, Sink, Stdio, Stream, String } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import * as Programs from "../../core/test/Programs.ts"
import * as Audit from "../src/demo/Audit.ts"
import * as Command from "../src/demo/Command.ts"
import * as Demo from "../src/demo/Demo.ts"
import * as Files from "../src/demo/Files.ts"
import * as Screen from "../src/demo/Screen.ts"

/** A screen that remembers what was written on it. */
const recorded = (isTerminal: boolean, env: Record<string, string> = {}) =>
  Effect.gen(function* () {
    const written = yield* Ref.make("")
    const stdout = () =>
      Sink.forEach((text: string | Uint8Array) => Ref.update(written, (before) => `${before}${text}`))
    const screen = Screen.layer.pipe(
      Layer.provide(Stdio.layerTest({ stdout, stdoutIsTerminal: Effect.succeed(isTerminal) })),
      Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env })))
    )
    return { screen, written: Ref.get(written) }
  })

const temporary = Effect.flatMap(FileSystem.FileSystem, (fs) => fs.makeTempDirectoryScoped())

const bulk = {
  assets: ["ada", "btc", "eth", "xrp"],
  markets: ["coinbase-btc-usd-spot", "coinbase-eth-usd-spot"],
  from: "2026-10-01T00:00:00Z",
  to: "2026-10-02T23:59:00Z"
}
const minutes = 2 * 1440

// Eleven requests come before the records: the reference data, a first reading of the token metrics, and the first look at
// the ends of the three downloads.
const faults = "status=429;after=12;times=1;headers=none;retry-after=1,reset-after=2000;after=14;times=1"

describe("the demo", () => {
  it.live("meets a 429 and a cut connection, and has every record once", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const directory = yield* temporary
      const { screen, written } = yield* recorded(false)
      const { groups, faults: met } = yield* Demo.onSandbox({ directory, bulk }, faults).pipe(
        Effect.provide([screen, Sandbox.layer()]),
        Effect.provideService(Metric.MetricRegistry, new Map())
      )
      const [rates, candles, csv] = groups.map(({ files }) => files)

      assert.deepStrictEqual(
        rates,
        bulk.assets.map((asset) => ({
          name: `asset-metrics/${asset}.ndjson`,
          audit: { records: minutes, lost: 0, repeated: 0, foreign: 0 }
        }))
      )
      assert.deepStrictEqual(
        candles,
        bulk.markets.map((market) => ({
          name: `market-candles/${market}.csv`,
          audit: { records: 48, lost: 0, repeated: 0, foreign: 0 }
        }))
      )
      assert.deepStrictEqual({ ...csv?.[0]?.audit, records: 0 }, { records: 0, lost: 0, repeated: 0, foreign: 0 })
      assert.deepStrictEqual([met.limited, met.broken, met.countedBy], [1, 1, "the service"])

      const found = (yield* fs.readDirectory(directory, { recursive: true })).toSorted()
      assert.deepStrictEqual(
        found.filter((name) => !name.includes(".sluice")),
        [
          "asset-metrics",
          ...bulk.assets.map((asset) => `asset-metrics/${asset}.ndjson`),
          "market-candles",
          ...bulk.markets.map((market) => `market-candles/${market}.csv`),
          "tokens",
          "tokens/asset-metrics.csv"
        ]
      )
      const table = yield* fs.readFileString(`${directory}/tokens/asset-metrics.csv`)
      assert.match(table, /^asset,time,TxTknCnt,TxERC20Cnt,TxERC721Cnt,TxERC1155Cnt\r\netc,2015-[^\n]*,\r\n/)
      assert.notInclude(table, "null")

      const output = yield* written
      assert.include(output, "429: the service asks for a pause")
      assert.include(output, "a connection was cut")
      assert.include(output, "1 × 429, 1 × connection cut (counted by the service)")
      assert.include(output, "lost 0, repeated 0")
      assert.match(output, /market-candles {2}US dollars; a candle is 1 hour\n/)
      assert.notInclude(output, "\x1b")
      assert.notInclude(output + table, "sandbox-download")
      assert.isAtMost(Math.max(...output.split("\n").map((line) => line.length)), 80)
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live.each([
    { wrong: "a base URL that is none", env: { SLUICE_BASE_URL: "no url" }, says: /^SLUICE_BASE_URL: .+$/ },
    { wrong: "a scheme other than http", env: { SLUICE_BASE_URL: "ftp://host/v4" }, says: /^SLUICE_BASE_URL: .+$/ },
    { wrong: "no key for the paid root", env: { SLUICE_BASE_URL: "paid" }, says: /^.*needs a key.*$/ }
  ])("says in one sentence what is wrong with $wrong", ({ env, says }) =>
    Effect.gen(function* () {
      const stderr: Array<string> = []
      const error = yield* Effect.flip(
        Command.command.pipe(
          Effect.provideService(Console.Console, { ...console, error: (text: string) => void stderr.push(text) }),
          Effect.provide([
            NodeServices.layer,
            Stdio.layerTest({}),
            ConfigProvider.layer(ConfigProvider.fromEnv({ env }))
          ])
        )
      )
      assert.instanceOf(error, Command.Told)
      assert.lengthOf(stderr, 1)
      assert.match(stderr[0] ?? "", says)
    })
  )

  it.live("says in one sentence that a host does not exist, without the key, and ends with a code", () =>
    Effect.gen(function* () {
      const child = yield* ChildProcess.make(process.execPath, [yield* Programs.file("demo")], {
        cwd: yield* temporary,
        env: { SLUICE_BASE_URL: "http://host.invalid/v4", SLUICE_API_KEY: "very-secret" },
        extendEnv: true
      })
      const [stdout, stderr, code] = yield* Effect.all(
        [
          Stream.mkString(Stream.decodeText(child.stdout)),
          Stream.mkString(Stream.decodeText(child.stderr)),
          child.exitCode
        ],
        { concurrency: "unbounded" }
      )
      assert.notStrictEqual(code, ChildProcessSpawner.ExitCode(0))
      assert.match(String.trim(stderr), /^\/timeseries\/asset-metrics: unavailable .+$/)
      assert.notInclude(stdout + stderr, "very-secret")
    }).pipe(Effect.provide(NodeServices.layer))
  )
})

const write = (path: string, lines: ReadonlyArray<string>) =>
  Effect.flatMap(FileSystem.FileSystem, (fs) => fs.writeFileString(path, lines.map((line) => `${line}\n`).join("")))

describe("Audit", () => {
  const rows = Audit.calendar("2026-10-01T00:00:00Z", "2026-10-01T00:09:00Z", "1 minute").map((time) => ({
    asset: "btc",
    time
  }))
  const keys = rows.map(Audit.key)

  it.effect("finds nothing wrong with a complete file", () =>
    Effect.gen(function* () {
      const path = `${yield* temporary}/whole.ndjson`
      yield* write(
        path,
        rows.map((row) => JSON.stringify(row))
      )
      const audit = yield* Audit.against(Files.readNdjson(path, Audit.Row), keys)
      assert.deepStrictEqual(audit, { records: 10, lost: 0, repeated: 0, foreign: 0 })
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("finds a row that was removed and one that stands there twice", () =>
    Effect.gen(function* () {
      const path = `${yield* temporary}/damaged.csv`
      const damaged = [...rows.slice(0, 3), ...rows.slice(4, 8), rows[7]!, ...rows.slice(8)]
      yield* write(path, ["asset,time", ...damaged.map(({ asset, time }) => `${asset},${time}`)])
      const audit = yield* Audit.against(Files.readCsv(path, Audit.Row), keys)
      assert.deepStrictEqual(audit, { records: 10, lost: 1, repeated: 1, foreign: 0 })
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("finds rows that are late, cut off at the end, or of another asset", () =>
    Effect.gen(function* () {
      const other = { ...rows[4]!, asset: "btd" }
      const damaged = [rows[1]!, rows[0]!, ...rows.slice(2, 9), other]
      const audit = yield* Audit.against(Stream.fromIterable(damaged), keys)
      assert.deepStrictEqual(audit, { records: 10, lost: 2, repeated: 1, foreign: 1 })
    })
  )
})

describe("Files", () => {
  it.effect("forgets the download of an earlier run, and nothing else of that name", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const directory = yield* temporary
      yield* fs.makeDirectory(`${directory}/download/.sluice`, { recursive: true })
      yield* fs.makeDirectory(`${directory}/other/folder`, { recursive: true })
      for (const name of ["download", "other", "none"]) yield* Files.forget(`${directory}/${name}`)
      assert.deepStrictEqual(yield* fs.readDirectory(directory), ["other"])
    }).pipe(Effect.provide(NodeServices.layer))
  )
})

describe("Screen", () => {
  const session = Effect.gen(function* () {
    const { print, redraw, style } = yield* Screen.Screen
    yield* redraw("a", "b")
    yield* print(style.good("kept"))
    return yield* Effect.interrupt
  })

  it.effect("redraws in place on a terminal, and gives the cursor back when interrupted", () =>
    Effect.gen(function* () {
      const { screen, written } = yield* recorded(true, { NO_COLOR: "1" })
      yield* Effect.exit(Effect.provide(session, screen))
      assert.strictEqual(
        yield* written,
        ["\x1b[?25l\x1b[?7l", "a\nb\n", "\x1b[2A\x1b[Jkept\na\nb\n", "\x1b[2A\x1b[J\x1b[?25h\x1b[?7h"].join("")
      )
    })
  )

  it.effect("writes no escape codes where the output is no terminal", () =>
    Effect.gen(function* () {
      const { screen, written } = yield* recorded(false)
      const said = Effect.flatMap(Screen.Screen, ({ print, style }) => print(style.bold("plain")))
      yield* Effect.provide(said, screen)
      assert.strictEqual(yield* written, "plain\n")
    })
  )
})

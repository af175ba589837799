import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { codes } from "../src/program/ExitCode.ts"
import { environment, inProcess, services, sluice } from "./Process.ts"

const rowsOf = (stdout: string): ReadonlyArray<Readonly<Record<string, string | undefined>>> =>
  stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))

/** Runs the command on a terminal. */
const onTerminal = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  return yield* inProcess(args, { ...(yield* environment), NO_COLOR: "1" }, { isTerminal: true }).run
})

layer(services, { excludeTestServices: true })("what there is to read", (it) => {
  it.effect("metrics lists each metric of an asset at each frequency, with times, unit and name", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* sluice(["metrics", "btc"])
      assert.deepStrictEqual([code, stderr], [0, ""])
      const rows = rowsOf(stdout)
      assert.isAbove(rows.length, 50)
      const price = rows.find(({ frequency, metric }) => metric === "PriceUSD" && frequency === "1d")
      assert.deepInclude(price, { asset: "btc", unit: "USD" })
      const series = ["get", "timeseries/asset-metrics", "--assets", "btc", "--metrics", "PriceUSD", "--limit", "1"]
      const [first] = rowsOf((yield* sluice(series)).stdout)
      assert.strictEqual(price?.["min_time"], first?.["time"])
    })
  )

  it.effect("metrics keeps those with all the words in their name or frequency", () =>
    Effect.gen(function* () {
      const rows = rowsOf((yield* sluice(["metrics", "btc", "priceusd", "1d"])).stdout)
      assert.isNotEmpty(rows)
      for (const { frequency, metric } of rows) {
        assert.include(metric?.toLowerCase(), "priceusd")
        assert.include(frequency, "1d")
      }
      const hourly = rowsOf((yield* sluice(["metrics", "btc", "priceusd", "--frequency", "1h"])).stdout)
      assert.isTrue(hourly.length > 0 && hourly.every(({ frequency }) => frequency === "1h"))
      const { code, stderr, stdout } = yield* sluice(["metrics", "btc", "hourly"])
      assert.deepStrictEqual([code, stdout], [0, ""])
      assert.match(stderr, /^Nothing found\.\nbtc has the frequencies [^\n]*1d, [^\n]*1h[^\n]*\.\n$/)
    })
  )

  it.effect("metrics of an asset that is not there is an error of the service, which says so", () =>
    Effect.gen(function* () {
      const { code, stderr } = yield* sluice(["metrics", "nosuch"])
      assert.strictEqual(code, codes.usage)
      assert.include(stderr, "Value 'nosuch' is not supported")
    })
  )

  it.effect("markets lists those that all the flags leave, with the times of their trades", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* sluice([
        "markets",
        "--exchange",
        "coinbase",
        "--base",
        "btc",
        "--type",
        "spot"
      ])
      assert.deepStrictEqual([code, stderr], [0, ""])
      const rows = rowsOf(stdout)
      assert.isNotEmpty(rows)
      for (const row of rows) assert.deepInclude(row, { exchange: "coinbase", base: "btc", type: "spot" })
      assert.isTrue(rows.some(({ min_time }) => min_time !== undefined))
      assert.deepStrictEqual(
        rowsOf((yield* sluice(["markets", "Coinbase", "btc", "usd", "spot"])).stdout).slice(0, 1),
        rows.slice(0, 1)
      )
      const none = yield* sluice(["markets", "--exchange", "coinbase", "kraken"])
      assert.deepStrictEqual(none, {
        stdout: "",
        stderr: "Nothing found.\nNo market here has all these words: kraken.\n",
        code: 0
      })
      const nothing = yield* sluice(["markets", "coinbasee", "usd"])
      assert.deepStrictEqual(nothing, {
        stdout: "",
        stderr: 'Nothing found.\nThere is no exchange, asset or type "coinbasee" here; did you mean "coinbase"?\n',
        code: 0
      })
    })
  )

  it.effect("assets lists those that have a metric, at a frequency or at each, with the times covered", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* sluice(["assets", "TxCnt", "--frequency", "1d"])
      assert.deepStrictEqual([code, stderr], [0, ""])
      const rows = rowsOf(stdout)
      assert.isAbove(rows.length, 5)
      const btc = rows.find(({ asset }) => asset === "btc")
      assert.deepInclude(btc, { metric: "TxCnt", frequency: "1d" })
      const series = ["get", "timeseries/asset-metrics", "--assets", "btc", "--metrics", "TxCnt", "--limit", "1"]
      const [first] = rowsOf((yield* sluice(series)).stdout)
      assert.strictEqual(btc?.["min_time"], first?.["time"])
      const all = rowsOf((yield* sluice(["assets", "TxCnt"])).stdout)
      assert.deepStrictEqual(
        all.filter(({ frequency }) => frequency === "1d"),
        rows
      )
      assert.deepStrictEqual(yield* sluice(["assets", "TxCnt", "--frequency", "1h"]), {
        stdout: "",
        stderr: "Nothing found.\nTxCnt has the frequencies 1b, 1d.\n",
        code: 0
      })
    })
  )

  it.effect("assets of a metric that is not there suggests the one that was meant", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* sluice(["assets", "TxCtn"]), {
        stdout: "",
        stderr:
          'sluice: there is no asset metric "TxCtn"; did you mean "TxCnt"?\n' +
          "`sluice get reference-data/asset-metrics` lists all of them.\n",
        code: codes.usage
      })
    })
  )

  it.effect("all are a table, NDJSON or CSV, as --format says", () =>
    Effect.gen(function* () {
      for (const [args, head] of [
        [["metrics", "btc"], "metric,frequency,min_time,max_time,unit,full_name"],
        [["assets", "PriceUSD"], "asset,metric,frequency,min_time,max_time"],
        [["markets", "--exchange", "coinbase"], "market,type,base,quote,status,min_time,max_time"]
      ] as const) {
        const some = [...args, "--limit", "3", "--format"]
        const [first, ...rows] = (yield* sluice([...some, "csv"])).stdout.trimEnd().split("\r\n")
        assert.strictEqual(first, head)
        const json = rowsOf((yield* onTerminal([...some, "ndjson"])).stdout)
        const [column = ""] = head.split(",")
        assert.deepStrictEqual(
          rows.map((row) => row.split(",")[0]),
          json.map((row) => row[column])
        )
        assert.match((yield* sluice([...some, "table"])).stdout, new RegExp(`^${column} {2,}`))
      }
      const metrics = yield* sluice(["metrics", "btc", "AdrActCnt", "1d", "--format", "csv"])
      assert.include(metrics.stdout, 'Addresses,"Addresses, active, count"\r\n')
      assert.strictEqual((yield* sluice(["metrics", "btc", "--format", "parquet"])).code, codes.usage)
    })
  )

  it.effect("all list as many as asked for", () =>
    Effect.gen(function* () {
      for (const args of [
        ["metrics", "btc"],
        ["assets", "PriceUSD"],
        ["markets", "--exchange", "coinbase"]
      ]) {
        const all = rowsOf((yield* sluice(args)).stdout)
        assert.deepStrictEqual(rowsOf((yield* sluice([...args, "--limit", "2"])).stdout), all.slice(0, 2))
        assert.strictEqual((yield* sluice([...args, "--limit", "0"])).code, codes.usage)
      }
    })
  )

  it.effect("both write a table on a terminal, and lines of JSON there for --json", () =>
    Effect.gen(function* () {
      const table = yield* onTerminal(["markets", "--exchange", "coinbase", "--base", "btc"])
      assert.match(table.stdout, /^market +type +base +quote/)
      assert.match(
        table.stderr,
        /^(?:One column does|\d columns do) not fit: widen the terminal, or take --format csv for all\.\n$/
      )
      const metrics = yield* onTerminal(["metrics", "btc", "ReferenceRateUSD"])
      assert.match(metrics.stdout, /^metric +frequency +min_time/)
      const json = yield* onTerminal(["metrics", "btc", "PriceUSD", "--json"])
      assert.deepInclude(rowsOf(json.stdout)[0], { asset: "btc" })
      assert.match((yield* onTerminal(["metrics", "btc", "nosuchword"])).stderr, /^Nothing found\.\n/)
    })
  )
})

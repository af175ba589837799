import { assert, layer } from "@effect/vitest"
import { Endpoints } from "@sluice/core"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { execPath } from "node:process"
import { query } from "../../examples/src/guides/duckdb.ts"
import { isLong } from "../../core/test/TestMode.ts"
import * as Methods from "../../node/test/python/Methods.ts"
import * as PythonMethods from "../src/commands/code/PythonMethods.ts"
import { codes } from "../src/program/ExitCode.ts"
import { bash, environment, folder, key, services, sluice } from "./Process.ts"

const prices = ["timeseries/asset-metrics", "--assets", "btc,eth", "--metrics", "PriceUSD"]

/** Nothing answers there: a request would fail. */
const nowhere = "http://127.0.0.1:1/v4"

/** Prints code, without a service. */
const printed = Effect.fnUntraced(function* (args: ReadonlyArray<string>, root = nowhere) {
  const { code, stderr, stdout } = yield* sluice(["get", ...args], { SLUICE_BASE_URL: root })
  assert.strictEqual(code, 0, stderr)
  assert.notInclude(stdout + stderr, key)
  return { stderr, stdout: stdout.trimEnd() }
})

/** Prints a program for the official Python client. */
const python = (...args: ReadonlyArray<string>) => printed([...prices, ...args, "--as-code", "python"], "paid")

/** Programs in `code`, which `check` compiles, and what prints them. */
const programs: Readonly<Record<string, string>> = {
  metrics:
    "timeseries/asset-metrics --assets btc,eth --metrics PriceUSD,TxCnt --start_time 2024-01-01 --no-end_inclusive",
  candles:
    "Timeseries.marketCandles --markets coinbase-btc-usd-spot --frequency 1h --limit_per_market 24 --output candles.csv.gz",
  block: "blockchain-v2/{asset}/blocks/{block_hash} --asset btc --block_hash 00000000000000000001",
  catalog: "catalog-v2/market-trades --exchange coinbase --query newer=1 --root community",
  assets: "reference-data/assets --format csv --columns asset,full_name",
  trades:
    "timeseries/market-trades --markets coinbase-btc-usd-spot --limit 1000 --output trades.parquet --numbers decimal --decimal 30,9",
  tracker: "blockchain/{asset}/transaction-tracker --asset btc --limit 3",
  profiles: "profile/assets"
}

const pathOf = (name: string) => new URL(`code/${name}.ts`, import.meta.url).pathname

const withoutSpace = (text: string) => text.replaceAll(/\s+/g, "")

layer(services, { excludeTestServices: true })("get --as-url", (it) => {
  it.effect("prints the first request without the key, which the service answers with the records", () =>
    Effect.gen(function* () {
      const env = yield* environment
      const few = [...prices, "--limit", "2"]
      const url = yield* printed([...few, "--as-url"], env["SLUICE_BASE_URL"])
      assert.strictEqual(
        url.stdout,
        `${env["SLUICE_BASE_URL"]}/timeseries/asset-metrics?page_size=2&assets=btc,eth&metrics=PriceUSD&paging_from=start`
      )
      assert.strictEqual(url.stderr, "The key is left out: add &api_key= and the key to send it.\n")
      const reply = yield* Effect.promise(async () => (await fetch(`${url.stdout}&api_key=${key}`)).json())
      const records = (yield* sluice(["get", ...few])).stdout.trimEnd().split("\n")
      assert.deepStrictEqual(
        records.map((line) => JSON.parse(line)),
        (reply as { readonly data: ReadonlyArray<unknown> }).data
      )
    })
  )

  it.effect("fills paths, tells programs whether a key is taken, and says nothing of one where none is", () =>
    Effect.gen(function* () {
      const block = ["blockchain-v2/{asset}/blocks/{block_hash}", "--asset", "btc", "--block_hash", "00ab", "--as-url"]
      assert.strictEqual((yield* printed(block)).stdout, `${nowhere}/blockchain-v2/btc/blocks/00ab`)
      assert.deepStrictEqual(JSON.parse((yield* printed([...block, "--json"])).stdout), {
        url: `${nowhere}/blockchain-v2/btc/blocks/00ab`,
        takesKey: true
      })
      const community = yield* printed(["reference-data/assets", "--as-url"], "community")
      assert.match(community.stdout, /^https:\/\/community-api\.coinmetrics\.io\/v4\/reference-data\/assets/)
      assert.strictEqual(community.stderr, "")
      // The paid root is known without a key.
      const paid = yield* sluice(["get", "reference-data/assets", "--as-url"], {
        SLUICE_BASE_URL: "paid",
        SLUICE_API_KEY: ""
      })
      assert.match(paid.stdout, /^https:\/\/api\.coinmetrics\.io\/v4\/reference-data\/assets/)
    })
  )

  it.effect("refuses what get refuses before it asks, and what is not a request", () =>
    Effect.gen(function* () {
      for (const [args, message] of [
        [["--end_time", "2024-01-01", "--start_time", "2025-01-01", "--as-url"], "start_time"],
        [["--limit_per_asset", "0", "--as-code", "ts"], "limit_per_asset"],
        [
          ["--from", "dataset", "--as-url"],
          "cannot be written as a URL: --from, --table, --cache, --offline, --max-age and --as-of read a dataset"
        ],
        [["--as-url", "--as-code", "sql"], "cannot be written as SQL: --as-url and --as-code exclude each other"]
      ] as const) {
        const { code, stderr, stdout } = yield* sluice(["get", ...prices, ...args], { SLUICE_BASE_URL: nowhere })
        assert.deepStrictEqual([code, stdout], [codes.usage, ""], stderr)
        assert.include(stderr, message)
      }
    })
  )
})

layer(services, { excludeTestServices: true })("get --as-code", (it) => {
  for (const [name, command] of Object.entries(programs)) {
    it.effect(`prints the program of test/code/${name}.ts, which compiles`, () =>
      Effect.gen(function* () {
        const { stdout } = yield* printed([...command.split(" "), "--as-code", "ts"], "paid")
        assert.strictEqual(withoutSpace(stdout), withoutSpace(readFileSync(pathOf(name), "utf8")))
      })
    )
  }

  // A process of its own reads all sources.
  it.effect.skipIf(!isLong)("prints a program in TypeScript that reads the same records", () =>
    Effect.gen(function* () {
      const ran = yield* bash(`"${execPath}" "${pathOf("metrics")}"`, yield* folder, yield* environment)
      assert.deepStrictEqual([ran.code, ran.stderr], [0, ""])
      const same = yield* sluice(["get", ...(programs["metrics"] ?? "").split(" ")])
      assert.strictEqual(ran.stdout, same.stdout)
    })
  )

  it.effect("prints a program for the official Python client, whose methods are those of its sources", () =>
    Effect.gen(function* () {
      const { stdout } = yield* printed([...prices, "--limit", "10", "--as-code", "python"], "paid")
      assert.strictEqual(
        stdout,
        `# coinmetrics-api-client, as of its version ${Methods.version}
import json
import os
from itertools import islice

from coinmetrics.api_client import CoinMetricsClient

client = CoinMetricsClient(os.environ["SLUICE_API_KEY"])
records = client.get_asset_metrics(page_size=10, assets=["btc", "eth"], metrics=["PriceUSD"])
for record in islice(records, 10):
    print(json.dumps(record))`
      )
      const file = yield* printed([...prices, "--output", "prices.csv", "--as-code", "python"], "community")
      assert.include(
        file.stdout,
        'client = CoinMetricsClient()\nrecords = client.get_asset_metrics(assets=["btc", "eth"]'
      )
      assert.include(file.stdout, 'records.to_dataframe().to_csv("prices.csv", index=False)')
      const none = yield* sluice(["get", "reference-data/protocols", "--as-code", "python", "--root", "community"])
      assert.strictEqual(none.code, codes.usage)
      assert.include(none.stderr, `has no method for /reference-data/protocols.\nTake \`--as-url\``)
      assert.strictEqual(PythonMethods.version, Methods.version)
      for (const endpoint of [...Endpoints.all, ...Endpoints.singles]) {
        const known = Methods.methods.filter(({ path }) => path === endpoint.path).map(({ name }) => name)
        assert.strictEqual(PythonMethods.find(endpoint.path), known[0], endpoint.path)
      }
    })
  )

  it.effect("prints a query of DuckDB over the file, with the command that writes it", () =>
    Effect.gen(function* () {
      const place = yield* folder
      const few = [...prices, "--limit", "5"]
      for (const name of ["prices.parquet", "prices.csv", "prices.ndjson.gz"]) {
        const { stdout } = yield* printed([...few, "--output", `${place}/${name}`, "--as-code", "sql"])
        const [, command = ""] = /^-- sluice (.*)$/m.exec(stdout) ?? []
        assert.strictEqual((yield* sluice(command.split(" "))).code, 0)
        const types = `SELECT typeof(asset) a, typeof(time) t, typeof("PriceUSD") p FROM (${stdout.replace(/;$/, "")}\n)`
        const row = { a: "VARCHAR", t: "TIMESTAMP_NS", p: "DOUBLE" }
        assert.deepStrictEqual(yield* query(types), [row, row, row, row, row], name)
      }
      const plain = yield* printed([...few, "--as-code", "sql"])
      assert.include(plain.stdout, "--limit 5 --output asset-metrics.parquet\nSELECT *\nFROM read_parquet(")
      const arrow = yield* sluice(["get", ...few, "--output", "prices.arrow", "--as-code", "sql"])
      assert.include(arrow.stderr, "DuckDB reads no Arrow files without an extension")
    })
  )

  it.effect("prints a command on one line of the comment, which a shell reads as the same words", () =>
    Effect.gen(function* () {
      const place = yield* folder
      const file = `${place}/it's\nDROP TABLE t; --\r\u202e\u2028$(id)![1]*?.parquet`
      const few = [...prices, "--limit", "5"]
      const { stdout } = yield* printed([...few, "--output", file, "--as-code", "sql"])
      const [, command = ""] = /^-- (sluice [^\r]*)\nSELECT \*\n/.exec(stdout) ?? []
      const words = yield* bash(`sluice() { printf '%s\\0' "$@"; }\n${command}`, place)
      const args = words.stdout.split("\0").slice(0, -1)
      assert.strictEqual(args.at(-1), file, command)
      assert.strictEqual((yield* sluice(args)).code, 0)
      // A file that the name would match if it were a pattern.
      const other = `${place}/it's\nDROP TABLE t; --\r\u202e\u2028$(id)!1-2.parquet`
      assert.strictEqual((yield* sluice(["get", ...few, "--output", other])).code, 0)
      assert.strictEqual((yield* query(stdout)).length, 5)
      for (const value of ["b\ntc", "b\rtc", "-x", "=x", "a\\n'b\nc"]) {
        const { stdout } = yield* printed([...prices, `--query=n=${value}`, `--assets=${value}`, "--as-code", "sql"])
        const [first = "", ...rest] = stdout.split("\n")
        assert.isTrue(first.startsWith("-- sluice get "), first)
        assert.strictEqual(rest.join("\n"), "SELECT *\nFROM read_parquet('asset-metrics.parquet');")
        const { stdout: read } = yield* bash(`sluice() { printf '%s\\0' "$@"; }\n${first.slice(3)}`, place)
        assert.include(read.split("\0"), `n=${value}`)
        const list = `btc,eth,${value}`
        const items = read.split("\0")
        assert.isTrue(items.includes(list) || items.includes(`--assets=${list}`), first)
      }
    })
  )

  it.effect("prints the flags that decide what is read, and never the key", () =>
    Effect.gen(function* () {
      const typed = "--api-key other-key --root community --format parquet --times micros --no-status-columns"
      const all = [...prices, ...typed.split(" ")]
      const { stdout } = yield* printed([...all, "--as-code", "sql"])
      assert.include(
        stdout,
        "--format parquet --times micros --no-status-columns --root community --output asset-metrics.parquet"
      )
      assert.notInclude(stdout, "other-key")
      const csv = yield* printed([...prices, "--format", "csv", "--guard-formulas", "--as-code", "sql"], "community")
      assert.include(csv.stdout, "--format csv --guard-formulas --output asset-metrics.csv\n")
      // The limit of the operation is the flag that was given.
      const tracker = ["blockchain/{asset}/transaction-tracker", "--asset", "btc", "--limit", "3", "--as-code", "sql"]
      assert.include((yield* printed(tracker)).stdout, "transaction-tracker' --asset btc --limit 3 --output")
    })
  )

  it.effect(
    "prints a query that fits the format, also without a file, and a compression that the name does not say",
    () =>
      Effect.gen(function* () {
        const place = yield* folder
        for (const [flags, name] of [
          ["--format csv", "asset-metrics.csv"],
          ["--format csv --compression gzip", "asset-metrics.csv.gz"],
          ["--format ndjson --compression zstd", "asset-metrics.ndjson.zst"],
          ["--format table", "asset-metrics.parquet"],
          ["--output x.CSV.GZ", "x.CSV.GZ"],
          ["--output y.csv.gz --compression zstd", "y.csv.gz"],
          ["--output plain --compression gzip", "plain"]
        ] as const) {
          const few = [...prices, "--limit", "3", ...flags.split(" ")]
          const { stdout } = yield* printed([...few, "--as-code", "sql"])
          const [, command = ""] = /^-- sluice (.*)$/m.exec(stdout) ?? []
          assert.isTrue(command.endsWith(`--output ${name}`), command)
          assert.strictEqual((yield* sluice(command.split(" "), {}, { folder: place })).code, 0)
          assert.strictEqual((yield* query(stdout.replace(`('${name}'`, `('${place}/${name}'`))).length, 3, flags)
        }
        const ts = yield* printed([...prices, "-o", "x.csv.gz", "--compression", "zstd", "--as-code", "ts"])
        assert.include(ts.stdout, '{ as: "csv", compression: "zstd" }')
        const upper = yield* printed([...prices, "-o", "x.CSV.GZ", "--as-code", "ts"])
        assert.include(upper.stdout, '{ as: "csv", compression: "gzip" }')
        const named = yield* sluice(["get", ...prices, "-o", "x.parquet.gz", "--as-code", "ts"])
        assert.include(named.stderr, "Parquet is compressed inside")
      })
  )

  it.effect("prints names of parameters as Python has them, and refuses what the Python client does not do", () =>
    Effect.gen(function* () {
      const queries = ["--query", "a b,*[print(1)]=c", "--query", "class=d", "--query", "newer=e"]
      assert.include(
        (yield* python(...queries)).stdout,
        '    **{"a b,*[print(1)]": "c", "class": "d", "newer": "e"},\n)'
      )
      const columns = ["--columns", "asset,PriceUSD"]
      assert.include(
        (yield* python("--format", "csv", ...columns)).stdout,
        'records.to_dataframe()[["asset", "PriceUSD"]].to_csv(sys.stdout, index=False)'
      )
      assert.include(
        (yield* python("-o", "x.csv.gz", "--compression", "zstd")).stdout,
        'to_csv("x.csv.gz", index=False, compression="zstd")'
      )
      assert.include((yield* python("-o", "x.ndjson.gz")).stdout, "import gzip\nimport json\nimport os\n")
      for (const [args, message] of [
        ["--format arrow", "its client writes no arrow"],
        ["--format parquet", "its client writes parquet into files alone"],
        ["-o x.arrow", "its client writes no arrow"],
        ["-o x.ndjson.zst", "Python has no zstd"],
        ["--compression gzip", "its client compresses files alone"],
        ["-o x.parquet --numbers decimal", "its client has nothing like --numbers"],
        ["--format csv --guard-formulas", "its client has nothing like --guard-formulas"],
        ["--columns asset", "columns"]
      ] as const) {
        const { code, stderr, stdout } = yield* sluice(
          ["get", ...prices, ...args.split(" "), "--as-code", "python", "--root", "paid"],
          { SLUICE_BASE_URL: nowhere }
        )
        assert.deepStrictEqual([code, stdout], [codes.usage, ""], args)
        assert.include(stderr, message)
      }
    })
  )

  it.effect("prints a query over the service where that needs no key", () =>
    Effect.gen(function* () {
      const { stdout } = yield* printed([...prices, "--as-code", "sql"], "community")
      assert.strictEqual(
        stdout,
        `SELECT *
FROM read_json('https://community-api.coinmetrics.io/v4/timeseries/asset-metrics?assets=btc,eth&metrics=PriceUSD&format=json_stream', format = 'newline_delimited',
  columns = {
    "asset": 'VARCHAR',
    "time": 'TIMESTAMP_NS',
    "PriceUSD": 'DOUBLE'
  });`
      )
    })
  )
})

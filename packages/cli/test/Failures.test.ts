import { assert, layer } from "@effect/vitest"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import { readFileSync } from "node:fs"
import { codes } from "../src/program/Failure.ts"
import * as Variables from "../src/settings/Variables.ts"
import { until } from "../../node/test/Harness.ts"
import { environment, folder, inProcess, key, type Ran, services, sluice, sluiceProcess } from "./Process.ts"

const prices = ["get", "timeseries/asset-metrics", "--assets", "btc", "--metrics", "PriceUSD", "--limit", "2"]

/** Invocations that are wrong, and what is said of each. */
const wrong: ReadonlyArray<readonly [args: ReadonlyArray<string>, sentence: RegExp, next: RegExp]> = [
  [["frobnicate"], /there is no command "frobnicate"/, /`sluice --help`/],
  [["dowload"], /did you mean "download"\?/, /`sluice --help`/],
  [["get"], /the argument <endpoint> is missing/, /`sluice get --help`/],
  [["get", "timeseries/asset-metric"], /did you mean "timeseries\/asset-metrics"\?/, /`sluice endpoints`/],
  [
    ["get", "blockchain-v2/btc/blocks", "--limit", "1"],
    /: "blockchain-v2\/btc\/blocks" has names in it that are flags\.$/,
    /^Write `blockchain-v2\/\{asset\}\/blocks --asset btc` in its place\.$/
  ],
  [
    ["get", "/blockchain-v2/eth/transactions/0xAb"],
    /has names in it that are flags\.$/,
    /^Write `blockchain-v2\/\{asset\}\/transactions\/\{txid\} --asset eth --txid 0xAb` in its place\.$/
  ],
  [
    prices.with(6, "--frequency").with(7, "7d"),
    /invalid parameter "frequency": Value '7d' is not supported \(trace [^)]*\); known are 1b, 1s, [^.]*1d[^.]*\.$/,
    /^`sluice describe timeseries\/asset-metrics`/
  ],
  [
    ["get", "timeseries/market-candles", "--markets", "coinbase-btc-usd-spot", "--frequency", "7d"],
    /'7d' is not supported [^;]*; known are 1m, 5m, [^.]*1d\.$/,
    /^`sluice describe /
  ],
  [["describe", "asset_metrics"], /did you mean .*"timeseries\/asset-metrics"/, /`sluice endpoints`/],
  [["describe", "zebra"], /there is no endpoint "zebra"\./, /`sluice endpoints`/],
  [
    [...prices, "--asets", "eth"],
    /there is no flag --asets; did you mean "--assets"\?/,
    /`sluice get timeseries\/asset-metrics --help`/
  ],
  [[...prices, "--as", "csv"], /there is no flag --as; it is now --format\.$/, /asset-metrics --help`/],
  [
    [...prices.with(0, "download").slice(0, -2), "--to", "x", "--format", "csv"],
    /there is no flag --to; it is now --output\.$/,
    /`sluice download timeseries\/asset-metrics --help` lists its parameters/
  ],
  [
    ["get", "timeseries/protocol-metrics", "--frequency", "1d", "--format", "csv"],
    /protocol-metrics: csv, parquet and tables need "metrics", because columns are fixed before the first record\.$/,
    /^Add --metrics; `sluice get catalog-v2\/protocol-metrics` lists what there is\.$/
  ],
  [
    ["get", "timeseries/protocol-metrics", "--frequency", "1d", "--format", "table"],
    /need "metrics", because columns are fixed/,
    /^Add --metrics; /
  ],
  [
    ["download", "timeseries/protocol-metrics", "--frequency", "1d", "--format", "parquet", "--output", "x"],
    /need "metrics", because columns are fixed/,
    /^Add --metrics; /
  ],
  [
    ["get", "constituent-snapshots/asset-metrics", "--metric", "x", "--format", "csv"],
    /these records may have any key; ndjson keeps every key\.$/,
    /formats/
  ],
  [
    prices.with(5, "Nosuch"),
    /invalid parameter "metrics": Value 'Nosuch' is not supported \(trace [^)]*\)\.$/,
    /^`sluice metrics <asset>` lists what there is\.$/
  ],
  [
    ["get", "timeseries/market-trades", "--markets", "nosuch-btc-usd-spot"],
    /invalid parameter "markets": Market 'nosuch-btc-usd-spot' is not supported/,
    /^`sluice markets --exchange <exchange>` lists what there is\.$/
  ],
  [
    ["get", "timeseries/exchange-metrics", "--exchanges", "coinbase", "--metrics", "Nosuch"],
    /invalid parameter "metrics"/,
    /^`sluice get catalog-v2\/exchange-metrics` lists what there is\.$/
  ],
  [
    [...prices, "--start_time", "2026-10-01T10:00"],
    /T00:00:00Z; add the seconds: 2026-10-01T10:00:00\.$/,
    /`sluice describe/
  ],
  [
    [...prices, "--start_time", "noon"],
    /: --start_time cannot be "noon": expected a time such as 2024-01-31, -30d, -6h, yesterday, today, tomorrow or now\.$/,
    /^Units are s, m, h, d, w, mo \(months\) and y; /
  ],
  [
    [...prices, "--start-time", "-1 week"],
    /: --start_time cannot be "-1 week": expected a time such as 2024-01-31, -30d/,
    /^Units are s, m, h, d, w, mo \(months\) and y; /
  ],
  [
    [...prices, "--start_time=-1d", "--timezone", "Asia/Tokyo"],
    /"-1d": expected a date or time, since the others are in UTC and --timezone is Asia\/Tokyo\.$/,
    /^Units/
  ],
  [[...prices, "--end-time", "-9999y"], /--end_time cannot be "-9999y": expected a time since the year 1\.$/, /^Units/],
  [
    ["tail", "timeseries-stream/market-trades", "--markets", "a", "--since", "noon"],
    /--since cannot be "noon": expected a time such as/,
    /^Units/
  ],
  [prices.with(3, "btc,,"), /: expected a value, got an empty item\.$/, /`sluice describe/],
  [
    [
      "download",
      "timeseries/defi-balance-sheets",
      "--defi_protocols",
      "*",
      "--split",
      "defi_protocols",
      "--output",
      "x"
    ],
    /has "\*", and no catalog lists/,
    /Name some, or split by time alone with `--every`\.$/
  ],
  [
    [...prices.with(0, "download").with(3, "nosuch*").slice(0, -2), "--split", "assets", "--output", "x"],
    /has "nosuch\*", which stands for nothing/,
    /^`sluice get reference-data\/assets` lists what there is\. Name some, or split by time alone with `--every`\.$/
  ],
  [
    [...prices, "--page_size", "many"],
    /--page_size cannot be "many": expected/,
    /`sluice get timeseries\/asset-metrics --help` lists its/
  ],
  [[...prices, "--page_size", "0"], /"page_size": Expected a value between 1 and 10000, got 0/, /`sluice describe/],
  [[...prices, "--paging_from", "middle"], /--paging_from cannot be "middle": expected "start" or "end"/, /--help/],
  [
    [...prices, "--start_time", "2024-13-01"],
    /"start_time": .*2024-13-01/,
    /`sluice describe timeseries\/asset-metrics`/
  ],
  [
    [...prices, "--format", "xml"],
    /--format cannot be "xml": expected "table" or "ndjson" or "csv" or "parquet"/,
    /`sluice get --help`/
  ],
  [
    [...prices.slice(0, -1), "0"],
    /--limit cannot be "0": expected a whole number from 1 up, or none\.$/,
    /`sluice get --help`/
  ],
  [
    [...prices, "--start_time", "2024-01-01", "--start_height", "3"],
    /: parameter "start_height" cannot be combined with "start_time"\.$/,
    /`sluice describe/
  ],
  [
    ["jobs", "start", "transactions", "--assets", "btc", "--txids", "a", "--accounts", "b"],
    /: "accounts" is not a parameter of this endpoint\.$/,
    /`sluice describe/
  ],
  [["metrics", "bitcoin"], /Value 'bitcoin' is not/, /^`sluice get reference-data\/assets` lists what there is\.$/],
  [
    ["markets", "--exchange", "coinbasee"],
    /'coinbasee' is not/,
    /^`sluice get reference-data\/exchanges` lists what there is\.$/
  ],
  [["markets", "--type", "swap"], /'swap' is not/, /^The types are spot, future, option and bond\.$/],
  [[...prices, "--limit", "3"], /--limit is given more than once/, /`sluice get --help`/],
  [[...prices, "--columns", "nope", "--format", "csv"], /there is no column "nope"/, /formats/],
  [["get", "timeseries/asset-metrics", "--assets", "btc"], /: parameter "metrics" is required\.$/, /Add --metrics;/],
  [
    [...prices, "--root", "nowhere"],
    /^sluice: --root: "nowhere" is not an absolute URL\.$/,
    /--root: paid, community, or a URL/
  ],
  [
    [...prices, "--root", "localhost:8080/v4"],
    /--root: a root begins with http: or https:, not localhost:; did you mean "http:\/\/localhost:8080\/v4"\?$/,
    /--root: paid, community, or a URL/
  ],
  [["download", "reference-data/assets"], /--output is required/, /`sluice download --help`/],
  [
    [...prices.with(0, "download").slice(0, -2), "--output", "x", "--every", "often"],
    /--every cannot be "often"/,
    /--help/
  ],
  [
    [...prices.with(0, "download").slice(0, -2), "--output", "x", "--split", "metrics"],
    /cannot be split: "metrics"/,
    /describe/
  ],
  [[...prices, "--root", "toString"], /"toString" is not an absolute URL/, /--root: paid, community, or a URL/],
  [[...prices, "--root", "__proto__"], /"__proto__" is not an absolute URL/, /--root: paid, community, or a URL/],
  [["get", "constructor"], /there is no endpoint "constructor"/, /`sluice endpoints`/],
  [[...prices, "--format", "csv", "--columns", "toString"], /there is no column "toString"/, /formats/],
  [["completions", "tcsh"], /<shell> cannot be "tcsh": expected "bash" or/, /`sluice completions --help`/]
]

/** Faults of the service, and the code each ends with. */
const faults: ReadonlyArray<readonly [fault: string, kind: keyof typeof codes, next: RegExp]> = [
  ["status=401", "key", /^Check the key: SLUICE_API_KEY/m],
  ["status=403", "licence", /^The licence of this key/m],
  ["status=404", "missing", /^Check the names in the request/m],
  ["status=410", "missing", /is gone \(410\)[^\n]*\n`sluice endpoints` lists the endpoints\.$/m],
  ["status=400", "usage", /^`sluice describe/m],
  ["status=429", "rate", /; sent once[^\n]*\n.*`sluice quota`/],
  ["status=429;retry-after=3600", "rate", /wait 1h, longer than the longest wait of 5m.*\n.*SLUICE_LONGEST_WAIT/],
  ["status=503", "network", /^Try again later\./m],
  ["status=503;retry-after=3600", "network", /wait 1h, longer than the longest wait of 5m.*\n.*SLUICE_LONGEST_WAIT/],
  ["reset", "network", /^Try again later\./m]
]

/** Settings that are wrong in the environment, and where the advice sends. */
const settings: ReadonlyArray<readonly [variable: string, value: string, expected: string, key: string]> = [
  ["SLUICE_LONGEST_WAIT", "600", "a duration such as 30 seconds, or Infinity", "longest_wait"],
  ["SLUICE_LONGEST_WAIT", "-1s", "a duration such as 30 seconds, or Infinity", "longest_wait"],
  ["SLUICE_IDLE_TIMEOUT", "0 seconds", "a duration above zero such as 30 seconds, or Infinity", "idle_timeout"],
  ["SLUICE_CONNECT_TIMEOUT", "0s", "a duration above zero such as 30 seconds, or Infinity", "connect_timeout"],
  ["SLUICE_MIN_BYTES_PER_SECOND", "-1", "bytes a second, a number from 0 up", "min_bytes_per_second"],
  ["SLUICE_GZIP", "perhaps", "true or false", "gzip"],
  ["SLUICE_PARALLEL", "0", "a whole number from 1 up", "parallel"],
  ["SLUICE_MAX_PAGE_BYTES", "0", "a whole number from 1 up", "max_page_bytes"],
  ["SLUICE_MAX_LINE_BYTES", "0", "a whole number from 1 up", "max_line_bytes"]
]

/** Runs of four words that stand in both texts. */
const saidTwice = (first: string, second: string) => {
  const words = first.split(" ")
  const runs = words.map((_, at) => words.slice(at, at + 4)).filter(({ length }) => length === 4)
  return runs.map((run) => run.join(" ")).filter((run) => second.includes(run))
}

/** The service names each reply anew. */
const withoutTrace = (ran: Ran): Ran => ({ ...ran, stderr: ran.stderr.replace(/ \(trace [\w-]+\)/, "") })

layer(services, { excludeTestServices: true })("what goes wrong", (it) => {
  for (const [variable, value, expected, key] of settings) {
    it.effect(`names ${variable} when it is ${value}, says what it may be, and where it is set`, () =>
      Effect.gen(function* () {
        const { code, stderr } = yield* sluice(prices, { [variable]: value })
        const next = `Change it where it is set: ${variable}, or ${key} in the config file.`
        assert.deepStrictEqual([code, stderr], [codes.usage, `sluice: ${variable}: expected ${expected}.\n${next}\n`])
      })
    )
  }

  it.effect("names the limit that a reply exceeded, and where to set it", () =>
    Effect.gen(function* () {
      const { code, stderr } = yield* sluice(prices, { SLUICE_MAX_PAGE_BYTES: "10" })
      assert.strictEqual(code, codes.reply)
      const next =
        "If the reply is right, raise the limit: SLUICE_MAX_PAGE_BYTES, or max_page_bytes in the config file."
      assert.strictEqual(stderr.split("\n")[1], next)
    })
  )

  for (const [args, sentence, next] of wrong) {
    it.effect(`answers \`${args.join(" ")}\` with one sentence, a fix, and nothing on standard output`, () =>
      Effect.gen(function* () {
        const { code, stderr, stdout } = yield* sluice(args)
        const [first = "", second = "", ...more] = stderr.trimEnd().split("\n")
        assert.match(first, /^sluice: [^\n]*[.?]$/)
        assert.match(first, sentence)
        assert.match(second, next)
        assert.deepStrictEqual(saidTwice(first, second), [])
        assert.deepStrictEqual([code, stdout, more], [codes.usage, "", []])
      })
    )
  }

  const pasted = "https://user:s3cr3t@api.example.test/v4/x?a=b&api_key=s3cr3t&c=d"
  const places: ReadonlyArray<ReadonlyArray<string>> = [
    ["get", pasted],
    ["describe", pasted],
    [pasted],
    ["quota", pasted],
    [...prices, "--root", pasted],
    [...prices, "--root", pasted.replace("https:", "https")],
    [...prices, "--start_time", pasted],
    [...prices, "--page_size", pasted],
    [...prices, "--columns", pasted, "--format", "csv"],
    [...prices, "--config", pasted],
    [...prices.with(0, "download").slice(0, -2), "--output", "x", "--every", pasted]
  ]
  for (const args of places) {
    it.effect(`does not print the key of a URL that was pasted: \`${args.join(" ").replace(pasted, "<url>")}\``, () =>
      Effect.gen(function* () {
        for (const words of [args, [...args, "--json"]]) {
          const { code, stderr, stdout } = yield* sluice(words)
          assert.notInclude(stderr + stdout, "s3cr3t")
          assert.strictEqual(code, codes.usage)
        }
      })
    )
  }

  for (const [fault, kind, next] of faults) {
    it.effect(`ends with the code of ${kind} when the service answers with ${fault}`, () =>
      Effect.gen(function* () {
        const sandbox = yield* Sandbox.Sandbox
        const env = { SLUICE_BASE_URL: sandbox.faultUrl(fault) }
        const { code, stderr, stdout } = yield* sluice([...prices, "--retries", "0"], env)
        assert.deepStrictEqual([code, stdout], [codes[kind], ""])
        assert.match(stderr, next)
        const json = yield* sluice([...prices, "--retries", "0", "--json"], env)
        assert.deepInclude(JSON.parse(json.stderr).error, { kind, exit: codes[kind] })
        assert.deepStrictEqual([json.code, json.stdout], [codes[kind], ""])
      })
    )
  }

  it.effect("names the address where nobody listens, and what to check", () =>
    Effect.gen(function* () {
      const { code, stderr } = yield* sluice(["quota", "--root", "http://127.0.0.1:1/v4", "--retries", "0"])
      assert.strictEqual(code, codes.network)
      assert.match(
        stderr,
        /refused the connection\.\nIs `sluice sandbox` running\? Otherwise check the network, and that the root/
      )
    })
  )

  it.effect("says where a key can be set when there is none", () =>
    Effect.gen(function* () {
      for (const empty of ["", " "]) {
        const { code, stderr } = yield* sluice(["quota"], { SLUICE_BASE_URL: "paid", SLUICE_API_KEY: empty })
        assert.strictEqual(code, codes.key)
        assert.match(stderr, /^sluice: https:[^\n]* needs a key/)
        assert.match(stderr, /\nSet SLUICE_API_KEY, put api_key into the config file, or use `--root community`\.\n$/)
      }
    })
  )

  it.effect("says that no key was sent to a root that asks for one, and names the variable that set a wrong root", () =>
    Effect.gen(function* () {
      const bare = yield* sluice(["quota"], { ...(yield* environment), SLUICE_API_KEY: "" })
      assert.strictEqual(bare.code, codes.key)
      assert.match(bare.stderr, /\nNo key was sent: set SLUICE_API_KEY, or api_key in the config file\.\n$/)
      const wrong = yield* sluice(["quota"], { SLUICE_BASE_URL: "example.com/v4" })
      assert.match(
        wrong.stderr,
        /^sluice: SLUICE_BASE_URL: "example.com\/v4" [^;]*; did you mean "https:\/\/example.com\/v4"\?\n/
      )
    })
  )

  for (const args of [prices, [...prices.with(0, "download").slice(0, -2), "--output", "/nonexistent/new"]]) {
    it.effect(`says with --json that it waits, as a JSON object of standard error: ${args[0]}`, () =>
      Effect.gen(function* () {
        const sandbox = yield* Sandbox.Sandbox
        const env = {
          ...(yield* environment),
          SLUICE_BASE_URL: sandbox.faultUrl("status=429;retry-after=60")
        }
        const { outputs, run } = inProcess([...args, "--json"], env)
        const waiting = yield* Effect.forkChild(run)
        const said = yield* until(Effect.sync(outputs.stderr), (text) => text.includes("\n"))
        assert.match(JSON.parse(said.split("\n")[0] ?? "").waiting.message, /^Waits 1m /)
        yield* Fiber.interrupt(waiting)
      })
    )
  }

  it.effect("says what an unexpected reply had", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      const env = { SLUICE_BASE_URL: sandbox.faultUrl("wrong-type=time") }
      const { code, stderr } = yield* sluice([...prices, "--retries", "0"], env)
      assert.strictEqual(code, codes.reply)
      assert.match(stderr, /unexpected reply/)
    })
  )

  it.effect("has the same message and code in a process of its own, with nothing on standard output and no key", () =>
    Effect.gen(function* () {
      const env = { SLUICE_API_KEY: "no-such-key-zebra" }
      for (const args of [prices, ["get", "zebra", "--json"]]) {
        const ran = yield* sluiceProcess(args, env)
        assert.deepStrictEqual(withoutTrace(ran), withoutTrace(yield* sluice(args, env)))
        assert.deepStrictEqual([ran.code, ran.stdout], [args === prices ? codes.key : codes.usage, ""])
        assert.notInclude(ran.stderr, "no-such-key")
      }
    })
  )

  it.effect("never prints the key, whatever its source, valid or not", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const home = yield* folder
      yield* fs.makeDirectory(`${home}/sluice`)
      const { url } = yield* Sandbox.Sandbox
      const file = `${home}/sluice/config.toml`
      const runs = []
      for (const secret of [key, "no-such-key-zebra"]) {
        runs.push(yield* sluice([...prices], { SLUICE_API_KEY: secret }))
        runs.push(yield* sluice([...prices, "--api-key", secret], { SLUICE_API_KEY: "" }))
        runs.push(yield* sluice(["quota", "--json", `--api-key=${secret}`]))
        runs.push(yield* sluice([...prices, "--apikey", secret]))
        runs.push(yield* sluice([...prices, `--apikey=${secret}`]))
        runs.push(yield* sluice(["--apikey", secret, ...prices]))
        const fromFile = { SLUICE_API_KEY: "", SLUICE_BASE_URL: "", XDG_CONFIG_HOME: home }
        for (const text of [
          `root = "${url}"\napi_key = "${secret}"\n`,
          `api_key = "${secret}\n`,
          `api_key = ${secret}\n`,
          `api_kye = "${secret}"\n`,
          `{"api_key": "${secret}"`
        ]) {
          yield* fs.writeFileString(file, text)
          runs.push(yield* sluice([...prices], fromFile))
        }
      }
      const codesSeen = new Set(runs.map(({ code }) => code))
      assert.includeMembers([...codesSeen], [0, codes.usage, codes.key])
      for (const { stderr, stdout } of runs) {
        assert.notInclude(stdout + stderr, key)
        assert.notInclude(stdout + stderr, "zebra")
        assert.notInclude(stdout + stderr, "bug of sluice")
      }
    })
  )

  it.effect("reads root and key from the config file, unless a flag or a variable overrides them", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const home = yield* folder
      const { communityUrl, url } = yield* Sandbox.Sandbox
      yield* fs.makeDirectory(`${home}/sluice`)
      yield* fs.writeFileString(`${home}/sluice/config.json`, JSON.stringify({ root: url, api_key: key }))
      const nothing = { SLUICE_API_KEY: "", SLUICE_BASE_URL: "" }
      const env = Object.fromEntries(Object.entries({ ...nothing, XDG_CONFIG_HOME: home }))
      const quota = (more: ReadonlyArray<string>, over: Record<string, string> = {}) =>
        Effect.map(sluice(["quota", "--json", ...more], { ...env, ...over }), ({ code, stdout }) => ({
          code,
          ...(stdout === "" ? {} : { root: JSON.parse(stdout).root, plan: JSON.parse(stdout).plan })
        }))
      assert.deepStrictEqual(yield* quota([]), { code: 0, root: url, plan: "download" })
      assert.deepInclude(yield* quota(["--root", communityUrl]), { code: 0, root: communityUrl, plan: "community" })
      assert.deepInclude(yield* quota([], { SLUICE_BASE_URL: communityUrl }), { root: communityUrl })
      assert.deepInclude(yield* quota(["--api-key", "no-such-key"]), { code: codes.key })
      yield* fs.writeFileString(`${home}/other.toml`, `root = "${communityUrl}"\n`)
      assert.deepInclude(yield* quota(["--config", `${home}/other.toml`]), { root: communityUrl })
    })
  )

  it.effect("says which root the key of the config file belongs to, when it was not sent to another", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const file = `${yield* folder}/config.toml`
      const { url } = yield* Sandbox.Sandbox
      yield* fs.writeFileString(file, `root = "https://example.test/v4"\napi_key = "${key}"\n`)
      const env = { SLUICE_API_KEY: "", SLUICE_BASE_URL: "" }
      const words = "The key of the config file belongs to https://example.test/v4 and was not sent to"
      for (const root of [url, "paid"]) {
        const { code, stderr } = yield* sluice(["quota", "--root", root, "--config", file], env)
        assert.deepStrictEqual([code, stderr.split("\n")[1]], [codes.key, `${words} ${root}; set SLUICE_API_KEY.`])
      }
      const own = yield* sluice(["quota", "--root", url, "--config", file, "--api-key", "no-such-key"], env)
      assert.match(own.stderr, /\nCheck the key: /)
    })
  )

  it.effect("suggests /v4 when a root without it answers 404", () =>
    Effect.gen(function* () {
      const { url } = yield* Sandbox.Sandbox
      const root = url.replace(/\/v4$/, "")
      const { code, stderr } = yield* sluice([...prices, "--root", root, "--retries", "0"])
      assert.strictEqual(code, codes.missing)
      assert.strictEqual(
        stderr.split("\n")[1],
        `Does the root ${root} lack /v4? If not, check the names in the request.`
      )
    })
  )

  it.effect("reads numbers, text and booleans from the config file, and rejects invalid values", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const file = `${yield* folder}/config.toml`
      const quota = (text: string) =>
        Effect.andThen(fs.writeFileString(file, text), sluice(["quota", "--json", "--config", file]))
      const right =
        'min_bytes_per_second = 100\nparallel = 2\nmax_page_bytes = 1000000\ngzip = false\nlongest_wait = "infinity"\n'
      assert.deepInclude(yield* quota(right), { code: 0, stderr: "" })
      assert.deepInclude(yield* quota('min_bytes_per_second = "100"\ngzip = "true"\n'), { code: 0, stderr: "" })
      for (const [text, reason] of [
        ["idle_timeout = 30", "has a value for idle_timeout that is not text; put it in quotes"],
        ["root = true", "has a value for root that is not text; put it in quotes"],
        ["parallel = true", "has a value for parallel that is not a number"],
        ["gzip = 1", "has a value for gzip that is neither true nor false"]
      ] as const) {
        const { code, stderr } = yield* quota(text)
        assert.strictEqual(code, codes.usage)
        assert.strictEqual(JSON.parse(stderr).error.message, `the config file ${file} ${reason}`)
      }
    })
  )

  it.effect(
    "has its settings in the documentation and in help, by their names in the environment and the config file",
    () =>
      Effect.gen(function* () {
        const page = readFileSync(new URL("../../../docs/command-line.md", import.meta.url), "utf8")
        const rows = [...page.matchAll(/^\|[^|]*\| `(SLUICE_\w+)` \| `(\w+)` \|/gm)].map(([, variable, key]) => [
          variable,
          key
        ])
        const names = Variables.all.map(({ key, variable }) => [variable, key])
        assert.sameDeepMembers(rows, names)
        const { stdout } = yield* sluice(["--help"])
        for (const [variable, key] of names) assert.match(stdout, new RegExp(`^  ${variable} +${key}: `, "m"))
      })
  )

  it.effect("does not send the key of the config file to another root", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const home = yield* folder
      const { url } = yield* Sandbox.Sandbox
      yield* fs.makeDirectory(`${home}/sluice`)
      yield* fs.writeFileString(`${home}/sluice/config.toml`, `root = "https://example.com/v4"\napi_key = "${key}"\n`)
      const { code } = yield* sluice(["quota", "--root", url], {
        SLUICE_API_KEY: "",
        SLUICE_BASE_URL: "",
        XDG_CONFIG_HOME: home
      })
      assert.strictEqual(code, codes.key)
    })
  )

  it.effect("has its exit codes in the documentation, each with its category", () =>
    Effect.sync(() => {
      const page = readFileSync(new URL("../../../docs/command-line.md", import.meta.url), "utf8")
      const rows = [...page.matchAll(/^\| (\d+) \| (\w+) \|/gm)].map(([, code, kind]) => [kind, Number(code)])
      assert.deepStrictEqual(Object.fromEntries(rows), codes)
    })
  )
})

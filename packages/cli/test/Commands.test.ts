import { assert, layer } from "@effect/vitest"
import { Endpoints } from "@sluice/core"
import * as Completions from "effect/cli/Completions"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { readFileSync } from "node:fs"
import { until } from "../../node/test/Harness.ts"
import * as Commands from "../src/commands/Commands.ts"
import { codes, rows } from "../src/program/ExitCode.ts"
import * as Variables from "../src/settings/Variables.ts"
import { environment, inProcess, services, sluice, sluiceFile, sluiceProcess, start } from "./Process.ts"

const prices = ["timeseries/asset-metrics", "--assets", "btc,eth", "--metrics", "PriceUSD"]

const commands = [
  "endpoints",
  "describe",
  "get",
  "download",
  "sync",
  "verify",
  "coverage",
  "revisions",
  "metrics",
  "assets",
  "markets",
  "quota",
  "doctor",
  "sandbox",
  "completions",
  "schema"
]

layer(services, { excludeTestServices: true })("the commands", (it) => {
  it.effect("without a command, prints an overview with three examples", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* sluice([])
      assert.deepStrictEqual([code, stderr], [0, ""])
      assert.strictEqual(stdout.match(/^ {2}sluice /gm)?.length, 3)
      assert.isBelow(stdout.split("\n").length, 17)
    })
  )

  it.effect("names all commands on a screen of 24 lines, and each once", () =>
    Effect.gen(function* () {
      const { code, stdout } = yield* sluice(["--help"])
      const lines = stdout.trimEnd().split("\n")
      assert.deepStrictEqual([code, lines.length < 24, lines.every((line) => line.length <= 80)], [0, true, true])
      const named = lines.flatMap((line) => /^ {2}([a-z, ]+?) {2}/.exec(line)?.[1]?.split(", ") ?? [])
      const { subcommands } = Completions.fromCommand(Commands.make())
      assert.sameMembers(
        named,
        subcommands.map(({ name }) => name)
      )
      const { stdout: settings } = yield* sluice(["help", "settings"])
      for (const { variable } of Variables.all) assert.include(settings, variable)
      assert.match(settings, /--retries <n>/)
      const page = readFileSync(new URL("../../../docs/command-line.md", import.meta.url), "utf8")
      const onPage = [...page.matchAll(/^\| (\d+) \| (\w*) ?\| (.*) \|$/gm)].map(([, ...cells]) => cells)
      assert.deepStrictEqual(
        onPage,
        rows.map((row) => row.map(String))
      )
      const exit = (yield* sluice(["help", "exit"])).stdout.replaceAll(/\s+/g, " ")
      for (const [code, kind, means] of rows) assert.include(exit, ` ${code} ${kind} ${means}`.replace("  ", " "))
    })
  )

  it.effect("takes for help the name of an endpoint too, and says of another word that there is no such command", () =>
    Effect.gen(function* () {
      const described = yield* sluice(["describe", "asset-metrics"])
      assert.deepStrictEqual(yield* sluice(["help", "asset-metrics"]), described)
      const { code, stderr, stdout } = yield* sluice(["help", "gett"])
      assert.deepStrictEqual([code, stdout], [codes.usage, ""])
      assert.include(stderr, 'did you mean "get"')
    })
  )

  it.effect("prints its version, which is that of the package", () =>
    Effect.gen(function* () {
      const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))
      const stdout = `sluice ${version}\n`
      assert.deepStrictEqual(yield* sluiceProcess(["--version"]), { stdout, stderr: "", code: 0 })
    })
  )

  for (const command of commands) {
    it.effect(`explains ${command}`, () =>
      Effect.gen(function* () {
        const { code, stderr, stdout } = yield* sluice([command, "--help"])
        assert.deepStrictEqual([code, stderr], [0, ""])
        assert.include(stdout, `sluice ${command}`)
        assert.strictEqual((yield* sluice(["help", command])).stdout, stdout)
        for (const line of stdout.split("\n")) {
          // Examples are never broken.
          if (!line.startsWith("  sluice")) assert.isAtMost(line.length, 80, line)
        }
      })
    )
  }

  it.effect("lists the parameters of an endpoint in its help, with type and meaning", () =>
    Effect.gen(function* () {
      const { stdout } = yield* sluice(["get", "timeseries/asset-metrics", "--help"])
      assert.match(stdout, /--assets <list> +Required\. Asset tickers;/)
      assert.match(stdout, /--paging_from <start\|end> /)
      assert.match(stdout, /--\[no-\]start_inclusive /)
      assert.match(stdout, /--limit_per_asset <n> [^(]*\(1 to 2,147,483,647\)/)
      assert.notInclude(stdout, "json_stream or")
    })
  )

  it.effect("lists every endpoint, or those that match all words", () =>
    Effect.gen(function* () {
      const all = yield* sluice(["endpoints", "--json"])
      const paths = JSON.parse(all.stdout).map(({ path }: { readonly path: string }) => `/${path}`)
      assert.sameMembers(
        paths,
        [...Endpoints.all, ...Endpoints.singles, ...Endpoints.live].map(({ path }) => path)
      )
      const some = yield* sluice(["endpoints", "Taxonomy.assets"])
      assert.match(some.stdout, /^taxonomy\/assets {2}[^\n]*\n$/)
      const several = yield* sluice(["endpoints", "Timeseries", "metrics"])
      const [lists = "", live = ""] = several.stdout.trimEnd().split("\n\n")
      assert.include(lists.split("\n")[0], "timeseries/asset-metrics")
      for (const line of lists.split("\n")) assert.match(line, /^timeseries\/.*metrics/)
      assert.match(live, /^Live, for `tail`\ntimeseries-stream\/asset-metrics /)
    })
  )

  it.effect("describes an endpoint by its path or its name", () =>
    Effect.gen(function* () {
      const byPath = yield* sluice(["describe", "/timeseries/asset-metrics"])
      const byName = yield* sluice(["describe", "timeseries.assetmetrics"])
      assert.deepStrictEqual(byPath, byName)
      assert.match(byPath.stdout, /--start_time <time> +Earliest time;/)
      assert.match(byPath.stdout, /--status <all\|flash\|reviewed\|revised>\n +Which revisions/)
      assert.match(byPath.stdout, /--frequency <text> .*\(1b, 1s, 15s, 1m, 5m,\s+10m, 15m, 30m, 1h, 4h, 1d,/s)
      assert.match(byPath.stdout, /^ {2}height +text\. Block height, as text\.$/m)
      assert.match(byPath.stdout, /split by +assets, time/)
    })
  )

  it.effect("describes an endpoint as JSON", () =>
    Effect.gen(function* () {
      const { stdout } = yield* sluice(["describe", "reference-data/markets", "--json"])
      const described = JSON.parse(stdout)
      assert.deepInclude(described, { name: "ReferenceData.markets", url: "/reference-data/markets", community: true })
      assert.deepInclude(described.parameters[0], { name: "markets", required: false, list: true })
      assert.property(described.records, described.record)
    })
  )

  it.effect("writes unchanged records as NDJSON to a pipe", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* sluice(["get", ...prices, "--start-time", "2024-01-01", "--limit", "2"])
      assert.deepStrictEqual([code, stderr], [0, ""])
      const [first, second] = stdout.split("\n").map((line) => (line === "" ? undefined : JSON.parse(line)))
      assert.deepInclude(first, { asset: "btc", time: "2024-01-01T00:00:00.000000000Z" })
      assert.match(first.PriceUSD, /^\d+\.\d{10,}$/)
      assert.deepInclude(second, { asset: "btc", time: "2024-01-02T00:00:00.000000000Z" })
    })
  )

  it.effect("stops reading at Ctrl-C, without a message", () =>
    Effect.gen(function* () {
      const handle = yield* start(["get", ...prices, "--frequency", "1m"])
      const first = yield* Stream.runHead(Stream.decodeText(handle.stdout))
      assert.isTrue(Option.isSome(first))
      yield* handle.kill({ killSignal: "SIGINT" })
      assert.strictEqual(Number(yield* handle.exitCode), codes.interrupted)
      assert.strictEqual(yield* Stream.mkString(Stream.decodeText(handle.stderr)), "")
    }).pipe(Effect.scoped)
  )

  it.effect("writes CSV with the chosen columns", () =>
    Effect.gen(function* () {
      const args = ["get", ...prices, "--limit", "1", "--format", "csv", "--columns", "time,PriceUSD"]
      const { stdout } = yield* sluice(args)
      assert.match(stdout, /^time,PriceUSD\r?\n2010-07-18T00:00:00\.000000000Z,\d+\.\d+\r?\n$/)
    })
  )

  it.effect("writes an aligned table, with numbers on the right", () =>
    Effect.gen(function* () {
      const { stdout } = yield* sluice(["get", ...prices, "--limit", "3", "--format", "table"])
      const [head = "", ...rows] = stdout.trimEnd().split("\n")
      assert.match(head, /^asset {2}time {18}.*PriceUSD$/)
      assert.deepStrictEqual([...new Set(rows.map(({ length }) => length))], [head.length])
      assert.match(rows[0] ?? "", /^btc {4}2010-07-18T00:00:00Z {2}\d+\.\d+$/)
    })
  )

  it.effect("says that there are no records, instead of an empty table", () =>
    Effect.gen(function* () {
      const dates = ["--start_time", "2001-01-01", "--end_time", "2001-01-02"]
      const { code, stderr, stdout } = yield* sluice(["get", ...prices, ...dates, "--format", "table"])
      assert.deepStrictEqual([code, stdout, stderr.split("\n")[0]], [0, "", "No records."])
    })
  )

  it.effect("accepts a list as repeated flags, and a parameter in both spellings", () =>
    Effect.gen(function* () {
      const dates = ["--start-time", "2024-01-01", "--end_time=2024-01-01"]
      const flags = ["--assets", "btc", "--assets", "eth", "--metrics", "PriceUSD", ...dates]
      const { stdout } = yield* sluice(["get", "Timeseries.assetMetrics", ...flags])
      assert.deepStrictEqual(stdout.match(/"asset":"\w+"/g), ['"asset":"btc"', '"asset":"eth"'])
    })
  )

  it.effect("takes the flags of every command before the command as well", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* sluice(["--retries", "0", "get", ...prices, "--limit", "1"])
      assert.deepStrictEqual([code, stderr, stdout.match(/"asset":"\w+"/)?.[0]], [0, "", '"asset":"btc"'])
    })
  )

  it.effect("reads --no-… as false, and accepts the word false", () =>
    Effect.gen(function* () {
      const metrics = ["--metrics", "PriceUSD"]
      const dates = ["--start_time", "2024-01-01", "--end_time", "2024-01-03"]
      for (const without of ["--no-end_inclusive", "--end_inclusive=false", "--end-inclusive=false"]) {
        const { stdout } = yield* sluice(["get", prices[0] ?? "", "--assets", "btc", ...metrics, ...dates, without])
        assert.deepStrictEqual([without, stdout.match(/"time":"[\d-]+/g)?.at(-1)], [without, '"time":"2024-01-02'])
      }
    })
  )

  it.effect("accepts a parameter of an endpoint that is called version", () =>
    Effect.gen(function* () {
      const { stdout } = yield* sluice(["get", "taxonomy/assets", "--version", "1.0", "--limit", "1"])
      assert.include(stdout, '"taxonomy_version":"1.0"')
    })
  )

  it.effect("passes --limit to an endpoint that has a limit, and as page size to others", () =>
    Effect.gen(function* () {
      const markets = yield* sluice(["get", "catalog/markets", "--limit", "2"], { SLUICE_DEPRECATED: "ignore" })
      assert.deepStrictEqual([markets.stdout.trimEnd().split("\n").length, markets.stderr], [2, ""])
      const assets = yield* sluice(["get", "reference-data/assets", "--limit", "3"])
      assert.strictEqual(assets.stdout.trimEnd().split("\n").length, 3)
    })
  )

  it.effect("warns on standard error of a deprecated endpoint", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* sluice(["get", "catalog/indexes", "--indexes", "CMBIBTC"])
      assert.strictEqual(code, 0)
      assert.match(stderr, /^warning: \/catalog\/indexes is deprecated; use [^\n]*\n$/)
      assert.isDefined(JSON.parse(stdout))
    })
  )

  it.effect("shows the plan and what is left of the rate limit", () =>
    Effect.gen(function* () {
      const { stdout } = yield* sluice(["quota"])
      assert.match(
        stdout,
        /plan +download\n +limit +6,000 requests in 20 s\n +remaining +5,9\d\d\n +reset +a request may start now/
      )
      const json = JSON.parse((yield* sluice(["quota", "--json"])).stdout)
      assert.deepInclude(json, { plan: "download", limit: 6_000, window_seconds: 20, reset_seconds: 0, store: null })
    })
  )

  it.effect("shows where the quota is shared, and names a store that is not there without its password", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const store = `local:${yield* fs.makeTempDirectoryScoped()}`
      const shared = yield* sluice(["quota"], { SLUICE_QUOTA_STORE: store })
      assert.include(shared.stdout, `through ${store}, by 1 at present`)
      const twice = JSON.parse((yield* sluice(["quota", "--json"], { SLUICE_QUOTA_STORE: store })).stdout)
      assert.deepInclude(twice, { plan: "download", store })
      assert.isAtMost(twice.remaining, 5_998)
      const environment = { SLUICE_QUOTA_STORE: "redis://u:secret@127.0.0.1:1", SLUICE_WHEN_UNAVAILABLE: "fail" }
      const gone = yield* sluice(["quota", "--retries", "0"], environment)
      assert.strictEqual(gone.code, 7)
      assert.include(gone.stderr, "the quota store redis://127.0.0.1:1 cannot be used")
      assert.include(gone.stderr, "correct its address: SLUICE_QUOTA_STORE, or quota_store in the config file")
      assert.notInclude(gone.stderr, "secret")
    })
  )

  it.effect("runs the stand-in with its own flags, and reports errors in them", () =>
    Effect.gen(function* () {
      const { outputs, run } = inProcess(["sandbox", "--port", "0", "--plan", "trial"], yield* environment)
      const running = yield* Effect.forkChild(run)
      const greeting = yield* until(Effect.sync(outputs.stdout), (text) => text.includes("Ctrl+C"))
      const root = /^paid +(\S+)$/m.exec(greeting)?.[1] ?? ""
      assert.include((yield* sluice(["quota", "--root", root])).stdout, "trial")
      const taken = yield* sluice(["sandbox", "--port", new URL(root).port])
      assert.strictEqual(taken.code, codes.system)
      assert.match(taken.stderr, /already in use\.\nChoose another port with --port, or 0 for any free port\.\n$/)
      yield* Fiber.interrupt(running)
      const { code, stderr } = yield* sluice(["sandbox", "--plan", "gold"])
      assert.strictEqual(code, codes.usage)
      assert.match(stderr, /^sluice: --plan cannot be "gold": expected [^\n]*\n`sluice sandbox --help`/)
    }).pipe(Effect.scoped)
  )

  for (const shell of ["bash", "zsh", "fish", "powershell"]) {
    it.effect(`prints a short script for ${shell}, which asks the program`, () =>
      Effect.gen(function* () {
        const { code, stderr, stdout } = yield* sluice(["completions", shell])
        assert.deepStrictEqual([code, stderr], [0, ""])
        assert.include(stdout, `sluice complete ${shell} `)
        assert.match(stdout, new RegExp(`sluice completions ${shell}\\b`))
        // A shell reads it at each start.
        assert.isBelow(stdout.length, 2_000)
      })
    )
  }

  it.effect("refuses a Node that is too old with a sentence, before it imports anything", () =>
    Effect.gen(function* () {
      const old = 'Object.defineProperty(process, "version", { value: "v20.20.2" })'
      const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(old)}` }
      const stderr = "sluice needs Node.js 22.19 or newer, this is v20.20.2.\n"
      assert.deepStrictEqual(yield* sluiceFile(["--version"], env), { stdout: "", stderr, code: codes.usage })
      const main = readFileSync(new URL("../src/main.ts", import.meta.url), "utf8")
      const imported = [...main.matchAll(/^import .* from "(.*)"$/gm)].map(([, module = ""]) => module)
      assert.deepStrictEqual(imported, ["node:module", "node:v8", "./program/NodeVersion.ts", "./settings/Version.ts"])
      for (const module of imported.slice(2)) {
        assert.notMatch(readFileSync(new URL(module, new URL("../src/", import.meta.url)), "utf8"), /^import /m)
      }
    })
  )

  it.effect("shows the choices of a flag behind its name, in the help of the sandbox too", () =>
    Effect.gen(function* () {
      const { stdout } = yield* sluice(["sandbox", "--help"])
      assert.include(stdout, "--plan <trial|default|download>")
      assert.notMatch(stdout, / choice\b/)
    })
  )

  it.effect("names the published plans in the description of the setting", () =>
    Effect.gen(function* () {
      const { stdout } = yield* sluice(["help", "settings"])
      assert.match(stdout.replaceAll(/\s+/g, " "), /SLUICE_PLAN plan: [^:]*: community, trial, default, download/)
    })
  )

  it.effect("speaks of flags, not of the types and objects of a program", () =>
    Effect.gen(function* () {
      const descriptions = readFileSync(new URL("../src/endpoints/descriptions.json", import.meta.url), "utf8")
      for (const line of descriptions.split("\n")) {
        assert.notMatch(line, /`\w+: (?:\[|\\")|record type|and its type/)
      }
      const { stdout } = yield* sluice(["get", "timeseries/asset-metrics", "--help"])
      assert.notMatch(stdout, /constants|record type|format: /)
    })
  )
})

import { assert, layer } from "@effect/vitest"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import { readFileSync } from "node:fs"
import { until } from "../../node/test/Harness.ts"
import * as ExitCode from "../src/program/ExitCode.ts"
import { environment, folder, inProcess, key, services, sluice, sluiceProcess } from "./Process.ts"

/** The file of the page. */
const page = readFileSync(new URL("../../../docs/datasets.md", import.meta.url), "utf8")
const example = /```toml\n(# datasets\.toml\n[^]*?)```/.exec(page)?.[1] ?? ""

const prices = (more: string) =>
  `endpoint = "timeseries/asset-metrics"\nassets = "btc"\nmetrics = "PriceUSD"\nstart_time = 2026-10-01\n${more}\n`

/** Writes a file of datasets in a folder of its own. */
const written = Effect.fnUntraced(function* (text: string) {
  const fs = yield* FileSystem.FileSystem
  const place = yield* folder
  yield* fs.writeFileString(`${place}/datasets.toml`, text)
  return { place, file: `${place}/datasets.toml` }
})

const words = "sync timeseries/asset-metrics --assets btc --metrics PriceUSD --start_time 2026-10-01".split(" ")

const linesOf = (text: string): ReadonlyArray<Record<string, unknown>> =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))

const nameless = /^(?!(?:closes|candles|rates): )/

layer(services, { excludeTestServices: true })("sync --all", (it) => {
  it.effect("begins the datasets of the page's file, asks for little in the next run, and tells what they hold", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      const { file, place } = yield* written(example)
      // Places are beside the file, wherever the command runs.
      const first = yield* sluice(["sync", "--all", file])
      assert.deepStrictEqual([first.code, first.stdout], [0, ""], first.stderr)
      const lines = first.stderr.trimEnd().split("\n")
      for (const line of lines) assert.notMatch(line, nameless)
      for (const name of ["closes", "candles", "rates"]) {
        const own = lines.filter((line) => line.startsWith(`${name}: `))
        assert.match(own[0] ?? "", /: Beginning /)
        assert.match(own.at(-1) ?? "", /: Done: [\d,]+ new records, /)
      }
      const before = (yield* sandbox.stats).requests
      const again = yield* sluice(["sync", "--all", file, "--json"])
      assert.deepStrictEqual([again.code, again.stderr], [0, ""])
      assert.isAtMost((yield* sandbox.stats).requests - before, 20)
      const events = linesOf(again.stdout)
      for (const event of events) assert.include(["closes", "candles", "rates"], event["name"])
      assert.sameMembers(
        events.filter(({ _tag }) => _tag === "Finished").map(({ dataset, name }) => `${name} ${dataset}`),
        [`closes ${place}/closes`, `candles ${place}/candles`, `rates ${place}/market.duckdb main.rates`]
      )
      const held = yield* sluice(["status", "--all", file, "--json"])
      assert.deepStrictEqual([held.code, held.stderr], [0, ""])
      const rows = linesOf(held.stdout)
      assert.deepStrictEqual(
        rows.map(({ name, state }) => [name, state]),
        [
          ["closes", "whole"],
          ["candles", "whole"],
          ["rates", "whole"]
        ]
      )
      for (const row of rows) assert.isAbove(Number(row["records"]), 10)
      assert.strictEqual((yield* sluice(["verify", `${place}/candles`])).code, 0)
      const fs = yield* FileSystem.FileSystem
      yield* fs.remove(`${place}/closes/asset=btc/year=2026/btc-2026.parquet`)
      const lacking = yield* sluice(["status", `${place}/closes`], { NO_COLOR: "1" }, { isTerminal: true })
      assert.match(lacking.stdout, /^1 missing file +2 +610 +2026-11-01\n  endpoint timeseries\/asset-metrics/m)
    })
  )

  it.effect("tells the plan of each, and takes those that are named", () =>
    Effect.gen(function* () {
      const { file, place } = yield* written(example)
      const planned = yield* sluice(["sync", "--all", file, "--check", "--only", "rates,closes"])
      assert.deepStrictEqual([planned.code, planned.stderr], [0, ""])
      assert.match(planned.stdout, /^closes: a new dataset of 2 entities, /m)
      assert.match(planned.stdout, /^rates: a new dataset of /m)
      assert.notInclude(planned.stdout, "candles")
      const told = yield* sluice(["sync", "--all", file, "--check", "--json", "--only", "candles"])
      assert.include(linesOf(told.stdout)[0], { name: "candles", dataset: `${place}/candles`, isNew: true })
      const empty = yield* sluice(["status", "--all", file], {}, { isTerminal: true })
      assert.match(empty.stdout, /^closes +not begun /m)
      const fs = yield* FileSystem.FileSystem
      assert.deepStrictEqual(yield* fs.readDirectory(place), ["datasets.toml"])
      const none = yield* sluice(["sync", "--all", file, "--only", "closs"])
      assert.strictEqual(none.code, ExitCode.codes.usage)
      assert.match(none.stderr, /datasets\.toml has no dataset "closs"; did you mean "closes"\?/)
    })
  )

  it.effect("names what the service does not know before anything is written, in a check as in a run", () =>
    Effect.gen(function* () {
      const { file, place } = yield* written(
        `[assets]\n${prices('output = "assets"').replace("btc", "bitcoin")}
        [metrics]\n${prices('output = "metrics"').replace("PriceUSD", "PriceUDS")}
        [closes]\n${prices('output = "closes"')}`
      )
      const { code, stderr, stdout } = yield* sluice(["sync", "--all", file, "--check"])
      assert.strictEqual(code, ExitCode.codes.usage)
      assert.match(stderr, /^assets: failed: [^\n]*did you mean "btc"\?/m)
      assert.match(stderr, /^metrics: failed: [^\n]*did you mean "PriceUSD"\?/m)
      assert.match(stdout, /^closes: a new dataset of 1 entity, [^\n]*\n  [^\n]*\n$/)
      const fs = yield* FileSystem.FileSystem
      assert.deepStrictEqual(yield* fs.readDirectory(place), ["datasets.toml"])
      // One that exists is asked for only where it grows.
      const output = `${place}/closes`
      assert.strictEqual((yield* sluice([...words, "--output", output])).code, 0)
      const sandbox = yield* Sandbox.Sandbox
      const before = (yield* sandbox.stats).requests
      assert.strictEqual((yield* sluice(["sync", "--check", "--output", output])).code, 0)
      assert.strictEqual((yield* sandbox.stats).requests, before)
      const more = words.map((word) => (word === "PriceUSD" ? "PriceUSD,TxCntt" : word))
      const grown = yield* sluice([...more, "--check", "--output", output])
      assert.strictEqual(grown.code, ExitCode.codes.usage)
      assert.match(grown.stderr, /did you mean "TxCnt/)
    })
  )

  it.effect("does all others where one fails, says why once, names it last, and ends with the code of the worst", () =>
    Effect.gen(function* () {
      const { file, place } = yield* written(
        `[lost]\n${prices('output = "lost"').replace("btc", "bitcoin")}
        [closes]\n${prices('output = "closes"\nno-by-entity = true')}
        [rates]\n${prices('output = "full"')}`
      )
      const fs = yield* FileSystem.FileSystem
      yield* fs.makeDirectory(`${place}/full`)
      yield* fs.writeFileString(`${place}/full/.sluice`, "")
      const ran = yield* sluice(["sync", "--all", file])
      assert.strictEqual(ran.code, ExitCode.codes.system, ran.stderr)
      assert.match(ran.stderr, /^closes: Done: /m)
      assert.match(
        ran.stderr,
        /\nsluice: 2 of 3 datasets of [^\n]*datasets\.toml failed: lost, rates\.\nThe same command goes on [^\n]*`--only lost,rates`[^\n]*\n$/
      )
      assert.lengthOf(ran.stderr.match(/^lost: failed: [^\n]*did you mean "btc"\?/gm) ?? [], 1)
      assert.lengthOf(ran.stderr.match(/^rates: failed: /gm) ?? [], 1)
      const other = yield* sluice(["sync", "--all", file, "--only", "closes", "--root", "http://127.0.0.1:1/v4"])
      assert.match(
        other.stderr,
        /^closes: failed: [^\n]*root[^\n]*\nsluice: 1 of 1 datasets of [^\n]* failed: closes\.\n$/
      )
      const json = yield* sluice(["sync", "--all", file, "--json"])
      const { error } = JSON.parse(json.stderr)
      assert.deepInclude(error, { kind: "system", tag: "DatasetsFailed", exit: ExitCode.codes.system })
      assert.deepStrictEqual(
        error.failed.map(({ kind, name }: Record<string, unknown>) => [name, kind]),
        [
          ["lost", "usage"],
          ["rates", "system"]
        ]
      )
      assert.sameMembers(
        linesOf(json.stdout)
          .filter(({ _tag }) => _tag === "DatasetFailed")
          .map(({ name }) => name),
        ["lost", "rates"]
      )
      const state = yield* sluice(["status", "--all", file, "--json"])
      assert.strictEqual(state.code, ExitCode.codes.system)
      assert.deepStrictEqual(
        linesOf(state.stdout).map(({ state }) => String(state).replace(/:.*/, "")),
        ["not begun", "whole", "failed"]
      )
      assert.notInclude(ran.stderr + json.stderr + json.stdout, key)
    })
  )

  it.effect("refuses a file that is wrong, by its name, the table and the key, and requests nothing", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      const before = (yield* sandbox.stats).requests
      const secret = "s3cr3t-s3cr3t"
      const cases: ReadonlyArray<readonly [text: string, message: RegExp]> = [
        ["", /the file \S+datasets\.toml has no dataset: each is a table/],
        ["[a\n", /datasets\.toml is not TOML, see line 1: expected '\]'/],
        ["[a]\nnote = secret-1\n", /datasets\.toml is not TOML, see line 2: invalid value\.$/m],
        ['[a]\nendpint = "x"\n', /, \[a\], endpint: is not the name of a flag; did you mean "endpoint"\?/],
        ["concurrency = 0\n[a]\n", /datasets\.toml, concurrency: expected a whole number from 1 up/],
        [`rows = 3\n[a]\n${prices('output = "a"')}`, /datasets\.toml, rows: outside of a table there may be/],
        [`[[a]]\n${prices('output = "a"')}`, /datasets\.toml, a: outside of a table/],
        [`api_key = "${secret}"\n`, /datasets\.toml, api_key: a key has no place in this file: set SLUICE_API_KEY/],
        [`[a]\napi-key = "${secret}"\n`, /datasets\.toml, \[a\], api-key: a key has no place/],
        ['[a]\nroot = "community"\n', /\[a\], root: belongs to the command line/],
        ["[a]\nwatch = true\n", /\[a\], watch: belongs to the command line/],
        [`[a]\n${prices("")}`, /\[a\]: --output is missing: a folder; or --into, a database/],
        [`[a]\n${prices('output = "a"\ninto = "a.duckdb"')}`, /\[a\]: --output and --into exclude each other/],
        [`[a]\n${prices('into = "a.duckdb"')}`, /\[a\]: --table is missing/],
        [
          `[a]\n${prices('output = "a"\nassetz = "b"')}`,
          /\[a\], assetz: there is no key assetz; did you mean "assets"/
        ],
        [
          `[a]\n${prices('output = "a"\nmetric = "b"')}`,
          /\[a\], metric: there is no key metric; did you mean "metrics"\?\n`sluice sync \S+ --help` lists its parameters/
        ],
        [`[a]\n${prices('output = "a"\n"a b" = 1')}`, /\[a\], a b: is not the name of a flag/],
        [`[a]\n${prices('output = ["a"]')}`, /\[a\], output: expected one value/],
        [`[a]\n${prices('output = "a"\nperiod = "week"')}`, /\[a\], period: --period cannot be "week": expected/],
        [`[a]\n${prices('output = "a"\nrows = true')}`, /\[a\], rows: expected one value/],
        [`[a]\n${prices('output = "a"\nby-entity = "no"')}`, /\[a\], by-entity: expected true or false/],
        [`[a]\n${prices('output = "a"\nlook-back = "long"')}`, /\[a\], look-back: --look-back cannot be "long"/],
        [`[a]\n${prices('output = "a"\ninterval = "0s"')}`, /\[a\]: --interval is a time above 0/],
        [`[a]\n${prices('output = "a"').replace('"btc"', "[]")}`, /\[a\], assets: the list is empty/],
        [`[a]\n${prices('output = "a"').replace('"btc"', "[{}]")}`, /\[a\], assets: expected text, or a list of texts/],
        [`[a]\n${prices('output = "a"\nno-by-entity = 1')}`, /\[a\], no-by-entity: expected true or false/],
        [`[a.b]\n${prices('output = "a"')}`, /\[a\], b: is a table in a table; a name with a dot/],
        ['[a]\nendpoint = "timeseries/asset-metric"\n', /\[a\], endpoint: there is no endpoint .*did you mean/],
        ["[a]\nendpoint = 3\n", /\[a\], endpoint: expected text/],
        [`[a]\n${prices('output = "x"')}[b]\n${prices('output = "./x/"')}`, /\[b\]: its place is that of \[a\] too/],
        [
          `[a]\n${prices('into = "x.duckdb"\ntable = "t"')}[b]\n${prices('into = "./x.duckdb"\ntable = "t"')}`,
          /\[b\]: its place is that of \[a\] too/
        ]
      ]
      for (const [text, message] of cases) {
        const { file } = yield* written(text)
        for (const command of ["sync", "status"]) {
          const { code, stderr, stdout } = yield* sluice([command, "--all", file])
          assert.deepStrictEqual([code, stdout], [ExitCode.codes.usage, ""], text)
          assert.match(stderr, message)
          assert.notInclude(stderr, secret)
        }
      }
      const { file } = yield* written(`[a]\n${prices('output = "a"')}`)
      const flags: ReadonlyArray<readonly [ReadonlyArray<string>, RegExp]> = [
        [["sync", "--all", `${file}x`], /the file \S+x does not exist/],
        [["sync", "--all", file, "--output", "x"], /--output belongs into a table of the file/],
        [["sync", "--all", file, "--period", "day"], /--period belongs into a table/],
        [["sync", "timeseries/asset-metrics", "--all", file], /timeseries\/asset-metrics belongs into a table/],
        [["sync", "--all", file, "--interval", "1m"], /--interval needs --watch/],
        [["sync", "--all", file, "--watch", "--check"], /exclude each other/],
        [["sync", "--output", "x", "--only", "a"], /--only needs --all/],
        [["status"], /name a folder, a database/],
        [["status", "x", "--all", file], /name a folder, a database/]
      ]
      for (const [words, message] of flags) {
        const { code, stderr } = yield* sluice(words)
        assert.strictEqual(code, ExitCode.codes.usage, stderr)
        assert.match(stderr, message)
      }
      assert.strictEqual((yield* sandbox.stats).requests, before)
    })
  )

  it.effect("watches all in one process, tells the health of each, and is stopped with what is whole", () =>
    Effect.gen(function* () {
      const { file, place } = yield* written(
        `[closes]\n${prices('output = "closes"\ninterval = "1h"')}[lost]\n${prices('output = "lost"').replace("btc", "bitcoin")}`
      )
      const words = ["sync", "--all", file, "--watch", "--listen", "0"]
      const watching = inProcess(words, yield* environment, { isErrTerminal: true })
      const fiber = yield* Effect.forkScoped(watching.run)
      const said = yield* until(
        Effect.sync(watching.outputs.stderr),
        (text) => text.includes("closes: Watching ") && text.includes("lost: failed: ")
      )
      assert.match(said, /It is not tried again\s+before this command is restarted\./)
      assert.notInclude(said, "\r")
      const [, root = ""] = /on (http:\/\/127\.0\.0\.1:\d+)\n/.exec(said) ?? []
      const health = yield* Effect.promise(() => fetch(`${root}/health`))
      assert.strictEqual(health.status, 503)
      const { datasets, status } = (yield* Effect.promise(() => health.json())) as {
        readonly status: string
        readonly datasets: ReadonlyArray<Record<string, unknown>>
      }
      assert.strictEqual(status, "late")
      assert.include(datasets[0], { name: "closes", status: "ok", dataset: `${place}/closes`, failure: null })
      assert.include(datasets[1], { name: "lost", status: "late", current: null })
      const metrics = yield* Effect.promise(() => fetch(`${root}/metrics`).then((reply) => reply.text()))
      const lines = metrics.split("\n")
      // What alerts are made of.
      assert.include(lines, `sluice_dataset_current_seconds{dataset="${place}/lost"} 0`)
      assert.include(lines, `sluice_dataset_failures_total{dataset="${place}/lost"} 1`)
      assert.include(lines, `sluice_dataset_failures_total{dataset="${place}/closes"} 0`)
      yield* Fiber.interrupt(fiber)
      assert.match(
        watching.outputs.stderr(),
        /Stopped all of closes, lost: what is whole is kept\. The same command continues\.\n$/
      )
      assert.strictEqual((yield* sluice(["verify", `${place}/closes`])).code, 0)
    })
  )

  it.effect("tries again what failed at the start of a watch, and not what waiting cannot help", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      const { file, place } = yield* written(
        `[closes]\n${prices('output = "closes"\ninterval = "1h"')}[other]\n${prices('output = "other"\nperiod = "day"')}`
      )
      const begun = yield* sluice([...words, "--output", `${place}/other`])
      assert.strictEqual(begun.code, 0, begun.stderr)
      const faulty = { SLUICE_BASE_URL: sandbox.faultUrl("status=503;times=2") }
      const watching = inProcess(["sync", "--all", file, "--watch", "--json", "--retries", "0"], {
        ...(yield* environment),
        ...faulty
      })
      yield* Effect.forkScoped(watching.run)
      const events = yield* until(Effect.sync(watching.outputs.stdout), (text) => text.includes('"Finished"')).pipe(
        Effect.map(linesOf)
      )
      const failed = events.filter(({ _tag }) => _tag === "DatasetFailed")
      assert.deepStrictEqual(
        failed.filter(({ name }) => name === "other").map(({ again, tag }) => [tag, again]),
        [["OtherDefinition", undefined]]
      )
      const closes = failed.filter(({ name }) => name === "closes")
      assert.include(closes[0], { kind: "network", again: 1_000 })
    })
  )

  it.effect("does all others where the package of one is not installed", () =>
    Effect.gen(function* () {
      const { file, place } = yield* written(
        `[closes]\n${prices('output = "closes"')}[rates]\n${prices('into = "market.duckdb"\ntable = "rates"')}`
      )
      const hook = `import { registerHooks } from "node:module"
        registerHooks({ resolve: (name, context, next) => {
          if (name !== "@duckdb/node-api") return next(name, context)
          throw Object.assign(new Error("not installed"), { code: "ERR_MODULE_NOT_FOUND" })
        } })`
      const without = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook)}` }
      const ran = yield* sluiceProcess(["sync", "--all", file], without)
      assert.strictEqual(ran.code, ExitCode.codes.system, ran.stderr)
      assert.match(ran.stderr, /^closes: Done: /m)
      assert.match(ran.stderr, /^rates: failed: the package @duckdb\/node-api is not installed.*npm install @duckdb/m)
      assert.match(ran.stderr, /1 of 2 datasets of /)
      const state = linesOf((yield* sluiceProcess(["status", "--all", file, "--json"], without)).stdout)
      assert.include(state[0], { name: "closes", state: "whole" })
      assert.include(state[1], { error: "MissingPackage", dataset: `${place}/market.duckdb rates` })
    })
  )

  it.effect("says a warning once where several datasets have the same to say", () =>
    Effect.gen(function* () {
      const { file } = yield* written(
        ["a", "b"]
          .map((name) => `[${name}]\n${prices(`into = "postgres://me:word@127.0.0.1:1/x"\ntable = "${name}"`)}`)
          .join("")
      )
      const { stderr } = yield* sluice(["status", "--all", file])
      assert.strictEqual(stderr.match(/^warning: the URL of the database has a password/gm)?.length, 1, stderr)
      // What the service says in each reply.
      const { file: several } = yield* written(
        ["a", "b", "c"].map((name) => `[${name}]\n${prices(`output = "${name}"`)}`).join("")
      )
      const { faultUrl } = yield* Sandbox.Sandbox
      const warned = yield* sluice(["sync", "--all", several], { SLUICE_BASE_URL: faultUrl("warnings=3") })
      const warnings = warned.stderr.split("\n").filter((line) => line.includes("warning: "))
      assert.isAbove(warnings.length, 0)
      for (const line of warnings) assert.match(line, /^[abc]: warning: /)
      const texts = warnings.map((line) => line.slice(3))
      assert.deepStrictEqual(texts, [...new Set(texts)])
    })
  )

  it.effect("keeps several tables of one DuckDB file at the same time", () =>
    Effect.gen(function* () {
      const names = ["a", "b", "c", "d"]
      const { file } = yield* written(
        names.map((name) => `[${name}]\n${prices(`into = "market.duckdb"\ntable = "${name}"`)}`).join("")
      )
      for (let run = 0; run < 3; run++) {
        const { code, stderr } = yield* sluice(["sync", "--all", file])
        assert.strictEqual(code, 0, stderr)
      }
      const held = linesOf((yield* sluice(["status", "--all", file])).stdout)
      assert.deepStrictEqual(
        held.map(({ name, state }) => [name, state]),
        names.map((name) => [name, "whole"])
      )
    })
  )

  it.effect("is explained as flags of the command", () =>
    Effect.gen(function* () {
      const help = yield* sluice(["sync", "--help"])
      assert.match(help.stdout, /--all <file> +Every dataset of a TOML file/)
      assert.match(help.stdout, /--only <list>/)
    })
  )

  it("ends with what has to be mended before what may pass by itself", () => {
    assert.strictEqual(ExitCode.worst(["incomplete", "rate", "key"]), "key")
    assert.strictEqual(ExitCode.worst(["network", "incomplete"]), "network")
    assert.strictEqual(ExitCode.worst(["usage", "bug"]), "bug")
  })
})

layer(services, { excludeTestServices: true })("the quota of sync --all", (it) => {
  it.effect("is one: all datasets together never have more requests in flight than it permits", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      const { file } = yield* written(
        ["a", "b", "c", "d"]
          .map((name) => `[${name}]\n${prices(`output = "${name}"`).replace('"btc"', '["btc", "eth", "sol", "ltc"]')}`)
          .join("")
      )
      // Each reply takes so long that others would come meanwhile.
      const slow = { SLUICE_BASE_URL: sandbox.faultUrl("slow=30"), SLUICE_PARALLEL: "2" }
      const { code, stderr } = yield* sluice(["sync", "--all", file], slow)
      assert.strictEqual(code, 0, stderr)
      const { peak, rejected } = yield* sandbox.stats
      assert.deepStrictEqual([peak, rejected], [2, 0])
    })
  )
})

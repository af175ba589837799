import { assert, layer } from "@effect/vitest"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { json, serve } from "../../node/test/Server.ts"
import { folder, key, services, sluice } from "./Process.ts"

/** Nothing answers there: a request would fail. */
const nowhere = "http://127.0.0.1:1/v4"

/** Where names of `nowhere` are kept. */
const placeOf = (cache: string) => `${cache}/sluice/names/127.0.0.1_1_v4`

/** A record of any list that is of this name. */
const recordOf = (name: string) => ({
  asset: name,
  exchange: name,
  index: name,
  market: name,
  metric: name,
  type: "spot"
})

/** What may stand at the last of these words. */
const complete = Effect.fnUntraced(function* (words: ReadonlyArray<string>, shell = "bash", cache = "") {
  const env = { SLUICE_BASE_URL: nowhere, XDG_CACHE_HOME: cache }
  const { code, stderr, stdout } = yield* sluice(["complete", shell, "--", ...words], env)
  assert.deepStrictEqual([code, stderr], [0, ""], words.join(" "))
  const lines: ReadonlyArray<string> = stdout === "" ? [] : stdout.trimEnd().split("\n")
  return lines
})

/** Words, and what completes the last of them. */
const cases: ReadonlyArray<readonly [typed: string, offered: ReadonlyArray<string>]> = [
  ["desc", ["describe"]],
  ["compl", ["completions"]],
  ["help dow", ["download"]],
  ["get timeseries/asset-m", ["timeseries/asset-metrics"]],
  ["get Timeseries.assetM", ["Timeseries.assetMetrics"]],
  ["get asset-m", ["asset-metrics"]],
  ["get asset-metrics --met", ["--metrics"]],
  ["get --assets btc asset-metrics --met", ["--metrics"]],
  ["plot market-candles --frequency 4", ["4h"]],
  ["tail market-t", ["market-trades"]],
  ["tail market-trades --mark", ["--markets"]],
  ["schema asset-metrics --met", ["--metrics"]],
  ["get timeseries/asset-metrics --start_t", ["--start_time"]],
  ["get Timeseries.assetMetrics --start-t", ["--start-time"]],
  ["get reference-data/asset-metrics --no-revi", ["--no-reviewable"]],
  ["get reference-data/asset-metrics --reviewable --rev", []],
  ["get timeseries/asset-metrics --assets btc --asse", ["--assets"]],
  ["get timeseries/asset-metrics --outp", ["--output"]],
  ["get timeseries/asset-metrics -o ", []],
  ["get timeseries/asset-metrics --format parq", ["parquet"]],
  ["get timeseries/asset-metrics --format = parq", ["parquet"]],
  ["get timeseries/asset-metrics --start_time 2024-01-01T00 : 00 --end_t", ["--end_time"]],
  ["get timeseries/asset-metrics --start_time yes", ["yesterday"]],
  ["get timeseries/asset-metrics --paging_from ", ["start", "end"]],
  ["get timeseries/market-candles --frequency 4", ["4h"]],
  ["download timeseries/asset-metrics --keep", ["--keep-going"]],
  ["download timeseries/asset-metrics --split ", ["assets"]],
  ["tail timeseries-stream/market-t", ["timeseries-stream/market-trades"]],
  ["schema Live.marketT", ["Live.marketTrades"]],
  ["sync timeseries/asset-m", ["timeseries/asset-metrics"]],
  ["sync reference-data/", []],
  ["sync --al", ["--all"]],
  ["status --onl", ["--only"]],
  ["backfill canc", ["cancel"]],
  ["backfill timeseries/asset-metrics --clus", ["--cluster"]],
  ["jobs start ba", ["balance-updates"]],
  ["jobs start transactions --tx", ["--txids"]],
  ["markets --type fu", ["future"]],
  ["completions po", ["powershell"]],
  ["sandbox --plan tri", ["trial"]],
  ["--root comm", ["community"]],
  ["--ret", ["--retries"]],
  ["doctor --hel", ["--help"]],
  ["get nosuch --limit 3 --form", ["--format"]],
  ["frobnicate --", ["--json", "--root", "--api-key", "--config", "--retries", "--help"]]
]

layer(services, { excludeTestServices: true })("completion", (it) => {
  it.effect("offers commands, endpoints, parameters and their words, without a word to the service", () =>
    Effect.gen(function* () {
      const found = yield* Effect.forEach(cases, ([typed]) =>
        Effect.map(complete(typed.split(" ")), (all): (typeof cases)[number] => [typed, all])
      )
      assert.deepStrictEqual(found, [...cases])
      assert.notInclude(yield* complete([""]), "complete")
      assert.notInclude(yield* complete(["get", "catalog"]), "catalog/assets")
      assert.strictEqual((yield* complete(["get", "timeseries/market-trades", "-"])).includes("--markets"), true)
      assert.deepStrictEqual(yield* complete([]), yield* complete([""]))
    })
  )

  it.effect("says what each is to shells that show it", () =>
    Effect.gen(function* () {
      const means = "List the metrics of an asset, with the times covered"
      assert.deepStrictEqual(yield* complete(["metr"], "zsh"), [`metrics:${means}`])
      assert.deepStrictEqual(yield* complete(["metr"], "fish"), [`metrics\t${means}`])
      assert.deepStrictEqual(yield* complete(["metr."], "powershell"), [`metrics\t${means}`])
      assert.deepStrictEqual(yield* complete(["get", "taxonomy/assets", "--format=cs"], "fish"), ["--format=csv"])
      assert.deepStrictEqual(yield* complete(["get", "taxonomy/assets", "--format", "=", "cs"]), ["csv"])
    })
  )

  it.effect("offers the names of the cache, in a list the next one", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const cache = yield* folder
      yield* fs.makeDirectory(placeOf(cache), { recursive: true })
      const keep = (kind: string, text: string) => fs.writeFileString(`${placeOf(cache)}/${kind}`, text)
      yield* keep("assets", "btc\neth\netc\n")
      yield* keep("asset-metrics", "PriceUSD\nPriceBTC\nTxCnt\n")
      yield* keep("markets", "coinbase-btc-usd-spot\n")
      const series = ["get", "timeseries/asset-metrics"]
      for (const [words, offered] of [
        [
          [...series, "--assets", "e"],
          ["eth", "etc"]
        ],
        [[...series, "--assets", "btc,eth,e"], ["btc,eth,etc"]],
        [
          [...series, "--metrics", "TxCnt,Price"],
          ["TxCnt,PriceUSD", "TxCnt,PriceBTC"]
        ],
        [[...series, "--metrics=", "--assets", "b"], ["btc"]],
        [["metrics", "b"], ["btc"]],
        [["assets", "Tx"], ["TxCnt"]],
        [
          ["markets", "--base", "et"],
          ["eth", "etc"]
        ],
        [["describe", "timeseries/asset-metrics", "bt"], ["btc"]],
        [["tail", "Live.marketTrades", "--markets", "coin"], ["coinbase-btc-usd-spot"]],
        // Of another root.
        [["--root", "community", ...series, "--assets", "b"], []]
      ] as const) {
        assert.deepStrictEqual(yield* complete(words, "bash", cache), offered, words.join(" "))
      }
    })
  )

  it.effect("ignores a cache that is damaged, and what a shell would not read as a name", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const cache = yield* folder
      const assets = ["get", "timeseries/asset-metrics", "--assets"]
      yield* fs.makeDirectory(placeOf(cache), { recursive: true })
      const file = `${placeOf(cache)}/assets`
      yield* fs.writeFile(file, new Uint8Array([0xff, 0xfe, 10, 0, 10, ...new TextEncoder().encode("bt")]))
      assert.deepStrictEqual(yield* complete([...assets, "b"], "bash", cache), ["bt"])
      yield* fs.writeFileString(file, "a$(id)\na`id`\na;b\n-a\na b\n\u001b[2J\nab\n")
      assert.deepStrictEqual(yield* complete([...assets, ""], "bash", cache), ["ab"])
      yield* fs.remove(file)
      yield* fs.makeDirectory(file)
      assert.deepStrictEqual(yield* complete([...assets, "b"], "bash", cache), [])
      yield* fs.writeFileString(`${cache}/config.toml`, "nonsense")
      const config = { SLUICE_BASE_URL: "no URL", XDG_CACHE_HOME: cache }
      const broken = yield* sluice(
        ["complete", "bash", "--config", `${cache}/config.toml`, "--", ...assets, "b"],
        config
      )
      assert.deepStrictEqual(broken, { code: 0, stdout: "", stderr: "" })
    })
  )

  it.effect("keeps what metrics, assets and markets have listed, and once a day short lists, for the user alone", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const sandbox = yield* Sandbox.Sandbox
      const cache = yield* folder
      const env = { XDG_CACHE_HOME: cache }
      const requests = Effect.map(sandbox.stats, (stats) => stats.requests)
      const metrics = Effect.gen(function* () {
        const before = yield* requests
        assert.strictEqual((yield* sluice(["metrics", "btc"], env)).code, 0)
        return (yield* requests) - before
      })
      const first = yield* metrics
      const place = `${cache}/sluice/names/${sandbox.url.replace(/^http:\/\//, "").replace(/[:/]/g, "_")}`
      const series = ["asset", "exchange", "exchange-asset", "institution", "market", "pair"]
      const kinds = ["assets", "exchanges", "indexes", ...series.map((of) => `${of}-metrics`)]
      assert.sameMembers(yield* fs.readDirectory(place), [...kinds, "lists"])
      assert.strictEqual((yield* fs.stat(place)).mode & 0o777, 0o700)
      const linesOf = (kind: string) => Effect.map(fs.readFileString(`${place}/${kind}`), (text) => text.split("\n"))
      assert.includeMembers(yield* linesOf("assets"), ["btc", "eth"])
      assert.includeMembers(yield* linesOf("asset-metrics"), ["PriceUSD", "TxCnt"])
      assert.includeMembers(yield* linesOf("exchanges"), ["coinbase"])
      const second = yield* metrics
      assert.strictEqual(first - second, kinds.length)
      const old = new Date(Date.now() - 25 * 3_600_000)
      yield* fs.utimes(`${place}/lists`, old, old)
      assert.strictEqual(yield* metrics, first)
      yield* sluice(["markets", "--exchange", "coinbase"], env)
      assert.includeMembers(yield* linesOf("markets"), ["coinbase-btc-usd-spot"])
      // Nowhere to keep them: nothing more is asked.
      assert.strictEqual((yield* sluice(["metrics", "btc"], { XDG_CACHE_HOME: "/dev/null" })).code, 0)
    })
  )

  it.effect("keeps no key, also where a service has it among its names", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const cache = yield* folder
      const { url } = yield* serve((_, response) => {
        return json(response, {
          data: ["ltc", `x${key}`].map(recordOf)
        })
      })
      const { code, stderr } = yield* sluice(["markets"], { SLUICE_BASE_URL: url, XDG_CACHE_HOME: cache })
      assert.deepStrictEqual([code, stderr], [0, ""])
      const files = (yield* fs.readDirectory(cache, { recursive: true })).filter(
        (name) => !/(?:sluice|names|v4|\d)$/.test(name)
      )
      assert.isAtLeast(files.length, 5)
      for (const file of files) {
        assert.notInclude(file, key)
        assert.notInclude(yield* fs.readFileString(`${cache}/${file}`), key, file)
      }
    })
  )
})

import { assert, layer } from "@effect/vitest"
import { Sandbox } from "@sluice/sandbox"
import { InvalidRequest } from "@sluice/core/ApiError"
import * as Discover from "@sluice/core/Discover"
import * as Dataset from "@sluice/datasets/Dataset"
import * as NodeClient from "@sluice/node/NodeClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { getAny } from "../src/endpoints/EndpointIndex.ts"
import { nearest } from "@sluice/core/Nearest"
import * as ExitCode from "../src/program/ExitCode.ts"
import * as ShownFailure from "../src/program/ShownFailure.ts"
import * as Suggestions from "../src/endpoints/Suggestions.ts"
import { folder, key, services, sluice } from "./Process.ts"

/** What was typed, and what is suggested for it. */
const refused: ReadonlyArray<readonly [command: string, meant: string]> = [
  ["get timeseries/asset-metrics --assets btc --metrics PriceUDS", "PriceUSD"],
  ["get timeseries/asset-metrics --assets btc --metrics PriceUSD,TxCnnt", "TxCnt"],
  ["get timeseries/asset-metrics --assets eth,bct --metrics PriceUSD", "btc"],
  ["get timeseries/asset-metrics --assets bitcoin --metrics PriceUSD", "btc"],
  ["get timeseries/market-trades --markets coinbase-btcusd-spot", "coinbase-btc-usd-spot"],
  ["get timeseries/market-trades --markets coinbse-btc-usd-spot", "coinbase-btc-usd-spot"],
  ["get timeseries/market-trades --markets coinbase-btc-usdt-future", "coinbase-btc-usdt-spot"],
  ["get timeseries/index-levels --indexes CMBIBCT", "CMBIBTC"],
  ["get timeseries/exchange-metrics --exchanges coinbse --metrics volume_reported_spot_usd_1d", "coinbase"],
  ["get timeseries/institution-metrics --institutions greyscale --metrics btc_net_asset_value", "grayscale"],
  ["get reference-data/markets --exchange coinbse", "coinbase"],
  ["get reference-data/assets --assets bitcoin", "btc"],
  ["metrics bitcoin", "btc"],
  ["markets --exchange coinbse", "coinbase"],
  ["describe timeseries/asset-metrics bitcoin", "btc"],
  ["describe timeseries/market-trades coinbse-btc-usd-spot", "coinbase-btc-usd-spot"],
  ["tail timeseries-stream/market-trades --markets coinbase-btc-usd-spt --limit 1", "coinbase-btc-usd-spot"]
]

const suggestionsOf = (name: string) => Effect.map(Effect.flip(getAny(name)), ({ suggestions }) => suggestions)

layer(services, { excludeTestServices: true })("what was perhaps meant", (it) => {
  for (const [command, meant] of refused) {
    it.effect(`is said where the service refuses a name: \`${command}\``, () =>
      Effect.gen(function* () {
        const { code, stderr, stdout } = yield* sluice(command.split(" "))
        assert.deepStrictEqual([code, stdout], [ExitCode.codes.usage, ""])
        const [first = "", second = ""] = stderr.split("\n")
        assert.isTrue(first.endsWith(`; did you mean "${meant}"?`), first)
        assert.match(second, /^`sluice [^`]+` lists /)
      })
    )
  }

  it.effect("is said by a download as well, which has written nothing", () =>
    Effect.gen(function* () {
      const args = ["timeseries/asset-metrics", "--assets", "btc,eht", "--metrics", "PriceUSD", "--split", "assets"]
      const { stderr } = yield* sluice(["download", ...args, "--output", `${yield* folder}/x`])
      assert.match(stderr, /^sluice: nothing was downloaded, [^\n]*; did you mean "eth"\?\n/)
    })
  )

  it.effect("is said by a sync of which every request was refused alike, with the code of usage", () =>
    Effect.gen(function* () {
      const { url } = yield* Sandbox.Sandbox
      const client = NodeClient.layer({ root: url, apiKey: Redacted.make(key) })
      const parameter = "metrics"
      const error = new InvalidRequest({
        endpoint: "/timeseries/asset-metrics",
        kind: "refused",
        parameter,
        value: "PriceUDS",
        reason: "Bad parameter 'metrics'. Value 'PriceUDS' is not supported"
      })
      const failed = ["btc", "eth"].map((asset) => ({ entities: [asset], error }))
      const failure = yield* Effect.fail(new Dataset.SyncFailed({ dataset: "prices", failed })).pipe(
        Suggestions.onRefused({ assets: "btc,eth", metrics: "PriceUDS" }),
        Effect.flip,
        Effect.provide(Layer.provideMerge(Discover.layer(), client))
      )
      const { kind, message } = ShownFailure.of(failure)
      assert.strictEqual(kind, "usage")
      assert.match(message, /^prices is not current: .*; did you mean "PriceUSD"\?$/)
    })
  )

  it.effect("is not said, and not looked for, where nothing is similar or discovery fails too", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      const args = ["get", "timeseries/asset-metrics", "--assets", "btc", "--metrics"]
      assert.notInclude((yield* sluice([...args, "zzzzzzzzzzzz"])).stderr, "did you mean")
      const env = { SLUICE_BASE_URL: sandbox.faultUrl("status=500;after=1") }
      const { code, stderr } = yield* sluice([...args, "PriceUDS", "--retries", "0"], env)
      assert.strictEqual(code, ExitCode.codes.usage)
      assert.match(stderr, /^sluice: [^\n]*'PriceUDS' is not supported \(trace [^)]*\)\.\n/)
    })
  )

  it.effect("is said where a filter leaves nothing, and the times where a range has nothing", () =>
    Effect.gen(function* () {
      const table = ["--format", "table"]
      const filter = yield* sluice(["get", "reference-data/markets", "--base", "bct", ...table])
      assert.deepStrictEqual(filter, { code: 0, stdout: "", stderr: 'No records.\n--base bct: did you mean "btc"?\n' })
      assert.strictEqual(
        (yield* sluice(["markets", "--base", "bitcoin"])).stderr.split("\n")[1],
        '--base bitcoin: did you mean "btc"?'
      )
      const late = ["--start_time", "2040-01-01", ...table]
      const prices = ["get", "timeseries/asset-metrics", "--assets", "btc", "--metrics", "PriceUSD", ...late]
      assert.match(
        (yield* sluice(prices)).stderr,
        /^No records\.\nbtc, PriceUSD, 1d: from 2010-07-18 to 20\d\d-\d\d-\d\d\n$/
      )
      const trades = ["get", "timeseries/market-trades", "--markets", "coinbase-btc-usd-spot", ...late]
      assert.match(
        (yield* sluice(trades)).stderr,
        /^No records\.\ncoinbase-btc-usd-spot: from 2016-04-22T\S+ to \S+\n$/
      )
      const quiet = yield* sluice(prices.slice(0, -2))
      assert.deepStrictEqual(quiet, { code: 0, stdout: "", stderr: "" })
    })
  )

  it.effect("is not looked for in what is longer than a name, or unlike all of them", () =>
    Effect.gen(function* () {
      // A comparison with this would take minutes.
      assert.deepStrictEqual(yield* suggestionsOf("x".repeat(1_000_000)), [])
      assert.deepStrictEqual(yield* suggestionsOf("../../../etc/passwd"), [])
      assert.deepStrictEqual(yield* suggestionsOf("timeseries/aset-metrics"), ["timeseries/asset-metrics"])
    })
  )

  it.effect("prefers the same letters in another order to others", () =>
    Effect.sync(() => {
      const candidates = ["bat", "bch", "bcc", "btc"].map((value) => ({ value, names: [value] }))
      assert.deepStrictEqual(nearest("bct", candidates), ["btc"])
    })
  )
})

layer(services, { excludeTestServices: true })("describe with names", (it) => {
  it.effect("lists the metrics of an asset with their frequencies, and the times of a market", () =>
    Effect.gen(function* () {
      const metrics = yield* sluice(["describe", "timeseries/asset-metrics", "btc"])
      assert.match(
        metrics.stdout,
        /^Metrics of btc\n(?: .*\n)* {2}PriceUSD +[^\n]*\b1d\b[^;]*;\s+20\d\d-\d\d-\d\d\s+to\s+20/m
      )
      const candles = yield* sluice(["describe", "timeseries/market-candles", "coinbase-btc-usd-spot"])
      assert.match(candles.stdout, /^Covered\n {2}coinbase-btc-usd-spot {2}1m, 5m, .*1d; 2016-04-22 to\s+20/m)
      const json = JSON.parse((yield* sluice(["describe", "timeseries/asset-metrics", "btc", "--json"])).stdout)
      const one = json.available.find(
        ({ frequency, metric }: Record<string, string>) => metric === "PriceUSD" && frequency === "1d"
      )
      assert.deepInclude(one, { entity: "btc", min_time: "2010-07-18T00:00:00.000000000Z" })
    })
  )

  it.effect("asks nothing without names, and says which command lists what there is", () =>
    Effect.gen(function* () {
      const { code, stdout } = yield* sluice(["describe", "timeseries/asset-metrics"], {
        SLUICE_BASE_URL: "http://127.0.0.1:1/v4"
      })
      assert.strictEqual(code, 0)
      assert.include(
        stdout.replaceAll(/\s+/g, " "),
        "`sluice describe timeseries/asset-metrics btc` lists its metrics and frequencies."
      )
      const none = yield* sluice(["describe", "reference-data/assets", "btc"])
      assert.deepStrictEqual([none.code, none.stdout], [ExitCode.codes.usage, ""])
      assert.match(none.stderr, /^sluice: no catalog lists what \/reference-data\/assets has\.\n/)
    })
  )
})

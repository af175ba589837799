import { assert, describe, it, layer } from "@effect/vitest"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as PastedUrl from "../src/program/PastedUrl.ts"
import { services, sluice } from "./Process.ts"

const paid = "https://api.coinmetrics.io/v4"

const asked = "assets=btc&metrics=PriceUSD&limit_per_asset=1"

const tried = (words: ReadonlyArray<string>, root?: string, takesParameters = true) =>
  PastedUrl.expanded(
    words,
    words.filter((word, index) => index > 0 && !word.startsWith("-")),
    { root, takesParameters }
  )

const expanded = (...given: Parameters<typeof tried>) => Result.getOrThrow(tried(...given))

describe("a pasted URL", () => {
  it("stands for its endpoint and parameters, beside which others count more", () => {
    assert.deepStrictEqual(
      expanded([
        "get",
        `${paid}/timeseries/asset-metrics?assets=btc&assets=eth&metrics=PriceUSD`,
        "--metrics",
        "TxCnt"
      ]),
      ["get", "timeseries/asset-metrics", "--metrics", "TxCnt", "--assets=btc,eth"]
    )
    assert.deepStrictEqual(expanded(["get", `${paid}/blockchain-v2/btc/blocks?page_size=1`]), [
      "get",
      "blockchain-v2/{asset}/blocks",
      "--asset=btc",
      "--page_size=1"
    ])
    assert.deepStrictEqual(expanded(["describe", `${paid}/timeseries/asset-metrics?${asked}`], undefined, false), [
      "describe",
      "timeseries/asset-metrics"
    ])
  })

  it("may lack its host, which a file has not", () => {
    for (const start of ["", "/", "v4/", "/v4/"]) {
      assert.deepStrictEqual(
        expanded(["get", `${start}timeseries/asset-metrics?assets=btc,eth`], "https://a.example/v4"),
        ["get", "timeseries/asset-metrics", "--assets=btc,eth"]
      )
    }
    assert.include(expanded(["get", "/v4/blockchain-v2/btc/blocks"]), "--asset=btc")
    for (const file of ["what?.csv", "v4/prices.csv"]) assert.deepStrictEqual(expanded(["plot", file]), ["plot", file])
  })

  it("says parameters and nothing else: no key, no root, no file", () => {
    const url = `${paid}/timeseries/market-trades?markets=a`
    assert.deepStrictEqual(expanded(["get", `${url}&api_key=secret&format=json_stream&pretty=true`]), [
      "get",
      "timeseries/market-trades",
      "--markets=a"
    ])
    for (const name of [
      "root",
      "config",
      "output",
      "from",
      "query",
      "format_",
      "json",
      "retries",
      "api-key",
      "nonsense"
    ]) {
      const refused = tried(["get", `${url}&${name}=x`])
      assert.isTrue(Result.isFailure(refused), name)
      if (Result.isFailure(refused)) assert.include(refused.failure.message, `has no parameter "${name}"`)
    }
    // No endpoint: what is said of it has no key.
    assert.deepStrictEqual(expanded(["get", `${paid}/nothing?api_key=secret`]), ["get", `${paid}/nothing`])
  })

  it("gives way to flags, however they are spelled, and has names without escapes", () => {
    const url = `${paid}/timeseries/asset-metrics?assets=btc&start_time=2020-01-01&start_inclusive=false`
    assert.deepStrictEqual(expanded(["get", url, "--start-time", "2021-01-01", "--no-start-inclusive"]), [
      "get",
      "timeseries/asset-metrics",
      "--start-time",
      "2021-01-01",
      "--no-start-inclusive",
      "--assets=btc"
    ])
    assert.include(expanded(["get", `${paid}/blockchain-v2/btc/accounts/a%3Ab%20c/balance-updates`]), "--account=a:b c")
  })

  it("of the community root needs no flag for it", () => {
    const url = "https://community-api.coinmetrics.io/v4/timeseries/asset-metrics?assets=btc"
    assert.include(expanded(["get", url]), "--root=community")
    assert.notInclude(expanded(["get", url], "http://127.0.0.1/v4").join(" "), "community")
    const short = expanded(["get", "asset-metrics?assets=btc"])
    assert.deepStrictEqual(short, ["get", "timeseries/asset-metrics", "--assets=btc"])
    for (const path of ["/community/v4/timeseries/asset-metrics?assets=btc", "community/v4/reference-data/assets"]) {
      assert.include(expanded(["get", path]), "--root=community")
      assert.notInclude(expanded(["get", path], "http://127.0.0.1/v4").join(" "), "community")
    }
  })

  it("of another service is refused, unless its root is named", () => {
    const url = "https://example.com/v4/timeseries/asset-metrics?assets=btc"
    assert.isTrue(Result.isFailure(tried(["get", url])))
    assert.include(expanded(["get", url, "--root", "https://example.com/v4"]), "--assets=btc")
  })
})

layer(services, { excludeTestServices: true })("the command with another name of an endpoint", (it) => {
  it.effect("reads what a URL of the service names", () =>
    Effect.gen(function* () {
      const { url } = yield* Sandbox.Sandbox
      const plain = yield* sluice(
        "get timeseries/asset-metrics --assets btc --metrics PriceUSD --limit_per_asset 1".split(" ")
      )
      assert.strictEqual(plain.code, 0)
      for (const root of [url, paid]) {
        const { code, stderr, stdout } = yield* sluice(["get", `${root}/timeseries/asset-metrics?${asked}&pretty=true`])
        assert.deepStrictEqual([code, stderr, stdout], [0, "", plain.stdout])
      }
    })
  )

  it.effect("says that a key in it is not used", () =>
    Effect.gen(function* () {
      const { code, stderr } = yield* sluice(["get", `/v4/timeseries/asset-metrics?${asked}&api_key=canary-8125`])
      assert.deepStrictEqual([code, stderr.includes("canary-8125")], [0, false])
      assert.match(stderr, /^warning: the api_key of the URL is not used: .*SLUICE_API_KEY.*\n$/)
    })
  )

  it.effect("tells nobody the key of a URL", () =>
    Effect.gen(function* () {
      for (const rest of ["nothing?", "timeseries/asset-metrics?assetz=1&", `timeseries/asset-metrics?${asked}&`]) {
        const { code, stderr, stdout } = yield* sluice(["get", `https://example.com/v4/${rest}api_key=canary-8125`])
        assert.strictEqual(code, 2)
        assert.notInclude(stderr + stdout, "canary-8125")
      }
    })
  )

  it.effect("takes the last part of a path: that of a time series, or of the only one", () =>
    Effect.gen(function* () {
      const short = yield* sluice("get asset-metrics --assets btc --metrics PriceUSD --limit_per_asset 1".split(" "))
      assert.deepStrictEqual([short.code, short.stderr], [0, ""])
      assert.match((yield* sluice(["describe", "market-trades"])).stdout, /^Timeseries\.marketTrades /)
      const several = yield* sluice(["describe", "assets"])
      assert.strictEqual(several.code, 2)
      assert.include(several.stderr, '"reference-data/assets" or')
    })
  )
})

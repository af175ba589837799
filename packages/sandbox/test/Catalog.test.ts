import { assert, describe, it } from "@effect/vitest"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import { envelope, fetch, get, refused, rows } from "./Harness.ts"

describe("Catalog", () => {
  it.effect("leaves out what the key may not read, while the full catalog lists it", () =>
    Effect.gen(function* () {
      const key = "sandbox-limited"
      for (const name of ["metrics", "asset-metrics"]) {
        assert.deepStrictEqual(yield* rows(`/catalog/${name}?metrics=NVTAdj`, { key }), [])
        const [metric] = yield* rows(`/catalog-all/${name}?metrics=NVTAdj`, { key })
        assert.strictEqual(metric?.["metric"], "NVTAdj")
      }
      const metricsOf = (path: string) =>
        Effect.map(rows(`${path}?assets=btc&include=metrics`, { key }), ([row]) => JSON.stringify(row?.["metrics"]))
      const own = yield* metricsOf("/catalog/assets")
      const full = yield* metricsOf("/catalog-all/assets")
      for (const metric of ["SplyBMXNtv", "NVTAdj"]) {
        assert.notInclude(own, `"${metric}"`)
        assert.include(full, `"${metric}"`)
      }
      assert.include(own, '"PriceUSD"')
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("leaves out metrics of every kind that the licence excludes", () =>
    Effect.gen(function* () {
      const excluded = [
        ["exchanges?exchanges=kraken", "volume_reported_spot_usd_1d"],
        ["exchange-assets?exchange_assets=kraken-btc", "volume_reported_spot_usd_1d"],
        ["pairs?pairs=btc-usd", "volume_reported_spot_usd_1d"],
        ["institutions?institutions=grayscale", "btc_total_assets"],
        ["market-metrics?markets=kraken-btc-usdt-spot", "volume_reported_usd_1h"],
        ["exchange-metrics", "volume_reported_spot_usd_1d"],
        ["institution-metrics", "btc_total_assets"]
      ] as const
      for (const [path, metric] of excluded) {
        assert.notInclude((yield* get(`/catalog/${path}`, { key: "narrow" })).text, `"${metric}"`, path)
        assert.include((yield* get(`/catalog-all/${path}`, { key: "narrow" })).text, `"${metric}"`, path)
      }
      refused(yield* get("/catalog/indexes", { key: "narrow" }), 403, "forbidden")
    }).pipe(
      Effect.provide(
        Sandbox.layerMemory({
          keys: {
            narrow: {
              plan: "default",
              licence: {
                withoutMetrics: ["volume_reported_spot_usd_1d", "volume_reported_usd_1h", "btc_total_assets"],
                withoutPaths: ["/catalog/indexes"]
              }
            }
          }
        })
      )
    )
  )

  it.effect("shows a caller without a key what the community root serves", () =>
    Effect.gen(function* () {
      const { communityUrl } = yield* Sandbox.Sandbox
      const { data } = envelope(yield* fetch(`${communityUrl}/catalog/assets?assets=eth&include=metrics`))
      const metrics = data[0]?.["metrics"] as ReadonlyArray<{ readonly metric: string; readonly frequencies: unknown }>
      assert.isAbove(metrics.length, 5)
      for (const { frequencies, metric } of metrics) {
        // Reference rates are there at every frequency, all others by the day.
        const form = metric.startsWith("ReferenceRate")
          ? /^\[.*\{"frequency":"1m",[^{}]*\}.*\{"frequency":"1d",[^{}]*"community":true\}.*\]$/
          : /^\[\{"frequency":"1d",[^{}]*"community":true\}\]$/
        assert.match(JSON.stringify(frequencies), form, metric)
      }
      assert.notInclude(JSON.stringify(metrics), '"NVTAdj"')
      const names = metrics.map(({ metric }) => metric).join()
      const series = `${communityUrl}/timeseries/asset-metrics?assets=eth&metrics=${names}&page_size=1`
      assert.strictEqual((yield* fetch(series)).status, 200)
      const full = yield* fetch(`${communityUrl}/catalog-all/assets?assets=eth&include=metrics`)
      assert.include(full.text, '"NVTAdj"')
      const daily = yield* fetch(`${communityUrl}/catalog/exchange-metrics`)
      assert.notInclude(daily.text, '"frequency":"1h"')
      assert.include(daily.text, '"frequency":"1d"')
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("knows neither paging nor, but for markets, a format and a limit", () =>
    Effect.gen(function* () {
      const paging = ["page_size=1", "paging_from=end", "next_page_token=x"]
      for (const query of [...paging, "format=json_stream", "limit=1"]) {
        const [name = ""] = query.split("=")
        const detail = `Bad parameter '${name}'. Parameter is not supported.`
        refused(yield* get(`/catalog/institutions?${query}`), 400, "bad_parameter", detail)
      }
      for (const query of paging) {
        refused(yield* get(`/catalog/market-greeks?${query}`), 400, "bad_parameter")
      }
      const known = "/catalog/market-greeks?exchange=okex&limit=1&format=json&pretty=false"
      assert.strictEqual((yield* get(known)).status, 200)
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("ignores paging, and a format where there is but one, if it ignores what it does not know", () =>
    Effect.gen(function* () {
      const plain = yield* get("/catalog/institutions")
      const unknown = "page_size=1&paging_from=end&next_page_token=x&format=json_stream"
      const answer = yield* get(`/catalog/institutions?${unknown}`)
      assert.strictEqual(answer.text, plain.text)
      assert.strictEqual(answer.headers["content-type"], "application/json")
    }).pipe(Effect.provide(Sandbox.layerMemory({ dialect: { unknownParameters: "ignore" } })))
  )

  it.effect("is written for people on request", () =>
    Effect.gen(function* () {
      const plain = envelope(yield* get("/catalog/institutions"))
      const pretty = yield* get("/catalog-all/institutions?pretty=true")
      assert.strictEqual(pretty.text, `${JSON.stringify(plain, null, 2)}\n`)
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("says nothing of its deprecation in headers, unless asked to", () =>
    Effect.gen(function* () {
      const plain = yield* get("/catalog/institutions")
      assert.isUndefined(plain.headers["deprecation"])
      assert.isUndefined(plain.headers["sunset"])
      const { faultUrl } = yield* Sandbox.Sandbox
      const noted = yield* get("/catalog/institutions", { root: faultUrl("deprecation,sunset") })
      assert.strictEqual(noted.headers["deprecation"], "@1767225600")
      assert.strictEqual(noted.headers["sunset"], "Fri, 01 Jan 2027 00:00:00 GMT")
      assert.strictEqual(noted.text, plain.text)
      const gone = yield* get("/catalog/institutions", { root: faultUrl("status=410,sunset") })
      refused(gone, 410, "gone")
      assert.isDefined(gone.headers["sunset"])
      assert.isUndefined(gone.headers["deprecation"])
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )
})

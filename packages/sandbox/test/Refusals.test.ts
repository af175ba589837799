import { assert, describe, it } from "@effect/vitest"
import { type Dialect, Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Redacted from "effect/Redacted"
import { fetch, get, lines, refused, rows } from "./Harness.ts"

const series = "/timeseries/asset-metrics"
const price = `${series}?assets=btc&metrics=PriceUSD`
const bad = (name: string, detail: string) => `Bad parameter '${name}'. ${detail}`

describe("Refusals", () => {
  it.effect("tells the missing key, the wrong key and the narrow licence apart", () =>
    Effect.gen(function* () {
      const { communityUrl, url } = yield* Sandbox.Sandbox
      refused(
        yield* fetch(`${url}/reference-data/assets`),
        401,
        "unauthorized",
        "Requested resource requires authorization."
      )
      refused(
        yield* get("/reference-data/assets", { key: "nobody" }),
        401,
        "wrong_credentials",
        "Supplied credentials are not valid."
      )
      const restricted = `${series}?assets=btc&metrics=PriceUSD,SplyBMXNtv`
      refused(
        yield* get(restricted, { key: "sandbox-limited" }),
        403,
        "forbidden",
        "Requested metric 'SplyBMXNtv' with frequency '1d' for asset 'btc' is not available with supplied credentials."
      )
      const [row] = yield* rows(`${restricted}&page_size=1&ignore_forbidden_errors=true`, { key: "sandbox-limited" })
      assert.deepStrictEqual(Object.keys(row ?? {}), ["asset", "time", "PriceUSD"])
      refused(
        yield* fetch(`${communityUrl}/reference-data/protocols`),
        403,
        "forbidden",
        "Requested resource is not available with supplied credentials."
      )
      refused(yield* fetch(`${communityUrl}${series}?assets=btc&metrics=NVTAdj`), 403, "forbidden")
      refused(yield* fetch(`${communityUrl}${price}&frequency=1h`), 403, "forbidden")
      assert.strictEqual((yield* fetch(`${communityUrl}${price}`)).status, 200)
      const rate = `${communityUrl}${series}?assets=btc&metrics=ReferenceRateUSD`
      for (const frequency of ["1m", "1s"]) {
        assert.strictEqual((yield* fetch(`${rate}&frequency=${frequency}`)).status, 200)
      }
      // Validation comes before the licence.
      refused(yield* get(`${restricted}&page_size=0`, { key: "sandbox-limited" }), 400, "bad_parameter")
      refused(yield* get(`${restricted}&end_time=soon`, { key: "sandbox-limited" }), 400, "bad_parameter")
      refused(yield* get(`${restricted},Nothing`, { key: "sandbox-limited" }), 400, "bad_parameter")
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("gives updates of order books as they are published, or refuses nothing", () =>
    Effect.gen(function* () {
      const path = "/timeseries/market-orderbooks?start_time=2026-10-01&end_time=2026-10-01T00:01:00&dataset=updates"
      const right = ["markets=coinbase-btc-usd-spot", "depth_limit=full_book", "format=json_stream"]
      const others: ReadonlyArray<readonly [wrong: string, name: string]> = [
        [right.slice(0, 2).join("&"), "format"],
        [[right[0], right[2]].join("&"), "depth_limit"],
        [`${[right[0], right[2]].join("&")}&depth_limit=100`, "depth_limit"],
        [`${right.join("&")}&granularity=1m`, "granularity"],
        [`${right.join("&")}&paging_from=end`, "paging_from"],
        [`markets=kraken-btc-usd-spot&${right.slice(1).join("&")}`, "markets"]
      ]
      const asked = (query: string, dialect: Partial<Dialect.Dialect>) =>
        Effect.provide(get(`${path}&${query}`), Sandbox.layerMemory({ dialect }))
      for (const [query, name] of others) {
        const { error } = JSON.parse((yield* asked(query, {})).text)
        assert.strictEqual(error.type, "bad_parameter")
        assert.include(error.message, `'${name}'`)
        assert.strictEqual((yield* asked(query, { bookUpdates: "lenient" })).status, 200)
      }
      for (const more of ["", "&granularity=raw&paging_from=start"]) {
        const found = lines(yield* asked(`${right.join("&")}${more}`, {}))
        assert.deepStrictEqual(Object.keys(found[0] ?? {}), [
          "market",
          "time",
          "coin_metrics_id",
          "asks",
          "bids",
          "type",
          "database_time",
          "collect_time"
        ])
      }
      refused(yield* asked("markets=coinbase-btc-usd-spot&depth_limit=30001", {}), 400, "bad_parameter")
    })
  )

  it.effect("takes a key that its client keeps redacted", () =>
    Effect.gen(function* () {
      const { url } = yield* Sandbox.Sandbox
      const request = HttpClientRequest.get(`${url}/reference-data/assets?assets=btc`).pipe(
        HttpClientRequest.setUrlParam("api_key", Redacted.make("demo-key"))
      )
      assert.strictEqual((yield* HttpClient.execute(request)).status, 200)
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("refuses paths, methods and addresses before it looks at the key", () =>
    Effect.gen(function* () {
      const { url } = yield* Sandbox.Sandbox
      refused(yield* fetch(`${url}/reference-data/nothing`), 404, "not_found")
      refused(yield* fetch(`${url.replace("/v4", "/v3")}/reference-data/assets`), 404, "not_found")
      const long = yield* fetch(`${url}/reference-data/assets?assets=${"a,".repeat(5000)}`)
      assert.deepStrictEqual([long.status, long.text], [414, ""])
      const posted = yield* HttpClient.post(`${url}/reference-data/assets`)
      refused({ status: posted.status, headers: posted.headers, text: yield* posted.text }, 405, "method_not_allowed")
      for (const header of ["cf-ray", "x-ratelimit-plan", "x-ratelimit-limit", "x-ratelimit-remaining"]) {
        assert.isDefined(posted.headers[header])
      }
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  const cases: ReadonlyArray<readonly [path: string, message: string]> = [
    ["/reference-data/assets?assets=btc,sdvwbtc", bad("assets", "Value 'sdvwbtc' is not supported.")],
    ["/reference-data/assets?include=other", bad("include", "Value 'other' is not supported.")],
    ["/reference-data/exchanges?exchanges=nowhere", bad("id", "Exchange 'nowhere' is not supported.")],
    [
      "/timeseries/exchange-asset-metrics?exchange_assets=nowhere-btc&metrics=x",
      bad("id", "Exchange-asset pair 'nowhere-btc' is not supported.")
    ],
    ["/reference-data/markets?markets=x", bad("markets", "Market 'x' is not supported.")],
    ["/reference-data/markets?type=swap", bad("type", "Value 'swap' is not supported.")],
    ["/reference-data/markets?cusip=1&isin=2", bad("isin", "It cannot be used together with 'cusip'.")],
    ["/reference-data/asset-metrics?reviewable=yes", bad("reviewable", "Value 'yes' is not supported.")],
    ["/reference-data/pair-metrics?metrics=x", bad("metrics", "Value 'x' is not supported.")],
    ["/reference-data/pairs?pairs=x-y", bad("pairs", "Value 'x-y' is not supported.")],
    ["/reference-data/indexes?indexes=x", bad("indexes", "Value 'x' is not supported.")],
    ["/reference-data/protocols?chains=x", bad("chains", "Value 'x' is not supported.")],
    ["/reference-data/assets?page_size=10001", bad("page_size", "Must be at most 10000.")],
    ["/reference-data/assets?page_size=0", bad("page_size", "Must be at least 1.")],
    ["/reference-data/assets?page_size=ten", bad("page_size", "Value 'ten' is not supported.")],
    ["/reference-data/assets?paging_from=middle", bad("paging_from", "Value 'middle' is not supported.")],
    ["/reference-data/assets?format=csv", bad("format", "Value 'csv' is not supported.")],
    [`${series}?metrics=PriceUSD`, bad("assets", "Missing required parameter.")],
    [`${series}?assets=btc`, bad("metrics", "Missing required parameter.")],
    [`${series}?assets=btc&metrics=Nothing`, bad("metrics", "Value 'Nothing' is not supported.")],
    [
      `${series}?assets=btc,ada&metrics=HashRate`,
      bad("metrics", "Metric 'HashRate' with frequency '1d' is not supported for asset 'ada'.")
    ],
    [`${price}&frequency=2w`, bad("frequency", "Value '2w' is not supported.")],
    [`${price}&status=done`, bad("status", "Value 'done' is not supported.")],
    [`${price}&min_confirmations=100`, bad("min_confirmations", "Must be at most 99.")],
    [`${price}&timezone=Mars/Base`, bad("timezone", "Value 'Mars/Base' is not supported.")],
    [
      `${price}&start_time=2024-01-01&start_height=1`,
      bad("start_height", "It cannot be used together with 'start_time'.")
    ],
    [`${price}&end_time=2024-01-01&end_hash=ab`, bad("end_hash", "It cannot be used together with 'end_time'.")]
  ]
  for (const [path, message] of cases) {
    it.effect(`refuses ${path.replace(series, "…")}`, () =>
      Effect.gen(function* () {
        refused(yield* get(path), 400, "bad_parameter", message)
      }).pipe(Effect.provide(Sandbox.layerMemory()))
    )
  }

  it.effect("refuses what is not a time, and names the forms it takes", () =>
    Effect.gen(function* () {
      for (const text of ["yesterday", "2024-02-30", "2024-0201", "2024-02-01T25:00:00", "2024-02-01T00:00:00.12"]) {
        const answer = yield* get(`${price}&start_time=${text}`)
        refused(answer, 400, "bad_parameter")
        assert.include(
          answer.text,
          `Bad parameter 'start_time'. Incorrect time format '${text}'. Supported formats are 'yyyy-MM-dd', 'yyyyMMdd'`
        )
      }
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("refuses a parameter it does not know, or ignores it", () =>
    Effect.gen(function* () {
      const path = "/reference-data/assets?assets=btc&colour=red"
      const lenient = Sandbox.layerMemory({ dialect: { unknownParameters: "ignore" } })
      assert.strictEqual((yield* get(path).pipe(Effect.provide(lenient))).status, 200)
      refused(yield* get(path).pipe(Effect.provide(Sandbox.layerMemory())), 400, "bad_parameter")
    })
  )
})

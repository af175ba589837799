import { assert, describe, it } from "@effect/vitest"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as TestMode from "../../core/test/TestMode.ts"
import * as Caller from "../src/internal/request/Caller.ts"
import * as Endpoint from "../src/internal/listing/Endpoint.ts"
import * as Offered from "../src/internal/request/Offered.ts"
import * as Query from "../src/internal/request/Query.ts"
import * as Route from "../src/internal/server/Route.ts"
import { envelope, get, lines, pages, refused, rows } from "./Harness.ts"

const june = "/timeseries/asset-metrics?assets=btc&metrics=PriceUSD&start_time=2024-06-01&end_time=2024-06-30"

describe("Paging", () => {
  it.effect("walks from the start, and names no page after the last", () =>
    Effect.gen(function* () {
      const whole = yield* rows(`${june}&page_size=10000&paging_from=start`)
      assert.strictEqual(whole.length, 30)
      const walked = yield* pages(`${june}&page_size=7&paging_from=start`)
      assert.deepStrictEqual(
        walked.map((page) => page.length),
        [7, 7, 7, 7, 2]
      )
      assert.deepStrictEqual(walked.flat(), whole)
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("walks back from the end by default for series, while rows inside a page ascend", () =>
    Effect.gen(function* () {
      const whole = yield* rows(`${june}&page_size=10000&paging_from=start`)
      const walked = yield* pages(`${june}&page_size=7`)
      assert.deepStrictEqual(
        walked.map((page) => page.length),
        [7, 7, 7, 7, 2]
      )
      assert.deepStrictEqual(walked.toReversed().flat(), whole)
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  for (const from of ["start", "end"]) {
    it.effect(`has no empty page when the records fill the pages exactly, from the ${from}`, () =>
      Effect.gen(function* () {
        const walked = yield* pages(`${june}&page_size=10&paging_from=${from}`)
        assert.deepStrictEqual(
          walked.map((page) => page.length),
          [10, 10, 10]
        )
      }).pipe(Effect.provide(Sandbox.layerMemory()))
    )

    it.effect(`serves an empty last page on request, from the ${from}`, () =>
      Effect.gen(function* () {
        const walked = yield* pages(`${june}&page_size=10&paging_from=${from}`)
        assert.deepStrictEqual(
          walked.map((page) => page.length),
          [10, 10, 10, 0]
        )
      }).pipe(Effect.provide(Sandbox.layerMemory({ dialect: { emptyLastPage: "yes" } })))
    )
  }

  it.effect("begins reference data at the start, a hundred records to a page", () =>
    Effect.gen(function* () {
      const [first = [], ...rest] = yield* pages("/reference-data/assets")
      assert.strictEqual(first.length, 100)
      const names = [first, ...rest].flat().map((row) => String(row["asset"]))
      assert.isAtLeast(names.length, 300)
      assert.deepStrictEqual(names, names.toSorted())
      assert.strictEqual(new Set(names).size, names.length)
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("gives an absolute address that keeps every parameter, the key too", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      const page = envelope(yield* get(`${june}&page_size=2&timezone=Europe/Paris`))
      const url = new URL(page.next_page_url ?? "")
      assert.strictEqual(url.origin + url.pathname, `${sandbox.url}/timeseries/asset-metrics`)
      assert.deepStrictEqual(Object.fromEntries(url.searchParams), {
        assets: "btc",
        metrics: "PriceUSD",
        start_time: "2024-06-01",
        end_time: "2024-06-30",
        page_size: "2",
        timezone: "Europe/Paris",
        api_key: "demo-key",
        next_page_token: page.next_page_token ?? ""
      })
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("refuses a token of another query, or of nobody", () =>
    Effect.gen(function* () {
      const token = envelope(yield* get(`${june}&page_size=2`)).next_page_token ?? ""
      const other = yield* get(`${june.replace("btc", "eth")}&page_size=2&next_page_token=${token}`)
      refused(other, 400, "bad_parameter", `Bad parameter 'next_page_token'. Value '${token}' is not supported.`)
      refused(yield* get(`${june}&next_page_token=ZXRo`), 400, "bad_parameter")
      refused(yield* get(`${june}&next_page_token=%00`), 400, "bad_parameter")
      // The size of a page may change on the way.
      assert.strictEqual((yield* rows(`${june}&page_size=5&next_page_token=${token}`)).length, 5)
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  // Between the first page and the others, the service loses its first three records, or comes to have them.
  for (const change of ["removed=3;after=1", "removed=3;times=1"]) {
    const later = change.endsWith("after=1")

    for (const query of [
      "/reference-data/assets?page_size=100",
      "/taxonomy/assets?page_size=60&version=*",
      `${june}&page_size=7&paging_from=start`,
      `${june}&page_size=7&paging_from=end`,
      `${june.replace("assets=btc", "assets=btc,eth,etc")}&page_size=7&sort=time&paging_from=start`
    ]) {
      it.effect(`neither skips nor repeats a record when records before it ${later ? "go" : "come"}: ${query}`, () =>
        Effect.gen(function* () {
          const { faultUrl } = yield* Sandbox.Sandbox
          const fromEnd = query.endsWith("end")
          const whole = (yield* pages(query)).map((page) => page.map((row) => JSON.stringify(row)))
          const changed = (yield* pages(query, faultUrl(change))).map((page) => page.map((row) => JSON.stringify(row)))
          // The pages that are read after the change have what the service has then, and no other record.
          const all = fromEnd ? whole.toReversed().flat() : whole.flat()
          const seen = fromEnd ? changed.toReversed().flat() : changed.flat()
          const isGone = fromEnd === later
          assert.deepStrictEqual(seen, isGone ? all.slice(3) : all)
        }).pipe(Effect.provide(Sandbox.layerMemory()))
      )
    }
  }

  it.effect("goes on behind the last record of a page even when that record is gone", () =>
    Effect.gen(function* () {
      const { faultUrl } = yield* Sandbox.Sandbox
      const whole = (yield* pages("/reference-data/assets?page_size=10")).flat()
      const changed = (yield* pages("/reference-data/assets?page_size=10", faultUrl("removed=10;after=1"))).flat()
      assert.deepStrictEqual(changed, whole)
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("streams the same records as the pages, one per line", () =>
    Effect.gen(function* () {
      const path = "/timeseries/asset-metrics?assets=eth,btc,etc&metrics=PriceUSD,TxERC20Cnt&start_time=2025-01-01"
      const paged = (yield* pages(`${path}&page_size=333&paging_from=start`)).flat()
      const streamed = yield* get(`${path}&format=json_stream&page_size=3&paging_from=end`)
      assert.strictEqual(streamed.headers["content-type"], "application/x-ndjson")
      assert.deepStrictEqual(lines(streamed), paged)
      const markets = (yield* pages("/reference-data/markets?page_size=10000&type=option")).flat()
      assert.deepStrictEqual(lines(yield* get("/reference-data/markets?type=option&format=json_stream")), markets)
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("merges assets by time on request, page by page as at once", () =>
    Effect.gen(function* () {
      const path = "/timeseries/asset-metrics?assets=btc,eth,sui&metrics=PriceUSD&sort=time&end_time=2023-06-20"
      const whole = lines(yield* get(`${path}&format=json_stream`))
      const keys = whole.map((row) => `${String(row["time"])} ${String(row["asset"])}`)
      assert.deepStrictEqual(keys, keys.toSorted())
      assert.deepStrictEqual((yield* pages(`${path}&page_size=1001&paging_from=start`)).flat(), whole)
      const byAsset = lines(yield* get(`${path.replace("sort=time", "sort=asset")}&format=json_stream`))
      assert.strictEqual(byAsset.length, whole.length)
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("indents on request, and says the same", () =>
    Effect.gen(function* () {
      const plain = envelope(yield* get(`${june}&page_size=3&pretty=false`))
      const pretty = yield* get(`${june}&page_size=3&pretty=true`)
      assert.include(pretty.text, "\n  ")
      assert.deepStrictEqual(envelope(pretty).data, plain.data)
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )
})

describe("The names of records", () => {
  const minutes = "start_time=2024-03-01T09:30:00&end_time=2024-03-01T09:50:00"
  // Of the series one of a kind: a client reads all of them in pages, from both ends (`packages/node/test/Interface.test.ts`).
  const required: Readonly<Record<string, string>> = {
    "/blockchain/{asset}/transaction-tracker": "start_time=2024-03-01&end_time=2024-03-01T01:00:00",
    "/constituent-snapshots/asset-metrics": "metric=ReferenceRateUSD&start_time=2024-03-01&end_time=2024-06-30",
    "/constituent-timeframes/asset-metrics": "metric=ReferenceRateUSD",
    "/timeseries/asset-metrics": "assets=btc,eth,sui&metrics=PriceUSD&start_time=2023-04-01&end_time=2023-06-30",
    "/timeseries/market-trades": `markets=coinbase-btc-usd-spot,kraken-btc-usd-spot&${minutes}`,
    "/timeseries/market-candles": `markets=coinbase-btc-usd-spot,kraken-btc-usd-spot&frequency=1m&${minutes}`,
    "/timeseries/index-levels": `indexes=CMBI10,CMBIBTC&start_time=2024-03-01&end_time=2024-03-31`
  }

  /** Of chains. */
  const parts = new Map([
    ["asset", "eth"],
    ["account", "treasury-eth"]
  ])

  for (const endpoint of Route.endpoints.values()) {
    const { list, operation, path } = endpoint
    if (Endpoint.pagingFrom(endpoint) === "none" || (path.startsWith("/timeseries/") && required[path] === undefined))
      continue
    for (const more of ["", "&sort=time"]) {
      if (more !== "" && path !== "/timeseries/asset-metrics") continue

      it.effect(`are all different, and lead back to their records: ${path}${more}`, () =>
        Effect.gen(function* () {
          const query = Query.parse(
            `${required[path] ?? (path.startsWith("/blockchain-v2/") ? "start_height=900&end_height=1200" : "version=*")}${more}`
          )
          const listing = yield* list(yield* Offered.read(operation, query), Caller.unlimited, parts)
          const all = Array.from({ length: listing.length }, (_, n) => n)
          assert.strictEqual(new Set(all.map(listing.nameAt)).size, listing.length)
          const step = Math.ceil(listing.length / TestMode.times(200, 20_000))
          const positions = all.filter((n) => n % step === 0 || n === listing.length - 1)
          assert.deepStrictEqual(
            positions.map((n) => listing.positionOf(listing.nameAt(n))),
            positions.map((n) => ({ before: n, after: n + 1 }))
          )
        })
      )
    }
  }
})

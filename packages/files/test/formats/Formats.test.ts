import { assert, layer } from "@effect/vitest"
import { type Endpoint, Endpoints, ReferenceData, Timeseries, TokenMetrics } from "@sluice/core"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"
import { assertSame } from "../../../core/test/Same.ts"
import { quarter, withClient } from "../../../node/test/Harness.ts"

const place = ({ asset, time }: { readonly asset: string; readonly time: string }) => `${asset} ${time}`

// Type boundary: every endpoint knows the parameters used here.
const readAll = (endpoint: Endpoint.Any, params: object) => Stream.runCollect(endpoint(params as never))

// The protocols endpoint says on every page that it is experimental.
const quiet = Logger.layer([])

const reference = Endpoints.entries.filter(({ section }) => section === "ReferenceData")

layer(Sandbox.layer(), { excludeTestServices: true })("the same records whatever the format", (it) => {
  for (const gzip of [true, false]) {
    const body = gzip ? "compressed" : "plain"

    for (const { endpoint, name } of reference) {
      it.effect(`ReferenceData.${name} in pages, from the end, and as lines, ${body}`, () =>
        Effect.gen(function* () {
          // Of thousands of markets some hundred.
          const some = name === "markets" ? { base: "btc" } : {}
          const whole = yield* readAll(endpoint, some)
          const pages = yield* readAll(endpoint, { ...some, page_size: Math.max(1, Math.floor(whole.length / 4)) })
          const back = yield* readAll(endpoint, {
            ...some,
            page_size: Math.max(1, Math.floor(whole.length / 3)),
            paging_from: "end"
          })
          const lines = yield* readAll(endpoint, { ...some, format: "json_stream" })
          assert.isAbove(whole.length, 1)
          assertSame(pages, whole)
          assertSame(back.toReversed(), whole)
          assertSame(lines, whole)
        }).pipe((program) => withClient(program, { gzip }), Effect.provide(quiet))
      )
    }

    it.effect(`Timeseries.assetMetrics in pages, from the end, and as lines, ${body}`, () =>
      Effect.gen(function* () {
        const whole = yield* Stream.runCollect(Timeseries.assetMetrics(quarter))
        const pages = yield* Stream.runCollect(Timeseries.assetMetrics({ ...quarter, page_size: 39 }))
        const back = yield* Stream.runCollect(
          Timeseries.assetMetrics({ ...quarter, page_size: 50, paging_from: "end" })
        )
        const lines = yield* Stream.runCollect(Timeseries.assetMetrics({ ...quarter, format: "json_stream" }))
        assert.strictEqual(whole.length, 273)
        assertSame(pages, whole)
        assertSame(back.toReversed(), whole)
        assertSame(lines, whole)
      }).pipe((program) => withClient(program, { gzip }))
    )
  }

  it.effect("keeps the fields of an included provider", () =>
    Effect.gen(function* () {
      const pages = yield* Stream.runCollect(ReferenceData.assets({ include: ["talos"], page_size: 20 }))
      const lines = yield* Stream.runCollect(ReferenceData.assets({ include: ["talos"], format: "json_stream" }))
      assert.isTrue(pages.some((asset) => (asset.talos?.length ?? 0) > 0))
      assert.deepStrictEqual(lines, pages)
    }).pipe(withClient)
  )

  it.effect("gives series in order of asset and time, and reversed from the end", () =>
    Effect.gen(function* () {
      const rows = yield* Stream.runCollect(Timeseries.assetMetrics({ ...quarter, page_size: 31 }))
      const back = yield* Stream.runCollect(Timeseries.assetMetrics({ ...quarter, page_size: 31, paging_from: "end" }))
      const places = rows.map(place)
      assert.strictEqual(new Set(places).size, 273)
      for (const asset of quarter.assets) {
        const times = rows.filter((row) => row.asset === asset).map((row) => row.time)
        assert.strictEqual(times.length, 91)
        assert.deepStrictEqual(times, times.toSorted())
      }
      assert.deepStrictEqual(back.map(place), places.toReversed())
    }).pipe(withClient)
  )

  it.effect("continues from the token of a page", () =>
    Effect.gen(function* () {
      const pages = yield* Stream.runCollect(Timeseries.assetMetrics.pages({ ...quarter, page_size: 100 }))
      const rest = yield* Stream.runCollect(
        Timeseries.assetMetrics({ ...quarter, page_size: 100, next_page_token: pages[0]?.next_page_token })
      )
      assert.deepStrictEqual(
        pages.map((page) => page.data.length),
        [100, 100, 73]
      )
      assert.deepStrictEqual(
        rest,
        pages.slice(1).flatMap((page) => page.data)
      )
    }).pipe(withClient)
  )

  it.effect("reads values beyond what a JavaScript number can hold, digit by digit", () =>
    Effect.gen(function* () {
      const params = { assets: ["btc"], metrics: ["PriceUSD"], start_time: "2024-01-01", end_time: "2024-01-10" }
      const pages = yield* Stream.runCollect(Timeseries.assetMetrics(params))
      const lines = yield* Stream.runCollect(Timeseries.assetMetrics({ ...params, format: "json_stream" }))
      assert.strictEqual(pages.length, 10)
      for (const [index, row] of pages.entries()) {
        assert.match(row["PriceUSD"] ?? "", /^\d+\.\d{6,}$/)
        assert.match(row.time, /^2024-01-\d\dT00:00:00\.000000000Z$/)
        assert.deepStrictEqual(lines[index], row)
      }
    }).pipe(withClient)
  )

  it.effect("gives the four token transaction metrics exactly where they are published", () =>
    Effect.gen(function* () {
      const rows = yield* Stream.runCollect(Timeseries.assetMetrics({ ...quarter, page_size: 100 }))
      for (const metric of TokenMetrics.all) {
        const assets = new Set(rows.filter((row) => metric.id in row).map((row) => row.asset))
        assert.deepStrictEqual([...assets].toSorted(), [...metric.assets].toSorted())
      }
    }).pipe(withClient)
  )
})

import { assert, describe, it } from "@effect/vitest"
import { ReferenceData, Timeseries } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as FakeApi from "../FakeApi.ts"

const names = Stream.map(({ asset }: { readonly asset: string }) => asset)

const row = (time: string) => ({ asset: "btc", time, PriceUSD: "1" })

describe("Paging", () => {
  it.effect("reads every page, asking for the largest", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([
        FakeApi.assets(["a", "b"], "t1"),
        FakeApi.assets(["c"], "t2"),
        FakeApi.assets(["d", "e"])
      ])
      const all = yield* ReferenceData.assets().pipe(names, Stream.runCollect, Effect.provide(api.layer()))
      assert.deepStrictEqual(all, ["a", "b", "c", "d", "e"])
      assert.deepStrictEqual(yield* api.requests, [
        "/reference-data/assets?page_size=10000",
        "/reference-data/assets?page_size=10000&next_page_token=t1",
        "/reference-data/assets?page_size=10000&next_page_token=t2"
      ])
    })
  )

  it.effect("keeps the page size and the filters of the call on every page", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([FakeApi.assets(["a"], "t1"), FakeApi.assets(["b"])])
      const call = ReferenceData.assets({ assets: ["a", "b"], page_size: 1 })
      yield* Stream.runDrain(call).pipe(Effect.provide(api.layer()))
      assert.deepStrictEqual(yield* api.requests, [
        "/reference-data/assets?page_size=1&assets=a,b",
        "/reference-data/assets?page_size=1&assets=a,b&next_page_token=t1"
      ])
    })
  )

  it.effect("asks a time series to begin at the start, since the service would begin at the end", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([FakeApi.page([row("t")], "n"), FakeApi.page([])])
      const call = Timeseries.assetMetrics({ assets: "btc", metrics: "PriceUSD" })
      yield* Stream.runDrain(call).pipe(Effect.provide(api.layer()))
      assert.deepStrictEqual(yield* api.requests, [
        "/timeseries/asset-metrics?page_size=10000&assets=btc&metrics=PriceUSD&paging_from=start",
        "/timeseries/asset-metrics?page_size=10000&assets=btc&metrics=PriceUSD&paging_from=start&next_page_token=n"
      ])
    })
  )

  it.effect("reads newest first throughout when paging from the end", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([
        FakeApi.page([row("2026-01-03"), row("2026-01-04")], "n"),
        FakeApi.page([row("2026-01-01"), row("2026-01-02")])
      ])
      const times = yield* Timeseries.assetMetrics({ assets: "btc", metrics: "PriceUSD", paging_from: "end" }).pipe(
        Stream.map(({ time }) => String(time)),
        Stream.runCollect,
        Effect.provide(api.layer())
      )
      assert.deepStrictEqual(times, ["2026-01-04", "2026-01-03", "2026-01-02", "2026-01-01"])
      assert.deepStrictEqual(yield* api.requests, [
        "/timeseries/asset-metrics?page_size=10000&assets=btc&metrics=PriceUSD&paging_from=end",
        "/timeseries/asset-metrics?page_size=10000&assets=btc&metrics=PriceUSD&paging_from=end&next_page_token=n"
      ])
    })
  )

  it.effect("reverses the pages of a list as well when it is read from the end", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([FakeApi.assets(["c", "d"], "n"), FakeApi.assets(["a", "b"])])
      const call = ReferenceData.assets({ paging_from: "end" })
      const all = yield* call.pipe(names, Stream.runCollect, Effect.provide(api.layer()))
      assert.deepStrictEqual(all, ["d", "c", "b", "a"])
    })
  )

  it.effect("begins at a token of the caller", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([FakeApi.assets(["c"], "t2"), FakeApi.assets(["d"])])
      const call = ReferenceData.assets({ next_page_token: "t1" })
      const all = yield* call.pipe(names, Stream.runCollect, Effect.provide(api.layer()))
      assert.deepStrictEqual(all, ["c", "d"])
      assert.deepStrictEqual(yield* api.requests, [
        "/reference-data/assets?page_size=10000&next_page_token=t1",
        "/reference-data/assets?page_size=10000&next_page_token=t2"
      ])
    })
  )

  it.effect("sends nothing until the stream runs", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([])
      const stream = ReferenceData.assets({ assets: "btc" })
      const pages = ReferenceData.assets.pages({ assets: "btc" })
      assert.isTrue(Stream.isStream(stream) && Stream.isStream(pages))
      yield* Effect.yieldNow
      assert.deepStrictEqual(yield* api.requests, [])
    }).pipe(Effect.scoped)
  )

  it.effect("stops asking when the consumer has enough", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([FakeApi.assets(["a", "b"], "t1"), FakeApi.assets(["c"], "t2")])
      const taken = yield* ReferenceData.assets().pipe(
        names,
        Stream.take(2),
        Stream.runCollect,
        Effect.provide(api.layer())
      )
      assert.deepStrictEqual(taken, ["a", "b"])
      assert.deepStrictEqual(yield* api.requests, ["/reference-data/assets?page_size=10000"])
    })
  )

  it.effect("starts at the first page each time the same stream is run", () =>
    Effect.gen(function* () {
      const twice = [FakeApi.assets(["a"], "t1"), FakeApi.assets(["b"])]
      const api = FakeApi.make([...twice, ...twice])
      const stream = names(ReferenceData.assets())
      const [first, second] = yield* Effect.all([Stream.runCollect(stream), Stream.runCollect(stream)]).pipe(
        Effect.provide(api.layer())
      )
      assert.deepStrictEqual(first, ["a", "b"])
      assert.deepStrictEqual(second, ["a", "b"])
      assert.strictEqual((yield* api.requests).length, 4)
    })
  )

  it.effect("hands over pages with their number, their token and their trace", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([
        { ...FakeApi.assets(["a"], "t1"), headers: { "CF-RAY": "ray-1" } },
        { ...FakeApi.assets([]), headers: { "CF-RAY": "ray-2" } }
      ])
      const pages = yield* ReferenceData.assets.pages().pipe(Stream.runCollect, Effect.provide(api.layer()))
      assert.deepStrictEqual(pages, [
        { data: [FakeApi.asset("a")], page: 1, next_page_token: "t1", warnings: [], trace: "ray-1" },
        { data: [], page: 2, next_page_token: undefined, warnings: [], trace: "ray-2" }
      ])
    })
  )

  it.effect("asks for pages as json even where the parameters, past the types, say json_stream", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([])
      // Type boundary: `pages` offers no format; a caller without types might still give one.
      const params = { format: "json_stream" } as object
      const error = yield* ReferenceData.pairs
        .pages(params)
        .pipe(Stream.runDrain, Effect.flip, Effect.provide(api.layer()))
      assert.strictEqual(error._tag, "InvalidRequest")
      assert.deepInclude(error, { parameter: "format" })
      assert.deepStrictEqual(yield* api.requests, [])
    })
  )

  it.effect("interrupting a stream closes its socket at once", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([{ body: ['{"data":[', Effect.never] }])
      const fiber = yield* Effect.forkChild(Stream.runDrain(ReferenceData.assets()).pipe(Effect.provide(api.layer())), {
        startImmediately: true
      })
      yield* Effect.yieldNow
      assert.strictEqual(yield* api.open, 1)
      yield* Effect.sync(() => fiber.interruptUnsafe())
      yield* Effect.yieldNow
      assert.strictEqual(yield* api.open, 0)
    })
  )
})

/**
 * What a limit of records per entity means: the latest, whatever the service does where it is asked otherwise.
 */
import { assert, describe, it } from "@effect/vitest"
import { Batch, BlockchainV2, Bulk, type Client, Retry, Timeseries } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as FakeApi from "../FakeApi.ts"
import * as Reading from "../records/Reading.ts"

const price = (asset: string, n: number) => ({
  asset,
  time: `2026-01-0${n}T00:00:00.000000000Z`,
  PriceUSD: `${n}.5`
})

/** The latest three of two assets, in pages of two from the end. */
const all = ["btc", "eth"].flatMap((asset) => [3, 4, 5].map((n) => price(asset, n)))
const fromEnd = [FakeApi.page(all.slice(4), "a"), FakeApi.page(all.slice(2, 4), "b"), FakeApi.page(all.slice(0, 2))]

const params = { assets: "btc,eth", metrics: "PriceUSD", limit_per_asset: 3 }
const query = "assets=btc,eth&metrics=PriceUSD&limit_per_asset=3"
const asked = (rest: string) => `/timeseries/asset-metrics?${rest}`
const pageAsked = asked(`page_size=10000&${query}&paging_from=end`)
const pagesAsked = ["", "&next_page_token=a", "&next_page_token=b"].map((token) => `${pageAsked}${token}`)

const read = <E>(stream: Stream.Stream<unknown, E, Client.Client>, script: ReadonlyArray<FakeApi.Script>) =>
  Reading.read(stream, script, { retry: Retry.none })

describe("a limit of records per entity", () => {
  it.effect("means the latest: pages from the end, whose records ascend as one stream", () =>
    Effect.gen(function* () {
      const { error, records, requests } = yield* read(Timeseries.assetMetrics(params), fromEnd)
      assert.isUndefined(error)
      assert.deepStrictEqual(records, all)
      assert.deepStrictEqual(requests, pagesAsked)
    })
  )

  it.effect("of which none has a record gives none", () =>
    Effect.gen(function* () {
      const { error, records } = yield* read(Timeseries.assetMetrics(params), [FakeApi.page([])])
      assert.isUndefined(error)
      assert.deepStrictEqual(records, [])
    })
  )

  it.effect("builds records when they are read, where that is asked for", () =>
    Effect.gen(function* () {
      const lazy = Timeseries.assetMetrics(params, { lazy: Batch.lazy })
      const { records } = yield* read(
        Stream.map(lazy, (one) => ({ ...one })),
        fromEnd
      )
      assert.deepStrictEqual(records, all)
    })
  )

  it.effect("gives nothing where a page of it fails: the latest alone would leave a hole", () =>
    Effect.gen(function* () {
      const { error, records } = yield* read(Timeseries.assetMetrics(params), [
        ...fromEnd.slice(0, 2),
        FakeApi.refusal(403, "forbidden", "Not yours.")
      ])
      assert.strictEqual(error?._tag, "Forbidden")
      assert.deepStrictEqual(records, [])
    })
  )

  it.effect("gives each page as it comes, the newest first, where pages are asked for", () =>
    Effect.gen(function* () {
      const pages = Stream.map(Timeseries.assetMetrics.pages(params), ({ data, next_page_token }) => ({
        data,
        next_page_token
      }))
      const { records, requests } = yield* read(pages, fromEnd)
      assert.deepStrictEqual(records, [
        { data: all.slice(4), next_page_token: "a" },
        { data: all.slice(2, 4), next_page_token: "b" },
        { data: all.slice(0, 2), next_page_token: undefined }
      ])
      assert.deepStrictEqual(requests, pagesAsked)
    })
  )

  it.effect("goes on from a token", () =>
    Effect.gen(function* () {
      const goesOn = Timeseries.assetMetrics({ ...params, next_page_token: "a" })
      const { records, requests } = yield* read(goesOn, fromEnd.slice(1))
      assert.deepStrictEqual(records, all.slice(0, 4))
      assert.deepStrictEqual(requests, pagesAsked.slice(1))
    })
  )

  it.effect("keeps the direction and the format that are asked for", () =>
    Effect.gen(function* () {
      const end = yield* read(Timeseries.assetMetrics({ ...params, paging_from: "end" }), fromEnd)
      assert.deepStrictEqual(end.records, all.toReversed())
      assert.deepStrictEqual(end.requests, pagesAsked)
      const start = yield* read(Timeseries.assetMetrics({ ...params, paging_from: "start" }), [FakeApi.page(all)])
      assert.deepStrictEqual(start.records, all)
      assert.deepStrictEqual(start.requests, [asked(`page_size=10000&${query}&paging_from=start`)])
      const streamed = yield* read(Timeseries.assetMetrics({ ...params, format: "json_stream" }), [FakeApi.stream(all)])
      assert.deepStrictEqual(streamed.records, all)
      assert.deepStrictEqual(streamed.requests, [asked(`${query}&format=json_stream`)])
    })
  )

  it.effect("is read as pages from the end by Bulk, in halves too, and in the order of its parts", () =>
    Effect.gen(function* () {
      const part = { index: 0, params: { ...params, start_time: "2026-01-01", end_time: "2026-01-05T00:00:00" } }
      const { records, requests } = yield* read(Bulk.read(Timeseries.assetMetrics, part), fromEnd)
      assert.deepStrictEqual(records, all)
      assert.strictEqual(
        requests[0],
        pageAsked.replace("&limit", "&start_time=2026-01-01&end_time=2026-01-05T00:00:00&limit")
      )
      const tooLong: FakeApi.Reply = { status: 414, body: "" }
      const halves = [all.slice(0, 3), all.slice(3)].map((half) => FakeApi.page(half))
      const inHalves = yield* read(Bulk.read(Timeseries.assetMetrics, { index: 0, params }), [tooLong, ...halves])
      assert.deepStrictEqual(inHalves.records, all)
      const parts = yield* Bulk.split(Timeseries.assetMetrics, params, { by: "assets" })
      const inOrder = Bulk.records(Timeseries.assetMetrics, parts, { order: "parts", concurrency: 1 })
      const split = yield* read(
        Stream.mapError(inOrder, ({ error }) => error),
        halves
      )
      assert.deepStrictEqual(split.records, all)
      assert.deepStrictEqual(
        split.requests,
        ["btc", "eth"].map((asset) =>
          asked(`page_size=10000&assets=${asset}&metrics=PriceUSD&limit_per_asset=3&paging_from=end`)
        )
      )
    })
  )

  it.effect("of a json_stream whose end is checked is read once more from the start, where its records are", () =>
    Effect.gen(function* () {
      const checked = Timeseries.assetMetrics({ ...params, format: "json_stream" }, { checkEnd: true })
      const pages = [FakeApi.page(all.slice(0, 4), "a"), FakeApi.page(all.slice(4))]
      const { error, records, requests } = yield* read(checked, [FakeApi.stream(all), ...pages])
      assert.isUndefined(error)
      assert.deepStrictEqual(records, all)
      const again = asked(`${query}&paging_from=start`)
      assert.deepStrictEqual(requests.slice(1), [
        again.replace("?", "?page_size=10000&"),
        `${again.replace("?", "?page_size=10000&")}&next_page_token=a`
      ])
      const cut = yield* read(checked, [FakeApi.stream(all.slice(0, 5)), ...pages])
      assert.strictEqual(cut.error?._tag, "Unavailable")
    })
  )

  it.effect("means the latest changes of an account too", () =>
    Effect.gen(function* () {
      const changes = BlockchainV2.balanceUpdates({ asset: "btc", accounts: ["a"], limit_per_account: 2 })
      const { requests } = yield* read(changes, [FakeApi.page([])])
      assert.deepStrictEqual(requests, [
        "/blockchain-v2/btc/balance-updates?accounts=a&limit_per_account=2&paging_from=end"
      ])
    })
  )
})

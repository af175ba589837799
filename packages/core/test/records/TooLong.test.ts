import { assert, describe, it } from "@effect/vitest"
import { Bulk, ReferenceData, Retry, Timeseries } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as FakeApi from "../FakeApi.ts"

const names = ["a", "b", "c", "d", "e"]

/** A service that reads no more than so many assets in one request, and serves each of them over a page or a line. */
const reading = (most: number, status = 414) =>
  FakeApi.serve(({ url }) => {
    const assets = (url.searchParams.get("assets") ?? "").split(",")
    if (assets.length > most) return Effect.succeed({ status, headers: { "cf-ray": "ray" } })
    if (url.searchParams.get("page_size") === "1") return Effect.succeed(FakeApi.assets(assets.slice(-1)))
    const isStream = url.searchParams.get("format") === "json_stream"
    return Effect.succeed(isStream ? { body: FakeApi.lines(assets) } : FakeApi.assets(assets))
  })

/** A list of so many characters. */
const list = (length: number) => `${"a:b,".repeat(Math.ceil(length / 4)).slice(0, length - 1)}c`

const asked = (api: FakeApi.FakeApi) => api.seen.map(({ url }) => url.searchParams.get("assets"))

const assetsOf = (records: ReadonlyArray<ReferenceData.Asset>) => records.map(({ asset }) => asset)

describe("a request's target", () => {
  it.effect("says what was asked for, whatever characters a list and the key hold", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([FakeApi.page([])])
      yield* ReferenceData.assets({ assets: ["a:b", "c/d?e@f$", "*!(~)", "x&y=z+1;#", "' \"%2C", "é😀"] }).pipe(
        Stream.runDrain,
        Effect.provide(api.layer({ apiKey: Redacted.make("k:e,y&=+ #") }))
      )
      assert.deepStrictEqual(
        [api.seen[0]?.url.searchParams.get("assets"), api.seen[0]?.url.searchParams.get("api_key")],
        ["a:b,c/d?e@f$,*!(~),x&y=z+1;#,' \"%2C,é😀", "k:e,y&=+ #"]
      )
    })
  )

  it.effect(
    "is counted as @sluice/node sends it: path of the root, endpoint, query and key, without scheme and host",
    () =>
      Effect.gen(function* () {
        const api = FakeApi.make([FakeApi.page([])])
        const root = `https://${"long.".repeat(30)}test/deep/v4`
        const apiKey = Redacted.make("k,e:y")
        const fixed = "/deep/v4/reference-data/assets?page_size=10000&assets=&api_key=k,e:y".length
        const read = (assets: string) =>
          Stream.runDrain(ReferenceData.assets({ assets })).pipe(Effect.provide(api.layer({ root, apiKey })))
        yield* read(list(10_000 - fixed))
        const longer = yield* Effect.flip(read(`${list(10_000 - fixed)}c`))
        assert.deepInclude(longer, { _tag: "InvalidRequest", parameter: "assets", kind: "tooLong" } as const)
        assert.strictEqual(api.seen.length, 1)
      })
  )

  it.effect("a third more names fit than with escaped commas and colons", () =>
    Effect.gen(function* () {
      const assets = Array.from({ length: 4_000 }, (_, index) => `talos:${String(index).padStart(4, "0")}`)
      const parts = yield* Bulk.split(ReferenceData.assets, { assets }, { by: "assets", size: Infinity })
      const escaped = Math.floor(9_000 / encodeURIComponent("talos:0000,").length)
      assert.isAbove(parts[0]!.params.assets.length, escaped * 1.3)
    })
  )

  it.effect.each(["\ud800", "a\udc00b"])("half a surrogate pair in a parameter is refused, not replaced: %j", (text) =>
    Effect.gen(function* () {
      const api = FakeApi.make([])
      const reads = [ReferenceData.assets({ assets: [text] }), ReferenceData.assets({}, { query: { newer: text } })]
      for (const read of reads) {
        const error = yield* Stream.runDrain(read).pipe(Effect.flip, Effect.provide(api.layer()))
        assert.strictEqual(error._tag, "InvalidRequest")
        assert.isTrue(error.message.isWellFormed())
      }
      assert.deepStrictEqual(yield* api.requests, [])
    })
  )
})

describe("a service that reads less than the published limit", () => {
  it.effect.each([414, 431])("a call fails with InvalidRequest that names the list: %i", (status) =>
    Effect.gen(function* () {
      const api = reading(2, status)
      const error = yield* ReferenceData.assets({ assets: names }).pipe(
        Stream.runDrain,
        Effect.flip,
        Effect.provide(api.layer())
      )
      assert.deepInclude(error, {
        _tag: "InvalidRequest",
        parameter: "assets",
        kind: "tooLong",
        trace: "ray",
        reason: "the request of 58 characters is longer than this service reads; split this list over several calls"
      } as const)
      assert.strictEqual(api.seen.length, 1)
    })
  )

  it.effect.each([
    ["the list, though another value is longer", ["a", "b"], "assets", true],
    ["nothing, where one item was asked for", ["a"], undefined, false]
  ] as const)("a call's InvalidRequest blames %s", ([, assets, parameter, isAdvised]) =>
    Effect.gen(function* () {
      const read = Timeseries.assetMetrics({ assets, metrics: ["PriceUSD"], format: "json_stream" })
      const error = yield* Effect.flip(Stream.runDrain(read)).pipe(Effect.provide(reading(0).layer()))
      assert.deepInclude(error, { _tag: "InvalidRequest", kind: "tooLong", parameter } as const)
      assert.strictEqual(error.message.includes("split this list"), isAdvised)
    })
  )

  it.effect("a call with a single value beyond our own limit names it, and advises nothing", () =>
    Effect.gen(function* () {
      const read = ReferenceData.assets({ assets: "a".repeat(10_000) })
      const error = yield* Effect.flip(Stream.runDrain(read)).pipe(Effect.provide(FakeApi.make([]).layer()))
      assert.deepInclude(error, { _tag: "InvalidRequest", kind: "tooLong", parameter: "assets" } as const)
      assert.notInclude(error.message, "split this list")
    })
  )

  it.effect.each(["arrival", "parts"] as const)("a part is read as halves, down to what fits, in order: %s", (order) =>
    Effect.gen(function* () {
      const api = reading(2)
      const parts = yield* Bulk.split(ReferenceData.assets, { assets: names }, { by: "assets", size: 5 })
      assert.lengthOf(parts, 1)
      const read = Bulk.records(ReferenceData.assets, parts, { order, checkEnd: false })
      const records = yield* Stream.runCollect(read).pipe(Effect.provide(api.layer()))
      assert.deepStrictEqual(assetsOf(records), names)
      assert.deepStrictEqual(asked(api), ["a,b,c,d,e", "a,b,c", "a,b", "c", "d,e"])
    })
  )

  it.effect("a part counts as one, whatever it was read as: Done has its number of records", () =>
    Effect.gen(function* () {
      const parts = yield* Bulk.split(ReferenceData.assets, { assets: names }, { by: "assets", size: 4 })
      const events = yield* Bulk.settled(ReferenceData.assets, parts, { concurrency: 1 }).pipe(
        Stream.runCollect,
        Effect.provide(reading(1).layer())
      )
      assert.deepStrictEqual(
        events.flatMap((event) => (event._tag === "Done" ? [[event.part.index, event.count]] : [])),
        [
          [0, 4],
          [1, 1]
        ]
      )
    })
  )

  it.effect("halves of a part that begins at the end are read from the end", () =>
    Effect.gen(function* () {
      const api = reading(3)
      const params = { assets: names, paging_from: "end" } as const
      const parts = yield* Bulk.split(ReferenceData.assets, params, { by: "assets", size: 5 })
      const read = Bulk.records(ReferenceData.assets, parts)
      const records = yield* Stream.runCollect(read).pipe(Effect.provide(api.layer()))
      assert.deepStrictEqual(assetsOf(records), names.toReversed())
    })
  )

  it.effect("a part of one item that is too long fails as it is, as does one whose order goes across items", () =>
    Effect.gen(function* () {
      const series = { assets: ["a", "b"], metrics: ["PriceUSD"] } as const
      const { assetMetrics } = Timeseries
      const reads = [
        Bulk.records(assetMetrics, yield* Bulk.split(assetMetrics, { ...series, assets: ["a"] })),
        Bulk.records(assetMetrics, yield* Bulk.split(assetMetrics, { ...series, sort: "time" }))
      ]
      for (const read of reads) {
        const api = reading(0)
        const error = yield* Stream.runDrain(read).pipe(Effect.flip, Effect.provide(api.layer()))
        assert.deepInclude(error.error, { _tag: "InvalidRequest", kind: "tooLong" } as const)
        assert.strictEqual(api.seen.length, 1)
      }
    })
  )
})

describe("a token that is too long for the request", () => {
  it.effect("of the service is a reply that cannot be followed: Decode, not the caller's InvalidRequest", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([FakeApi.assets(["a"], "t".repeat(10_000))])
      const names: Array<string> = []
      const error = yield* ReferenceData.assets().pipe(
        Stream.runForEach(({ asset }) => Effect.sync(() => names.push(asset))),
        Effect.flip,
        Effect.provide(api.layer())
      )
      assert.deepInclude(error, { _tag: "Decode", path: "next_page_token", page: 2 } as const)
      assert.deepStrictEqual(names, ["a"])
      assert.strictEqual(api.seen.length, 1)
    })
  )

  it.effect("or no text is Decode as well", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([{ body: String.raw`{"data":[{"asset":"a"}],"next_page_token":"\ud800"}` }])
      const error = yield* Stream.runDrain(ReferenceData.assets()).pipe(Effect.flip, Effect.provide(api.layer()))
      assert.deepInclude(error, { _tag: "Decode", path: "next_page_token", page: 2 } as const)
      assert.strictEqual(api.seen.length, 1)
    })
  )

  it.effect("of the service is Decode too where the service itself refuses it with 414", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([FakeApi.assets(["a"], "t".repeat(5_000)), { status: 414 }])
      const error = yield* Stream.runDrain(ReferenceData.assets()).pipe(
        Effect.flip,
        Effect.provide(api.layer({ retry: Retry.none }))
      )
      assert.deepInclude(error, { _tag: "Decode", path: "next_page_token", page: 2 } as const)
    })
  )

  it.effect("of the caller is the caller's", () =>
    Effect.gen(function* () {
      const error = yield* Stream.runDrain(ReferenceData.assets({ next_page_token: "t".repeat(10_000) })).pipe(
        Effect.flip,
        Effect.provide(FakeApi.make([]).layer())
      )
      assert.deepInclude(error, { _tag: "InvalidRequest", parameter: "next_page_token" } as const)
    })
  )
})

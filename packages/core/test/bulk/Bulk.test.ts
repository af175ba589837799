import { assert, describe, it } from "@effect/vitest"
import { ApiError, Bulk, Endpoints, ReferenceData, Retry, Taxonomy, Timeseries } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as FakeApi from "../FakeApi.ts"
import * as Virtual from "../Virtual.ts"

const names = ["a", "b", "c", "d"]

const split = (assets: ReadonlyArray<string>, params: Omit<ReferenceData.AssetsParams, "assets" | "include"> = {}) =>
  Bulk.split(ReferenceData.assets, { ...params, assets }, { by: "assets" })

/** Serves two records of each asset, over two pages or as lines, each reply after so many milliseconds. */
const twoOfEach = (latency: (name: string, page: string) => number = () => 0) =>
  FakeApi.serve(({ url }) => {
    const name = url.searchParams.get("assets") ?? ""
    const page = url.searchParams.get("next_page_token") ?? "1"
    const isStream = url.searchParams.get("format") === "json_stream"
    if (isLast(url)) return Effect.succeed(FakeApi.assets([`${name}2`], "1"))
    const reply = isStream
      ? { body: FakeApi.lines([`${name}1`, `${name}2`]) }
      : FakeApi.assets([`${name}${page}`], page === "1" ? "2" : undefined)
    return Effect.delay(Effect.succeed(reply), latency(name, page))
  })

/** Whether the end of a stream is asked for. */
const isLast = ({ searchParams }: URL) =>
  searchParams.get("page_size") === "1" && searchParams.get("paging_from") === "end"

const assetsOf = (records: ReadonlyArray<ReferenceData.Asset>) => records.map(({ asset }) => asset)

/** What became of parts, in a few words. */
const inWords = (event: Bulk.Settled<ReferenceData.Asset, unknown>) =>
  event._tag === "Records"
    ? `${event.part.index}: ${assetsOf(event.records).join(" ")}`
    : `${event.part.index}: ${event._tag === "Done" ? event.count : event.error._tag}`

const all = ["a1", "a2", "b1", "b2", "c1", "c2", "d1", "d2"]

describe("Bulk.read", () => {
  it.effect("reads json_stream where the endpoint offers it", () =>
    Effect.gen(function* () {
      const api = twoOfEach()
      const [part] = yield* split(["a"])
      const records = yield* Stream.runCollect(Bulk.read(ReferenceData.assets, part!)).pipe(Effect.provide(api.layer()))
      assert.deepStrictEqual(assetsOf(records), ["a1", "a2"])
      assert.deepStrictEqual(yield* api.requests, [
        "/reference-data/assets?assets=a&format=json_stream",
        "/reference-data/assets?page_size=1&assets=a&paging_from=end"
      ])
    })
  )

  it.effect("leaves out the check of its end on request", () =>
    Effect.gen(function* () {
      const api = twoOfEach()
      const [part] = yield* split(["a"])
      const read = Bulk.read(ReferenceData.assets, part!, { checkEnd: false })
      yield* Stream.runDrain(read).pipe(Effect.provide(api.layer()))
      yield* Stream.runDrain(Bulk.records(ReferenceData.assets, [part!], { checkEnd: false })).pipe(
        Effect.provide(api.layer())
      )
      const stream = "/reference-data/assets?assets=a&format=json_stream"
      assert.deepStrictEqual(yield* api.requests, [stream, stream])
    })
  )

  it.effect.each([
    [{ format: "json" }, "?page_size=10000&assets=a&format=json"],
    [{ page_size: 1 }, "?page_size=1&assets=a"],
    [{ paging_from: "end" }, "?page_size=10000&assets=a&paging_from=end"]
  ] as const)("reads pages where the parameters are about pages: $0", ([params, query]) =>
    Effect.gen(function* () {
      const api = FakeApi.make([FakeApi.assets(["a1"])])
      const [part] = yield* split(["a"], params)
      yield* Stream.runDrain(Bulk.read(ReferenceData.assets, part!)).pipe(Effect.provide(api.layer()))
      assert.strictEqual((yield* api.requests)[0], `/reference-data/assets${query}`)
    })
  )

  it.effect("reads pages where there is nothing else", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([FakeApi.page([])])
      const [part] = yield* Bulk.split(Taxonomy.assets, { assets: "a" }, { by: "assets" })
      yield* Stream.runDrain(Bulk.read(Taxonomy.assets, part!)).pipe(Effect.provide(api.layer()))
      assert.deepStrictEqual(yield* api.requests, ["/taxonomy/assets?page_size=10000&assets=a"])
    })
  )
})

describe("Bulk.records", () => {
  it.effect("gives the records of all parts as they arrive", () =>
    Effect.gen(function* () {
      const api = twoOfEach((name) => (name === "a" ? 500 : 10))
      const parts = yield* split(names)
      const records = yield* Stream.runCollect(Bulk.records(ReferenceData.assets, parts)).pipe(
        Effect.provide(api.layer()),
        Virtual.run
      )
      assert.deepStrictEqual(assetsOf(records), ["b1", "b2", "c1", "c2", "d1", "d2", "a1", "a2"])
    })
  )

  it.effect.each([1, 2, 3, 10])(
    "gives them in the order of the parts, whoever replies first: %s at once",
    (concurrency) =>
      Effect.gen(function* () {
        const api = twoOfEach((name, page) => (1_000 * (4 - names.indexOf(name))) / Number(page))
        const parts = yield* split(names)
        const records = yield* Stream.runCollect(
          Bulk.records(ReferenceData.assets, parts, { order: "parts", concurrency })
        ).pipe(Effect.provide(api.layer()), Virtual.run)
        assert.deepStrictEqual(assetsOf(records), all)
        assert.strictEqual(yield* api.most, Math.min(concurrency, 4))
        assert.notInclude((yield* api.requests).join(), "json_stream")
      })
  )

  it.effect.each(["arrival", "parts"] as const)("reads so many parts at once, and one at least: %s", (order) =>
    Effect.gen(function* () {
      for (const concurrency of [2, 1, 0, -1, Number.NaN]) {
        const api = twoOfEach(() => 100)
        const parts = yield* split(names)
        const records = yield* Stream.runCollect(
          Bulk.records(ReferenceData.assets, parts, { order, concurrency })
        ).pipe(Effect.provide(api.layer()), Virtual.run)
        assert.sameMembers(assetsOf(records), all)
        assert.strictEqual(yield* api.most, concurrency === 2 ? 2 : 1)
      }
    })
  )

  it.effect("reads lines in the order of the parts one part after the other, so that none waits for its turn", () =>
    Effect.gen(function* () {
      const api = twoOfEach(() => 100)
      const parts = yield* split(names, { format: "json_stream" })
      const records = yield* Stream.runCollect(Bulk.records(ReferenceData.assets, parts, { order: "parts" })).pipe(
        Effect.provide(api.layer()),
        Virtual.run
      )
      assert.deepStrictEqual(assetsOf(records), all)
      assert.strictEqual(yield* api.most, 1)
    })
  )

  it.effect("runs a few pages ahead of a slow reader, not to the end", () =>
    Effect.gen(function* () {
      const api = FakeApi.serve(({ url }) => {
        const page = Number(url.searchParams.get("next_page_token") ?? "1")
        return Effect.succeed(FakeApi.assets([`${url.searchParams.get("assets")}${page}`], String(page + 1)))
      })
      const parts = yield* split(names)
      const taken = yield* Bulk.records(ReferenceData.assets, parts, { order: "parts", concurrency: 4 }).pipe(
        Stream.take(3),
        Stream.runCollect,
        Effect.provide(api.layer({ plan: "default" })),
        Virtual.run
      )
      assert.deepStrictEqual(assetsOf(taken), ["a1", "a2", "a3"])
      assert.isAtMost((yield* api.requests).length, 4 * 6)
      assert.strictEqual(yield* api.open, 0)
    })
  )

  it.effect("ends with two runs in order on one permit, though each waits for its turn", () =>
    Effect.gen(function* () {
      const api = twoOfEach(() => 10)
      const parts = yield* split(names)
      const run = Stream.runCollect(Bulk.records(ReferenceData.assets, parts, { order: "parts" }))
      const both = yield* Effect.all([run, run], { concurrency: 2 }).pipe(
        Effect.provide(api.layer({ parallel: 1 })),
        Virtual.run
      )
      assert.deepStrictEqual(both.map(assetsOf), [all, all])
    })
  )

  it.effect.each(["arrival", "parts"] as const)(
    "ends all with the first part that fails, and says which: %s",
    (order) =>
      Effect.gen(function* () {
        const api = FakeApi.serve(({ url }) =>
          url.searchParams.get("assets") === "c"
            ? Effect.succeed(FakeApi.refusal(403, "forbidden", "Not for you."))
            : Effect.delay(Effect.succeed(FakeApi.assets(["x"])), 100)
        )
        const parts = yield* split(names, { format: "json" })
        const failure = yield* Stream.runCollect(Bulk.records(ReferenceData.assets, parts, { order })).pipe(
          Effect.flip,
          Effect.provide(api.layer()),
          Virtual.run
        )
        assert.deepInclude({ ...failure }, { _tag: "PartFailed", part: 2, params: { format: "json", assets: ["c"] } })
        assert.strictEqual(failure.error._tag, "Forbidden")
        assert.match(failure.message, /^part 2 \(assets=c format=json\): \/reference-data\/assets: forbidden/)
        assert.strictEqual(yield* api.open, 0)
      })
  )

  it.effect("fails with an error that can be sent elsewhere and holds no key", () =>
    Effect.gen(function* () {
      const api = FakeApi.serve(() => Effect.succeed(FakeApi.refusal(401, "wrong_credentials", "Not k3y-s3cret.")))
      const [part] = yield* split(names)
      const error = yield* Bulk.records(ReferenceData.assets, [part!]).pipe(
        Stream.runDrain,
        Effect.flip,
        Effect.provide(api.layer({ apiKey: Redacted.make("k3y-s3cret") }))
      )
      const codec = Schema.fromJsonString(Bulk.PartFailed)
      const text = yield* Schema.encodeEffect(codec)(error)
      assert.notInclude(text, "s3cret")
      assert.deepStrictEqual((yield* Schema.decodeEffect(codec)(text)).message, error.message)
    })
  )

  it.effect("abbreviates long lists", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([FakeApi.refusal(404, "not_found", "Nothing.")])
      const [part] = yield* Bulk.split(ReferenceData.assets, { assets: names })
      const error = yield* Bulk.records(ReferenceData.assets, [part!]).pipe(
        Stream.runDrain,
        Effect.flip,
        Effect.provide(api.layer())
      )
      assert.include(error.message, "part 0 (assets=a,b,c and 1 more): ")
    })
  )

  it.effect("hands settings of the call to every part", () =>
    Effect.gen(function* () {
      const api = FakeApi.serve(({ url }) =>
        Effect.succeed(url.searchParams.has("brand_new") ? { status: 503 } : FakeApi.assets(["x"]))
      )
      const parts = yield* split(["a"])
      for (const order of ["arrival", "parts"] as const) {
        const options = { order, retry: Retry.none, query: { brand_new: "1" } } as const
        const error = yield* Stream.runDrain(Bulk.records(ReferenceData.assets, parts, options)).pipe(
          Effect.flip,
          Effect.provide(api.layer())
        )
        assert.deepInclude({ ...error.error }, { _tag: "Unavailable", attempts: 1 })
      }
    })
  )

  it.effect("runs parts that were written down, of an endpoint known as data only", () =>
    Effect.gen(function* () {
      const api = FakeApi.serve(({ url }) => {
        const record = { asset: url.searchParams.get("assets"), time: "2024-01-01T00:00:00.000000000Z", PriceUSD: "1" }
        return Effect.succeed(isLast(url) ? FakeApi.page([record]) : { body: `${JSON.stringify(record)}\n` })
      })
      const endpoint = Endpoints.all.find(({ path }) => path === Timeseries.assetMetrics.path)!
      const parts = yield* Schema.decodeEffect(Schema.fromJsonString(Schema.Array(Bulk.Part)))(
        '[{"index":4,"params":{"assets":["btc"],"metrics":["PriceUSD"]}},{"index":7,"params":{"assets":["eth"],"metrics":["PriceUSD"]}}]'
      )
      const records = yield* Stream.runCollect(Bulk.records(endpoint, parts)).pipe(Effect.provide(api.layer()))
      assert.sameMembers(
        records.map((record) => (record as { readonly asset: string }).asset),
        ["btc", "eth"]
      )
    })
  )

  it.effect("of no parts is empty", () =>
    Effect.gen(function* () {
      const none = (yield* split(names)).slice(0, 0)
      for (const order of ["arrival", "parts"] as const) {
        const records = yield* Stream.runCollect(Bulk.records(ReferenceData.assets, none, { order })).pipe(
          Effect.provide(FakeApi.make([]).layer())
        )
        assert.deepStrictEqual(records, [])
      }
    })
  )
})

describe("Bulk.settled", () => {
  it.effect.each(["arrival", "parts"] as const)(
    "tells the end of each part, and lets one fail by itself: %s",
    (order) =>
      Effect.gen(function* () {
        const api = FakeApi.serve(({ url }) => {
          const name = url.searchParams.get("assets") ?? ""
          const page = url.searchParams.get("next_page_token") ?? "1"
          return Effect.succeed(
            name === "b" && page === "2"
              ? FakeApi.refusal(403, "forbidden", "No further.")
              : FakeApi.assets([`${name}${page}`], page === "1" ? "2" : undefined)
          )
        })
        const parts = yield* split(names, { format: "json" })
        const events = yield* Stream.runCollect(Bulk.settled(ReferenceData.assets, parts, { order })).pipe(
          Effect.provide(api.layer())
        )
        const expected = ["0: a1", "0: a2", "0: 2", "1: b1", "1: Forbidden"].concat(
          ...["c", "d"].map((name, index) => [`${index + 2}: ${name}1`, `${index + 2}: ${name}2`, `${index + 2}: 2`])
        )
        const words = events.map(inWords)
        if (order === "parts") assert.deepStrictEqual(words, expected)
        for (const { index } of parts) {
          const own = (all: ReadonlyArray<string>) => all.filter((word) => word.startsWith(`${index}:`))
          assert.deepStrictEqual(own(words), own(expected))
        }
      })
  )
})

describe("an option that no compiler has checked", () => {
  const wrong: ReadonlyArray<readonly [options: object, message: string]> = [
    [
      { concurency: 2 },
      '"concurency" is not a possible option; there are concurrency, order, checkEnd, query, retry, lazy'
    ],
    [
      { signal: new AbortController().signal },
      '"signal" is not a possible option; there are concurrency, order, checkEnd, query, retry, lazy'
    ],
    [{ concurrency: "2" }, 'invalid parameter "concurrency": must be a number'],
    [{ order: "part" }, 'invalid parameter "order": must be "arrival" or "parts"']
  ]

  it.effect("fails every part, before anything is sent", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([])
      const parts = [{ index: 0, params: {} }]
      for (const [options, message] of wrong) {
        // Type boundary: what the compiler refuses is what is tested.
        const unchecked = options as Bulk.Options
        const read = Stream.runDrain(Bulk.records(ReferenceData.assets, parts, unchecked))
        const failed = yield* Effect.flip(Effect.provide(read, api.layer()))
        if (failed._tag !== "PartFailed") return assert.fail(failed.message)
        assert.strictEqual(failed.error.message, `/reference-data/assets: ${message}`)
        const settled = Stream.runCollect(Bulk.settled(ReferenceData.assets, parts, unchecked))
        const [event] = yield* Effect.provide(settled, api.layer())
        assert.deepInclude(event, { _tag: "Failed", error: failed.error })
      }
      assert.isEmpty(yield* api.requests)
    })
  )
})

describe("PartFailed", () => {
  it("says what the part was and what went wrong", () => {
    const error = new ApiError.NotFound({ endpoint: "/x", root: "https://example.com/v4", reason: "gone" })
    const failed = new Bulk.PartFailed({ part: 3, params: { assets: ["btc"], start_time: "2024" }, error })
    assert.strictEqual(
      failed.message,
      "part 3 (assets=btc start_time=2024): /x: not found at https://example.com/v4: gone"
    )
  })
})

import { assert, layer } from "@effect/vitest"
import { type ApiError, Bulk, Client, Discover, Endpoints, Suggestions, Timeseries } from "@sluice/core"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestMode from "../../core/test/TestMode.ts"
import * as ExampleParams from "./ExampleParams.ts"
import { inVirtualTime, settings } from "./Harness.ts"

/** Asks a stand-in within the process. */
const inMemory = Layer.provideMerge(
  Discover.layer(),
  Layer.effect(
    Client.Client,
    Effect.flatMap(Sandbox.Sandbox, ({ url }) => Client.make({ ...settings, root: url, plan: "download" }))
  )
).pipe(Layer.provide(Sandbox.layerMemory()))

const catalogs = Endpoints.all.map(({ path }) => path).filter((path) => path.startsWith("/catalog-v2/"))

/** The lists of series of which a catalog tells the items. */
const listed = Endpoints.entries.flatMap(({ endpoint, name, section }) =>
  endpoint.order === "series" && catalogs.includes(endpoint.path.replace("/timeseries/", "/catalog-v2/"))
    ? endpoint.splits.map((by) => ({ by, endpoint, name: `${section}.${name}` }))
    : []
)

layer(inMemory)("wildcards", (it) => {
  it("are looked at in every series that has a catalog", () => {
    assert.includeMembers(
      listed.map(({ by, name }) => `${name} ${by}`),
      ["Timeseries.assetMetrics assets", "Timeseries.marketTrades markets"]
    )
  })

  it.effect.each(TestMode.eachNth(listed, 3))(
    "in $by of $name stand for names that the series has",
    ({ by, endpoint }) =>
      Effect.gen(function* () {
        const asked: Readonly<Record<string, unknown>> = { ...ExampleParams.of(endpoint), [by]: "*" }
        // Type boundary: this is done to every endpoint, whose parameters are known as data only.
        const expanded = (yield* Discover.expand(endpoint, asked, by)) as Readonly<
          Record<string, ReadonlyArray<string>>
        >
        const names = expanded[by] ?? []
        assert.isNotEmpty(names)
        assert.deepStrictEqual([...new Set(names)].toSorted(), [...names])
        const some = names.filter((_, index) => index % Math.ceil(names.length / 5) === 0)
        const parts = yield* Bulk.split(endpoint, { ...expanded, [by]: some }, { by })
        assert.strictEqual(parts.length, some.length)
        // None of them is refused: what a catalog names is there to be read.
        for (const part of parts) yield* Stream.runDrain(Stream.take(Bulk.read(endpoint, part), 1))
      }).pipe(inVirtualTime)
  )
})

layer(inMemory)("a name that the service refuses", (it) => {
  it.effect.each([
    [
      Timeseries.assetMetrics({ assets: "btc", metrics: "PriceUDS" }),
      { assets: "btc", metrics: "PriceUDS" },
      "PriceUSD"
    ],
    [Timeseries.assetMetrics({ assets: "btcc", metrics: "PriceUSD" }), { assets: "btcc", metrics: "PriceUSD" }, "btc"],
    [
      Timeseries.marketTrades({ markets: "coinbas-btc-usd-spot" }),
      { markets: "coinbas-btc-usd-spot" },
      "coinbase-btc-usd-spot"
    ]
  ] as const)("is told with what was perhaps meant: %#", ([records, params, meant]) =>
    Effect.gen(function* () {
      // The three have records of their own types.
      const read: Stream.Stream<unknown, ApiError.ApiError, Client.Client> = records
      const error = yield* Effect.flip(Stream.runDrain(read))
      assert.strictEqual(error._tag, "InvalidRequest")
      if (error._tag === "InvalidRequest") assert.include(yield* Suggestions.ofRefusal(error, params), meant)
    })
  )

  it.effect("is not guessed where nothing is similar, or discovery fails", () =>
    Effect.gen(function* () {
      const params = { assets: "btc", metrics: "NothingLikeIt" }
      const error = yield* Effect.flip(Stream.runDrain(Timeseries.assetMetrics(params)))
      if (error._tag !== "InvalidRequest") return assert.fail(error._tag)
      assert.deepStrictEqual(yield* Suggestions.ofRefusal(error, params), [])
    })
  )
})

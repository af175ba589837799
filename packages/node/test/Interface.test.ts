import { assert, layer } from "@effect/vitest"
import { Catalog, CatalogAll, type Client, type Endpoint, Endpoints, Retry, Timeseries } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import { Sandbox } from "@sluice/sandbox"
import { formatsOf } from "@sluice/interface/Operation"
import * as Served from "../../sandbox/src/internal/listing/Endpoint.ts"
import * as Offered from "../../sandbox/src/internal/request/Offered.ts"
import * as Route from "../../sandbox/src/internal/server/Route.ts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import { assertSame } from "../../core/test/Same.ts"
import * as TestMode from "../../core/test/TestMode.ts"
import * as ExampleParams from "./ExampleParams.ts"
import { outcome, settings, withClient } from "./Harness.ts"
import * as TestLog from "../../core/test/TestLog.ts"

const takes = ({ parameters }: Endpoint.Info, name: string) => parameters.has(name)

/** The endpoint of a path. */
const find = (path: string) => Endpoints.all.find((endpoint) => endpoint.path === path)!

/** Records of a page. */
const size = TestMode.times(4, 30)

const gzip = TestMode.isLong

const paramsOf = (endpoint: Endpoint.Any): object => ({
  ...(takes(endpoint, "limit") ? { limit: size } : {}),
  ...(takes(endpoint, "page_size") ? { page_size: size } : {}),
  ...ExampleParams.of(endpoint),
  // A catalog without a filter is made whole, however few of its records are read.
  ...(endpoint.path.startsWith("/catalog") && !TestMode.isLong ? ExampleParams.fewOf(endpoint) : {})
})

// Type boundary, here and in `read`: every endpoint knows the parameters it is asked with.
const readPages = (endpoint: Endpoint.Any, params: object = {}) =>
  endpoint.pages({ ...paramsOf(endpoint), ...params } as never)

/** The community root takes no range of a chain (docs/interface.md 4.11). */
const unranged = ({ section }: Endpoint.Info) =>
  section === "4.11" ? { start_time: undefined, end_time: undefined } : {}

const read = (endpoint: Endpoint.Any, params: object = {}): Stream.Stream<unknown, unknown, Client.Client> =>
  endpoint({ ...paramsOf(endpoint), ...params } as never)

/** Checks that the record type says of every field that it may arrive. */
const known = (endpoint: Endpoint.Any, records: ReadonlyArray<unknown>, params = paramsOf(endpoint)) => {
  // Type boundary: the records of this library are checked without services.
  const record = endpoint.record(params as never) as Schema.Codec<unknown>
  return Schema.decodeUnknownEffect(Schema.Array(record), { onExcessProperty: "error" })(records)
}

/** What a program logs, but for warnings of the service. */
const listen = () => {
  const said: Array<string> = []
  const layer = TestLog.layer((text, level) => {
    if (!text.startsWith("The service warns")) said.push(`${level} ${text}`)
  })
  return { said, layer }
}

const reads = <A, E>(program: Effect.Effect<A, E, Client.Client>, options: NodeClient.Options = {}) =>
  withClient(program, { retry: Retry.none, deprecated: "ignore", gzip, ...options })

const limited = { apiKey: Redacted.make("sandbox-limited") }

/** The first value of a metric of btc. */
const firstOf = (metric: string) =>
  outcome(Stream.take(Timeseries.assetMetrics({ assets: "btc", metrics: [metric], page_size: 1 }), 1))

const byPath = (a: { readonly path: string }, b: { readonly path: string }) => (a.path < b.path ? -1 : 1)

/** The client of most tests, with the sockets that it keeps. It warns of each endpoint once. */
const client = Layer.unwrap(
  Effect.map(Sandbox.Sandbox, ({ url }) => NodeClient.layer({ ...settings, root: url, retry: Retry.none, gzip }))
)

// A parameter that the stand-in does not know is refused. Its clock stands still but where a test moves it.
const service = Sandbox.layer({})

layer(Layer.provideMerge(client, service))("the whole interface", (it) => {
  it.effect("is served by the stand-in as this library describes it", () =>
    Effect.sync(() => {
      const described = [...Endpoints.all, ...Endpoints.singles].map((endpoint: Endpoint.Info) => ({
        path: endpoint.path,
        isSingle: endpoint.reply === "record",
        community: endpoint.community,
        formats: [...endpoint.formats],
        parameters: [
          "api_key",
          ...[...endpoint.parameters.values()].flatMap(({ name, role }) => (role._tag === "Path" ? [] : [name]))
        ].toSorted()
      }))
      const served = [...Route.endpoints.values()].map((endpoint) => ({
        path: endpoint.path,
        isSingle: Served.isSingle(endpoint),
        community: Served.isCommunity(endpoint),
        formats: [...formatsOf(endpoint.operation)],
        parameters: Offered.known(endpoint.operation).toSorted()
      }))
      assert.deepStrictEqual(served.toSorted(byPath), described.toSorted(byPath))
    })
  )

  const roots = Map.groupBy(Endpoints.entries, ({ endpoint, section }) => `${section} ${endpoint.community}`)
  /** Of each section one endpoint that is offered at the community root and one that is not; in a long run all. */
  const atCommunity = new Set([...roots.values()].flatMap((same) => (TestMode.isLong ? same : same.slice(0, 1))))

  for (const entry of Endpoints.entries) {
    const { endpoint, name, section } = entry
    const isStreamed = endpoint.formats.includes("json_stream")
    const { deprecated, path } = endpoint

    it.effect(`${section}.${name} is read in pages${isStreamed ? ", and the same as lines" : ""}`, () =>
      Effect.gen(function* () {
        const { layer, said } = listen()
        yield* Effect.gen(function* () {
          const pages = yield* Stream.runCollect(Stream.take(readPages(endpoint), 3))
          const records = pages.flatMap(({ data }) => data)
          assert.isNotEmpty(records)
          yield* known(endpoint, records)
          const isWhole = pages.at(-1)?.next_page_token === undefined
          if (endpoint.pageSize === undefined) assert.deepStrictEqual([pages.length, isWhole], [1, true])
          // Records of pages are the same read one by one, whatever the endpoint: tried with each in a long run.
          if (!isStreamed && !TestMode.isLong) return
          const again = yield* read(endpoint, isStreamed ? { format: "json_stream" } : {}).pipe(
            Stream.take(isWhole ? records.length + 1 : records.length),
            Stream.runCollect
          )
          assertSame(again, records)
        }).pipe(Effect.provide(layer))
        const instead = deprecated?.replacement.join(", ")
        assert.deepStrictEqual(
          said,
          deprecated === undefined ? [] : [`Warn ${path} is deprecated; use ${instead} instead`]
        )
      })
    )

    if (!atCommunity.has(entry)) continue
    it.effect(`${section}.${name} ${endpoint.community ? "is offered" : "is Forbidden"} at the community root`, () =>
      Effect.gen(function* () {
        const { communityUrl } = yield* Sandbox.Sandbox
        // Ten requests in six seconds are allowed there.
        yield* TestClock.adjust("1 second")
        const { layer, said } = listen()
        const { error, records } = yield* outcome(Stream.take(readPages(endpoint, unranged(endpoint)), 1)).pipe(
          (program) => reads(program, { root: communityUrl, apiKey: undefined }),
          Effect.provide(layer)
        )
        assert.deepStrictEqual(said, [])
        if (endpoint.community) {
          assert.isUndefined(error)
          assert.isNotEmpty(records[0]?.data)
        } else {
          assert.deepInclude(error, { _tag: "Forbidden", endpoint: path, root: communityUrl, plan: "community" })
          assert.isEmpty(records)
        }
      })
    )
  }

  for (const { endpoint, name, section } of Endpoints.entries.filter(({ section }) =>
    section.startsWith("CatalogAll")
  )) {
    const own = section.replace("All", "")
    it.effect(`${section}.${name} is ${own}.${name} of a key that may read everything`, () =>
      Effect.gen(function* () {
        const some = Stream.take(TestMode.times(30, 150))
        const expected = yield* Stream.runCollect(some(read(find(endpoint.path.replace("-all", "")))))
        assert.isNotEmpty(expected)
        assertSame(yield* Stream.runCollect(some(read(endpoint))), expected)
      }).pipe(reads)
    )
  }

  for (const [filter, name, field] of [
    ["assets", "btc", "cm_ext_asset"],
    ["exchanges", "coinbase", "cm_ext_exchange"]
  ] as const) {
    it.effect(`the provider's names of ${name} stand for it in every filter of ${filter}`, () =>
      Effect.gen(function* () {
        const reference = find(`/reference-data/${filter}`)
        const [record] = yield* Stream.runCollect(read(reference, { [filter]: name }))
        // Type boundary: `known` has looked at these records above.
        const [provider = {}] = (record as { readonly talos: ReadonlyArray<Record<string, unknown>> }).talos
        const names = [provider[field], provider[`${field}_by_id`]]
        assert.match(names.join(" "), /^talos:\S+ talos:by-id:\S+$/)
        for (const endpoint of Endpoints.all.filter((one) => one.order === "list" && takes(one, filter))) {
          const expected = yield* Stream.runCollect(read(endpoint, { [filter]: name }))
          for (const other of names) {
            assertSame(yield* Stream.runCollect(read(endpoint, { [filter]: [other] })), expected)
          }
        }
      }).pipe(reads)
    )
  }

  it.effect("every field of a reviewable metric and of a block is known", () =>
    Effect.gen(function* () {
      const params = { assets: "btc", metrics: ["FlowInExUSD"], frequency: "1b", limit_per_asset: 10 }
      const records = yield* Stream.runCollect(Timeseries.assetMetrics(params))
      assert.strictEqual(records.length, 10)
      assert.hasAnyKeys(records[0], ["FlowInExUSD-status"])
      assert.hasAnyKeys(records[0], ["block_hash"])
      yield* known(find("/timeseries/asset-metrics"), records, params)
    }).pipe(reads)
  )

  for (const type of ["spot", "future", "option", "bond"]) {
    it.effect(`every field of a ${type} is known`, () =>
      Effect.gen(function* () {
        for (const endpoint of [Catalog.markets, CatalogAll.markets]) {
          const records = yield* Stream.runCollect(endpoint({ type, limit: 20 }))
          assert.strictEqual(records.length, 20)
          assert.isTrue(records.every((record) => record.type === type))
          yield* known(endpoint, records)
        }
      }).pipe(reads)
    )
  }

  it.effect("a metric beyond the licence is Forbidden, and listed by the full catalog alone", () =>
    Effect.gen(function* () {
      const beyond = { metrics: ["SplyBMXNtv"] }
      const [all] = yield* Stream.runCollect(CatalogAll.assetMetrics(beyond))
      assert.strictEqual(all?.metric, "SplyBMXNtv")
      assert.isNotEmpty(all?.frequencies?.[0]?.assets)
      assert.deepStrictEqual(yield* Stream.runCollect(Catalog.assetMetrics(beyond)), [])

      const metricsOf = Effect.fnUntraced(function* (endpoint: typeof Catalog.assets) {
        const [btc] = yield* Stream.runCollect(endpoint({ assets: "btc", include: "metrics" }))
        return (btc?.metrics ?? []).map(({ metric }) => metric)
      })
      const full = yield* metricsOf(CatalogAll.assets)
      const own = yield* metricsOf(Catalog.assets)
      assert.include(full, "SplyBMXNtv")
      assert.deepStrictEqual(
        own,
        full.filter((metric) => own.includes(metric))
      )
      assert.notInclude(own, "SplyBMXNtv")
      assert.include(own, "PriceUSD")

      assert.strictEqual((yield* firstOf("SplyBMXNtv")).error?._tag, "Forbidden")
      assert.strictEqual((yield* firstOf("PriceUSD")).records.length, 1)
    }).pipe((program) => reads(program, limited))
  )
})

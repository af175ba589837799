import { assert, layer } from "@effect/vitest"
import { Bulk, Client, type Endpoint, Endpoints, Timeseries, Timestamp } from "@sluice/core"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { assertSame } from "../../core/test/Same.ts"
import * as TestMode from "../../core/test/TestMode.ts"
import * as ExampleParams from "./ExampleParams.ts"
import { inVirtualTime, quarter, settings, underFault, withClient } from "./Harness.ts"

/** A client of a stand-in within the process, both on the test clock. */
const inMemory = Layer.effect(
  Client.Client,
  Effect.flatMap(Sandbox.Sandbox, ({ url }) => Client.make({ ...settings, root: url, plan: "download" }))
).pipe(Layer.provide(Sandbox.layerMemory()))

type Params = Readonly<Record<string, Schema.Json>>

// Type boundary: the parameters are checked when the stream runs.
const whole = (endpoint: Endpoint.Any, params: Params) => Stream.runCollect(endpoint(params as never))

const sorted = (records: ReadonlyArray<unknown>) => records.map((record) => JSON.stringify(record)).toSorted()

const orders = ["arrival", "parts"] as const

const quiet = Logger.layer([])

/** The field of a record that holds the item of a list parameter. */
const fields: Readonly<Record<string, string>> = {
  assets: "asset",
  chains: "chain",
  accounts: "account",
  ids: "id",
  alerts: "name",
  block_hashes: "block_hash",
  heights: "height",
  txids: "txid",
  entities: "entity",
  exchanges: "exchange",
  exchange_assets: "exchange_asset",
  exchange_pairs: "exchange_pair",
  defi_protocols: "defi_protocol",
  full_names: "full_name",
  indexes: "index",
  institutions: "institution",
  markets: "market",
  metrics: "metric",
  networks: "network",
  pairs: "pair",
  protocols: "protocol",
  class_ids: "class_id",
  sector_ids: "sector_id",
  subsector_ids: "subsector_id"
}

/** Every record that an endpoint lists, read once for all the lists it can be split by. */
const everythingOf = (() => {
  const known = new Map<string, ReadonlyArray<unknown>>()
  return Effect.fnUntraced(function* (endpoint: Endpoint.Any, params: Params) {
    const earlier = known.get(endpoint.path)
    if (earlier !== undefined) return earlier
    const records = yield* whole(endpoint, params)
    known.set(endpoint.path, records)
    return records
  })
})()

/** Each catalog of markets lists thousands. Names to split by are drawn from so many of them; a long run reads all. */
const manyMarkets = 500

const firstMarketsOf = (endpoint: Endpoint.Any) =>
  // Type boundary: lines can be left before their end.
  Stream.runCollect(Stream.take(endpoint({ format: "json_stream" } as never), manyMarkets))

const allClaims = Endpoints.entries.flatMap(({ endpoint, name, section }) =>
  endpoint.splits.map((by) => ({ by, endpoint, section, name: `${section}.${name}` }))
)

/** Of each section every list once, and all in a long run. Those of the full catalogs are of the others, with more in them. */
const claims = [...Map.groupBy(allClaims, ({ by, section }) => `${section} ${by}`)]
  .flatMap(([, same]) => {
    if (TestMode.isLong) return same
    return same[0]!.section.startsWith("CatalogAll") ? [] : same.slice(0, 1)
  })
  .map((claim, nth) => ({ ...claim, nth }))

layer(inMemory)("lists", (it) => {
  it.effect.each(claims)("$name split by $by gives the records of the whole request", ({ by, endpoint, nth }) =>
    Effect.gen(function* () {
      // Jobs are read by their ids alone, which `ExampleParams` has.
      const listsAll = endpoint.order !== "series" && by !== "ids"
      const base = listsAll ? {} : ExampleParams.of(endpoint)
      const isLeftEarly = listsAll && by === "markets" && endpoint.formats.includes("json_stream") && !TestMode.isLong
      const everything = yield* isLeftEarly ? firstMarketsOf(endpoint) : everythingOf(endpoint, base)
      const all = everything.map((record) => Reflect.get(record as object, fields[by]!) as string)
      // Of thousands a few, of each of them the whole.
      const items = [...new Set(all)].filter(
        (item, index, { length }) => !item.includes(",") && index % Math.ceil(length / TestMode.times(3, 20)) === 0
      )
      assert.isNotEmpty(items)
      const expected = yield* whole(endpoint, { ...base, [by]: items })
      assert.isAtLeast(expected.length, items.length)
      const inOrder = sorted(expected)
      // One item a part, the last part a shorter one, or all in one part.
      const sizes = [...new Set([1, Math.min(7, items.length), Infinity])].filter(
        (size) => !(size === 1 && items.length > 15) && !(size === Infinity && items.length <= 7)
      )
      for (const size of TestMode.oneOf(sizes, nth)) {
        const parts = yield* Bulk.split(endpoint, { ...base, [by]: items }, { by, size })
        // The order is not the list's own matter: each list is tried with both, but with one at a time.
        for (const order of TestMode.isLong ? orders : [size > 1 && size <= 7 ? orders[0] : orders[1]]) {
          const records = yield* Stream.runCollect(Bulk.records(endpoint, parts, { order }))
          assertSame(sorted(records), inOrder, `${order}, ${size} a part`)
        }
      }
    }).pipe(inVirtualTime, Effect.provide(quiet))
  )
})

const int = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const grids = {
  "1s": 1_000,
  "1m": 60_000,
  "1h": 3_600_000,
  "1d": 86_400_000,
  "1d-ny-close": 86_400_000,
  "1b": 600_000
} as const

const assets = ["ada", "btc", "doge", "eth", "ltc", "sol"]

/** A bound that belongs to the range or not, or of which nothing is said. */
const flag = Schema.Literals(["absent", "in", "out"])

/** Steps of the grid, and nanoseconds or a part of a step beside it: borders often stand exactly on a record. */
const beside = Schema.Literals([0, 0, 0, 1, -1, 500_000, 123_456_789])

const arbitrary = {
  assets: Schema.Array(int(0, assets.length - 1)).check(Schema.isMinLength(1), Schema.isMaxLength(5)),
  frequency: Schema.Literals(["1s", "1m", "1h", "1d", "1d-ny-close", "1b"]),
  first: int(0, 50),
  steps: int(0, 16),
  startBeside: beside,
  endBeside: beside,
  start: flag,
  end: flag,
  size: int(0, 3),
  every: int(0, 10),
  everyBeside: beside,
  paging: Schema.Literals(["absent", "start", "end"]),
  format: Schema.Literals(["absent", "absent", "json", "json_stream"]),
  pageSize: int(0, 40)
}

const flagOf = (name: string, flag: "absent" | "in" | "out") => (flag === "absent" ? {} : { [name]: flag === "in" })

layer(inMemory)("series", (it) => {
  it.effect.prop(
    "give the records of the whole request, however they are cut",
    arbitrary,
    (one) =>
      Effect.gen(function* () {
        const step = BigInt(grids[one.frequency]) * 1_000_000n
        const base = BigInt(Date.UTC(2024, 2, 8)) * 1_000_000n + BigInt(one.first) * step
        const from = base + BigInt(one.startBeside)
        const to = base + BigInt(one.steps) * step + BigInt(one.endBeside)
        const isEmpty = from === to && (one.start === "out" || one.end === "out")
        const params = {
          assets: one.assets.map((index) => assets[index]!),
          metrics: one.frequency === "1b" ? ["BlkCnt"] : ["PriceUSD"],
          frequency: one.frequency,
          ignore_unsupported_errors: true,
          start_time: Timestamp.fromEpochNanos(from),
          end_time: Timestamp.fromEpochNanos(to),
          ...flagOf("start_inclusive", one.start),
          ...flagOf("end_inclusive", one.end),
          ...(one.paging === "absent" ? {} : { paging_from: one.paging }),
          ...(one.format === "absent" ? {} : { format: one.format }),
          ...(one.pageSize === 0 ? {} : { page_size: one.pageSize })
        } as const
        const every = BigInt(one.every) * step + BigInt(one.everyBeside)
        const how = {
          ...(one.size === 0 ? {} : { by: "assets" as const, size: one.size }),
          ...(one.every === 0 ? {} : { every })
        }
        const split = Bulk.split(Timeseries.assetMetrics, params, how)
        if (from > to) {
          assert.deepInclude(yield* Effect.flip(split), { _tag: "InvalidRequest", parameter: "end_time" })
          return
        }
        if (isEmpty && one.every > 0) {
          assert.deepInclude(yield* Effect.flip(split), { _tag: "BadSplit", parameter: "end_time" })
          return
        }
        const parts = yield* split
        const expected = yield* Stream.runCollect(Timeseries.assetMetrics(params))
        for (const order of orders) {
          const records = yield* Stream.runCollect(Bulk.records(Timeseries.assetMetrics, parts, { order }))
          assert.deepStrictEqual(sorted(records), sorted(expected), order)
          // Only several assets a part and several times put rows of one asset after those of another.
          const isOrdered = one.every === 0 || one.size === 1 || new Set(one.assets).size === 1
          if (order === "parts" && isOrdered) assert.deepStrictEqual(records, expected)
        }
      }).pipe(inVirtualTime),
    { arbitrary: { runs: TestMode.times(8, 150) } }
  )
})

const faults = ["status=503;body=html", "reset-after=700", "truncate-after=700", "cut-line=20", "error-body"]

layer(Sandbox.layer(), { excludeTestServices: true })("parts over sockets", (it) => {
  for (const [nth, order] of orders.entries()) {
    // Each fault is met in one order, in a long run in both.
    const some = faults.filter((_, index) => TestMode.isLong || index % orders.length === nth)
    it.effect.each(some)(`lose and repeat nothing, ${order}, when two requests are met with %s`, (fault) =>
      Effect.gen(function* () {
        const parts = yield* Bulk.split(Timeseries.assetMetrics, quarter, { by: "assets", every: "20 days" })
        const run = Stream.runCollect(Bulk.records(Timeseries.assetMetrics, parts, { order }))
        const whole = yield* withClient(Stream.runCollect(Timeseries.assetMetrics(quarter)))
        const met = yield* underFault(`${fault};after=3;times=2;id=bulk-${order}`, run)
        assert.deepStrictEqual(sorted(met), sorted(whole))
        if (order === "parts") assert.deepStrictEqual<ReadonlyArray<unknown>>(met, whole)
      })
    )
  }
})

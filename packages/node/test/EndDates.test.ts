import { assert, layer } from "@effect/vitest"
import { Bulk, CatalogV2, Client, type Endpoint, Endpoints, Taxonomy, Timeseries, Timestamp } from "@sluice/core"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { assertSame } from "../../core/test/Same.ts"
import * as TestMode from "../../core/test/TestMode.ts"
import { pages } from "../../sandbox/test/Harness.ts"
import * as ExampleParams from "./ExampleParams.ts"
import { inVirtualTime, settings } from "./Harness.ts"

const dialects = [
  { endDate: "day", excludedDate: "day" },
  { endDate: "day", excludedDate: "instant" },
  { endDate: "midnight", excludedDate: "day" },
  { endDate: "midnight", excludedDate: "instant" }
] as const

const series = Endpoints.entries
  .filter(({ endpoint }) => endpoint.order === "series")
  .map(({ endpoint, name, section }, index) => ({ endpoint, index, name: `${section}.${name}` }))

const nanos = (time: string) => Result.getOrThrow(Timestamp.toEpochNanos(time))

const canExclude = ({ parameters }: Endpoint.Info) => parameters.has("end_inclusive")

/** What the stand-in sends from a time to the moment before another, both written in full. */
const truth = Effect.fnUntraced(function* (
  endpoint: Endpoint.Info,
  params: Readonly<Record<string, unknown>>,
  start: string,
  behind: string
) {
  const { path } = endpoint
  const { end_time: _, start_time: __, ...rest } = params
  const query = new URLSearchParams({ start_time: start, paging_from: "start" })
  query.set("end_time", Timestamp.fromEpochNanos(nanos(behind) - 1n))
  let target = path
  for (const [name, value] of Object.entries(rest)) {
    if (path.includes(`{${name}}`)) target = target.replace(`{${name}}`, String(value))
    else query.set(name, String(value))
  }
  return (yield* pages(`${target}?${query}`)).flat()
})

/** Runs a program with a client of the stand-in, both on the test clock. */
const reading = <A, E>(program: Effect.Effect<A, E, Client.Client>) =>
  Effect.gen(function* () {
    const { url } = yield* Sandbox.Sandbox
    const client = yield* Client.make({ ...settings, root: url, plan: "download", onDisorder: "fail" })
    return yield* inVirtualTime(Effect.provideService(program, Client.Client, client))
  })

const sorted = (records: ReadonlyArray<unknown>) =>
  records
    // Type boundary: records are objects.
    .map((record) => JSON.stringify(Object.entries(record as object).toSorted(([a], [b]) => (a < b ? -1 : 1))))
    .toSorted()

for (const [turn, dialect] of dialects.entries()) {
  const words = `${dialect.endDate}, excluded ${dialect.excludedDate}`
  // A short run tries each series with one dialect.
  const some = series.filter(({ index }) => TestMode.isLong || index % dialects.length === turn)
  layer(Sandbox.layerMemory({ dialect }))(`a date as the end, of a service that reads it as ${words}`, (it) => {
    it.effect.each(some)("is the whole day of $name, read at once, excluded, and in parts", ({ endpoint }) =>
      Effect.gen(function* () {
        const frequency = endpoint.path === "/timeseries/asset-metrics" ? { frequency: "1h" } : {}
        const params = { ...ExampleParams.of(endpoint), ...frequency }
        const day = (params.end_time ?? "").slice(0, 10)
        const other = (days: number) => Timestamp.fromEpochNanos(nanos(day) + BigInt(days) * 86_400_000_000_000n)
        const behind = other(1)
        // The shortest end of the day that has records; of days, several of them.
        const starts = [`${day}T23:57:00`, `${day}T12:00:00`, `${day}T00:00:00`, other(-30)]
        let [start = "", ...others] = starts
        let expected = yield* truth(endpoint, params, start, behind)
        while (expected.length === 0 && others.length > 0) {
          ;[start = "", ...others] = others
          expected = yield* truth(endpoint, params, start, behind)
        }
        assert.isNotEmpty(expected)
        const whole = sorted(expected)
        const reads = Effect.gen(function* () {
          // Type boundary: every series takes a range; the parameters are checked when the stream runs.
          const read = (range: object) =>
            Stream.runCollect(endpoint({ ...params, start_time: start, ...range } as never))
          assertSame(sorted(yield* read({ end_time: day })), whole)
          if (!canExclude(endpoint)) return
          assertSame(sorted(yield* read({ end_time: behind.slice(0, 10), end_inclusive: false })), whole)
          const range = { ...params, start_time: start, end_time: day.replaceAll("-", ""), end_inclusive: true }
          const every = (nanos(behind) - nanos(start)) / 3n + 1n
          const parts = yield* Bulk.split(endpoint, range as never, { every })
          assert.lengthOf(parts, 3)
          assertSame(sorted(yield* Stream.runCollect(Bulk.records(endpoint, parts))), whole)
        })
        yield* reading(reads)
      })
    )

    it.effect("is the day of the zone that the request names, also where it has 23 or 25 hours", () =>
      Effect.gen(function* () {
        const endpoint = Timeseries.assetMetrics
        const params = { assets: ["btc"], metrics: ["ReferenceRateUSD"], frequency: "1h" } as const
        for (const [day, start, behind, hours] of [
          ["2024-03-10", "2024-03-10T05:00:00", "2024-03-11T04:00:00", 23],
          ["20241103", "2024-11-03T04:00:00", "2024-11-04T05:00:00", 25]
        ] as const) {
          const expected = yield* truth(endpoint, params, start, behind)
          assert.lengthOf(expected, hours)
          const read = endpoint({ ...params, start_time: day, end_time: day, timezone: "America/New_York" })
          assertSame(sorted(yield* reading(Stream.runCollect(read))), sorted(expected))
        }
      })
    )

    it.effect("is the whole day in lists", () =>
      Effect.gen(function* () {
        const markets = { exchange: "coinbase", type: "spot" }
        const catalog = yield* truth(CatalogV2.marketCandles, markets, "2000-01-01", "2019-03-01")
        const read = CatalogV2.marketCandles({ ...markets, start_time: "2000-01-01", end_time: "2019-02-28" })
        assertSame(sorted(yield* reading(Stream.runCollect(read))), sorted(catalog))
        const classified = yield* pages(
          "/taxonomy/assets?assets=matic&classification_end_time=2022-06-12T23:59:59.999999999Z"
        )
        const ended = Taxonomy.assets({ assets: "matic", classification_end_time: "2022-06-12" })
        assertSame(sorted(yield* reading(Stream.runCollect(ended))), sorted(classified.flat()))
        assert.lengthOf(classified.flat(), 1)
      })
    )
  })
}

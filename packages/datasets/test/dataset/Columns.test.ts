import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Columns, type Endpoint, Timeseries } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import * as DatasetDuckdb from "@sluice/datasets/DatasetDuckdb"
import { Sandbox } from "@sluice/sandbox"
import { required } from "../../../interface/src/Least.ts"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as ColumnsOf from "../../../core/test/columns/ColumnsOf.ts"
import * as DrawnRecords from "../../../core/test/columns/DrawnRecords.ts"
import * as Draw from "../../../core/test/Draw.ts"
import * as Table from "../../../core/test/table/Expected.ts"
import * as Endpoints from "../../../core/test/table/Read.ts"
import * as TestMode from "../../../core/test/TestMode.ts"
import * as WallClock from "../../../core/test/WallClock.ts"
import * as FolderStore from "../../src/internal/folder/FolderStore.ts"
import * as SeriesParams from "../../src/internal/model/SeriesParams.ts"
import { temporary, world } from "./Harness.ts"

const metrics = ["PriceUSD", "TxCnt", "AdrActCnt"]

const paths = [
  "/timeseries/asset-metrics",
  "/timeseries/market-trades",
  "/timeseries/market-orderbooks",
  "/timeseries/market-candles",
  "/timeseries/market-liquidations",
  "/timeseries/index-constituents"
]

const formats = [
  { as: "ndjson" },
  { as: "ndjson", compression: "gzip" },
  { as: "ndjson", compression: "zstd" },
  { as: "csv" },
  { as: "parquet" },
  { as: "parquet", compression: "gzip" },
  { as: "parquet", numbers: "decimal" },
  { as: "parquet", decimal: { precision: 18, scale: 2 }, statusColumns: true },
  { as: "parquet", numbers: "text" }
] as const satisfies ReadonlyArray<Dataset.Job<typeof Timeseries.assetMetrics>["format"]>

const nanosPerDay = 86_400_000_000_000n

const timeOf = (nanos: bigint) => {
  const millis = new Date(Number(nanos / 1_000_000n)).toISOString()
  return `${millis.slice(0, 20)}${String(nanos % 1_000_000_000n).padStart(9, "0")}Z`
}

/** Records of some entities over a month and a half, by entity and time. Times repeat. */
const recordsOf = (
  draw: Draw.Draw,
  path: string,
  field: string,
  entities: ReadonlyArray<string>,
  style: DrawnRecords.Style
) => {
  const view = Table.views(Endpoints.all.find((one) => one.path === path)!)[0]!
  const fields = "asset" in view.fields && path.endsWith("metrics") ? { ...view.fields } : view.fields
  const records: Array<Readonly<Record<string, unknown>> & { readonly time: string }> = []
  for (const entity of entities) {
    let nanos = BigInt(Date.parse("2026-01-20")) * 1_000_000n
    for (let left = draw.below(90); left > 0; left--) {
      if (draw.chance(0.7)) nanos += (nanosPerDay * BigInt(draw.below(1_000))) / 1_000n + BigInt(draw.below(3))
      const own = path.endsWith("metrics") ? Object.fromEntries(metrics.map((name) => [name, decimalOf(draw)])) : {}
      const drawn = DrawnRecords.recordOf(fields, draw, style)
      records.push({ ...drawn, ...own, [field]: entity, time: timeOf(nanos) })
    }
  }
  return records
}

const at = (day: string | undefined) => day && `${day}T00:00:00.000000000Z`

const decimalOf = (draw: Draw.Draw) => (draw.chance(0.3) ? null : `${draw.below(1_000)}.${10 + draw.below(90)}`)

/** What a dataset reads as columns, and columns of what it reads as records. */
const bothOf = Effect.fnUntraced(function* (
  endpoint: Endpoint.Any,
  params: object,
  options: Columns.Options<string> & { readonly from: string | Dataset.Store }
) {
  const { columns, decimal, from, numbers, rows, textSize } = options
  const batches: Array<ColumnsOf.AnyBatch> = []
  // Type boundary, twice: the endpoint is known as data only.
  const call = [endpoint as never, params as never] as const
  const read = Dataset.columns(...call, { ...options, offline: true } as never) as Stream.Stream<
    ColumnsOf.AnyBatch,
    Dataset.DatasetError
  >
  const end = yield* Effect.result(Stream.runForEach(read, (batch) => Effect.sync(() => batches.push(batch))))
  const records = Dataset.read(...call, { from, offline: true })
  const provided = Stream.provide(records, NodeServices.layer)
  const expected = yield* ColumnsOf.read(endpoint, params, provided, { columns, decimal, numbers, rows, textSize })
  return { seen: { batches, error: Result.isFailure(end) ? end.failure : undefined }, expected }
})

const inNovember = Effect.updateService(Clock.Clock, (real) => WallClock.at(real, () => Date.parse("2026-11-20")))

const collected = <E, R>(batches: Stream.Stream<Columns.Batch<unknown>, E, R>) =>
  Effect.map(Stream.runCollect(batches), (all): ColumnsOf.Read => ({
    // Type boundary: batches of one endpoint are batches of any.
    batches: all as unknown as ReadonlyArray<ColumnsOf.AnyBatch>,
    error: undefined
  }))

const january = {
  assets: ["btc", "eth"],
  metrics: ["PriceUSD", "TxCnt"],
  start_time: "2026-01-01",
  end_time: "2026-01-31"
} as const

describe("a dataset that is read as columns", () => {
  for (const format of [
    { as: "ndjson" },
    { as: "csv" },
    { as: "parquet", numbers: "text" },
    { as: "a table of DuckDB" }
  ] as const) {
    it.live(`gives of ${format.as} the columns of a call, and asks for what it lacks`, () =>
      Effect.gen(function* () {
        const folder = yield* temporary
        const isTable = format.as === "a table of DuckDB"
        const file = `${folder}/market.duckdb`
        const from = isTable ? DatasetDuckdb.make({ file, table: "prices", numbers: "text" }) : folder
        const { end_time: _, ...params } = { ...january, start_time: "2026-01-10" }
        const job = { endpoint: Timeseries.assetMetrics, params, to: from }
        yield* Stream.runDrain(Dataset.sync(isTable ? job : { ...job, format }))
        for (const numbers of ["double", "decimal", "text"] as const) {
          for (const call of [january, { ...january, assets: "eth", metrics: ["TxCnt"] }]) {
            const seen = yield* collected(Dataset.columns(Timeseries.assetMetrics, call, { from, numbers, rows: 10 }))
            const expected = yield* collected(Columns.stream(Timeseries.assetMetrics, call, { numbers, rows: 10 }))
            ColumnsOf.assertSame(seen, expected)
          }
        }
      }).pipe(inNovember, Effect.provide(world))
    )
  }

  it.live("begins a dataset that has all digits where they are asked for, and is read without a client then", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      const options = { from: `${folder}/exact`, numbers: "text" } as const
      const seen = yield* collected(Dataset.columns(Timeseries.assetMetrics, january, options))
      const expected = yield* collected(Columns.stream(Timeseries.assetMetrics, january, { numbers: "text" }))
      ColumnsOf.assertSame(seen, expected)
      const offline = Dataset.columns(Timeseries.assetMetrics, january, { ...options, offline: true })
      ColumnsOf.assertSame(yield* Effect.provide(collected(offline), NodeServices.layer), expected)
    }).pipe(inNovember, Effect.provide(world))
  )

  it.live("refuses digits and columns that the files do not have, before it sends anything", () =>
    Effect.gen(function* () {
      const from = yield* temporary
      const { end_time: _, ...params } = january
      const format = { as: "parquet", columns: ["asset", "time", "PriceUSD"] } as const
      yield* Stream.runDrain(Dataset.sync({ endpoint: Timeseries.assetMetrics, params, to: from, format }))
      const { stats } = yield* Sandbox.Sandbox
      const { requests } = yield* stats
      const refusal = (options: Columns.Options<"time" | "PriceUSD" | "TxCnt">) =>
        Effect.map(
          Effect.flip(
            Stream.runDrain(
              Dataset.columns(Timeseries.assetMetrics, { ...january, start_time: "2025-12-01" }, { from, ...options })
            )
          ),
          (error) => (error._tag === "BadFormat" ? error.option : error._tag)
        )
      const columns = ["time", "PriceUSD"] as const
      assert.strictEqual(yield* refusal({ columns, numbers: "text" }), "numbers")
      assert.strictEqual(yield* refusal({ columns, numbers: "decimal" }), "numbers")
      assert.strictEqual(yield* refusal({ columns: ["TxCnt"] }), "columns")
      assert.strictEqual(yield* refusal({}), "columns")
      assert.strictEqual(yield* refusal({ rows: 0 }), "rows")
      assert.strictEqual((yield* stats).requests, requests)
      // Times have all digits.
      const times = Dataset.columns(Timeseries.assetMetrics, january, { from, columns: ["time"], numbers: "text" })
      assert.lengthOf([...(yield* collected(times)).batches[0]!.rows()], 62)
    }).pipe(inNovember, Effect.provide(world))
  )

  it.live("goes by records as of a moment, and refuses what a dataset without versions cannot know", () =>
    Effect.gen(function* () {
      const from = yield* temporary
      const { end_time: _, ...params } = january
      const job = { endpoint: Timeseries.assetMetrics, params, format: { as: "ndjson" } } as const
      yield* Stream.runDrain(Dataset.sync({ ...job, to: `${from}/kept`, versions: "keep" }))
      const options = { from: `${from}/kept`, asOf: "2026-11-20" } as const
      const records = Dataset.read(Timeseries.assetMetrics, january, options)
      ColumnsOf.assertSame(
        yield* collected(Dataset.columns(Timeseries.assetMetrics, january, options)),
        yield* collected(Columns.fromRecords(Timeseries.assetMetrics, january, records))
      )
      yield* Stream.runDrain(Dataset.sync({ ...job, to: `${from}/plain` }))
      const plain = Dataset.columns(Timeseries.assetMetrics, january, { ...options, from: `${from}/plain` })
      assert.strictEqual((yield* Effect.flip(Stream.runDrain(plain)))._tag, "BadDefinition")
    }).pipe(inNovember, Effect.provide(world))
  )

  it.live("gives the columns of the records that it reads, in all formats and layouts", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      for (const seed of TestMode.seeds(9, 100)) {
        const draw = Draw.from(seed)
        const format = formats[seed % formats.length]!
        const path = draw.one(paths)
        const isMetrics = path.endsWith("metrics")
        const endpoint = Endpoints.endpointOf(path)
        const fewest = { ...required(path), ...(isMetrics ? { metrics } : {}) }
        const { entity, names } = yield* SeriesParams.make(endpoint, fewest)
        const entities = ["a", "a-b", "ab", "Ä"].slice(0, 1 + draw.below(4)).toSorted()
        const params = { ...fewest, [names.entities]: entities }
        const style = format.as === "ndjson" ? draw.one(["usual", "odd", "bad"] as const) : "usual"
        const isDecimal = "decimal" in format
        const records = recordsOf(draw, isDecimal ? "/timeseries/asset-metrics" : path, entity, entities, style)
        if (isDecimal && !isMetrics) continue
        const layout = {
          byEntity: draw.chance(0.6),
          period: draw.one(["day", "month", "none"] as const),
          rows: draw.one([10, 1_000])
        }
        const store = yield* FolderStore.make(`${to}/${seed}`, { layout, format })
        const definition = {
          root: "https://sandbox.invalid/v4",
          endpoint: path,
          params,
          lookBack: 0,
          onRemoved: "keep" as const
        }
        const series = { endpoint, entity, time: "time" as const, identity: endpoint.identity }
        yield* Effect.scoped(
          Effect.gen(function* () {
            const opened = yield* store.open({ definition, series })
            const periods =
              layout.period === "none"
                ? [records]
                : Object.values(
                    Object.groupBy(records, ({ time }) => time.slice(0, layout.period === "day" ? 10 : 7))
                  ).map((some = []) => some)
            // A change of files that entities share is of one period.
            for (const some of layout.byEntity ? [records] : periods) {
              const from = layout.byEntity || layout.period === "none" ? undefined : some[0]!.time.slice(0, 10)
              const begin = from && (layout.period === "day" ? from : `${from.slice(0, 7)}-01`)
              const end =
                begin &&
                new Date(Date.parse(begin) + (layout.period === "day" ? 1 : 31) * 86_400_000).toISOString().slice(0, 10)
              const stop = end && (layout.period === "day" ? end : `${end.slice(0, 7)}-01`)
              yield* opened.apply({
                spans: entities.map((entity) => ({ entity, from: at(begin), to: at(stop) })),
                records: Stream.rechunk(Stream.fromIterable(some), 7),
                cursors: Effect.succeed(
                  entities.map((entity) => ({
                    entity,
                    from: null,
                    last: records.findLast((record) => Reflect.get(record, series.entity) === entity)?.time ?? null,
                    columns: isMetrics ? metrics : []
                  }))
                ),
                forget: []
              })
            }
            yield* opened.settle!(Date.parse("2026-06-01"))
          })
        )
        for (let read = 0; read < 4; read++) {
          const [from, end] = [0, 1].map(() =>
            draw.chance(0.7) && records.length > 0 ? draw.one(records).time : undefined
          )
          const asked = {
            ...params,
            [names.entities]: draw.some(entities),
            ...(isMetrics ? { [names.columns!]: draw.some(metrics) } : {}),
            ...(from === undefined ? {} : { start_time: from }),
            ...(end === undefined || (from !== undefined && end < from) ? {} : { end_time: end })
          }
          const keeps = format.as === "ndjson" || format.as === "csv" || "numbers" in format || isDecimal
          const numbers = draw.one(keeps ? (["double", "decimal", "text"] as const) : (["double"] as const))
          const all = Object.keys((yield* ColumnsOf.read(endpoint, asked, Stream.empty)).batches[0]!.columns)
          const options: Columns.Options<string> = {
            numbers,
            rows: draw.one([1, 7, 64, 16_384]),
            textSize: draw.one([60, 1_000_000]),
            ...(draw.chance(0.5) ? { columns: draw.some(all) } : {})
          }
          const { expected, seen } = yield* bothOf(endpoint, asked, { ...options, from: store })
          const what = `seed ${seed}, ${JSON.stringify({ path, format, layout, asked, options })}`
          yield* Effect.try({
            try: () => ColumnsOf.assertSame(seen, expected),
            catch: (error) => new Error(what, { cause: error })
          })
        }
      }
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})

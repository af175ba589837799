import { assert, describe, it } from "@effect/vitest"
import { Timeseries } from "@sluice/core"
import type * as Endpoint from "@sluice/core/Endpoint"
import * as LazyLines from "@sluice/core/internal/columns/LazyLines"
import * as Format from "@sluice/files/Format"
import * as LazyRows from "@sluice/files/internal/format/LazyRows"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"
import * as Draw from "../../../core/test/Draw.ts"
import * as TestMode from "../../../core/test/TestMode.ts"
import * as Gathered from "../../src/internal/versions/Gathered.ts"

// Type boundary: an endpoint whose parameters have types of its own is no `Endpoint.Any`, which takes data.
const endpoint = Timeseries.marketTrades as unknown as Endpoint.Any
const params = { markets: "coinbase-btc-usd-spot" }
const entity = "market"

/** Readers of their own: one that other tests have used may wait for a while after records that it could not read lazily. */
const sentBy = () => ({
  ...Timeseries.marketTrades,
  record: (given: undefined) => Timeseries.marketTrades.record(given)
})

const formats = [
  { as: "parquet" },
  { as: "parquet", numbers: "decimal" },
  { as: "parquet", numbers: "text", times: "micros" }
] as const

const trade = (draw: Draw.Draw, index: number) => ({
  market: draw.below(50) === 0 ? "b" : "a",
  time: `2026-01-01T00:00:00.${String(index).padStart(6, "0")}000Z`,
  coin_metrics_id: String(index),
  ...(draw.below(5) > 0 && { amount: draw.one(["1", "1.5", null]) }),
  price: "3.25",
  side: draw.one(["buy", "sell", null])
})

/** What becomes of records that are written, and what is logged meanwhile. */
const write = Effect.fnUntraced(function* <E>(
  format: Format.Options,
  columns: ReadonlyArray<string>,
  records: Stream.Stream<unknown, E>
) {
  const heard: Array<unknown> = []
  const encode = yield* Format.encode(endpoint, params, { ...format, columns })
  const written = yield* Stream.runCollect(encode(records)).pipe(
    Effect.map((pieces) => Buffer.concat(pieces).toString("base64")),
    Effect.result,
    Effect.provide(Logger.layer([Logger.make<unknown, void>(({ message }) => void heard.push(message))]))
  )
  // Keys without a column, which are named when they are met.
  const unknown = heard.flatMap((line) =>
    String(line)
      .replace(/^.* for |;.*$/g, "")
      .split(", ")
  )
  return { written, unknown: unknown.toSorted() }
})

describe("records that are gathered", () => {
  for (const seed of TestMode.seeds(30, 1_000)) {
    it.effect(`are written as they were sent: seed ${seed}`, () =>
      Effect.gen(function* () {
        const draw = Draw.from(seed)
        const format = draw.one(formats)
        const all = (yield* Format.columns(endpoint, params)).filter(
          ({ name }) => draw.below(2) === 0 || name !== entity
        )
        const names = all.map(({ name }) => name)
        const [bad, odd, nested] = [draw.below(600), draw.below(600), draw.below(600)]
        const records = Array.from({ length: draw.one([0, 1, 300]) }, (_, index) => ({
          ...trade(draw, index),
          ...(index === bad && draw.one([{ time: "never" }, { price: "N/A" }, { coin_metrics_id: "1.5" }])),
          ...(index === odd && { later: 1 }),
          // No record of such an array is lazy.
          ...(index === nested && { note: ["é"] })
        }))
        const lines = Stream.suspend(() => {
          const text = Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(""))
          const size = 500 + draw.below(9_000)
          return Stream.map(Stream.range(0, Math.ceil(text.length / size) - 1), (at) =>
            text.subarray(at * size, (at + 1) * size)
          )
        })
        const sent = LazyLines.records(sentBy(), params, Stream.rechunk(lines, 1))
        let [count, lazy] = [0, 0]
        const gathered = Stream.mapArray(Gathered.of(sent, { columns: all, entity, format }), (some) => {
          for (const [at, record] of some.entries()) {
            assert.propertyVal(record as object, entity, records[count + at]![entity])
          }
          if (LazyRows.of(some) !== undefined) lazy += 1
          count += some.length
          return some
        })
        const plain = yield* write(format, names, Stream.fromIterable(records))
        const own = yield* write(format, names, gathered)
        assert.deepStrictEqual(own.written, plain.written)
        if (plain.written._tag === "Failure") return
        assert.deepStrictEqual(own.unknown, plain.unknown)
        assert.strictEqual(count, records.length)
        // So few become one array, where none of them stand in an array that is not lazy.
        if (nested >= count) assert.strictEqual(lazy, Math.min(count, 1))
      })
    )
  }
})

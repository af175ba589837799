import { assert, describe, it } from "@effect/vitest"
import { Timeseries } from "@sluice/core"
import type * as Endpoint from "@sluice/core/Endpoint"
import * as LazyLines from "@sluice/core/internal/columns/LazyLines"
import * as Format from "@sluice/files/Format"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Draw from "../../../core/test/Draw.ts"
import * as TestMode from "../../../core/test/TestMode.ts"
import * as Comparing from "../../src/internal/versions/Comparing.ts"
import * as HeldFile from "./HeldFile.ts"

const params = { markets: "coinbase-btc-usd-spot" }
// Type boundary: an endpoint whose parameters have types of its own is no `Endpoint.Any`, which takes data.
const endpoint = Timeseries.marketTrades as unknown as Endpoint.Any
const series = { endpoint, params, entity: "market", time: "time", identity: ["coin_metrics_id"] } as const
/** Has a reader of its own: one that other tests have used may wait for a while after records that it could not read lazily. */
const trades = { ...Timeseries.marketTrades, record: (given: undefined) => Timeseries.marketTrades.record(given) }
const linesOf = (records: ReadonlyArray<object>) =>
  Stream.succeed(Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join("")))

/** Numbers of which some differ by less than a double tells, or by how they are written. */
const prices = ["1", "1.0", "0", "-0", "0.1", "0.100000000000000001", "12345678.9", "1e3", null]
const sides = ["buy", "sell", "b", "", null]

const trade = (draw: Draw.Draw, index: number) => ({
  market: "coinbase-btc-usd-spot",
  time: `2026-01-01T00:00:00.${String(index >> 1).padStart(6, "0")}000Z`,
  coin_metrics_id: String(draw.below(4) === 0 ? index * 7 : index),
  ...(draw.below(5) > 0 && { amount: draw.one(prices) }),
  price: draw.one(prices),
  ...(draw.below(9) > 0 && { side: draw.one(sides) })
})

describe("records that arrived", () => {
  for (const format of HeldFile.formats) {
    for (const seed of TestMode.seeds(5, 50)) {
      it.effect(`are the same as those held where each is: ${Object.values(format).join(" ")}, seed ${seed}`, () =>
        Effect.gen(function* () {
          const draw = Draw.from(seed)
          const rate = draw.one([1, 2, 10, 100, 1_000])
          const held = Array.from({ length: 1 + draw.below(400) }, (_, index) => trade(draw, index))
          const fresh = held.map((record, index) => (draw.below(rate) === 0 ? trade(draw, index) : record))
          const { comparing, gathered, read } = yield* HeldFile.make(series, format, held)
          // Arrays of what is held, each with the number of its first record.
          const arrays: Array<{ readonly from: number; readonly records: ReadonlyArray<unknown> }> = []
          let length = 0
          yield* Stream.runForEachArray(read, (records) =>
            Effect.sync(() => {
              arrays.push({ from: length, records })
              length += records.length
            })
          )
          assert.strictEqual(length, held.length)
          let [before, alike] = [0, 0]
          yield* Stream.runForEachArray(gathered(LazyLines.records(trades, params, linesOf(fresh))), (records) =>
            Effect.sync(() => {
              const batch = comparing.arrived(records)
              assert.isDefined(batch)
              for (let index = 0; index < records.length;) {
                const place = before + index
                const own = arrays.findLast(({ from }) => from <= place)!
                const count = batch!.countSame(index, own.records, place - own.from)
                const most = Math.min(records.length - index, own.records.length - (place - own.from))
                for (let step = 0; step < count; step++) {
                  const old = own.records[place - own.from + step]
                  assert.isTrue(
                    comparing.isSame(old, records[index + step], new Set()),
                    JSON.stringify([old, records[index + step]])
                  )
                }
                assert.isAtMost(count, most)
                alike += count
                index += count || 1
                if (count > 0) continue
                const [was, is] = [held[place]!, fresh[place]!]
                assert.notStrictEqual(was, is)
                const isOther = !comparing.isSame(own.records[place - own.from], is, new Set())
                const what = JSON.stringify([was, is])
                if (batch!.isRevised(place - before, own.records, place - own.from)) assert.isTrue(isOther, what)
              }
              before += records.length
            })
          )
          assert.strictEqual(before, fresh.length)
          assert.isAtLeast(alike, fresh.filter((record, index) => record === held[index]).length)
        })
      )
    }
  }

  for (const [format, told] of [
    [HeldFile.formats[0], "1 2,1.5 1.500000000000000001"],
    [HeldFile.formats[1], "1 2"],
    [HeldFile.formats[2], "1 2,1.5 1.500000000000000001"],
    [HeldFile.formats[3], ""]
  ] as const) {
    it.effect(`are told from what they revise without records: ${Object.values(format).join(" ")}`, () =>
      Effect.gen(function* () {
        const seen: Array<string> = []
        for (const pair of ["1 2", "1.5 1.500000000000000001", "1 1.0", "null 1", "1 null", "1e1 10"]) {
          const [was, is] = pair.split(" ").map((price) => ({
            ...trade(Draw.from(1), 0),
            amount: "3",
            price: price === "null" ? null : price
          }))
          const { comparing, gathered, read } = yield* HeldFile.make(series, format, [was!])
          const sent = gathered(LazyLines.records(trades, params, linesOf([is!])))
          yield* Stream.runForEachArray(read, (own) =>
            Stream.runForEachArray(sent, (records) =>
              Effect.sync(() => {
                const batch = comparing.arrived(records)!
                if (batch.countSame(0, own, 0) === 0 && batch.isRevised(0, own, 0)) seen.push(pair)
              })
            )
          )
        }
        assert.deepStrictEqual(seen.join(), told)
      })
    )
  }

  it.effect("are other ones where a text of what was held reads like a value that is no text", () =>
    Effect.gen(function* () {
      const format = { as: "csv" } as const
      const columns = yield* Format.columns(Timeseries.marketTrades, params)
      const { arrived } = Comparing.make(series, format, columns)
      const all = { ...trade(Draw.from(1), 0), amount: "1", price: "2" }
      const sent = (side: unknown) => linesOf([{ ...all, side }])
      for (const [side, held, count] of [
        [null, "null", 0],
        ["null", "null", 1],
        [null, undefined, 1],
        ["", "null", 0],
        ["", 0, 0]
      ] as const) {
        const old = { ...all, side: held }
        yield* Stream.runForEachArray(LazyLines.records(trades, params, sent(side)), (records) =>
          Effect.sync(() => {
            const what = JSON.stringify([side, held])
            assert.strictEqual(arrived(records)?.countSame(0, [old], 0), count, what)
          })
        )
      }
    })
  )

  it("have the same number where it is written with an exponent, and another where any digit differs", () => {
    const { isSame } = Comparing.make(series, { as: "parquet", numbers: "decimal" }, [])
    for (const [held, sent, isAlike] of [
      ["0.000000100000000000", "1e-7", true],
      ["1000000000000000000000.000", "1E21", true],
      ["-120", "-1.20e+2", true],
      ["0", "-0e5", true],
      ["1.00000000000000000001e2", "1.00000000000000000002e2", false],
      ["1.2.3e1", "12.3", false]
    ] as const) {
      assert.strictEqual(isSame({ price: held }, { price: sent }, new Set()), isAlike, `${held} ${sent}`)
    }
  })
})

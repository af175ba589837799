import { assert, describe, it } from "@effect/vitest"
import { Bulk, Timeseries } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as TestMode from "../TestMode.ts"

const series = { assets: "btc", metrics: "PriceUSD" }

interface Range {
  readonly start_time: string
  readonly end_time: string
}

const at = (millis: number) => `${new Date(millis).toISOString().slice(0, 19)}.000000000Z`

const parts = (range: Range, every: NonNullable<Bulk.Split["every"]>) =>
  Effect.map(Bulk.split(Timeseries.assetMetrics, { ...series, ...range }, { every }), (found) =>
    found.map(({ params }) => params)
  )

/** Both ends of a part, with a bracket where an end does not belong to it. */
const shown = (all: Effect.Success<ReturnType<typeof parts>>) =>
  all.map((part) => {
    const [from, to] = [part.start_time, part.end_time].map((time) => time.replace("T00:00:00.000000000Z", ""))
    const isOpen = (flag: string) => Reflect.get(part, flag) === false
    return `${isOpen("start_inclusive") ? "]" : "["}${from} ${to}${isOpen("end_inclusive") ? "[" : "]"}`
  })

const split = (
  start_time: string,
  end_time: string,
  every: Bulk.Period,
  flags: Partial<Record<"start_inclusive" | "end_inclusive", boolean>> = {}
) => Effect.map(parts({ start_time, end_time, ...flags }, every), shown)

describe("parts of the calendar", () => {
  it.effect("begin where months do, in leap years too, the first and the last as long as what is left", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* split("2024-01-31", "2024-04-15", "1 month"), [
        "[2024-01-31 2024-02-01[",
        "[2024-02-01 2024-03-01[",
        "[2024-03-01 2024-04-01[",
        "[2024-04-01 2024-04-16["
      ])
      assert.deepStrictEqual(yield* split("2019-05-01", "2022-01-31", "1 year"), [
        "[2019-05-01 2020-01-01[",
        "[2020-01-01 2021-01-01[",
        "[2021-01-01 2022-01-01[",
        "[2022-01-01 2022-02-01["
      ])
      assert.deepStrictEqual(yield* split("2023-11-20", "2024-05-01", "3 months", { start_inclusive: false }), [
        "]2023-11-20 2024-01-01[",
        "[2024-01-01 2024-04-01[",
        "[2024-04-01 2024-05-02["
      ])
    })
  )

  it.effect("hold one period alone: a range that ends with the first moment of the next has a part of it", () =>
    Effect.gen(function* () {
      const january = ["2024-01-01", "2024-02-01T00:00:00", "1 month"] as const
      assert.deepStrictEqual(yield* split(...january), ["[2024-01-01 2024-02-01[", "[2024-02-01 2024-02-01]"])
      assert.deepStrictEqual(yield* split(...january, { end_inclusive: false }), ["[2024-01-01 2024-02-01["])
      assert.deepStrictEqual(yield* split("2024-01-01", "2024-01-31", "1 month"), ["[2024-01-01 2024-02-01["])
      assert.deepStrictEqual(yield* split("2024-01-01", "2024-02-01", "1 month", { end_inclusive: false }), [
        "[2024-01-01 2024-02-01["
      ])
      assert.deepStrictEqual(yield* split("2024-01-01", "2024-01-01", "1 month"), ["[2024-01-01 2024-01-02["])
      // The service reads years of four digits.
      assert.deepStrictEqual(yield* split("9999-12-01", "9999-12-31", "1 year"), [
        "[9999-12-01 9999-12-31T23:59:59.999999999Z["
      ])
      assert.deepStrictEqual(yield* split("0001-12-01", "0002-01-31", "1 year"), [
        "[0001-12-01 0002-01-01[",
        "[0002-01-01 0002-02-01["
      ])
    })
  )

  const year = Schema.Int.check(Schema.isBetween({ minimum: 1950, maximum: 2040 }))
  const days = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4_000 }))
  const count = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 30 }))

  it.effect.prop(
    "meet without a gap, from the start to the end, at the first moments of months",
    { year, before: days, length: days, count },
    ({ before, count, length, year }) =>
      Effect.gen(function* () {
        const start = Date.UTC(year, 0, 1 + (before % 366), before % 24)
        const [start_time, end_time] = [at(start), at(start + length * 86_400_000)]
        const all = yield* parts({ start_time, end_time }, `${count} months`)
        assert.strictEqual(all[0]?.start_time, start_time)
        assert.strictEqual(all.at(-1)?.end_time, end_time)
        all.slice(1).forEach((part, index) => {
          assert.strictEqual(part.start_time, all[index]?.end_time)
          assert.match(part.start_time, /-01T00:00:00\.0{9}Z$/)
          const month = Number(part.start_time.slice(0, 4)) * 12 + Number(part.start_time.slice(5, 7)) - 1
          assert.strictEqual(month % count, 0)
        })
      }),
    { arbitrary: { runs: 50 } }
  )

  it.effect("are refused where they are none, or too many", () =>
    Effect.gen(function* () {
      const range = { start_time: "0001-01-01", end_time: "9999-12-31" }
      for (const every of ["0 months", "1.5 months", "-1 months", "99999 years"] as const) {
        const error = yield* Effect.flip(parts(range, every))
        assert.include(
          error.message,
          '"every" is no length of time above zero, such as 1 month, 30 days or 12 hours',
          every
        )
      }
      assert.lengthOf(yield* parts(range, "1 year"), 9_999)
      if (TestMode.isLong) assert.lengthOf(yield* parts(range, "1 month"), 9_999 * 12)
    })
  )

  it("have one name, whatever words they are given in", () => {
    assert.strictEqual(Bulk.periodOf(1), "1 month")
    assert.strictEqual(Bulk.periodOf(3), "3 months")
    assert.strictEqual(Bulk.periodOf(24), "2 years")
    for (const [every, months] of [
      ["1 months", 1],
      ["1 year", 12],
      ["2 years", 24]
    ] as const) {
      assert.strictEqual(Bulk.monthsOf(every), months)
      assert.strictEqual(Bulk.monthsOf(Bulk.periodOf(months)), months)
    }
    for (const every of ["1 day", "30 days", 1_000, 5n] as const) assert.isUndefined(Bulk.monthsOf(every))
  })
})

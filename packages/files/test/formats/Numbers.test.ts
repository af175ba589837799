import { assert, describe, it } from "@effect/vitest"
import { Decimal, Timestamp } from "@sluice/core"
import * as BigDecimal from "effect/BigDecimal"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as EpochNanos from "@sluice/core/internal/columns/EpochNanos"
import * as UnscaledDecimal from "@sluice/core/internal/columns/UnscaledDecimal"

const most = 2n ** 63n - 1n

const moment = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: -most, maximum: most }))

const digits = (count: number) => Schema.String.check(Schema.isPattern(new RegExp(`^[0-9]{0,${count}}$`)))

describe("times in nanoseconds", () => {
  const read = EpochNanos.makeReader()

  it.prop("are what core reads, one after the other", { moment }, ({ moment }) => {
    assert.strictEqual(read(Timestamp.fromEpochNanos(moment)), moment)
  })

  it.each([
    "2020-01-01",
    "2020-01-01T10:20:30Z",
    "2020-01-01T10:20:30.123Z",
    "20200101T102030",
    "2020-02-29T23:59:59.999999999Z",
    "2021-02-29T23:59:59.999999999Z",
    "2020-01-01T24:00:00.000000000Z",
    "2020-01-01T00:60:00.000000000Z",
    "2020-01-01T00:00:60.000000000Z",
    "2020-01-01T00:00:0x.000000000Z",
    "2020-01-01T00:00:00.0000000x0Z",
    "2020-01-0xT00:00:00.000000000Z",
    "2020-01-01 00:00:00.000000000Z",
    "N/A",
    ""
  ])("%s is read as core reads it, or refused as there", (text) => {
    assert.strictEqual(read(text), Option.getOrUndefined(Result.getSuccess(Timestamp.toEpochNanos(text))))
  })

  it("that 64 bits cannot hold are refused", () => {
    assert.strictEqual(read(Timestamp.fromEpochNanos(most)), most)
    assert.isUndefined(read(Timestamp.fromEpochNanos(most + 1n)))
    assert.isUndefined(read("0001-01-01T00:00:00.000000000Z"))
  })
})

describe("decimals as whole numbers", () => {
  const shape = { precision: 20, scale: 8 }
  const read = UnscaledDecimal.makeReader(shape)

  /** The same by way of exact arithmetic. */
  const slowly = (text: string) => {
    const value = Result.getOrUndefined(Decimal.toBigDecimal(text))
    if (value === undefined) return undefined
    const scaled = BigDecimal.scale(value, shape.scale)
    const fits = BigDecimal.equals(scaled, value) && String(scaled.value).replace("-", "").length <= shape.precision
    return fits ? scaled.value : undefined
  }

  it.prop(
    "are exact, or refused",
    { sign: Schema.Literals(["", "-", "+"]), whole: digits(14), fraction: digits(10) },
    ({ fraction, sign, whole }) => {
      for (const text of [
        `${sign}${whole}.${fraction}`,
        `${sign}${whole}${fraction}`,
        `${sign}${whole}.${fraction}000000000`
      ]) {
        assert.strictEqual(read(text), slowly(text), text)
      }
    }
  )

  it.each(["", ".", "-", "+.", "1.2.3", "1e3", "1e-8", "1e-9", "12e11", "1e12", "0x10", " 1", "NaN", "-0", "00012.5"])(
    "%j as exact arithmetic has it",
    (text) => assert.strictEqual(read(text), slowly(text))
  )

  it("of any length are refused at once", () => {
    assert.isUndefined(read(`0.${"0".repeat(100_000)}1`))
    assert.isUndefined(read("9".repeat(131_072)))
    assert.strictEqual(read(`${"0".repeat(100_000)}1.${"0".repeat(100_000)}`), 100_000_000n)
  })
})

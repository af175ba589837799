import { assert, describe, it } from "@effect/vitest"
import { Decimal } from "@sluice/core"
import * as BigDecimal from "effect/BigDecimal"
import * as Equal from "effect/Equal"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const digits = (most: number) => Schema.String.check(Schema.isPattern(new RegExp(`^[0-9]{1,${most}}$`)))

const big = Schema.BigInt

const finite = Schema.Finite

const refusal = (result: Result.Result<unknown, Decimal.NotDecimal>) =>
  Result.isFailure(result) ? result.failure : undefined

const succeeds = <A>(result: Result.Result<A, Decimal.NotDecimal>): A => Result.getOrThrow(result)

describe("Decimal", () => {
  it.prop("keeps every digit of a number with a fraction", { whole: digits(40), fraction: digits(40) }, (parts) => {
    const text = `-${parts.whole}.${parts.fraction}`
    const scale = 10n ** BigInt(parts.fraction.length)
    const value = succeeds(Decimal.toBigDecimal(text))
    const exact = BigDecimal.make(-(BigInt(parts.whole) * scale + BigInt(parts.fraction)), parts.fraction.length)
    assert.isTrue(BigDecimal.equals(value, exact))
  })

  it.prop("reads back what a bigint writes", { big }, ({ big }) => {
    assert.strictEqual(succeeds(Decimal.toBigInt(String(big))), big)
    assert.strictEqual(succeeds(Decimal.toBigInt(`${big}.000`)), big)
    assert.isTrue(BigDecimal.equals(succeeds(Decimal.toBigDecimal(String(big))), BigDecimal.fromBigInt(big)))
  })

  it.prop("reads back what a number writes", { finite }, ({ finite }) => {
    assert.strictEqual(succeeds(Decimal.toNumber(String(finite))), Number(String(finite)))
    assert.strictEqual(Decimal.toNumberUnsafe(String(finite)), Number(String(finite)))
  })

  it.prop("orders as the numbers do, however close they are", { a: big, b: big }, ({ a, b }) => {
    const order = a < b ? -1 : a > b ? 1 : 0
    assert.strictEqual(Decimal.Order(String(a), String(b)), order)
    assert.strictEqual(Decimal.Order(`${a}.10`, `${a}.1`), 0)
    const close = "0".repeat(30)
    assert.strictEqual(Decimal.Order(`7.${close}1`, `7.${close}2`), -1)
    assert.strictEqual(Decimal.Order(String(b), String(a)) + order, 0)
  })

  it("holds the largest values of the interface", () => {
    const whole = "9".repeat(131_072)
    const text = `${whole}.${"9".repeat(16_383)}`
    assert.isTrue(Decimal.isDecimal(text))
    assert.strictEqual(String(succeeds(Decimal.toBigInt(whole))), whole)
    const value = succeeds(Decimal.toBigDecimal(text))
    assert.strictEqual(value.scale, 16_383)
    assert.strictEqual(String(value.value).length, 131_072 + 16_383)
  })

  it.each([
    ["0", 0],
    ["-0", -0],
    ["+5", 5],
    ["007.50", 7.5],
    ["5.", 5],
    [".5", 0.5],
    ["1e3", 1000],
    ["1.5E-3", 0.0015],
    ["0.1000000000000000055511151231257827", 0.1],
    ["-9223372036854775808", -9223372036854775808]
  ] as const)("%s is a number", (text, number) => {
    assert.isTrue(Decimal.isDecimal(text))
    assert.strictEqual(succeeds(Decimal.toNumber(text)), number)
    assert.isTrue(
      Equal.equals(
        BigDecimal.normalize(succeeds(Decimal.toBigDecimal(text))),
        BigDecimal.normalize(BigDecimal.fromStringUnsafe(text.replace(/^\+/, "")))
      )
    )
  })

  it.each([
    "",
    " ",
    "N/A",
    "null",
    "NaN",
    "Infinity",
    "-",
    ".",
    "+",
    "1,000",
    "1 000",
    " 1",
    "1 ",
    "0x10",
    "1e",
    "e5",
    "1.2.3",
    "--1",
    "1_000",
    "١",
    "1n",
    "\n1"
  ])("refuses %j", (text) => {
    assert.isFalse(Decimal.isDecimal(text))
    for (const error of [
      refusal(Decimal.toNumber(text)),
      refusal(Decimal.toBigDecimal(text)),
      refusal(Decimal.toBigInt(text))
    ]) {
      assert.deepInclude(error, { _tag: "NotDecimal", text } as const)
    }
    assert.throws(() => Decimal.toNumberUnsafe(text))
  })

  it.each(["0.5", "-1.000001", "1.0000000000000000000000000001"])("%s is no integer", (text) => {
    assert.isTrue(Decimal.isDecimal(text))
    const result = Decimal.toBigInt(text)
    assert.isTrue(Result.isFailure(result) && result.failure.wanted === "integer")
  })

  it("puts text that is no decimal first", () => {
    assert.deepStrictEqual(["10", "N/A", "9.5", "", "-1"].toSorted(Decimal.Order), ["", "N/A", "-1", "9.5", "10"])
  })
})

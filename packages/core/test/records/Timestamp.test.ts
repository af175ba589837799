import { assert, describe, it } from "@effect/vitest"
import { Timestamp } from "@sluice/core"
import * as DateTime from "effect/DateTime"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const second = 1_000_000_000n

/** Nanoseconds from the year 1 to the year 9999. */
const nanos = Schema.BigInt.check(
  Schema.isBetweenBigInt({ minimum: -62_135_596_800n * second, maximum: 253_402_300_799n * second })
)

const refusal = (result: Result.Result<unknown, Timestamp.NotTimestamp>) =>
  Result.isFailure(result) ? result.failure : undefined

const nanosOf = (text: string) => Result.getOrThrow(Timestamp.toEpochNanos(text))

describe("Timestamp", () => {
  it.prop("writes nanoseconds and reads them back", { nanos }, ({ nanos }) => {
    const text = Timestamp.fromEpochNanos(nanos)
    assert.match(text, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/)
    assert.strictEqual(nanosOf(text), nanos)
  })

  it.prop("orders as the moments do, and so does the text", { a: nanos, b: nanos }, ({ a, b }) => {
    const order = a < b ? -1 : a > b ? 1 : 0
    const [left, right] = [Timestamp.fromEpochNanos(a), Timestamp.fromEpochNanos(b)]
    assert.strictEqual(Timestamp.Order(left, right), order)
    assert.strictEqual(left < right ? -1 : left > right ? 1 : 0, order)
  })

  it.prop("goes to a DateTime and back, cutting off what a DateTime cannot hold", { nanos }, ({ nanos }) => {
    const moment = Result.getOrThrow(Timestamp.toDateTime(Timestamp.fromEpochNanos(nanos)))
    const millis = BigInt(DateTime.toEpochMillis(moment))
    assert.isTrue(millis * 1_000_000n <= nanos && nanos < (millis + 1n) * 1_000_000n)
    assert.strictEqual(nanosOf(Timestamp.fromDateTime(moment)), millis * 1_000_000n)
  })

  it.each([
    ["1970-01-01", 0n],
    ["19700102", 86_400n * second],
    ["1970-01-01T00:00:01", second],
    ["1970-01-01T00:00:01Z", second],
    ["1970-01-01T000001Z", second],
    ["19700101T000001", second],
    ["19700101T000001.000000001Z", second + 1n],
    ["19700101T00:00:01Z", second],
    ["1970-01-01T00:00:00.001Z", 1_000_000n],
    ["1970-01-01T00:00:00.000001Z", 1_000n],
    ["1970-01-01T00:00:00.000000001Z", 1n],
    ["1970-01-01T00:00:00.123456789", 123_456_789n],
    ["1969-12-31T23:59:59.999999999Z", -1n],
    ["2000-02-29", 951_782_400n * second],
    ["2026-07-31T23:59:59.999999999Z", 1_785_542_400n * second - 1n]
  ] as const)("reads %s", (text, expected) => {
    assert.isTrue(Timestamp.isTimestamp(text))
    assert.strictEqual(nanosOf(text), expected)
  })

  it.each([
    "",
    "N/A",
    "yesterday",
    "2026",
    "2026-01",
    "2026-1-1",
    "2026-0101",
    "202601-01",
    "2026-02-30",
    "2025-02-29",
    "2026-13-01",
    "2026-00-10",
    "2026-01-00",
    "2026-01-01T24:00:00Z",
    "2026-01-01T23:60:00Z",
    "2026-01-01T23:59:60Z",
    "2026-01-01T00:00Z",
    "2026-01-01T00:0000Z",
    "2026-01-01 00:00:00",
    "2026-01-01T00:00:00.1Z",
    "2026-01-01T00:00:00.12345Z",
    "2026-01-01T00:00:00.Z",
    "2026-01-01T00:00:00.0000000000Z",
    "2026-01-01T00:00:00+01:00",
    "2026-01-01Z",
    " 2026-01-01",
    "2026-01-01\n",
    "1785542400"
  ])("refuses %j", (text) => {
    assert.isFalse(Timestamp.isTimestamp(text))
    for (const error of [refusal(Timestamp.toEpochNanos(text)), refusal(Timestamp.toDateTime(text))]) {
      assert.deepInclude(error, { _tag: "NotTimestamp", text } as const)
    }
  })

  it.each([
    ["2026-10-01T10:00", "2026-10-01T10:00:00"],
    ["2026-10-01T10:00Z", "2026-10-01T10:00:00Z"],
    ["2026-10-01T25:00", undefined],
    ["2026-10-01T10", undefined]
  ])("tells to add the seconds to %j where they are all that lacks", (text, whole) => {
    const message = refusal(Timestamp.toEpochNanos(text))?.message ?? ""
    if (whole === undefined) assert.notInclude(message, "seconds")
    else assert.isTrue(message.endsWith(`; add the seconds: ${whole}`), message)
  })

  it("puts text that is no moment first, and compares moments written in different forms", () => {
    const sorted = ["2026-01-01T00:00:00.001Z", "20260101", "N/A", "2025-12-31"].toSorted(Timestamp.Order)
    assert.deepStrictEqual(sorted, ["N/A", "2025-12-31", "20260101", "2026-01-01T00:00:00.001Z"])
    assert.strictEqual(Timestamp.Order("20260101", "2026-01-01T00:00:00.000000000Z"), 0)
  })
})

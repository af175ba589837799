/**
 * A number as the service writes it: exact decimal text, and its converters.
 *
 * Metric values have up to 131,072 digits before and 16,383 after the point (docs/interface.md 14.1), more than a
 * JavaScript number can hold. Sluice keeps the text and converts when you ask.
 */
import * as BigDecimal from "effect/BigDecimal"
import type * as Brand from "effect/Brand"
import * as Ordering from "effect/Order"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Field from "./Field.ts"

/**
 * Exact decimal text, for example `"10449.354354068401236"`.
 *
 * **Gotchas**
 *
 * Reading checks JSON types, not digits. A value that the service writes as `"N/A"` arrives as that text, and the
 * converters below fail on it with {@link NotDecimal}.
 */
export type Decimal = string & Brand.Brand<"Decimal">

/** The schema of {@link Decimal}. Its values are of that type by name, so that an editor shows `Decimal` for a field. */
export interface DecimalSchema extends Schema.brand<Schema.String, "Decimal"> {
  /** What it reads. */
  readonly Type: Decimal
  /** What optics see. */
  readonly Iso: Decimal
  readonly "~type.make": Decimal
}

/** Schema of {@link Decimal}: any JSON string. */
export const Decimal: DecimalSchema = Schema.String.annotate(Field.holding("decimal")).pipe(Schema.brand("Decimal"))

/** The text is not a decimal number, or the requested type cannot hold it. */
export class NotDecimal
  extends /* @__PURE__ */ Schema.TaggedError<NotDecimal>()("NotDecimal", {
    text: Schema.String,
    wanted: /* @__PURE__ */ Schema.Literals(["decimal", "integer"])
  })
{
  override get message() {
    return `"${this.text}" is not ${this.wanted === "integer" ? "an integer" : "a decimal number"}`
  }
}

const form = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,4})?$/
const integerForm = /^[+-]?\d+(?:\.0*)?$/

/** Marks text you trust as a decimal. */
export const make = (text: string): Decimal => Decimal.make(text)

/** Tells whether text reads as a decimal number. */
export const isDecimal = (text: string): text is Decimal => form.test(text)

/** Converts without loss to Effect's arbitrary-precision decimal. */
export const toBigDecimal = (self: string): Result.Result<BigDecimal.BigDecimal, NotDecimal> =>
  isDecimal(self)
    ? Result.fromOption(BigDecimal.fromString(self), () => new NotDecimal({ text: self, wanted: "decimal" }))
    : Result.fail(new NotDecimal({ text: self, wanted: "decimal" }))

/** Converts without loss to a bigint; a fraction other than zero fails. */
export const toBigInt = (self: string): Result.Result<bigint, NotDecimal> =>
  integerForm.test(self)
    ? Result.succeed(BigInt(self.replace(/^\+/, "").replace(/\.0*$/, "")))
    : Result.fail(new NotDecimal({ text: self, wanted: "integer" }))

/**
 * Converts to the nearest JavaScript number.
 *
 * **Gotchas**
 *
 * Keeps 15 to 17 significant digits: fit for charts and statistics, not for money.
 */
export const toNumber = (self: string): Result.Result<number, NotDecimal> =>
  isDecimal(self) ? Result.succeed(Number(self)) : Result.fail(new NotDecimal({ text: self, wanted: "decimal" }))

/** Like {@link toNumber}, but throws {@link NotDecimal}. */
export const toNumberUnsafe = (self: string): number => Result.getOrThrow(toNumber(self))

/** Orders by exact numeric value. Text that is no decimal comes first, ordered by its characters. */
export const Order: Ordering.Order<string> = /* @__PURE__ */ Ordering.make((a, b) => {
  const left = toBigDecimal(a)
  const right = toBigDecimal(b)
  if (Result.isSuccess(left)) return Result.isSuccess(right) ? BigDecimal.Order(left.success, right.success) : 1
  return Result.isSuccess(right) ? -1 : Ordering.String(a, b)
})

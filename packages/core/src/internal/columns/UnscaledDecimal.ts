/** Decimal text as the integer that a `DECIMAL` column stores: 1.25 with a scale of 3 is 1250. */
import * as Decimal from "../../Decimal.ts"
import * as BigDecimal from "effect/BigDecimal"
import * as Result from "effect/Result"
import type { Shape } from "./ColumnType.ts"

/** Whether the numbers need 128 bits: 18 digits fit 64. */
export const isWide = ({ precision }: Shape): boolean => precision > 18

/** What a reader of this shape takes, in the words of an error. */
export const expected = ({ precision, scale }: Shape): string =>
  `a decimal of ${precision} digits, ${scale} of them after the point; with numbers as "text" any value is kept`

/** Builds a converter without loss; it gives nothing where the text is no number or does not fit the shape. */
export const makeReader = ({ precision, scale }: Shape) => {
  const limit = 10n ** BigInt(precision)

  const exponential = (text: string) => {
    const value = Result.getOrUndefined(Decimal.toBigDecimal(text))
    if (value === undefined) return undefined
    const scaled = BigDecimal.scale(value, scale)
    const isExact = BigDecimal.Equivalence(scaled, value)
    return isExact && scaled.value < limit && scaled.value > -limit ? scaled.value : undefined
  }

  return (text: string): bigint | undefined => {
    const parts = plain.exec(text)
    if (parts === null) return exponential(text)
    const [, sign = "", whole = "", decimals = ""] = parts
    const fraction = withoutZeros(decimals, scale)
    if (whole + decimals === "" || fraction.length > scale) return undefined
    const digits = (whole + fraction.padEnd(scale, "0")).replace(leadingZeros, "")
    // Checked before converting: the service writes up to 131,072 digits, and their conversion is slow.
    return digits.length > precision ? undefined : BigInt(`${sign === "-" ? "-" : ""}${digits || "0"}`)
  }
}

/** The decimal text that a whole number stands for, with as many digits after the point as the scale says. */
export const textOf = (unscaled: bigint, scale: number): string => {
  const isNegative = unscaled < 0n
  const digits = String(isNegative ? -unscaled : unscaled).padStart(scale + 1, "0")
  const text = scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`
  return isNegative ? `-${text}` : text
}

const plain = /^([+-]?)(\d*)\.?(\d*)$/
const leadingZeros = /^0+/

/** Removes zeros from the end of a fraction that has more digits than wanted. */
const withoutZeros = (fraction: string, wanted: number) => {
  let end = fraction.length
  while (end > wanted && fraction[end - 1] === "0") end--
  return fraction.slice(0, end)
}

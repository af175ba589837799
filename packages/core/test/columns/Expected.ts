/**
 * What a column has to hold for a value, converted here and not by the library.
 */
import type { Columns } from "@sluice/core"
import type { Type } from "@sluice/interface/Field"

/** What is said of the numbers and times of a table. */
export interface How {
  readonly numbers: Columns.Numbers
  readonly isSeries: boolean
}

/** A value that no column of its type holds. */
export const misfit = Symbol("misfit")

export type Value = string | number | bigint | boolean | null | typeof misfit

const number = /^([+-]?)(?=\.?\d)(\d*)\.?(\d*)(?:[eE]([+-]?\d{1,4}))?$/

const doubleOf = (value: unknown): Value => {
  const double = typeof value === "string" && !number.test(value) ? Number.NaN : Number(value)
  return Number.isFinite(double) ? double : misfit
}

/** With 18 digits after the point, and 38 in all. */
const decimalOf = (text: string): Value => {
  const [all, sign, whole = "", fraction = "", exponent = "0"] = number.exec(text) ?? []
  if (all === undefined) return misfit
  const digits = BigInt(`${whole}${fraction}`) * (sign === "-" ? -1n : 1n)
  const power = 18 + Number(exponent) - fraction.length
  if (power > 400) return digits === 0n ? 0n : misfit
  const unit = 10n ** BigInt(Math.abs(power))
  const unscaled = power < 0 ? digits / unit : digits * unit
  const isExact = power >= 0 || unscaled * unit === digits
  return isExact && unscaled < 10n ** 38n && unscaled > -(10n ** 38n) ? unscaled : misfit
}

const integerOf = (text: string): Value => {
  const [all, sign, whole = ""] = /^([+-]?)(\d+)(?:\.0*)?$/.exec(text) ?? []
  if (all === undefined) return misfit
  const integer = BigInt(whole) * (sign === "-" ? -1n : 1n)
  return integer >= -(2n ** 63n) && integer < 2n ** 63n ? integer : misfit
}

const nanosOf = (text: string): Value => {
  const [all, seconds, fraction = ""] = /^(\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d)?)(?:\.(\d{1,9}))?(?:Z|$)/.exec(text) ?? []
  const millis = seconds === undefined ? Number.NaN : Date.parse(seconds.length === 10 ? seconds : `${seconds}Z`)
  if (all === undefined || Number.isNaN(millis)) return misfit
  const nanos = BigInt(millis) * 1_000_000n + BigInt(fraction.padEnd(9, "0"))
  return nanos >= -(2n ** 63n) && nanos < 2n ** 63n ? nanos : misfit
}

const textOf = (value: unknown): Value => {
  const text = typeof value === "string" ? value : JSON.stringify(value)
  return text.isWellFormed() ? text : misfit
}

/** What the column of a field has to hold. */
export const valueOf = (type: Type, value: unknown, { isSeries, numbers }: How): Value => {
  if (value === null || value === undefined) return null
  switch (type._tag) {
    case "decimal":
      return numbers === "double" ? doubleOf(value) : numbers === "text" ? textOf(value) : decimalOf(String(value))
    case "int64":
      return numbers === "text" ? textOf(value) : integerOf(String(value))
    case "time":
      return isSeries ? nanosOf(String(value)) : textOf(value)
    case "bool":
      return Boolean(value)
    case "list":
    case "object":
    case "either":
      return JSON.stringify(value)
    default:
      return textOf(value)
  }
}

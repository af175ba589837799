/** The types that columns have where each value has one: in typed arrays, in files and in tables of databases. */
import * as Result from "effect/Result"
import type { Column } from "./Column.ts"
import { BadFormat } from "./FormatError.ts"

const allNumbers = ["double", "decimal", "text"] as const

/** What the numbers of a table are. */
export type Numbers = (typeof allNumbers)[number]

/** What the times of a table count. */
export type Times = "nanos" | "micros"

/** The digits of decimals: all, and those after the point. */
export interface Shape {
  /** Digits in all. */
  readonly precision: number
  /** Digits after the point. */
  readonly scale: number
}

/** What a column holds. */
export type ColumnType =
  | { readonly _tag: "Text" }
  | { readonly _tag: "Json" }
  | { readonly _tag: "Boolean" }
  | { readonly _tag: "Int64" }
  | { readonly _tag: "Double" }
  /** `isUsual`: nothing was said of its digits. */
  | { readonly _tag: "Decimal"; readonly shape: Shape; readonly isUsual: boolean }
  /** Nanoseconds since 1970; whole microseconds where it says so. */
  | { readonly _tag: "Time"; readonly unit?: "micros" }

/** Which type columns of numbers and of times have. */
export interface Options {
  /** Default `decimal` where `decimal` is given, otherwise `double`. */
  readonly numbers?: Numbers | undefined
  readonly decimal?: Shape | undefined
  /** Default `nanos`. */
  readonly times?: Times | undefined
}

/** The most digits that readers keep exactly: 38 fill 128 bits. */
const mostDigits = 38

/**
 * The digits of decimals of which nothing is said: as many after the point as the smallest unit of most chains has, and 20
 * before it.
 */
const usualShape: Shape = { precision: mostDigits, scale: 18 }

/** What numbers are with these options. */
export const numbersOf = ({ decimal, numbers }: Options): Numbers =>
  numbers ?? (decimal === undefined ? "double" : "decimal")

/** The options with every default. */
export const withDefaults = (options: Options): Options => {
  const numbers = numbersOf(options)
  const { precision, scale } = { ...usualShape, ...options.decimal }
  const isShaped = numbers === "decimal" || options.decimal !== undefined
  return { numbers, decimal: isShaped ? { precision, scale } : undefined }
}

/** Fails where the options exclude each other, or no column can have such digits. */
export const check = ({ decimal, numbers }: Options): Result.Result<void, BadFormat> => {
  if (numbers !== undefined && !allNumbers.includes(numbers)) {
    return Result.fail(
      new BadFormat({ option: "numbers", reason: `they are ${allNumbers.join(", ")}, got ${String(numbers)}` })
    )
  }
  if (decimal === undefined) return Result.void
  if (numbers !== undefined && numbers !== "decimal")
    return bad(`it is for numbers as decimal, and they are ${numbers}`)
  const { precision, scale } = decimal
  if (!Number.isInteger(precision) || !Number.isInteger(scale)) return bad("its digits are whole numbers")
  if (precision < 1 || precision > mostDigits) return bad(`a precision is from 1 to ${mostDigits}, got ${precision}`)
  return scale < 0 || scale > precision
    ? bad(`a scale is from 0 to the precision of ${precision}, got ${scale}`)
    : Result.void
}

const bad = (reason: string) => Result.fail(new BadFormat({ option: "decimal", reason }))

const text: ColumnType = { _tag: "Text" }

export const of = ({ kind }: Pick<Column, "kind">, options: Options): ColumnType => {
  switch (kind) {
    case "text":
      return text
    case "json":
      return { _tag: "Json" }
    case "boolean":
      return { _tag: "Boolean" }
    case "timestamp":
      return options.times === "micros" ? { _tag: "Time", unit: "micros" } : { _tag: "Time" }
    case "number":
      // A JSON number, which a double held when it was read.
      return { _tag: "Double" }
    case "integer":
      return numbersOf(options) === "text" ? text : { _tag: "Int64" }
    case "decimal":
      return decimalOf(options)
  }
}

const decimalOf = (options: Options): ColumnType => {
  switch (numbersOf(options)) {
    case "text":
      return text
    case "double":
      return { _tag: "Double" }
    case "decimal":
      return { _tag: "Decimal", shape: options.decimal ?? usualShape, isUsual: options.decimal === undefined }
  }
}

/** The columns that programs get, in the memory layout of Apache Arrow. */
import type { Shape } from "./ColumnType.ts"
import * as UnscaledDecimal from "./UnscaledDecimal.ts"
import * as Timestamp from "../../Timestamp.ts"

/** What all columns have. */
export interface Common<Type extends string, Value> {
  /** What its values are. */
  readonly type: Type
  /** The key of the record. */
  readonly name: string
  /** The number of values, nulls included. */
  readonly length: number
  /** Whether the field may be null or absent, whatever the values here are. */
  readonly nullable: boolean
  /** How many values are null or absent: a column does not tell the two apart. */
  readonly nulls: number
  /** A bit for each value, the lowest first, 1 where it is not null. Absent where no value is null. */
  readonly validity: Uint8Array | undefined
  /** Whether the value at an index is null or absent. */
  readonly isNull: (index: number) => boolean
  /** The value at an index, or null. */
  readonly at: (index: number) => Value | null
}

/** Numbers, each the double that is nearest to the text of the service. Null is NaN. */
export interface Doubles extends Common<"double", number> {
  /** The numbers. */
  readonly values: Float64Array
}

/** Nanoseconds since 1970-01-01T00:00:00Z, from 1677-09-21 to 2262-04-11. Null is 0. */
export interface Times extends Common<"time", bigint> {
  /** The times. */
  readonly values: BigInt64Array
}

/** Whole numbers, such as heights of blocks. Null is 0. */
export interface Integers extends Common<"integer", bigint> {
  /** The numbers. */
  readonly values: BigInt64Array
}

/** Exact decimals: whole numbers of 128 bits, the lower half of each first, divided by ten to the power of `scale`. */
export interface Decimals extends Common<"decimal", bigint>, Shape {
  /** Two halves for each value. */
  readonly values: BigInt64Array
}

/** `true` and `false`: a bit for each value, the lowest first. */
export interface Booleans extends Common<"boolean", boolean> {
  /** The bits. */
  readonly values: Uint8Array
}

/**
 * Texts that repeat: names of entities, and words that the service documents. Each is a code, the index of its word. A word keeps
 * its code in all batches of a stream; later batches may have more words.
 */
export interface Words extends Common<"word", string> {
  /** A code for each value. */
  readonly codes: Int32Array
  /** The words, by their codes. */
  readonly words: ReadonlyArray<string>
}

/** Texts in UTF-8, one behind the other; that of an index is between two offsets. `json`: lists and objects as JSON text. */
export interface Texts extends Common<"text" | "json", string> {
  /** All texts, one behind the other. */
  readonly bytes: Uint8Array
  /** One more than there are values. */
  readonly offsets: Int32Array
}

/** A column of any type. */
export type AnyColumn = Doubles | Times | Integers | Decimals | Booleans | Words | Texts

/** Columns of some records that follow each other: all have the same length. */
export interface Batch<out C> {
  /** The number of records. */
  readonly length: number
  /** The columns by the keys of the records, in the order of the columns of files. */
  readonly columns: C
  /** The records as objects, made one at a time, of what `at` gives of each column. */
  readonly rows: () => IterableIterator<Row<C>>
}

/** What is known of a column without its type. */
export type Untyped = Pick<AnyColumn, "name" | "length" | "nullable" | "nulls" | "validity" | "isNull">

export const doubles = (common: Untyped, values: Float64Array): Doubles => ({
  ...common,
  type: "double",
  values,
  at: (index) => (common.isNull(index) ? null : values[index]!)
})

export const sixtyFour = (common: Untyped, type: "time" | "integer", values: BigInt64Array): Times | Integers => ({
  ...common,
  type,
  values,
  at: (index) => (common.isNull(index) ? null : values[index]!)
})

export const decimals = (common: Untyped, shape: Shape, values: BigInt64Array): Decimals => ({
  ...common,
  type: "decimal",
  ...shape,
  values,
  at: (index) =>
    common.isNull(index) ? null : (values[2 * index + 1]! << 64n) | BigInt.asUintN(64, values[2 * index]!)
})

export const booleans = (common: Untyped, values: Uint8Array): Booleans => ({
  ...common,
  type: "boolean",
  values,
  at: (index) => (common.isNull(index) ? null : (values[index >>> 3]! & (1 << (index & 7))) !== 0)
})

export const words = (common: Untyped, codes: Int32Array, words: ReadonlyArray<string>): Words => ({
  ...common,
  type: "word",
  codes,
  words,
  at: (index) => (common.isNull(index) ? null : words[codes[index]!]!)
})

const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

export const texts = (common: Untyped, type: "text" | "json", bytes: Uint8Array, offsets: Int32Array): Texts => ({
  ...common,
  type,
  bytes,
  offsets,
  at: (index) => (common.isNull(index) ? null : decoder.decode(bytes.subarray(offsets[index], offsets[index + 1])))
})

/** Columns of rows that were read together from elsewhere, such as a page of a file. */
export interface ColumnRows {
  readonly length: number
  /** The column of a key; nothing where there is none. */
  readonly column: (name: string) => AnyColumn | undefined
}

/** The value of a column as a record of the service has it. */
export const recordValue = (column: AnyColumn, index: number): unknown => {
  if (column.isNull(index)) return null
  switch (column.type) {
    case "decimal":
      return UnscaledDecimal.textOf(column.at(index) ?? 0n, column.scale)
    case "integer":
      return String(column.values[index])
    case "time":
      return Timestamp.fromEpochNanos(column.values[index]!)
    default:
      return column.at(index)
  }
}

/** A record that was made of columns. */
export type Row<C> = { [Key in keyof C]: C[Key] extends Common<string, infer Value> ? Value | null : unknown }

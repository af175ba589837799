/**
 * The values of one column until a page is made of them, kept as the bytes they are written as.
 *
 * As objects they would live long enough to be moved to V8's old generation: ten files at once then took 350 to 410 MB,
 * which is 200 MB more.
 */
import * as Predicate from "effect/Predicate"
import type { ColumnType, Shape } from "@sluice/core/internal/columns/ColumnType"
import * as JsonText from "@sluice/core/internal/columns/JsonText"
import type { BlockPool } from "./BlockPool.ts"
import type { PooledBytes } from "./PooledBytes.ts"
import type * as ColumnBatch from "@sluice/core/internal/columns/ColumnBatch"
import * as EpochNanos from "@sluice/core/internal/columns/EpochNanos"
import * as NumberText from "@sluice/core/internal/columns/NumberText"
import { PlainValues } from "./PlainValues.ts"
import * as UnscaledDecimal from "@sluice/core/internal/columns/UnscaledDecimal"

/** The values of one column. */
export interface ColumnValues {
  /**
   * Adds a value. Gives the bytes it takes, an eighth of one for null, or nothing where the column cannot hold the value
   * without loss.
   */
  readonly add: (value: unknown) => number | undefined
  /** Adds a value of a batch, from one offset to another, as {@link add} does. */
  readonly addToken: (bytes: Uint8Array, from: number, to: number) => number | undefined
  /** Adds as many nulls to a column that is nullable. */
  readonly addNulls: (count: number) => void
  /** How values of a batch are written many at a time; nothing where only {@link addToken} writes them. */
  readonly batchKind: ColumnBatch.Kind | undefined
  /** Adds values that were written so. `isPresent` tells which are not null. */
  readonly addWritten: (written: ColumnBatch.Written, isPresent: (index: number) => boolean) => void
  /** What the column can hold, in the words of an error. */
  readonly expected: string
  /** Values added since the last `clear`, nulls included. */
  readonly count: () => number
  readonly nulls: () => number
  /** A bit for each value, 1 where it is not null, the lowest bit first; empty where all or none are null. */
  readonly presence: StoredBytes
  /** The values other than null, in Parquet's plain encoding. */
  readonly values: StoredBytes
  /**
   * How a page has them: times and whole numbers as differences, since they mostly grow evenly; texts as all lengths, then all
   * bytes; others as they are.
   */
  readonly encoding: "PLAIN" | "DELTA_BINARY_PACKED" | "DELTA_LENGTH_BYTE_ARRAY"
  /** Forgets all values and releases their memory. */
  readonly clear: () => void
}

/** Bytes that are not in one piece. */
export type StoredBytes = Pick<PooledBytes, "length" | "copyTo">

/** Writes a value; false where the column cannot hold it. */
type Write = (value: unknown, bytes: PlainValues, index: number) => boolean

/** Writes a text of ASCII, from one offset to another; false where {@link Write} has to try. */
type WriteText = (bytes: PlainValues, source: Uint8Array, from: number, to: number) => boolean

/** Begins a column whose values are in blocks of this pool. */
export const make = (type: ColumnType, nullable: boolean, pool: BlockPool): ColumnValues => {
  const { batchKind, encoding = "PLAIN", expected, write, writeText } = writerOf(type)
  const presence = new PlainValues(pool)
  const values = new PlainValues(pool)
  let count = 0
  let present = 0
  /** Most columns are all null or never null, so bits are written from the first value that differs. */
  const mark = (isPresent: boolean) => {
    const isFirst = presence.length === 0 && present !== (isPresent ? count : 0)
    if (isFirst) for (let index = 0; index < count; index++) presence.bit(index, !isPresent)
    if (isFirst || presence.length > 0) presence.bit(count, isPresent)
    count++
    if (isPresent) present++
  }
  const add = (value: unknown) => {
    const isPresent = !Predicate.isNullish(value)
    const before = values.length
    if (isPresent ? !write(value, values, present) : !nullable) return undefined
    mark(isPresent)
    return values.length - before + 1 / 8
  }
  const addNulls = (nulls: number) => {
    if (presence.length === 0 && present === 0) count += nulls
    else for (let index = 0; index < nulls; index++) mark(false)
  }
  const addPresent = (values: number) => {
    if (presence.length > 0 || present !== count) for (let index = 0; index < values; index++) mark(true)
    else present = count += values
  }
  return {
    expected,
    add,
    addNulls,
    batchKind,
    addWritten: ({ bytes, nulls, records }, isPresent) => {
      values.append(bytes)
      if (nulls === 0) addPresent(records)
      else if (nulls === records) addNulls(records)
      else for (let index = 0; index < records; index++) mark(isPresent(index))
    },
    addToken: (bytes, from, to) => {
      const before = values.length
      const isText = bytes[from] === quote && writeText?.(values, bytes, from + 1, to - 1) === true
      if (!isText) return add(valueOfToken(bytes, from, to))
      mark(true)
      return values.length - before + 1 / 8
    },
    count: () => count,
    nulls: () => count - present,
    presence,
    values,
    encoding,
    clear: () => {
      presence.clear()
      values.clear()
      count = 0
      present = 0
    }
  }
}

const quote = 34

/** The value of a batch as a record has it: a text of ASCII without escapes, a number, a boolean or null. */
const valueOfToken = (bytes: Uint8Array, from: number, to: number): unknown =>
  JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString("latin1"))

/** How values of a type are written. */
interface Writer {
  readonly expected: string
  readonly write: Write
  readonly writeText?: WriteText
  readonly batchKind?: ColumnBatch.Kind
  /** `PLAIN` where absent. */
  readonly encoding?: ColumnValues["encoding"]
}

const writerOf = (type: ColumnType): Writer => {
  switch (type._tag) {
    case "Text":
      return text
    case "Json":
      return json
    case "Double":
      return doubles
    case "Int64":
      return integers
    case "Decimal":
      return decimals(type.shape)
    case "Time":
      return timestamps()
    case "Boolean":
      return { expected: "true or false", write: writeBoolean }
  }
}

const writeText = (value: string, bytes: PlainValues) => {
  // A lone surrogate has no bytes in UTF-8.
  if (!value.isWellFormed()) return false
  bytes.text(value)
  return true
}

const copyText: WriteText = (bytes, source, from, to) => {
  bytes.asciiBytes(source, from, to)
  return true
}

const text: Writer = {
  expected: "text in Unicode",
  batchKind: "text",
  encoding: "DELTA_LENGTH_BYTE_ARRAY",
  writeText: copyText,
  write: (value, bytes) => writeText(Predicate.isString(value) ? value : JsonText.write(value), bytes)
}

const json: Writer = {
  expected: "JSON",
  batchKind: "json",
  encoding: "DELTA_LENGTH_BYTE_ARRAY",
  write: (value, bytes) => writeText(JsonText.write(value), bytes)
}

const writeBoolean: Write = (value, bytes, index) => {
  if (!Predicate.isBoolean(value)) return false
  bytes.bit(index, value)
  return true
}

const doubles: Writer = {
  expected: NumberText.expectedDouble,
  batchKind: "double",
  write: (value, bytes) => {
    const double = NumberText.toDouble(value)
    if (double === undefined) return false
    bytes.double(double)
    return true
  }
}

const integers: Writer = {
  expected: NumberText.expectedInteger,
  batchKind: "integer",
  encoding: "DELTA_BINARY_PACKED",
  write: (value, bytes) => {
    const integer = NumberText.toInt64(value)
    if (integer === undefined) return false
    bytes.int64(integer)
    return true
  }
}

const timestamps = (): Writer => {
  const read = EpochNanos.makeReader()
  const write: Write = (value, bytes) => {
    const nanos = Predicate.isString(value) ? read(value) : undefined
    if (nanos === undefined) return false
    bytes.int64(nanos)
    return true
  }
  const reader = EpochNanos.makeBytesReader()
  const writeText: WriteText = (bytes, source, from, to) => {
    if (!reader.read(source, from, to)) return false
    bytes.int64Halves(reader.low, reader.high)
    return true
  }
  return {
    expected: EpochNanos.expected,
    write,
    writeText,
    batchKind: "time",
    encoding: "DELTA_BINARY_PACKED"
  }
}

const decimals = (shape: Shape): Writer => {
  const read = UnscaledDecimal.makeReader(shape)
  const isWide = UnscaledDecimal.isWide(shape)
  const write: Write = (value, bytes) => {
    const unscaled = Predicate.isString(value) ? read(value) : undefined
    if (unscaled === undefined) return false
    if (isWide) bytes.int128(unscaled)
    else bytes.int64(unscaled)
    return true
  }
  return { expected: UnscaledDecimal.expected(shape), write }
}

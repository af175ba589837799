/**
 * The values of a column of each type, in the layout that Arrow has for it.
 */
import * as Predicate from "effect/Predicate"
import * as ColumnBatch from "./ColumnBatch.ts"
import type { ColumnType, Shape } from "./ColumnType.ts"
import type { Dictionary } from "./Dictionary.ts"
import * as EpochNanos from "./EpochNanos.ts"
import * as JsonText from "./JsonText.ts"
import * as Memory from "./Memory.ts"
import * as NumberText from "./NumberText.ts"
import type { AnyColumn } from "./TypedColumn.ts"
import * as UnscaledDecimal from "./UnscaledDecimal.ts"

/** What the types of columns differ in. */
export interface Store {
  readonly expected: string
  /** Writes a value other than null at an index behind the others; false where the column cannot hold it. */
  readonly write: (value: unknown, index: number) => boolean
  /** Writes nulls from one index to another, behind the others. */
  readonly writeNulls: (from: number, to: number) => void
  /** Writes the values of some records of a batch from an index on, nulls too. Absent where only `write` writes them. */
  readonly writeRun?: (
    batch: ColumnBatch.ColumnBatch,
    column: ColumnBatch.RunColumn,
    from: number,
    to: number,
    index: number
  ) => ColumnBatch.Written
  readonly textSize?: (count: number) => number
  readonly take: (common: Common, isView: boolean) => AnyColumn
  /** Forgets the first so many of all values. */
  readonly drop: (count: number, length: number) => void
}

/** What is known of a column without its type. */
export type Common = Pick<AnyColumn, "name" | "length" | "nullable" | "nulls" | "validity" | "isNull">

/** Begins a column of a type, of which so many values are expected at once. Texts with a dictionary are codes. */
export const make = (type: ColumnType, dictionary: Dictionary | undefined, expected: number): Store => {
  switch (type._tag) {
    case "Text":
      return dictionary === undefined ? texts("text", expected) : words(dictionary, expected)
    case "Json":
      return texts("json", expected)
    case "Double":
      return doubles(expected)
    case "Int64":
      return sixtyFour("integer", NumberText.expectedInteger, NumberText.toInt64, expected)
    case "Time":
      return type.unit === undefined
        ? sixtyFour("time", EpochNanos.expected, times(), expected)
        : sixtyFour("time", EpochNanos.expectedMicros, microTimes(), expected, false)
    case "Decimal":
      return decimals(type.shape, expected)
    case "Boolean":
      return booleans(expected)
  }
}

const doubles = (count: number): Store => {
  const { copy, drop, room, take } = Memory.make((length) => new Float64Array(length), count)
  return {
    expected: NumberText.expectedDouble,
    write: (value, index) => {
      const double = NumberText.toDouble(value)
      if (double !== undefined) room(index + 1)[index] = double
      return double !== undefined
    },
    writeNulls: (from, to) => void room(to).fill(Number.NaN, from, to),
    writeRun: (batch, column, from, to, index) => {
      const written = batch.words("double", column, from, to)
      copy(written.bytes, index)
      return written
    },
    take: (common, isView) => {
      const values = take(common.length, isView)
      return { ...common, type: "double", values, at: (index) => (common.isNull(index) ? null : values[index]!) }
    },
    drop
  }
}

const times = () => {
  const read = EpochNanos.makeReader()
  return (value: unknown) => (Predicate.isString(value) ? read(value) : undefined)
}

/** Whole microseconds: a time that has nanoseconds is none, rather than another one. */
const microTimes = () => {
  const read = times()
  return (value: unknown) => {
    const nanos = read(value)
    return nanos === undefined || nanos % 1_000n !== 0n ? undefined : nanos / 1_000n
  }
}

const sixtyFour = (
  type: "integer" | "time",
  expected: string,
  read: (value: unknown) => bigint | undefined,
  count: number,
  /** Whether batches write the same as `read` gives. */
  hasRuns = true
): Store => {
  const { copy, drop, room, take } = Memory.make((length) => new BigInt64Array(length), count)
  return {
    expected,
    write: (value, index) => {
      const whole = read(value)
      if (whole !== undefined) room(index + 1)[index] = whole
      return whole !== undefined
    },
    writeNulls: (from, to) => void room(to).fill(0n, from, to),
    ...(hasRuns && {
      writeRun: (batch, column, from, to, index) => {
        const written = batch.words(type, column, from, to)
        copy(written.bytes, index)
        return written
      }
    }),
    take: (common, isView) => {
      const values = take(common.length, isView)
      return { ...common, type, values, at: (index) => (common.isNull(index) ? null : values[index]!) }
    },
    drop
  }
}

const decimals = (shape: Shape, count: number): Store => {
  const read = UnscaledDecimal.makeReader(shape)
  const { drop, room, take } = Memory.make((length) => new BigInt64Array(length), count, 2)
  return {
    expected: UnscaledDecimal.expected(shape),
    write: (value, index) => {
      const unscaled = Predicate.isString(value) ? read(value) : undefined
      if (unscaled === undefined) return false
      room(index + 1).set([BigInt.asIntN(64, unscaled), unscaled >> 64n], 2 * index)
      return true
    },
    writeNulls: (from, to) => void room(to).fill(0n, 2 * from, 2 * to),
    take: (common, isView) => {
      const values = take(common.length, isView)
      const at = (index: number) =>
        common.isNull(index) ? null : (values[2 * index + 1]! << 64n) | BigInt.asUintN(64, values[2 * index]!)
      return { ...common, type: "decimal", ...shape, values, at }
    },
    drop
  }
}

const booleans = (count: number): Store => {
  const { drop, room, take } = Memory.make((length) => new Uint8Array(length), count)
  return {
    expected: "true or false",
    write: (value, index) => {
      if (Predicate.isBoolean(value)) room(index + 1)[index] = Number(value)
      return Predicate.isBoolean(value)
    },
    writeNulls: (from, to) => void room(to).fill(0, from, to),
    take: (common) => {
      const values = Memory.bitsOf(take(common.length, true))
      const at = (index: number) => (common.isNull(index) ? null : (values[index >>> 3]! & (1 << (index & 7))) !== 0)
      return { ...common, type: "boolean", values, at }
    },
    drop
  }
}

const words = (dictionary: Dictionary, count: number): Store => {
  const { copy, drop, room, take } = Memory.make((length) => new Int32Array(length), count)
  const encoder = new TextEncoder()
  /** Words that batches know without asking, with their codes: the last ones that they asked for. */
  const recent = new Map<string, ColumnBatch.Word>()
  /** The same as batches take them; nothing where there is another one since. */
  let list: ColumnBatch.WordList | undefined
  /** Whether there are batches, which ask for the words that they do not know. */
  let isAsked = false
  const remember = (word: string, code: number) => {
    if (recent.has(word)) return
    for (const oldest of recent.size === ColumnBatch.mostWords ? recent.keys() : []) {
      recent.delete(oldest)
      break
    }
    recent.set(word, [encoder.encode(word), code])
    list = undefined
  }
  return {
    expected: "text in Unicode",
    write: (value, index) => {
      const word = Predicate.isString(value) ? value : JsonText.write(value)
      // A lone surrogate has no bytes in UTF-8.
      if (!word.isWellFormed()) return false
      const code = dictionary.codeOf(word)
      if (isAsked) remember(word, code)
      room(index + 1)[index] = code
      return true
    },
    writeNulls: (from, to) => void room(to).fill(0, from, to),
    writeRun: (batch, column, from, to, index) => {
      list ??= ColumnBatch.wordList(recent.values())
      isAsked = true
      const written = batch.codes(list, column, from, to)
      copy(written.bytes, index)
      return written
    },
    take: (common, isView) => {
      const codes = take(common.length, isView)
      const all = dictionary.words(codes, common.isNull)
      const at = (index: number) => (common.isNull(index) ? null : all[codes[index]!]!)
      return { ...common, type: "word", codes, words: all, at }
    },
    drop
  }
}

/** Where the last text of a column may end. */
const mostText = 2 ** 31 - 1

const texts = (type: "text" | "json", count: number): Store => {
  const offsets = Memory.make((length) => new Int32Array(length), count + 1)
  const bytes = Memory.make((length) => new Uint8Array(length))
  const encoder = new TextEncoder()
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
  const startOf = (index: number) => offsets.room(index + 1)[index]!
  return {
    expected: "text in Unicode, of at most 2 GiB together",
    write: (value, index) => {
      const text = type === "text" && Predicate.isString(value) ? value : JsonText.write(value)
      // A lone surrogate has no bytes in UTF-8.
      if (!text.isWellFormed()) return false
      const start = startOf(index)
      if (start + text.length > mostText) return false
      const room = bytes.room(start + 3 * text.length)
      const end = start + encoder.encodeInto(text, room.subarray(start)).written
      offsets.room(index + 2)[index + 1] = end
      return end <= mostText
    },
    writeNulls: (from, to) => void offsets.room(to + 1).fill(startOf(from), from + 1, to + 1),
    writeRun: (batch, column, from, to, index) => {
      const start = startOf(index)
      const written = batch.texts(type === "json", column, from, to, start)
      if (start + written.bytes.length > mostText) return { ...written, records: 0 }
      offsets.copy(written.ends, index + 1)
      bytes.copy(written.bytes, start)
      return written
    },
    textSize: startOf,
    take: (common, isView) => {
      const taken = offsets.take(common.length + 1, isView)
      const text = bytes.take(taken[common.length]!, isView)
      const at = (index: number) =>
        common.isNull(index) ? null : decoder.decode(text.subarray(taken[index], taken[index + 1]))
      return { ...common, type, offsets: taken, bytes: text, at }
    },
    drop: (count, length) => {
      const start = startOf(count)
      bytes.drop(start, startOf(length))
      offsets.drop(count, length + 1)
      const all = offsets.room(length - count + 1)
      for (let index = 0; index <= length - count; index++) all[index]! -= start
    }
  }
}

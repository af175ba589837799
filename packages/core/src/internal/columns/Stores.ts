/** The values of a column of each type, in the layout that Arrow has for it. */
import * as Predicate from "effect/Predicate"
import * as ColumnBatch from "./ColumnBatch.ts"
import type { ColumnType, Shape } from "./ColumnType.ts"
import type { Dictionary } from "./Dictionary.ts"
import * as EpochNanos from "./EpochNanos.ts"
import * as JsonText from "./JsonText.ts"
import * as Memory from "./Memory.ts"
import * as NumberText from "./NumberText.ts"
import * as TypedColumn from "./TypedColumn.ts"
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
  /**
   * Writes some values of a column of the same layout from an index on, nulls too. False where its layout is another, or a value does not
   * fit: what was written then counts for nothing.
   */
  readonly writeColumn: (column: TypedColumn.AnyColumn, from: number, to: number, index: number) => boolean
  readonly textSize?: (count: number) => number
  readonly take: (common: TypedColumn.Untyped, isView: boolean) => TypedColumn.AnyColumn
  /** Forgets the first so many of all values. */
  readonly drop: (count: number, length: number) => void
}

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

/** The bytes of some values of a column. */
const bytesOf = (
  { buffer, byteOffset, BYTES_PER_ELEMENT: size }: BigInt64Array | Float64Array,
  from: number,
  to: number
) => new Uint8Array(buffer, byteOffset + size * from, size * (to - from))

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
    writeColumn: (column, from, to, index) => {
      if (column.type !== "double") return false
      copy(bytesOf(column.values, from, to), index)
      return true
    },
    take: (common, isView) => TypedColumn.doubles(common, take(common.length, isView)),
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

/** Writes nanoseconds as microseconds from an index on; false where one is not whole. */
const writeMicros = (nanos: BigInt64Array, micros: BigInt64Array, index: number): boolean =>
  nanos.every((value, at) => {
    micros[index + at] = value / 1_000n
    return value % 1_000n === 0n
  })

const sixtyFour = (
  type: "integer" | "time",
  expected: string,
  read: (value: unknown) => bigint | undefined,
  count: number,
  /** Whether batches and other columns have what `read` gives, and not a thousand times as much. */
  isNanos = true
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
    ...(isNanos && {
      writeRun: (batch, column, from, to, index) => {
        const written = batch.words(type, column, from, to)
        copy(written.bytes, index)
        return written
      }
    }),
    writeColumn: (column, from, to, index) => {
      if (column.type !== type) return false
      if (!isNanos) return writeMicros(column.values.subarray(from, to), room(index + to - from), index)
      copy(bytesOf(column.values, from, to), index)
      return true
    },
    take: (common, isView) => TypedColumn.sixtyFour(common, type, take(common.length, isView)),
    drop
  }
}

const decimals = (shape: Shape, count: number): Store => {
  const read = UnscaledDecimal.makeReader(shape)
  const { copy, drop, room, take } = Memory.make((length) => new BigInt64Array(length), count, 2)
  return {
    expected: UnscaledDecimal.expected(shape),
    write: (value, index) => {
      const unscaled = Predicate.isString(value) ? read(value) : undefined
      if (unscaled === undefined) return false
      room(index + 1).set([BigInt.asIntN(64, unscaled), unscaled >> 64n], 2 * index)
      return true
    },
    writeNulls: (from, to) => void room(to).fill(0n, 2 * from, 2 * to),
    writeColumn: (column, from, to, index) => {
      if (column.type !== "decimal" || column.scale !== shape.scale || column.precision > shape.precision) return false
      copy(bytesOf(column.values, 2 * from, 2 * to), index)
      return true
    },
    take: (common, isView) => TypedColumn.decimals(common, shape, take(common.length, isView)),
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
    writeColumn: (column, from, to, index) => {
      if (column.type !== "boolean") return false
      const all = room(index + to - from)
      const { values } = column
      for (let at = from; at < to; at++) all[index + at - from] = (values[at >>> 3]! >>> (at & 7)) & 1
      return true
    },
    take: (common) => TypedColumn.booleans(common, Memory.bitsOf(take(common.length, true))),
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
  let latest: ReadonlyArray<ColumnBatch.Word> = []
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
    latest = [...recent.values()]
  }
  /** The code of a text in UTF-8. */
  const codeOf = (bytes: Uint8Array, from: number, to: number): number => {
    for (const [word, code] of latest) if (isSame(word, bytes, from, to)) return code
    const word = decoder.decode(bytes.subarray(from, to))
    const code = dictionary.codeOf(word)
    remember(word, code)
    return code
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
    writeColumn: (column, from, to, index) => {
      const all = room(index + to - from)
      if (column.type === "text") {
        const { bytes, isNull, nulls, offsets } = column
        for (let at = from; at < to; at++) {
          all[index + at - from] = nulls > 0 && isNull(at) ? 0 : codeOf(bytes, offsets[at]!, offsets[at + 1]!)
        }
        return true
      }
      if (column.type !== "word") return false
      const codes = column.words.map(() => -1)
      for (let at = from; at < to; at++) {
        const code = column.codes[at]!
        all[index + at - from] = column.isNull(at)
          ? 0
          : (codes[code] = codes[code] === -1 ? dictionary.codeOf(column.words[code]!) : codes[code]!)
      }
      return true
    },
    take: (common, isView) => {
      const codes = take(common.length, isView)
      return TypedColumn.words(common, codes, dictionary.words(codes, common.isNull))
    },
    drop
  }
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

const isSame = (word: Uint8Array, bytes: Uint8Array, from: number, to: number): boolean => {
  if (word.length !== to - from) return false
  for (let at = 0; at < word.length; at++) if (word[at] !== bytes[from + at]) return false
  return true
}

/** Where the last text of a column may end. */
const mostText = 2 ** 31 - 1

const texts = (type: "text" | "json", count: number): Store => {
  const offsets = Memory.make((length) => new Int32Array(length), count + 1)
  const bytes = Memory.make((length) => new Uint8Array(length))
  const encoder = new TextEncoder()
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
    writeColumn: (column, from, to, index) => {
      if (column.type !== type) return false
      const [first, start] = [column.offsets[from]!, startOf(index)]
      const size = column.offsets[to]! - first
      if (start + size > mostText) return false
      const all = offsets.room(index + to - from + 1)
      for (let at = from; at < to; at++) all[index + at - from + 1] = start + column.offsets[at + 1]! - first
      bytes.copy(column.bytes.subarray(first, first + size), start)
      return true
    },
    textSize: startOf,
    take: (common, isView) => {
      const taken = offsets.take(common.length + 1, isView)
      const text = bytes.take(taken[common.length]!, isView)
      return TypedColumn.texts(common, type, text, taken)
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

/**
 * Columns that grow: the values of records, in the layout that Arrow has for each type.
 */
import * as Predicate from "effect/Predicate"
import type * as Batch from "../../Batch.ts"
import type { Column } from "./Column.ts"
import * as ColumnBatch from "./ColumnBatch.ts"
import type { ColumnType, Shape } from "./ColumnType.ts"
import * as EpochNanos from "./EpochNanos.ts"
import * as JsonText from "./JsonText.ts"
import * as NumberText from "./NumberText.ts"
import type { AnyColumn } from "./TypedColumn.ts"
import * as UnscaledDecimal from "./UnscaledDecimal.ts"

/** A column that grows. */
export interface Builder {
  /** What the column can hold, in the words of an error. */
  readonly expected: string
  /** Adds a value of a record; false where the column cannot hold it without loss. */
  readonly add: (value: unknown) => boolean
  /**
   * Adds the values of some records of a run that `batch` has loaded. Returns how many: fewer where the column cannot hold the
   * value of the next.
   */
  readonly addRun: (
    batch: ColumnBatch.ColumnBatch,
    run: Batch.Run,
    bytes: Uint8Array,
    from: number,
    to: number
  ) => number
  /** Gives the first so many values as a column, and begins the next column. */
  readonly take: (count: number) => AnyColumn
}

/** What the types of columns differ in. */
interface Store {
  readonly expected: string
  /** Writes a value other than null behind the others; false where the column cannot hold it. */
  readonly write: (value: unknown, index: number) => boolean
  /** Makes room for nulls behind the others. */
  readonly skip: (index: number, count: number) => void
  /** Writes the values of some records of a batch behind the others, nulls too. Nothing where only `write` writes them. */
  readonly writeRun?: (
    batch: ColumnBatch.ColumnBatch,
    column: ColumnBatch.RunColumn,
    from: number,
    to: number,
    index: number
  ) => ColumnBatch.Written
  readonly take: (length: number, common: Common) => AnyColumn
}

type Common = Pick<AnyColumn, "name" | "length" | "nulls" | "validity" | "isNull">

/** Values that there is room for at first. */
const fewest = 1_024

/** Memory of at least so many elements, with what is in it. */
const roomFor = <A extends Float64Array | BigInt64Array | Int32Array | Uint8Array>(array: A, length: number): A => {
  if (length <= array.length) return array
  // Type boundary: an array has a constructor of its kind.
  const grown = new (array.constructor as new (length: number) => A)(Math.max(length, 2 * array.length))
  // Type boundary, twice: both are of the same kind.
  grown.set(array as never)
  return grown
}

/** The first of some elements, without the memory of the others. */
const cut = <A extends Float64Array | BigInt64Array | Int32Array | Uint8Array>(array: A, length: number): A =>
  // Type boundary: a part of an array is of its kind.
  (length === array.length ? array : array.slice(0, length)) as A

/** Builds a column. `words` are those that its dictionary begins with, `list` is the place of their list in a batch. */
export const make = (column: Column, type: ColumnType, dictionary?: Dictionary): Builder => {
  const { name, nullable } = column
  const { expected, skip, take, write, writeRun } = storeOf(type, dictionary)
  let length = 0
  /** While all values are null, nothing is written: most columns that may be absent are. */
  let nulls = 0
  /** A bit for each value, 1 where it is not null; shorter where none of the last is null. */
  let validity = new Uint8Array(0)

  /** Notes that values from one index to another are null. */
  const markNulls = (from: number, to: number) => {
    const size = (to + 7) >>> 3
    if (size > validity.length) {
      const before = validity.length
      validity = roomFor(validity, Math.max(size, fewest / 8))
      validity.fill(255, before)
    }
    for (let index = from; index < to;) {
      if ((index & 7) === 0 && to - index >= 8) {
        const whole = (to - index) >>> 3
        validity.fill(0, index >>> 3, (index >>> 3) + whole)
        index += 8 * whole
      } else {
        validity[index >>> 3]! &= ~(1 << (index & 7))
        index++
      }
    }
  }

  /** Writes the nulls that nothing was written for. Called before a value. */
  const writeNulls = () => {
    skip(0, length)
    markNulls(0, length)
  }

  const addNulls = (count: number) => {
    if (nulls < length) {
      skip(length, count)
      markNulls(length, length + count)
    }
    nulls += count
    length += count
  }

  const add = (value: unknown): boolean => {
    if (Predicate.isNullish(value)) {
      if (nullable) addNulls(1)
      return nullable
    }
    if (nulls > 0 && nulls === length) writeNulls()
    if (!write(value, length)) return false
    length++
    return true
  }

  return {
    expected,
    add,
    addRun: (batch, { first, keys, offsets }, bytes, from, to) => {
      const key = keys.indexOf(name)
      if (key === -1) {
        if (nullable) addNulls(to - from)
        return nullable ? to - from : 0
      }
      const stride = 2 * keys.length + 2
      const place = first + 1 + 2 * key
      for (let record = from; record < to;) {
        if (nulls > 0 && nulls === length) writeNulls()
        const written = writeRun?.(batch, { key, nullable }, record, to, length)
        if (written !== undefined && written.records > 0) {
          for (let index = 0, left = written.nulls; left > 0; index++) {
            if (bytes[offsets[place + (record + index) * stride]!] !== letterN) continue
            markNulls(length + index, length + index + 1)
            left--
          }
          nulls += written.nulls
          length += written.records
          record += written.records
          continue
        }
        const at = place + record * stride
        if (!add(valueOf(bytes, offsets[at]!, offsets[at + 1]!))) return record - from
        record++
      }
      return to - from
    },
    take: (count) => {
      if (nulls > 0 && nulls === length) writeNulls()
      if (count < length) nulls = countNulls(validity, count)
      length = count
      const bits = nulls === 0 ? undefined : validityOf(validity, length)
      const isNull = (index: number) => bits !== undefined && (bits[index >>> 3]! & (1 << (index & 7))) === 0
      const taken = take(length, { name, length, nulls, validity: bits, isNull })
      length = 0
      nulls = 0
      validity = new Uint8Array(0)
      return taken
    }
  }
}

/** The bits of so many values. Bits behind the last are 0. */
const validityOf = (validity: Uint8Array, length: number): Uint8Array => {
  const size = (length + 7) >>> 3
  const bits = new Uint8Array(size).fill(255)
  bits.set(validity.subarray(0, size))
  if ((length & 7) !== 0) bits[size - 1]! &= (1 << (length & 7)) - 1
  return bits
}

const countNulls = (validity: Uint8Array, count: number): number => {
  let nulls = 0
  for (let index = 0; index < Math.min(count, 8 * validity.length); index++) {
    if ((validity[index >>> 3]! & (1 << (index & 7))) === 0) nulls++
  }
  return nulls
}

/** With which only `null` begins. */
const letterN = 110

/** The value of a batch as a record has it. */
const valueOf = (bytes: Uint8Array, from: number, to: number): unknown =>
  JSON.parse(new TextDecoder().decode(bytes.subarray(from, to)))

/** The words of a column. Those that its records bring are added, so a word keeps its code. */
export interface Dictionary {
  /** All words so far, by their codes. */
  readonly words: () => ReadonlyArray<string>
  /** The code of a word. */
  readonly codeOf: (word: string) => number
  /** The place of its list in the memory of batches. */
  readonly list: number
}

/** Builds a dictionary that begins with these words. */
export const dictionary = (list: number, first: Iterable<string>): Dictionary => {
  const codes = new Map<string, number>()
  let words: ReadonlyArray<string> = []
  const codeOf = (word: string): number => {
    const code = codes.get(word) ?? codes.size
    codes.set(word, code)
    return code
  }
  for (const word of first) codeOf(word)
  return {
    // A column that was given keeps the words of its time.
    words: () => (words.length === codes.size ? words : (words = [...codes.keys()])),
    codeOf,
    list
  }
}

const storeOf = (type: ColumnType, dictionary: Dictionary | undefined): Store => {
  switch (type._tag) {
    case "Text":
      return dictionary === undefined ? texts("text") : words(dictionary)
    case "Json":
      return texts("json")
    case "Double":
      return doubles()
    case "Int64":
      return sixtyFour("integer", NumberText.expectedInteger, NumberText.toInt64)
    case "Time":
      return sixtyFour("time", EpochNanos.expected, times())
    case "Decimal":
      return decimals(type.shape)
    case "Boolean":
      return booleans()
  }
}

const doubles = (): Store => {
  let values = new Float64Array(fewest)
  return {
    expected: NumberText.expectedDouble,
    write: (value, index) => {
      const double = NumberText.toDouble(value)
      if (double === undefined) return false
      values = roomFor(values, index + 1)
      values[index] = double
      return true
    },
    skip: (index, count) => {
      values = roomFor(values, index + count)
      values.fill(Number.NaN, index, index + count)
    },
    writeRun: (batch, column, from, to, index) => {
      const written = batch.words("double", column, from, to)
      values = roomFor(values, index + written.records)
      copyTo(values, index, written.bytes)
      return written
    },
    take: (length, common) => {
      const taken = cut(values, length)
      values = new Float64Array(Math.max(length, fewest))
      return { ...common, type: "double", values: taken, at: (index) => (common.isNull(index) ? null : taken[index]!) }
    }
  }
}

/** Copies bytes to the elements of an array from one on. */
const copyTo = (values: Float64Array | BigInt64Array | Int32Array, index: number, bytes: Uint8Array) =>
  new Uint8Array(values.buffer).set(bytes, index * values.BYTES_PER_ELEMENT)

const times = () => {
  const read = EpochNanos.makeReader()
  return (value: unknown) => (Predicate.isString(value) ? read(value) : undefined)
}

const sixtyFour = (type: "integer" | "time", expected: string, read: (value: unknown) => bigint | undefined): Store => {
  let values = new BigInt64Array(fewest)
  return {
    expected,
    write: (value, index) => {
      const whole = read(value)
      if (whole === undefined) return false
      values = roomFor(values, index + 1)
      values[index] = whole
      return true
    },
    skip: (index, count) => {
      values = roomFor(values, index + count)
    },
    writeRun: (batch, column, from, to, index) => {
      const written = batch.words(type, column, from, to)
      values = roomFor(values, index + written.records)
      copyTo(values, index, written.bytes)
      return written
    },
    take: (length, common) => {
      const taken = cut(values, length)
      values = new BigInt64Array(Math.max(length, fewest))
      return { ...common, type, values: taken, at: (index) => (common.isNull(index) ? null : taken[index]!) }
    }
  }
}

const decimals = (shape: Shape): Store => {
  const read = UnscaledDecimal.makeReader(shape)
  let values = new BigInt64Array(2 * fewest)
  return {
    expected: UnscaledDecimal.expected(shape),
    write: (value, index) => {
      const unscaled = Predicate.isString(value) ? read(value) : undefined
      if (unscaled === undefined) return false
      values = roomFor(values, 2 * index + 2)
      values[2 * index] = BigInt.asIntN(64, unscaled)
      values[2 * index + 1] = unscaled >> 64n
      return true
    },
    skip: (index, count) => {
      values = roomFor(values, 2 * (index + count))
    },
    take: (length, common) => {
      const taken = cut(values, 2 * length)
      values = new BigInt64Array(2 * Math.max(length, fewest))
      const at = (index: number) =>
        common.isNull(index) ? null : (taken[2 * index + 1]! << 64n) | BigInt.asUintN(64, taken[2 * index]!)
      return { ...common, type: "decimal", ...shape, values: taken, at }
    }
  }
}

const booleans = (): Store => {
  let values = new Uint8Array(fewest / 8)
  return {
    expected: "true or false",
    write: (value, index) => {
      if (!Predicate.isBoolean(value)) return false
      values = roomFor(values, (index >>> 3) + 1)
      if (value) values[index >>> 3]! |= 1 << (index & 7)
      return true
    },
    skip: (index, count) => {
      values = roomFor(values, ((index + count) >>> 3) + 1)
    },
    take: (length, common) => {
      const taken = cut(values, (length + 7) >>> 3)
      values = new Uint8Array(fewest / 8)
      const at = (index: number) => (common.isNull(index) ? null : (taken[index >>> 3]! & (1 << (index & 7))) !== 0)
      return { ...common, type: "boolean", values: taken, at }
    }
  }
}

const words = (dictionary: Dictionary): Store => {
  const { list } = dictionary
  let codes = new Int32Array(fewest)
  /** Words that batches know without asking: those met last first. */
  const recent: Array<ColumnBatch.Word> = []
  let isSet = false
  /** Whether there are batches, which ask for the words that they do not know. */
  let isAsked = false
  const codeOf = (word: string): number => {
    const code = dictionary.codeOf(word)
    if (!isAsked) return code
    recent.unshift([word, code])
    if (recent.length > ColumnBatch.mostWords) recent.pop()
    isSet = false
    return code
  }
  return {
    expected: "text",
    write: (value, index) => {
      codes = roomFor(codes, index + 1)
      codes[index] = codeOf(Predicate.isString(value) ? value : JsonText.write(value))
      return true
    },
    skip: (index, count) => {
      codes = roomFor(codes, index + count)
    },
    writeRun: (batch, column, from, to, index) => {
      if (!isSet) batch.setWords(list, recent)
      isSet = true
      isAsked = true
      const written = batch.codes(list, column, from, to)
      codes = roomFor(codes, index + written.records)
      copyTo(codes, index, written.bytes)
      return written
    },
    take: (length, common) => {
      const taken = cut(codes, length)
      codes = new Int32Array(Math.max(length, fewest))
      const all = dictionary.words()
      const at = (index: number) => (common.isNull(index) ? null : all[taken[index]!]!)
      return { ...common, type: "word", codes: taken, words: all, at }
    }
  }
}

const texts = (type: "text" | "json"): Store => {
  let offsets = new Int32Array(fewest + 1)
  let bytes = new Uint8Array(16 * fewest)
  const encoder = new TextEncoder()
  return {
    expected: "text in Unicode, of at most 2 GiB together",
    write: (value, index) => {
      const text = type === "text" && Predicate.isString(value) ? value : JsonText.write(value)
      // A lone surrogate has no bytes in UTF-8.
      if (!text.isWellFormed()) return false
      offsets = roomFor(offsets, index + 2)
      const start = offsets[index]!
      bytes = roomFor(bytes, start + 3 * text.length)
      offsets[index + 1] = start + encoder.encodeInto(text, bytes.subarray(start)).written
      return true
    },
    skip: (index, count) => {
      offsets = roomFor(offsets, index + count + 1)
      offsets.fill(offsets[index]!, index + 1, index + count + 1)
    },
    writeRun: (batch, column, from, to, index) => {
      const start = offsets[index]!
      const written = batch.texts(type === "json", column, from, to, start)
      offsets = roomFor(offsets, index + written.records + 1)
      bytes = roomFor(bytes, start + written.bytes.length)
      copyTo(offsets, index + 1, written.ends)
      bytes.set(written.bytes, start)
      return written
    },
    take: (length, common) => {
      const taken = cut(offsets, length + 1)
      const text = cut(bytes, taken[length]!)
      offsets = new Int32Array(Math.max(length, fewest) + 1)
      bytes = new Uint8Array(Math.max(text.length, 16 * fewest))
      const decoder = new TextDecoder()
      const at = (index: number) =>
        common.isNull(index) ? null : decoder.decode(text.subarray(taken[index], taken[index + 1]))
      return { ...common, type, offsets: taken, bytes: text, at }
    }
  }
}

/**
 * Columns that grow: the values of records, in the layout that Arrow has for each type. Their memory is used again for the next
 * column.
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
import * as Utf8 from "../wire/Utf8.ts"

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
  /** Bytes of text of the first so many values. */
  readonly textSize: (count: number) => number
  /** Gives the first so many values. A view is valid until more is added or dropped. */
  readonly take: (count: number, isView: boolean) => AnyColumn
  /** Forgets the first so many values. */
  readonly drop: (count: number) => void
}

/** What the types of columns differ in. */
interface Store {
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

type Common = Pick<AnyColumn, "name" | "length" | "nullable" | "nulls" | "validity" | "isNull">

/** Values that there is room for at first. */
const fewest = 1_024

type Elements = Float64Array | BigInt64Array | Int32Array | Uint8Array

/** Memory of values of one size that grows with them. */
interface Memory<A extends Elements> {
  /** The memory, with room for so many values. */
  readonly room: (values: number) => A
  /** Copies bytes to the values from one on. */
  readonly copy: (bytes: Uint8Array, index: number) => void
  readonly take: (values: number, isView: boolean) => A
  readonly drop: (count: number, length: number) => void
}

/** Builds memory; a value has `width` elements. */
const memory = <A extends Elements>(make: (length: number) => A, width = 1): Memory<A> => {
  let all = make(fewest * width)
  const room = (values: number) => {
    if (values * width <= all.length) return all
    const grown = make(Math.max(values, 2 * (all.length / width)) * width)
    // Type boundary, twice: both are of the same kind.
    grown.set(all as never)
    all = grown
    return all
  }
  return {
    room,
    copy: (bytes, index) => {
      const at = index * width * all.BYTES_PER_ELEMENT
      const { buffer } = room(index + bytes.length / (width * all.BYTES_PER_ELEMENT))
      new Uint8Array(buffer).set(bytes, at)
    },
    // Type boundary, twice: a part of an array is of its kind.
    take: (values, isView) => (isView ? all.subarray(0, values * width) : all.slice(0, values * width)) as A,
    drop: (count, length) => {
      all.copyWithin(0, count * width, length * width)
    }
  }
}

/** Builds a column. One with a dictionary has texts as codes. */
export const make = (column: Column, type: ColumnType, dictionary?: Dictionary): Builder => {
  const { name, nullable } = column
  const store = storeOf(type, dictionary)
  const { expected, writeRun } = store
  let length = 0
  let nulls = 0
  /** While all values are null, none is written: most columns that may be absent stay so. */
  let isWritten = false
  /** 1 for each value that is not null, from the first null on. */
  const presence = memory((size) => new Uint8Array(size))
  let hasPresence = false

  /** The presence of the values, and of as many that follow. */
  const presenceOf = (more: number): Uint8Array => {
    const all = presence.room(length + more)
    if (!hasPresence) all.fill(1, 0, length)
    hasPresence = true
    return all
  }
  const markPresent = (count: number) => {
    if (hasPresence) presenceOf(count).fill(1, length, length + count)
  }

  /** Writes the nulls that nothing was written for. Called before anything is written. */
  const write = () => {
    if (isWritten) return
    isWritten = true
    if (length === 0) return
    store.writeNulls(0, length)
    presenceOf(0).fill(0, 0, length)
  }

  const addNulls = (count: number) => {
    if (isWritten) {
      store.writeNulls(length, length + count)
      presenceOf(count).fill(0, length, length + count)
    }
    nulls += count
    length += count
  }

  const add = (value: unknown): boolean => {
    if (Predicate.isNullish(value)) {
      if (nullable) addNulls(1)
      return nullable
    }
    write()
    if (!store.write(value, length)) return false
    markPresent(1)
    length++
    return true
  }

  /** Notes which of the values that were written of a batch are null. */
  const mark = ({ nulls: some, records }: ColumnBatch.Written, isNull: (index: number) => boolean) => {
    markPresent(records)
    if (some > 0) {
      const all = presenceOf(records).fill(1, length, length + records)
      for (let index = 0; index < records; index++) if (isNull(index)) all[length + index] = 0
    }
    nulls += some
    length += records
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
      /** Values that are added one by one before the next attempt: the more, the more attempts in a row wrote none. */
      let pause = 0
      let paused = 0
      for (let record = from; record < to;) {
        write()
        const written = paused === 0 ? writeRun?.(batch, { key, nullable }, record, to, length) : undefined
        if (written !== undefined && written.records > 0) {
          const start = place + record * stride
          mark(written, (index) => bytes[offsets[start + index * stride]!] === letterN)
          record += written.records
          pause = 0
          continue
        }
        if (written === undefined) paused--
        else {
          paused = pause
          pause = Math.min(2 * pause + 1, maxPause)
        }
        const at = place + record * stride
        if (!add(valueOf(bytes, offsets[at]!, offsets[at + 1]!))) return record - from
        record++
      }
      return to - from
    },
    textSize: (count) => (isWritten ? (store.textSize?.(count) ?? 0) : 0),
    take: (count, isView) => {
      const isAllNull = nulls === length
      write()
      const present = nulls === 0 ? undefined : presence.take(count, true)
      const some = isAllNull ? count : present === undefined ? 0 : nullsIn(present)
      const validity = present === undefined || some === 0 ? undefined : bitsOf(present)
      const isNull = (index: number) => validity !== undefined && (validity[index >>> 3]! & (1 << (index & 7))) === 0
      return store.take({ name, length: count, nullable, nulls: some, validity, isNull }, isView)
    },
    drop: (count) => {
      const isAllNull = nulls === length
      if (isAllNull) nulls -= count
      else if (hasPresence) nulls -= nullsIn(presence.take(count, true))
      if (isWritten && !isAllNull) {
        store.drop(count, length)
        if (hasPresence) presence.drop(count, length)
      }
      length -= count
      isWritten = nulls < length
      hasPresence &&= isWritten && nulls > 0
    }
  }
}

const nullsIn = (presence: Uint8Array): number => {
  let nulls = presence.length
  for (let index = 0; index < presence.length; index++) nulls -= presence[index]!
  return nulls
}

/** A bit for each byte, the lowest first. */
const bitsOf = (bytes: Uint8Array): Uint8Array => {
  const bits = new Uint8Array((bytes.length + 7) >>> 3)
  for (let index = 0; index < bytes.length; index++) bits[index >>> 3]! |= bytes[index]! << (index & 7)
  return bits
}

/** Values that are added one by one, at most, before the next attempt to write many. */
const maxPause = 64

/** What `null`, `true`, `false` and texts alone begin with. */
const [letterN, letterT, letterF, quote] = [110, 116, 102, 34]

/** The value of a batch as a record has it: a text of a batch has no escapes. */
const valueOf = (bytes: Uint8Array, from: number, to: number): unknown => {
  switch (bytes[from]) {
    case letterN:
      return null
    case letterT:
      return true
    case letterF:
      return false
    case quote:
      return Utf8.ascii(bytes.subarray(from + 1, to - 1))
    default:
      return Number(Utf8.ascii(bytes.subarray(from, to)))
  }
}

/** The words of a column. Those that its records bring are added, so a word keeps its code. */
export interface Dictionary {
  /** The words up to the greatest of some codes, and to that of all calls before. */
  readonly words: (codes: Int32Array) => ReadonlyArray<string>
  /** The code of a word. */
  readonly codeOf: (word: string) => number
}

/** Builds a dictionary that begins with these words. */
export const dictionary = (first: Iterable<string>): Dictionary => {
  const codes = new Map<string, number>()
  const all: Array<string> = []
  const codeOf = (word: string): number => {
    const known = codes.get(word)
    if (known !== undefined) return known
    codes.set(word, all.length)
    return all.push(word) - 1
  }
  for (const word of first) codeOf(word)
  let words: ReadonlyArray<string> = all.slice()
  return {
    words: (codes) => {
      const count = codes.reduce((most, code) => Math.max(most, code + 1), words.length)
      // A column that was given keeps the words of its time.
      if (count > words.length) words = all.slice(0, count)
      return words
    },
    codeOf
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
  const { copy, drop, room, take } = memory((length) => new Float64Array(length))
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

const sixtyFour = (type: "integer" | "time", expected: string, read: (value: unknown) => bigint | undefined): Store => {
  const { copy, drop, room, take } = memory((length) => new BigInt64Array(length))
  return {
    expected,
    write: (value, index) => {
      const whole = read(value)
      if (whole !== undefined) room(index + 1)[index] = whole
      return whole !== undefined
    },
    writeNulls: (from, to) => void room(to).fill(0n, from, to),
    writeRun: (batch, column, from, to, index) => {
      const written = batch.words(type, column, from, to)
      copy(written.bytes, index)
      return written
    },
    take: (common, isView) => {
      const values = take(common.length, isView)
      return { ...common, type, values, at: (index) => (common.isNull(index) ? null : values[index]!) }
    },
    drop
  }
}

const decimals = (shape: Shape): Store => {
  const read = UnscaledDecimal.makeReader(shape)
  const { drop, room, take } = memory((length) => new BigInt64Array(length), 2)
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

const booleans = (): Store => {
  const { drop, room, take } = memory((length) => new Uint8Array(length))
  return {
    expected: "true or false",
    write: (value, index) => {
      if (Predicate.isBoolean(value)) room(index + 1)[index] = Number(value)
      return Predicate.isBoolean(value)
    },
    writeNulls: (from, to) => void room(to).fill(0, from, to),
    take: (common) => {
      const values = bitsOf(take(common.length, true))
      const at = (index: number) => (common.isNull(index) ? null : (values[index >>> 3]! & (1 << (index & 7))) !== 0)
      return { ...common, type: "boolean", values, at }
    },
    drop
  }
}

const words = (dictionary: Dictionary): Store => {
  const { copy, drop, room, take } = memory((length) => new Int32Array(length))
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
      const all = dictionary.words(codes)
      const at = (index: number) => (common.isNull(index) ? null : all[codes[index]!]!)
      return { ...common, type: "word", codes, words: all, at }
    },
    drop
  }
}

/** Where the last text of a column may end. */
const mostText = 2 ** 31 - 1

const texts = (type: "text" | "json"): Store => {
  const offsets = memory((length) => new Int32Array(length))
  const bytes = memory((length) => new Uint8Array(length))
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

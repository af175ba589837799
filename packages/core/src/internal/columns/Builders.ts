/** Columns that grow: values of records, and which of them are null. */
import * as Predicate from "effect/Predicate"
import type * as Batch from "../../Batch.ts"
import * as Utf8 from "../wire/Utf8.ts"
import type { Column } from "./Column.ts"
import type * as ColumnBatch from "./ColumnBatch.ts"
import type { ColumnType } from "./ColumnType.ts"
import type { Dictionary } from "./Dictionary.ts"
import * as Memory from "./Memory.ts"
import * as Stores from "./Stores.ts"
import * as TypedColumn from "./TypedColumn.ts"

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
  /**
   * Adds the values of some rows of a column that was read from elsewhere, or nulls where there is none. Returns how many: fewer where
   * this column cannot hold the next value.
   */
  readonly addColumn: (column: TypedColumn.AnyColumn | undefined, from: number, to: number) => number
  /** Bytes of text of the first so many values. */
  readonly textSize: (count: number) => number
  /** Gives the first so many values. A view is valid until more is added or dropped. */
  readonly take: (count: number, isView: boolean) => TypedColumn.AnyColumn
  /** Forgets the first so many values. */
  readonly drop: (count: number) => void
}

/** Builds a column of which so many values are expected at once. One with a dictionary has texts as codes. */
export const make = (column: Column, type: ColumnType, dictionary: Dictionary | undefined, count: number): Builder => {
  const { name, nullable } = column
  const store = Stores.make(type, dictionary, count)
  const { expected, writeRun } = store
  let length = 0
  let nulls = 0
  /** While all values are null, none is written: most columns that may be absent stay so. */
  let isWritten = false
  /** 1 for each value that is not null, from the first null on. */
  const presence = Memory.make((size) => new Uint8Array(size), count)
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
  const mark = (
    { nulls: some, records }: Pick<ColumnBatch.Written, "nulls" | "records">,
    isNull: (index: number) => boolean
  ) => {
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
    addColumn: (column, from, to) => {
      const count = to - from
      if (column === undefined || (nullable && column.nulls === column.length)) {
        if (nullable) addNulls(count)
        return nullable ? count : 0
      }
      write()
      if ((nullable || column.nulls === 0) && store.writeColumn(column, from, to, length)) {
        let some = 0
        if (column.nulls > 0) for (let at = from; at < to; at++) some += Number(column.isNull(at))
        mark({ records: count, nulls: some }, (index) => column.isNull(from + index))
        return count
      }
      for (let at = from; at < to; at++) if (!add(TypedColumn.recordValue(column, at))) return at - from
      return count
    },
    textSize: (count) => (isWritten ? (store.textSize?.(count) ?? 0) : 0),
    take: (count, isView) => {
      const isAllNull = nulls === length
      const present = nulls === 0 || isAllNull ? undefined : presence.take(count, true)
      const some = isAllNull ? count : present === undefined ? 0 : nullsIn(present)
      const bits = () => (present === undefined ? new Uint8Array((count + 7) >>> 3) : Memory.bitsOf(present))
      const validity = some === 0 ? undefined : bits()
      const isNull = (index: number) => validity !== undefined && (validity[index >>> 3]! & (1 << (index & 7))) === 0
      const common = { name, length: count, nullable, nulls: some, validity, isNull }
      if (!isAllNull) return store.take(common, isView)
      // In memory of its own, which is zero: for all but doubles it is never touched.
      const nothing = Stores.make(type, dictionary, count)
      if (type._tag === "Double") nothing.writeNulls(0, count)
      return nothing.take(common, true)
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

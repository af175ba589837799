/**
 * Records that arrived, compared with those that are held without building any: lines by their bytes, pages of Parquet by their columns,
 * and others by the values of their columns.
 */
import * as Batch from "@sluice/core/Batch"
import type { ColumnRecords } from "@sluice/files/internal/format/ColumnRecords"
import * as LazyRows from "@sluice/files/internal/format/LazyRows"
import * as Predicate from "effect/Predicate"
import * as SameRows from "./SameRows.ts"

/** An array as the service sent it, or as columns of it. */
export interface Arrived {
  /**
   * How many records from one on are those that are held from a place on: the same lines, or the same values of all columns. The next may
   * be the same all the same. To be asked in order.
   */
  readonly countSame: (index: number, held: ReadonlyArray<unknown>, at: number) => number
  /**
   * Whether a record of which {@link countSame} gave 0 has the key of the one that is held there, and another value. Also false where only the
   * records themselves can tell; of a page other numbers alone are told.
   */
  readonly isRevised: (index: number, held: ReadonlyArray<unknown>, at: number) => boolean
}

/** How records of the files are told apart and compared. */
export interface Kept {
  /** The fields that tell records apart. */
  readonly key: ReadonlyArray<string>
  /** Whether two values are there, and differ. */
  readonly areOther: (old: unknown, fresh: unknown) => boolean
  /** Their columns; empty where they have lines. */
  readonly columns: ReadonlyArray<string>
}

const [lineFeed, quote] = [10, 34]

/** The most lines that are compared at once; after a difference, half as many. */
const linesAtOnce = 256

/** What compares an array, where it has its bytes or columns. */
export const of = (records: ReadonlyArray<unknown>, kept: Kept): Arrived | undefined => {
  const { from = 0, source } = LazyRows.of(records) ?? {}
  if (source?._tag === "Columns") return ofColumns(source, from, records.length, kept)
  const batch = Batch.of(records)
  return batch && ofBatch(batch, kept)
}

/** Remembers what is behind the last records that were asked for: it is asked for with each difference. */
const remembering = () => {
  let last:
    | (Partial<LazyRows.Behind> & { readonly records: ReadonlyArray<unknown>; readonly length: number })
    | undefined
  return (records: ReadonlyArray<unknown>) =>
    last?.records === records ? last : (last = { records, length: records.length, ...LazyRows.of(records) })
}

const ofColumns = (own: ColumnRecords, first: number, length: number, { columns, key }: Kept): Arrived => {
  const behind = remembering()
  let pair: { readonly held: ColumnRecords; readonly rows: SameRows.SameRows } | undefined
  const rowsOf = (held: ColumnRecords): SameRows.SameRows => {
    if (pair?.held !== held) pair = { held, rows: SameRows.make(columns, key, own.column, held.column) }
    return pair.rows
  }
  return {
    countSame: (index, held, at) => {
      const { from = 0, length: all, source } = behind(held)
      if (source?._tag !== "Columns") return 0
      return rowsOf(source).count(first + index, from + at, Math.min(length - index, all - at))
    },
    isRevised: (index, held, at) => {
      const { from = 0, source } = behind(held)
      return source?._tag === "Columns" && rowsOf(source).isRevised(first + index, from + at)
    }
  }
}

const ofBatch = (batch: Batch.Batch, { areOther, columns, key }: Kept): Arrived => {
  const { from, length, runs, to } = batch
  const bytes = Buffer.from(batch.bytes.buffer, batch.bytes.byteOffset, batch.bytes.byteLength)
  let [number, before] = [0, 0]
  /** The run of a record, and the place of its offsets. */
  const find = (index: number) => {
    while (index >= before + runs[number]!.count) before += runs[number++]!.count
    const { first, keys } = runs[number]!
    return first + (index - before) * (2 * keys.length + 2)
  }

  const sameLines = (index: number, { bytes: held, starts }: LazyRows.OfLines, first: number, most: number): number => {
    const place = find(index)
    const { count, keys, offsets } = runs[number]!
    const stride = 2 * keys.length + 2
    const [start, begin] = [offsets[place]!, starts[first]!]
    const endOf = (many: number) => offsets[place + many * stride - 1]!
    const behind = (many: number) => starts[first + many]! - 1
    // Between the records of a page stand commas.
    const own = bytes[endOf(1)] === lineFeed ? count - (index - before) : 1
    const last = Math.min(most, own, linesAtOnce)
    // Lines that are as long are mostly the same, so their bytes are compared together.
    let many = 0
    while (many < last && endOf(many + 1) - start === behind(many + 1) - begin) many++
    let [same, from, to] = [0, start, begin]
    for (let step = many; step > 0 && same < many;) {
      const next = Math.min(many, same + step)
      if (bytes.compare(held, to, behind(next), from, endOf(next)) === 0)
        [same, from, to] = [next, endOf(next), behind(next)]
      else step = (next - same) >>> 1
    }
    return same
  }

  const isRevisedLine = (index: number, { bytes: held, starts }: LazyRows.OfLines, at: number): boolean => {
    const place = find(index)
    const { keys, offsets } = runs[number]!
    const [start, end] = [offsets[place]!, offsets[place + 2 * keys.length]!]
    const shift = starts[at]! - start
    let other = start
    while (other < end && bytes[other] === held[other + shift]) other++
    /** The value in which they differ, and where it is. */
    let value = 0
    while (offsets[place + 2 + 2 * value]! < other) value++
    const [from, to] = [offsets[place + 1 + 2 * value]!, offsets[place + 2 + 2 * value]!]
    if (from > other || key.some((name) => keys.indexOf(name) >= value)) return false
    plainValue.lastIndex = 0
    const old = held.toString("utf8", from + shift, starts[at + 1])
    return (
      plainValue.test(old) &&
      areOther(valueOf(old.slice(0, plainValue.lastIndex)), valueOf(bytes.toString("latin1", from, to)))
    )
  }

  let latin: string | undefined
  const sameValues = (index: number, record: unknown): boolean => {
    // Its bytes are ASCII.
    const text = (latin ??= bytes.toString("latin1", from, to))
    const place = find(index)
    const { keys, offsets } = runs[number]!
    return columns.every((name) => {
      // Type boundary: a record is read by the names of its columns, and any of them may be absent.
      const value = (record as Readonly<Record<string, unknown>>)[name]
      const own = place + 1 + 2 * keys.indexOf(name)
      return own === place - 1
        ? Predicate.isNullish(value) || value === ""
        : isValue(text.slice(offsets[own]! - from, offsets[own + 1]! - from), value)
    })
  }

  const behind = remembering()
  return {
    countSame: (index, held, at) => {
      const { from = 0, length: all, source } = behind(held)
      const most = Math.min(length - index, all - at)
      if (source?._tag === "Lines") return sameLines(index, source, from + at, most)
      if (columns.length === 0 || source !== undefined) return 0
      let count = 0
      while (count < most && sameValues(index + count, held[at + count])) count++
      return count
    },
    isRevised: (index, held, at) => {
      const { from = 0, source } = behind(held)
      return source?._tag === "Lines" && isRevisedLine(index, source, from + at)
    }
  }
}

/** A value of JSON that is no list or object, and has no escape. */
const plainValue = /"[^"\\]*"|[-+.\w]+/y

const valueOf = (text: string): unknown => (text.startsWith('"') ? text.slice(1, -1) : JSON.parse(text))

/** Whether the text of a value, in JSON, is a value that is held. */
const isValue = (text: string, held: unknown): boolean => {
  if (text === "null" || text === '""') return Predicate.isNullish(held) || held === ""
  const own = text.charCodeAt(0) === quote ? text.slice(1, -1) : text
  return Predicate.isNumber(held) ? Number(own) === held : own === String(held)
}

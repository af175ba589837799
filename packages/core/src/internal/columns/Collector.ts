/** Batches of columns that grow with records. */
import * as Result from "effect/Result"
import * as Batches from "../../Batch.ts"
import * as Builders from "./Builders.ts"
import * as Column from "./Column.ts"
import * as ColumnBatch from "./ColumnBatch.ts"
import * as ColumnType from "./ColumnType.ts"
import * as Dictionary from "./Dictionary.ts"
import { BadFormat, type Unwritable, unwritable } from "./FormatError.ts"
import * as TypedColumn from "./TypedColumn.ts"

/** Which columns there are, and what they hold. */
export interface Options extends ColumnType.Options {
  readonly columns?: ReadonlyArray<PropertyKey> | undefined
  /** The most records of a batch. */
  readonly rows?: number | undefined
  /** A batch ends with the record with which its texts have so many bytes. */
  readonly textSize?: number | undefined
}

/** A batch whose columns are not known at compile time. */
export type AnyBatch = TypedColumn.Batch<Readonly<Record<string, TypedColumn.AnyColumn>>>

/** How the batches of a collector are made. */
export interface Making {
  readonly columns: ReadonlyArray<Column.Column>
  readonly types: ColumnType.Options
  /** The words that columns begin with, of those that have codes instead of texts. */
  readonly words: ReadonlyMap<string, ReadonlyArray<string>>
  readonly rows: number
  readonly textSize: number
  /** What an error calls the columns. */
  readonly as: string
}

/** Records of a batch, and bytes of their texts, where nothing else was said. */
const usual = { rows: 16_384, textSize: 16_777_216 } as const

/** Finds the columns of an endpoint's records for these parameters; fails where there are no such columns. */
export const prepare = (
  source: Column.Source,
  params: object,
  { columns: chosen, decimal, numbers, rows = usual.rows, textSize = usual.textSize }: Options = {}
): Result.Result<Making, BadFormat> => {
  if (!(rows >= 1) || (rows !== Infinity && !Number.isInteger(rows))) {
    return Result.fail(new BadFormat({ option: "rows", reason: `a batch has a whole number of records, got ${rows}` }))
  }
  if (!(textSize >= 1)) {
    return Result.fail(new BadFormat({ option: "textSize", reason: `a batch has at least one byte, got ${textSize}` }))
  }
  if (decimal !== undefined && numbers !== "decimal") {
    return Result.fail(new BadFormat({ option: "decimal", reason: 'it is for numbers: "decimal"' }))
  }
  return Result.gen(function* () {
    yield* ColumnType.check({ numbers, decimal })
    yield* Column.checkNamed(source, params)
    const all = yield* Column.of(source, params, chosen?.map(String))
    const columns = chosen === undefined ? Column.withoutStatus(all) : all
    const types = ColumnType.withDefaults({ numbers, decimal })
    return { columns, types, words: Column.wordsOf(source, params), rows, textSize, as: "columns" }
  })
}

/** Records that are added at once, however few a batch has. */
const fewestAtOnce = 1_024

/** A column, and what makes it. */
interface Made {
  readonly column: Column.Column
  readonly builder: Builders.Builder
}

/** Adds values of a column from one index to another. Gives how many. */
type Add = (made: Made, from: number, to: number) => number

/** The value of a key at an index, for an error. */
type ValueAt = (index: number, name: string) => unknown

let shared: ColumnBatch.ColumnBatch | undefined

/** The memory of all collectors, each of which is done with a batch before another has one. V8 reserves gigabytes of addresses for it. */
const memoryOf = () => (shared ??= ColumnBatch.make())

/**
 * Builds a collector. `emit` takes each batch; where `isView`, its columns are valid until more records are added, or where some are left, until it returns. Which records a batch has
 * follows from the records alone, not from how they arrive.
 */
export const make = (
  { as, columns, rows, textSize, types, words }: Making,
  emit: (batch: AnyBatch) => void,
  isView = false
) => {
  const all = columns.map((column): Made => {
    const first = column.kind === "text" ? words.get(column.name) : undefined
    const dictionary = first && Dictionary.make(first)
    return { column, builder: Builders.make(column, ColumnType.of(column, types), dictionary, rows) }
  })
  /** Records that are in no batch yet, and those before them. */
  let length = 0
  let before = 0

  const emitFirst = (count: number) => {
    emit(batchOf(all, count, isView))
    for (const { builder } of all) builder.drop(count)
    length -= count
    before += count
  }

  const sizeOf = (count: number) => all.reduce((size, { builder }) => size + builder.textSize(count), 0)

  /** The number of records of the next batch; nothing where more belong to it. */
  const whole = (): number | undefined => {
    const most = Math.min(length, rows)
    if (sizeOf(most) < textSize) return length >= rows ? rows : undefined
    let [from, to] = [1, most]
    while (from < to) {
      const middle = (from + to) >>> 1
      if (sizeOf(middle) < textSize) from = middle + 1
      else to = middle
    }
    return to
  }

  /** Adds records from one index to another column by column, up to the first that a column cannot hold. */
  const addSome = (from: number, to: number, add: Add, valueAt: ValueAt) => {
    let fitting = to
    let failed: Made | undefined
    for (const made of all) {
      const end = from + add(made, from, fitting)
      if (end === fitting) continue
      fitting = end
      failed = made
    }
    length += fitting - from
    for (let next = whole(); next !== undefined; next = whole()) emitFirst(next)
    if (failed === undefined) return Result.void
    const { builder, column } = failed
    const { expected } = builder
    const value = valueAt(fitting, column.name)
    return Result.fail(unwritable(as, before + length + 1, { name: column.name, expected }, value))
  }

  /** Adds records a few batches at a time: what is behind a batch has to be moved. */
  const addAll = (first: number, end: number, add: Add, valueAt: ValueAt) => {
    for (let from = first; from < end;) {
      const to = Math.min(end, from + Math.max(rows, fewestAtOnce))
      const added = addSome(from, to, add, valueAt)
      if (Result.isFailure(added)) return added
      from = to
    }
    return Result.void
  }

  return {
    /** Adds records, all or those from one index to another. Those before one that a column cannot hold are added. */
    add: (
      records: ReadonlyArray<unknown>,
      from: number = 0,
      to: number = records.length
    ): Result.Result<void, Unwritable> => {
      const batch = Batches.of(records)
      if (batch === undefined) {
        const add: Add = ({ builder, column: { name } }, from, to) => {
          let at = from
          while (at < to && builder.add(Column.valueOf(records[at], name))) at++
          return at - from
        }
        return addAll(from, to, add, (index, name) => Column.valueOf(records[index], name))
      }
      const memory = memoryOf()
      memory.load(batch)
      let first = 0
      for (const run of batch.runs) {
        const [start, end] = [Math.max(from - first, 0), Math.min(to - first, run.count)]
        if (start < end) {
          memory.loadRun(run)
          const before = first
          const add: Add = ({ builder }, from, to) => builder.addRun(memory, run, batch.bytes, from, to)
          const added = addAll(start, end, add, (index, name) => Column.valueOf(records[before + index], name))
          if (Result.isFailure(added)) return added
        }
        first += run.count
      }
      return Result.void
    },
    /** Adds rows of columns, from one index to another. Those before one that a column cannot hold are added. */
    addColumns: (
      { column: columnOf }: TypedColumn.ColumnRows,
      from: number,
      to: number
    ): Result.Result<void, Unwritable> => {
      const add: Add = ({ builder, column: { name } }, from, to) => builder.addColumn(columnOf(name), from, to)
      return addAll(from, to, add, (index, name) => {
        const column = columnOf(name)
        return column && TypedColumn.recordValue(column, index)
      })
    },
    /** Makes a batch of the records that are left; where there was none at all, of no records if `isWhole`. */
    end: (isWhole: boolean) => {
      if (length > 0 || (isWhole && before === 0)) emitFirst(length)
      before = 0
    }
  }
}

/** Makes batches of columns of the records of one stream. */
export type Collector = ReturnType<typeof make>

const batchOf = (made: ReadonlyArray<Made>, length: number, isView: boolean): AnyBatch => {
  const columns: Record<string, TypedColumn.AnyColumn> = {}
  for (const { builder, column } of made) columns[column.name] = builder.take(length, isView)
  const rows = function* () {
    for (let index = 0; index < length; index++) {
      yield Object.fromEntries(made.map(({ column: { name } }) => [name, columns[name]!.at(index)]))
    }
  }
  return { length, columns, rows }
}

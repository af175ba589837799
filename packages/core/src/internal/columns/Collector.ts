/**
 * Batches of columns that grow with records.
 */
import * as Result from "effect/Result"
import * as Batches from "../../Batch.ts"
import * as Builders from "./Builders.ts"
import * as Column from "./Column.ts"
import * as ColumnBatch from "./ColumnBatch.ts"
import * as ColumnType from "./ColumnType.ts"
import { BadFormat, type Unwritable, unwritable } from "./FormatError.ts"
import type { AnyColumn, Batch } from "./TypedColumn.ts"

/** Which columns there are, and what they hold. */
export interface Options extends ColumnType.Options {
  readonly columns?: ReadonlyArray<PropertyKey> | undefined
  /** The records of a batch. */
  readonly rows?: number | undefined
}

/** A batch whose columns are not known at compile time. */
export type AnyBatch = Batch<Readonly<Record<string, AnyColumn>>>

/** Makes batches of columns of the records of one stream. */
export interface Collector {
  /** Adds records. Those before one that a column cannot hold are added. */
  readonly add: (records: ReadonlyArray<unknown>) => Result.Result<void, Unwritable>
  /** Makes a batch of the records that are left; where the stream is whole and there was none at all, of no records. */
  readonly end: (isWhole: boolean) => void
  /** Gives the next batch that is made. */
  readonly next: () => AnyBatch | undefined
}

/** Records of a batch where nothing else was said. */
const usualRows = 16_384

/** A column, and what makes it. */
interface Made {
  readonly column: Column.Column
  readonly builder: Builders.Builder
}

/** Prepares what makes the columns of an endpoint's records for these parameters; fails where there are no such columns. */
export const prepare = (
  source: Column.Source,
  params: object,
  { columns: chosen, decimal, numbers, rows = usualRows }: Options = {}
): Result.Result<() => Collector, BadFormat> => {
  if (!(rows >= 1)) return Result.fail(new BadFormat({ option: "rows", reason: `there are at least 1, got ${rows}` }))
  const options = ColumnType.withDefaults({ numbers, decimal })
  return Result.gen(function* () {
    yield* ColumnType.check({ numbers, decimal })
    yield* Column.checkNamed(source, params)
    const all = yield* Column.of(source, params, chosen?.map(String))
    const columns = chosen === undefined ? Column.withoutStatus(all) : all
    const words = Column.wordsOf(source, params)
    const lists = columns.filter(({ kind, name }) => kind === "text" && words.has(name)).map(({ name }) => name)
    const make = (column: Column.Column): Made => {
      const list = lists.indexOf(column.name)
      const dictionary = list === -1 ? undefined : Builders.dictionary(list, words.get(column.name) ?? [])
      return { column, builder: Builders.make(column, ColumnType.of(column, options), dictionary) }
    }
    return () => collect(columns.map(make), lists.length, rows)
  })
}

/** Adds values of a column from one index to another. Gives how many. */
type Add = (made: Made, from: number, to: number) => number

const collect = (columns: ReadonlyArray<Made>, lists: number, rows: number): Collector => {
  let made: ColumnBatch.ColumnBatch | undefined
  /** Made for the first batch: most programs read none. */
  const memory = () => (made ??= ColumnBatch.make(lists))
  /** Records of the batch that grows, and of those before it. */
  let length = 0
  let before = 0
  const waiting: Array<AnyBatch> = []

  const make = () => {
    waiting.push(batchOf(columns, length))
    before += length
    length = 0
  }

  /** Adds some of the records column by column, up to the first that a column cannot hold. */
  const addSome = (records: ReadonlyArray<unknown>, first: number, count: number, add: Add) => {
    for (let at = 0; at < count;) {
      let to = Math.min(count, at + rows - length)
      let failed: Made | undefined
      for (const made of columns) {
        const added = at + add(made, at, to)
        if (added === to) continue
        to = added
        failed = made
      }
      length += to - at
      if (failed !== undefined) {
        const { builder, column } = failed
        const value = Column.valueOf(records[first + to], column.name)
        const { expected } = builder
        return Result.fail(unwritable("columns", before + length + 1, { name: column.name, expected }, value))
      }
      if (length === rows) make()
      at = to
    }
    return Result.void
  }

  return {
    add: (records) => {
      const batch = Batches.of(records)
      if (batch === undefined) {
        return addSome(records, 0, records.length, ({ builder, column: { name } }, from, to) => {
          let at = from
          while (at < to && builder.add(Column.valueOf(records[at], name))) at++
          return at - from
        })
      }
      memory().load(batch)
      let first = 0
      for (const run of batch.runs) {
        memory().loadRun(run)
        const add: Add = ({ builder }, from, to) => builder.addRun(memory(), run, batch.bytes, from, to)
        const added = addSome(records, first, run.count, add)
        if (Result.isFailure(added)) return added
        first += run.count
      }
      return Result.void
    },
    end: (isWhole) => {
      if (length > 0 || (isWhole && before === 0)) make()
    },
    next: () => waiting.shift()
  }
}

const batchOf = (made: ReadonlyArray<Made>, length: number): AnyBatch => {
  const all = made.map(({ builder, column }) => [column.name, builder.take(length)] as const)
  const rows = function* () {
    for (let index = 0; index < length; index++) {
      yield Object.fromEntries(all.map(([name, column]) => [name, column.at(index)]))
    }
  }
  return { length, columns: Object.fromEntries(all), rows }
}

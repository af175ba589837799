/**
 * Records as columns of Parquet, which are compared with those that are held before they are written. A reply comes in arrays of some hundred
 * records; columns are made of many together, so that what is done for each array is done a tenth as often.
 */
import * as Batch from "@sluice/core/Batch"
import * as Collector from "@sluice/core/internal/columns/Collector"
import type { Column } from "@sluice/core/internal/columns/Column"
import type * as Format from "@sluice/files/Format"
import * as ColumnRecords from "@sluice/files/internal/format/ColumnRecords"
import * as LazyRows from "@sluice/files/internal/format/LazyRows"
import * as Arr from "effect/Array"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

/** Bytes of records, as they were sent, of which columns are made together, and values: a column takes memory for those that are absent. */
const atOnce = 1_048_576

interface How {
  /** The columns of the files. */
  readonly columns: ReadonlyArray<Column>
  /** The field that names the entity, which may have no column in the files. */
  readonly entity: string
  readonly format: Format.Options
}

/**
 * Gives the records of batches as {@link LazyRows}, each array valid until the next is pulled. Records that are objects already pass as they
 * are, and so do those from one on that a column cannot hold: what writes them says so.
 */
export const of = <E>(records: Stream.Stream<unknown, E>, how: How): Stream.Stream<unknown, E> =>
  Stream.suspend(() => {
    const collected = collect(how)
    const whole = Stream.mapArray(records, (some) => Arr.of(collected.add(some)))
    const last = Stream.suspend(() => Stream.succeed(collected.end()))
    return Stream.flatMap(Stream.concat(whole, last), (arrays) => Stream.fromArrays(...arrays))
  })

const collect = ({ columns, entity, format: { as, decimal, numbers } }: How) => {
  const isLacking = columns.every(({ name }) => name !== entity)
  const all = isLacking ? [...columns, { name: entity, kind: "text", nullable: true } as const] : columns
  const words = new Map(isLacking ? [[entity, []]] : [])
  const keys = new Set<string>()
  let found: ReadonlyArray<unknown> | undefined
  let [count, size] = [0, 0]
  /** Whether a column could not hold a value. */
  let isBroken = false
  const collector = Collector.make(
    // Times count nanoseconds, as those of a page that was read, whatever the file counts.
    { columns: all, types: { numbers, decimal }, words, rows: Infinity, textSize: Infinity, as },
    ({ columns, length }) => {
      const rows = LazyRows.ofColumns(ColumnRecords.make(length, Object.values(columns), [...keys]))
      // Columns before the one that failed have values of later records, which move to their beginning.
      found = isBroken ? Array.from(rows) : rows
    },
    true
  )
  /** Gives those that are gathered. */
  const end = (): ReadonlyArray<ReadonlyArray<unknown>> => {
    found = undefined
    collector.end(false)
    count = 0
    size = 0
    return found === undefined ? [] : [found]
  }
  return {
    end,
    /** Gives what is whole by now. */
    add: (records: ReadonlyArray<unknown>): ReadonlyArray<ReadonlyArray<unknown>> => {
      const batch = isBroken ? undefined : Batch.of(records)
      if (batch === undefined) return [...end(), records]
      for (const run of batch.runs) for (const key of run.keys) keys.add(key)
      const before = count
      isBroken = Result.isFailure(collector.add(records))
      if (isBroken) {
        const fitting = end()
        const length = fitting.reduce((sum, { length }) => sum + length, 0)
        return [...fitting, records.slice(length - before)]
      }
      count += records.length
      size += batch.to - batch.from
      return Math.max(size, count * all.length) < atOnce ? [] : end()
    }
  }
}

/**
 * Counts what is in a file against what should be in it.
 */
import { Timestamp } from "@sluice/core"
import { DateTime, Duration, Effect, Schema, Stream } from "effect"

/** The part of a record that tells it from all others. */
export const Row = Schema.Struct({ asset: Schema.String, time: Schema.String })
export interface Row extends Schema.Schema.Type<typeof Row> {}

/** What was found in a file. */
export interface Audit {
  readonly records: number
  /** Records that should be there and are not. */
  readonly lost: number
  /** Records that come a second time, or after a later one. */
  readonly repeated: number
  /** Records that should not be there. */
  readonly foreign: number
}

/** Names a record; names sort as the service sorts its records, by asset, then time. */
export const key = ({ asset, time }: Row): string => `${asset} ${time}`

/** Lists the moments of the calendar from one to another, both included, as the service writes them. */
export const calendar = (from: string, to: string, step: Duration.Input): ReadonlyArray<Timestamp.Timestamp> => {
  const first = DateTime.toEpochMillis(DateTime.makeUnsafe(from))
  const every = Duration.toMillis(Duration.fromInputUnsafe(step))
  const length = Math.floor((DateTime.toEpochMillis(DateTime.makeUnsafe(to)) - first) / every) + 1
  return Array.from({ length }, (_, n) => Timestamp.fromDateTime(DateTime.makeUnsafe(first + n * every)))
}

/**
 * Walks over records and over the keys they should have, side by side.
 *
 * `expected` ascends, and so must the records: what does not is counted as repeated.
 */
export const against = <E, R>(
  rows: Stream.Stream<Row, E, R>,
  expected: ReadonlyArray<string>
): Effect.Effect<Audit, E, R> =>
  Effect.suspend(() => {
    let records = 0
    let repeated = 0
    let found = 0
    let next = 0
    let last = ""
    const visit = (row: Row) => {
      const name = key(row)
      records += 1
      if (name <= last) {
        repeated += 1
        return
      }
      last = name
      while (next < expected.length && expected[next]! < name) next += 1
      if (expected[next] === name) found += 1
    }
    const batch = (rows: ReadonlyArray<Row>) => Effect.sync(() => rows.forEach(visit))
    return Effect.map(Stream.runForEachArray(rows, batch), () => ({
      records,
      lost: expected.length - found,
      repeated,
      foreign: records - repeated - found
    }))
  })

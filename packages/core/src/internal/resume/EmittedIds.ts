/**
 * The ids of the records emitted at the last position of a series, where several records may share one: trades of one
 * time, blocks of one height.
 *
 * When the service is asked again it may send them in another order, or with one more that came late. So emitted records
 * are recognized by their ids, not by their order.
 */
import * as Series from "../series/Series.ts"

/** How many records were emitted, and how often each id was: of records without ids two may be equal. */
export interface EmittedIds {
  readonly total: number
  /** The characters of all ids. */
  readonly length: number
  readonly counts: ReadonlyMap<string, number>
}

/** Nothing emitted yet. */
const empty: EmittedIds = { total: 0, length: 0, counts: new Map() }

/** The most records of one position that are remembered, and the most characters of their ids. */
const [mostRecords, mostCharacters] = [10_000, 4_000_000]

/** Whether it holds every record emitted at the position, so that no limit was reached. */
export const isComplete = ({ length, total }: EmittedIds): boolean => total < mostRecords && length < mostCharacters

/** The last record emitted, and the ids emitted at its position. */
interface Emitted {
  readonly record: unknown
  readonly ids: EmittedIds
}

/** Adds the records emitted next. Reads them from the end, up to the first of another position. */
export const update = (
  series: Series.Series | undefined,
  before: Emitted | undefined,
  records: ReadonlyArray<unknown>
): EmittedIds => {
  if (series?.identity === undefined || records.length === 0) return empty
  const last = records.at(-1)
  const isHere = (record: unknown) => Series.isSamePosition(series, record, last)
  const from = records.findLastIndex((record) => !isHere(record)) + 1
  const earlier = from === 0 && before !== undefined && isHere(before.record) ? before.ids : empty
  if (!isComplete(earlier)) return earlier
  const counts = new Map(earlier.counts)
  const added = records.slice(Math.max(from, records.length - mostRecords))
  let { length } = earlier
  for (const record of added) {
    const id = Series.idOf(series, record)
    length += id.length
    counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  return { total: earlier.total + added.length, length, counts }
}

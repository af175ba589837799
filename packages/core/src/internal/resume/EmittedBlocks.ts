/**
 * The blocks emitted of the last height.
 *
 * In a fork several blocks have the same height. When the service is asked again it may send them in another order, or
 * with one more that came late. So emitted blocks are recognized by their hashes, not by their position.
 */
import * as Call from "../call/Call.ts"
import * as SeenTokens from "../pages/SeenTokens.ts"
import * as Series from "../series/Series.ts"

/** Ids of blocks, see {@link idOf}. */
export type EmittedBlocks = ReadonlySet<string>

export const empty: EmittedBlocks = new Set()

/** The most blocks of one height that are remembered. No chain has so large a fork. */
const limit = 1_000

/** Whether the set holds every block emitted of the height, so that the limit was not reached. */
export const isComplete = (blocks: EmittedBlocks): boolean => blocks.size < limit

/** A short id of a record's block: its hash, or the whole record when it has none. */
export const idOf = (record: unknown): string =>
  SeenTokens.fingerprint(Series.hashOf(record) ?? JSON.stringify(record) ?? "")

/** The last record emitted, and the blocks emitted of its height. */
interface Emitted {
  readonly record: unknown
  readonly blocks: EmittedBlocks
}

/** Updates the set with the records emitted next. Reads them from the end, up to the first of another height. */
export const update = (
  series: Series.Series | undefined,
  call: Call.Call,
  before: Emitted | undefined,
  records: ReadonlyArray<unknown>
): EmittedBlocks => {
  if (series === undefined || !Call.isPerBlock(call) || records.length === 0) return empty
  const last = records.at(-1)
  const isAtHeight = (record: unknown) => Series.isSamePosition(series, call, record, last)
  const from = records.findLastIndex((record) => !isAtHeight(record)) + 1
  const earlier = from === 0 && before !== undefined && isAtHeight(before.record) ? before.blocks : empty
  if (!isComplete(earlier)) return earlier
  return new Set([...earlier, ...records.slice(Math.max(from, records.length - limit)).map(idOf)])
}

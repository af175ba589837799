/**
 * The blocks of one height that were emitted last.
 *
 * Of a fork several blocks have one height, and a service may give them in another order when it is asked again, or one
 * more that came late. What is emitted is therefore told by name, not by where it stands.
 */
import * as Call from "../call/Call.ts"
import * as SeenTokens from "../pages/SeenTokens.ts"
import * as Series from "../series/Series.ts"

/** Their names. */
export type Blocks = ReadonlySet<string>

export const none: Blocks = new Set()

/** So many blocks of one height are remembered; no chain has a fork of as many. */
const most = 1_000

/** Whether all blocks emitted of the height are remembered. */
export const areAll = (blocks: Blocks): boolean => blocks.size < most

/** A short name of a record's block: its hash, or all of the record where it has none. */
export const nameOf = (record: unknown): string =>
  SeenTokens.fingerprint(Series.hashOf(record) ?? JSON.stringify(record) ?? "")

/** The last record emitted, and the blocks emitted of its height. */
interface Emitted {
  readonly record: unknown
  readonly blocks: Blocks
}

/** Goes on to the records emitted next. Only those at the end are looked at, up to the first of another height. */
export const after = (
  series: Series.Series | undefined,
  call: Call.Call,
  before: Emitted | undefined,
  records: ReadonlyArray<unknown>
): Blocks => {
  if (series === undefined || !Call.isPerBlock(call) || records.length === 0) return none
  const last = records.at(-1)
  const isHere = (record: unknown) => Series.isSamePlace(series, call, record, last)
  const from = records.findLastIndex((record) => !isHere(record)) + 1
  const earlier = from === 0 && before !== undefined && isHere(before.record) ? before.blocks : none
  if (!areAll(earlier)) return earlier
  return new Set([...earlier, ...records.slice(Math.max(from, records.length - most)).map(nameOf)])
}

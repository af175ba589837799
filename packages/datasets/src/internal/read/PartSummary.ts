/**
 * What the reply to a small part tells of one entity.
 */
import * as Checksum from "@sluice/files/internal/folder/Checksum"
import * as Keys from "../model/Keys.ts"
import type { Part } from "../plan/Part.ts"
import type { Cursor, Time } from "../model/Store.ts"

/** Which records were found of an entity: from when, and a checksum of them. */
export type Seen = NonNullable<Cursor["seen"]>

/** What came of an entity. */
export interface Reply {
  /** Why it was asked for, and whether only the latest records of it were. */
  readonly part: Pick<Part, "limit" | "reason">
  /** Where it was asked for from. */
  readonly from: Time | undefined
  /** Its records in order, without repeats. They may begin before `from`, where other entities of the part do. */
  readonly records: ReadonlyArray<unknown>
  /** How far it was before. */
  readonly cursor: Cursor | undefined
  /** Whether no record of it would take back those that are held. */
  readonly wouldVanish: boolean
  /** Whether its files have other entities too. */
  readonly isShared: boolean
  /** Whether several records may have one time. */
  readonly mayTie: boolean
}

/** What a reply tells of an entity. */
export type PartSummary =
  /** These records are those that are held, or there are still none. */
  | { readonly _tag: "Same"; readonly records: ReadonlyArray<unknown> }
  /** The latest records do not reach back to those that are held, so the time since has to be asked for. */
  | { readonly _tag: "Behind"; readonly seen: Seen | undefined }
  /** The service has sent nothing of an entity that has records. */
  | { readonly _tag: "Vanished" }
  /** These records are all that there is now. */
  | { readonly _tag: "News"; readonly records: ReadonlyArray<unknown> }

const behind: PartSummary = { _tag: "Behind", seen: undefined }

/** Tells what a reply means. */
export const classify = (reply: Reply): PartSummary => {
  const { cursor, from, isShared, part, wouldVanish } = reply
  const isLimited = part.limit !== undefined
  if (isLimited && cursor?.last === null) {
    // All of its time is asked for where it has any record.
    return reply.records.length > 0 || cursor.gone !== undefined ? behind : { _tag: "Same", records: [] }
  }
  if (!reachesBack(reply)) return behind
  const records = since(reply.records, from)
  if (records.length === 0 && wouldVanish) return { _tag: "Vanished" }
  const seen = seenOf(records, from)
  const isSame = seen !== undefined && cursor?.seen?.from === from && cursor?.seen?.digest === seen.digest
  // That one is back which was gone is news.
  if (isSame && (cursor.gone === undefined || records.length === 0)) return { _tag: "Same", records }
  // A change of files that entities share has one period, so the time since is asked for as that of others is.
  return isLimited && isShared ? { _tag: "Behind", seen } : { _tag: "News", records }
}

/**
 * Whether records that are limited in number are all from the first time that was asked for up to those that are held, or
 * later: by their times, as a limit may be taken from either end of a series.
 */
const reachesBack = ({ cursor, from, mayTie, part: { limit }, records }: Reply): boolean => {
  if (limit === undefined || from === undefined) return true
  const [first, last] = [records[0], records.at(-1)]
  if (first === undefined) return false
  const begin = Keys.timeOf(first)
  // The limit may have cut off others of the time of the first.
  const isThere = mayTie && records.length >= limit ? begin < from : begin <= from
  return isThere && Keys.timeOf(last) >= (cursor?.last ?? from)
}

/** Records from a time on. */
export const since = (records: ReadonlyArray<unknown>, from: Time | undefined): ReadonlyArray<unknown> =>
  from === undefined ? records : records.filter((record) => Keys.timeOf(record) >= from)

/** Which records were found from a time on; nothing where they were asked for from the beginning. */
export const seenOf = (records: ReadonlyArray<unknown>, from: Time | undefined): Seen | undefined =>
  from === undefined ? undefined : { from, digest: Checksum.ofText(JSON.stringify(records)) }

/**
 * Reads the files of a range in the order of the series, and goes on where a sync has replaced some of them.
 *
 * A sync may go on meanwhile. The files are those of one moment of the ledger. Where one is gone or another by the time that it is
 * opened, or a bucket has another while it is read, the read goes on with the files of the present moment, behind the last row that it gave.
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type * as Pull from "effect/Pull"
import * as Stream from "effect/Stream"
import type { Files } from "@sluice/files/internal/folder/Files"
import { FileChanged } from "@sluice/files/internal/folder/FolderError"
import type { StoreError } from "../model/DatasetError.ts"
import type { HeldRange, Time } from "../model/Store.ts"
import * as Ledger from "../ledger/Ledger.ts"
import type * as ReadBack from "./ReadBack.ts"
import type * as Recovery from "./Recovery.ts"

/** How far a read is: so many records of one time were given, of one of the entities. */
export interface Place {
  entity: number
  time: Time | undefined
  count: number
}

/** Where a read begins. */
export const beginning: Place = { entity: 0, time: undefined, count: 0 }

/** Why a file is no longer that of a ledger. */
export const replaced = "it was replaced while the dataset was read"

/** How often a read begins anew without a record in between. */
const tries = 10

/** Where a dataset is. */
export interface Source extends Pick<Recovery.Paths, "folder" | "bookkeeping"> {
  readonly files: Files
  /** The ledger of the present moment, when its files have their names. */
  readonly look: Effect.Effect<Ledger.Ledger | undefined, StoreError>
}

/**
 * Reads what a ledger has from a place on, which the read moves on. Where it fails and the ledger is another by now, what a run has done to
 * files meanwhile is the likely reason: then it goes on from that place with what the ledger has.
 */
export const goingOn = <A, P extends object>(
  { look }: Source,
  ledger: Ledger.Ledger,
  begin: P,
  read: (ledger: Ledger.Ledger, place: P) => Stream.Stream<A, StoreError>,
  mayGoOn: (place: P, ledger: Ledger.Ledger, now: Ledger.Ledger) => boolean = () => true
): Stream.Stream<A, StoreError> => {
  const from = (ledger: Ledger.Ledger, begin: P, left: number): Stream.Stream<A, StoreError> =>
    Stream.suspend(() => {
      const place = { ...begin }
      return Stream.catch(read(ledger, place), (error) =>
        Stream.unwrap(
          Effect.map(look, (now) => {
            const isSame = now === undefined || (now.moment === ledger.moment && now.changes === ledger.changes)
            const after = JSON.stringify(place) === JSON.stringify(begin) ? left - 1 : tries
            return isSame || after === 0 || !mayGoOn(place, ledger, now) ? Stream.fail(error) : from(now, place, after)
          })
        )
      )
    })
  return from(ledger, begin, tries)
}

/** Rows of a file that were read together, in the order of the file. */
export interface Rows {
  readonly length: number
  readonly entityAt: (index: number) => string
  readonly timeAt: (index: number) => Time
  /** Whether a row is of what is asked for, where the file has others too. */
  readonly isAsked: (index: number) => boolean
  /** Done before rows are given. */
  readonly ready: Effect.Effect<void, StoreError>
}

/** Rows from one index to another, of an entity. */
export interface Part<R> {
  readonly rows: R
  readonly name: string
  readonly from: number
  readonly to: number
}

/** What reads the rows of a file that are asked for, and fails by a check when the file is open. */
export type RowsOf<R> = (
  entry: Ledger.FileEntry,
  times: ReadBack.Times,
  check: Effect.Effect<void, StoreError>
) => Stream.Stream<R, StoreError>

/** How many of the rows, which are in order, stand before a time of an entity, or before the next entity. */
const countBefore = ({ entityAt, length, timeAt }: Rows, entity: string, time: Time | undefined): number => {
  const isBefore = (index: number) => {
    const own = entityAt(index)
    if (own !== entity) return own < entity
    return time === undefined || timeAt(index) < time
  }
  if (isBefore(length - 1)) return length
  let [low, high] = [0, length - 1]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isBefore(middle)) low = middle + 1
    else high = middle
  }
  return low
}

/** Whether all records of a file are in a range. */
const isWhole = ({ entity, first, last }: Ledger.FileEntry, { from, to }: ReadBack.Times) =>
  entity !== undefined && (from === undefined || first >= from) && (to === undefined || last < to)

/** The parts of rows that are asked for, from one index to another. */
const askedOf = ({ isAsked }: Rows, from: number, to: number): ReadonlyArray<readonly [from: number, to: number]> => {
  const parts: Array<readonly [number, number]> = []
  for (let at = from; at < to;) {
    while (at < to && !isAsked(at)) at++
    const start = at
    while (at < to && isAsked(at)) at++
    if (start < at) parts.push([start, at])
  }
  return parts
}

/** The rows of a range behind a place, which goes on with them. */
export const of = <R extends Rows>(
  source: Source,
  ledger: Ledger.Ledger,
  range: HeldRange,
  place: Place,
  entriesOf: (entity: string, times: ReadBack.Times) => ReadonlyArray<Ledger.FileEntry>,
  rowsOf: RowsOf<R>
): Stream.Stream<Part<R>, StoreError> => {
  const check = checkOf(source, ledger)
  const begin = { ...place }
  let skipped = 0
  const all = range.entities.flatMap((name, index) => {
    if (index < begin.entity) return []
    const own = index === begin.entity && begin.time !== undefined ? { ...range, from: begin.time } : range
    return entriesOf(name, own).map((entry) => ({ name, entry, index, own }))
  })
  /** The first of these rows that was not given before. */
  const skipGiven = ({ timeAt }: Rows, index: number, from: number, to: number): number => {
    let at = from
    for (; at < to && index === begin.entity && skipped < begin.count && timeAt(at) === begin.time; at++) skipped += 1
    return at
  }
  /** Notes how far the read is with these rows. */
  const note = ({ timeAt }: Rows, index: number, from: number, to: number) => {
    const time = timeAt(to - 1)
    const isNext = place.entity !== index || place.time !== time
    let at = to - 1
    while (at > from && timeAt(at - 1) === time) at--
    Object.assign(place, { entity: index, time, count: (isNext ? 0 : place.count) + to - at })
  }
  const partsOfFile = ({ entry, index, name, own }: (typeof all)[number]) => {
    const partsIn = (rows: R): ReadonlyArray<Part<R>> => {
      const [first, end] = isWhole(entry, own)
        ? [0, rows.length]
        : [countBefore(rows, name, own.from ?? ""), countBefore(rows, name, own.to)]
      const asked = range.others.length === 0 ? [[first, end] as const] : askedOf(rows, first, end)
      return asked.flatMap(([start, to]) => {
        const from = skipGiven(rows, index, start, to)
        return from < to ? [{ rows, name, from, to }] : []
      })
    }
    const entity = entry.entity === undefined ? { field: ledger.field, name } : undefined
    return Stream.transformPull(rowsOf(entry, { from: own.from, to: own.to, entity }, check(entry)), (pull) => {
      const next: Pull.Pull<Arr.NonEmptyReadonlyArray<Part<R>>, StoreError> = Effect.flatMap(pull, (some) => {
        const parts = some.flatMap(partsIn)
        if (!Arr.isReadonlyArrayNonEmpty(parts)) return next
        return Effect.map(
          Effect.forEach(parts, ({ rows }) => rows.ready, { discard: true }),
          () => {
            for (const { from, rows, to } of parts) note(rows, index, from, to)
            return parts
          }
        )
      })
      return Effect.succeed(next)
    })
  }
  return Stream.flatMap(Stream.rechunk(Stream.fromIterable(all), 1), partsOfFile)
}

/** Makes what fails for a file that is another than that of a ledger by now. */
const checkOf = ({ bookkeeping, files, folder, look }: Source, ledger: Ledger.Ledger) => {
  /** The size of the changes when the ledger was read last: as long as they have it, no file is another. */
  let seen: { readonly moment: number; readonly size: number | undefined } | undefined
  return Effect.fnUntraced(function* (entry: Ledger.FileEntry) {
    const { moment } = seen ?? ledger
    const size = yield* files.size(files.join(bookkeeping, Ledger.changesName(moment)))
    if (seen !== undefined && size === seen.size) return
    const now = yield* look
    if (now?.files.get(entry.path)?.sha256 !== entry.sha256) {
      return yield* new FileChanged({ folder, file: entry.path, reason: replaced })
    }
    // Changes that came in between are seen the next time.
    seen = now.moment === moment ? { moment, size } : undefined
  })
}

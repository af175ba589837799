/**
 * Reads records of a folder as they were, and what changed.
 *
 * A sync may go on meanwhile: the ledger has a change before files get their names. So the histories that it has after a file was opened tell
 * of all that this file no longer has.
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type * as Pull from "effect/Pull"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { BookkeepingDamaged, FileChanged } from "@sluice/files/internal/folder/FolderError"
import * as Calendar from "../model/Calendar.ts"
import type { StoreError } from "../model/DatasetError.ts"
import * as Keys from "../model/Keys.ts"
import * as SeriesParams from "../model/SeriesParams.ts"
import type { HeldPast, HeldRange, Revised, Series, Time } from "../model/Store.ts"
import * as Comparing from "../versions/Comparing.ts"
import * as History from "../versions/History.ts"
import * as Versions from "../versions/Versions.ts"
import * as FolderParts from "./FolderParts.ts"
import * as FolderRead from "./FolderRead.ts"
import * as Layout from "../ledger/Layout.ts"
import * as Ledger from "../ledger/Ledger.ts"
import * as Past from "../ledger/Past.ts"
import * as ReadBack from "./ReadBack.ts"
import * as Table from "./Table.ts"

/** What is made of the versions of a record. */
type Choose<A> = (
  name: string,
  time: Time,
  versions: ReadonlyArray<Versions.Version>,
  open: FolderRead.Opened
) => ReadonlyArray<A>

/** The past of what a ledger has. */
export const make = (source: FolderParts.Source, ledger: Ledger.Ledger): Omit<HeldPast, "kept"> => {
  /** Where a sync has removed a file meanwhile, what is the same for ever is read again behind what was given. */
  const of =
    <A>(choose: Choose<A>, isSteady: boolean) =>
    (series: Series, range: HeldRange) =>
      FolderParts.goingOn(
        source,
        ledger,
        { given: 0 },
        (ledger, place) => {
          const read = Stream.unwrap(streamOf(source, ledger, series, range, choose))
          return Stream.mapArray(Stream.drop(read, place.given), (some) => {
            place.given += some.length
            return some
          })
        },
        ({ given }, ledger, now) => isSteady || given === 0 || hasSame(ledger, now)
      )
  const looked = Past.syncedOf(ledger.looked)
  return {
    looked,
    read: (series, range, asOf) =>
      of(
        (name, _, versions, { build, isIn }) => {
          const found = Versions.asOf(versions, asOf)
          return found === undefined || !isIn(found) ? [] : [build?.(name, found) ?? found]
        },
        looked !== undefined && asOf <= looked
      )(series, range),
    revisions: of(
      (name, time, versions, { build, isIn }) =>
        changesOf(name, time, versions).flatMap((one): ReadonlyArray<Revised> =>
          [one.before, one.after].some((record) => record !== undefined && isIn(record))
            ? [
                {
                  ...one,
                  before: one.before === undefined ? undefined : (build?.(name, one.before) ?? one.before),
                  after: one.after === undefined ? undefined : (build?.(name, one.after) ?? one.after)
                }
              ]
            : []
        ),
      false
    )
  }
}

/** Whether a ledger has the same records and versions as one before: no run has begun since, though files were compacted. */
const hasSame = (...both: readonly [Ledger.Ledger, Ledger.Ledger]): boolean => {
  const [before, after] = both.map(({ cursors, looked }) => JSON.stringify([looked, [...cursors]]))
  return before === after
}

/** What happened to a record after it was first known. */
const changesOf = (entity: string, time: Time, versions: ReadonlyArray<Versions.Version>) => {
  const changes: Array<Revised> = []
  for (const [index, { isLate, record, since, until }] of versions.entries()) {
    const before = versions[index - 1]
    if (before?.until === since) changes.push({ entity, time, at: since, before: before.record, after: record })
    else if (before !== undefined || isLate) changes.push({ entity, time, at: since, before: undefined, after: record })
    const next = versions[index + 1]
    if (until !== undefined && next?.since !== until) {
      changes.push({ entity, time, at: until, before: record, after: undefined })
    }
  }
  return changes
}

const decode = Schema.decodeUnknownResult(
  Schema.Array(Schema.fromJsonString(Schema.Union([History.Was, History.Seen])))
)

/** The partitions of an entity that may have records of a range, in order. */
const partitionsOf = (ledger: Ledger.Ledger, name: string, { from, to }: HeldRange) => {
  const all = [...ledger.files.values(), ...(ledger.histories?.values() ?? [])]
  const own = all.flatMap(({ entity, period }): ReadonlyArray<Layout.Partition> => {
    const isIn =
      period === undefined ||
      ((from === undefined || Calendar.endOf(period) > from) && (to === undefined || Calendar.startOf(period) < to))
    return isIn && (entity === undefined || entity === name) ? [{ entity, period }] : []
  })
  const found = new Map(own.map((partition) => [Layout.idOf(partition), partition]))
  return [...found.values()].toSorted(({ period: a = "" }, { period: b = "" }) => (a < b ? -1 : 1))
}

/** What a ledger tells of when records were knowable. */
export const knowingOf = ({ endpoint }: Series, { definition, looked }: Ledger.Ledger): Versions.Knowing => {
  const { delay, first = 0, late = 0, told = 0 } = looked ?? {}
  return {
    every: SeriesParams.everyOf(endpoint, definition.params),
    delay: delay ?? first,
    late: delay === undefined || told < enough ? undefined : 2 * Math.max(delay, late)
  }
}

/** Complete runs after which it is known well enough how late records come. Before, each counts from the run that found it. */
const enough = 8

/** The partition of a file. */
const idOfEntry = ({ entity, period }: Ledger.FileEntry) => Layout.idOf({ entity, period })

/** What a ledger has, and the size that its changes had then, where that is known. */
const presentOf = ({ files, histories = new Map(), moment }: Ledger.Ledger, size?: number) => ({
  moment,
  size,
  ids: new Set(Array.from(files.values(), idOfEntry)),
  of: Past.byPartition(histories.values())
})

/** Lines of histories, and records, that are kept in memory beside those that are used. */
const most = 50_000

/** Keeps what was used last, as far as it is not too much. */
const recent = <A>() => {
  const all = new Map<string, { readonly value: A; readonly size: number }>()
  let sum = 0
  const forget = (name: string) => {
    sum -= all.get(name)?.size ?? 0
    all.delete(name)
  }
  const keep = (name: string, value: A, count: number) => {
    const size = Math.max(1, count)
    forget(name)
    all.set(name, { value, size })
    sum += size
    for (const other of all.keys()) {
      if (sum <= most || other === name) return
      forget(other)
    }
  }
  return { get: (name: string) => all.get(name)?.value, keep }
}

const streamOf = Effect.fnUntraced(function* <A>(
  { bookkeeping, files, folder, look }: FolderParts.Source,
  ledger: Ledger.Ledger,
  series: Series,
  range: HeldRange,
  choose: Choose<A>
) {
  const { endpoint } = series
  const open = yield* FolderRead.openRange({ files, folder }, ledger, series, range)
  const { columns } = yield* Table.make(endpoint, ledger.definition, ledger)
  const { idOf } = Comparing.make(series, ledger.format, columns)
  const knowing = knowingOf(series, ledger)

  const linesOf = Effect.fnUntraced(function* (path: string) {
    const damaged = (reason: string) => new BookkeepingDamaged({ folder, file: path, reason })
    if ((yield* files.size(path)) === undefined) return yield* damaged("it is missing")
    const text = Stream.decodeText(ReadBack.decompressed(files, path)).pipe(
      Stream.mapError((error) => (error._tag === "Unreadable" ? damaged(error.reason) : error))
    )
    const lines = decode(yield* Stream.runCollect(Stream.splitLines(text)))
    return lines._tag === "Success" ? lines.success : yield* damaged("a line is not as it was written")
  })
  /** The histories of the present moment, and the size that the changes of the ledger had then, where that is known. */
  let present = presentOf(ledger)
  /** Looks at the ledger, where it may have changed since it was read last. Tells whether it did. */
  const lookAgain = Effect.gen(function* () {
    const size = yield* files.size(files.join(bookkeeping, Ledger.changesName(present.moment)))
    if (size !== undefined && size === present.size) return false
    const now = yield* look
    if (now === undefined) return false
    // Changes that came in between are seen the next time.
    present = presentOf(now, now.moment === present.moment ? size : undefined)
    return true
  })
  const pathsOf = (id: string) =>
    (present.of.get(id) ?? []).map(({ path }) => files.join(bookkeeping, Past.histories, path))
  // Entities that share files read the same partitions, one entity after the other.
  const histories = recent<{ readonly names: string; readonly found: Versions.Histories }>()
  const shared = recent<ReadonlyArray<unknown>>()
  /** The records of an entity in a file, which is read once for all entities that share it. */
  const recordsOf = (entry: Ledger.FileEntry, entity: string): Stream.Stream<unknown, StoreError> => {
    if (entry.entity !== undefined || entry.rows > most) return open.recordsOf(entry)
    return Stream.suspend(() => {
      const found = shared.get(entry.sha256)
      if (found !== undefined) return Stream.fromIterable(ofEntity(found, entity))
      return Stream.unwrap(
        Effect.map(Stream.runCollect(open.recordsOf(entry)), (records) => {
          shared.keep(entry.sha256, records, records.length)
          return Stream.fromIterable(ofEntity(records, entity))
        })
      )
    })
  }
  const ofEntity = (records: ReadonlyArray<unknown>, entity: string) => {
    const before = (time: Time | undefined) => Keys.countBefore({ entity: ledger.field }, records, { entity, time })
    return records.slice(before(""), before(undefined))
  }
  /** Reads a history, unless it is as it was. */
  const load = Effect.fnUntraced(function* (partition: Layout.Partition, fields: Keys.Fields) {
    const id = Layout.idOf(partition)
    for (;;) {
      const paths = pathsOf(id)
      if (paths.length === 0 && !present.ids.has(id)) {
        // It has become part of another.
        const { path: file = id } = [...ledger.files.values()].find((entry) => idOfEntry(entry) === id) ?? {}
        return yield* new FileChanged({ folder, file, reason: FolderParts.replaced })
      }
      const names = JSON.stringify(paths)
      if (names === histories.get(id)?.names) return
      const lines = yield* Effect.result(Effect.forEach(paths, linesOf))
      if (lines._tag === "Success") {
        const all = lines.success.flat()
        return histories.keep(id, { names, found: Versions.ofLines(all, fields, idOf) }, all.length)
      }
      // A change may have made one file of some.
      const isSame = !(yield* lookAgain) || names === JSON.stringify(pathsOf(id))
      if (isSame) return yield* lines.failure
    }
  })

  const ofPartition = Effect.fnUntraced(function* (name: string, partition: Layout.Partition) {
    const fields = FolderRead.fieldsOf(ledger, partition)
    const own = { ...open, isIn: open.isIn(name, fields) }
    const id = Layout.idOf(partition)
    yield* load(partition, fields)
    const merged = Versions.merge(
      () => histories.get(id)?.found ?? new Map(),
      name,
      fields,
      idOf,
      (versions, time) => choose(name, time, versions, own),
      knowing
    )
    const entries = open.entriesOf(name).filter((entry) => idOfEntry(entry) === id)
    const ofFile = (entry: Ledger.FileEntry): Stream.Stream<A, StoreError> =>
      Stream.transformPull(recordsOf(entry, name), (pull) => {
        // A file that is kept was read no later than its history.
        let isOpen = shared.get(entry.sha256) !== undefined
        const next: Pull.Pull<Arr.NonEmptyReadonlyArray<A>, StoreError> = Effect.gen(function* () {
          for (;;) {
            const batch = yield* pull
            if (!isOpen) {
              isOpen = true
              yield* lookAgain
              yield* load(partition, fields)
              merged.refresh()
            }
            const found = merged.see(batch)
            if (Arr.isReadonlyArrayNonEmpty(found)) return found
          }
        })
        return Effect.succeed(next)
      })
    const rest = Stream.suspend(() => Stream.fromIterable(merged.end()))
    return Stream.concat(Stream.flatMap(Stream.rechunk(Stream.fromIterable(entries), 1), ofFile), rest)
  })
  const all = range.entities.flatMap((name) =>
    partitionsOf(ledger, name, range).map((partition) => ({ name, partition }))
  )
  return Stream.flatMap(Stream.rechunk(Stream.fromIterable(all), 1), ({ name, partition }) =>
    Stream.unwrap(ofPartition(name, partition))
  )
})

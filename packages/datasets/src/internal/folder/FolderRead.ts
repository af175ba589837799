/**
 * Reads records of a folder back, in the order of the series.
 *
 * A sync may go on meanwhile. The files are those of one moment of the ledger. Where one is gone or another by the time that it is
 * opened, or a bucket has another while it is read, the read goes on with the files of the present moment, behind the last record that it gave.
 */
import type * as Endpoint from "@sluice/core/Endpoint"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import * as Format from "@sluice/files/Format"
import type { Files } from "@sluice/files/internal/folder/Files"
import { FileChanged } from "@sluice/files/internal/folder/FolderError"
import type { StoreError } from "../model/DatasetError.ts"
import type { Definition } from "../model/Definition.ts"
import * as Keys from "../model/Keys.ts"
import type { HeldRange, HeldRecords, Series, Time } from "../model/Store.ts"
import * as Ledger from "../ledger/Ledger.ts"
import * as ReadBack from "./ReadBack.ts"
import type * as Recovery from "./Recovery.ts"
import * as Table from "./Table.ts"

type Read = (value: unknown) => unknown

/** Makes of a value of a file what the service would have sent. */
const readerOf = (kind: Format.Kind): Read => {
  switch (kind) {
    case "decimal":
    case "integer":
      return (value) => (Predicate.isNumber(value) ? String(value) : value)
    case "number":
      return (value) => (Predicate.isString(value) ? Number(value) : value)
    case "boolean":
      return (value) => (Predicate.isString(value) ? value === "true" : value)
    case "json":
      return (value) => (Predicate.isString(value) ? JSON.parse(value) : value)
    case "text":
    case "timestamp":
      return (value) => value
  }
}

/** Whether a file may have records of an entity in a range. */
const mayHave = ({ entity, first, last }: Ledger.FileEntry, name: string, { from, to }: ReadBack.Times): boolean =>
  (entity === undefined || entity === name) && (from === undefined || last >= from) && (to === undefined || first < to)

/** By their periods, and within one by their first records, as the records of an entity are. */
export const inOrder = (a: Ledger.FileEntry, b: Ledger.FileEntry): number => {
  const [one = "", other = ""] = [a.period, b.period]
  return one === other ? Keys.compare(a.start, b.start) : one < other ? -1 : 1
}

/** How far a read is: so many records of one time were given, of one of the entities. */
interface Place {
  entity: number
  time: Time | undefined
  count: number
}

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
  mayGoOn: (place: P) => boolean = () => true
): Stream.Stream<A, StoreError> => {
  const from = (ledger: Ledger.Ledger, begin: P, left: number): Stream.Stream<A, StoreError> =>
    Stream.suspend(() => {
      const place = { ...begin }
      return Stream.catch(read(ledger, place), (error) =>
        Stream.unwrap(
          Effect.map(look, (now) => {
            const isSame = now === undefined || (now.moment === ledger.moment && now.changes === ledger.changes)
            const after = JSON.stringify(place) === JSON.stringify(begin) ? left - 1 : tries
            return isSame || after === 0 || !mayGoOn(place) ? Stream.fail(error) : from(now, place, after)
          })
        )
      )
    })
  return from(ledger, begin, tries)
}

/** The records of a range, as a ledger has them. */
export const records =
  (source: Source, ledger: Ledger.Ledger) =>
  (series: Series, range: HeldRange): HeldRecords =>
    goingOn(source, ledger, { entity: 0, time: undefined, count: 0 }, (ledger, place: Place) =>
      Stream.unwrap(streamOf(source, ledger, series, range, place))
    )

/** How records of a file or a partition are found. */
export const fieldsOf = (
  { field }: Pick<Ledger.Ledger, "field">,
  { entity }: { readonly entity?: string | undefined }
): Keys.Fields => ({
  entity: field,
  ...(entity === undefined ? {} : { fixed: entity })
})

/** What reads the files of a range. */
export interface OpenRange {
  /** Makes a record of the service of one of a file; absent where it is that already. */
  readonly build: ((entity: string, record: unknown) => unknown) | undefined
  readonly entriesOf: (entity: string, times?: ReadBack.Times) => ReadonlyArray<Ledger.FileEntry>
  readonly isIn: (entity: string, fields: Keys.Fields, times?: ReadBack.Times) => (record: unknown) => boolean
  /** Fails for a file that is another than that of the ledger, where that is to be known. */
  readonly recordsOf: (
    entry: Ledger.FileEntry,
    times?: ReadBack.Times,
    check?: Effect.Effect<void, StoreError>
  ) => Stream.Stream<unknown, StoreError>
}

/** The same of one entity. */
export interface Opened extends Omit<OpenRange, "isIn"> {
  readonly isIn: (record: unknown) => boolean
}

/** Opens a range of what a ledger has. */
export const openRange = Effect.fnUntraced(function* (
  { files, folder }: Pick<Source, "files" | "folder">,
  ledger: Ledger.Ledger,
  { endpoint }: Series,
  range: HeldRange
) {
  const { definition, format } = ledger
  const json = yield* Table.jsonOf(endpoint, ledger)
  const build = yield* builderOf(endpoint, definition, ledger, new Set(range.others))
  const entries = [...ledger.files.values()].toSorted(inOrder)
  // A record that has none of the metrics that are asked for is of the others alone. The service may have it with nulls: a file does not
  // tell the two apart.
  const isAsked = (record: unknown) =>
    range.others.length === 0 || range.metrics.some((name) => !Predicate.isNullish(Reflect.get(Object(record), name)))
  const opened: OpenRange = {
    build,
    entriesOf: (name, times = range) => entries.filter((entry) => mayHave(entry, name, times)),
    isIn:
      (name, fields, { from, to } = range) =>
      (record) => {
        const time = Keys.timeOf(record)
        const isOwn = Keys.entityOf(fields, record) === name && isAsked(record)
        return isOwn && (from === undefined || time >= from) && (to === undefined || time < to)
      },
    recordsOf: (entry, times = range, check = Effect.void) =>
      Stream.mapError(
        ReadBack.records(files, files.join(folder, entry.path), format, json, times, check),
        (error): StoreError =>
          error._tag === "Unreadable" ? new FileChanged({ folder, file: entry.path, reason: error.reason }) : error
      )
  }
  return opened
})

/** The records of a range behind a place, which goes on with them. */
const streamOf = Effect.fnUntraced(function* (
  source: Source,
  ledger: Ledger.Ledger,
  series: Series,
  range: HeldRange,
  place: Place
) {
  const { build, entriesOf, isIn, recordsOf } = yield* openRange(source, ledger, series, range)
  const check = checkOf(source, ledger)
  const begin = { ...place }
  let skipped = 0
  const all = range.entities.flatMap((name, index) => {
    if (index < begin.entity) return []
    const own = index === begin.entity && begin.time !== undefined ? { ...range, from: begin.time } : range
    return entriesOf(name, own).map((entry) => ({ name, entry, index, own }))
  })
  /** Whether a record of this time was given before. */
  const isGiven = (index: number, time: Time) => {
    if (index !== begin.entity || time !== begin.time || skipped >= begin.count) return false
    skipped += 1
    return true
  }
  /** Notes how far the read is with these records. */
  const note = (index: number, records: ReadonlyArray<unknown>) => {
    const time = Keys.timeOf(records[records.length - 1])
    const isNext = place.entity !== index || place.time !== time
    const first = records.findLastIndex((other) => Keys.timeOf(other) !== time)
    Object.assign(place, { entity: index, time, count: (isNext ? 0 : place.count) + records.length - 1 - first })
  }
  const of = ({ entry, index, name, own }: (typeof all)[number]) => {
    const fields = fieldsOf(ledger, entry)
    const isOwn = isIn(name, fields, own)
    const isWhole = range.others.length === 0 && (index !== begin.entity || begin.time === undefined)
    const placeOf = (batch: ReadonlyArray<unknown>, time: Time | undefined, absent: number) =>
      time === undefined ? absent : Keys.countBefore(fields, batch, { entity: name, time })
    /** The records of a batch that are asked for. Those of a file of one entity are in order of their times. */
    const ownOf = (batch: Arr.NonEmptyReadonlyArray<unknown>): ReadonlyArray<unknown> => {
      if (entry.entity === undefined || !isWhole) {
        return batch.filter((record) => isOwn(record) && !isGiven(index, Keys.timeOf(record)))
      }
      const [first, end] = [placeOf(batch, own.from, 0), placeOf(batch, own.to, batch.length)]
      return first === 0 && end === batch.length ? batch : batch.slice(first, end)
    }
    return Stream.transformPull(recordsOf(entry, own, check(entry)), (pull) => {
      const next: typeof pull = Effect.flatMap(pull, (batch) => {
        const found = ownOf(batch)
        if (!Arr.isReadonlyArrayNonEmpty(found)) return next
        note(index, found)
        return Effect.succeed(build === undefined ? found : Arr.map(found, (record) => build(name, record)))
      })
      return Effect.succeed(next)
    })
  }
  return Stream.flatMap(Stream.rechunk(Stream.fromIterable(all), 1), of)
})

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
      return yield* new FileChanged({ folder, file: entry.path, reason: "it was replaced while the dataset was read" })
    }
    // Changes that came in between are seen the next time.
    seen = now.moment === moment ? { moment, size } : undefined
  })
}

/** Builds what makes a record of the service of one of a file, with the metrics that were asked for; nothing where it is that already. */
const builderOf = Effect.fnUntraced(function* (
  endpoint: Endpoint.Any,
  { params }: Definition,
  { field, format, layout }: Ledger.Ledger,
  others: ReadonlySet<string>
) {
  const isOther = (name: string) => others.has(name.replace(/-status(?:-time)?$/, "")) || others.has(name)
  if (format.as === "ndjson") {
    if (others.size === 0) return undefined
    return (_: string, record: unknown): unknown =>
      Predicate.isObject(record)
        ? Object.fromEntries(Object.entries(record).filter(([name]) => !isOther(name)))
        : record
  }
  const columns = (yield* Format.columns(endpoint, params)).filter(({ name }) => !isOther(name))
  const readers = columns.map(({ kind, name }) => [name, readerOf(kind)] as const)
  return (entity: string, record: unknown): unknown => {
    const built: Record<string, unknown> = {}
    // Type boundary: whatever has no such member gives nothing.
    const found = record as Readonly<Record<string, unknown>>
    for (const [name, read] of readers) {
      const value = layout.byEntity && name === field ? entity : found[name]
      if (value !== undefined) built[name] = read(value)
    }
    return built
  }
})

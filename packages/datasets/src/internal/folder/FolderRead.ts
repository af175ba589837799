/**
 * Reads records of a folder back, in the order of the series.
 */
import * as Batch from "@sluice/core/Batch"
import type * as Endpoint from "@sluice/core/Endpoint"
import type * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import * as LazyLines from "@sluice/core/internal/columns/LazyLines"
import type { Unreadable } from "@sluice/core/internal/columns/FormatError"
import * as Format from "@sluice/files/Format"
import { FileChanged } from "@sluice/files/internal/folder/FolderError"
import type { StoreError } from "../model/DatasetError.ts"
import type { Definition } from "../model/Definition.ts"
import * as Keys from "../model/Keys.ts"
import type { HeldRange, HeldRecords, Series } from "../model/Store.ts"
import type * as Ledger from "../ledger/Ledger.ts"
import * as FolderParts from "./FolderParts.ts"
import * as ReadBack from "./ReadBack.ts"
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

/** The records of a range, as a ledger has them. */
export const records =
  (source: FolderParts.Source, ledger: Ledger.Ledger) =>
  (series: Series, range: HeldRange): HeldRecords =>
    FolderParts.goingOn(source, ledger, FolderParts.beginning, (ledger, place) =>
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
  /** Whether a record has any of the metrics that are asked for, where the dataset has others. */
  readonly isAsked: (record: unknown) => boolean
  readonly isIn: (entity: string, fields: Keys.Fields, times?: ReadBack.Times) => (record: unknown) => boolean
  /** Fails for a file that is another than that of the ledger, where that is to be known. */
  readonly recordsOf: (
    entry: Ledger.FileEntry,
    times?: ReadBack.Times,
    check?: Effect.Effect<void, StoreError>
  ) => Stream.Stream<unknown, StoreError>
}

/** Tells that a file which cannot be read is another than was written. */
export const changedOr =
  (folder: string, { path }: Ledger.FileEntry) =>
  (error: StoreError | Unreadable): StoreError =>
    error._tag === "Unreadable" ? new FileChanged({ folder, file: path, reason: error.reason }) : error

/** The same of one entity. */
export interface Opened extends Omit<OpenRange, "isIn"> {
  readonly isIn: (record: unknown) => boolean
}

/** Opens a range of what a ledger has. */
export const openRange = Effect.fnUntraced(function* (
  { files, folder }: Pick<FolderParts.Source, "files" | "folder">,
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
    isAsked,
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
        changedOr(folder, entry)
      )
  }
  return opened
})

interface RecordRows extends FolderParts.Rows {
  readonly records: ReadonlyArray<unknown>
}

/** Records as rows. */
export const rowsOfRecords = (
  fields: Keys.Fields,
  records: ReadonlyArray<unknown>,
  isAsked: (record: unknown) => boolean
): RecordRows => {
  const batch = Batch.of(records)
  const textAt = (index: number, name: string) =>
    batch === undefined ? Keys.textAt(records[index], name) : (LazyLines.textAt(batch, index, name) ?? "")
  return {
    records,
    length: records.length,
    entityAt: (index) => fields.fixed ?? textAt(index, fields.entity),
    timeAt: (index) => Keys.normal(textAt(index, "time")),
    isAsked: (index) => isAsked(records[index]),
    ready: Effect.void
  }
}

/** The records of a range behind a place, which goes on with them. */
const streamOf = Effect.fnUntraced(function* (
  source: FolderParts.Source,
  ledger: Ledger.Ledger,
  series: Series,
  range: HeldRange,
  place: FolderParts.Place
) {
  const { build, entriesOf, isAsked, recordsOf } = yield* openRange(source, ledger, series, range)
  const parts = FolderParts.of(source, ledger, range, place, entriesOf, (entry, times, check) => {
    const fields = fieldsOf(ledger, entry)
    return Stream.mapArray(recordsOf(entry, times, check), (records) => [rowsOfRecords(fields, records, isAsked)])
  })
  // Type boundary: no part is empty.
  return Stream.mapArray(
    parts,
    (parts) => parts.flatMap((part) => recordsIn(part, build)) as unknown as Arr.NonEmptyReadonlyArray<unknown>
  )
})

/** The records of a part, as the service has them. */
export const recordsIn = (
  { from, name, rows: { records }, to }: FolderParts.Part<RecordRows>,
  build: OpenRange["build"]
): ReadonlyArray<unknown> => {
  const some = from === 0 && to === records.length ? records : records.slice(from, to)
  return build === undefined ? some : some.map((record) => build(name, record))
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

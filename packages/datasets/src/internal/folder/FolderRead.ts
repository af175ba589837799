/**
 * Reads records of a folder back, in the order of the series.
 *
 * A sync may go on meanwhile. The files are those of one moment of the ledger; what replaces one of them later has its records too, since
 * a record never moves to another file.
 */
import type * as Endpoint from "@sluice/core/Endpoint"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as Pull from "effect/Pull"
import * as Stream from "effect/Stream"
import * as Format from "@sluice/files/Format"
import type { Files } from "@sluice/files/internal/folder/Files"
import { FileChanged } from "@sluice/files/internal/folder/FolderError"
import type { StoreError } from "../model/DatasetError.ts"
import type { Definition } from "../model/Definition.ts"
import * as Keys from "../model/Keys.ts"
import type { HeldRange, HeldRecords, Series } from "../model/Store.ts"
import type * as Ledger from "./Ledger.ts"
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
const mayHave = ({ entity, first, last }: Ledger.FileEntry, name: string, { from, to }: HeldRange): boolean =>
  (entity === undefined || entity === name) && (from === undefined || last >= from) && (to === undefined || first < to)

/** By their periods, and within one by their first records, as the records of an entity are. */
const inOrder = (a: Ledger.FileEntry, b: Ledger.FileEntry): number => {
  const [one = "", other = ""] = [a.period, b.period]
  return one === other ? Keys.compare(a.start, b.start) : one < other ? -1 : 1
}

/** The records of a range. */
export const records =
  (files: Files, folder: string, ledger: Ledger.Ledger) =>
  (series: Series, range: HeldRange): HeldRecords =>
    Stream.unwrap(
      Effect.map(openRange(files, folder, ledger, series, range), ({ build, entriesOf, isIn, recordsOf }) => {
        const all = range.entities.flatMap((name) => entriesOf(name).map((entry) => ({ name, entry })))
        return Stream.flatMap(Stream.rechunk(Stream.fromIterable(all), 1), ({ entry, name }) =>
          chosen(recordsOf(entry), (batch) =>
            batch.filter(isIn(name, fieldsOf(ledger, entry))).map((record) => build(name, record))
          )
        )
      })
    )

/** Arrays of what is chosen of those of a stream. */
const chosen = <A, E>(
  self: Stream.Stream<unknown, E>,
  choose: (batch: ReadonlyArray<unknown>) => ReadonlyArray<A>
): Stream.Stream<A, E> =>
  Stream.transformPull(self, (pull) => {
    const next: Pull.Pull<Arr.NonEmptyReadonlyArray<A>, E> = Effect.flatMap(pull, (batch) => {
      const own = choose(batch)
      return Arr.isReadonlyArrayNonEmpty(own) ? Effect.succeed(own) : next
    })
    return Effect.succeed(next)
  })

/** How records of a file or a partition are found. */
export const fieldsOf = (
  { field }: Pick<Ledger.Ledger, "field">,
  { entity }: { readonly entity?: string | undefined }
): Keys.Fields => ({
  entity: field,
  ...(entity === undefined ? {} : { fixed: entity })
})

/** What reads the files of a range. */
export const openRange = Effect.fnUntraced(function* (
  files: Files,
  folder: string,
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
    entriesOf: (name: string) => entries.filter((entry) => mayHave(entry, name, range)),
    isIn: (name: string, fields: Keys.Fields) => (record: unknown) => {
      const time = Keys.timeOf(record)
      const isOwn = Keys.entityOf(fields, record) === name && isAsked(record)
      return isOwn && (range.from === undefined || time >= range.from) && (range.to === undefined || time < range.to)
    },
    recordsOf: (entry: Ledger.FileEntry) =>
      Stream.mapError(
        ReadBack.records(files, files.join(folder, entry.path), format, json, range),
        (error): StoreError =>
          error._tag === "Unreadable" ? new FileChanged({ folder, file: entry.path, reason: error.reason }) : error
      )
  }
  return opened
})

/** What reads the files of a range. */
export interface OpenRange {
  /** Makes a record of the service of one of a file. */
  readonly build: (entity: string, record: unknown) => unknown
  readonly entriesOf: (entity: string) => ReadonlyArray<Ledger.FileEntry>
  readonly isIn: (entity: string, fields: Keys.Fields) => (record: unknown) => boolean
  readonly recordsOf: (entry: Ledger.FileEntry) => Stream.Stream<unknown, StoreError>
}

/** The same of one entity. */
export type Opened = Omit<OpenRange, "isIn"> & { readonly isIn: (record: unknown) => boolean }

/** Builds what makes a record of the service of one of a file, with the metrics that were asked for. */
const builderOf = Effect.fnUntraced(function* (
  endpoint: Endpoint.Any,
  { params }: Definition,
  { field, format, layout }: Ledger.Ledger,
  others: ReadonlySet<string>
) {
  const isOther = (name: string) => others.has(name.replace(/-status(?:-time)?$/, "")) || others.has(name)
  if (format.as === "ndjson") {
    return (_: string, record: unknown): unknown =>
      Predicate.isObject(record)
        ? Object.fromEntries(Object.entries(record).filter(([name]) => !isOther(name)))
        : record
  }
  const columns = (yield* Format.columns(endpoint, params)).filter(({ name }) => !isOther(name))
  const readers = columns.map(({ kind, name }) => [name, readerOf(kind)] as const)
  return (entity: string, record: unknown): unknown => {
    const built: Record<string, unknown> = {}
    for (const [name, read] of readers) {
      const value = layout.byEntity && name === field ? entity : Reflect.get(Object(record), name)
      if (value !== undefined) built[name] = read(value)
    }
    return built
  }
})

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
    Stream.unwrap(streamOf(files, folder, ledger, series, range))

const streamOf = Effect.fnUntraced(function* (
  files: Files,
  folder: string,
  ledger: Ledger.Ledger,
  { endpoint }: Series,
  range: HeldRange
) {
  const { definition, field, format } = ledger
  const json = yield* Table.jsonOf(endpoint, ledger)
  const build = yield* builderOf(endpoint, definition, ledger, new Set(range.others))
  const entries = [...ledger.files.values()].toSorted(inOrder)
  const all = range.entities.flatMap((name) =>
    entries.filter((entry) => mayHave(entry, name, range)).map((entry) => ({ name, entry }))
  )
  // A record that has none of the metrics that are asked for is of the others alone. The service may have it with nulls: a file does not
  // tell the two apart.
  const isAsked = (record: unknown) =>
    range.others.length === 0 || range.metrics.some((name) => !Predicate.isNullish(Reflect.get(Object(record), name)))
  const of = ({ entry, name }: (typeof all)[number]) => {
    const fields: Keys.Fields = { entity: field, ...(entry.entity === undefined ? {} : { fixed: entry.entity }) }
    const isIn = (record: unknown) => {
      const time = Keys.timeOf(record)
      const isOwn = Keys.entityOf(fields, record) === name && isAsked(record)
      return isOwn && (range.from === undefined || time >= range.from) && (range.to === undefined || time < range.to)
    }
    const read = ReadBack.records(files, files.join(folder, entry.path), format, json, range)
    return Stream.transformPull(read, (pull) => {
      const next: typeof pull = Effect.flatMap(pull, (batch) => {
        const own = batch.filter(isIn).map((record) => build(name, record))
        return Arr.isReadonlyArrayNonEmpty(own) ? Effect.succeed(own) : next
      })
      return Effect.succeed(next)
    }).pipe(
      Stream.mapError((error): StoreError =>
        error._tag === "Unreadable" ? new FileChanged({ folder, file: entry.path, reason: error.reason }) : error
      )
    )
  }
  return Stream.flatMap(Stream.rechunk(Stream.fromIterable(all), 1), of)
})

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

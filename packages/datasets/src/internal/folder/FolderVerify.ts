/**
 * Proves that the files of a dataset are those that were written: by their checksums, and by reading every record.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Checksum from "@sluice/files/internal/folder/Checksum"
import type { Files } from "@sluice/files/internal/folder/Files"
import { BookkeepingDamaged, FileChanged } from "@sluice/files/internal/folder/FolderError"
import { DatasetDamaged, FileMissing } from "../model/DatasetError.ts"
import type { Verifying } from "../model/Event.ts"
import * as Keys from "../model/Keys.ts"
import * as Layout from "../ledger/Layout.ts"
import type * as Ledger from "../ledger/Ledger.ts"
import * as Past from "../ledger/Past.ts"
import * as Moment from "../model/Moment.ts"
import * as ReadBack from "./ReadBack.ts"
import type { Held, Series } from "../model/Store.ts"

/** Why a file is taken for changed. */
export const differs = "its SHA-256 is not the one in the ledger"

/** Issues that are told of a dataset. */
const most = 100

/**
 * Reads every file twice: as bytes for its checksum, and as records for their order, their repeats and their number. Fails with
 * `FileChanged`, which names all changed files, with `FileMissing`, or with `DatasetDamaged`. Touches nothing.
 */
export const all = Effect.fnUntraced(function* (
  files: Files,
  folder: string,
  ledger: Ledger.Ledger,
  series: Series,
  json: ReadonlySet<string>,
  emit: (event: Verifying) => Effect.Effect<unknown>
) {
  const changed: Array<string> = []
  const missing: Array<string> = []
  const issues: Array<string> = []
  const damaged: Array<string> = []
  let [verified, records] = [0, 0]
  const entries = [...ledger.files.values()]
  const ends = endsOf(entries)
  for (const entry of entries) {
    const path = files.join(folder, entry.path)
    const sha256 = yield* checksumOf(files, path)
    if (sha256 === undefined) missing.push(entry.path)
    else if (sha256 !== entry.sha256) changed.push(entry.path)
    else {
      const check = makeCheck(entry, series, ends.get(entry.path))
      yield* ReadBack.records(files, path, ledger.format, json).pipe(
        Stream.runForEachArray((batch) => Effect.sync(() => check.see(batch))),
        Effect.catchTag("Unreadable", ({ reason }) =>
          Effect.fail(new FileChanged({ folder, file: entry.path, reason }))
        )
      )
      const found = check.issues()
      issues.push(...found.map((issue) => `${entry.path} ${issue}`))
      if (found.length > 0) damaged.push(entry.path)
      records += entry.rows
    }
    verified += 1
    yield* emit({ _tag: "Verifying", dataset: folder, files: entries.length, verified, records })
  }
  const [file, ...others] = changed
  if (file !== undefined) {
    const more = { ...(others.length === 0 ? {} : { others }), ...(missing.length === 0 ? {} : { missing }) }
    return yield* new FileChanged({ folder, file, ...more, reason: differs })
  }
  const [lost, ...also] = missing
  if (lost !== undefined) {
    return yield* new FileMissing({ dataset: folder, file: lost, ...(also.length === 0 ? {} : { others: also }) })
  }
  if (issues.length > 0) {
    return yield* new DatasetDamaged({
      dataset: folder,
      issues: issues.slice(0, most),
      ...(damaged.length === 0 ? {} : { files: damaged.slice(0, most) })
    })
  }
})

/** Where the next file of its partition begins, by the path of a file; nothing of the last. */
const endsOf = (entries: ReadonlyArray<Ledger.FileEntry>): ReadonlyMap<string, Keys.Key> => {
  const ends = new Map<string, Keys.Key>()
  for (const members of Map.groupBy(entries, ({ entity, period }) => Layout.idOf({ entity, period })).values()) {
    let next: Keys.Key | undefined
    let last: Keys.Key | undefined
    for (const { path, start } of members.toSorted((a, b) => Keys.compare(b.start, a.start))) {
      if (last !== undefined && Keys.compare(start, last) < 0) next = last
      if (next !== undefined) ends.set(path, next)
      last = start
    }
  }
  return ends
}

/** The checksum of a file; nothing where it is missing. */
export const checksumOf = Effect.fnUntraced(function* (files: Files, path: string) {
  if ((yield* files.size(path)) === undefined) return undefined
  const checksum = Checksum.make()
  yield* files.scan(path, (piece) => Effect.sync(() => checksum.add(piece)))
  return checksum.end()
})

/** Checks the records of a file one after the other. */
const makeCheck = (entry: Ledger.FileEntry, { entity, identity }: Series, end: Keys.Key | undefined) => {
  const fields: Keys.Fields = { entity, ...(entry.entity === undefined ? {} : { fixed: entry.entity }) }
  const partition: Layout.Partition = { entity: entry.entity, period: entry.period }
  const to = end ?? Layout.endOf(partition)
  const issues = new Set<string>()
  const faultOf = Moment.makeCheck()
  let rows = 0
  let before: Keys.Key = { entity: "", time: "" }
  /** What tells the records of one time apart. */
  let seen = new Set<string>()
  const idOf = (record: unknown) =>
    identity === undefined
      ? ""
      : JSON.stringify(identity.length === 0 ? record : identity.map((name) => Reflect.get(Object(record), name)))
  const one = (record: unknown) => {
    const key = Keys.keyOf(fields, record)
    const order = Keys.compare(before, key)
    if (order > 0) issues.add(`has the record of ${key.entity} at ${key.time} behind a later one`)
    const fault = order === 0 ? undefined : faultOf(key.time ?? "")
    if (fault !== undefined) issues.add(`has the record of ${key.entity} at ${key.time}, which ${fault}`)
    if (order !== 0) seen = new Set()
    const id = idOf(record)
    if (seen.has(id)) issues.add(`has the record of ${key.entity} at ${key.time} twice`)
    seen.add(id)
    if (
      !Keys.isBefore(fields, record, to) ||
      !(partition.period === undefined || key.time?.startsWith(partition.period))
    ) {
      issues.add(`has the record of ${key.entity} at ${key.time}, which belongs to another file`)
    }
    before = key
    rows += 1
  }
  return {
    see: (batch: ReadonlyArray<unknown>) => {
      for (const record of batch) one(record)
    },
    issues: () => [...issues, ...(rows === entry.rows ? [] : [`has ${rows} records and not ${entry.rows}`])]
  }
}

/** What a folder holds, by entity. */
export const held = Effect.fnUntraced(function* (files: Files, folder: string, ledger: Ledger.Ledger) {
  const held = new Map<string, Held>()
  for (const { entity, first, last, rows } of ledger.files.values()) {
    if (entity === undefined) continue
    const before = held.get(entity)
    held.set(entity, {
      entity,
      rows: (before?.rows ?? 0) + rows,
      first: before === undefined || first < before.first ? first : before.first,
      last: before === undefined || last > before.last ? last : before.last
    })
  }
  if (!ledger.layout.byEntity) yield* count(files, folder, ledger, held)
  return [...held.values()].toSorted((a, b) => (a.entity < b.entity ? -1 : 1))
})

/** Counts the records of each entity in files that entities share. */
const count = Effect.fnUntraced(function* (
  files: Files,
  folder: string,
  ledger: Ledger.Ledger,
  held: Map<string, Held>
) {
  const fields: Keys.Fields = { entity: ledger.field }
  const add = (record: unknown) => {
    const entity = Keys.entityOf(fields, record)
    const time = Keys.timeOf(record)
    const { first, last, rows } = held.get(entity) ?? { first: time, last: time, rows: 0 }
    held.set(entity, {
      entity,
      rows: rows + 1,
      first: time < first ? time : first,
      last: time > last ? time : last
    })
  }
  for (const { path } of ledger.files.values()) {
    yield* ReadBack.records(files, files.join(folder, path), ledger.format, new Set()).pipe(
      Stream.runForEachArray((batch) => Effect.sync(() => batch.forEach(add))),
      Effect.catchTag("Unreadable", ({ reason }) => Effect.fail(new FileChanged({ folder, file: path, reason })))
    )
  }
})

/** Fails for a history that is not as it was written. */
export const histories = Effect.fnUntraced(function* (
  files: Files,
  folder: string,
  bookkeeping: string,
  entries: Ledger.Ledger["histories"] = new Map()
) {
  for (const { path, sha256 } of entries.values()) {
    const file = files.join(bookkeeping, Past.histories, path)
    if ((yield* files.size(file)) !== undefined && (yield* checksumOf(files, file)) === sha256) continue
    return yield* new BookkeepingDamaged({ folder, file, reason: differs })
  }
})

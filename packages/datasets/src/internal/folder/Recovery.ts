/**
 * Takes the folder of a dataset: completes or undoes what a kill left half done, and begins a ledger where there is none.
 */
import * as Effect from "effect/Effect"
import * as Struct from "effect/Struct"
import * as Format from "@sluice/files/Format"
import * as Files from "@sluice/files/internal/folder/Files"
import { BookkeepingDamaged, FileChanged } from "@sluice/files/internal/folder/FolderError"
import * as Lock from "@sluice/files/internal/folder/Lock"
import { isObject } from "@sluice/files/internal/storage/Objects"
import type * as Changes from "../ledger/Changes.ts"
import type { Definition } from "../model/Definition.ts"
import * as Layout from "../ledger/Layout.ts"
import * as Ledger from "../ledger/Ledger.ts"
import * as Past from "../ledger/Past.ts"
import * as LeftColumns from "../model/LeftColumns.ts"
import * as Moment from "../model/Moment.ts"

/** Paths of a folder's bookkeeping. */
export interface Paths {
  readonly folder: string
  readonly bookkeeping: string
  /** The folder of files that are being written. */
  readonly parts: string
}

/** What a new ledger begins with. */
export interface Beginning {
  readonly definition: Definition
  readonly field: string
  readonly layout: Layout.Layout
  readonly format: Format.Options
  /** Also of a ledger that there is; absent as that has it. */
  readonly snapshots?: Ledger.Ledger["snapshots"] | "none"
}

/** Reads the ledger of a locked folder, brings the folder in accord with it, and writes it as one. */
export const recover = Effect.fnUntraced(function* (files: Files.Files, paths: Paths, beginning: Beginning) {
  const { bookkeeping, folder, parts } = paths
  const found = yield* Ledger.take(files, folder, bookkeeping)
  const names = (yield* files.names(bookkeeping)) ?? []
  if (found === undefined) {
    for (const changes of names) {
      if (Ledger.momentOf(changes) === undefined) continue
      if (!(yield* Ledger.hasChanges(files, files.join(bookkeeping, changes)))) continue
      const file = files.join(bookkeeping, Ledger.name)
      return yield* new BookkeepingDamaged({ folder, file, reason: `it is missing, although there is ${changes}` })
    }
  }
  yield* files.makeFolder(parts)
  yield* files.expectFolder(parts)
  if (found !== undefined && found.changes > 0) {
    // A killed process may not have flushed its last line. A loss of power could drop it and keep the files that are renamed next.
    yield* files.sync(files.join(bookkeeping, Ledger.changesName(found.moment)))
    yield* complete(files, paths, found)
  }
  for (const name of (yield* files.names(parts)) ?? []) {
    // Should another have the folder by now, which only a bucket allows, its parts are of a later moment.
    const isOther = isObject(folder) && Number(/^(\d+)-\d+\.part$/.exec(name)?.[1] ?? 0) > (found?.moment ?? 0)
    if (!isOther) yield* files.remove(files.join(parts, name))
  }
  const unfinished = names.filter((name) => name === Ledger.name + Files.unfinished || Lock.isUnfinished(name))
  yield* Effect.forEach(unfinished, (name) => files.remove(files.join(bookkeeping, name)), { discard: true })
  const known: Omit<Ledger.Ledger, "tag" | "parts" | "deleted" | "merged" | "isCut"> = found ?? {
    ...beginning,
    snapshots: undefined,
    moment: 0,
    files: new Map<string, Ledger.FileEntry>(),
    cursors: new Map(),
    removed: isObject(folder) ? new Set<string>() : undefined,
    changes: 0
  }
  const missing = yield* compare(files, folder, known.files)
  yield* expectHistories(files, folder, bookkeeping, known.histories)
  yield* expectKnown(files, folder, Format.extension(known.format), known.files)
  const working = without(known, missing)
  const { snapshots: asked = found?.snapshots } = beginning
  const snapshots = asked === "none" ? undefined : asked
  const moments = names.flatMap((name) => Ledger.momentOf(name) ?? [])
  const begin = Effect.gen(function* () {
    const { field, format } = known
    // None that anybody else may have begun.
    const moment = Math.max(known.moment, ...moments) + 1
    const whole = { ...working, moment, field, format, snapshots }
    return { moment, tag: yield* Ledger.write(files, bookkeeping, whole, found?.tag) }
  })
  const isSame = found !== undefined && found.snapshots === snapshots
  const isCurrent = isSame && found.changes === 0 && !found.isCut && missing.length === 0
  const begun: Changes.Moment = isCurrent ? found : yield* begin
  const old = moments.filter((moment) => moment !== begun.moment).map(Ledger.changesName)
  yield* Effect.forEach(old, (name) => files.remove(files.join(bookkeeping, name)), { discard: true })
  return { moment: begun, working, format: known.format, snapshots }
})

/**
 * Fails for a file of records that the ledger does not have: its last lines were lost, and readers of the folder would find
 * records twice.
 */
export const expectKnown = Effect.fnUntraced(function* (
  files: Files.Files,
  folder: string,
  extension: string,
  known: ReadonlyMap<string, unknown>
) {
  const folders = [""]
  for (let below = folders.pop(); below !== undefined; below = folders.pop()) {
    for (const name of (yield* files.names(files.join(folder, below))) ?? []) {
      const path = `${below}${name}`
      // The folders of partitions are named `field=value`.
      if (/^[^.=]+=/.test(name)) folders.push(`${path}/`)
      else if (name.endsWith(extension) && !name.startsWith(".") && !known.has(path)) {
        const reason = "the bookkeeping does not have it: a part of it was lost, or the file is of somebody else"
        return yield* new BookkeepingDamaged({ folder, file: path, reason })
      }
    }
  }
})

/** What a ledger says, without the files that are missing. */
const without = (
  ledger: Pick<Ledger.Ledger, "definition" | "layout" | "files" | "cursors" | "removed" | keyof Past.Held>,
  missing: ReadonlyArray<Ledger.FileEntry>
) => {
  const working: Ledger.Working = {
    definition: ledger.definition,
    layout: ledger.layout,
    files: new Map(ledger.files),
    cursors: new Map(ledger.cursors),
    parts: new Map(),
    deleted: new Set(),
    merged: new Set(),
    removed: ledger.removed === undefined ? undefined : new Set(ledger.removed),
    ...Past.begin(ledger)
  }
  for (const entry of missing) forget(working, entry)
  return working
}

/** What a run would begin with, and the files that it would miss. Touches nothing, and waits for no other process. */
export const foresee = Effect.fnUntraced(function* (files: Files.Files, paths: Paths, ledger: Ledger.Ledger) {
  const left = new Set((yield* files.names(paths.parts)) ?? [])
  // They get their names when the next run begins.
  const named = new Map([...ledger.files].filter(([path]) => !left.has(ledger.parts.get(path) ?? "")))
  const missing = yield* compare(files, paths.folder, named)
  const { cursors, definition, ...past } = without(ledger, missing)
  const isCompacting = !Layout.hasOnePeriod(ledger.layout, [
    ...ledger.files.values(),
    ...(ledger.histories?.values() ?? [])
  ])
  return { kept: { definition, cursors }, past, missing: missing.map(({ path }) => path), isCompacting }
})

/** Whether files have yet to get their names, or to be removed, as the changes in the ledger say. */
export const isPending = Effect.fnUntraced(function* (
  files: Files.Files,
  { folder, parts }: Paths,
  ledger: Ledger.Ledger
) {
  const left = new Set((yield* files.names(parts)) ?? [])
  // A part that no change names has taken no effect.
  for (const [path, part] of ledger.parts) if (left.has(part) && isNamed(ledger, path)) return true
  for (const path of ledger.deleted) {
    if ((yield* files.size(files.join(folder, path))) !== undefined) return true
  }
  return false
})

/** Whether the ledger has a file or a history of a path. */
const isNamed = ({ files, histories }: Ledger.Ledger, path: string): boolean =>
  files.has(path) || histories?.has(path) === true

/** Fails where a history is missing, or is another: no version may be lost in silence. */
export const expectHistories = Effect.fnUntraced(function* (
  files: Files.Files,
  folder: string,
  bookkeeping: string,
  entries: Ledger.Ledger["histories"] = new Map()
) {
  for (const { bytes, path } of entries.values()) {
    const file = files.join(bookkeeping, Past.histories, path)
    const size = yield* files.size(file)
    if (size === bytes) continue
    const reason = size === undefined ? "it is missing, and with it versions of records" : "it was changed"
    return yield* new BookkeepingDamaged({ folder, file, reason })
  }
})

/** Gives parts their names, and removes files, as the changes in the ledger say. */
const complete = Effect.fnUntraced(function* (
  files: Files.Files,
  { bookkeeping, folder, parts }: Paths,
  ledger: Ledger.Ledger
) {
  for (const [path, part] of ledger.parts) {
    const from = files.join(parts, part)
    if ((yield* files.size(from)) === undefined || !isNamed(ledger, path)) continue
    if (!ledger.files.has(path)) {
      yield* files.makeFolder(files.join(bookkeeping, Past.histories))
      yield* files.rename(from, files.join(bookkeeping, Past.histories, path))
      continue
    }
    yield* files.makeFolder(files.join(folder, ...path.split("/").slice(0, -1)))
    yield* files.rename(from, files.join(folder, path))
  }
  for (const path of ledger.deleted) yield* files.remove(files.join(folder, path))
  yield* removeFolders(files, { bookkeeping, folder, parts }, ledger.deleted)
  for (const path of ledger.merged) yield* files.remove(files.join(bookkeeping, Past.histories, path))
})

const above = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf("/")))

/** Removes the folders of files that were removed, where nothing else is in them. */
export const removeFolders = Effect.fnUntraced(function* (
  files: Files.Files,
  { bookkeeping, folder }: Paths,
  paths: ReadonlyArray<string>
) {
  let some = new Set(paths.map(above))
  while (some.size > 0) {
    some.delete("")
    for (const path of some) {
      yield* Effect.ignore(
        files.removeFolder(files.join(folder, ...path.split("/")), files.join(bookkeeping, "emptied"))
      )
    }
    some = new Set([...some].map(above))
  }
})

/** Gives the files that are missing. Fails for one that somebody else has changed. */
const compare = Effect.fnUntraced(function* (
  files: Files.Files,
  folder: string,
  entries: ReadonlyMap<string, Ledger.FileEntry>
) {
  const missing: Array<Ledger.FileEntry> = []
  for (const entry of entries.values()) {
    const size = yield* files.size(files.join(folder, entry.path))
    if (size === undefined) missing.push(entry)
    else if (size !== entry.bytes) {
      const reason = `it had ${entry.bytes} bytes and has ${size}`
      return yield* new FileChanged({ folder, file: entry.path, reason })
    }
  }
  return missing
})

/**
 * Forgets a file that was removed: its times are asked for again, of its entity or of all, until they were read. What
 * the last run read is forgotten too, since the same again would be no news.
 */
const forget = (working: Ledger.Working, { entity, first, last, path }: Ledger.FileEntry) => {
  const { cursors, files } = working
  files.delete(path)
  const missing = { from: Moment.floor(first), to: Moment.nextMilli(last) }
  const concerned = entity === undefined ? [...cursors.keys()] : [entity]
  for (const name of concerned) {
    const cursor = cursors.get(name)
    if (cursor === undefined) continue
    Past.noteLost(working, name, missing)
    const rest = Struct.omit(LeftColumns.lose(cursor, missing), ["seen"])
    cursors.set(name, { ...rest, todo: [...(cursor.todo ?? []), missing] })
  }
}

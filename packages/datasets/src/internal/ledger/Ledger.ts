/**
 * The bookkeeping of a dataset's folder: the files it has, and how far each entity is.
 *
 * `dataset.json` has the whole of it at one moment, and `changes-N.journal` a line for each change since, `N` being the
 * number of that moment. Its first line names the moment that it belongs to, and it is there before `dataset.json` is, so a folder
 * that lacks it, or has another, was damaged. A change has taken effect when its line is on the disk: its files are complete then, under the
 * names of parts, and get their own names afterwards, which a run that finds parts makes up for. A line that a kill cut
 * has not taken effect. Any other damage was done by somebody else, so nothing is touched.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Format from "@sluice/files/Format"
import * as Bookkeeping from "@sluice/files/internal/folder/Bookkeeping"
import * as Checksum from "@sluice/files/internal/folder/Checksum"
import * as ChecksummedJson from "@sluice/files/internal/folder/ChecksummedJson"
import type { Files, Read } from "@sluice/files/internal/folder/Files"
import { BookkeepingDamaged } from "@sluice/files/internal/folder/FolderError"
import { isObject } from "@sluice/files/internal/storage/Objects"
import { NewerVersion } from "../model/DatasetError.ts"
import { Definition } from "../model/Definition.ts"
import * as Layout from "./Layout.ts"
import * as Past from "./Past.ts"
import { Cursor } from "../model/Store.ts"

/** The version of the bookkeeping. */
export const version = 1

/** Name in the bookkeeping folder. */
export const name = Bookkeeping.ofDataset

/** The name of the file with the changes since a moment: no extension of a format, since globs of readers meet it. */
export const changesName = (moment: number) => `changes-${moment}.journal`

/** The moment whose changes a file has; nothing for another file. */
export const momentOf = (file: string): number | undefined => {
  const found = /^changes-(\d+)\.journal$/.exec(file)?.[1]
  return found === undefined ? undefined : Number(found)
}

// No part of a path that leads out of the folder, whatever a ledger contains.
const path = Schema.String.check(Schema.isPattern(/^(?!\.)[^/\\\0]+(?:\/(?!\.)[^/\\\0]+)*$/))

/** Schema of {@link FileEntry}. */
export const FileEntry = Schema.Struct({
  /** Path below the folder of the dataset. */
  path,
  entity: Schema.optionalKey(Schema.String),
  period: Schema.optionalKey(Schema.String),
  /** Where its records begin: those before are in the file before it, if there is one. */
  start: Schema.Struct({ entity: Schema.String, time: Schema.String }),
  rows: Schema.Int,
  /** Times of the first and the last record; of several entities, of the earliest and the latest. */
  first: Schema.String,
  last: Schema.String,
  bytes: Schema.Int,
  /** Of the file, as lower-case hexadecimal text: what `sha256sum` prints. */
  sha256: Schema.String
})
/** A file. */
export interface FileEntry extends Schema.Schema.Type<typeof FileEntry> {}

/** Schema of {@link Line}. */
const Line = Schema.Struct({
  definition: Schema.optionalKey(Definition),
  /** How files are cut from here on: those of shorter periods are to be compacted. */
  layout: Schema.optionalKey(Layout.Layout),
  /** Whether all is done that the changes before it say: their files have their names, or are removed. */
  isDone: Schema.optionalKey(Schema.Boolean),
  /** Files that were written, and the name of the part that each was written as. */
  files: Schema.Array(Schema.Struct({ ...FileEntry.fields, part: Schema.String })),
  deleted: Schema.Array(path),
  cursors: Schema.Array(Cursor),
  forget: Schema.Array(Schema.String),
  /** Histories that were written, and their parts. */
  histories: Schema.optionalKey(Schema.Array(Schema.Struct({ ...Past.HistoryEntry.fields, part: Schema.String }))),
  /** Those that are part of others now. */
  merged: Schema.optionalKey(Schema.Array(Schema.String)),
  looked: Schema.optionalKey(Past.Looked)
})
/** A change, as a line of the ledger. */
export interface Line extends Schema.Schema.Type<typeof Line> {}

const Snapshot = Schema.Struct({
  dataset: Schema.Literal(version),
  moment: Schema.Int,
  definition: Definition,
  /** The field that names a record's entity. */
  field: Schema.String,
  layout: Layout.Layout,
  format: Format.Options,
  /** What others read while it changes. */
  snapshots: Schema.optionalKey(Schema.Literals(["delta", "ducklake"])),
  files: Schema.Array(FileEntry),
  cursors: Schema.Array(Cursor),
  /** Paths of files that were ever removed, in a bucket; see {@link Working}. */
  removed: Schema.optionalKey(Schema.Array(path)),
  ...Past.fields
})
/** The ledger at one moment. */
export interface Snapshot extends Schema.Schema.Type<typeof Snapshot> {}

/** What a ledger says. */
export interface Ledger extends Past.Held {
  readonly moment: number
  readonly definition: Definition
  readonly field: string
  readonly layout: Layout.Layout
  readonly format: Format.Options
  readonly snapshots?: Snapshot["snapshots"] | undefined
  /** By path. */
  readonly files: ReadonlyMap<string, FileEntry>
  /** By entity. */
  readonly cursors: ReadonlyMap<string, Cursor>
  /** By path, the part that may not have its name yet. */
  readonly parts: ReadonlyMap<string, string>
  /** Files that may have to be removed yet. */
  readonly deleted: ReadonlyArray<string>
  /** Histories that may have to be. */
  readonly merged: ReadonlyArray<string>
  /** As in {@link Working}. */
  readonly removed: ReadonlySet<string> | undefined
  /** The number of changes since the moment. */
  readonly changes: number
  /** Whether a kill cut the last of them, which is none then. No line may follow it. */
  readonly isCut: boolean
  /** Of `dataset.json` in a bucket. */
  readonly tag: string
}

/** The first line of the changes since a moment: the checksum of `dataset.json`. */
const Head = Schema.Struct({ of: Schema.String })

const decodeHead = Schema.decodeUnknownResult(Head)

const decodeSnapshot = Schema.decodeUnknownEffect(Snapshot)

const decodeLine = Schema.decodeUnknownResult(Line)

/** Reads the ledger; nothing where there is none. Touches nothing. */
export const read = Effect.fnUntraced(function* (files: Files, folder: string, bookkeeping: string) {
  const file = files.join(bookkeeping, name)
  for (;;) {
    const found = yield* files.read(file)
    if (found === undefined) return undefined
    const ledger = yield* Effect.result(decode(files, folder, bookkeeping, found))
    // Its changes are removed when the next moment begins, which may be between the two.
    if ((yield* files.text(file)) === found.text) return yield* Effect.fromResult(ledger)
  }
})

/**
 * Reads the ledger of a folder that this process has locked.
 *
 * The lock of a bucket is a lease: whoever had it before may be suspended between its last look at the lock and a request, or the request
 * may be under way. So an empty change takes the next place in the file of changes. It is there only if nobody has added another one, and
 * what is added later, at the same place, is refused. The changes that were read are then all that take effect.
 */
export const take = Effect.fnUntraced(function* (files: Files, folder: string, bookkeeping: string) {
  for (;;) {
    const before = yield* read(files, folder, bookkeeping)
    if (before === undefined || !isObject(folder)) return before
    const writer = yield* files.open(files.join(bookkeeping, changesName(before.moment)), "end")
    const found = yield* read(files, folder, bookkeeping)
    if (found?.moment !== before.moment) continue
    yield* writer.write(encodeLine({ files: [], deleted: [], cursors: [], forget: [] }))
    const added = yield* Effect.result(writer.sync)
    if (Result.isSuccess(added)) return { ...found, changes: found.changes + 1 } satisfies Ledger
    if (added.failure.code !== "PreconditionFailed") return yield* added.failure
  }
}, Effect.scoped)

const decode = Effect.fnUntraced(function* (files: Files, folder: string, bookkeeping: string, { tag, text }: Read) {
  const file = files.join(bookkeeping, name)
  const opened = ChecksummedJson.open(text)
  if (Result.isFailure(opened)) return yield* new BookkeepingDamaged({ folder, file, reason: opened.failure })
  const found = Predicate.hasProperty(opened.success, "dataset") ? opened.success.dataset : undefined
  if (Predicate.isNumber(found) && found > version) {
    return yield* new NewerVersion({ dataset: folder, found, known: version })
  }
  const snapshot = yield* Effect.mapError(
    decodeSnapshot(opened.success),
    () => new BookkeepingDamaged({ folder, file, reason: "it was written by another version of Sluice" })
  )
  yield* expectNoneNewer(files, folder, bookkeeping, snapshot.moment)
  return { ...(yield* readChanges(files, folder, bookkeeping, snapshot, Checksum.ofText(text))), tag }
})

/** Whether a file has changes. That of a moment which a kill prevented has its first line alone. */
export const hasChanges = (files: Files, file: string) =>
  Effect.map(files.text(file), (text = "") => text.indexOf("\n") < text.length - 1)

/** Fails where there are changes since a later moment: `dataset.json` is older than they are. */
const expectNoneNewer = Effect.fnUntraced(function* (
  files: Files,
  folder: string,
  bookkeeping: string,
  moment: number
) {
  for (const name of (yield* files.names(bookkeeping)) ?? []) {
    if ((momentOf(name) ?? 0) <= moment) continue
    const file = files.join(bookkeeping, name)
    if (!(yield* hasChanges(files, file))) continue
    const reason = "it has changes that dataset.json, which is older, does not know"
    return yield* new BookkeepingDamaged({ folder, file, reason })
  }
})

const readChanges = Effect.fnUntraced(function* (
  files: Files,
  folder: string,
  bookkeeping: string,
  { cursors, files: entries, removed, ...snapshot }: Snapshot,
  checksum: string
) {
  const file = files.join(bookkeeping, changesName(snapshot.moment))
  const text = yield* files.text(file)
  const damaged = (reason: string) => new BookkeepingDamaged({ folder, file, reason })
  if (text === undefined)
    return yield* damaged("it is missing, and with it what has changed since dataset.json was written")
  const [first = "", ...lines] = text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .slice(0, -1)
  const head = Result.flatMap(ChecksummedJson.open(first), decodeHead)
  if (Result.isFailure(head)) return yield* damaged("its first line is missing, or damaged")
  if (head.success.of !== checksum) return yield* damaged("it belongs to another dataset.json than the one beside it")
  const state: Working = {
    definition: snapshot.definition,
    layout: snapshot.layout,
    files: new Map(entries.map((entry) => [entry.path, entry])),
    cursors: new Map(cursors.map((cursor) => [cursor.entity, cursor])),
    parts: new Map(),
    deleted: new Set(),
    merged: new Set(),
    removed: isObject(folder) ? new Set(removed) : undefined,
    ...Past.ofWritten(snapshot)
  }
  for (const [index, line] of lines.entries()) {
    const change = Result.flatMap(ChecksummedJson.open(line), decodeLine)
    if (Result.isFailure(change)) {
      return yield* damaged(`line ${index + 2} was edited, or damaged`)
    }
    add(state, change.success)
  }
  return {
    ...snapshot,
    ...state,
    deleted: [...state.deleted],
    merged: [...state.merged],
    changes: lines.length,
    isCut: !text.endsWith("\n")
  } satisfies Omit<Ledger, "tag">
})

/** A ledger to which changes are added. */
export interface Working extends Past.Past {
  definition: Definition
  layout: Layout.Layout
  readonly files: Map<string, FileEntry>
  readonly cursors: Map<string, Cursor>
  readonly parts: Map<string, string>
  readonly deleted: Set<string>
  readonly merged: Set<string>
  /**
   * Paths of files that were ever removed, in a bucket: no other file gets one of them. So a process that has lost the folder does no
   * harm where it removes, however late, what a change of its own says. Nothing on a disk.
   */
  readonly removed: Set<string> | undefined
}

/** Notes that all is done which the changes say. */
export const settle = ({ deleted, merged, parts }: Working): void => {
  parts.clear()
  deleted.clear()
  merged.clear()
}

/** Adds a change. */
export const add = (
  state: Working,
  { cursors, definition, deleted, files, forget, histories = [], isDone, layout, looked, merged = [] }: Line
): void => {
  if (definition !== undefined) state.definition = definition
  if (layout !== undefined) state.layout = layout
  if (isDone === true) settle(state)
  if (looked !== undefined) Past.noteLooked(state, state.cursors, looked)
  // Before the files, as they get their names: whoever reads a new file finds what it has replaced.
  for (const { part, ...entry } of histories) {
    state.histories.set(entry.path, entry)
    state.parts.set(entry.path, part)
  }
  for (const path of merged) {
    state.histories.delete(path)
    state.parts.delete(path)
    state.merged.add(path)
  }
  for (const path of deleted) {
    // Periods only grow, so a path of a shorter one is never used again.
    const entry = state.files.get(path)
    if (entry === undefined || Layout.periodOf(entry) === state.layout.period) state.removed?.add(path)
    state.files.delete(path)
    state.deleted.add(path)
  }
  for (const { part, ...entry } of files) {
    state.files.set(entry.path, entry)
    state.deleted.delete(entry.path)
    state.parts.set(entry.path, part)
  }
  for (const entity of forget) state.cursors.delete(entity)
  for (const cursor of cursors) {
    if (state.definition.versions !== undefined) Past.noteFresh(state, state.cursors.get(cursor.entity), cursor)
    state.cursors.set(cursor.entity, cursor)
  }
}

const sealed = (value: object) => `${JSON.stringify(ChecksummedJson.seal(value))}\n`

/** A line of the ledger as bytes. */
export const encodeLine = (line: Line): Uint8Array => new TextEncoder().encode(sealed(line))

/**
 * Writes the whole of a ledger atomically, as the next moment, and before it the file of the changes since. Changes since the
 * moment before are of no use any more. In a bucket the ledger has to be that with the tag `before`, or there is none; gives the tag
 * that it has then.
 */
export const write = Effect.fnUntraced(function* (
  files: Files,
  bookkeeping: string,
  {
    cursors,
    definition,
    field,
    files: entries,
    format,
    layout,
    moment,
    removed = new Set(),
    snapshots,
    ...past
  }: Omit<Ledger, "merged" | "parts" | "deleted" | "changes" | "isCut" | "tag">,
  before: string | undefined,
  changes: ReadonlyArray<Line> = []
) {
  const snapshot: Snapshot = {
    dataset: version,
    moment,
    definition,
    field,
    layout,
    format,
    ...(snapshots === undefined ? {} : { snapshots }),
    files: [...entries.values()],
    cursors: [...cursors.values()],
    ...(removed.size === 0 ? {} : { removed: [...removed] }),
    ...Past.write(past)
  }
  const text = sealed(snapshot)
  const lines = [{ of: Checksum.ofText(text) }, ...changes].map(sealed).join("")
  yield* files.put(files.join(bookkeeping, changesName(moment)), lines, "absent")
  return yield* files.put(files.join(bookkeeping, name), text, before === undefined ? "absent" : { tag: before })
})

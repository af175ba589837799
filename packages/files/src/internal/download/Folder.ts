/** The folder of a download: inspects it without touching it, then locks it. */
import * as Effect from "effect/Effect"
import * as Bookkeeping from "../folder/Bookkeeping.ts"
import * as Checksum from "../folder/Checksum.ts"
import { told } from "../folder/Differing.ts"
import * as Files from "../folder/Files.ts"
import {
  BookkeepingDamaged,
  FileChanged,
  FolderOccupied,
  NotFinished,
  NothingToResume,
  OtherJob
} from "../folder/FolderError.ts"
import * as Journal from "./Journal.ts"
import * as Lock from "../folder/Lock.ts"
import * as Manifest from "./Manifest.ts"

/** Name of the folder with the bookkeeping, inside the folder of the download. */
const bookkeeping = ".sluice"

/** Suffix of a file that is being written. */
const partial = ".part"

/** Whether to continue an unfinished run: if there is one, only if there is one, or never. */
export type Resume = "allowed" | "required" | "never"

/** What a download wants of its folder. */
export interface DownloadPlan {
  readonly folder: string
  readonly resume: Resume
  /** Whether to compare finished files with their checksums; with `resume: "never"`, nothing else is done. */
  readonly verify: boolean
  /** What the folder should hold. */
  readonly manifest: Manifest.Manifest
}

/** What a folder holds of a download. */
export interface FolderState {
  /** The manifest in the folder, or the one to be written. */
  readonly manifest: Manifest.Manifest
  /** Whether it is there already. */
  readonly isBegun: boolean
  /** Finished parts whose files are there. */
  readonly done: ReadonlyMap<number, Journal.Done>
  readonly journal: Journal.Read
  /** Parts that remain to be read. */
  readonly left: ReadonlyArray<Manifest.FilePart>
}

/** A folder that this process has locked, with an open journal. */
export interface ClaimedFolder extends FolderState, Lock.LockHandle {
  readonly add: (done: Journal.Done) => Effect.Effect<void, Files.FilesError>
}

/** Counts the finished parts of a download, and their records and bytes. */
export const count = ({ done }: FolderState) => {
  const entries = [...done.values()]
  return {
    done: done.size,
    records: entries.reduce((sum, { records }) => sum + records, 0),
    bytes: entries.reduce((sum, { bytes }) => sum + bytes, 0)
  }
}

/** Paths of the files in a folder. */
export const pathsOf = (files: Files.Files, folder: string) => {
  const inner = files.join(folder, bookkeeping)
  return {
    bookkeeping: inner,
    whole: (file: string) => files.join(folder, file),
    partial: (file: string) => files.join(inner, file + partial),
    /** Path of a file that one of several processes is writing. */
    partialOf: (file: string, writer: string) => files.join(inner, `${file}.${writer}${partial}`)
  }
}

/** What tells apart the unfinished files of several processes that read the same part. */
const writer = /\.[0-9a-f-]{36}(?=\.part$)/

/** Tells which names in the bookkeeping folder are files that this download has not finished writing. */
const unfinishedOf = ({ parts }: Manifest.Manifest) => {
  const puts = [Manifest.name, Journal.name].map((name) => name + Files.unfinished)
  const names = new Set([...puts, ...parts.map(({ file }) => file + partial)])
  return (name: string) => names.has(name.replace(writer, "")) || Lock.isUnfinished(name)
}

/** Returns when what was noted last is on the disk, and so are the names of files that were given before. */
export const sync = (files: Files.Files, folder: string) =>
  files.sync(files.join(pathsOf(files, folder).bookkeeping, Journal.name))

/** The manifest of a folder, without touching anything; undefined where there is none. */
export const manifestOf = (files: Files.Files, folder: string) =>
  Manifest.read(files, folder, pathsOf(files, folder).bookkeeping)

/**
 * Inspects the folder, without touching anything.
 *
 * A finished file that is missing will be read again; a finished file of another size fails with `FileChanged`. Fails with
 * `UnexpectedEntry` where something other than a regular file has a name that will be read, replaced or removed.
 */
export const inspect = Effect.fnUntraced(function* (files: Files.Files, plan: DownloadPlan) {
  const { folder } = plan
  const { bookkeeping } = pathsOf(files, folder)
  yield* files.expectFolder(bookkeeping)
  // `join` turns an empty path into the current folder.
  const names = new Set(yield* files.names(files.join(folder)))
  const found = yield* Manifest.read(files, folder, bookkeeping)
  if (found === undefined) {
    for (const name of [[Bookkeeping.ofDataset], Bookkeeping.ofLoad]) {
      if ((yield* files.size(files.join(bookkeeping, ...name))) !== undefined) {
        return yield* new FolderOccupied({ folder, files: [], found: "a dataset" })
      }
    }
    const journal = yield* Journal.read(files, folder, bookkeeping, Infinity)
    if (!journal.isEmpty) {
      const file = files.join(bookkeeping, Manifest.name)
      return yield* new BookkeepingDamaged({ folder, file, reason: "it is missing, although files were finished" })
    }
    const occupied = plan.manifest.parts.map(({ file }) => file).filter((file) => names.has(file))
    if (occupied.length > 0) return yield* new FolderOccupied({ folder, files: occupied })
    const isWanted = plan.resume === "required" || (plan.verify && plan.resume === "never")
    if (isWanted) return yield* new NothingToResume({ folder })
    const { manifest } = plan
    yield* leftovers(files, bookkeeping, manifest)
    const state: FolderState = { manifest, isBegun: false, done: journal.done, journal, left: manifest.parts }
    return state
  }
  const values = Manifest.differences(found, plan.manifest)
  if (values.length > 0) return yield* new OtherJob({ folder, ...told(values) })
  const journal = yield* settled(files, folder, found, bookkeeping)
  yield* leftovers(files, bookkeeping, found)
  const done = new Map<number, Journal.Done>()
  for (const { index, file } of found.parts) {
    if (!names.has(file)) continue
    // A file that is not in the journal will be replaced, so `size` has to fail for anything but a regular file.
    const size = yield* files.size(files.join(folder, file))
    const entry = journal.done.get(index)
    if (size === undefined || entry === undefined) continue
    if (size !== entry.bytes) {
      return yield* new FileChanged({ folder, file, reason: `it had ${entry.bytes} bytes and has ${size}` })
    }
    done.set(index, entry)
  }
  const left = found.parts.filter(({ index }) => !done.has(index))
  const state: FolderState = { manifest: found, isBegun: true, done, journal, left }
  return state
})

/**
 * Reads the journal. Where two processes have finished one part with different content, since the service revised it
 * meanwhile, the file itself tells which of them was last.
 */
const settled = Effect.fnUntraced(function* (
  files: Files.Files,
  folder: string,
  { parts }: Manifest.Manifest,
  bookkeeping: string
) {
  let journal = yield* Journal.read(files, folder, bookkeeping, parts.length)
  for (const [part, entries] of journal.disputed) {
    const file = files.join(folder, parts[part]?.file ?? "")
    const checksum = Checksum.make()
    if ((yield* files.size(file)) !== undefined) {
      yield* files.scan(file, (piece) => Effect.sync(() => checksum.add(piece)))
    }
    const sha256 = checksum.end()
    journal = Journal.settle(
      journal,
      part,
      entries.find((entry) => entry.sha256 === sha256)
    )
  }
  return journal
})

/** Fails with `NotFinished` for an unfinished run that must not be continued. */
export const refuseUnfinished = Effect.fnUntraced(function* ({ folder, resume }: DownloadPlan, state: FolderState) {
  const { done, isBegun, left, manifest } = state
  if (resume !== "never" || !isBegun || left.length === 0) return
  return yield* new NotFinished({ folder, done: done.size, parts: manifest.parts.length })
})

/** Paths of files in the bookkeeping folder that a kill left unfinished. */
export const leftovers = Effect.fnUntraced(function* (
  files: Files.Files,
  bookkeeping: string,
  manifest: Manifest.Manifest
) {
  const left = ((yield* files.names(bookkeeping)) ?? []).filter(unfinishedOf(manifest))
  const paths = left.map((name) => files.join(bookkeeping, name))
  yield* Effect.forEach(paths, files.size, { discard: true })
  return paths
})

/** Fails where another process writes into the folder. Touches nothing. */
export const refuseUsed = Effect.fnUntraced(function* (files: Files.Files, folder: string) {
  const { bookkeeping } = pathsOf(files, folder)
  yield* files.expectFolder(bookkeeping)
  yield* Lock.look(files, folder, bookkeeping)
})

/**
 * Locks the folder until the scope closes, inspects it again, and prepares it: writes the manifest, and removes files that a
 * kill left unfinished.
 */
export const claim = Effect.fnUntraced(function* (files: Files.Files, plan: DownloadPlan) {
  const { bookkeeping } = pathsOf(files, plan.folder)
  yield* files.makeFolder(bookkeeping)
  yield* files.expectFolder(bookkeeping)
  const hold = yield* Lock.hold(files, plan.folder, bookkeeping)
  const state = yield* inspect(files, plan)
  yield* refuseUnfinished(plan, state)
  yield* Effect.forEach(yield* leftovers(files, bookkeeping, state.manifest), files.remove, { discard: true })
  if (!state.isBegun) yield* Manifest.write(files, bookkeeping, state.manifest)
  const claimed: ClaimedFolder = { ...state, ...hold, add: yield* Journal.open(files, bookkeeping, state.journal) }
  return claimed
})

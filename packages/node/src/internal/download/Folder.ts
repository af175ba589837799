/**
 * The folder of a download: what it holds, told without touching it, and then its claim.
 */
import * as Effect from "effect/Effect"
import * as Files from "./Files.ts"
import {
  BookkeepingDamaged,
  FileChanged,
  FolderOccupied,
  NotFinished,
  NothingToResume,
  OtherJob
} from "./FolderError.ts"
import * as Journal from "./Journal.ts"
import * as Lock from "./Lock.ts"
import * as Manifest from "./Manifest.ts"

/** Name of the folder, inside that of the download, that holds what is not data. */
const bookkeeping = ".sluice"

/** What stands behind the name of a file that is being written. */
const partial = ".part"

/** Whether a download that was begun is gone on with: it may be, it must be there, or it must not. */
export type Resume = "allowed" | "required" | "never"

/** A download, as its folder sees it. */
export interface DownloadPlan {
  readonly folder: string
  readonly resume: Resume
  /** Whether finished files are to be held to their checksums: with `never`, that is all there is to do. */
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
  /** Parts that are left to be read. */
  readonly left: ReadonlyArray<Manifest.FilePart>
}

/** A folder that is held, and takes entries in its journal. */
export interface ClaimedFolder extends FolderState, Lock.LockHandle {
  readonly add: (done: Journal.Done) => Effect.Effect<void, Files.FilesError>
}

/** What is done of a download, and what its finished files hold. */
export const count = ({ done }: FolderState) => {
  const entries = [...done.values()]
  return {
    done: done.size,
    records: entries.reduce((sum, { records }) => sum + records, 0),
    bytes: entries.reduce((sum, { bytes }) => sum + bytes, 0)
  }
}

/** Names of the places in a folder. */
export const pathsOf = (files: Files.Files, folder: string) => {
  const inner = files.join(folder, bookkeeping)
  return {
    bookkeeping: inner,
    /** Where a file has its name once it is whole. */
    whole: (file: string) => files.join(folder, file),
    /** Where it is written. */
    partial: (file: string) => files.join(inner, file + partial)
  }
}

/** Tells which names in the bookkeeping folder are those of files that this download has written and not finished. */
const unfinishedOf = ({ parts }: Manifest.Manifest) => {
  const puts = [Manifest.name, Journal.name].map((name) => name + Files.unfinished)
  const names = new Set([...puts, ...parts.map(({ file }) => file + partial)])
  return (name: string) => names.has(name) || Lock.isUnfinished(name)
}

/**
 * Finds out what the folder holds and touches nothing.
 *
 * A finished file that is missing is read again; one of another size fails with `FileChanged`. Fails with
 * `UnexpectedEntry` where anything but a regular file has the name of one that will be read, replaced or removed.
 */
export const inspect = Effect.fnUntraced(function* (files: Files.Files, plan: DownloadPlan) {
  const { folder } = plan
  const { bookkeeping } = pathsOf(files, folder)
  yield* files.expectFolder(bookkeeping)
  // Joined, so that no name at all means this folder here too.
  const names = new Set(yield* files.names(files.join(folder)))
  const found = yield* Manifest.read(files, folder, bookkeeping)
  if (found === undefined) {
    const journal = yield* Journal.read(files, folder, bookkeeping, Infinity)
    if (!journal.isEmpty) {
      const file = files.join(bookkeeping, Manifest.name)
      return yield* new BookkeepingDamaged({ folder, file, reason: "it is missing, though files were finished" })
    }
    const occupied = plan.manifest.parts.map(({ file }) => file).filter((file) => names.has(file))
    if (occupied.length > 0) return yield* new FolderOccupied({ folder, files: occupied })
    const isWanted = plan.resume === "required" || (plan.verify && plan.resume === "never")
    if (isWanted) return yield* new NothingToResume({ folder })
    const { manifest } = plan
    yield* leftovers(files, bookkeeping, manifest)
    const held: FolderState = { manifest, isBegun: false, done: journal.done, journal, left: manifest.parts }
    return held
  }
  const differs = Manifest.differences(plan.manifest, found)
  if (differs.length > 0) return yield* new OtherJob({ folder, differs })
  const journal = yield* Journal.read(files, folder, bookkeeping, found.parts.length)
  yield* leftovers(files, bookkeeping, found)
  const done = new Map<number, Journal.Done>()
  for (const { index, file } of found.parts) {
    if (!names.has(file)) continue
    // A file that is not in the journal is replaced, which must not be done to anything else.
    const size = yield* files.size(files.join(folder, file))
    const entry = journal.done.get(index)
    if (size === undefined || entry === undefined) continue
    if (size !== entry.bytes) {
      return yield* new FileChanged({ folder, file, reason: `it had ${entry.bytes} bytes and has ${size}` })
    }
    done.set(index, entry)
  }
  const left = found.parts.filter(({ index }) => !done.has(index))
  const held: FolderState = { manifest: found, isBegun: true, done, journal, left }
  return held
})

/** Fails with `NotFinished` where going on with what the folder holds was not asked for. */
export const refuseUnfinished = Effect.fnUntraced(function* ({ folder, resume }: DownloadPlan, held: FolderState) {
  const { done, isBegun, left, manifest } = held
  if (resume !== "never" || !isBegun || left.length === 0) return
  return yield* new NotFinished({ folder, done: done.size, parts: manifest.parts.length })
})

/** Names in the bookkeeping folder of files that a kill left unfinished. */
const leftovers = Effect.fnUntraced(function* (files: Files.Files, bookkeeping: string, manifest: Manifest.Manifest) {
  const left = ((yield* files.names(bookkeeping)) ?? []).filter(unfinishedOf(manifest))
  const paths = left.map((name) => files.join(bookkeeping, name))
  yield* Effect.forEach(paths, files.size, { discard: true })
  return paths
})

/** Looks whether somebody else is at work in the folder, and touches nothing. */
export const refuseUsed = Effect.fnUntraced(function* (files: Files.Files, { folder }: DownloadPlan) {
  const { bookkeeping } = pathsOf(files, folder)
  yield* files.expectFolder(bookkeeping)
  yield* Lock.look(files, folder, bookkeeping)
})

/**
 * Takes the folder until the scope closes, looks at it anew, and makes it ready: the manifest is there, and what a kill
 * left unfinished is not.
 */
export const claim = Effect.fnUntraced(function* (files: Files.Files, plan: DownloadPlan) {
  const { bookkeeping } = pathsOf(files, plan.folder)
  yield* files.makeFolder(bookkeeping)
  yield* files.expectFolder(bookkeeping)
  const hold = yield* Lock.hold(files, plan.folder, bookkeeping)
  const held = yield* inspect(files, plan)
  yield* refuseUnfinished(plan, held)
  yield* Effect.forEach(yield* leftovers(files, bookkeeping, held.manifest), files.remove, { discard: true })
  if (!held.isBegun) yield* Manifest.write(files, bookkeeping, held.manifest)
  const claimed: ClaimedFolder = { ...held, ...hold, add: yield* Journal.open(files, bookkeeping, held.journal) }
  return claimed
})

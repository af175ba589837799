/**
 * The folder of a download that several processes, on several machines, write into: each reads other parts. What comes
 * of it is what `Download` leaves, byte for byte, bookkeeping included, so either can continue what the other began.
 *
 * The folder belongs to a group, such as a backfill, rather than to a process. Which process reads which part is decided
 * elsewhere: `@sluice/cluster` does that.
 */
import "@sluice/node/internal/runtime/NodeVersion"
import type { ApiError, InvalidRequest, Misconfigured } from "@sluice/core/ApiError"
import * as Batch from "@sluice/core/Batch"
import * as Bulk from "@sluice/core/Bulk"
import type * as Client from "@sluice/core/Client"
import type * as Endpoint from "@sluice/core/Endpoint"
import * as Quota from "@sluice/core/Quota"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { randomUUID } from "node:crypto"
import type { Job as DownloadJob } from "./Download.ts"
import * as AccessCheck from "./internal/download/AccessCheck.ts"
import type { CheckFailed } from "./internal/download/DownloadError.ts"
import type { FolderError } from "./internal/folder/FolderError.ts"
import * as Files from "./internal/folder/Files.ts"
import * as Folder from "./internal/download/Folder.ts"
import * as JobOptions from "./internal/download/JobOptions.ts"
import * as Journal from "./internal/download/Journal.ts"
import * as GroupLock from "./internal/folder/GroupLock.ts"
import type { OwnFolders } from "./internal/folder/GroupLock.ts"
import * as Lock from "./internal/folder/Lock.ts"
import * as Manifest from "./internal/download/Manifest.ts"
import * as PartFile from "./internal/folder/PartFile.ts"
import * as Prepared from "./internal/download/Prepared.ts"
import { partAt } from "./internal/download/PartAt.ts"
import type { BadFormat, Unwritable } from "@sluice/core/internal/columns/FormatError"
import * as Shape from "@sluice/node/internal/options/Shape"

export type { OwnFolders } from "./internal/folder/GroupLock.ts"

/**
 * What to download, and into which folder: the members of a `Download.Job` that decide what the files hold. `concurrency`,
 * `onFailure`, `resume` and `verify` are refused: whoever reads the parts decides which, how many at a time, and what follows a
 * failure.
 */
export type Job<E extends Endpoint.Info = Endpoint.Any> = Pick<
  DownloadJob<E>,
  "endpoint" | "params" | "split" | "to" | "format" | "given"
>

const checkJob = JobOptions.checker(Shape.of<Job>()(JobOptions.files))

/** Schema of {@link DonePart}. */
export const DonePart = Schema.Struct({
  /** Index of the part, from 0. */
  part: Schema.Int,
  /** Name of its file in the folder. */
  file: Schema.String,
  records: Schema.Int,
  /** Size of the file. */
  bytes: Schema.Int,
  /** Of the file, as lower-case hexadecimal text. */
  sha256: Schema.String
})

/** A part whose file is complete. */
export type DonePart = typeof DonePart.Type

/** What a folder has of a download. */
export interface Found {
  /** How many parts the download has. */
  readonly parts: number
  /** Finished parts. */
  readonly done: ReadonlyArray<DonePart>
}

/** The services that reading needs. */
export type Needs = Client.Client | FileSystem.FileSystem | Path.Path

/** Everything that may go wrong with a part. */
export type PartError = ApiError | Unwritable | FolderError

/** A download that several processes share, as one of them sees it. */
export interface SharedFolder {
  /** What decides the bytes of the files, as JSON: two jobs with the same are one download. */
  readonly identity: Schema.JsonObject
  /** How many parts the download has. */
  readonly parts: number
  /** Name of the file of a part. */
  readonly fileOf: (part: number) => string
  /**
   * Takes the folder for the group, unless it has it already, and tells what it holds. Fails like a download, before
   * anything is touched, where the folder is in use or has something else, or where the service refuses the first or last
   * part that remains. One process at a time.
   */
  readonly begin: Effect.Effect<Found, CheckFailed | FolderError, Client.Client>
  /** Finds a part that some process of the group has finished; undefined where none has. */
  readonly find: (part: number) => Effect.Effect<DonePart | undefined, FolderError>
  /** Fails where the group does not have the folder, or this process does not see it. */
  readonly check: Effect.Effect<void, FolderError>
  /** Reads a part into its file. */
  readonly read: (part: number) => Effect.Effect<DonePart, PartError, Client.Client>
  /**
   * Makes one journal of those of all processes and releases the folder, finished or not. Repeated, it does nothing more. No
   * process may read a part meanwhile.
   */
  readonly end: Effect.Effect<void, FolderError>
}

/** Begins with none. Those that are held at the end of the scope are released then, and by any end of the process. */
export const ownFolders: Effect.Effect<OwnFolders, never, Scope.Scope> = GroupLock.own

/**
 * Works out what the folder should hold, for a process of a group. Sends nothing and touches nothing. The scope holds the
 * journal of this process. With `own`, this process is all of the group.
 */
export const make: <E extends Endpoint.Info>(
  job: Job<E>,
  group: string,
  own?: OwnFolders
) => Effect.Effect<SharedFolder, InvalidRequest | Bulk.BadSplit | BadFormat | Misconfigured, Needs | Scope.Scope> =
  Effect.fnUntraced(function* <E extends Endpoint.Info>(given: Job<E>, group: string, own?: OwnFolders) {
    // Type boundary: as in `Download.run`, the parameters are data from here on; `Bulk.split` checks them.
    const job = given as unknown as Job
    yield* checkJob(job)
    const files = yield* Files.make
    const { to: folder, endpoint } = job
    const { encode, manifest } = yield* Prepared.make(job)
    const { parts } = manifest
    const places = Folder.pathsOf(files, folder)
    const plan: Folder.DownloadPlan = { folder, resume: "allowed", verify: false, manifest }
    const writer = randomUUID()
    const free: PartFile.FreeBlocks = []
    const lock = GroupLock.make(files, folder, places.bookkeeping, group, own)
    const { check } = lock
    const doneOf = ({ part, ...done }: Journal.Done): DonePart => ({ part, file: fileOf(part), ...done })
    const fileOf = (part: number) => parts[part]?.file ?? ""

    const begin = Effect.gen(function* () {
      yield* files.expectFolder(places.bookkeeping)
      const isMine = yield* Effect.isSuccess(check)
      if (!isMine) yield* Lock.look(files, folder, places.bookkeeping)
      const found = yield* Folder.inspect(files, plan)
      if (found.left.length > 0) yield* AccessCheck.first(endpoint, found.left)
      yield* files.makeFolder(places.bookkeeping)
      yield* files.expectFolder(places.bookkeeping)
      yield* lock.take
      const state = yield* Folder.inspect(files, plan)
      if (!state.isBegun) yield* Manifest.write(files, places.bookkeeping, state.manifest)
      return { parts: parts.length, done: [...state.done.values()].map(doneOf) }
    })

    const note = yield* Journal.ofProcess(files, places.bookkeeping)
    const finder = makeFinder(files, folder, places.bookkeeping, parts.length)

    const find = Effect.fnUntraced(function* (part: number) {
      const size = yield* files.size(places.whole(fileOf(part)))
      // Without a file nothing was finished, which one look at the disk tells: the journals may have a million lines.
      if (size === undefined) return undefined
      const entry = yield* finder(part, size)
      return entry === undefined ? undefined : doneOf(entry)
    })

    const read = Effect.fnUntraced(function* (part: number) {
      const split = yield* partAt(parts, part)
      let records = 0
      const reading = Quota.inOwnLane(Bulk.read(endpoint, split, { lazy: Batch.lazy }), "download")
      const counted = Stream.mapArray(reading, (batch) => {
        records += batch.length
        return batch
      })
      const place = { partial: places.partialOf(split.file, writer), whole: places.whole(split.file) }
      const bytes = encode(counted, { reuse: true })
      const written = yield* PartFile.write(files, place, check, bytes, () => undefined, free)
      const done: Journal.Done = { part, records, ...written }
      yield* note(done)
      return doneOf(done)
    })

    const end = Effect.gen(function* () {
      if (yield* Effect.isFailure(check)) return
      const state = yield* Folder.inspect(files, plan)
      const left = yield* Folder.leftovers(files, places.bookkeeping, state.manifest)
      yield* Effect.forEach(left, files.remove, { discard: true })
      yield* Effect.scoped(Journal.open(files, places.bookkeeping, state.journal))
      yield* lock.release
    })

    return { identity: Manifest.identity(manifest), parts: parts.length, fileOf, begin, check, find, read, end }
  })

/**
 * Makes a function that finds the entry of a part whose file has this size; undefined where no journal has it. A journal is
 * read again only where it has grown.
 */
const makeFinder = (files: Files.Files, folder: string, bookkeeping: string, parts: number) => {
  const known = new Map<string, { readonly size: number; readonly done: ReadonlyMap<number, Journal.Done> }>()
  const lookUp = (part: number, bytes: number) => {
    for (const { done } of known.values()) {
      const entry = done.get(part)
      if (entry?.bytes === bytes) return entry
    }
    return undefined
  }
  return Effect.fnUntraced(function* (part: number, bytes: number) {
    const found = lookUp(part, bytes)
    if (found !== undefined) return found
    for (const name of yield* Journal.filesOf(files, bookkeeping)) {
      const file = files.join(bookkeeping, name)
      const size = (yield* files.size(file)) ?? 0
      if (known.get(name)?.size === size) continue
      const { entries } = yield* Journal.readFile(files, folder, file, parts)
      known.set(name, { size, done: new Map(entries.map((entry) => [entry.part, entry])) })
    }
    return lookUp(part, bytes)
  })
}

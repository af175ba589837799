/**
 * The lock of a folder that a group of processes fills. Where the group is one process, the folder is locked as for any
 * download: another process does not get it, and it is free as soon as that process has ended, whichever way.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { Files, FilesError } from "./Files.ts"
import { type FileFailed, type FolderInUse, FolderLost, type UnexpectedEntry } from "./FolderError.ts"
import * as Lock from "./Lock.ts"

/** What a process has of a folder as one of a group. */
export interface GroupLock {
  /** Fails if the group does not have the folder, or no longer; run before each visible change. */
  readonly check: Effect.Effect<void, FilesError | FolderLost>
  /** Takes the folder, unless the group has it. */
  readonly take: Effect.Effect<void, FilesError | FolderInUse>
  /** Leaves the folder to others. */
  readonly release: Effect.Effect<void, FilesError>
}

/** Folders that this process has for itself, as a download has: no other process belongs to its groups. */
export interface OwnFolders {
  /** What ends the locks. */
  readonly scope: Scope.Scope
  /** By their groups, each with the scope of its lock and a check that it is still there. */
  readonly held: Map<
    string,
    { readonly scope: Scope.Closeable; readonly check: Effect.Effect<void, FileFailed | FolderLost | UnexpectedEntry> }
  >
}

export const own: Effect.Effect<OwnFolders, never, Scope.Scope> = Effect.map(Effect.scope, (scope) => ({
  scope,
  held: new Map()
}))

const ofGroup = (files: Files, folder: string, bookkeeping: string, group: string): GroupLock => ({
  check: Lock.checkFor(files, folder, bookkeeping, group),
  take: Lock.holdFor(files, folder, bookkeeping, group),
  release: Lock.release(files, bookkeeping, group)
})

const ofProcess = (files: Files, folder: string, bookkeeping: string, group: string, own: OwnFolders): GroupLock => {
  const { held } = own
  const isHeld = Effect.suspend(() => {
    const found = held.get(group)
    return found === undefined ? Effect.fail(new FolderLost({ folder, lock: bookkeeping })) : found.check
  })
  const release = Effect.suspend(() => {
    const found = held.get(group)
    held.delete(group)
    return found === undefined ? Effect.void : Scope.close(found.scope, Exit.void)
  })
  const take = Effect.gen(function* () {
    if (yield* Effect.isSuccess(isHeld)) return
    yield* release
    const scope = yield* Scope.fork(own.scope)
    const { check } = yield* Lock.hold(files, folder, bookkeeping).pipe(
      Scope.provide(scope),
      Effect.onError(() => Scope.close(scope, Exit.void))
    )
    held.set(group, { scope, check })
  })
  return { check: isHeld, take: Effect.uninterruptible(take), release: Effect.uninterruptible(release) }
}

/** The lock of a group in a folder; `own` where the group is this process alone. */
export const make = (files: Files, folder: string, bookkeeping: string, group: string, own?: OwnFolders): GroupLock =>
  own === undefined ? ofGroup(files, folder, bookkeeping, group) : ofProcess(files, folder, bookkeeping, group, own)

/**
 * The few things a download does with files, each failing with `FileFailed`. The only place that knows Effect's
 * `FileSystem` and `Path`.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import type * as PlatformError from "effect/PlatformError"
import * as Predicate from "effect/Predicate"
import type * as Scope from "effect/Scope"
import { FileFailed } from "./FolderError.ts"

/** A file that is being written. */
export interface Writer {
  readonly write: (bytes: Uint8Array) => Effect.Effect<void, FileFailed>
  /** Returns when what was written is on the disk. */
  readonly sync: Effect.Effect<void, FileFailed>
}

/** Files by their path. */
export interface Files {
  readonly join: (...parts: ReadonlyArray<string>) => string
  /** Names in a folder in no order; undefined where there is no such folder. */
  readonly names: (folder: string) => Effect.Effect<ReadonlyArray<string> | undefined, FileFailed>
  /** A file as text; undefined where there is none. */
  readonly text: (path: string) => Effect.Effect<string | undefined, FileFailed>
  /** What a symbolic link says; empty text where it says nothing. */
  readonly link: (path: string) => Effect.Effect<string>
  /** Size in bytes; undefined where there is no such file. */
  readonly size: (path: string) => Effect.Effect<number | undefined, FileFailed>
  /** Makes a folder and those above it, where they do not exist. */
  readonly makeFolder: (path: string) => Effect.Effect<void, FileFailed>
  /** Opens a file to be written until the scope closes: anew, or at its end. */
  readonly open: (path: string, at: "start" | "end") => Effect.Effect<Writer, FileFailed, Scope.Scope>
  /** Cuts a file after so many bytes. */
  readonly cut: (path: string, bytes: number) => Effect.Effect<void, FileFailed>
  /** Gives a file another name, in place of what had it. */
  readonly rename: (from: string, to: string) => Effect.Effect<void, FileFailed>
  /** Removes a file, where there is one. */
  readonly remove: (path: string) => Effect.Effect<void, FileFailed>
  /** Writes a file so that whoever looks sees nothing of it or all. */
  readonly put: (path: string, text: string) => Effect.Effect<void, FileFailed>
}

/** What stands behind the name of a file that {@link Files.put} has not finished. */
export const unfinished = ".new"

/** Builds the operations over the file system in force. */
export const make: Effect.Effect<Files, never, FileSystem.FileSystem | Path.Path> = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path

  const open: Files["open"] = (file, at) =>
    Effect.map(named("open", file, fs.open(file, { flag: at === "start" ? "w" : "a" })), (opened) => ({
      // Not to be interrupted: the file would be closed, and its number given to another, while this is still written.
      write: (bytes) => Effect.uninterruptible(named("write", file, opened.writeAll(bytes))),
      sync: Effect.uninterruptible(named("write", file, opened.sync))
    }))

  // One by one: asked to make several, Node.js says of a disk that can only be read that nothing is there.
  const makeFolder: Files["makeFolder"] = (folder) =>
    Effect.catch(makeOne(folder), (error) => {
      const above = path.dirname(folder)
      return error.code === "ENOENT" && above !== folder
        ? Effect.andThen(makeFolder(above), makeOne(folder))
        : Effect.fail(error)
    })
  const makeOne = (folder: string) =>
    Effect.catchIf(
      named("make", folder, fs.makeDirectory(folder)),
      ({ code }) => code === "EEXIST",
      () => Effect.void
    )

  const rename: Files["rename"] = (from, to) => named("write", to, fs.rename(from, to))

  const remove: Files["remove"] = (file) => named("remove", file, fs.remove(file, { force: true }))

  const put: Files["put"] = (file, text) => {
    const first = file + unfinished
    const writing = Effect.gen(function* () {
      const writer = yield* open(first, "start")
      yield* writer.write(new TextEncoder().encode(text))
      yield* writer.sync
    })
    return Effect.scoped(writing).pipe(
      Effect.andThen(rename(first, file)),
      Effect.onError(() => Effect.ignore(remove(first)))
    )
  }

  return {
    join: path.join,
    names: (folder) => ifThere(named("read", folder, fs.readDirectory(folder)), "ENOENT"),
    text: (file) => ifThere(named("read", file, fs.readFileString(file)), "ENOENT"),
    link: (file) => Effect.orElseSucceed(fs.readLink(file), () => ""),
    size: (file) =>
      ifThere(
        Effect.map(named("read", file, fs.stat(file)), ({ size }) => Number(size)),
        "ENOENT"
      ),
    makeFolder,
    open,
    cut: (file, bytes) => named("write", file, fs.truncate(file, bytes)),
    rename,
    remove,
    put
  }
})

const named = <A, R>(operation: string, path: string, self: Effect.Effect<A, PlatformError.PlatformError, R>) =>
  Effect.mapError(self, ({ reason }) => {
    const { cause } = reason
    const code = Predicate.hasProperty(cause, "code") && Predicate.isString(cause.code) ? cause.code : undefined
    return new FileFailed({ operation, path, code: code ?? codes[reason._tag], reason: reason.message })
  })

/** For file systems that tell what happened and give no code. */
const codes: Readonly<Record<string, string>> = {
  NotFound: "ENOENT",
  PermissionDenied: "EACCES",
  AlreadyExists: "EEXIST"
}

const ifThere = <A>(self: Effect.Effect<A, FileFailed>, code: string): Effect.Effect<A | undefined, FileFailed> =>
  Effect.catchIf(
    self,
    (error) => error.code === code,
    () => Effect.undefined
  )

/**
 * File operations of downloads and datasets. They fail with `FileFailed`, or with `UnexpectedEntry` where a name belongs to something
 * other than a regular file.
 */
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { FileFailed, UnexpectedEntry } from "./FileError.ts"
import type { Condition } from "./Objects.ts"

export type FilesError = FileFailed | UnexpectedEntry

/** A file that is being written. */
export interface Writer {
  readonly write: (bytes: Uint8Array) => Effect.Effect<void, FileFailed>
  /** Returns when all written bytes are on the disk. */
  readonly sync: Effect.Effect<void, FileFailed>
  /** Ends the file, where it is synced later: returns when it can be read. */
  readonly close: Effect.Effect<void, FileFailed>
}

/** A file of which any part can be read. */
export interface RandomAccess {
  readonly size: number
  /** Reads from one offset to another; fewer bytes where the file ends before. In memory of its own, or in what is given where it can. */
  readonly read: (from: number, to: number, into?: Uint8Array) => Effect.Effect<Uint8Array, FileFailed>
}

/** A file as text. */
export interface Read {
  readonly text: string
  /** Time of the last write, in milliseconds since 1970 by the clock of the file system; 0 where it is unknown. */
  readonly modified: number
  /** What a condition names in a bucket; empty on a disk. */
  readonly tag: string
}

export interface Files {
  readonly join: (...parts: ReadonlyArray<string>) => string
  /** Names in a folder in no order; undefined where there is no such folder. */
  readonly names: (folder: string) => Effect.Effect<ReadonlyArray<string> | undefined, FileFailed>
  /** A file as text; undefined where there is none. */
  readonly text: (path: string) => Effect.Effect<string | undefined, FilesError>
  /** A file as text, with the time of its last write; undefined where there is none. */
  readonly read: (path: string) => Effect.Effect<Read | undefined, FilesError>
  /** A file of the operating system as text, following links; empty where it cannot be read. */
  readonly systemText: (path: string) => Effect.Effect<string>
  /** The target of a symbolic link; empty where there is none. */
  readonly link: (path: string) => Effect.Effect<string>
  /** Size in bytes; undefined where there is no such file. */
  readonly size: (path: string) => Effect.Effect<number | undefined, FilesError>
  /** What a condition names in a bucket, undefined where there is no such file; empty on a disk, which is not asked. */
  readonly tag: (path: string) => Effect.Effect<string | undefined, FilesError>
  /** Fails where the name belongs to something other than a folder. */
  readonly expectFolder: (path: string) => Effect.Effect<void, FilesError>
  /** Calls a function with all bytes of a file, in pieces. The buffer of a piece is used again for the next. */
  readonly scan: (path: string, see: (bytes: Uint8Array) => Effect.Effect<void>) => Effect.Effect<void, FilesError>
  /** Opens a file for reading at any place until the scope closes. */
  readonly openAt: (path: string) => Effect.Effect<RandomAccess, FilesError, Scope.Scope>
  /** Creates a folder and its parents, where they do not exist. */
  readonly makeFolder: (path: string) => Effect.Effect<void, FileFailed>
  /** Opens a file for writing until the scope closes: a new one that replaces an existing one, or at the end of one. */
  readonly open: (path: string, at: "start" | "end") => Effect.Effect<Writer, FilesError, Scope.Scope>
  /** Overwrites an existing file with its own content, which renews the time of its last write. */
  readonly touch: (path: string, text: string) => Effect.Effect<void, FilesError>
  /** Returns when all that was written to a file is on the disk. */
  readonly sync: (path: string) => Effect.Effect<void, FilesError>
  /** Renames a file; replaces one that has the name. */
  readonly rename: (from: string, to: string) => Effect.Effect<void, FileFailed>
  /**
   * Gives the bytes of a file a second name, which none has; of a disk without hard links, and of a bucket, as a copy. They stay when the
   * file is renamed, replaced or removed.
   */
  readonly share: (from: string, to: string) => Effect.Effect<void, FilesError>
  /** Removes a folder in which nothing is, by way of another name, since others may write into it. A bucket has no folders. */
  readonly removeFolder: (path: string, aside: string) => Effect.Effect<void, FilesError>
  /** Removes a file, if it exists. */
  readonly remove: (path: string) => Effect.Effect<void, FileFailed>
  /**
   * Writes a file atomically: others see none of it or all. In a bucket a condition has to hold, and the tag of what is there then
   * is given. On a disk, where a lock keeps others out, no condition is checked, and the tag is empty.
   */
  readonly put: (path: string, content: string | Uint8Array, condition?: Condition) => Effect.Effect<string, FilesError>
}

/** The bytes of what is put. */
export const bytesOf = (content: string | Uint8Array): Uint8Array =>
  typeof content === "string" ? new TextEncoder().encode(content) : content

/** Suffix of a file that {@link Files.put} has not finished. */
export const unfinished = ".new"

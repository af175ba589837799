/**
 * A file system that tells before everything it does, so that a test may strike at any of these moments.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type * as PlatformError from "effect/PlatformError"

type Failing<A> = Effect.Effect<A, PlatformError.PlatformError>

/** Stands before an operation; may let it be, cut what it writes, or put something else in its place. */
export interface Observer {
  readonly operation: <A>(name: string, path: string, self: Failing<A>) => Failing<A>
  /** How much of these bytes is written; what follows is up to `operation`. */
  readonly write: (path: string, bytes: Uint8Array, write: (bytes: Uint8Array) => Failing<void>) => Failing<void>
}

/** Puts an observer before the operations that a download uses. */
export const make = (fs: FileSystem.FileSystem, { operation, write }: Observer): FileSystem.FileSystem => ({
  ...fs,
  makeDirectory: (path, options) => operation("makeDirectory", path, fs.makeDirectory(path, options)),
  readDirectory: (path, options) => operation("readDirectory", path, fs.readDirectory(path, options)),
  readFileString: (path, encoding) => operation("readFileString", path, fs.readFileString(path, encoding)),
  readLink: (path) => operation("readLink", path, fs.readLink(path)),
  stat: (path) => operation("stat", path, fs.stat(path)),
  lstat: (path) => operation("lstat", path, fs.lstat(path)),
  remove: (path, options) => operation("remove", path, fs.remove(path, options)),
  rename: (from, to) => operation("rename", to, fs.rename(from, to)),
  link: (from, to) => operation("link", to, fs.link(from, to)),
  copyFile: (from, to) => operation("copyFile", to, fs.copyFile(from, to)),
  open: (path, options) =>
    Effect.andThen(
      operation("open", path, Effect.void),
      Effect.map(fs.open(path, options), (file): FileSystem.File => ({
        [FileSystem.FileTypeId]: FileSystem.FileTypeId,
        stat: file.stat,
        seek: (offset, from) => file.seek(offset, from),
        // No moments of their own: whoever ends while it reads leaves what it would have left when it opened the file.
        read: (buffer, options) => file.read(buffer, options),
        readAlloc: (size, options) => file.readAlloc(size, options),
        truncate: (length) => file.truncate(length),
        write: (bytes) => file.write(bytes),
        sync: operation("sync", path, file.sync),
        writeAll: (bytes) => write(path, bytes, (part) => file.writeAll(part))
      }))
    )
})

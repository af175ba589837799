/** Files of a disk, or of an object storage where a path begins with `s3://`. */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import { FileFailed } from "../storage/FileError.ts"
import type { Files } from "../storage/Files.ts"
import * as LocalFiles from "../storage/LocalFiles.ts"
import * as ObjectFiles from "../storage/ObjectFiles.ts"
import { isObject, Objects } from "../storage/Objects.ts"

export { type Files, type FilesError, type RandomAccess, type Read, unfinished, type Writer } from "../storage/Files.ts"

/** Builds the operations on the file system, and the object storage, of the context. */
export const make: Effect.Effect<Files, never, FileSystem.FileSystem | Path.Path> = Effect.gen(function* () {
  const local = yield* LocalFiles.make
  const storage = yield* Objects
  const objects = storage === undefined ? undefined : ObjectFiles.make(storage)
  const of = <A, E, R>(
    path: string,
    use: (files: Files) => Effect.Effect<A, E, R>
  ): Effect.Effect<A, E | FileFailed, R> => {
    if (!isObject(path)) return use(local)
    const refuse = (reason: string) => Effect.fail(new FileFailed({ operation: "open", path, reason }))
    // URLs would drop such parts of a name, and lists would not.
    const words = path.slice("s3://".length).split("/")
    if (words.some((word, at) => word === "." || word === ".." || (word === "" && at < 2)) || !path.isWellFormed()) {
      return refuse("a folder in a bucket is named as s3://bucket/folder, without . and ..")
    }
    return objects === undefined
      ? refuse("no object storage is provided; provide ObjectStorage.layerConfig")
      : use(objects)
  }
  const files: Files = {
    join: (...parts) => (isObject(parts[0] ?? "") ? ObjectFiles.join(...parts) : local.join(...parts)),
    names: (folder) => of(folder, ({ names }) => names(folder)),
    text: (path) => of(path, ({ text }) => text(path)),
    read: (path) => of(path, ({ read }) => read(path)),
    systemText: local.systemText,
    link: local.link,
    size: (path) => of(path, ({ size }) => size(path)),
    tag: (path) => of(path, ({ tag }) => tag(path)),
    expectFolder: (path) => of(path, ({ expectFolder }) => expectFolder(path)),
    scan: (path, see) => of(path, ({ scan }) => scan(path, see)),
    openAt: (path) => of(path, ({ openAt }) => openAt(path)),
    makeFolder: (path) => of(path, ({ makeFolder }) => makeFolder(path)),
    open: (path, at) => of(path, ({ open }) => open(path, at)),
    touch: (path, text) => of(path, ({ touch }) => touch(path, text)),
    sync: (path) => of(path, ({ sync }) => sync(path)),
    rename: (from, to) => of(from, ({ rename }) => rename(from, to)),
    share: (from, to) => of(from, ({ share }) => share(from, to)),
    removeFolder: (path, aside) => of(path, ({ removeFolder }) => removeFolder(path, aside)),
    remove: (path) => of(path, ({ remove }) => remove(path)),
    put: (path, content, condition) => of(path, ({ put }) => put(path, content, condition))
  }
  return files
})

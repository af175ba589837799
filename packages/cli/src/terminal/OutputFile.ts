/** The file that `--output` names, in place of standard output. */
import { isObject } from "@sluice/files/internal/storage/Objects"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import type { PlatformError } from "effect/PlatformError"
import * as Stream from "effect/Stream"
import { codeOf, OutputFailed } from "./Screen.ts"

type Bytes<E, R> = Stream.Stream<string | Uint8Array, E, R>

const encoder = new TextEncoder()

/** The file that a flag names; absent for standard output. */
export const of = (name: string | undefined): string | undefined => (name === "-" ? undefined : name)

/** Writes a file, which gets its name, and takes the place of an older one, only when it is complete. */
export const write = Effect.fnUntraced(function* <E, R>(file: string, bytes: Bytes<E, R>) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  if (yield* isSpecial(file)) return yield* into(file, "w", bytes)
  // A link keeps its place; what it leads to is replaced.
  const target = yield* Effect.orElseSucceed(fs.realPath(file), () => file)
  const folder = yield* named(file, fs.makeTempDirectoryScoped({ directory: path.dirname(target), prefix: ".sluice-" }))
  const unfinished = path.join(folder, path.basename(target))
  yield* into(unfinished, "wx", bytes, file)
  // Who may read the file stays the same.
  const replaced = yield* Effect.option(fs.stat(target))
  if (Option.isSome(replaced)) yield* named(file, fs.chmod(unfinished, replaced.value.mode & 0o7777))
  yield* named(file, fs.rename(unfinished, target))
}, Effect.scoped)

/** Writes a file that can be read while it grows. Fails where it exists, since what is in it may not come again. */
export const follow = Effect.fnUntraced(function* <E, R>(file: string, bytes: Bytes<E, R>) {
  yield* into(file, (yield* isSpecial(file)) ? "w" : "wx", bytes)
})

/** Whether the name belongs to a pipe or a device, which is written as it is. Fails for a folder. */
export const isSpecial = Effect.fnUntraced(function* (file: string) {
  if (isObject(file))
    return yield* new OutputFailed({ file, reason: "only download, sync and backfill write into a bucket" })
  const fs = yield* FileSystem.FileSystem
  const info = yield* Effect.option(fs.stat(file))
  if (Option.isNone(info)) return false
  if (info.value.type === "Directory") return yield* new OutputFailed({ file, reason: reasons["EISDIR"] ?? "" })
  return info.value.type !== "File"
})

const into = Effect.fnUntraced(function* <E, R>(
  file: string,
  flag: FileSystem.OpenFlag,
  bytes: Bytes<E, R>,
  name: string = file
) {
  const fs = yield* FileSystem.FileSystem
  const opened = yield* named(name, fs.open(file, { flag }))
  yield* Stream.runForEach(bytes, (chunk) =>
    // Uninterruptible: the file would be closed while a thread still writes.
    Effect.uninterruptible(
      named(name, opened.writeAll(typeof chunk === "string" ? encoder.encode(chunk) : new Uint8Array(chunk)))
    )
  )
  // A pipe or a device cannot be synchronised, and need not be.
  if (flag === "wx") yield* named(name, opened.sync)
}, Effect.scoped)

const reasons: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EEXIST: "it exists, and is not replaced",
  EISDIR: "it is a folder",
  ENOENT: "its folder does not exist",
  ENOSPC: "the disk is full",
  ENOTDIR: "its folder is a file",
  EROFS: "the disk is read-only"
}

const named = <A, R>(file: string, effect: Effect.Effect<A, PlatformError, R>) =>
  Effect.mapError(effect, (error) => {
    const code = codeOf(error)
    return new OutputFailed({ file, reason: reasons[code ?? ""] ?? code ?? error.message })
  })

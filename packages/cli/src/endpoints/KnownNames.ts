/**
 * Names that the service has told, for completions: a file of lines for each kind, such as `assets`, in the cache of the user.
 *
 * A completion reads them and asks nothing. `NameLists.ts` writes them.
 */
import * as Account from "@sluice/core/Account"
import * as Root from "@sluice/core/Root"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as UserDirectories from "effect/persistence/UserDirectories"

/** A shell reads a name unchanged, and a file may have been written by anybody. */
export const isSafe = (name: string) => /^[\w.@+:/-]{1,200}$/.test(name) && !name.startsWith("-")

/** The folder of the names of a root, which is part of its name. A root has no credentials. */
export const folderOf = Effect.fnUntraced(function* (url: string) {
  const path = yield* Path.Path
  const cache = yield* UserDirectories.make().cache("sluice")
  return path.join(cache, "names", url.replace(/^https?:\/\//, "").replaceAll(/[^\w.-]+/g, "_"))
})

export const linesOf = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  return (yield* fs.readFileString(file)).split("\n").filter(isSafe)
})

export const write = Effect.fnUntraced(function* (folder: string, kind: string, names: ReadonlyArray<string>) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const text = names.map((name) => `${name}\n`).join("")
  // Whole or not at all: another process may read it.
  const place = yield* fs.makeTempDirectoryScoped({ directory: folder, prefix: ".names-" })
  const file = path.join(place, kind)
  yield* fs.writeFileString(file, text)
  yield* fs.rename(file, path.join(folder, kind))
}, Effect.scoped)

/** The names of a kind that the service at a root has told; none where it told none. */
export const read = (root: string, kind: string) =>
  Effect.gen(function* () {
    const path = yield* Path.Path
    return yield* linesOf(path.join(yield* folderOf(root), kind))
  }).pipe(Effect.orElseSucceed((): ReadonlyArray<string> => []))

const presets = [
  ["paid", Root.paid],
  ["community", Root.community]
] as const

/** The root that a completion is about: the one that is named, else that of the settings. */
export const rootOf = (named: string | undefined) =>
  Effect.gen(function* () {
    const given = presets.find(([name]) => name === named)?.[1] ?? named
    const root = given ?? (yield* Account.fromConfig()).root ?? Root.paid
    return (yield* Root.make(root)).url
  })

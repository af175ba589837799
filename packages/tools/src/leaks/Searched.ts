/**
 * What a canary run has printed, written and reported, and where the canary was found in it.
 */
import * as Arr from "effect/Array"
import { Effect, FileSystem, Option, Path } from "effect"
import * as Canary from "./Canary.ts"

/** One place that was searched. */
export interface Searched {
  readonly where: string
  readonly bytes: number
  readonly files: number
  readonly hits: ReadonlyArray<Canary.Hit>
}

/** All files below a folder that were written since a moment; none where the folder is not there. */
export const filesOf = Effect.fnUntraced(function* (folder: string, since: number) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  if (!(yield* files.exists(folder))) return []
  const names = yield* files.readDirectory(folder, { recursive: true })
  const found = yield* Effect.forEach(names, (name) => {
    const file = path.join(folder, name)
    return Effect.map(files.stat(file), ({ mtime, type }) => {
      const written = Option.match(mtime, { onNone: () => Infinity, onSome: (time) => time.getTime() })
      return type === "File" && written >= since ? [file] : []
    })
  })
  return Arr.flatten(found)
})

const search = (where: string, files: ReadonlyArray<readonly [name: string, bytes: Uint8Array]>): Searched => ({
  where,
  bytes: files.reduce((sum, [, { length }]) => sum + length, 0),
  files: files.length,
  hits: files.flatMap(([name, bytes]) => Canary.search(name, Buffer.from(bytes)))
})

/** Searches what was printed, and keeps it beside the reports for whoever has to look into a hit. */
export const printed = Effect.fnUntraced(function* (name: string, output: Buffer, folder: string) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  yield* files.writeFile(path.join(folder, `${name}.txt`), output)
  return search(`printed by the ${name}`, [[`${name}.txt`, output]])
})

/** Searches the files below a folder. */
export const written = Effect.fnUntraced(function* (where: string, folder: string, since: number) {
  const files = yield* FileSystem.FileSystem
  const found = yield* Effect.forEach(yield* filesOf(folder, since), (file) =>
    Effect.map(files.readFile(file), (bytes) => [file, bytes] as const)
  )
  return search(where, found)
})

const count = (number: number) => number.toLocaleString("en-US")

/** A line about one place. */
export const show = ({ bytes, files, where }: Searched): string =>
  `${count(bytes).padStart(15)} bytes in ${count(files)} files ${where}`

/** How many bytes a server stored on disk, as far as the files of a folder have a name that holds this word. */
export const storedBy = Effect.fnUntraced(function* (word: string, folder: string, since: number) {
  const files = yield* FileSystem.FileSystem
  const found = (yield* filesOf(folder, since)).filter((file) => file.includes(word))
  const sizes = yield* Effect.forEach(found, (file) => Effect.map(files.stat(file), ({ size }) => Number(size)))
  return sizes.reduce((sum, size) => sum + size, 0)
})

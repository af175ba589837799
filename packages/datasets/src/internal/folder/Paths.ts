/**
 * The paths of a dataset's files: every new file gets one that no other has, also on file systems that take upper and
 * lower case for the same.
 */
import * as Effect from "effect/Effect"
import type { Files } from "@sluice/files/internal/folder/Files"
import { FolderOccupied } from "@sluice/files/internal/folder/FolderError"
import * as Layout from "../ledger/Layout.ts"
import type * as Ledger from "../ledger/Ledger.ts"
import type { Time } from "../model/Store.ts"

/** Where the files are, and how their names begin and end. */
export interface Place {
  readonly folder: string
  /** The field that names a record's entity. */
  readonly field: string
  readonly extension: string
}

/** Gives paths, beside those of the files that are there. */
export const make = (
  files: Files,
  { extension, field, folder }: Place,
  { files: entries, removed = new Set() }: Pick<Ledger.Ledger, "files" | "removed">
) => {
  // In lower case, since some file systems take upper and lower case for the same.
  const taken = new Set([...entries.keys(), ...removed].map((path) => path.toLowerCase()))
  const folders = new Map<string, string>()
  for (const { entity, path } of entries.values()) {
    if (entity !== undefined) folders.set(path.slice(0, path.indexOf("/")).toLowerCase(), entity)
  }

  const folderOf = (entity: string) => {
    const name = Layout.entityFolder(field, entity, (name) => {
      const owner = folders.get(name.toLowerCase())
      return owner !== undefined && owner !== entity
    })
    folders.set(name.toLowerCase(), entity)
    return name
  }

  return {
    /** A path for a new file. Fails where something else has it. */
    pathFor: Effect.fnUntraced(function* (partition: Layout.Partition, first: Time) {
      const { entity } = partition
      const below = [...(entity === undefined ? [] : [folderOf(entity)]), ...Layout.periodFolders(partition)]
      const pathOf = (name: string) => [...below, name].join("/")
      const path = pathOf(Layout.nameOf(partition, first, extension, (name) => taken.has(pathOf(name).toLowerCase())))
      taken.add(path.toLowerCase())
      if ((yield* files.size(files.join(folder, path))) !== undefined) {
        return yield* new FolderOccupied({ folder, files: [path] })
      }
      return path
    }),
    /** Lets another file have a path. */
    free: (path: string) => {
      taken.delete(path.toLowerCase())
    }
  }
}

/** Fails where a folder of one of these paths is something else, such as a link that leads out of the dataset. */
export const expectFolders = Effect.fnUntraced(function* (files: Files, folder: string, paths: Iterable<string>) {
  const all = new Set<string>()
  for (const path of paths) {
    for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) all.add(path.slice(0, at))
  }
  yield* Effect.forEach(all, (path) => files.expectFolder(files.join(folder, path)), { discard: true })
})

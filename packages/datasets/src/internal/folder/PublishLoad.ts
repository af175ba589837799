/**
 * Makes a dataset of what several processes have loaded: one change of the ledger has all of their files, and how far
 * each entity is.
 *
 * The change is written before the ledger that it belongs to, and the ledger at once, so a folder has no dataset or all that was
 * loaded. Files get their names afterwards, as those of any change, which whoever comes next makes up for.
 */
import * as Effect from "effect/Effect"
import * as Format from "@sluice/files/Format"
import { among, told } from "@sluice/files/internal/folder/Differing"
import type { Files } from "@sluice/files/internal/folder/Files"
import { OtherDefinition } from "../model/DatasetError.ts"
import * as Ledger from "../ledger/Ledger.ts"
import * as Load from "../load/Load.ts"
import type * as LoadBook from "./LoadBook.ts"
import * as FolderOptions from "./FolderOptions.ts"
import * as Paths from "./Paths.ts"
import * as Recovery from "./Recovery.ts"
import type { Part } from "../plan/RunRequests.ts"
import type { Cursor } from "../model/Store.ts"
import type { SeriesParams } from "../model/SeriesParams.ts"

/** What is loaded, and as what. */
export interface Loading {
  readonly subject: SeriesParams
  readonly beginning: Omit<Recovery.Beginning, "snapshots">
  readonly parts: ReadonlyArray<Part>
}

const nothing: Pick<Ledger.Ledger, "files" | "removed"> = { files: new Map(), removed: undefined }

/** Whether a part was not read yet, as the cursors of a dataset say: `partly` where a sync has begun to. */
export const stateOf = (cursors: ReadonlyMap<string, Cursor>, part: Part): "done" | "left" | "partly" => {
  const { entities } = part
  const from = part.from ?? null
  const to = part.to ?? null
  const isIn = (span: NonNullable<Cursor["todo"]>[number]) =>
    (span.to === null || from === null || span.to > from) && (to === null || span.from === null || span.from < to)
  const todo = entities.map((entity) => cursors.get(entity)?.todo?.filter(isIn) ?? [])
  if (todo.every((spans) => spans.length === 0)) return "done"
  const isWhole = todo.every((spans) => spans.length === 1 && spans[0]?.from === from && spans[0].to === to)
  return isWhole ? "left" : "partly"
}

/** Fails where a dataset has grown or was compacted since it was loaded: files of the load would lack what was added, or be of others. */
export const agree = Effect.fnUntraced(function* (folder: string, { beginning }: Loading, ledger: Ledger.Ledger) {
  const values = [
    ...among(["params", "root", "endpoint"], ledger.definition, beginning.definition),
    ...FolderOptions.otherLayout(ledger.layout, beginning.layout)
  ]
  if (values.length > 0) return yield* new OtherDefinition({ dataset: folder, ...told(values) })
})

/**
 * Adopts parts that were read, and tells whether there is a dataset then. Those that the ledger has already are left as
 * they are there.
 */
export const adopt = Effect.fnUntraced(function* (
  files: Files,
  paths: Recovery.Paths,
  loading: Loading,
  read: ReadonlyArray<LoadBook.Part>
) {
  const { beginning, parts, subject } = loading
  const { bookkeeping, folder } = paths
  const found = yield* Ledger.read(files, folder, bookkeeping)
  const known = found?.cursors ?? new Map<string, Cursor>()
  const fresh = read.filter(({ part }) => {
    const request = parts[part]
    return request !== undefined && (found === undefined || stateOf(known, request) === "left")
  })
  if (fresh.length > 0) {
    if (found !== undefined) yield* agree(folder, loading, found)
    const extension = Format.extension(beginning.format)
    const named = Paths.make(files, { folder, field: beginning.field, extension }, found ?? nothing)
    const entries: Array<Ledger.Line["files"][number]> = []
    for (const part of fresh) {
      for (const { name, ...entry } of part.files) {
        const { entity, period, start } = entry
        const path = yield* named.pathFor({ entity, period }, start.time)
        entries.push({ ...entry, path, part: name })
      }
    }
    yield* Paths.expectFolders(
      files,
      folder,
      entries.map(({ path }) => path)
    )
    const { definition } = found ?? beginning
    const cursors = Load.cursorsOf({
      subject,
      definition,
      parts,
      read: new Map(fresh.map((part) => [part.part, part])),
      cursors: known
    })
    const line: Ledger.Line = { files: entries, deleted: [], cursors, forget: [] }
    if (found === undefined) {
      // None that a kill left without its ledger: a bucket would not have it replaced.
      const moments = ((yield* files.names(bookkeeping)) ?? []).map((name) => Ledger.momentOf(name) ?? 0)
      const moment = Math.max(0, ...moments) + 1
      yield* Ledger.write(files, bookkeeping, { ...beginning, moment, ...nothing, cursors: new Map() }, undefined, [
        line
      ])
    } else {
      const changes = files.join(bookkeeping, Ledger.changesName(found.moment))
      const stored = yield* files.read(changes)
      const whole = stored?.text.slice(0, stored.text.lastIndexOf("\n") + 1) ?? ""
      const text = whole + new TextDecoder().decode(Ledger.encodeLine(line))
      yield* files.put(changes, text, stored === undefined ? "absent" : { tag: stored.tag })
    }
  }
  if (fresh.length === 0 && found === undefined) return false
  yield* Recovery.recover(files, paths, beginning)
  return true
})

/**
 * The bookkeeping of the first load of a folder by several processes: what is loaded, and a file for each part that was
 * read. A part's records are in files beside those that syncs write, under names of parts. They get their own names,
 * and the folder its ledger, when the load ends.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import * as Bookkeeping from "@sluice/files/internal/folder/Bookkeeping"
import * as ChecksummedJson from "@sluice/files/internal/folder/ChecksummedJson"
import type { Files } from "@sluice/files/internal/folder/Files"
import { BookkeepingDamaged } from "@sluice/files/internal/folder/FolderError"
import { LoadUnfinished } from "../model/DatasetError.ts"
import * as FolderVerify from "./FolderVerify.ts"
import * as Ledger from "../ledger/Ledger.ts"
import * as Load from "../load/Load.ts"
import type * as Recovery from "./Recovery.ts"

/** Sums of a part. */
const sums = { part: Schema.Int, records: Schema.Int, bytes: Schema.Int, sha256: Schema.String }

const Head = Schema.fromJsonString(
  Schema.Struct({
    /** What has the load, such as `backfill 5f3a`. */
    by: Schema.String,
    /** What decides its records. */
    identity: Schema.JsonObject,
    /** The parts that were read, kept before the ledger has them; absent until then. */
    done: Schema.optionalKey(Schema.Array(Schema.Struct(sums)))
  })
)
/** What is loaded. */
export type Head = typeof Head.Type

const entry = Struct.omit(Ledger.FileEntry.fields, ["path"])

const Part = Schema.Struct({
  ...sums,
  ...Load.Note.fields,
  /** What it wrote: files without a path, and the name of the part of each. */
  files: Schema.Array(Schema.Struct({ ...entry, name: Schema.String }))
})
/** A part that was read. */
export type Part = typeof Part.Type

const encodeHead = Schema.encodeSync(Head)
const decodeHead = Schema.decodeUnknownResult(Head)
const decodePart = Schema.decodeUnknownResult(Part)

const folderOf = (files: Files, { bookkeeping }: Recovery.Paths) => files.join(bookkeeping, Bookkeeping.ofLoad[0])
const headOf = (files: Files, { bookkeeping }: Recovery.Paths) => files.join(bookkeeping, ...Bookkeeping.ofLoad)

const nameOf = (part: number) => `part-${part}.json`

/** What is loaded into a folder; nothing where nothing is. */
export const read = Effect.fnUntraced(function* (files: Files, paths: Recovery.Paths) {
  const file = headOf(files, paths)
  yield* files.expectFolder(folderOf(files, paths))
  const text = yield* files.text(file)
  if (text === undefined) return undefined
  const head = decodeHead(text)
  if (Result.isSuccess(head)) return head.success
  return yield* new BookkeepingDamaged({ folder: paths.folder, file, reason: "it was edited, or damaged" })
})

/** Fails where a folder without a ledger has a load. */
export const expectNone = Effect.fnUntraced(function* (files: Files, paths: Recovery.Paths) {
  const head = yield* read(files, paths)
  if (head !== undefined) return yield* new LoadUnfinished({ dataset: paths.folder, by: head.by })
})

/** Keeps what is loaded. */
export const write = Effect.fnUntraced(function* (files: Files, paths: Recovery.Paths, head: Head) {
  yield* files.makeFolder(folderOf(files, paths))
  yield* files.put(headOf(files, paths), encodeHead(head))
})

/** A part that was read, and whose files are all there; nothing otherwise. What is damaged was not read. */
export const find = Effect.fnUntraced(function* (files: Files, paths: Recovery.Paths, part: number) {
  const text = yield* files.text(files.join(folderOf(files, paths), nameOf(part)))
  if (text === undefined) return undefined
  const read = Result.flatMap(ChecksummedJson.open(text), decodePart)
  if (Result.isFailure(read) || read.success.part !== part) return undefined
  for (const { bytes, name } of read.success.files) {
    if ((yield* files.size(files.join(paths.parts, name))) !== bytes) return undefined
  }
  return read.success
})

/** All parts that were read. */
export const all = Effect.fnUntraced(function* (files: Files, paths: Recovery.Paths, parts: number) {
  const names = new Set(yield* files.names(folderOf(files, paths)))
  const indexes = Array.from({ length: parts }, (_, part) => part).filter((part) => names.has(nameOf(part)))
  const found = yield* Effect.forEach(indexes, (part) => find(files, paths, part), { concurrency: 16 })
  return found.filter((part) => part !== undefined)
})

/** Whether a file of a part is other than it was written. Reads all of them. */
export const isChanged = Effect.fnUntraced(function* (files: Files, paths: Recovery.Paths, part: Part) {
  for (const { name, sha256 } of part.files) {
    if ((yield* FolderVerify.checksumOf(files, files.join(paths.parts, name))) !== sha256) return true
  }
  return false
})

/** Keeps a part that was read. */
export const add = (files: Files, paths: Recovery.Paths, part: Part) =>
  files.put(files.join(folderOf(files, paths), nameOf(part.part)), `${JSON.stringify(ChecksummedJson.seal(part))}\n`)

/** Forgets all parts, when the ledger has them. */
export const forget = Effect.fnUntraced(function* (files: Files, paths: Recovery.Paths) {
  const names = ((yield* files.names(folderOf(files, paths))) ?? []).filter((name) => name.startsWith("part-"))
  yield* Effect.forEach(names, (name) => files.remove(files.join(folderOf(files, paths), name)), { discard: true })
})

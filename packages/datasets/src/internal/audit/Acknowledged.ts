/**
 * The findings that somebody has looked at: a file beside the bookkeeping of a folder, which no sync and no `verify` reads or removes.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as ChecksummedJson from "@sluice/files/internal/folder/ChecksummedJson"
import type { Files } from "@sluice/files/internal/folder/Files"
import { BookkeepingDamaged } from "@sluice/files/internal/folder/FolderError"
import { isObject } from "@sluice/files/internal/storage/Objects"

/** Name in the bookkeeping folder. */
const name = "acknowledged.json"

const Book = Schema.Struct({ acknowledged: Schema.Array(Schema.String) })

const decode = Schema.decodeUnknownResult(Book)

const readBook = Effect.fnUntraced(function* (files: Files, folder: string, bookkeeping: string) {
  const file = files.join(bookkeeping, name)
  const found = yield* files.read(file)
  if (found === undefined) return { ids: new Set<string>(), tag: undefined }
  const book = Result.flatMap(ChecksummedJson.open(found.text), (json) => Result.mapError(decode(json), String))
  if (Result.isFailure(book)) return yield* new BookkeepingDamaged({ folder, file, reason: book.failure })
  return { ids: new Set(book.success.acknowledged), tag: found.tag }
})

/** The ids that are acknowledged. */
export const read = (files: Files, folder: string, bookkeeping: string) =>
  Effect.map(readBook(files, folder, bookkeeping), ({ ids }) => ids)

/** Changes which they are. In a bucket another program may do so at the same time: then this one fails, and nothing is lost. */
export const change = Effect.fnUntraced(function* (
  files: Files,
  folder: string,
  bookkeeping: string,
  changed: (before: ReadonlySet<string>) => ReadonlyArray<string>
) {
  const { ids: before, tag } = yield* readBook(files, folder, bookkeeping)
  const acknowledged = [...new Set(changed(before))].toSorted()
  const text = `${JSON.stringify(ChecksummedJson.seal({ acknowledged }))}\n`
  const condition = tag === undefined ? "absent" : { tag }
  yield* files.put(files.join(bookkeeping, name), text, isObject(bookkeeping) ? condition : undefined)
})

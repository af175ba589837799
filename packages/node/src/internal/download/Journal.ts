/**
 * The journal of finished parts: a line for each, in the order they finished. A part with several lines was read again;
 * the last line counts.
 *
 * A line is written after its file has its name. A kill can leave a last line without an end; this line is dropped, and its
 * part is read again. Any other damage was done by somebody else, so nothing is touched.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import type { Files } from "../folder/Files.ts"
import { BookkeepingDamaged } from "../folder/FolderError.ts"
import * as ChecksummedJson from "../folder/ChecksummedJson.ts"

/** Name in the bookkeeping folder. */
export const name = "done.ndjson"

/** A finished part. */
export const Done = Schema.Struct({
  /** Index of the part. */
  part: Schema.Int,
  records: Schema.Int,
  /** Size of the file. */
  bytes: Schema.Int,
  /** Of the file, as lower-case hexadecimal text: what `sha256sum` prints. */
  sha256: Schema.String
})
export type Done = typeof Done.Type

/** The content of a journal. */
export interface Read {
  /** By index of the part. */
  readonly done: ReadonlyMap<number, Done>
  /** Its complete lines, without a line that a kill cut. */
  readonly lines: string
  readonly isEmpty: boolean
}

const decode = Schema.decodeUnknownResult(Done)

/** Reads a journal; one that does not exist is empty. */
export const read = Effect.fnUntraced(function* (files: Files, folder: string, bookkeeping: string, parts: number) {
  const file = files.join(bookkeeping, name)
  const text = (yield* files.text(file)) ?? ""
  const end = text.lastIndexOf("\n") + 1
  const done = new Map<number, Done>()
  for (const [index, line] of text.slice(0, end).split("\n").slice(0, -1).entries()) {
    const entry = Result.flatMap(ChecksummedJson.open(line), decode)
    if (Result.isFailure(entry) || entry.success.part < 0 || entry.success.part >= parts) {
      return yield* new BookkeepingDamaged({ folder, file, reason: `line ${index + 1} was edited, or damaged` })
    }
    done.set(entry.success.part, entry.success)
  }
  const journal: Read = { done, lines: text.slice(0, end), isEmpty: text === "" }
  return journal
})

/**
 * Opens a journal for writing until the scope closes, and gives the function that adds a line.
 *
 * A journal of an earlier run is first written to a new file: without a line that a kill cut, and without a second name (in
 * a copy made of hard links, for example), under which it would change too.
 */
export const open = Effect.fnUntraced(function* (files: Files, bookkeeping: string, { isEmpty, lines }: Read) {
  const file = files.join(bookkeeping, name)
  if (!isEmpty) yield* files.put(file, lines)
  const writer = yield* files.open(file, "end")
  const one = yield* Semaphore.make(1)
  let isBroken = false
  return Effect.fnUntraced(function* (done: Done) {
    const line = new TextEncoder().encode(`${JSON.stringify(ChecksummedJson.seal(done))}\n`)
    // No line may follow one that may be cut.
    const add = Effect.suspend(() => (isBroken ? Effect.interrupt : Effect.andThen(writer.write(line), writer.sync)))
    yield* one.withPermits(1)(
      Effect.onError(add, () =>
        Effect.sync(() => {
          isBroken = true
        })
      )
    )
  }, Effect.uninterruptible)
})

/**
 * What is done: a line for every finished part, in the order they were finished. A part that has several lines was read
 * again; the last one counts.
 *
 * A line is written after its file has its name. What a kill leaves is a last line without an end, which is dropped:
 * its part is read again. Any other damage is not ours, and nothing is touched.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
import type { Files } from "./Files.ts"
import { BookkeepingDamaged } from "./FolderError.ts"
import * as ChecksummedJson from "./ChecksummedJson.ts"

/** Name within the folder of the bookkeeping. */
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

/** What a journal says. */
export interface Read {
  /** By index of the part. */
  readonly done: ReadonlyMap<number, Done>
  /** Its whole lines; what comes after them is the line a kill cut. */
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
 * One of an earlier run is written anew first: without the line that a kill cut, and as a file that has no second name
 * (a copy made of hard links, say), under which it would change as well.
 */
export const open = Effect.fnUntraced(function* (files: Files, bookkeeping: string, { isEmpty, lines }: Read) {
  const file = files.join(bookkeeping, name)
  if (!isEmpty) yield* files.put(file, lines)
  const writer = yield* files.open(file, "end")
  const one = yield* Semaphore.make(1)
  let isBroken = false
  return Effect.fnUntraced(function* (done: Done) {
    const line = new TextEncoder().encode(`${JSON.stringify(ChecksummedJson.seal(done))}\n`)
    // After a line that may be cut, nothing may follow.
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

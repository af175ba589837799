/**
 * The journal of finished parts: a line for each, in the order they finished. A part with several lines was read again;
 * the last line counts.
 *
 * A line is written after its file has its name. A kill can leave a last line without an end; this line is dropped, and its
 * part is read again. Any other damage was done by somebody else, so nothing is touched.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { randomUUID } from "node:crypto"
import type { Files, FilesError } from "../folder/Files.ts"
import { BookkeepingDamaged } from "../folder/FolderError.ts"
import * as ChecksummedJson from "../folder/ChecksummedJson.ts"
import { isObject } from "../storage/Objects.ts"

/** Name in the bookkeeping folder. */
export const name = "done.ndjson"

/**
 * Name of the journal of one of several processes that write into the folder. No two append to one file: over a network
 * file system their lines could overwrite each other.
 */
const ofWriter = (writer: string) => `done-${writer}.ndjson`

const isOfWriter = (name: string) => /^done-[0-9a-f-]{36}\.ndjson$/.test(name)

export const Done = Schema.Struct({
  /** Index of the part. */
  part: Schema.Int,
  records: Schema.Int,
  bytes: Schema.Int,
  /** Of the file, as lower-case hexadecimal text: what `sha256sum` prints. */
  sha256: Schema.String
})
export type Done = typeof Done.Type

export interface Read {
  /** By index of the part. */
  readonly done: ReadonlyMap<number, Done>
  /** Parts that two processes have finished, with different content. */
  readonly disputed: ReadonlyMap<number, ReadonlyArray<Done>>
  /** Its complete lines, without a line that a kill cut. */
  readonly lines: string
  readonly isEmpty: boolean
  /** Journals of single processes whose lines these include. */
  readonly writers: ReadonlyArray<string>
  /** Of the journal of the folder in a bucket; undefined where there is none. */
  readonly tag: string | undefined
}

const decode = Schema.decodeUnknownResult(Done)

/** Reads one journal file; one that does not exist is empty. */
export const readFile = Effect.fnUntraced(function* (files: Files, folder: string, file: string, parts: number) {
  const { tag, text } = (yield* files.read(file)) ?? { tag: undefined, text: "" }
  const end = text.lastIndexOf("\n") + 1
  const entries: Array<Done> = []
  for (const [index, line] of text.slice(0, end).split("\n").slice(0, -1).entries()) {
    if (line === "" && isObject(file)) continue
    const entry = Result.flatMap(ChecksummedJson.open(line), decode)
    if (Result.isFailure(entry) || entry.success.part < 0 || entry.success.part >= parts) {
      return yield* new BookkeepingDamaged({ folder, file, reason: `line ${index + 1} was edited, or damaged` })
    }
    entries.push(entry.success)
  }
  return { entries, lines: text.slice(0, end), isEmpty: entries.length === 0 && end === text.length, tag }
})

/** The journal files of a folder: that of the folder first, then those of single processes. */
export const filesOf = Effect.fnUntraced(function* (files: Files, bookkeeping: string) {
  return [name, ...((yield* files.names(bookkeeping)) ?? []).filter(isOfWriter).toSorted()]
})

/** Reads the journal of a folder, with those of single processes; one that does not exist is empty. */
export const read = Effect.fnUntraced(function* (files: Files, folder: string, bookkeeping: string, parts: number) {
  const done = new Map<number, Done>()
  const disputed = new Map<number, ReadonlyArray<Done>>()
  const [, ...writers] = yield* filesOf(files, bookkeeping)
  const found = yield* readFile(files, folder, files.join(bookkeeping, name), parts)
  for (const entry of found.entries) done.set(entry.part, entry)
  let { isEmpty, lines } = found
  for (const writer of writers) {
    const own = yield* readFile(files, folder, files.join(bookkeeping, writer), parts)
    for (const entry of own.entries) {
      const other = done.get(entry.part)
      if (other !== undefined && other.sha256 !== entry.sha256) {
        disputed.set(entry.part, [...(disputed.get(entry.part) ?? [other]), entry])
      }
      done.set(entry.part, entry)
    }
    lines += own.lines
    isEmpty &&= own.isEmpty
  }
  const journal: Read = { done, disputed, lines, isEmpty, writers, tag: found.tag }
  return journal
})

/**
 * Opens a journal for writing until the scope closes, and gives the function that adds a line.
 *
 * A journal of an earlier run is first written to a new file: without a line that a kill cut, and without a second name (in
 * a copy made of hard links, for example), under which it would change too.
 *
 * In a bucket another process may have had the folder and still add a line. It adds it to the file that was there, which counts no
 * more, as the new one has a mark of its own. With an empty line more that has other bytes each time, so a tag names one of them.
 */
export const open = Effect.fnUntraced(function* (files: Files, bookkeeping: string, journal: Read) {
  const { isEmpty, lines, tag, writers } = journal
  const file = files.join(bookkeeping, name)
  if (isObject(file)) yield* files.put(file, `${lines}\n`, tag === undefined ? "absent" : { tag })
  else if (!isEmpty) yield* files.put(file, lines)
  yield* Effect.forEach(writers, (writer) => files.remove(files.join(bookkeeping, writer)), { discard: true })
  return yield* append(files, file)
})

const lineOf = (done: Done) => `${JSON.stringify(ChecksummedJson.seal(done))}\n`

/** Ends a dispute: the file has the content of this entry, or of none. */
export const settle = (journal: Read, part: number, entry: Done | undefined): Read => {
  const done = new Map(journal.done)
  if (entry === undefined) done.delete(part)
  else done.set(part, entry)
  const disputed = new Map(journal.disputed)
  disputed.delete(part)
  return { ...journal, done, disputed, lines: journal.lines + (entry === undefined ? "" : lineOf(entry)) }
}

/** Opens a journal file until the scope closes, and gives the function that adds a line. */
export const append = Effect.fnUntraced(function* (files: Files, file: string) {
  const writer = yield* files.open(file, "end")
  const one = yield* Semaphore.make(1)
  let isBroken = false
  return Effect.fnUntraced(function* (done: Done) {
    const line = new TextEncoder().encode(lineOf(done))
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

/**
 * Gives the function that adds a line to the journal of this process, as one of several. The file is made with the
 * first line, and closed with the scope.
 *
 * Whoever ends the work of the group makes one journal of all and removes the others, while this process may still have
 * its own open. Where the work is begun again, what this process adds then goes into a new one: nobody would see it in
 * the file that was removed.
 */
export const ofProcess = Effect.fnUntraced(function* (files: Files, bookkeeping: string) {
  const scope = yield* Effect.scope
  const one = yield* Semaphore.make(1)
  type Add = Effect.Success<ReturnType<typeof append>>
  let opened: { readonly file: string; readonly scope: Scope.Closeable; readonly add: Add } | undefined
  const current = Effect.gen(function* () {
    if (opened !== undefined) {
      if ((yield* files.size(opened.file)) !== undefined) return opened.add
      yield* Scope.close(opened.scope, Exit.void)
      opened = undefined
    }
    const file = files.join(bookkeeping, ofWriter(randomUUID()))
    const own = yield* Scope.fork(scope)
    const add = yield* append(files, file).pipe(
      Scope.provide(own),
      Effect.onError(() => Scope.close(own, Exit.void))
    )
    opened = { file, scope: own, add }
    return add
  })
  return (done: Done): Effect.Effect<void, FilesError> =>
    one.withPermits(1)(Effect.uninterruptible(Effect.flatMap(current, (add) => add(done))))
})

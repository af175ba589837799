/**
 * The file of the changes since the last moment of a ledger, and the next moment where that file has grown long.
 *
 * Who opens a folder begins a moment. A dataset that is watched stays open for as long as its process lives, so without another
 * moment now and then its changes, which each reader of the ledger reads, would grow without bound.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { Files, FilesError, Writer } from "@sluice/files/internal/folder/Files"
import { FileFailed } from "@sluice/files/internal/folder/FolderError"
import { isObject } from "@sluice/files/internal/storage/Objects"
import * as Ledger from "./Ledger.ts"

/** Bytes of changes that are no trouble, however small the ledger is. */
const usual = 8_388_608

/** A file of changes. */
export interface Changes {
  /**
   * Adds a change, and returns when it is on the disk. Fails in a bucket where another process has the folder; then it has not taken
   * effect, or that process completes it.
   */
  readonly add: (line: Ledger.Line) => Effect.Effect<void, FilesError>
  /**
   * Writes the ledger as a whole where its changes take more than twice its bytes, and 8 MiB. To be called between two
   * changes, when all that was added is done: every part has its name, and every file that was deleted is removed.
   */
  readonly settle: Effect.Effect<void, FilesError>
}

/** What every moment of a folder has alike. */
export type Head = Pick<Ledger.Ledger, "field" | "format" | "snapshots">

/** A moment that begins, and the tag of its ledger, which is that of a bucket. */
export type Moment = Pick<Ledger.Ledger, "moment" | "tag">

interface Open extends Moment {
  readonly writer: Writer
  readonly scope: Scope.Closeable
  /** Bytes of the ledger as a whole. */
  readonly whole: number
  bytes: number
}

/** Opens the file of changes of a moment, which is open until the scope closes. `few` bytes of changes are no trouble. */
export const open = Effect.fnUntraced(function* (
  files: Files,
  bookkeeping: string,
  first: Moment,
  working: Ledger.Working,
  head: Head,
  few = usual
): Effect.fn.Return<Changes, FilesError, Scope.Scope> {
  const outer = yield* Scope.Scope
  const pathOf = (moment: number) => files.join(bookkeeping, Ledger.changesName(moment))
  const ledger = files.join(bookkeeping, Ledger.name)
  const whole = Effect.map(files.size(ledger), (size) => size ?? 0)

  const begin = Effect.fnUntraced(function* (moment: number) {
    const scope = yield* Scope.fork(outer)
    const opening = Scope.provide(files.open(pathOf(moment), "end"), scope)
    return { scope, writer: yield* Effect.onError(opening, () => Scope.close(scope, Exit.void)) }
  })

  // A copy of the folder made of hard links keeps its own, and the ledger has its name before anything is added.
  if (!isObject(bookkeeping)) yield* files.put(pathOf(first.moment), (yield* files.text(pathOf(first.moment))) ?? "")
  let current: Open = { ...first, ...(yield* begin(first.moment)), whole: yield* whole, bytes: 0 }
  let isBroken = false
  /** No line may follow one that may be cut, or in a file that may be of the past. */
  const orBroken = <A, E>(self: Effect.Effect<A, E>) =>
    Effect.onError(self, () =>
      Effect.sync(() => {
        isBroken = true
      })
    )

  const add: Changes["add"] = Effect.fnUntraced(function* (line) {
    if (isBroken) return yield* Effect.interrupt
    const bytes = Ledger.encodeLine(line)
    const { tag, writer } = current
    current.bytes += bytes.length
    const writing = Effect.gen(function* () {
      yield* writer.write(bytes)
      yield* writer.sync
      // Whoever has the folder by now has taken the place of the line, or has begun another moment before it was free again.
      if ((yield* files.tag(ledger)) === tag) return
      return yield* new FileFailed({
        operation: "write",
        path: ledger,
        code: "PreconditionFailed",
        reason: "it is another"
      })
    })
    yield* orBroken(writing)
  })

  const settle = Effect.gen(function* () {
    if (isBroken || current.bytes <= Math.max(few, 2 * current.whole)) return
    const past = current
    const moment = past.moment + 1
    const tag = yield* orBroken(Ledger.write(files, bookkeeping, { ...working, ...head, moment }, past.tag))
    const begun = yield* orBroken(begin(moment))
    current = { moment, tag, ...begun, whole: yield* whole, bytes: 0 }
    Ledger.settle(working)
    yield* Scope.close(past.scope, Exit.void)
    yield* files.remove(pathOf(past.moment))
  })

  return { add, settle }
})

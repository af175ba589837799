/**
 * One download at a time in a folder: a file that names the process that writes there.
 *
 * Everybody who wants the folder writes a lock of his own and then looks for those of others: of two at least one sees
 * the other, whatever happens in between. Who sees nobody has the folder, and says so in his lock; who sees somebody
 * that has it is refused; who sees others that only want it gives way, and tries again after a time drawn by lot. A lock
 * whose owner has ended, by `kill -9` or with the machine, is removed.
 */
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { randomUUID } from "node:crypto"
import * as Files from "./Files.ts"
import { type FileFailed, FolderInUse } from "./FolderError.ts"
import * as Owner from "./Owner.ts"

const isLock = (name: string) => name.startsWith("lock-") && !name.endsWith(Files.unfinished)

const Lock = Schema.fromJsonString(
  Schema.Struct({
    ...Owner.Owner.fields,
    /** Whether the owner has the folder, rather than wants it. */
    holds: Schema.Boolean
  })
)

const encode = Schema.encodeSync(Lock)

const decode = Schema.decodeUnknownResult(Lock)

/** Looks for the locks of others. Fails with `FolderInUse` where one has the folder, and touches nothing. */
export const look = Effect.fnUntraced(function* (
  files: Files.Files,
  folder: string,
  bookkeeping: string,
  mine?: string
) {
  const me = yield* Owner.self(files)
  const ended: Array<string> = []
  const wanted: Array<FolderInUse> = []
  for (const name of ((yield* files.names(bookkeeping)) ?? []).filter(isLock)) {
    const lock = files.join(bookkeeping, name)
    const text = lock === mine ? undefined : yield* files.text(lock)
    if (text === undefined) continue
    const read = decode(text)
    // Locks appear whole: one that cannot be read was lost with the machine.
    const state = Result.isFailure(read) ? "ended" : yield* Owner.stateOf(files, me, read.success)
    if (state === "ended") ended.push(lock)
    else if (Result.isSuccess(read)) {
      const { holds, host, pid } = read.success
      const inUse = new FolderInUse({ folder, pid, host, lock, seen: state === "runs" })
      if (holds) return yield* inUse
      wanted.push(inUse)
    }
  }
  return { ended, wanted: wanted[0] }
})

/** Holds the folder until the scope closes. */
export const hold = Effect.fnUntraced(function* (files: Files.Files, folder: string, bookkeeping: string) {
  const lock = files.join(bookkeeping, `lock-${randomUUID()}.json`)
  const me = yield* Owner.self(files)
  const attempt = Effect.gen(function* () {
    yield* files.put(lock, encode({ ...me, holds: false }))
    const { ended, wanted } = yield* look(files, folder, bookkeeping, lock)
    if (wanted !== undefined) return yield* new GivesWay({ to: wanted })
    // A file that is put over another is seen throughout.
    yield* files.put(lock, encode({ ...me, holds: true }))
    yield* Effect.forEach(ended, files.remove, { discard: true })
  }).pipe(
    // Who has the folder clears away what is unfinished, another's lock too.
    Effect.mapError((error) =>
      error._tag === "FileFailed" && error.code === "ENOENT" ? new GivesWay({ to: error }) : error
    ),
    Effect.onError(() => Effect.ignore(files.remove(lock)))
  )
  const taken = Effect.retry(attempt, { schedule: byLot, while: ({ _tag }) => _tag === "GivesWay" }).pipe(
    Effect.catchTag("GivesWay", ({ to }) => Effect.fail(to))
  )
  yield* Effect.acquireRelease(taken, () => Effect.ignore(files.remove(lock)))
})

/** Another wants the folder at the same time. */
class GivesWay extends Data.TaggedError("GivesWay")<{ readonly to: FolderInUse | FileFailed }> {}

const byLot = Schedule.recurs(30).pipe(Schedule.addDelay(() => Effect.map(Random.nextBetween(0, 100), Duration.millis)))

/**
 * One download at a time in a folder: a file that names the process that writes there.
 *
 * Everybody who wants the folder writes a lock of his own and then looks for those of others. Whoever comes second sees
 * the first, whatever happens in between; two who come at once may both see each other and both try again. A lock whose
 * owner has ended, by `kill -9` or with the machine, is removed.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { randomUUID } from "node:crypto"
import * as Files from "./Files.ts"
import { FolderInUse } from "./FolderError.ts"
import * as Owner from "./Owner.ts"

const isLock = (name: string) => name.startsWith("lock-") && !name.endsWith(Files.unfinished)

const decode = Schema.decodeUnknownResult(Schema.fromJsonString(Owner.Owner))

/** Looks for the locks of others, and gives those whose owners have ended. Fails with `FolderInUse`, touches nothing. */
export const look = Effect.fnUntraced(function* (
  files: Files.Files,
  folder: string,
  bookkeeping: string,
  mine?: string
) {
  const me = yield* Owner.self(files)
  const ended: Array<string> = []
  for (const name of ((yield* files.names(bookkeeping)) ?? []).filter(isLock)) {
    const lock = files.join(bookkeeping, name)
    const text = lock === mine ? undefined : yield* files.text(lock)
    if (text === undefined) continue
    const owner = decode(text)
    // Locks appear whole: one that cannot be read was lost with the machine.
    const state = Result.isFailure(owner) ? "ended" : yield* Owner.stateOf(files, me, owner.success)
    if (state === "ended") ended.push(lock)
    else if (Result.isSuccess(owner)) {
      const { host, pid } = owner.success
      return yield* new FolderInUse({ folder, pid, host, lock, seen: state === "runs" })
    }
  }
  return ended
})

/** Holds the folder until the scope closes. */
export const hold = Effect.fnUntraced(function* (files: Files.Files, folder: string, bookkeeping: string) {
  const take = Effect.gen(function* () {
    const lock = files.join(bookkeeping, `lock-${randomUUID()}.json`)
    const me = yield* Owner.self(files)
    yield* files.put(lock, `${JSON.stringify(me)}\n`)
    const ended = yield* Effect.onError(look(files, folder, bookkeeping, lock), () => Effect.ignore(files.remove(lock)))
    yield* Effect.forEach(ended, files.remove, { discard: true })
    return lock
  })
  yield* Effect.acquireRelease(Effect.retry(take, { schedule: again, while: isInUse }), (lock) =>
    Effect.ignore(files.remove(lock))
  )
})

const isInUse = (error: { readonly _tag: string }) => error._tag === "FolderInUse"

const again = Schedule.spaced("20 millis").pipe(Schedule.jittered, Schedule.upTo({ times: 4 }))

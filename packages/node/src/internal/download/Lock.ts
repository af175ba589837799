/**
 * One download at a time in a folder: a file that names the process that writes there.
 *
 * Everybody who wants the folder writes a lock of his own and then looks for those of others: of two at least one sees
 * the other, whatever happens in between. Who sees nobody has the folder, and says so in his lock; who sees somebody
 * that has it is refused; who sees others that only want it gives way, and tries again after a time drawn by lot. A lock
 * whose owner has ended, by `kill -9` or with the machine, is removed.
 *
 * Whether an owner has ended is told by its process where that can be seen, and by its heartbeat where it cannot, in
 * another container or on another machine: the owner writes its lock anew every ten seconds, and one that was not written
 * for a minute has expired. Both times are those of the file system, so that no two clocks are compared.
 */
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { randomUUID } from "node:crypto"
import * as Files from "./Files.ts"
import { type FileFailed, FolderInUse, FolderLost } from "./FolderError.ts"
import * as Owner from "./Owner.ts"

/** Milliseconds between two writes of a lock. */
const heartbeat = 10_000

/** Milliseconds after which a lock that is not written has expired: several heartbeats, for disks have bad moments. */
const patience = 60_000

const isLock = (name: string) => name.startsWith("lock-") && !name.endsWith(Files.unfinished)

/** Tells whether a name is that of a lock which a kill kept from being finished. */
export const isUnfinished = (name: string) => /^lock-[0-9a-f-]{36}\.json\.new$/.test(name)

const Lock = Schema.fromJsonString(
  Schema.Struct({
    ...Owner.Owner.fields,
    /** Whether the owner has the folder, rather than wants it. */
    holds: Schema.Boolean,
    /** Milliseconds between two writes of this file; absent where its owner writes it once, and it never expires. */
    heartbeat: Schema.optionalKey(Schema.Finite)
  })
)

const encode = Schema.encodeSync(Lock)

const decode = Schema.decodeUnknownResult(Lock)

/**
 * Looks for the locks of others. Fails with `FolderInUse` where one has the folder, and touches nothing.
 *
 * Without a lock of one's own there is no file that tells the time of the file system: this machine's clock is taken
 * then, and a lock that has expired by it counts as ended for the moment. Holding the folder asks again.
 */
export const look = Effect.fnUntraced(function* (
  files: Files.Files,
  folder: string,
  bookkeeping: string,
  mine?: string
) {
  const me = yield* Owner.self(files)
  const own = mine === undefined ? undefined : yield* files.read(mine)
  const now = own?.modified ?? (yield* Clock.currentTimeMillis)
  const ended: Array<string> = []
  const wanted: Array<FolderInUse> = []
  for (const name of ((yield* files.names(bookkeeping)) ?? []).filter(isLock)) {
    const lock = files.join(bookkeeping, name)
    const found = lock === mine ? undefined : yield* files.read(lock)
    if (found === undefined) continue
    const read = decode(found.text)
    // Locks appear whole: one that cannot be read was lost with the machine.
    const state = Result.isFailure(read) ? "ended" : yield* Owner.stateOf(files, me, read.success)
    const silent = now - found.modified
    const beats = Result.isSuccess(read) && read.success.heartbeat !== undefined
    if (state === "ended" || (state === "unseen" && beats && silent > patience)) ended.push(lock)
    else if (Result.isSuccess(read)) {
      const { holds, host, pid } = read.success
      // A clock that runs behind that of the file system tells of a time to come.
      const age = Math.max(0, silent)
      const told = state === "unseen" && beats ? { silent: age, expires: patience - age } : {}
      const inUse = new FolderInUse({ folder, pid, host, lock, seen: state === "runs", ...told })
      if (holds) return yield* inUse
      wanted.push(inUse)
    }
  }
  return { ended, wanted: wanted[0] }
})

/** A folder that is held. */
export interface LockHandle {
  /** Fails once another has taken the folder; asked before what others could see is changed. */
  readonly check: Effect.Effect<void, Files.FilesError | FolderLost>
  /** Fails when another has taken the folder, and never ends otherwise. */
  readonly lost: Effect.Effect<never, FolderLost>
}

/** Holds the folder until the scope closes. */
export const hold = Effect.fnUntraced(function* (files: Files.Files, folder: string, bookkeeping: string) {
  const lock = files.join(bookkeeping, `lock-${randomUUID()}.json`)
  const me = yield* Owner.self(files)
  const held = encode({ ...me, holds: true, heartbeat })
  const attempt = Effect.gen(function* () {
    yield* files.put(lock, encode({ ...me, holds: false, heartbeat }))
    const { ended, wanted } = yield* look(files, folder, bookkeeping, lock)
    if (wanted !== undefined) return yield* new Contended({ to: wanted })
    // A file that is put over another is seen throughout.
    yield* files.put(lock, held)
    yield* Effect.forEach(ended, files.remove, { discard: true })
  }).pipe(
    // Who has the folder clears away what is unfinished, another's lock too.
    Effect.mapError((error) =>
      error._tag === "FileFailed" && error.code === "ENOENT" ? new Contended({ to: error }) : error
    ),
    Effect.onError(() => Effect.ignore(files.remove(lock)))
  )
  const taken = Effect.retry(attempt, { schedule: randomDelays, while: ({ _tag }) => _tag === "Contended" }).pipe(
    Effect.catchTag("Contended", ({ to }) => Effect.fail(to))
  )
  yield* Effect.acquireRelease(taken, () => Effect.ignore(files.remove(lock)))
  const lost = yield* Deferred.make<never, FolderLost>()
  const gone = new FolderLost({ folder, lock })
  // A file that is there is written over and none is made: the lock that another took away stays away. A disk that
  // refuses the write may take the next one; should it not, the lock expires.
  const beat = Effect.catch(files.touch(lock, held), (error) =>
    error._tag === "FileFailed" && error.code === "ENOENT" ? Deferred.fail(lost, gone) : Effect.void
  )
  yield* Effect.forkScoped(Effect.forever(Effect.delay(beat, Duration.millis(heartbeat))), { startImmediately: true })
  return {
    check: Effect.flatMap(files.size(lock), (size) => (size === undefined ? Effect.fail(gone) : Effect.void)),
    lost: Deferred.await(lost)
  } satisfies LockHandle
})

/** Another wants the folder at the same time. */
class Contended extends Data.TaggedError("Contended")<{ readonly to: FolderInUse | FileFailed }> {}

const randomDelays = Schedule.recurs(30).pipe(
  Schedule.addDelay(() => Effect.map(Random.nextBetween(0, 100), Duration.millis))
)

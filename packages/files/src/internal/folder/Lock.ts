/**
 * One download at a time in a folder: a file that names the process that writes there.
 *
 * Each process that wants the folder writes a lock file of its own and then looks for others: of two processes at least one
 * sees the other, whatever happens in between. A process that sees no other lock has the folder, and writes so into its
 * lock. A process that sees a lock with the folder fails. A process that sees only locks without the folder removes its own,
 * and retries after a random delay. A lock whose owner has ended, by `kill -9` or with the machine, is removed.
 *
 * Whether an owner has ended follows from its process, where this process can see it, and otherwise (in another container
 * or on another machine) from its heartbeat: the owner writes its lock every ten seconds, and a lock that was not written
 * for a minute has expired. Both times are those of the file system, so that no two clocks are compared.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
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

/** Milliseconds after which a lock without heartbeat has expired: several heartbeats, since a disk can be slow. */
const expiry = 60_000

const isLock = (name: string) => name.startsWith("lock-") && !name.endsWith(Files.unfinished)

/** Tells whether a name is that of a lock that a kill left unfinished. */
export const isUnfinished = (name: string) => /^lock-[0-9a-f-]{36}\.json\.new$/.test(name)

const Lock = Schema.fromJsonString(
  Schema.Struct({
    ...Owner.Owner.fields,
    /** Whether the owner has the folder, or only wants it. */
    holds: Schema.Boolean,
    /** Milliseconds between two writes of this file; absent where the owner writes it once, so that it never expires. */
    heartbeat: Schema.optionalKey(Schema.Finite)
  })
)

const encode = Schema.encodeSync(Lock)

const decode = Schema.decodeUnknownResult(Lock)

/**
 * Looks for the locks of others. Fails with `FolderInUse` where one has the folder. Touches nothing.
 *
 * Without a lock of its own, the process has no file that shows the time of the file system. It then uses the clock of the
 * machine, and takes a lock that has expired by this clock for ended; `hold` checks again.
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
    // Locks are written atomically: one that cannot be read was damaged when the machine went down.
    const state = Result.isFailure(read) ? "ended" : yield* Owner.stateOf(files, me, read.success)
    const silent = now - found.modified
    const beats = Result.isSuccess(read) && read.success.heartbeat !== undefined
    if (state === "ended" || (state === "unseen" && beats && silent > expiry)) ended.push(lock)
    else if (Result.isSuccess(read)) {
      const { holds, host, pid } = read.success
      // A clock behind that of the file system gives a negative age.
      const age = Math.max(0, silent)
      const told = state === "unseen" && beats ? { silent: age, expires: expiry - age } : {}
      const own = state === "runs" && pid === me.pid ? { own: true } : {}
      const inUse = new FolderInUse({ folder, pid, host, lock, seen: state === "runs", ...own, ...told })
      if (holds) return yield* inUse
      wanted.push(inUse)
    }
  }
  return { ended, wanted: wanted[0] }
})

export interface LockHandle {
  /** Fails if another process has taken the folder; run before each visible change. */
  readonly check: Effect.Effect<void, Files.FilesError | FolderLost>
  /** Fails when another process has taken the folder, and never ends otherwise. */
  readonly lost: Effect.Effect<never, FolderLost>
}

/** Locks the folder until the scope closes. */
export const hold = Effect.fnUntraced(function* (files: Files.Files, folder: string, bookkeeping: string) {
  const lock = files.join(bookkeeping, `lock-${randomUUID()}.json`)
  const me = yield* Owner.self(files)
  const content = encode({ ...me, holds: true, heartbeat })
  const attempt = Effect.gen(function* () {
    const tag = yield* files.put(lock, encode({ ...me, holds: false, heartbeat }), "absent")
    const { ended, wanted } = yield* look(files, folder, bookkeeping, lock)
    if (wanted !== undefined) return yield* new Contended({ to: wanted })
    // Atomic, so that others see the lock at every moment; not where one of them has removed it, which a bucket tells.
    yield* files.put(lock, content, { tag })
    yield* Effect.forEach(ended, files.remove, { discard: true })
  }).pipe(
    // The process that has the folder removes unfinished files, which may be this lock, and locks that have expired.
    Effect.mapError(contended),
    Effect.onError(() => Effect.ignore(files.remove(lock)))
  )
  yield* Effect.acquireRelease(insist(attempt), () => Effect.ignore(files.remove(lock)))
  const lost = yield* Deferred.make<never, FolderLost>()
  const gone = new FolderLost({ folder, lock })
  // `touch` does not create a file, so a lock that another process removed stays removed. If the write fails, the next may
  // succeed; otherwise the lock expires.
  const beat = Effect.catch(files.touch(lock, content), (error) =>
    error._tag === "FileFailed" && error.code === "ENOENT" ? Deferred.fail(lost, gone) : Effect.void
  )
  yield* Effect.forkScoped(Effect.forever(Effect.delay(beat, Duration.millis(heartbeat))), { startImmediately: true })
  return {
    check: Effect.flatMap(files.size(lock), (size) => (size === undefined ? Effect.fail(gone) : Effect.void)),
    lost: Deferred.await(lost)
  } satisfies LockHandle
})

/** Path of the lock of a group. */
const groupLock = (files: Files.Files, bookkeeping: string, group: string) =>
  files.join(bookkeeping, `lock-${group.replace(/[^A-Za-z0-9]+/g, "-")}.json`)

/**
 * Locks the folder for a group of processes, none of which owns the lock: it stays until {@link release}, whoever of them is
 * killed, and does not expire. Does nothing where the group has the folder already.
 */
export const holdFor = Effect.fnUntraced(function* (
  files: Files.Files,
  folder: string,
  bookkeeping: string,
  group: string
) {
  const lock = groupLock(files, bookkeeping, group)
  const owner = { pid: 0, host: group, machine: group, boot: "", space: "", started: "" }
  const take = Effect.fnUntraced(function* (tag: string) {
    const { ended, wanted } = yield* look(files, folder, bookkeeping, lock)
    if (wanted !== undefined) return yield* new Contended({ to: wanted })
    yield* files.put(lock, encode({ ...owner, holds: true }), { tag })
    yield* Effect.forEach(ended, files.remove, { discard: true })
  })
  const attempt = Effect.gen(function* () {
    const found = yield* files.read(lock)
    if (found !== undefined) return yield* take(found.tag)
    const tag = yield* files.put(lock, encode({ ...owner, holds: false }), "absent")
    yield* Effect.onError(take(tag), (cause) =>
      // Where the lock is another than before, another process of the group has the folder by it.
      isReplaced(Cause.squash(cause)) ? Effect.void : Effect.ignore(files.remove(lock))
    )
  }).pipe(Effect.mapError(contended))
  yield* insist(attempt)
})

/** Fails if the group no longer has the folder; run before each visible change. */
export const checkFor = (files: Files.Files, folder: string, bookkeeping: string, group: string) => {
  const lock = groupLock(files, bookkeeping, group)
  return Effect.flatMap(files.size(lock), (size) =>
    size === undefined ? Effect.fail(new FolderLost({ folder, lock })) : Effect.void
  )
}

/** Ends what {@link holdFor} began. */
export const release = (files: Files.Files, bookkeeping: string, group: string) =>
  files.remove(groupLock(files, bookkeeping, group))

/** Another process wants the folder at the same time. */
class Contended extends Data.TaggedError("Contended")<{ readonly to: FolderInUse | FileFailed }> {}

/** Whether a bucket has refused a write since another has written the lock meanwhile. */
const isReplaced = (error: unknown): boolean =>
  Predicate.isTagged(error, "FileFailed") && Predicate.hasProperty(error, "code") && error.code === "PreconditionFailed"

/** Another process has written or removed the lock meanwhile. */
const contended = <E extends Files.FilesError | FolderInUse | Contended>(error: E): E | Contended =>
  error._tag === "FileFailed" && (error.code === "ENOENT" || isReplaced(error)) ? new Contended({ to: error }) : error

/** Tries again while others want the folder too. */
const insist = <A, E, R>(attempt: Effect.Effect<A, E | Contended, R>) =>
  Effect.retry(attempt, { schedule: randomDelays, while: (error) => error instanceof Contended }).pipe(
    // Type boundary: `Contended` is the one error that ends here.
    Effect.mapError((error) => (error instanceof Contended ? error.to : (error as Exclude<E, Contended>)))
  )

const randomDelays = Schedule.recurs(30).pipe(
  Schedule.addDelay(() => Effect.map(Random.nextBetween(0, 100), Duration.millis))
)

/**
 * A quota store in a file that processes of one user share.
 *
 * SQLite, which Node.js brings along: a step is one transaction, a process that is killed in the middle of one leaves nothing
 * behind, and the waits for the lock are its own. A lock file would need all of that written by hand; a socket server would
 * have to be chosen among the processes, and the state would die with it.
 */
import { Misconfigured } from "@sluice/core/ApiError"
import { harmless } from "@sluice/core/PlainText"
import * as QuotaStore from "@sluice/core/QuotaStore"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { lstatSync, mkdirSync } from "node:fs"
import { tmpdir, userInfo } from "node:os"
import { isAbsolute, join } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import * as SqliteLog from "./SqliteLog.ts"

/** How often a process that waits looks whether another has made a step. It reads one number of shared memory. */
const lookEvery = 10

/** Accounts that nobody has used for so long are dropped: longer than any window. */
const keptFor = 40 * 86_400_000

const tables = `
  create table if not exists account (name text primary key, state text not null, used integer not null) strict;
  create table if not exists reply (
    account text not null, place integer not null, id text not null, time real not null, primary key (account, place)
  ) strict, without rowid;
  create index if not exists reply_time on reply (account, time);
  create unique index if not exists reply_id on reply (account, id);
  create table if not exists wake (account text not null, process text not null, primary key (account, process))
    strict, without rowid;
`

const failed = (reason: string) =>
  new Misconfigured({ setting: "quotaStore", variable: "SLUICE_QUOTA_STORE", reason: `local: ${reason}` })

const isFolder = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/** The user as the system has it; a container may run as a number that has no entry there. */
const ownHome = () => {
  try {
    return userInfo().homedir
  } catch {
    return ""
  }
}

/**
 * The folder of a user, which depends on the user alone: a shell, cron and a service of the system have other variables, and
 * two files would be two windows. `os.tmpdir` and `os.homedir` read variables too.
 */
export const ownFolder = (homedir: string, uid: number): string => {
  if (isAbsolute(homedir) && homedir !== "/" && isFolder(homedir)) return join(homedir, ".cache", "sluice")
  return join(process.platform === "win32" ? tmpdir() : "/tmp", `sluice-${uid}`)
}

const name = "quota-1.sqlite"

/** The right of others to write: of the group, and of everybody. */
const forOthers = 0o022

/**
 * Makes the folder, and tells the path of the file in it. Refuses a folder into which another user may write, who could lead the
 * file elsewhere, and a file that is led elsewhere.
 */
const makeFolder = (folder: string): string => {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const found = lstatSync(folder)
  const uid = process.getuid?.()
  if (!found.isDirectory() || (uid !== undefined && found.uid !== uid)) {
    throw new Error(`${folder} is not a folder of this user`)
  }
  // Windows tells of no such rights.
  if (uid !== undefined && (found.mode & forOthers) !== 0) {
    throw new Error(`every user may write into ${folder}: take that right away (chmod o-w), or name another folder`)
  }
  const file = join(folder, name)
  // SQLite would follow a link, and keeps two files beside its own.
  for (const path of [file, `${file}-wal`, `${file}-shm`]) {
    if (lstatSync(path, { throwIfNoEntry: false })?.isFile() === false) throw new Error(`${path} is not a regular file`)
  }
  return file
}

/** Milliseconds for which SQLite itself waits for the lock: nothing else of this process runs meanwhile. A step takes less. */
const busyTimeout = 3

/** Whether another process had the lock. The lower byte of SQLite's code says so, the others say why. */
const isBusy = (cause: unknown) =>
  typeof cause === "object" && cause !== null && "errcode" in cause && (Number(cause.errcode) & 0xff) === 5

/** What SQLite or the file system says. */
class SqliteFailed extends Data.TaggedError("SqliteFailed")<{ readonly reason: string; readonly isBusy: boolean }> {}

const attempt = <A>(run: () => A) =>
  Effect.try({
    try: run,
    catch: (cause) => new SqliteFailed({ reason: reasonOf(cause), isBusy: isBusy(cause) })
  })

/** Tries again for two seconds while other processes have the lock. */
const unlessBusy = <A, R>(self: Effect.Effect<A, SqliteFailed, R>) =>
  Effect.retry(self, {
    while: (error) => error.isBusy,
    schedule: Schedule.min([Schedule.exponential("2 millis"), Schedule.spaced("50 millis")]).pipe(
      Schedule.jittered,
      Schedule.upTo({ duration: "2 seconds" })
    )
  })

const reasonOf = (cause: unknown) => harmless((cause instanceof Error ? cause.message : String(cause)).slice(0, 200))

const open = (folder: string | undefined) =>
  Effect.gen(function* () {
    const { DatabaseSync } = yield* Effect.tryPromise({
      try: () => import("node:sqlite"),
      catch: () => failed("this runtime has no node:sqlite; use redis://")
    })
    const place = folder ?? ownFolder(ownHome(), process.getuid?.() ?? 0)
    const make = () => {
      const database = new DatabaseSync(makeFolder(place), { timeout: busyTimeout })
      try {
        // What a crash of the machine takes is out of every window when it is up again.
        database.exec("pragma journal_mode = wal; pragma synchronous = off;")
        database.exec(tables)
        return database
      } catch (cause) {
        database.close()
        throw cause
      }
    }
    return yield* Effect.acquireRelease(
      attempt(make).pipe(
        unlessBusy,
        Effect.mapError(({ reason }) => failed(reason))
      ),
      (database) => Effect.sync(() => database.close())
    )
  })

/** Makes one step in a transaction, which is left open when it fails. */
const makeStep = (database: DatabaseSync, account: string) => {
  const read = database.prepare("select state from account where name = ?")
  const write = database.prepare(
    "insert into account values (?, ?, ?) on conflict do update set state = excluded.state, used = excluded.used"
  )
  const old = "select name from account where used < ?"
  // The accounts last: the others are found by them.
  const drops = [
    database.prepare(`delete from reply where account in (${old})`),
    database.prepare(`delete from wake where account in (${old})`),
    database.prepare("delete from account where used < ?")
  ]
  const wake = database.prepare("insert or ignore into wake values (?, ?)")
  const woken = database.prepare("delete from wake where account = ? and process = ?")
  const log = SqliteLog.make(database, account)
  return (step: QuotaStore.Step, clock: Clock.Clock) => {
    database.exec("begin immediate")
    // Only with the lock, which may have to be waited for: another process's step would be later and yet come first.
    const now = clock.currentTimeMillisUnsafe()
    const row = read.get(account)
    log.begin()
    const state = row === undefined ? undefined : QuotaStore.read(String(row["state"]), log, step)
    if (state === undefined) {
      for (const drop of drops) drop.run(now - keptFor)
      log.clear()
      log.begin()
    }
    const next = QuotaStore.advance(state, log, step, now)
    write.run(account, JSON.stringify(next.state), Math.floor(now))
    woken.run(account, step.process)
    for (const process of next.wake) wake.run(account, process)
    database.exec("commit")
    return next.answer
  }
}

const make = Effect.fnUntraced(function* (account: string, folder: string | undefined) {
  const database = yield* open(folder)
  const place = folder === undefined ? "local" : `local:${folder}`
  const { advance, version, woken } = yield* attempt(() => ({
    advance: makeStep(database, account),
    version: database.prepare("pragma data_version"),
    woken: database.prepare("select 1 from wake where account = ? and process = ?")
    // A file that has something else under these names.
  })).pipe(Effect.mapError(({ reason }) => failed(reason)))
  let seen: unknown
  const unavailable = ({ reason }: SqliteFailed) =>
    new QuotaStore.QuotaStoreUnavailable({
      place,
      reason: `the quota store ${place} cannot be used: ${reason}`,
      transient: true
    })
  const isWoken = (process: string) => {
    const now = version.get()?.["data_version"]
    if (now === seen) return false
    seen = now
    return woken.get(account, process) !== undefined
  }
  return QuotaStore.QuotaStore.of({
    place,
    step: (step) =>
      Clock.clockWith((clock) => attempt(() => advance(step, clock))).pipe(
        Effect.onError(() => Effect.sync(() => (database.isTransaction ? database.exec("rollback") : undefined))),
        unlessBusy,
        Effect.mapError(unavailable)
      ),
    awaitWake: (process) =>
      Effect.gen(function* () {
        while (
          !(yield* Effect.orElseSucceed(
            attempt(() => isWoken(process)),
            () => true
          ))
        ) {
          yield* Effect.sleep(lookEvery)
        }
      })
  })
})

/** Provides the store of an account in the file of this user, or in that of a folder. */
export const layer = (account: string, folder: string | undefined): Layer.Layer<QuotaStore.QuotaStore, Misconfigured> =>
  Layer.effect(QuotaStore.QuotaStore, make(account, folder))

/**
 * A quota store in a file that processes of one user share.
 *
 * SQLite, which Node.js brings along: a process that is killed in the middle of a write leaves nothing behind, and the waits for the
 * lock are its own. A lock file would need all of that written by hand; a socket server would have to be chosen among the
 * processes, and the state would die with it.
 */
import { Misconfigured } from "@sluice/core/ApiError"
import { harmless } from "@sluice/core/PlainText"
import * as QuotaStore from "@sluice/core/QuotaStore"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { lstatSync, mkdirSync, rmSync } from "node:fs"
import { tmpdir, userInfo } from "node:os"
import { isAbsolute, join } from "node:path"
import type { DatabaseSync } from "node:sqlite"

/** How often a process that waits looks whether another has made a step. It reads a number of shared memory, and the inode of the file. */
const lookEvery = 10

const tables = `
  create table if not exists quota (
    account text primary key, base text not null, state text not null, unused integer not null
  ) strict, without rowid;
  create table if not exists entry (
    account text, nth integer, at integer not null, step text not null, primary key (account, nth)
  ) strict, without rowid;
  create table if not exists woken (account text, process text, primary key (account, process)) strict, without rowid;
`

const failed = (reason: string) =>
  new Misconfigured({ setting: "quotaStore", variable: "SLUICE_QUOTA_STORE", reason: `local: ${reason}` })

const inodeOf = (file: string) => lstatSync(file, { throwIfNoEntry: false })?.ino

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

const name = `quota-${QuotaStore.version}.sqlite`

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
    throw new Error(`other users may write into ${folder}: take that right away (chmod go-w), or name another folder`)
  }
  const file = join(folder, name)
  // SQLite would follow a link, and keeps two files beside its own.
  for (const path of [file, `${file}-wal`, `${file}-shm`]) {
    if (lstatSync(path, { throwIfNoEntry: false })?.isFile() === false) throw new Error(`${path} is not a regular file`)
  }
  // What stood beside a file that was removed belongs to those who still have it open: SQLite could not open a new file with it.
  if (inodeOf(file) === undefined) for (const path of [`${file}-wal`, `${file}-shm`]) rmSync(path, { force: true })
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
  Effect.try({ try: run, catch: (cause) => new SqliteFailed({ reason: reasonOf(cause), isBusy: isBusy(cause) }) })

/** Tries again for two seconds while other processes have the lock, counted in tries: the clock may be set. */
const unlessBusy = <A, R>(self: Effect.Effect<A, SqliteFailed, R>) =>
  Effect.retry(self, {
    while: (error) => error.isBusy,
    schedule: Schedule.min([Schedule.exponential("2 millis"), Schedule.spaced("50 millis")]).pipe(
      Schedule.jittered,
      Schedule.upTo({ times: 45 })
    )
  })

const reasonOf = (cause: unknown) => harmless((cause instanceof Error ? cause.message : String(cause)).slice(0, 200))

/** Opens the file, and gives what is asked of it. */
const open = (account: string, folder: string | undefined) =>
  Effect.gen(function* () {
    const { DatabaseSync } = yield* Effect.tryPromise({
      try: () => import("node:sqlite"),
      catch: () => failed("this runtime has no node:sqlite; use redis://")
    })
    const directory = folder ?? ownFolder(ownHome(), process.getuid?.() ?? 0)
    const openFile = () => {
      const file = makeFolder(directory)
      const found = inodeOf(file)
      const database = new DatabaseSync(file, { timeout: busyTimeout })
      try {
        // What a crash of the machine takes is out of every window when it is up again.
        database.exec("pragma journal_mode = wal; pragma synchronous = off;")
        database.exec(tables)
        return { database, file, inode: found ?? inodeOf(file), queries: makeQueries(database, account) }
      } catch (cause) {
        database.close()
        throw cause
      }
    }
    let opened: ReturnType<typeof openFile> | undefined
    const close = () => {
      opened?.database.close()
      opened = undefined
    }
    /** Compares inodes: a file that somebody has removed stays open here, while others use a new one. */
    const current = () => {
      if (opened !== undefined && inodeOf(opened.file) === opened.inode) return opened.queries
      close()
      opened = openFile()
      return opened.queries
    }
    yield* Effect.acquireRelease(
      attempt(current).pipe(
        unlessBusy,
        Effect.mapError(({ reason }) => failed(reason))
      ),
      () => Effect.sync(close)
    )
    return current
  })

const makeQueries = (database: DatabaseSync, account: string) => {
  const head = database.prepare("select base, state from quota where account = ?")
  const use = database.prepare("update quota set unused = ? where account = ?")
  const begin = database.prepare("insert or replace into quota values (?, ?, ?, ?)")
  const entryAt = database.prepare("select 1 from entry where account = ? and nth = ? and at = ?")
  const forget = database.prepare("delete from entry where account = ? and nth <= ?")
  const renumber = database.prepare("update entry set nth = nth - ? where account = ?")
  const append = database.prepare(
    "insert into entry select ?1, coalesce(max(nth), 0) + 1, ?2, ?3 from entry where account = ?1"
  )
  const after = database.prepare("select at, step from entry where account = ? and nth > ? order by nth")
  const drop = database.prepare("delete from quota where unused < ?")
  const orphans = ["entry", "woken"].map((table) =>
    database.prepare(`delete from ${table} where account not in (select account from quota)`)
  )
  const changes = database.prepare("pragma data_version")
  const wake = database.prepare("insert or ignore into woken values (?, ?)")
  const woken = database.prepare("select 1 from woken where account = ? and process = ?")
  const awake = database.prepare("delete from woken where account = ? and process = ?")

  const transaction = <A>(run: () => A): A => {
    database.exec("begin immediate")
    try {
      const found = run()
      database.exec("commit")
      return found
    } catch (cause) {
      // A full disk ends the transaction by itself.
      if (database.isTransaction) database.exec("rollback")
      throw cause
    }
  }
  let seen: unknown
  return {
    append: ({ base: next, entry, keep, name, read }: QuotaStore.Next, clock: Clock.Clock): QuotaStore.Found =>
      transaction(() => {
        // Not before: a process that waits for the lock, or stands still, would tell others that the clock was set back.
        const now = clock.currentTimeMillisUnsafe()
        const until = Math.floor(now + keep)
        const row = head.get(account)
        const isRead =
          row?.["base"] === read.base &&
          (read.count === 0 || entryAt.get(account, read.count, Number(read.at)) !== undefined)
        const isNew = row === undefined || (isRead && next !== undefined)
        use.run(until, account)
        if (isNew) {
          drop.run(now)
          for (const orphan of orphans) orphan.run()
          const { count, text } = row !== undefined && next !== undefined ? next : { count: 0, text: "" }
          begin.run(account, name, text, until)
          forget.run(account, count)
          renumber.run(count, account)
        }
        append.run(account, Math.floor(now) * 1_000, entry)
        const isKnown = isRead && !isNew
        const { base, state } = isKnown ? { base: read.base, state: undefined } : head.get(account)!
        const entries = after.all(account, isKnown ? read.count : 0)
        return {
          base: String(base),
          text: isKnown ? undefined : String(state),
          entries: entries.map(({ at, step }) => ({ at: String(at), text: String(step) }))
        }
      }),
    wake: (processes: ReadonlyArray<string>) =>
      transaction(() => {
        for (const process of processes) wake.run(account, process)
      }),
    /** Whether others have written since, and have woken the process. */
    isWoken: (process: string): boolean => {
      const now = changes.get()?.["data_version"]
      if (now === seen) return false
      seen = now
      if (woken.get(account, process) === undefined) return false
      awake.run(account, process)
      return true
    }
  }
}

const make = Effect.fnUntraced(function* (account: string, folder: string | undefined) {
  const current = yield* open(account, folder)
  const place = folder === undefined ? "local" : `local:${folder}`
  const unavailable = ({ reason }: SqliteFailed) =>
    new QuotaStore.QuotaStoreUnavailable({
      place,
      reason: `the quota store ${place} cannot be used: ${reason}`,
      transient: true
    })
  return QuotaStore.over({
    place,
    append: (next) =>
      Effect.flatMap(Clock.Clock, (clock) => attempt(() => current().append(next, clock))).pipe(
        unlessBusy,
        Effect.mapError(unavailable)
      ),
    wake: (processes) => attempt(() => current().wake(processes)).pipe(unlessBusy, Effect.ignore),
    awaitWake: (process) =>
      Effect.gen(function* () {
        const woken = attempt(() => current().isWoken(process))
        while (!(yield* Effect.orElseSucceed(woken, () => true))) yield* Effect.sleep(lookEvery)
      })
  })
})

/** Provides the store of an account in the file of this user, or in that of a folder. */
export const layer = (account: string, folder: string | undefined): Layer.Layer<QuotaStore.QuotaStore, Misconfigured> =>
  Layer.effect(QuotaStore.QuotaStore, make(account, folder))

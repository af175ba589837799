/**
 * A quota store in a file that processes of one user share.
 *
 * SQLite, which Node.js brings along: a step is one transaction, a process that is killed in the middle of one leaves nothing
 * behind, and the waits for the lock are its own. A lock file would need all of that written by hand; a socket server would
 * have to be chosen among the processes, and the state would die with it.
 */
import { Misconfigured } from "@sluice/core/ApiError"
import * as QuotaStore from "@sluice/core/QuotaStore"
import * as Clock from "effect/Clock"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { lstatSync, mkdirSync } from "node:fs"
import { tmpdir, userInfo } from "node:os"
import { join } from "node:path"
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

/** The folder of this user that is gone after a restart of the machine, as the quota may be. */
const ownFolder = Effect.map(Config.option(Config.NonEmptyString("XDG_RUNTIME_DIR")), (runtime) =>
  Option.match(runtime, {
    onNone: () => join(tmpdir(), `sluice-${userInfo().uid}`),
    onSome: (folder) => join(folder, "sluice")
  })
)

/** Makes the folder. Refuses one of another user, who could lead the file elsewhere. */
const makeFolder = (folder: string) => {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const found = lstatSync(folder)
  const uid = process.getuid?.()
  if (!found.isDirectory() || (uid !== undefined && found.uid !== uid)) {
    throw new Error(`${folder} is not a folder of this user`)
  }
}

const reasonOf = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause)).slice(0, 200)

const open = (folder: string | undefined) =>
  Effect.gen(function* () {
    const { DatabaseSync } = yield* Effect.tryPromise({
      try: () => import("node:sqlite"),
      catch: () => failed("this runtime has no node:sqlite; use redis://")
    })
    const place = folder ?? (yield* Effect.orDie(ownFolder))
    return yield* Effect.acquireRelease(
      Effect.try({
        try: () => {
          makeFolder(place)
          const database = new DatabaseSync(join(place, "quota-1.sqlite"), { timeout: 2_000 })
          // What a crash of the machine takes is out of every window when it is up again.
          database.exec("pragma journal_mode = wal; pragma synchronous = off;")
          database.exec(tables)
          return database
        },
        catch: (cause) => failed(reasonOf(cause))
      }),
      (database) => Effect.sync(() => database.close())
    )
  })

/** Makes one step in a transaction, which is left open when it fails. */
const makeStep = (database: DatabaseSync, account: string) => {
  const read = database.prepare("select state from account where name = ?")
  const write = database.prepare(
    "insert into account values (?, ?, ?) on conflict do update set state = excluded.state, used = excluded.used"
  )
  const drop = database.prepare("delete from account where used < ?")
  const wake = database.prepare("insert or ignore into wake values (?, ?)")
  const woken = database.prepare("delete from wake where account = ? and process = ?")
  const log = SqliteLog.make(database, account)
  return (step: QuotaStore.Step, now: number) => {
    database.exec("begin immediate")
    const row = read.get(account)
    // Type boundary: only this program writes the file, and its name has the version of what is in it.
    const state = row === undefined ? undefined : (JSON.parse(String(row["state"])) as QuotaStore.State)
    if (state === undefined) {
      drop.run(now - keptFor)
      log.clear()
    }
    log.begin()
    const next = QuotaStore.advance(state, log, step, now)
    write.run(account, JSON.stringify(next.state), now)
    woken.run(account, step.process)
    for (const process of next.wake) wake.run(account, process)
    database.exec("commit")
    return next.answer
  }
}

const make = Effect.fnUntraced(function* (account: string, folder: string | undefined) {
  const database = yield* open(folder)
  const place = folder === undefined ? "local" : `local:${folder}`
  const advance = makeStep(database, account)
  const version = database.prepare("pragma data_version")
  const woken = database.prepare("select 1 from wake where account = ? and process = ?")
  let seen: unknown
  const attempt = <A>(run: () => A) =>
    Effect.try({
      try: run,
      catch: (cause) =>
        new QuotaStore.QuotaStoreUnavailable({
          place,
          reason: `the quota store ${place} cannot be used: ${reasonOf(cause)}`,
          transient: true
        })
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
      Effect.flatMap(Clock.currentTimeMillis, (now) => attempt(() => advance(step, now))).pipe(
        Effect.onError(() => Effect.sync(() => (database.isTransaction ? database.exec("rollback") : undefined)))
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

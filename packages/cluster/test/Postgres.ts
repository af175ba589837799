/**
 * A real PostgreSQL of this machine, where one is installed.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process"
import { chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as FreePort from "../../node/test/FreePort.ts"
import * as PostgresData from "../../node/test/database/PostgresData.ts"

export { isInstalled } from "../../node/test/database/PostgresData.ts"

/** A server with an empty database, until the scope closes. */
export const make = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "sluice-postgres-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )
  const { gid, uid } = PostgresData.user
  if (uid !== undefined) chownSync(folder, uid, gid)
  const data = yield* PostgresData.make(folder)
  writeFileSync(join(data, "pg_hba.conf"), "host all all 127.0.0.1/32 trust\n")
  const options = { ...PostgresData.user, stdio: "ignore", cwd: folder } as const
  const port = yield* FreePort.find
  const settings = {
    port,
    fsync: "off",
    listen_addresses: "127.0.0.1",
    unix_socket_directories: folder,
    max_connections: 60
  }
  const args = ["-D", data, ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])]
  let server: ChildProcess | undefined
  const isUp = Effect.sync(
    () =>
      spawnSync(PostgresData.program("pg_isready"), ["-h", "127.0.0.1", "-p", String(port)], { stdio: "ignore" })
        .status === 0
  )
  const start = Effect.gen(function* () {
    server = spawn(PostgresData.program("postgres"), args, options)
    while (!(yield* isUp)) yield* Effect.sleep("50 millis")
  })
  /** Kills the server and all its sessions, as a machine that loses power does. */
  const kill = Effect.gen(function* () {
    const ended = server
    if (ended === undefined) return
    ended.kill("SIGKILL")
    yield* Effect.callback<void>((resume) => {
      if (ended.exitCode !== null || ended.signalCode !== null) resume(Effect.void)
      else ended.once("exit", () => resume(Effect.void))
    })
    // Its sessions end by themselves when they see that it is gone; until then none can start.
    server = undefined
  })
  yield* Effect.acquireRelease(start, () => kill)
  const query = (sql: string) =>
    Effect.sync(() =>
      execFileSync(
        PostgresData.program("psql"),
        ["-h", "127.0.0.1", "-p", String(port), "-U", "sluice", "-d", "postgres", "-At", "-c", sql],
        {
          encoding: "utf8",
          cwd: folder
        }
      ).trim()
    )
  return {
    url: Redacted.make(`postgres://sluice@127.0.0.1:${port}/postgres`),
    query,
    kill,
    start,
    /** Everything in all tables, as text. */
    dump: Effect.sync(() =>
      execFileSync(
        PostgresData.program("pg_dump"),
        ["-h", "127.0.0.1", "-p", String(port), "-U", "sluice", "postgres"],
        {
          encoding: "utf8",
          maxBuffer: 1e9,
          cwd: folder
        }
      )
    )
  }
})

/** A running server. */
export type Postgres = Effect.Success<typeof make>

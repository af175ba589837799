/**
 * A real PostgreSQL of this machine, where one is installed.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { execFileSync } from "node:child_process"
import { chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as FreePort from "../../node/test/FreePort.ts"
import * as PostgresData from "../../datasets/test/database/PostgresData.ts"

export { isInstalled } from "../../datasets/test/database/PostgresData.ts"

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
  const port = yield* FreePort.find
  const { kill, start, stop } = PostgresData.serve(data, port, { unix_socket_directories: folder, max_connections: 60 })
  yield* Effect.acquireRelease(start(), () => stop)
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
    start: start(),
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

/**
 * A PostgreSQL of the test's own, where it is installed.
 */
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Effect, FileSystem, Redacted } from "effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import type { Certificate } from "../../../node/test/Certificate.ts"
import * as FreePort from "../../../node/test/FreePort.ts"
import * as PostgresData from "./PostgresData.ts"

export { isInstalled, password } from "./PostgresData.ts"

/** What a suite is called that did not run. */
export const title = (name: string) =>
  PostgresData.isInstalled ? name : `${name}: DID NOT RUN, there is no PostgreSQL here`

/** A server that runs until the scope closes. */
export const make = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  // The server's user has to reach it.
  const folder = yield* files.makeTempDirectoryScoped({ directory: os.tmpdir(), prefix: "sluice-postgres-" })
  yield* Effect.sync(() => fs.chmodSync(folder, 0o755))
  const data = yield* PostgresData.make(folder)
  const port = yield* FreePort.find
  const { start, stop } = PostgresData.serve(data, port, { unix_socket_directories: data, log_min_messages: "fatal" })
  yield* Effect.acquireRelease(start(), () => stop)
  const url = (at: number = port) =>
    Redacted.make(`postgres://sluice:${PostgresData.password}@127.0.0.1:${at}/postgres`)
  /** Starts it with a certificate: encryption is offered where a test asks for it. */
  const startEncrypted = ({ cert, key }: Certificate) =>
    Effect.andThen(
      Effect.sync(() => {
        for (const [name, text] of [["cert.pem", cert] as const, ["key.pem", key] as const]) {
          const file = path.join(data, name)
          fs.writeFileSync(file, text, { mode: 0o600 })
          const { gid, uid } = PostgresData.user
          if (uid !== undefined) fs.chownSync(file, uid, gid)
        }
      }),
      start({ ssl: "on", ssl_cert_file: `${data}/cert.pem`, ssl_key_file: `${data}/key.pem` })
    )
  return { port, url, start: start(), startEncrypted, stop, folder: data }
})

/** The rows of a statement, over a connection of its own. */
export const query = Effect.fnUntraced(function* ({ url }: Effect.Success<typeof make>, sql: string) {
  const connection = yield* PgConnection.make({ url: url(), ssl: false })
  return (yield* connection.query(sql, [], false)).rows
}, Effect.scoped)

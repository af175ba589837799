/**
 * A PostgreSQL of the test's own, where it is installed, as Debian installs it.
 */
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Data, Effect, FileSystem, Redacted } from "effect"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import { createServer } from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import type { Certificate } from "../Certificate.ts"

const debian = "/usr/lib/postgresql"

const newestFirst = (names: ReadonlyArray<string>) => names.toSorted((a, b) => Number(b) - Number(a))

/** The folder of its programs; absent where there is none. */
const programs = [
  ...(fs.existsSync(debian) ? newestFirst(fs.readdirSync(debian)).map((version) => `${debian}/${version}/bin`) : []),
  ...(process.env["PATH"] ?? "").split(path.delimiter)
].find((folder) => fs.existsSync(path.join(folder, "initdb")))

/** Whether tests with a server can run here. */
export const isInstalled = programs !== undefined

/** What a suite is called that did not run. */
export const title = (name: string) => (isInstalled ? name : `${name}: DID NOT RUN, there is no PostgreSQL here`)

/** PostgreSQL refuses to run as root. */
const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}

class ProgramFailed extends Data.TaggedError("ProgramFailed")<{ readonly message: string }> {}

const run = (program: string, args: ReadonlyArray<string>) =>
  Effect.callback<void, ProgramFailed>((resume) => {
    const child = spawn(path.join(programs ?? "", program), args, { ...user, stdio: ["ignore", "pipe", "pipe"] })
    let text = ""
    child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()))
    child.stderr.on("data", (chunk: Buffer) => (text += chunk.toString()))
    child.on("exit", (code) =>
      resume(code === 0 ? Effect.void : Effect.fail(new ProgramFailed({ message: `${program}: ${text}` })))
    )
  })

const freePort = Effect.callback<number>((resume) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const address = server.address()
    server.close(() => resume(Effect.succeed(typeof address === "object" ? (address?.port ?? 0) : 0)))
  })
})

/** A password that must be in no message. */
export const password = "correct-horse"

/** A server that runs until the scope closes. */
export const make = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  // The server's user has to reach it.
  const folder = yield* files.makeTempDirectoryScoped({ directory: os.tmpdir(), prefix: "sluice-postgres-" })
  const data = path.join(folder, "data")
  yield* Effect.sync(() => {
    fs.chmodSync(folder, 0o755)
    fs.mkdirSync(data)
    fs.writeFileSync(path.join(folder, "password"), password, { mode: 0o644 })
    if (user.uid !== undefined) fs.chownSync(data, user.uid, user.gid)
  })
  const login = ["-U", "sluice", "-A", "scram-sha-256", `--pwfile=${path.join(folder, "password")}`]
  yield* run("initdb", ["-D", data, ...login, "-N", "-E", "UTF8", "--locale=C", "--no-instructions"])
  const port = yield* freePort
  // Encryption is offered where a test asks for it.
  const encrypted = [`-c ssl=on`, `-c ssl_cert_file=${data}/cert.pem`, `-c ssl_key_file=${data}/key.pem`].join(" ")
  const settings = `-c listen_addresses=127.0.0.1 -c port=${port} -c unix_socket_directories=${data} -c fsync=off -c log_min_messages=fatal`
  const startWith = (more: string) =>
    run("pg_ctl", ["-D", data, "-w", "-o", `${settings} ${more}`, "-l", path.join(data, "log"), "start"])
  const start = startWith("")
  const stop = run("pg_ctl", ["-D", data, "-w", "-m", "immediate", "stop"])
  yield* Effect.acquireRelease(start, () => Effect.ignore(stop))
  const url = (at: number = port) => Redacted.make(`postgres://sluice:${password}@127.0.0.1:${at}/postgres`)
  /** Starts it with a certificate. */
  const startEncrypted = ({ cert, key }: Certificate) =>
    Effect.andThen(
      Effect.sync(() => {
        for (const [name, text] of [["cert.pem", cert] as const, ["key.pem", key] as const]) {
          const file = path.join(data, name)
          fs.writeFileSync(file, text, { mode: 0o600 })
          if (user.uid !== undefined) fs.chownSync(file, user.uid, user.gid)
        }
      }),
      startWith(encrypted)
    )
  return { port, url, start, startEncrypted, stop, folder: data }
})

/** The rows of a statement, over a connection of its own. */
export const query = Effect.fnUntraced(function* ({ url }: Effect.Success<typeof make>, sql: string) {
  const connection = yield* PgConnection.make({ url: url(), ssl: false })
  return (yield* connection.query(sql, [], false)).rows
}, Effect.scoped)

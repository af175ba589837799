/**
 * A real PostgreSQL of this machine, where one is installed.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process"
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"

const debian = "/usr/lib/postgresql"

const folders = [
  ...(existsSync(debian) ? readdirSync(debian).map((version) => join(debian, version, "bin")) : []),
  ...(process.env["PATH"] ?? "").split(":")
]

/** The folder with its programs; undefined where it is not installed. */
const bin = folders.find((folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "postgres")))

/** Whether tests can run on it. */
export const isInstalled = bin !== undefined

// PostgreSQL refuses to run as root; its package brings a user.
const idOf = (flag: string) => Number(spawnSync("id", [flag, "postgres"], { encoding: "utf8" }).stdout)
const user = process.getuid?.() === 0 ? { uid: idOf("-u"), gid: idOf("-g") } : {}

const freePort = Effect.callback<number>((resume) => {
  const server = createServer()
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    server.close(() => resume(Effect.succeed(port)))
  })
})

const program = (name: string) => join(bin ?? "", name)

/** A server with an empty database, until the scope closes. */
export const make = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "sluice-postgres-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid)
  const data = join(folder, "data")
  const options = { ...user, stdio: "ignore", cwd: folder } as const
  execFileSync(program("initdb"), ["-D", data, "-A", "trust", "-U", "sluice", "--no-sync", "-E", "UTF8"], options)
  const port = yield* freePort
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
    () => spawnSync(program("pg_isready"), ["-h", "127.0.0.1", "-p", String(port)], { stdio: "ignore" }).status === 0
  )
  const start = Effect.gen(function* () {
    server = spawn(program("postgres"), args, options)
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
        program("psql"),
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
      execFileSync(program("pg_dump"), ["-h", "127.0.0.1", "-p", String(port), "-U", "sluice", "postgres"], {
        encoding: "utf8",
        maxBuffer: 1e9,
        cwd: folder
      })
    )
  }
})

/** A running server. */
export type Postgres = Effect.Success<typeof make>

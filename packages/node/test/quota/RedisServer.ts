import * as Effect from "effect/Effect"
import { spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as net from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import * as Required from "../Required.ts"

/** The program of Debian's package, or of Valkey; absent where neither is installed. */
export const program = Required.orSkipped(
  "redis-server",
  ["redis-server", "valkey-server"].find((name) => spawnSync(name, ["--version"]).status === 0)
)

/** Why tests with a real server did not run, where they did not. */
export const without = program === undefined ? " (did not run: there is no redis-server here)" : ""

/** A server on a socket in a folder of its own. */
export interface RedisServer {
  readonly socket: string
  /** The address for SLUICE_QUOTA_STORE. */
  readonly store: string
  /** Kills it at once, as a crash does. */
  readonly kill: Effect.Effect<void>
  /** Keeps its connections, and answers nothing any more. */
  readonly stop: Effect.Effect<void>
  /** Starts it again; `clean` drops what it had on disk. */
  readonly restart: (clean: boolean) => Effect.Effect<void>
  /** Every command that has changed its data, as text. */
  readonly written: Effect.Effect<string>
}

const answers = (socket: string) =>
  Effect.callback<boolean>((resume) => {
    const connection = net.connect(socket)
    connection.on("error", () => resume(Effect.succeed(false)))
    connection.on("data", (data) => {
      connection.destroy()
      resume(Effect.succeed(data.toString().startsWith("+PONG")))
    })
    connection.on("connect", () => connection.write("PING\r\n"))
  })

// Real time, because a server is awaited.
const pause = Effect.callback<void>((resume) => {
  setTimeout(() => resume(Effect.void), 10)
})

/** Starts a server, which is killed and whose folder is removed when the scope closes. */
export const start = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "sluice-redis-"))),
    (folder) => Effect.sync(() => fs.rmSync(folder, { recursive: true, force: true }))
  )
  const socket = path.join(folder, "redis.sock")
  const args = ["--port", "0", "--unixsocket", socket, "--dir", folder, "--save", "", "--appendonly", "yes"]
  const run = () => spawn(program!, [...args, "--appendfsync", "no"], { stdio: "ignore" })
  let child = run()
  const ended = Effect.callback<void>((resume) => {
    if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
    child.once("exit", () => resume(Effect.void))
  })
  const kill = Effect.suspend(() => {
    child.kill("SIGKILL")
    return ended
  })
  yield* Effect.addFinalizer(() => kill)
  const ready = Effect.gen(function* () {
    while (!(yield* answers(socket))) yield* pause
  })
  yield* ready
  const server: RedisServer = {
    socket,
    store: `unix://${socket}`,
    kill,
    stop: Effect.sync(() => {
      child.kill("SIGSTOP")
    }),
    written: Effect.sync(() => {
      const journals = path.join(folder, "appendonlydir")
      return fs
        .readdirSync(journals)
        .reduce((all, name) => all + fs.readFileSync(path.join(journals, name), "latin1"), "")
    }),
    restart: (clean) =>
      Effect.suspend(() => {
        if (clean) fs.rmSync(path.join(folder, "appendonlydir"), { recursive: true, force: true })
        child = run()
        return ready
      })
  }
  return server
})

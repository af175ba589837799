/**
 * The programs of PostgreSQL where it is installed, as Debian installs it, the data of a new server, and a server on it.
 */
import { Data, Effect } from "effect"
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Required from "../../../node/test/Required.ts"

const debian = "/usr/lib/postgresql"

const newestFirst = (names: ReadonlyArray<string>) => names.toSorted((a, b) => Number(b) - Number(a))

/** The folder of its programs; absent where there is none. */
const programs = Required.orSkipped(
  "PostgreSQL",
  [
    ...(fs.existsSync(debian) ? newestFirst(fs.readdirSync(debian)).map((version) => `${debian}/${version}/bin`) : []),
    ...(process.env["PATH"] ?? "").split(path.delimiter)
  ].find((folder) => fs.existsSync(path.join(folder, "initdb")))
)

/** Whether tests with a server can run here. */
export const isInstalled = programs !== undefined

/** The file of one of its programs. */
export const program = (name: string) => path.join(programs ?? "", name)

/** PostgreSQL refuses to run as root. */
export const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}

/** A password that must be in no message. */
export const password = "correct-horse"

/** A program ended with an error. */
export class ProgramFailed extends Data.TaggedError("ProgramFailed")<{ readonly message: string }> {}

const runAs = (user: { readonly uid?: number; readonly gid?: number }, file: string, args: ReadonlyArray<string>) =>
  Effect.callback<void, ProgramFailed>((resume) => {
    const child = spawn(file, args, { ...user, stdio: ["ignore", "pipe", "pipe"] })
    let text = ""
    child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()))
    child.stderr.on("data", (chunk: Buffer) => (text += chunk.toString()))
    child.on("exit", (code) =>
      resume(code === 0 ? Effect.void : Effect.fail(new ProgramFailed({ message: `${file}: ${text}` })))
    )
  })

/** Runs one of its programs to its end. */
export const run = (name: string, args: ReadonlyArray<string>) => runAs(user, program(name), args)

const copy = (from: string, to: string) => runAs({}, "cp", ["-a", from, to])

const settings = ["-U", "sluice", "-A", "scram-sha-256", "-N", "-E", "UTF8", "--locale=C", "--no-instructions"]

/** Where the data of a new server is kept for later tests, since `initdb` takes half a second of a processor. */
const template = () => {
  const { stdout } = spawnSync(program("initdb"), ["--version"], { encoding: "utf8" })
  const hash = createHash("sha256").update(JSON.stringify([programs, stdout, settings, user]))
  return path.join(import.meta.dirname, "../../../../node_modules/.cache", `postgres-${hash.digest("hex").slice(0, 8)}`)
}

/** Makes the data of a new server in a folder that its user can reach. The user `sluice` has the {@link password}. */
export const make = Effect.fnUntraced(function* (folder: string) {
  const data = path.join(folder, "data")
  const kept = template()
  if (fs.existsSync(kept)) {
    yield* copy(kept, data)
    return data
  }
  yield* Effect.sync(() => {
    fs.mkdirSync(data)
    fs.writeFileSync(path.join(folder, "password"), password, { mode: 0o644 })
    if (user.uid !== undefined) fs.chownSync(data, user.uid, user.gid)
  })
  yield* run("initdb", ["-D", data, `--pwfile=${path.join(folder, "password")}`, ...settings])
  // Under its name only when it is whole. Another process may have been faster.
  const coming = `${kept}-${process.pid}`
  fs.mkdirSync(path.dirname(kept), { recursive: true })
  yield* copy(data, coming)
  yield* Effect.sync(() => {
    try {
      fs.renameSync(coming, kept)
    } catch {
      fs.rmSync(coming, { recursive: true })
    }
  })
  return data
}, Effect.orDie)

// Real time, because a server is awaited.
const pause = Effect.callback<void>((resume) => {
  setTimeout(() => resume(Effect.void), 20)
})

/**
 * A server on the data of a folder, which runs once it is started. It is in the group of this process, so that a signal to the tests
 * ends it, and all that it may leave behind is in the folder.
 */
export const serve = (data: string, port: number, settings: Readonly<Record<string, string | number>>) => {
  const common = { ...settings, port, listen_addresses: "127.0.0.1", fsync: "off", dynamic_shared_memory_type: "mmap" }
  const launch = (more: typeof settings) => {
    const args = Object.entries({ ...common, ...more }).flatMap(([name, value]) => ["-c", `${name}=${value}`])
    const log = fs.openSync(path.join(data, "log"), "a")
    const child = spawn(program("postgres"), ["-D", data, ...args], { ...user, stdio: ["ignore", log, log], cwd: data })
    fs.closeSync(log)
    return child
  }
  let child: ChildProcess | undefined
  const hasEnded = () => child === undefined || child.exitCode !== null || child.signalCode !== null
  const isUp = Effect.isSuccess(run("pg_isready", ["-h", "127.0.0.1", "-p", String(port)]))
  const start = Effect.fnUntraced(function* (more: typeof settings = {}) {
    do {
      // Where it was killed, none can start before its sessions have seen that.
      if (hasEnded()) child = launch(more)
      yield* pause
    } while (!(yield* isUp))
  })
  const end = (signal: NodeJS.Signals) =>
    Effect.callback<void>((resume) => {
      if (hasEnded()) return resume(Effect.void)
      child?.once("exit", () => resume(Effect.void))
      child?.kill(signal)
    })
  return {
    start,
    /** Ends it and all its sessions at once. */
    stop: end("SIGQUIT"),
    /** Kills it, as a machine that loses power does. */
    kill: end("SIGKILL")
  }
}

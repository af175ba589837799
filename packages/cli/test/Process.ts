import * as NodeServices from "@effect/platform-node/NodeServices"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as ChildProcess from "effect/process/ChildProcess"
import * as Stream from "effect/Stream"
import { vi } from "vitest"

// A process takes a while to start on a machine that has much to do.
vi.setConfig({ testTimeout: 60_000 })

/** The command's own file. */
export const main = new URL("../src/main.ts", import.meta.url).pathname

/** What the stand-in service and the tests run on. */
export const services = Layer.mergeAll(Sandbox.layer(), NodeServices.layer)

/** A key that is known to the service and easy to find in output. */
export const key = "sandbox-key"

/** The environment of most tests: the service and its key, a home with nothing in it, and no colours by chance. */
export const environment = Effect.map(Sandbox.Sandbox, ({ url }): Record<string, string> => ({
  SLUICE_BASE_URL: url,
  SLUICE_API_KEY: key,
  HOME: "/nonexistent",
  XDG_CONFIG_HOME: "",
  NO_COLOR: "",
  TERM: "xterm"
}))

/** What a process left behind. */
export interface Ran {
  readonly stdout: string
  readonly stderr: string
  readonly code: number
}

/** Runs the command to its end. */
export const sluice = Effect.fnUntraced(function* (args: ReadonlyArray<string>, env: Record<string, string> = {}) {
  return yield* run(process.execPath, [main, ...args], { ...(yield* environment), ...env })
})

/** Runs a line of a shell that knows the command by its name. */
export const shell = Effect.fnUntraced(function* (line: string, folder: string, env: Record<string, string> = {}) {
  const name = `sluice() { "${process.execPath}" "${main}" "$@"; }`
  return yield* run("bash", ["-c", `set -o pipefail\n${name}\n${line}`], { ...(yield* environment), ...env }, folder)
})

/** Starts the command, to be looked at and stopped while it runs. */
export const start = Effect.fnUntraced(function* (args: ReadonlyArray<string>, env: Record<string, string> = {}) {
  return yield* ChildProcess.make(process.execPath, [main, ...args], {
    env: { ...(yield* environment), ...env },
    extendEnv: true
  })
})

const run = Effect.fnUntraced(function* (
  command: string,
  args: ReadonlyArray<string>,
  env: Record<string, string>,
  folder?: string
) {
  const handle = yield* ChildProcess.make(command, args, {
    env,
    extendEnv: true,
    stdin: "ignore",
    ...(folder === undefined ? {} : { cwd: folder })
  })
  const [stdout, stderr, code] = yield* Effect.all(
    [
      Stream.mkString(Stream.decodeText(handle.stdout)),
      Stream.mkString(Stream.decodeText(handle.stderr)),
      handle.exitCode
    ],
    { concurrency: 3 }
  )
  const ran: Ran = { stdout, stderr, code: Number(code) }
  return ran
}, Effect.scoped)

/** A folder that is gone after the test. */
export const folder = Effect.flatMap(FileSystem.FileSystem, (fs) => fs.makeTempDirectoryScoped())

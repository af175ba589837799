import * as NodeServices from "@effect/platform-node/NodeServices"
import { Sandbox } from "@sluice/sandbox"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as ChildProcess from "effect/process/ChildProcess"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import process, { execPath } from "node:process"
import * as Programs from "../../core/test/Programs.ts"
import * as Program from "../src/program/Program.ts"

/** The command's own file. */
const main = new URL("../src/main.ts", import.meta.url).pathname

/** The command as a program of few files. */
export const program = Programs.file("sluice")

/** What the stand-in service and the tests run on. */
export const services = Layer.mergeAll(Sandbox.layer(), NodeServices.layer)

/** A key that is known to the service and easy to find in output. */
export const key = "demo-key"

/** The environment of most tests: the service and its key, a home with nothing in it, and no colours by chance. */
export const environment = Effect.map(Sandbox.Sandbox, ({ url }): Record<string, string> => ({
  SLUICE_BASE_URL: url,
  SLUICE_API_KEY: key,
  HOME: "/nonexistent",
  XDG_CONFIG_HOME: "",
  XDG_CACHE_HOME: "",
  NO_COLOR: "",
  TERM: "xterm"
}))

/** What a run of the command left behind. */
export interface Ran {
  readonly stdout: string
  readonly stderr: string
  readonly code: number
}

/** The outputs of a run of the command, as far as they are written. */
export interface Outputs {
  readonly stdout: () => string
  readonly stderr: () => string
}

/** Where a run of the command is, if not at pipes of the test's own process. */
export interface Place {
  readonly isTerminal?: boolean | undefined
  /** Whether standard error is a terminal. */
  readonly isErrTerminal?: boolean | undefined
  readonly folder?: string | undefined
  /** What comes from standard input. */
  readonly stdin?: string | undefined
}

const keep = (to: Array<string>) => () =>
  Sink.forEach((text: string | Uint8Array) => Effect.sync(() => to.push(Buffer.from(text).toString())))

const line =
  (to: Array<string>) =>
  (...texts: ReadonlyArray<unknown>) =>
    void to.push(`${texts.join(" ")}\n`)

/** Makes a run of the command in this process; its outputs can be read while it runs. */
export const inProcess = (args: ReadonlyArray<string>, env: Record<string, string>, place: Place = {}) => {
  const out: Array<string> = []
  const err: Array<string> = []
  const stdio = Stdio.layerTest({
    args: Effect.succeed(args),
    stdin: Stream.encodeText(Stream.make(place.stdin ?? "")),
    stdout: keep(out),
    stderr: keep(err),
    stdoutIsTerminal: Effect.succeed(place.isTerminal ?? false),
    stderrIsTerminal: Effect.succeed(place.isErrTerminal ?? false)
  })
  const outputs: Outputs = { stdout: () => out.join(""), stderr: () => err.join("") }
  const run = Program.run.pipe(
    Effect.as(0),
    Effect.catchTag("Ended", ({ code }) => Effect.succeed(code)),
    Effect.map((code): Ran => ({ code, stdout: outputs.stdout(), stderr: outputs.stderr() })),
    Effect.provideService(Console.Console, { ...console, log: line(out), error: line(err) }),
    // The later service of two counts.
    Effect.provide([NodeServices.layer, stdio, ConfigProvider.layer(ConfigProvider.fromEnv({ env }))])
  )
  return { outputs, run: place.folder === undefined ? run : Effect.scoped(Effect.andThen(inside(place.folder), run)) }
}

/** Stands in a folder until its scope ends. */
const inside = (folder: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const before = process.cwd()
      // Not imported by its name: a library that remembers where it stands hears of it only so.
      process.chdir(folder)
      return before
    }),
    (before) => Effect.sync(() => process.chdir(before))
  )

/** Runs the command to its end, in this process: all of it but what stands in `main.ts`, `start.ts` and `Signals.ts`. */
export const sluice = Effect.fnUntraced(function* (
  args: ReadonlyArray<string>,
  env: Record<string, string> = {},
  place: Place = {}
) {
  return yield* inProcess(args, { ...(yield* environment), ...env }, place).run
})

/** Runs the command to its end, in a process of its own. */
export const sluiceProcess = Effect.fnUntraced(function* (
  args: ReadonlyArray<string>,
  env: Record<string, string> = {}
) {
  return yield* run(execPath, [yield* program, ...args], { ...(yield* environment), ...env })
})

/** Runs the command's own file to its end, in a process of its own. */
export const sluiceFile = Effect.fnUntraced(function* (args: ReadonlyArray<string>, env: Record<string, string> = {}) {
  return yield* run(execPath, [main, ...args], { ...(yield* environment), ...env })
})

/** Runs lines of a shell. */
export const bash = (lines: string, folder: string, env: Record<string, string> = {}) =>
  run("bash", ["-c", `set -o pipefail\n${lines}`], env, folder)

/** Runs lines of a shell that knows the command by its name. */
export const shell = Effect.fnUntraced(function* (line: string, folder: string, env: Record<string, string> = {}) {
  const name = `sluice() { "${execPath}" "${yield* program}" "$@"; }`
  return yield* bash(`${name}\n${line}`, folder, { ...(yield* environment), ...env })
})

/** Starts the command in a process of its own, to be looked at and stopped while it runs. */
export const start = Effect.fnUntraced(function* (args: ReadonlyArray<string>, env: Record<string, string> = {}) {
  return yield* ChildProcess.make(execPath, [yield* program, ...args], {
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

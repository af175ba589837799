/**
 * The programs of a canary run. Each has the keys renamed, logs everything there is to log, and what it prints is kept.
 */
import { Config, Effect, FileSystem, Path, Stream } from "effect"
import { ChildProcess } from "effect/process"
import { execPath } from "node:process"

/** Makes the folders. */
export const makeFolders = Effect.fnUntraced(function* (root: string) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const top = yield* files.makeTempDirectory({ prefix: "sluice-run-" })
  const make = (name: string) => Effect.as(files.makeDirectory(path.join(top, name)), path.join(top, name))
  return {
    root,
    top,
    /** Where programs put their files. */
    temporary: yield* make("tmp"),
    /** Where vitest puts source code. */
    tools: yield* make("tools"),
    /** Copies of files that were removed. */
    kept: yield* make("kept"),
    /** What the tests report. */
    reports: yield* make("reports"),
    /** A file that names the modules which had a key in them. */
    renamed: path.join(top, "renamed")
  }
})

/** The folders of a run, all new. */
export interface Folders extends Effect.Success<ReturnType<typeof makeFolders>> {}

/** Runs a program of Node.js to its end, and gives its exit code and all it printed. */
export const run = Effect.fnUntraced(function* (
  { kept, renamed, root, temporary }: Folders,
  args: ReadonlyArray<string>,
  more: Readonly<Record<string, string>> = {}
) {
  const path = yield* Path.Path
  const environment = {
    TMPDIR: temporary,
    CANARY_TEMPORARY: temporary,
    CANARY_KEPT: kept,
    CANARY_RENAMED: renamed,
    // What is kept of an earlier run was renamed then, or never.
    VITEST_FS_MODULE_CACHE: "false",
    NODE_OPTIONS: `--import=${new URL("preload.ts", import.meta.url).href}`,
    PATH: `${path.join(root, "node_modules/.bin")}:${yield* Config.String("PATH")}`,
    ...more
  }
  const child = yield* ChildProcess.make(execPath, args, { cwd: root, env: environment, extendEnv: true })
  const chunks = yield* Stream.runCollect(child.all)
  return { code: yield* child.exitCode, output: Buffer.concat(chunks) }
}, Effect.scoped)

/**
 * `pnpm test:repeat`: runs the test suite many times, each time with the files in another order and other cases where tests draw
 * them, and says what failed. A test that fails in some of the runs depends on an order, on time, or on what else the machine does.
 *
 *   pnpm test:repeat                    10 runs
 *   pnpm test:repeat --runs 1 --seed 7  the run of this seed once more
 *   … --busy                            beside two processes that compute without end
 *   … packages/core                     only the files with this in their path
 */
import { Argument, Command, Flag } from "effect/cli"
import { Console, Duration, Effect, FileSystem, Option, Path, Random, Stream } from "effect"
import { ChildProcess } from "effect/process"
import { execPath } from "node:process"
import * as Tool from "../Tool.ts"

const root = Effect.map(Path.Path, (path) => path.resolve(import.meta.dirname, "../../../.."))

const vitest = ["node_modules/vitest/vitest.mjs", "run"]

/** Runs a program of Node.js to its end, and gives its exit code and all it printed. Its scope ends what it started. */
const run = Effect.fnUntraced(function* (args: ReadonlyArray<string>, env = {}) {
  const options = { cwd: yield* root, env, extendEnv: true, stdin: "ignore", forceKillAfter: "3 seconds" } as const
  const child = yield* ChildProcess.make(execPath, args, options)
  const output = yield* Stream.mkString(Stream.decodeText(child.all))
  return { code: yield* child.exitCode, output }
}, Effect.scoped)

/** Computes until its scope ends. */
const endless = run(["--eval", "for (;;);"])

/** A test that failed, in what vitest prints of it. */
const failed = /^ *FAIL +(.*)$/gm

/** Runs the suite once, and gives the tests that failed. All it printed stays in `out/repeat`. */
const repeat = Effect.fnUntraced(function* (seed: number, files: ReadonlyArray<string>) {
  const fs = yield* FileSystem.FileSystem
  const folder = `${yield* root}/out/repeat`
  yield* fs.makeDirectory(folder, { recursive: true })
  const env = { SLUICE_TEST_SEED: String(seed), NO_COLOR: "1" }
  const [took, { code, output }] = yield* Effect.timed(run([...vitest, ...files], env))
  yield* fs.writeFileString(`${folder}/${seed}.txt`, output)
  const names = [...new Set([...output.matchAll(failed)].map(([, name = ""]) => name))]
  // An error outside of all tests has no such line.
  const failures = code !== 0 && names.length === 0 ? [`vitest ended with ${code}`] : names
  const again = `out/repeat/${seed}.txt has all of it; again with: SLUICE_TEST_SEED=${seed} pnpm test`
  yield* Console.log(`seed ${seed}: ${Math.round(Duration.toSeconds(took))} s, ${failures.length} failed`)
  if (failures.length > 0) yield* Console.log([...failures, again].map((line) => `  ${line}`).join("\n"))
  return failures
})

const command = Command.make(
  "test:repeat",
  {
    files: Argument.String("file").pipe(Argument.variadic(), Argument.withDescription("Part of a path; all if absent")),
    runs: Flag.Int("runs").pipe(Flag.withDefault(10), Flag.withDescription("How many runs")),
    busy: Flag.Boolean("busy").pipe(Flag.withDefault(false), Flag.withDescription("Beside processes that compute")),
    seed: Flag.optional(Flag.Int("seed")).pipe(Flag.withDescription("The first seed; a random one when absent"))
  },
  Effect.fnUntraced(function* ({ busy, files, runs, seed }) {
    const first = Option.getOrUndefined(seed) ?? (yield* Random.nextIntBetween(1, 1_000_000))
    if (busy) yield* Effect.forkScoped(Effect.all([endless, endless], { concurrency: 2 }))
    const counts: Record<string, number> = {}
    const all = Effect.gen(function* () {
      for (let nth = 0; nth < runs; nth++) {
        for (const name of yield* repeat(first + nth, files)) Tool.count(counts, name)
      }
    })
    yield* Effect.ensuring(
      all,
      Effect.suspend(() => Console.log(`failed: ${Tool.shown(counts)}`))
    )
    if (Object.keys(counts).length > 0) return yield* new Tool.Found()
  }, Effect.scoped)
).pipe(Command.withDescription("Runs the test suite many times and says what failed"))

Tool.main(command)

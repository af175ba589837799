/**
 * `pnpm test:repeat`: runs the test suite many times, each time with the files in another order and other cases where tests draw
 * them, and says what failed. A test that fails in some of the runs depends on an order, on time, or on what else the machine does.
 *
 *   pnpm test:repeat                    10 runs
 *   pnpm test:repeat --runs 1 --seed 7  the run of this seed once more
 *   … --beside loops                    beside two processes that compute without end
 *   … --beside suites                   with the lowest priority, beside the long tests of all packages
 *   … packages/core                     only the files with this in their path
 */
import { Argument, Command, Flag } from "effect/cli"
import { Clock, Console, Effect, FileSystem, Option, Path, Random, Schema, Stream } from "effect"
import { ChildProcess } from "effect/process"
import { execPath } from "node:process"
import * as Tool from "../Tool.ts"

const Assertion = Schema.Struct({
  fullName: Schema.String,
  status: Schema.String,
  failureMessages: Schema.Array(Schema.String)
})

/** A file of tests. One that could not be read has a message of its own. */
const Result = Schema.Struct({
  name: Schema.String,
  message: Schema.String,
  assertionResults: Schema.Array(Assertion)
})

/** What is used of vitest's report. */
const Report = Schema.fromJsonString(Schema.Struct({ testResults: Schema.Array(Result) }))

interface Failure {
  readonly file: string
  readonly test: string
  readonly message: string
}

const root = Effect.map(Path.Path, (path) => path.resolve(import.meta.dirname, "../../../.."))

const vitest = ["node_modules/vitest/vitest.mjs", "run"]

/** What the machine does meanwhile; it ends with the scope. */
const besides = {
  quiet: [],
  loops: [
    ["--eval", "for (;;);"],
    ["--eval", "for (;;);"]
  ],
  suites: [[...vitest, "--mode=long"]]
}

/** Runs a program of Node.js to its end, and gives its exit code and all it printed. Its scope ends what it started. */
const run = Effect.fnUntraced(function* (args: ReadonlyArray<string>, env = {}, before: ReadonlyArray<string> = []) {
  const [program = "", ...rest] = [...before, execPath, ...args]
  const options = { cwd: yield* root, env, extendEnv: true, stdin: "ignore", forceKillAfter: "3 seconds" } as const
  const child = yield* ChildProcess.make(program, rest, options)
  const output = yield* Stream.mkString(Stream.decodeText(child.all))
  return { code: yield* child.exitCode, output }
}, Effect.scoped)

/** Runs the suite once. Its report and all it printed stay in `out/repeat`. */
const repeat = Effect.fnUntraced(function* (seed: number, files: ReadonlyArray<string>, isNice: boolean) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const top = yield* root
  const [report, printed] = [`${top}/out/repeat/${seed}.json`, `${top}/out/repeat/${seed}.txt`]
  yield* fs.remove(report, { force: true })
  yield* fs.makeDirectory(path.dirname(report), { recursive: true })
  const began = yield* Clock.currentTimeMillis
  const args = [...vitest, "--reporter=default", "--reporter=json", `--outputFile.json=${report}`, ...files]
  const env = { SLUICE_TEST_SEED: String(seed) }
  const { code, output } = yield* run(args, env, isNice ? ["nice", "-n", "19"] : [])
  const seconds = Math.round(((yield* Clock.currentTimeMillis) - began) / 1000)
  yield* fs.writeFileString(printed, output)
  const found = yield* Effect.option(Effect.flatMap(fs.readFileString(report), Schema.decodeEffect(Report)))
  const failures = Option.getOrElse(found, () => ({ testResults: [] })).testResults.flatMap((result) => {
    const file = path.relative(top, result.name)
    const whole = result.message === "" ? [] : [{ file, test: "", message: result.message }]
    const failed = result.assertionResults.filter(({ status }) => status === "failed")
    return [...whole, ...failed.map((one) => ({ file, test: one.fullName, message: one.failureMessages.join("\n") }))]
  })
  // An error outside of all tests is in no report.
  const other = { file: printed, test: "", message: `vitest ended with ${code}` }
  return { seed, seconds, failures: code !== 0 && failures.length === 0 ? [other] : failures }
})

type Run = Effect.Success<ReturnType<typeof repeat>>

const nameOf = ({ file, test }: Failure) => `${file} ${test}`

const isForeign = (line: string) => /^ +at .*(?:node_modules|node:|anonymous)/.test(line)

const show = (seed: number, failure: Failure) => {
  const lines = failure.message.split("\n").filter((line) => !isForeign(line))
  // Each character that means something to the shell or in a pattern becomes one that stands for any.
  const pattern = failure.test.replaceAll(/[^\w ,:-]/g, ".")
  const again = `SLUICE_TEST_SEED=${seed} pnpm test ${failure.file} -t '${pattern}'`
  return [nameOf(failure), ...lines.slice(0, 12), again].map((line) => `  ${line}`).join("\n")
}

/** Runs and durations, and in which runs each test failed. */
const table = (runs: ReadonlyArray<Run>) => {
  const failed = Map.groupBy(
    runs.flatMap(({ failures, seed }) => failures.map((failure) => ({ name: nameOf(failure), seed }))),
    ({ name }) => name
  )
  return [
    `${runs.length} runs, ${failed.size} tests failed; seconds: ${runs.map(({ seconds }) => seconds).join(", ")}`,
    ...[...failed].map(([name, all]) => `${all.length} × ${name}: seeds ${all.map(({ seed }) => seed).join(", ")}`)
  ].join("\n")
}

const command = Command.make(
  "test:repeat",
  {
    files: Argument.String("file").pipe(Argument.variadic(), Argument.withDescription("Part of a path; all if absent")),
    runs: Flag.Int("runs").pipe(Flag.withDefault(10), Flag.withDescription("How many runs")),
    beside: Flag.Literals("beside", ["quiet", "loops", "suites"]).pipe(
      Flag.withDefault("quiet"),
      Flag.withDescription("What else the machine does meanwhile")
    ),
    seed: Flag.optional(Flag.Int("seed")).pipe(Flag.withDescription("The first seed; a random one when absent"))
  },
  Effect.fnUntraced(function* ({ beside, files, runs, seed }) {
    const first = Option.getOrUndefined(seed) ?? (yield* Random.nextIntBetween(1, 1_000_000))
    for (const args of besides[beside]) yield* Effect.forkScoped(Effect.forever(run(args)))
    const ended: Array<Run> = []
    const all = Effect.gen(function* () {
      for (let nth = 1; nth <= runs; nth++) {
        const done = yield* repeat(first + nth - 1, files, beside === "suites")
        ended.push(done)
        const { failures, seconds, seed } = done
        yield* Console.log(`run ${nth} of ${runs}, seed ${seed}: ${seconds} s, ${failures.length} failed`)
        for (const failure of failures) yield* Console.log(show(seed, failure))
      }
    })
    yield* Effect.ensuring(
      all,
      Effect.suspend(() => Console.log(`\n${table(ended)}`))
    )
    if (ended.some(({ failures }) => failures.length > 0)) return yield* new Tool.Found()
  }, Effect.scoped)
).pipe(Command.withDescription("Runs the test suite many times and says what failed"))

Tool.main(command)

/**
 * `pnpm score`: plants defects one at a time in copies of the repository, and says which of them the simulation finds, after how
 * many seeds, and whether each failure comes again, by its seed and by the choices that it needs.
 *
 *   pnpm score                     every defect, 1,000 seeds of each target that may meet it
 *   pnpm score --only window       those with this word in their names
 */
import { Console, Data, Duration, Effect, FileSystem, Option, Path, Stream } from "effect"
import { Command, Flag } from "effect/cli"
import { ChildProcess } from "effect/process"
import { execPath } from "node:process"
import * as Tool from "../Tool.ts"
import * as Defects from "./Defects.ts"

const root = Effect.map(Path.Path, (path) => path.resolve(import.meta.dirname, "../../../.."))

/** How long so many seeds of a target may run: a defect may keep it from ending, without a chance for its own bounds. */
const longest = "5 minutes"

/** Seeds that are run at a time: those of any target take less than half of {@link longest}. */
const chunk = 100

/** Runs of a failure that look for the choices it needs. */
const shrink = 20

/** Runs a program in a folder, and gives what it printed; nothing where it did not end in time. */
const run = Effect.fnUntraced(
  function* (cwd: string, program: string, args: ReadonlyArray<string>) {
    const options = { cwd, stdin: "ignore", stderr: "ignore", forceKillAfter: "1 second" } as const
    const child = yield* ChildProcess.make(program, args, options)
    const output = yield* Stream.mkString(Stream.decodeText(child.stdout))
    yield* child.exitCode
    return output
  },
  Effect.scoped,
  Effect.timeoutOption(longest)
)

/** A copy of what is committed, with its packages. */
const copy = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped({ prefix: "sluice-score-" })
  yield* run(folder, "git", ["clone", "--quiet", yield* root, "."])
  yield* run(folder, "npx", ["-y", "pnpm@12.21.0", "install", "--frozen-lockfile", "--prefer-offline"])
  return folder
})

/** A failure of a simulation, as `pnpm simulate` prints it. */
interface Failure {
  readonly target: string
  readonly seed: number
  readonly reason: string
  readonly choices: string | undefined
}

/** A simulation did not end: the defect keeps it from counting its turns and its time. */
class Endless extends Data.TaggedError("Endless")<{ readonly target: string }> {}

/** Runs seeds of a target, and gives the first failure. */
const simulate = Effect.fnUntraced(function* (folder: string, target: string, args: ReadonlyArray<string>) {
  const program = ["packages/tools/src/simulation/main.ts", "--target", target, ...args]
  const output = yield* run(folder, execPath, program)
  if (Option.isNone(output)) return yield* new Endless({ target })
  const [, seed, reason = ""] = /seed (\d+) failed after \d+ that passed: (.*)/.exec(output.value) ?? []
  if (seed !== undefined) {
    const [, choices] = /^Again with .* choices: "(.*)" \}$/m.exec(output.value) ?? []
    return { target, seed: Number(seed), reason, choices } satisfies Failure
  }
  if (!output.value.includes(`${target}: seeds`)) return yield* Effect.die(new Error(`${target} did not begin`))
  return undefined
})

/** The first failure of any target that a defect may meet. */
const find = Effect.fnUntraced(function* (folder: string, { targets }: Defects.Defect, seeds: number) {
  for (const target of targets) {
    for (let first = 1; first <= seeds; first += chunk) {
      const count = Math.min(chunk, seeds + 1 - first)
      const args = ["--from", `${first}`, "--seeds", `${count}`, "--shrink", `${shrink}`]
      const failure = yield* simulate(folder, target, args)
      if (failure !== undefined) return failure
    }
  }
  return undefined
})

/** A reason without its numbers and hashes, which differ where fewer choices are made. */
const kindOf = (reason: string) => reason.replaceAll(/\b[\da-f]{16,}\b|\d+/g, "#")

/** How many of two repetitions of a failure fail with the same: that of its seed, and that of the choices it needs. */
const replay = Effect.fnUntraced(function* (folder: string, { choices = "", reason, seed, target }: Failure) {
  let same = 0
  for (const more of [
    ["--seeds", "1"],
    ["--choices", choices]
  ]) {
    const again = yield* simulate(folder, target, ["--from", `${seed}`, ...more, "--shrink", "0"])
    if (again !== undefined && kindOf(again.reason) === kindOf(reason)) same++
  }
  return same
})

/** Plants a defect, and says how it was found; nothing where it was not. */
const score = Effect.fnUntraced(function* (folder: string, defect: Defects.Defect, seeds: number) {
  const fs = yield* FileSystem.FileSystem
  const path = `${folder}/${defect.file}`
  const text = yield* fs.readFileString(path)
  const parts = text.split(defect.from)
  if (parts.length !== 2) return yield* Effect.die(new Error(`${defect.file} has its text ${parts.length - 1} times`))
  yield* fs.writeFileString(path, parts.join(defect.to))
  const found = Effect.gen(function* () {
    const failure = yield* find(folder, defect, seeds)
    if (failure === undefined) return undefined
    const replayed = yield* replay(folder, failure)
    const { reason, seed, target } = failure
    return { how: `${target} | ${seed} | ${replayed} of 2 | ${reason.slice(0, 100).replaceAll("|", "/")}`, replayed }
  })
  return yield* found.pipe(
    Effect.catchTag("Endless", ({ target }) =>
      Effect.succeed({ how: `${target} | 1 | | it did not end`, replayed: 0 })
    ),
    Effect.ensuring(Effect.orDie(fs.writeFileString(path, text)))
  )
})

/** The head of the page that a run over all defects writes. */
const head = [
  "# Defects that were planted, and what finds them\n",
  "Written by `pnpm score`. Each stands in `src/simulation/defects.diff`, and was planted in a copy by itself.\n",
  "| defect | tests see it | found by | at seed | comes again | with |\n|---|---|---|---|---|---|"
]

const flags = {
  only: Flag.optional(Flag.String("only")).pipe(Flag.withDescription("Those with this word in their names")),
  seeds: Flag.Int("seeds").pipe(Flag.withDefault(1_000), Flag.withDescription("The most seeds of each target")),
  parallel: Flag.Int("parallel").pipe(Flag.withDefault(2), Flag.withDescription("Defects that are tried at once"))
}

const command = Command.make(
  "score",
  flags,
  Effect.fnUntraced(function* ({ only, parallel, seeds }) {
    const folders = yield* Effect.forEach(Array.from({ length: parallel }), () => copy)
    const defects = Defects.all.filter(({ name }) => name.includes(Option.getOrElse(only, () => "")))
    const rows = new Map<Defects.Defect, string>()
    let [found, replayed] = [0, 0]
    const one = Effect.fnUntraced(function* (defect: Defects.Defect) {
      const folder = folders.pop()!
      const outcome = yield* Effect.ensuring(
        score(folder, defect, seeds),
        Effect.sync(() => folders.push(folder))
      )
      if (outcome !== undefined) found++
      replayed += outcome?.replayed ?? 0
      rows.set(defect, `| ${defect.name} | ${defect.seen} | ${outcome?.how ?? "not found | | |"} |`)
      yield* Console.log(rows.get(defect))
    })
    const [took] = yield* Effect.timed(Effect.forEach(defects, one, { concurrency: parallel, discard: true }))
    const sum = `${found} of ${defects.length} found in ${Duration.format(took)}, ${replayed} of ${2 * found} failures replayed`
    yield* Console.log(sum)
    if (defects.length < Defects.all.length) return
    const fs = yield* FileSystem.FileSystem
    yield* fs.writeFileString(
      `${yield* root}/packages/tools/defects.md`,
      [...head, ...defects.map((defect) => rows.get(defect)), `\n${sum}.\n`].join("\n")
    )
  }, Effect.scoped)
).pipe(Command.withDescription("Defects that are planted, and what finds them"))

Tool.main(command)

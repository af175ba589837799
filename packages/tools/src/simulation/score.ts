/**
 * `pnpm score`: plants defects one at a time in a copy of the repository, and says which of them the simulation finds, and after how
 * many seeds.
 *
 *   pnpm score                     every defect, 1,000 seeds of each target that may meet it
 *   pnpm score --only window       those with this word in their names
 *   pnpm score --skip 30           without the first 30
 */
import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { execFileSync, spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { execPath } from "node:process"
import * as Tool from "../Tool.ts"
import type { Defect } from "./defects/Defect.ts"
import * as Defects from "./Defects.ts"

const root = resolve(import.meta.dirname, "../../../..")

/** A copy of what is committed, with its packages. */
const copy = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(join(tmpdir(), "sluice-score-"))
    execFileSync("git", ["clone", "--quiet", root, folder])
    execFileSync("npx", ["-y", "pnpm@12.21.0", "install", "--frozen-lockfile", "--prefer-offline"], {
      cwd: folder,
      stdio: "ignore"
    })
    return folder
  }),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** How long so many seeds of a target may run: a defect may keep it from ending, without a chance for its own bounds. */
const longest = 120_000

/** Seeds that are run at a time: those of any target take less than half of {@link longest}. */
const chunk = 100

/** What was found of a defect: the target and the seeds that it took; nothing where it passed. */
const find = (folder: string, { file, from, name, targets, to }: Defect, seeds: number) => {
  const path = join(folder, file)
  const text = readFileSync(path, "utf8")
  if (text.split(from).length !== 2) return `${name}: ${file} has its text ${text.split(from).length - 1} times`
  writeFileSync(
    path,
    text.replace(from, () => to)
  )
  try {
    for (const target of targets) {
      for (let first = 1; first <= seeds; first += chunk) {
        const count = Math.min(chunk, seeds + 1 - first)
        const args = [
          "packages/tools/src/simulation/main.ts",
          "--target",
          target,
          "--seeds",
          `${count}`,
          "--from",
          `${first}`
        ]
        const { error, stdout } = spawnSync(execPath, [...args, "--shrink", "0"], {
          cwd: folder,
          encoding: "utf8",
          timeout: longest
        })
        if (error !== undefined) return `${target}, which did not end`
        const found = /failed after (\d+) that passed: (.*)/.exec(stdout)
        if (found !== null) return `${target}, after ${first - 1 + Number(found[1])} seeds: ${found[2]}`
        if (!stdout.includes(`${target}: seeds`)) return `${target}, which did not begin`
      }
    }
    return undefined
  } finally {
    writeFileSync(path, text)
  }
}

const flags = {
  skip: Flag.Int("skip").pipe(Flag.withDefault(0), Flag.withDescription("So many of the first are left out")),
  only: Flag.optional(Flag.String("only")).pipe(Flag.withDescription("Those with this word in their names")),
  seeds: Flag.Int("seeds").pipe(Flag.withDefault(1_000), Flag.withDescription("The most seeds of each target"))
}

const command = Command.make(
  "score",
  flags,
  Effect.fnUntraced(function* ({ only, seeds, skip }) {
    const folder = yield* copy
    const defects = Defects.all.slice(skip).filter(({ name }) => name.includes(Option.getOrElse(only, () => "")))
    let found = 0
    for (const defect of defects) {
      const how = find(folder, defect, seeds)
      if (how !== undefined) found++
      yield* Console.log(
        `${how === undefined ? "not found" : "found"}  ${defect.name}${how === undefined ? "" : `: ${how}`}`
      )
    }
    yield* Console.log(`${found} of ${defects.length} found`)
  }, Effect.scoped)
).pipe(Command.withDescription("Defects that are planted, and what finds them"))

Tool.main(command)

/**
 * Runs the programs of the README and of the guides as a stranger would: in a folder that has nothing but them and the packed
 * packages, one after the other in the order of the pages, against the stand-in service of those packages. `check-packages` makes
 * the folder and checks the types.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { join, relative, resolve } from "node:path"
import * as Pages from "../packages/site/src/Pages.ts"

const folder = resolve("out/packages/consumer")
const examples = "packages/examples/src"

/** Programs that run until they are stopped: each must say something first. */
const endless = new Set(["service.ts", "guides/watched.ts", "live/follow.ts", "live/goOn.ts"])

/** Services on fixed ports, what needs a database, and what speaks only when something happens: `packages/examples/test` runs them. */
const untried = new Set([
  ...["backfill", "postgres", "priceService"].map((name) => `guides/${name}.ts`),
  ...["newestValues", "alert", "arrival", "spread"].map((name) => `live/${name}.ts`),
  "observed.ts"
])

/** A program that a page shows, or that it links to. */
const named = /(?:```ts\n\/\/ |\]\(\.\.\/)(packages\/examples\/src\/[\w/]+\.ts)\b/g

const pages = [...Pages.readmes, ...Pages.paths("docs")]
const programs = new Set(
  pages.flatMap((page) =>
    [...readFileSync(page, "utf8").matchAll(named)].map(([, path = ""]) => relative(examples, path))
  )
)

/** Milliseconds after which a program is stopped, so that one that should have ended fails the check. */
const longest = 120_000

const start = (command: string, args: ReadonlyArray<string>, env: Record<string, string>, timeout?: number) =>
  spawn(command, args, {
    cwd: folder,
    env: { PATH: process.env["PATH"], ...env },
    stdio: ["ignore", "pipe", "pipe"],
    ...(timeout && { timeout })
  })

/** Everything a process prints, until it has printed what is awaited, or until its end. */
const printed = async (child: ChildProcess, awaited?: RegExp): Promise<string> => {
  let text = ""
  const found = Promise.withResolvers<void>()
  const hear = (chunk: unknown) => {
    text += String(chunk)
    if (awaited?.test(text) === true) found.resolve()
  }
  child.stdout?.on("data", hear)
  child.stderr?.on("data", hear)
  await Promise.race([found.promise, once(child, "close")])
  return text
}

const run = async (program: string, env: Record<string, string>) => {
  const child = start(process.execPath, [program], env, longest)
  const isEndless = endless.has(program)
  const text = await printed(child, isEndless ? /\n/ : undefined)
  if (isEndless && child.exitCode === null && child.signalCode === null) {
    child.kill("SIGINT")
    await once(child, "close")
  } else if (child.exitCode !== 0) {
    throw new Error(`${program} ended with ${child.exitCode ?? child.signalCode}:\n${text}`)
  }
  process.stdout.write(`${program}: ${text.trim().split("\n")[0] ?? ""}\n`)
}

const service = start(join(folder, "node_modules/.bin/sluice-sandbox"), ["--port", "0"], {})
try {
  const root = /http:\S+\/v4/.exec(await printed(service, /http:\S+\/v4/))?.[0]
  if (root === undefined) throw new Error("the stand-in did not start")
  const env = { SLUICE_BASE_URL: root, SLUICE_API_KEY: "demo-key" }
  const tried = [...programs].filter((program) => !untried.has(program))
  for (const program of tried) await run(program, env)
  process.stdout.write(`${tried.length} programs of the pages run from the packed packages alone.\n`)
} finally {
  service.kill()
}

/**
 * Checks the container file where no daemon can build it: reads it, runs its steps in an empty folder with the packed tarballs, and
 * runs what it starts, with its health check.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process"
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join, resolve } from "node:path"
import { setTimeout } from "node:timers/promises"

const context = resolve("out/packages")
const text = readFileSync("packages/examples/container/Dockerfile", "utf8")

const steps = text
  .replaceAll(/^#.*\n/gm, "")
  .replaceAll(/\\\n\s*/g, "")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => /^([A-Z]+) +(.*)$/.exec(line) ?? [])
  .map(([, word = "", rest = ""]) => ({ word, rest }))

const known = "FROM WORKDIR COPY RUN ENV USER VOLUME EXPOSE HEALTHCHECK ENTRYPOINT CMD".split(" ")
const wrong = steps.find(({ word }) => !known.includes(word))
if (wrong !== undefined) throw new Error(`a step that this check does not know: ${wrong.word} ${wrong.rest}`)

const restOf = (word: string) => steps.filter((step) => step.word === word).map(({ rest }) => rest)
const listOf = (word: string): ReadonlyArray<string> =>
  JSON.parse(/\[.*\]$/.exec(restOf(word).at(-1) ?? "")?.[0] ?? "[]")

if (restOf("USER").at(-1) !== "node") throw new Error("the image runs as root")
const version = /^node:(\d+)-slim$/.exec(restOf("FROM")[0] ?? "")?.[1]
if (process.versions.node.split(".")[0] !== version)
  throw new Error(`the image has another Node.js than the repository`)

/** What is the root of the image's file system; in commands its paths are below it. */
const root = mkdtempSync(join(tmpdir(), "sluice-container-"))
const inside = (path: string) => join(root, path)
const moved = (words: string) => words.replaceAll(/(?<![\w.])\/(opt|data)\b/g, (path) => inside(path))
const children: Array<ChildProcess> = []
let folder = inside("/")
let env: NodeJS.ProcessEnv = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env["PATH"]}` }

const start = (args: ReadonlyArray<string>, more: NodeJS.ProcessEnv = {}) => {
  const [command = "", ...rest] = args
  const child = spawn(command, rest, { cwd: folder, env: { ...env, ...more }, stdio: ["ignore", "pipe", "pipe"] })
  children.push(child)
  let said = ""
  for (const output of [child.stdout, child.stderr]) output.on("data", (chunk: Buffer) => (said += chunk.toString()))
  return { child, said: () => said }
}

const until = async (what: string, isDone: () => boolean, said: () => string) => {
  for (let tries = 0; tries < 300; tries++) {
    if (isDone()) return
    await setTimeout(200)
  }
  throw new Error(`${what} did not come in a minute: ${said()}`)
}

try {
  for (const { rest, word } of steps) {
    if (word === "WORKDIR") mkdirSync((folder = inside(rest)), { recursive: true })
    if (word === "ENV") {
      const [, name = "", value = ""] = /^(\w+)=(.*)$/.exec(moved(rest)) ?? []
      env = { ...env, [name]: value.replaceAll(/\$(\w+)/g, (_, other: string) => env[other] ?? "") }
    }
    if (word === "COPY") {
      const [from = "", to = ""] = rest.split(" ")
      const files = globSync(from, { cwd: context })
      for (const name of files) cpSync(join(context, name), join(folder, to, basename(name)))
    }
    // The user of the image is not one of this machine.
    if (word === "RUN")
      execFileSync("sh", ["-ec", moved(rest).replace(/chown node:node/, "true")], {
        cwd: folder,
        env,
        stdio: "inherit"
      })
  }
  const sandbox = start(["sluice", "sandbox", "--port", "0"])
  const urlIn = () => /http:\/\/127\.0\.0\.1:\d+\/v4/.exec(sandbox.said())?.[0]
  await until("the stand-in", () => urlIn() !== undefined, sandbox.said)
  writeFileSync(
    join(folder, "datasets.toml"),
    `[closes]\nendpoint = "timeseries/asset-metrics"\nassets = "btc"\nmetrics = "PriceUSD"\nstart_time = 2026-10-01\noutput = "closes"\n`
  )
  const watch = start([...listOf("ENTRYPOINT"), ...listOf("CMD")], {
    SLUICE_BASE_URL: urlIn(),
    SLUICE_API_KEY: "demo-key"
  })
  const health = () => spawnSync(listOf("HEALTHCHECK")[0] ?? "", listOf("HEALTHCHECK").slice(1), { env }).status
  await until("a dataset that is watched", () => watch.said().includes("closes: Watching closes"), watch.said)
  if (health() !== 0) throw new Error("the image is not healthy while it watches")
  const exit = new Promise((resolve) => watch.child.once("exit", (code, signal) => resolve(code ?? signal)))
  watch.child.kill("SIGTERM")
  await exit
  if (!watch.said().includes("Stopped all of closes")) throw new Error(`SIGTERM does not stop it: ${watch.said()}`)
  if (health() === 0) throw new Error("the image is healthy when nothing runs")
} finally {
  for (const child of children) child.kill("SIGKILL")
  rmSync(root, { recursive: true, force: true })
}
process.stdout.write("The steps of the container file run, and what they install watches, is healthy, and stops.\n")

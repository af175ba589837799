/**
 * `pnpm canary`: runs all tests and the demo with a canary for a key, with every debug line there is, and looks for it in
 * everything they print, write and report. Ends with 1 when it is found.
 *
 * Not searched, and why:
 * - the greeting of the stand-in service, which tells whoever starts it which key to use;
 * - what Node and undici say of themselves under NODE_DEBUG: every request line, the key in it, is their business and
 *   cannot be turned off by a library. The demo runs under it all the same, and all other lines are searched;
 * - source code, and what tools keep of it.
 */
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import { join, resolve } from "node:path"
import { type Hit, forms, rename, search, stem } from "./Canary.ts"

const root = resolve(import.meta.dirname, "../../../..")
const folder = fs.mkdtempSync(join(os.tmpdir(), "sluice-run-"))
const make = (name: string) => fs.mkdirSync(join(folder, name), { recursive: true }) ?? join(folder, name)
const [temporary, tools, kept, reports] = [make("tmp"), make("tools"), make("kept"), make("reports")]
const began = Date.now()

const say = (text: string) => process.stdout.write(`${text}\n`)

const renamed = join(folder, "renamed")

const environment = {
  ...process.env,
  TMPDIR: temporary,
  CANARY_TEMPORARY: temporary,
  CANARY_KEPT: kept,
  CANARY_RENAMED: renamed,
  // What is kept of an earlier run was renamed then, or never.
  VITEST_FS_MODULE_CACHE: "false",
  NODE_OPTIONS: `--import=${new URL("preload.ts", import.meta.url).href}`,
  PATH: `${join(root, "node_modules/.bin")}:${process.env["PATH"]}`
}

interface Ended {
  readonly code: number | null
  readonly output: Buffer
}

/** Runs a program to its end and keeps all it prints. */
const run = (args: ReadonlyArray<string>, more: NodeJS.ProcessEnv = {}) =>
  new Promise<Ended>((done) => {
    const child = spawn(process.execPath, args, { cwd: root, env: { ...environment, ...more } })
    const chunks: Array<Buffer> = []
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => chunks.push(chunk))
    child.on("close", (code) => done({ code, output: Buffer.concat(chunks) }))
  })

/** All files below a folder that were written since this run began. */
const filesOf = (path: string): ReadonlyArray<string> =>
  fs
    .readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => fs.statSync(file).mtimeMs >= began)

const searched: Array<{ readonly where: string; readonly bytes: number; readonly files: number }> = []
const hits: Array<Hit> = []

/** Searches what was printed, and keeps it beside the reports for whoever has to look into a hit. */
const lookAt = (name: string, output: Buffer) => {
  fs.writeFileSync(join(folder, `${name}.txt`), output)
  searched.push({ where: `printed by the ${name}`, bytes: output.length, files: 0 })
  hits.push(...search(`${name}.txt`, output))
}

const lookInto = (what: string, path: string) => {
  const contents = fs.existsSync(path) ? filesOf(path).map((file) => [file, fs.readFileSync(file)] as const) : []
  const bytes = contents.reduce((total, [, content]) => total + content.length, 0)
  searched.push({ where: what, bytes, files: contents.length })
  hits.push(...contents.flatMap(([file, content]) => search(file, content)))
}

/** The lines of Node's own debugging, which tell of every request: `UNDICI 123: …`, and those that go on from one. */
const isOfNode = (line: string) => /^(?:HTTP|NET|TLS|UNDICI|STREAM)\b.* \d+: /.test(line)

/** Makes sure that this search can find something, in what is printed as in what is written and removed again. */
const selfTest = async () => {
  for (const { bytes, name } of forms) {
    if (search("self-test", Buffer.concat([Buffer.from("…"), bytes, Buffer.from("…")])).length === 0) {
      throw new Error(`the search does not find the canary ${name}`)
    }
  }
  const program = `
    import * as fs from "node:fs"
    const file = process.env.TMPDIR + "/planted"
    fs.writeFileSync(file, "${stem}")
    fs.rmSync(file)
    console.error("${stem}")`
  const { output } = await run(["--input-type=module", "--eval", program])
  const planted = filesOf(kept)
  const isFound = [output, ...planted.map((file) => fs.readFileSync(file))].map((bytes) => search("", bytes).length > 0)
  if (planted.length !== 1 || !isFound.every(Boolean)) throw new Error("the search does not find what was planted")
  if (rename("sandbox-key") === "sandbox-key") throw new Error("the keys are not renamed")
  fs.rmSync(planted[0]!)
}

await selfTest()

const arguments_ = [
  "run",
  "--config=packages/tools/src/canary/vitest.config.ts",
  "--root=.",
  "--reporter=verbose",
  "--reporter=json",
  `--outputFile.json=${join(reports, "report.json")}`,
  "--reporter=junit",
  `--outputFile.junit=${join(reports, "report.xml")}`
]
const tests = await run([join(root, "node_modules/vitest/vitest.mjs"), ...arguments_], { TMPDIR: tools })
lookAt("tests", tests.output)

/** Modules that must have had a key in them, or the run was with no canary. */
for (const module of ["sandbox/src/Plan.ts", "sandbox/src/internal/server/Options.ts", "node/test/Harness.ts"]) {
  if (!fs.readFileSync(renamed, "utf8").includes(module)) throw new Error(`no key was renamed in ${module}`)
}

const demo = await run(["packages/examples/src/demo/main.ts"], { NODE_DEBUG: "http,net,tls,undici" })
const lines = demo.output.toString().split("\n")
if (!lines.some((line) => isOfNode(line) && line.includes(stem))) throw new Error("the demo sent no canary")
lookAt("demo", Buffer.from(lines.filter((line) => !isOfNode(line)).join("\n")))

lookInto("reported by the tests", reports)
lookInto("written by both, and left", temporary)
lookInto("written by both, and removed", kept)
lookInto("written by the demo", join(root, "out/demo"))
lookInto("written by vitest", join(root, ".vitest"))

const count = (number: number) => number.toLocaleString("en-US")
for (const { bytes, files, where } of searched) {
  say(`${count(bytes).padStart(15)} bytes${files === 0 ? "" : ` in ${count(files)} files`} ${where}`)
}
const debug = [tests.output, demo.output].map((output) => output.toString().split("] DEBUG (").length - 1)
say(
  `${count(debug.reduce((a, b) => a + b))} debug lines among them; left out: ${count(lines.filter(isOfNode).length)} lines of Node itself`
)
for (const { around, form, where } of hits) say(`FOUND ${form} in ${where}:\n${around}\n`)
for (const [name, { code }] of Object.entries({ tests, demo })) {
  if (code !== 0) say(`the ${name} ended with ${code}: see ${join(folder, name)}.txt`)
}
const isGood = hits.length === 0 && tests.code === 0 && demo.code === 0
say(hits.length === 0 ? "the key is nowhere" : `${hits.length} hits; what was searched is in ${folder}`)
if (isGood) fs.rmSync(folder, { recursive: true })
process.exitCode = isGood ? 0 : 1

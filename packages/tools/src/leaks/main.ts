/**
 * `pnpm leaks`: runs all tests and the demo with a canary for a key, with every debug line there is, and looks for it in
 * everything they print, write and report. Ends with 1 when it is found.
 *
 * Not searched, and why:
 * - the greeting of the stand-in service, which tells whoever starts it which key to use;
 * - what Node and undici say of themselves under NODE_DEBUG: every request line, the key in it, is their business and
 *   cannot be turned off by a library. The demo runs under it all the same, and all other lines are searched;
 * - source code, and what tools keep of it.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Clock, Console, Data, Effect, FileSystem, Path } from "effect"
import * as RedisServer from "../../../node/test/quota/RedisServer.ts"
import * as Tool from "../Tool.ts"
import * as Canary from "./Canary.ts"
import * as Programs from "./Programs.ts"
import * as Searched from "./Searched.ts"

/** The search cannot be trusted: it would not find a canary, or there was none. */
class Untrusted extends Data.TaggedError("Untrusted")<{ readonly message: string }> {}

/** The lines of Node's own debugging, which tell of every request: `UNDICI 123: …`, and those that go on from one. */
const isOfNode = (line: string) => /^(?:HTTP|NET|TLS|UNDICI|STREAM)\b.* \d+: /.test(line)

const isFoundIn = (bytes: Uint8Array) => Canary.search("self-test", Buffer.from(bytes)).length > 0

/** Makes sure that this search can find something, in what is printed as in what is written and removed again. */
const selfTest = Effect.fnUntraced(function* (folders: Programs.Folders, began: number) {
  const files = yield* FileSystem.FileSystem
  for (const { bytes, name } of Canary.forms) {
    if (isFoundIn(Buffer.concat([Buffer.from("…"), bytes, Buffer.from("…")]))) continue
    return yield* new Untrusted({ message: `the search does not find the canary ${name}` })
  }
  const program = `
    import * as fs from "node:fs"
    const file = process.env.TMPDIR + "/planted"
    fs.writeFileSync(file, "${Canary.stem}")
    fs.rmSync(file)
    console.error("${Canary.stem}")`
  const { output } = yield* Programs.run(folders, ["--input-type=module", "--eval", program])
  const planted = yield* Searched.filesOf(folders.kept, began)
  const contents = yield* Effect.forEach(planted, (file) => files.readFile(file))
  if (planted.length !== 1 || ![output, ...contents].every(isFoundIn)) {
    return yield* new Untrusted({ message: "the search does not find what was planted" })
  }
  if (Canary.rename("demo-key") === "demo-key") return yield* new Untrusted({ message: "the keys are not renamed" })
  yield* Effect.forEach(planted, (file) => files.remove(file))
})

/** Runs the tests. Fails where modules that must have had a key in them had none, for then the run was with no canary. */
const tests = Effect.fnUntraced(function* (folders: Programs.Folders) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const ended = yield* Programs.run(
    folders,
    [
      path.join(folders.root, "node_modules/vitest/vitest.mjs"),
      "run",
      "--config=packages/tools/src/leaks/vitest.config.ts",
      "--root=.",
      "--reporter=verbose",
      "--reporter=json",
      `--outputFile.json=${path.join(folders.reports, "report.json")}`,
      "--reporter=junit",
      `--outputFile.junit=${path.join(folders.reports, "report.xml")}`
    ],
    { TMPDIR: folders.tools }
  )
  const renamed = yield* files.readFileString(folders.renamed)
  for (const module of ["sandbox/src/Plan.ts", "sandbox/src/internal/server/Options.ts", "node/test/Harness.ts"]) {
    if (!renamed.includes(module)) return yield* new Untrusted({ message: `no key was renamed in ${module}` })
  }
  return ended
})

/** Runs the demo with Node's own debugging. Fails where no such line has the canary, for then no request had it. */
const demo = Effect.fnUntraced(function* (folders: Programs.Folders) {
  const ended = yield* Programs.run(folders, ["packages/examples/src/demo/main.ts"], {
    NODE_DEBUG: "http,net,tls,undici"
  })
  const lines = ended.output.toString().split("\n")
  if (!lines.some((line) => isOfNode(line) && line.includes(Canary.stem))) {
    return yield* new Untrusted({ message: "the demo sent no canary" })
  }
  const own = lines.filter((line) => !isOfNode(line))
  return { ...ended, own: Buffer.from(own.join("\n")), left: lines.length - own.length }
})

const program = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folders = yield* Programs.makeFolders(path.resolve(import.meta.dirname, "../../../.."))
  const began = yield* Clock.currentTimeMillis
  yield* selfTest(folders, began)
  const ended = { tests: yield* tests(folders), demo: yield* demo(folders) }
  const searched = [
    yield* Searched.printed("tests", ended.tests.output, folders.top),
    yield* Searched.printed("demo", ended.demo.own, folders.top),
    yield* Searched.written("reported by the tests", folders.reports, began),
    yield* Searched.written("written by both, and left", folders.temporary, began),
    yield* Searched.written("written by both, and removed", folders.kept, began),
    yield* Searched.written("written by the demo", path.join(folders.root, "out/demo"), began),
    yield* Searched.written("written by vitest", path.join(folders.root, ".vitest"), began)
  ]
  for (const one of searched) yield* Console.log(Searched.show(one))
  // Each server writes all it is told to files below its folder, which are among those that were removed.
  const stored = yield* Searched.storedBy("appendonly.aof", folders.kept, began)
  if (RedisServer.program !== undefined && stored === 0) {
    return yield* new Untrusted({ message: "nothing was kept of what Redis stored" })
  }
  yield* Console.log(`${stored.toLocaleString("en-US")} bytes of them stored by Redis${RedisServer.without}`)
  const debug = Object.values(ended).map(({ output }) => output.toString().split("] DEBUG (").length - 1)
  const debugged = debug.reduce((a, b) => a + b).toLocaleString("en-US")
  yield* Console.log(
    `${debugged} debug lines among them; left out: ${ended.demo.left.toLocaleString("en-US")} lines of Node itself`
  )
  const hits = searched.flatMap(({ hits }) => hits)
  for (const { around, form, where } of hits) yield* Console.log(`FOUND ${form} in ${where}:\n${around}\n`)
  for (const [name, { code }] of Object.entries(ended)) {
    if (code !== 0) yield* Console.log(`the ${name} ended with ${code}: see ${path.join(folders.top, name)}.txt`)
  }
  yield* Console.log(
    hits.length === 0 ? "the key is nowhere" : `${hits.length} hits; what was searched is in ${folders.top}`
  )
  if (hits.length > 0 || ended.tests.code !== 0 || ended.demo.code !== 0) return yield* new Tool.Found()
  yield* files.remove(folders.top, { recursive: true })
})

program.pipe(Effect.provide(NodeServices.layer), NodeRuntime.runMain)

/**
 * Runs a program on the packed packages under Node.js, Deno and Bun, against the stand-in service over sockets. Needs the
 * consumer that `check-packages` leaves in `out/packages`. Deno and Bun are installed into `out/runtimes`.
 */
import { Sandbox } from "../../packages/sandbox/src/index.ts"
import * as Effect from "effect/Effect"
import { execFile, execFileSync } from "node:child_process"
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { promisify } from "node:util"

const consumer = resolve("out/packages/consumer")
const folder = resolve("out/runtimes")
const packages = { "@deno/linux-x64-glibc": "2.9.6", "@oven/bun-linux-x64": "1.4.4" }

const read = [
  "pages over fetch: 182",
  "json_stream over fetch: 182",
  "loop over fetch: btc",
  "download over fetch: 182",
  "loop over undici: btc",
  "download over undici: 182"
]
const refusal =
  "http: Bun replaces undici by one that cannot do this; read over fetch: Client.layer with FetchHttpClient.layer of effect/http, or Sluice.open({ http: FetchHttpClient.layer })"

const runtimes = [
  { name: "Node.js", command: process.execPath, args: [], expected: read },
  {
    name: "Deno",
    command: join(folder, "node_modules/@deno/linux-x64-glibc/deno"),
    args: ["run", "--allow-all", "--node-modules-dir=manual"],
    expected: read
  },
  {
    name: "Bun",
    command: join(folder, "node_modules/@oven/bun-linux-x64/bin/bun"),
    args: [],
    expected: read.map((line) => line.replace(/ undici: .*/, ` undici: ${refusal}`))
  }
]

const check = async (root: string) => {
  for (const { args, command, expected, name } of runtimes) {
    const options = { cwd: consumer, timeout: 60_000 }
    const { stdout } = await promisify(execFile)(command, [...args, "runtimes.mjs", root], options)
    if (stdout.trimEnd() !== expected.join("\n")) {
      throw new Error(`${name} printed\n${stdout}\nand was to print\n${expected.join("\n")}`)
    }
    process.stdout.write(`${name} reads each way that is promised.\n`)
  }
}

if (process.platform !== "linux" || process.arch !== "x64") {
  process.stdout.write("The other runtimes are checked on Linux x64 alone.\n")
} else {
  if (!existsSync(consumer)) throw new Error("run check-packages first")
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies: packages }))
  execFileSync("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: folder, stdio: "inherit" })
  copyFileSync(join(import.meta.dirname, "program.js"), join(consumer, "runtimes.mjs"))
  await Effect.runPromise(
    Effect.flatMap(Sandbox.Sandbox, ({ url }) => Effect.promise(() => check(url))).pipe(Effect.provide(Sandbox.layer()))
  )
}

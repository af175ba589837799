/**
 * Checks the packed tarballs the way a user's package manager and compiler will see them: publint for the manifest,
 * are-the-types-wrong for the types, and a consumer that installs them, compiles the examples against them, runs the
 * command line, and cannot reach the `internal/` of core.
 */
import { execFileSync } from "node:child_process"
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"

const folder = resolve("out/packages")
const bin = (name: string) => resolve("node_modules", ".bin", name)
const run = (command: string, args: ReadonlyArray<string>, cwd = ".") =>
  execFileSync(command, args, { cwd, stdio: "inherit" })

const tarballs = readdirSync(folder).filter((name) => name.endsWith(".tgz"))
if (tarballs.length !== 8) throw new Error(`expected eight packages in ${folder}, found ${tarballs.length}`)

for (const tarball of tarballs) {
  const path = join(folder, tarball)
  run(bin("publint"), ["run", path, "--strict"])
  // ESM only: CommonJS users have the require() of ES modules that Node has since 22.
  run(bin("attw"), [path, "--profile", "esm-only", "--format", "ascii"])
}

const consumer = join(folder, "consumer")
const examples = "packages/examples/src"
rmSync(consumer, { recursive: true, force: true })
mkdirSync(consumer)

// Type boundary: the repository's own package.json.
const versions = JSON.parse(readFileSync("package.json", "utf8")).devDependencies as Record<string, string>
const catalog = readFileSync("pnpm-workspace.yaml", "utf8")
const version = (name: string) => new RegExp(`^ {2}"?${name}"?: (\\S+)$`, "m").exec(catalog)?.[1] ?? versions[name]
const packed = Object.fromEntries(
  tarballs.map((tarball) => [`@sluice/${tarball.split("-")[1]}`, `file:${join(folder, tarball)}`])
)
const others =
  "effect @effect/platform-node @types/node @duckdb/duckdb-wasm @duckdb/node-api @effect/sql-pg @observablehq/plot".split(
    " "
  )
const write = (name: string, content: unknown) => writeFileSync(join(consumer, name), JSON.stringify(content, null, 2))
write("package.json", {
  private: true,
  type: "module",
  dependencies: { ...packed, ...Object.fromEntries(others.map((name) => [name, version(name)])) }
})
// As Getting started says.
copyFileSync(join(folder, "pnpm-workspace.yaml"), join(consumer, "pnpm-workspace.yaml"))
/** Guides that use packages whose own declarations do not compile: for them the declarations of packages are left out. */
const lenient = ["guides/arrowSql.ts", "guides/chart.ts"]
const tsconfig = (skipLibCheck: boolean, files: object) => ({
  extends: resolve("tsconfig.base.json"),
  compilerOptions: { composite: false, noEmit: true, types: ["node"], skipLibCheck },
  ...files
})
write(
  "tsconfig.json",
  tsconfig(false, { include: ["*.ts", "first/*.ts", "guides/*.ts", "live/*.ts"], exclude: lenient })
)
write("tsconfig.lenient.json", tsconfig(true, { files: lenient }))
for (const folder of ["", "first", "guides", "live"]) {
  mkdirSync(join(consumer, folder), { recursive: true })
  for (const name of readdirSync(join(examples, folder)).filter((name) => name.endsWith(".ts"))) {
    copyFileSync(join(examples, folder, name), join(consumer, folder, name))
  }
}
writeFileSync(
  join(consumer, "reach.mjs"),
  `import { Timeseries } from "@sluice/core"
import "@sluice/core/endpoints/Timeseries"
import "@sluice/node/NodeClient"
import "@sluice/sandbox/Sandbox"
import "@sluice/cluster/Backfill"
import "@sluice/files/Download"
import "@sluice/datasets/Dataset"
import "@sluice/promise"
if (typeof Timeseries.assetMetrics !== "function") throw new Error("no endpoint")
const reached = await import("@sluice/core/internal/wire/Lines").catch(({ code }) => code)
if (reached !== "ERR_PACKAGE_PATH_NOT_EXPORTED") throw new Error("internal/ can be imported")
import.meta.resolve("@sluice/sandbox/main")
`
)
// What is published reads records by their layout. A program without the fast reader would do all that is checked elsewhere.
writeFileSync(
  join(consumer, "parsed.mjs"),
  `import { Timeseries } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import { Sandbox } from "@sluice/sandbox"
import { Effect, Redacted, Stream } from "effect"
const parse = JSON.parse
let parsed = 0
JSON.parse = (text, reviver) => ((parsed += text.length), parse(text, reviver))
const minutes = { assets: "btc", metrics: "PriceUSD", frequency: "1m", start_time: "2024-01-01", end_time: "2024-01-03" }
const program = Effect.gen(function* () {
  const { url } = yield* Sandbox.Sandbox
  const client = NodeClient.layer({ root: url, apiKey: Redacted.make("demo-key") })
  for (const format of ["json", "json_stream"]) {
    parsed = 0
    const records = yield* Stream.runCollect(Timeseries.assetMetrics({ ...minutes, format })).pipe(Effect.provide(client))
    if (parsed > JSON.stringify(records).length / 20) throw new Error(format + ": records are parsed, not read by their layout")
  }
})
await Effect.runPromise(Effect.provide(program, Sandbox.layer()))
`
)
run("pnpm", ["install", "--ignore-scripts"], consumer)
run(bin("tsc"), ["--project", "."], consumer)
run(bin("tsc"), ["--project", "tsconfig.lenient.json"], consumer)
run(bin("node"), ["reach.mjs"], consumer)
run(bin("node"), ["parsed.mjs"], consumer)
run(join(consumer, "node_modules", ".bin", "sluice"), ["endpoints", "timeseries"], consumer)
process.stdout.write("The packages install, compile and load as a user would have them.\n")

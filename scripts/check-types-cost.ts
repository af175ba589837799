/**
 * Measures what the types of the endpoints cost the compiler of a program that calls them, and fails when the cost per
 * endpoint passes a bound. docs/types-cost.md says what the figure means.
 *
 * Programs are compiled against the built declarations, as a user's are: one that imports the library and calls nothing,
 * one that calls every endpoint once and reads a field of its records, and for each section one that calls its endpoints
 * and one that calls all others. What a program instantiates beyond the first is what its calls cost.
 */
import { spawnSync } from "node:child_process"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import * as Schema from "effect/Schema"
import { entries, type Entry } from "../packages/core/src/Endpoints.ts"
import * as Shape from "./reference/Shape.ts"

/**
 * Instantiations per endpoint that are still fine: about one and a half times what it was when this was written. The
 * count does not depend on the machine, so the room is for new endpoints and a new compiler, not for noise. An endpoint
 * whose types are computed rather than written costs several times as much, and is seen in its section first.
 */
const bound = 530

/** The same for a program without Effect, which calls `sluice.timeseries.assetMetrics(…)` of `@sluice/promise`. */
const promiseBound = 135

const folder = resolve("out/types-cost")

/** A value for each required parameter: the first of these that its schema takes. */
const samples = [["a"], "a", "2026-01-01", 1, true]

const argument = ({ endpoint, name, section }: Entry): string => {
  const fields = Shape.isStruct(endpoint.params) ? Object.entries(endpoint.params.fields) : []
  const given = fields.flatMap(([parameter, schema]) => {
    const accepts = Schema.is(schema)
    if (accepts(undefined)) return []
    const sample = samples.find((sample) => accepts(sample))
    if (sample === undefined) throw new Error(`${section}.${name}: there is no sample value for ${parameter}`)
    return [[parameter, sample] as const]
  })
  return given.length === 0 ? "" : JSON.stringify(Object.fromEntries(given))
}

/** A field that every record of the endpoint has in its type. */
const column = ({ endpoint, name, section }: Entry): string => {
  const record = endpoint.record()
  const first = Object.keys(Shape.structOf(record)?.fields ?? {})[0]
  if (first === undefined) throw new Error(`${section}.${name}: its record has no field`)
  return first
}

const call = (entry: Entry, index: number) =>
  `export const call${index} = Stream.map(Sluice.${entry.section}.${entry.name}(${argument(entry)}), (record) => record.${column(entry)})`

const promiseCall = (entry: Entry, index: number) =>
  `export const call${index} = async () => {
  for await (const record of sluice.${entry.section.charAt(0).toLowerCase()}${entry.section.slice(1)}.${entry.name}(${argument(entry)})) return record.${column(entry)}
  return undefined
}`

/** What a program with these calls instantiates. */
const instantiations = (program: string, calls: ReadonlyArray<Entry>): number =>
  compile(program, [
    `import * as Sluice from "../../packages/core/dist/index.js"`,
    `import * as Stream from "effect/Stream"`,
    // So that what a first use of streams costs stands in every program.
    `export const none = Stream.map(Stream.make({ a: "a" }), (record) => record.a)`,
    ...calls.map(call)
  ])

const promiseInstantiations = (program: string, calls: ReadonlyArray<Entry>): number =>
  compile(program, [
    `import { Sluice } from "../../packages/promise/dist/index.js"`,
    `export const sluice = await Sluice.open()`,
    ...calls.map(promiseCall)
  ])

const compile = (program: string, lines: ReadonlyArray<string>): number => {
  const file = join(folder, `${program}.ts`)
  writeFileSync(file, `${lines.join("\n")}\n`)
  writeFileSync(
    join(folder, `${program}.json`),
    JSON.stringify({
      extends: resolve("tsconfig.base.json"),
      compilerOptions: {
        composite: false,
        declaration: false,
        declarationMap: false,
        noEmit: true,
        noUnusedLocals: false,
        types: ["node"]
      },
      files: [file]
    })
  )
  // One thread: checkers that share the work each instantiate what they need.
  const { status, stdout } = spawnSync(
    resolve("node_modules/.bin/tsc"),
    ["--project", join(folder, `${program}.json`), "--extendedDiagnostics", "--singleThreaded"],
    { encoding: "utf8" }
  )
  const found = /^Instantiations:\s+(\d+)$/m.exec(stdout)?.[1]
  if (status !== 0 || found === undefined) throw new Error(`${file} does not compile:\n${stdout}`)
  return Number(found)
}

rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })

const base = instantiations("none", [])
const total = instantiations("all", entries)
const line = (...cells: ReadonlyArray<string | number>) =>
  process.stdout.write(
    `${cells.map((cell, index) => (index === 0 ? String(cell).padEnd(18) : String(cell).padStart(11))).join("")}\n`
  )

// A section alone pays for what all endpoints share; beside the others it pays for what is its own.
line("section", "endpoints", "alone", "beside")
for (const section of new Set(entries.map((entry) => entry.section))) {
  const own = entries.filter((entry) => entry.section === section)
  const others = entries.filter((entry) => entry.section !== section)
  const alone = instantiations(section, own) - base
  const beside = total - instantiations(`without-${section}`, others)
  line(section, own.length, Math.round(alone / own.length), Math.round(beside / own.length))
}
const all = Math.round((total - base) / entries.length)
line("all", entries.length, all, "")
const withoutEffect = Math.round(
  (promiseInstantiations("promise", entries) - promiseInstantiations("promise-none", [])) / entries.length
)
line("without Effect", entries.length, withoutEffect, "")

for (const [what, cost, most] of [
  ["The types", all, bound],
  ["Without Effect the types", withoutEffect, promiseBound]
] as const) {
  if (cost <= most) continue
  process.stderr.write(`${what} cost ${cost} instantiations per endpoint; the bound is ${most}.\n`)
  process.exitCode = 1
}

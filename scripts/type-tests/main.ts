/**
 * Writes the type tests that follow from the table of operations: for every endpoint, that its parameters and its records
 * have exactly the types the table says. They go into a folder that is not committed, one file a section, and are
 * compiled with the type tests written by hand.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import * as Schema from "effect/Schema"
import { sections } from "../../packages/core/src/Endpoints.ts"
import * as Listed from "../Listed.ts"
import { required } from "../../packages/interface/src/Least.ts"
import * as Expected from "../../packages/core/test/table/Expected.ts"
import * as Actual from "../../packages/core/test/table/Actual.ts"
import * as Table from "../../packages/interface/src/Table.ts"
import { pascal, Shapes } from "./TypeText.ts"

const folder = resolve("packages/core/typetest/out")

const shapes = new Shapes()

/** The interfaces of the parameters of endpoints, by their schemas. */
const params = new Map<unknown, string>()

/** The literal of a call, typed as the table has its parameters. */
const literal = (path: string, given: Readonly<Record<string, string>>) => {
  const { parameters } = Table.find(path)
  const values = Object.entries(given).map(([name, value]) => {
    const kind = parameters[name]?.kind
    return `${name}: ${kind === "integer" || kind === "boolean" ? value : JSON.stringify(value)}`
  })
  return values.length === 0 ? "" : `{ ${values.join(", ")} }`
}

const nameOf = (section: keyof typeof sections, value: unknown) =>
  Object.entries(sections[section]).find(([, exported]) => exported === value)?.[0]

/** The type of an endpoint by what it replies with. */
const types = {
  list: "Endpoint.Endpoint",
  record: "Endpoint.Single",
  job: "Job.Job",
  frames: "LiveEndpoint.LiveEndpoint"
} as const

const endpointTest = ({ endpoint, name, section }: Listed.Listed): ReadonlyArray<string> => {
  const { path } = endpoint
  const operation = Table.find(path)
  const { more } = operation
  const proposed = pascal(path)
  const columns = more.metrics === undefined ? [] : ["metrics"]
  const taken = shapes.params(Expected.parameters(operation), columns, `${proposed}Params`)
  // That of a call that depends on them is told by the name below, and not exactly the interface.
  if (columns.length === 0) params.set(endpoint.params, taken)
  const here = `${section}.${name}`
  const views = Expected.views(operation)
  const first = views[0]
  if (first === undefined) throw new Error(`${path} has no record`)
  const record = `Shapes.${shapes.record(first.fields, `${proposed}Record`)}`
  const title = `\n// ${path}`
  const depends = more.metrics !== undefined || more.included !== undefined
  if (!depends) {
    return [
      title,
      `expectTypeOf<ParamsOf<typeof ${here}>>().toEqualTypeOf<Shapes.${taken}>()`,
      `expectTypeOf<RecordOf<typeof ${here}>>().toEqualTypeOf<${record}>()`,
      `expectTypeOf(${here}).toEqualTypeOf<${types[endpoint.reply]}<Shapes.${taken}, ${record}>>()`
    ]
  }
  const exported = nameOf(section, endpoint.params)
  if (exported === undefined) throw new Error(`${here}: its parameters are not exported by the section`)
  const calls = views.flatMap((view) => {
    const given = literal(path, { ...required(path), ...view.params })
    const wanted = `Shapes.${shapes.record(view.fields, `${proposed}${pascal(view.name)}`)}`
    const call = `Returned<typeof ${name}${pascal(view.name)}>`
    return [
      `const ${name}${pascal(view.name)} = () => ${here}(${given})`,
      `expectTypeOf<Flat<${endpoint.reply === "frames" ? "LiveRow" : "Row"}<${call}>>>().toEqualTypeOf<Flat<${wanted}>>()`
    ]
  })
  const providers = Object.entries(more.included ?? {}).map(([namespace]) => {
    const included = views.find(({ params }) => params["include"] === namespace)?.fields[namespace]?.type
    if (included?._tag !== "list" || included.of._tag !== "object") throw new Error(`${path}: ${namespace} is no list`)
    const provider = shapes.record(included.of.fields, `${proposed}${pascal(namespace)}`)
    return `expectTypeOf(${here}).toEqualTypeOf<IncludingEndpoint<Shapes.${taken}, ${record}, Shapes.${provider}>>()`
  })
  return [
    title,
    `expectTypeOf<Flat<${section}.${exported}>>().toEqualTypeOf<Flat<Shapes.${taken}>>()`,
    ...calls,
    ...providers
  ]
}

const own = (section: keyof typeof sections) => Listed.all.filter((entry) => entry.section === section)

const tests = new Map(
  // Type boundary: these are the names of the sections.
  (Object.keys(sections) as Array<keyof typeof sections>).map((section) => {
    const names = own(section).map(({ name }) => JSON.stringify(name))
    const members = `expectTypeOf<keyof Members<typeof ${section}>>().toEqualTypeOf<${names.join(" | ")}>()`
    return [section, [members, ...own(section).flatMap(endpointTest)]] as const
  })
)

/**
 * The records and parameters a section exports, each with the interface of the table it must be. Parameters that no
 * endpoint has as they are, sets of them, have none.
 */
const exportedTypes = (section: keyof typeof sections): ReadonlyArray<string> =>
  Object.entries(sections[section]).flatMap(([name, value]) => {
    if (!Schema.isSchema(value)) return []
    const shape = params.get(value) ?? shapes.find(Actual.fieldsOf(value))
    if (shape === undefined && /(?:Params|Filters)$/.test(name)) return []
    return [`expectTypeOf<${section}.${name}>().toEqualTypeOf<Shapes.${shape ?? "NoneInTheTable"}>()`]
  })

const header = `// Written by scripts/type-tests from packages/interface; not to be changed by hand.`

const files = new Map<string, string>()
for (const [section, lines] of tests) {
  const body = [...lines, "\n// Records and parameters by their names.", ...exportedTypes(section)].join("\n")
  const uses = (name: string) => new RegExp(`\\b${name}\\b`).test(body)
  const wire = ["Flat", "LiveRow", "Members", "ParamsOf", "RecordOf", "Returned", "Row"].filter(uses)
  files.set(
    `${section}.tst.ts`,
    [
      header,
      `import { ${[...["Endpoint", "Job", "LiveEndpoint"].filter((name) => uses(`${name}\\.`)).map((name) => `type ${name}`), section].join(", ")} } from "@sluice/core"`,
      ...(uses("IncludingEndpoint")
        ? [`import type { IncludingEndpoint } from "@sluice/core/endpoints/ReferenceData"`]
        : []),
      `import { expectTypeOf } from "vitest"`,
      `import type { ${wire.join(", ")} } from "../Wire.ts"`,
      `import type * as Shapes from "./Shapes.ts"\n`,
      `${body}\n`
    ].join("\n")
  )
}
const written = shapes.text()
const from = (name: string) => new RegExp(`\\b${name}\\b`).test(written)
files.set(
  "Shapes.ts",
  [
    header,
    `import type { Decimal, Timestamp } from "@sluice/core"`,
    `import type { ${["List", "Names", "Open"].filter(from).join(", ")} } from "../Wire.ts"\n`,
    "/** Stands for a record that no operation of the table has; Table.test.ts says where it differs. */",
    `export interface NoneInTheTable {\n  readonly none: never\n}\n`,
    written
  ].join("\n")
)

mkdirSync(folder, { recursive: true })
for (const name of readdirSync(folder)) if (!files.has(name)) rmSync(join(folder, name))
for (const [name, text] of files) {
  const file = join(folder, name)
  const before = readdirSync(folder).includes(name) ? readFileSync(file, "utf8") : undefined
  if (before !== text) writeFileSync(file, text)
}

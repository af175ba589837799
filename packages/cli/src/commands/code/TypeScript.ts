/** A program on Effect and @sluice/node. */
import * as Root from "@sluice/core/Root"
import * as Predicate from "effect/Predicate"
import type { Reading } from "./Reading.ts"

const literal = (value: unknown) => JSON.stringify(value)

const isName = (text: string) => /^[A-Za-z_$][\w$]*$/.test(text)

/** An object, on one line where that has room. */
const object = (values: Readonly<Record<string, unknown>>, indent = "", room = 80): string => {
  const members = Object.entries(values).map(([name, value]) => {
    const key = isName(name) ? name : literal(name)
    return `${key}: ${Predicate.isObject(value) ? object(value, `${indent}  `) : valueOf(value)}`
  })
  const line = members.length === 0 ? "{}" : `{ ${members.join(", ")} }`
  return line.length <= room ? line : `{\n${members.map((member) => `${indent}  ${member}`).join(",\n")}\n${indent}}`
}

const valueOf = (value: unknown): string =>
  Array.isArray(value) ? `[${value.map(literal).join(", ")}]` : literal(value)

const clientOf = ({ root }: Reading) =>
  root.url === Root.paid.url ? "NodeClient.layerConfig()" : `NodeClient.layerConfig({ root: ${literal(root.url)} })`

const keyOf = ({ root }: Reading) =>
  root.key === "unused" ? [] : [`// The key comes from SLUICE_API_KEY in the environment.`]

const importsOf = (modules: ReadonlyArray<readonly [name: string, from: string]>) => {
  const from = Map.groupBy(modules, ([, from]) => from)
  return [...from]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([module, names]) => {
      const sorted = names.map(([name]) => name).toSorted()
      return `import { ${sorted.join(", ")} } from ${literal(module)}`
    })
}

export const print = (reading: Reading): string => {
  const { count, entry, file, format, isSingle, params, query } = reading
  const name = `${entry.section}.${entry.name}`
  const isPlain = file === undefined && format.as === "ndjson" && format.compression === undefined
  const options = Object.keys(query).length === 0 ? "" : `, ${object({ query })}`
  const hasParams = Object.keys(params).length > 0
  const call = hasParams || options !== "" ? `${name}(params${options})` : `${name}()`
  const records = isSingle ? `Stream.fromEffect(${call})` : call
  const taken = count === undefined || isSingle ? records : `${records}.pipe(Stream.take(${count}))`
  const modules: Array<readonly [string, string]> = [
    ["NodeRuntime", "@effect/platform-node"],
    [entry.section, "@sluice/core"],
    ["NodeClient", "@sluice/node"],
    ["Effect", "effect"],
    ["Stream", "effect"]
  ]
  const given = hasParams || options !== "" || !isPlain ? [`const params = ${object(params)} as const`, ""] : []
  if (isPlain) {
    return [
      ...importsOf([...modules, ["Console", "effect"]]),
      "",
      ...given,
      ...keyOf(reading),
      `${records}.pipe(`,
      ...(records === taken ? [] : [`  Stream.take(${count}),`]),
      "  Stream.runForEach((record) => Console.log(JSON.stringify(record))),",
      `  Effect.provide(${clientOf(reading)}),`,
      "  NodeRuntime.runMain",
      ")"
    ].join("\n")
  }
  const [service, sink] = file === undefined ? ["Stdio", "to.stdout()"] : ["FileSystem", `to.sink(${literal(file)})`]
  return [
    ...importsOf([
      ...modules,
      ["NodeServices", "@effect/platform-node"],
      ["Format", "@sluice/files"],
      [service ?? "", "effect"]
    ]),
    "",
    ...given,
    "const program = Effect.gen(function* () {",
    `  const to = yield* ${service}.${service}`,
    `  const encode = yield* Format.encode(${name}, params, ${object({ ...format }, "  ", 50)})`,
    `  yield* Stream.run(encode(${taken}), ${sink})`,
    "})",
    "",
    ...keyOf(reading),
    "program.pipe(",
    `  Effect.provide([${clientOf(reading)}, NodeServices.layer]),`,
    "  NodeRuntime.runMain",
    ")"
  ].join("\n")
}

/** A program on the official Python client. */
import * as Root from "@sluice/core/Root"
import * as Effect from "effect/Effect"
import * as PythonMethods from "./PythonMethods.ts"
import { NotAsCode, type Reading } from "./Reading.ts"

const refuse = (reason: string, next: string) => new NotAsCode({ language: "Python", reason, next })

/** A value; text of JSON is text of Python too. */
const literal = (value: unknown): string => {
  if (value === true) return "True"
  if (value === false) return "False"
  return Array.isArray(value) ? `[${value.map(literal).join(", ")}]` : JSON.stringify(value)
}

/** Parameters have names of Python; those that are sent unchecked may have any. */
const call = (method: string, params: Reading["params"], query: Reading["query"]) => {
  const all = Object.entries({ ...params, ...query })
  const isKnown = (name: string) => Object.hasOwn(params, name)
  const named = all.flatMap(([name, value]) => (isKnown(name) ? [`${name}=${literal(value)}`] : []))
  const others = all.flatMap(([name, value]) => (isKnown(name) ? [] : [`${literal(name)}: ${literal(value)}`]))
  const given = others.length === 0 ? named : [...named, `**{${others.join(", ")}}`]
  const line = `client.${method}(${given.join(", ")})`
  return line.length < 90 ? line : `client.${method}(\n${given.map((one) => `    ${one},\n`).join("")})`
}

/** What writes a table into a file. */
const writers: Readonly<Record<string, string>> = { csv: "to_csv", parquet: "to_parquet" }

/** Lines that write the records, and what they import. */
interface Writing {
  readonly imports: ReadonlyArray<string>
  readonly lines: ReadonlyArray<string>
  readonly hasFrame?: boolean
}

const ofFile = "Name a file with --output, or take `--as-code ts`."

/** How the records are written: a line each, or a file. */
const writing = Effect.fnUntraced(function* ({
  count,
  file,
  format,
  isSingle
}: Reading): Effect.fn.Return<Writing, NotAsCode> {
  const { as, columns, compression, ...others } = format
  const [option] = Object.keys(others)
  if (option !== undefined) {
    const flag = option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    return yield* refuse(`its client has nothing like --${flag}`, "Leave the flag out, or take `--as-code ts`.")
  }
  if (isSingle) {
    if (file === undefined && as === "ndjson" && compression === undefined) {
      return { imports: ["import json"], lines: ["print(json.dumps(records))"] }
    }
    return yield* refuse("its client writes one record into no file", "Leave --output and --format out.")
  }
  const some = count === undefined ? "records" : `islice(records, ${count})`
  const islice = count === undefined ? [] : ["from itertools import islice"]
  if (file === undefined && compression !== undefined) {
    return yield* refuse("its client compresses files alone", ofFile)
  }
  if (as === "ndjson") {
    if (compression === "zstd") return yield* refuse("Python has no zstd", "Take gzip, or `--as-code ts`.")
    if (file === undefined) {
      return { imports: ["import json", ...islice], lines: [`for record in ${some}:`, "    print(json.dumps(record))"] }
    }
    const isGzip = compression === "gzip"
    return {
      imports: [...(isGzip ? ["import gzip"] : []), "import json", ...islice],
      lines: [
        `with ${isGzip ? "gzip.open" : "open"}(${literal(file)}, "${isGzip ? "wt" : "w"}") as file:`,
        `    for record in ${some}:`,
        '        file.write(json.dumps(record) + "\\n")'
      ]
    }
  }
  const writer = writers[as]
  if (writer === undefined) {
    const name = as === "arrows" ? "arrow" : as
    return yield* refuse(`its client writes no ${name}`, "Name csv, ndjson or parquet with --format.")
  }
  if (file === undefined && as === "parquet") {
    return yield* refuse("its client writes parquet into files alone", ofFile)
  }
  const table = count === undefined ? "records.to_dataframe()" : `DataFrame(${some})`
  const chosen = columns === undefined ? table : `${table}[${literal(columns)}]`
  const options = ["index=False", ...(compression === undefined ? [] : [`compression=${literal(compression)}`])]
  return {
    imports: [...(file === undefined ? ["import sys"] : []), ...islice],
    lines: [`${chosen}.${writer}(${[file === undefined ? "sys.stdout" : literal(file), ...options].join(", ")})`],
    hasFrame: count !== undefined
  }
})

/** Modules stand before what is taken from one. */
const rank = (line: string) => (line.startsWith("import") ? 0 : 1)

export const print = Effect.fnUntraced(function* (reading: Reading) {
  const { entry, params, query, root } = reading
  const method = PythonMethods.find(entry.endpoint.path)
  if (method === undefined) {
    const reason = `coinmetrics-api-client ${PythonMethods.version} has no method for ${entry.endpoint.path}`
    return yield* refuse(reason, "Take `--as-url`, or `--as-code ts`.")
  }
  if (root.url !== Root.paid.url && root.key !== "unused") {
    return yield* refuse(`its client does not ask ${root.url}`, "Take `--as-url`, or `--root paid`.")
  }
  const { hasFrame = false, imports, lines } = yield* writing(reading)
  const os = root.key === "unused" ? [] : ["import os"]
  const needed = [...imports, ...os].toSorted((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
  return [
    `# coinmetrics-api-client, as of its version ${PythonMethods.version}`,
    ...needed,
    ...(needed.length === 0 ? [] : [""]),
    "from coinmetrics.api_client import CoinMetricsClient",
    ...(hasFrame ? ["from pandas import DataFrame"] : []),
    "",
    `client = CoinMetricsClient(${root.key === "unused" ? "" : 'os.environ["SLUICE_API_KEY"]'})`,
    `records = ${call(method, params, query)}`,
    ...lines
  ].join("\n")
})

/**
 * A program on the official Python client.
 */
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

const call = (method: string, params: Readonly<Record<string, unknown>>) => {
  const given = Object.entries(params).map(([name, value]) => `${name}=${literal(value)}`)
  const line = `client.${method}(${given.join(", ")})`
  return line.length < 90 ? line : `client.${method}(\n${given.map((one) => `    ${one},\n`).join("")})`
}

/** What writes a table into a file. */
const writers: Readonly<Record<string, string>> = { csv: "to_csv", parquet: "to_parquet" }

/** How the records are written: a line each, or a file. */
const writing = Effect.fnUntraced(function* ({ count, file, format, isSingle }: Reading) {
  if (isSingle) return [[], ["print(json.dumps(records))"]] as const
  const some = count === undefined ? "records" : `islice(records, ${count})`
  const islice = count === undefined ? [] : ["from itertools import islice"]
  if (file === undefined && format.as !== "csv") {
    return [islice, [`for record in ${some}:`, "    print(json.dumps(record))"]] as const
  }
  if (format.as === "ndjson") {
    const lines = [`with open(${literal(file)}, "w") as file:`, `    for record in ${some}:`]
    return [islice, [...lines, '        file.write(json.dumps(record) + "\\n")']] as const
  }
  const writer = writers[format.as]
  if (writer === undefined) {
    return yield* refuse(`its client writes no ${format.as}`, "Name csv, ndjson or parquet with --format.")
  }
  const table = count === undefined ? "records.to_dataframe()" : `DataFrame(${some})`
  const to = file === undefined ? "sys.stdout" : literal(file)
  const pandas = count === undefined ? [] : ["from pandas import DataFrame"]
  return [[...islice, ...pandas], [`${table}.${writer}(${to}, index=False)`]] as const
})

/** Writes the program. */
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
  const [imports, lines] = yield* writing(reading)
  const body = lines.join("\n")
  const needed = [
    ...(body.includes("json.") ? ["import json"] : []),
    ...(root.key === "unused" ? [] : ["import os"]),
    ...(body.includes("sys.") ? ["import sys"] : []),
    ...imports.filter((line) => !line.includes("pandas"))
  ]
  return [
    `# coinmetrics-api-client, as of its version ${PythonMethods.version}`,
    ...needed,
    ...(needed.length === 0 ? [] : [""]),
    "from coinmetrics.api_client import CoinMetricsClient",
    ...imports.filter((line) => line.includes("pandas")),
    "",
    `client = CoinMetricsClient(${root.key === "unused" ? "" : 'os.environ["SLUICE_API_KEY"]'})`,
    `records = ${call(method, { ...params, ...query })}`,
    body
  ].join("\n")
})

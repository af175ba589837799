/**
 * `sluice get --as-url` and `--as-code`: the first request, or a program that reads the same. Sends nothing.
 */
import { type Entry, singleEntries } from "@sluice/core/Endpoints"
import * as Params from "@sluice/core/Params"
import type * as Format from "@sluice/files/Format"
import * as Effect from "effect/Effect"
import * as Reading from "../../endpoints/Reading.ts"
import * as GlobalFlags from "../../settings/GlobalFlags.ts"
import * as OutputFile from "../../terminal/OutputFile.ts"
import { Screen } from "../../terminal/Screen.ts"
import type { GetInput } from "../flags/Flags.ts"
import * as FirstRequest from "./FirstRequest.ts"
import * as Python from "./Python.ts"
import { NotAsCode, type Reading as Read } from "./Reading.ts"
import * as Sql from "./Sql.ts"
import * as TypeScript from "./TypeScript.ts"

/** Prints the URL or the program. `named` is the format that the name of the file says. */
export const run = Effect.fnUntraced(function* (
  input: GetInput,
  entry: Entry,
  given: Readonly<Record<string, unknown>>,
  named: Format.Name | undefined
) {
  const { asCode, query } = input
  const reason = misuse(input)
  if (reason !== undefined) {
    return yield* new NotAsCode({
      language: asCode === undefined ? "a URL" : languages[asCode],
      reason,
      next: "`sluice get --help` has examples."
    })
  }
  const { endpoint } = entry
  const { count, params } = Reading.limited(endpoint, input.limit, given)
  const { root, url } = yield* FirstRequest.of(endpoint, params, query, count)
  if (asCode === undefined) return yield* printUrl(url, root.key !== "unused")
  const file = OutputFile.of(input.output)
  const { as, ...options } = input.format
  const read: Read = {
    entry,
    isSingle: singleEntries.some((one) => one.endpoint.path === endpoint.path),
    params: listed(entry, params),
    query,
    count,
    root,
    format: {
      ...known(options),
      as: as === undefined || as === "table" ? (named ?? "ndjson") : as,
      ...compressionOf(file)
    },
    file,
    url
  }
  const { print } = yield* Screen
  if (asCode === "ts") return yield* print(TypeScript.print(read))
  return yield* print(yield* asCode === "python" ? Python.print(read) : Sql.print(read, commandOf(input, read)))
})

const languages = { ts: "TypeScript", python: "Python", sql: "SQL" }

const misuse = ({ asCode, asOf, asUrl, from, offline }: GetInput): string | undefined => {
  if (from !== undefined || offline || asOf !== undefined) return "--from, --offline and --as-of read a dataset"
  return asUrl && asCode !== undefined ? "--as-url and --as-code exclude each other" : undefined
}

const known = <A extends object>(options: A) =>
  // Type boundary: options that are undefined are left out, which changes no type of the others.
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Partial<A>

const compressionOf = (file: string | undefined) => {
  if (file?.endsWith(".gz") === true) return { compression: "gzip" } as const
  return file?.endsWith(".zst") === true ? ({ compression: "zstd" } as const) : {}
}

/** Lists as arrays: what a flag takes is text with commas. */
const listed = ({ endpoint }: Entry, params: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name,
      endpoint.parameters.get(name)?.isList === true ? Params.items(value) : value
    ])
  )

const printUrl = Effect.fnUntraced(function* (url: string, takesKey: boolean) {
  const { err, print, say } = yield* Screen
  if (yield* GlobalFlags.Json) return yield* print(JSON.stringify({ url, takesKey }))
  yield* print(url)
  if (!takesKey) return
  const separator = url.includes("?") ? "&" : "?"
  yield* say(`${err.style.dim(`The key is left out: add ${separator}api_key= and the key to send it.`)}\n`)
})

/** A word as a shell reads it. */
const quoted = (word: string) => (/^[\w./:,@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)

/** The command that writes the file of a query. */
const commandOf = ({ format, limit, query }: GetInput, { entry, file, params }: Read): string => {
  const { as, columns, compression, decimal, numbers, statusColumns } = format
  const path = entry.endpoint.path.slice(1)
  const flags: ReadonlyArray<readonly [name: string, value: unknown]> = [
    ...Object.entries(params),
    ...Object.entries(query).map(([name, value]) => ["query", `${name}=${value}`] as const),
    ["limit", limit],
    ["format", as === "table" ? undefined : as],
    ["compression", compression],
    ["numbers", numbers],
    ["decimal", decimal && `${decimal.precision},${decimal.scale}`],
    ["columns", columns],
    ["status-columns", statusColumns],
    ["output", file ?? `${path.split("/").at(-1)}.parquet`]
  ]
  const words = flags.flatMap(([name, value]) => {
    // The limit says it.
    if (value === undefined || (name === "page_size" && limit !== undefined)) return []
    if (typeof value === "boolean") return [value ? `--${name}` : `--no-${name}`]
    return [`--${name}`, quoted(Array.isArray(value) ? value.join(",") : String(value))]
  })
  return ["sluice", "get", path, ...words].join(" ")
}

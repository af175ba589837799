/** `sluice get --as-url` and `--as-code`: the first request, or a program that reads the same. Sends nothing. */
import { type Entry, singleEntries } from "@sluice/core/Endpoints"
import * as Params from "@sluice/core/Params"
import * as Format from "@sluice/files/Format"
import * as Effect from "effect/Effect"
import * as Reading from "../../endpoints/Reading.ts"
import * as GlobalFlags from "../../settings/GlobalFlags.ts"
import { Screen } from "../../terminal/Screen.ts"
import { areHeld, type GetInput } from "../flags/Flags.ts"
import * as Python from "./Python.ts"
import { NotAsCode, type Reading as Read } from "./Reading.ts"
import * as Sql from "./Sql.ts"
import * as TypeScript from "./TypeScript.ts"
import * as Account from "@sluice/core/Account"
import * as Client from "@sluice/core/Client"
import type * as Endpoint from "@sluice/core/Endpoint"
import * as Retry from "@sluice/core/Retry"
import * as Root from "@sluice/core/Root"
import { withPlainQuery } from "@sluice/node/internal/http/PlainQuery"
import * as Deferred from "effect/Deferred"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as UrlParams from "effect/http/UrlParams"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as Settings from "../../settings/Settings.ts"

/** What the flags and the name of the file say of where records go. */
export interface Said {
  readonly as: Format.Name | "table" | undefined
  readonly compression: Format.Compression | undefined
  /** Absent for standard output. */
  readonly file: string | undefined
}

export const run = Effect.fnUntraced(function* (
  input: GetInput,
  entry: Entry,
  given: Readonly<Record<string, unknown>>,
  said: Said
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
  const { root, url } = yield* firstRequest(endpoint, params, query, count)
  if (asCode === undefined) return yield* printUrl(url, root.key !== "unused")
  // A table is text for a screen, and a program writes records.
  const named = said.as === "table" ? undefined : said.as
  const { as: _, compression: __, ...others } = input.format
  const options = known(others)
  const isSql = asCode === "sql"
  const isServed =
    isSql &&
    said.file === undefined &&
    (named ?? "ndjson") === "ndjson" &&
    Object.keys(options).length === 0 &&
    said.compression === undefined &&
    Sql.isServed({ count, root, url })
  const as = named ?? (isSql && said.file === undefined && !isServed ? "parquet" : "ndjson")
  const format: Format.Options = { ...options, as, ...known({ compression: said.compression }) }
  // Refuses what `get` refuses.
  yield* Format.encode(endpoint, params, format)
  const read: Read = {
    entry,
    isSingle: singleEntries.some((one) => one.endpoint.path === endpoint.path),
    params: listed(entry, params),
    query,
    count,
    root,
    format,
    file: said.file ?? (isSql && !isServed ? Sql.fileOf(endpoint, format) : undefined),
    url
  }
  const { print } = yield* Screen
  if (asCode === "ts") return yield* print(TypeScript.print(read))
  if (asCode === "python") return yield* print(yield* Python.print(read))
  yield* print(yield* Sql.print(read, yield* commandOf(input, entry, listed(entry, given), read.file)))
})

/** Without the key. */
const urlOf = ({ url, urlParams }: HttpClientRequest.HttpClientRequest) => {
  const query = UrlParams.toString(UrlParams.remove(urlParams, "api_key"))
  return query === "" ? url : withPlainQuery(`${url}?${query}`)
}

/** Checks the parameters of a call, and finds its first request, which is not sent. */
const firstRequest = Effect.fnUntraced(function* (
  endpoint: Endpoint.Any,
  params: Readonly<Record<string, unknown>>,
  query: Readonly<Record<string, string>>,
  count: number | undefined
) {
  const { deprecated, root: named } = yield* Effect.provide(Account.fromConfig(), Settings.layer)
  const root = yield* Root.make(named ?? Root.paid)
  const seen = yield* Deferred.make<string>()
  const http = HttpClient.make((request) => Effect.andThen(Deferred.succeed(seen, urlOf(request)), Effect.never))
  // Such a root has no account without a key. This one is not sent.
  const apiKey = root.key === "required" ? Redacted.make("unsent") : undefined
  const sent = Stream.runDrain(Reading.read(endpoint, params, { query }, count))
  const url = yield* Effect.raceFirst(Deferred.await(seen), Effect.andThen(sent, noRequest)).pipe(
    Effect.provide(Client.layer({ root, deprecated, apiKey, retry: Retry.make({ times: 0 }) })),
    Effect.provideService(HttpClient.HttpClient, http)
  )
  return { url, root }
})

const noRequest = new NotAsCode({ language: "a URL", reason: "it needs no request", next: "Leave --as-url out." })

const languages = { ts: "TypeScript", python: "Python", sql: "SQL" }

const misuse = (input: GetInput): string | undefined => {
  const { asCode, asUrl } = input
  if (areHeld(input)) return "--from, --table, --cache, --offline, --max-age and --as-of read a dataset"
  return asUrl && asCode !== undefined ? "--as-url and --as-code exclude each other" : undefined
}

const known = <A extends object>(options: A) =>
  // Type boundary: options that are undefined are left out, which changes no type of the others.
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Partial<A>

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

/** A character that ends a line, that nobody sees, or that changes the direction of a line. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

const escape = (character: string) =>
  character === "\n"
    ? "\\n"
    : [...new TextEncoder().encode(character)].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("")

/** A word as a shell reads it, on one line. */
const quoted = (word: string) => {
  if (/^[\w./:,@%+-][\w./:,@%+=-]*$/.test(word)) return word
  if (!unseen.test(word)) return `'${word.replaceAll("'", "'\\''")}'`
  return `$'${word.replaceAll(/[\\']/g, "\\$&").replaceAll(new RegExp(unseen, "gu"), escape)}'`
}

/** The command that writes the file of a query. The key is left out, and what the environment says. */
const commandOf = Effect.fnUntraced(function* (
  { format, limit, query }: GetInput,
  entry: Entry,
  given: Readonly<Record<string, unknown>>,
  file: string | undefined
) {
  const { as, columns, compression, decimal, guardFormulas, numbers, statusColumns, times } = format
  const flags: ReadonlyArray<readonly [name: string, value: unknown]> = [
    ...Object.entries(given),
    ...Object.entries(query).map(([name, value]) => ["query", `${name}=${value}`] as const),
    ["limit", limit],
    ["format", as === "table" ? undefined : as],
    ["compression", compression],
    ["numbers", numbers],
    ["decimal", decimal && `${decimal.precision},${decimal.scale}`],
    ["times", times],
    ["columns", columns],
    ["status-columns", statusColumns],
    ["guard-formulas", guardFormulas],
    ["root", yield* GlobalFlags.Root],
    ["config", yield* GlobalFlags.ConfigFile],
    ["output", file]
  ]
  const words = flags.flatMap(([name, value]) => {
    if (value === undefined) return []
    if (typeof value === "boolean") return [value ? `--${name}` : `--no-${name}`]
    const text = Array.isArray(value) ? value.join(",") : String(value)
    // It would be read as a flag.
    return text.startsWith("-") ? [`--${name}=${quoted(text)}`] : [`--${name}`, quoted(text)]
  })
  return ["sluice", "get", quoted(entry.endpoint.path.slice(1)), ...words].join(" ")
})

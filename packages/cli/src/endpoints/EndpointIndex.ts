/**
 * Finds endpoints by path, with or without the leading slash, or by name in a program.
 */
import * as Endpoint from "@sluice/core/Endpoint"
import { type Entry, entries as lists, singleEntries } from "@sluice/core/Endpoints"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { nearest } from "./Nearest.ts"

/** An endpoint with the names it is exported under. */
export type { Entry } from "@sluice/core/Endpoints"

// One record is read as a list of one.
const entries: ReadonlyArray<Entry> = [
  ...lists,
  ...singleEntries.map((entry) => ({ ...entry, endpoint: Endpoint.fromSingle(entry.endpoint) }))
]

/** No endpoint has this path or name. */
export class UnknownEndpoint extends Schema.TaggedError<UnknownEndpoint>()("UnknownEndpoint", {
  name: Schema.String,
  /** Similar paths. */
  suggestions: Schema.Array(Schema.String)
}) {
  override get message() {
    const [first, ...more] = this.suggestions
    const meant =
      first === undefined ? "" : `; did you mean ${[first, ...more].map((path) => JSON.stringify(path)).join(" or ")}?`
    return `there is no endpoint ${JSON.stringify(this.name)}${meant}`
  }
}

/** The path without the leading slash, as it is typed. */
export const pathOf = ({ endpoint }: Entry): string => endpoint.path.slice(1)

/** The name as it is called in a program. */
export const nameOf = ({ name, section }: Entry): string => `${section}.${name}`

const known = new Map(
  entries.flatMap((entry) => [[pathOf(entry), entry] as const, [nameOf(entry).toLowerCase(), entry] as const])
)

/** Every endpoint, deprecated ones last. */
export const all: ReadonlyArray<Entry> = entries.toSorted(
  (a, b) => Number(a.endpoint.deprecated !== undefined) - Number(b.endpoint.deprecated !== undefined)
)

/** The endpoint of this path or name, if there is one. */
export const find = (text: string): Entry | undefined =>
  known.get(
    text
      .trim()
      .replace(/^\/|\/$/g, "")
      .toLowerCase()
  )

/** The endpoint of this path or name. Fails with similar paths. */
export const get = (text: string): Effect.Effect<Entry, UnknownEndpoint> => {
  const found = find(text)
  return found === undefined
    ? Effect.fail(new UnknownEndpoint({ name: text, suggestions: suggest(text) }))
    : Effect.succeed(found)
}

const suggest = (text: string) =>
  nearest(
    text.replace(/^\//, "").replaceAll("_", "-"),
    all.map((entry) => ({
      value: pathOf(entry),
      names: [pathOf(entry), nameOf(entry), entry.name, pathOf(entry).split("/").at(-1) ?? ""]
    }))
  )

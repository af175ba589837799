/** Finds endpoints by path, with or without the leading slash, or by name in a program. */
import * as Endpoint from "@sluice/core/Endpoint"
import {
  type Entry,
  entries as lists,
  type JobEntry,
  jobEntries,
  type LiveEntry,
  liveEntries,
  singleEntries
} from "@sluice/core/Endpoints"
import { nearest } from "@sluice/core/Nearest"
import * as PlainText from "@sluice/core/PlainText"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { among, meant } from "./Nearest.ts"

/** An endpoint, a job or a live operation, with the names it is exported under. */
export type { Entry, JobEntry, LiveEntry } from "@sluice/core/Endpoints"

// One record is read as a list of one.
const entries: ReadonlyArray<Entry> = [
  ...lists,
  ...singleEntries.map((entry) => ({ ...entry, endpoint: Endpoint.fromSingle(entry.endpoint) }))
]

export class UnknownEndpoint extends Schema.TaggedError<UnknownEndpoint>()("UnknownEndpoint", {
  name: Schema.String,
  suggestions: Schema.Array(Schema.String),
  /** Path of the live stream that has this name, where an endpoint was expected. */
  live: Schema.optional(Schema.String),
  /** Path of the endpoint that has this name, where a live stream was expected. */
  pages: Schema.optional(Schema.String),
  /** The path and its flags, where names stand in the path. */
  filled: Schema.optional(Schema.String),
  /** Whether it is the folder of a dataset. */
  isDataset: Schema.optional(Schema.Boolean)
}) {
  override get message() {
    if (this.isDataset === true) return `${JSON.stringify(this.name)} is the folder of a dataset, and not an endpoint`
    if (this.live !== undefined) return `${JSON.stringify(this.live)} is a live stream, which has no pages to read`
    if (this.filled !== undefined) return `${JSON.stringify(this.name)} has names in it that are flags`
    const what =
      this.pages === undefined
        ? `there is no endpoint ${PlainText.quoted(this.name)}`
        : `${JSON.stringify(this.pages)} is not a live stream`
    return what + meant(this.suggestions)
  }
}

export type AnyEntry = Entry | LiveEntry | JobEntry

/** The path without the leading slash, as it is typed. */
export const pathOf = ({ endpoint }: AnyEntry): string => endpoint.path.slice(1)

/** The name as it is called in a program. */
export const nameOf = ({ name, section }: AnyEntry): string => `${section}.${name}`

const pathIf = (entry: AnyEntry | undefined) => (entry === undefined ? undefined : pathOf(entry))

const named = <E extends AnyEntry>(entries: ReadonlyArray<E>): ReadonlyMap<string, E> =>
  new Map(entries.flatMap((entry) => [[pathOf(entry), entry] as const, [nameOf(entry).toLowerCase(), entry] as const]))

const known = named(entries)

const knownLive = named(liveEntries)

const knownJobs = named(jobEntries)

/** Every endpoint, deprecated ones last. */
export const all: ReadonlyArray<Entry> = entries.toSorted(
  (a, b) => Number(a.endpoint.deprecated !== undefined) - Number(b.endpoint.deprecated !== undefined)
)

export const live: ReadonlyArray<LiveEntry> = liveEntries

const trimmed = (text: string) => text.trim().replace(/^\/|\/$/g, "")

const spelled = (text: string) => trimmed(text).toLowerCase()

export const find = (text: string): Entry | undefined => known.get(spelled(text))

export const findLive = (text: string): LiveEntry | undefined => knownLive.get(spelled(text))

/** The word for what a job computes: the last part of its path. */
const kindOf = ({ endpoint }: JobEntry): string => endpoint.path.replace(/^.*\//, "")

/** Every job, by what it computes. */
export const jobs: ReadonlyMap<string, JobEntry> = new Map(jobEntries.map((entry) => [kindOf(entry), entry]))

/**
 * What the last part of a path names, such as `asset-metrics`: a time series, or else what is alone with it among those that are not
 * deprecated.
 */
const short = <E extends AnyEntry>(entries: ReadonlyArray<E>): ReadonlyMap<string, E> => {
  const current = entries.filter(({ endpoint }) => endpoint.deprecated === undefined)
  const byEnd = Map.groupBy(current, (entry) => pathOf(entry).replace(/^.*\//, ""))
  const series = ([...byEnd] as const).flatMap(([end, alike]) => {
    const found = alike.length === 1 ? alike[0] : alike.find((entry) => pathOf(entry).startsWith("timeseries/"))
    return found === undefined ? [] : [[end, found] as const]
  })
  return new Map(series)
}

/** Endpoints by what is short for their paths. */
export const shortOf: ReadonlyMap<string, Entry> = short(entries)

/** Live operations by what is short for their paths. */
export const shortOfLive: ReadonlyMap<string, LiveEntry> = short(liveEntries)

/** The endpoint or live operation of this path or name, if there is one. */
export const findRead = (text: string): Entry | LiveEntry | undefined => find(text) ?? findLive(text)

/** The endpoint, live operation or job of this path or name, if there is one. */
export const findAny = (text: string): AnyEntry | undefined => findRead(text) ?? knownJobs.get(spelled(text))

type Get<E> = (text: string) => Effect.Effect<E, UnknownEndpoint>

/** Gives what a text names by its path, its name or the last part of its path. Fails with similar paths, and with what else is known. */
const getter =
  <E extends AnyEntry>(
    find: (text: string) => E | undefined,
    short: ReadonlyMap<string, E>,
    entries: ReadonlyArray<E>,
    others: (text: string) => Partial<UnknownEndpoint> = (text) => ({ filled: filledBy(text) })
  ): Get<E> =>
  (text) => {
    const found = find(text) ?? short.get(spelled(text))
    return found === undefined
      ? Effect.fail(new UnknownEndpoint({ name: text, suggestions: suggest(text, entries), ...others(text) }))
      : Effect.succeed(found)
  }

export const get = getter(find, shortOf, all, (text) => ({ live: pathIf(findLive(text)), filled: filledBy(text) }))

/** The same for a command that takes these words in the place of an endpoint. A word that is similar is suggested. */
export const getBeside =
  (words: ReadonlyArray<string>): Get<Entry> =>
  (text) => {
    const suggestions = among(text, words)
    return Effect.mapError(get(text), (error) =>
      suggestions.length === 0 ? error : new UnknownEndpoint({ name: text, suggestions })
    )
  }

export const getLive = getter(findLive, shortOfLive, live, (text) => ({ pages: pathIf(find(text)) }))

export const getRead = getter<Entry | LiveEntry>(findRead, shortOf, [...all, ...live])

export const getAny = getter<AnyEntry>(findAny, shortOf, [...all, ...live, ...jobEntries])

/** A part of a path without its escapes. */
const unescaped = (part: string) => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** The endpoint of a path, in which names such as `btc` may stand in the place of parameters; with these names. */
export const findPath = (
  text: string
): { readonly entry: Entry; readonly names: ReadonlyArray<readonly [name: string, value: string]> } | undefined => {
  const plain = find(text)
  if (plain !== undefined) return { entry: plain, names: [] }
  const words = trimmed(text).split("/")
  for (const entry of all) {
    const parts = pathOf(entry).split("/")
    const isSame = (part: string, index: number) => part.startsWith("{") || part === words[index]?.toLowerCase()
    if (parts.length !== words.length || !parts.every(isSame)) continue
    const names = parts.flatMap((part, index) =>
      part.startsWith("{") ? [[part.slice(1, -1), unescaped(words[index] ?? "")] as const] : []
    )
    return { entry, names }
  }
  return undefined
}

/** How a path with names in it, such as `blockchain-v2/btc/blocks`, is written: the names are flags. */
const filledBy = (text: string): string | undefined => {
  const found = findPath(text)
  if (found === undefined || found.names.length === 0) return undefined
  return [pathOf(found.entry), ...found.names.map(([name, value]) => `--${name} ${value}`)].join(" ")
}

/** Without what a URL has before the path of an endpoint, and behind it. */
const withoutRoot = (text: string) =>
  text
    .trim()
    .replace(/^https?:\/\/[^/]*/i, "")
    .replace(/[?#].*$/s, "")
    .replace(/^\/?(?:v\d+\/)?|\/$/gi, "")

const suggest = (text: string, entries: ReadonlyArray<AnyEntry>) =>
  nearest(
    withoutRoot(text).replaceAll("_", "-"),
    entries.map((entry) => ({
      value: pathOf(entry),
      names: [pathOf(entry), nameOf(entry), entry.name, pathOf(entry).split("/").at(-1) ?? ""]
    }))
  )

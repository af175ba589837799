/**
 * A URL of the service in the place of an endpoint, as it stands in other programs and in pages, also without its host: its path names the
 * endpoint, its query the parameters. It says nothing else: root, key and files are those of the settings and the flags.
 */
import { harmless } from "@sluice/core/PlainText"
import { community, paid } from "@sluice/core/Root"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as EndpointIndex from "../endpoints/EndpointIndex.ts"
import { among, meant } from "../endpoints/Nearest.ts"

/** A pasted URL does not stand for a request of the service. */
export class BadUrl extends Data.TaggedError("BadUrl")<{
  readonly message: string
  /** The root of a service that Sluice does not know: no key is sent to it for a pasted address alone. */
  readonly root?: string
}> {}

/** With a host, or as a path with a version or a query. */
const isUrl = (word: string) => /^(?:https?:\/\/|\/?(?:community\/)?v\d+\/|[/\w{}.-]+\?)/i.test(word)

/** The host of a path that has none. */
const nowhere = "http://nowhere.invalid"

/** The root of a path that begins as those of the community root of the stand-in. */
const nowhereCommunity = `${nowhere}/community/v4`

/** A URL, with a host in any case. */
const parsed = (text: string) => URL.parse(text.replace(/^(?!https?:)\/?/i, `${nowhere}/`))

/** The root of a URL, and the path behind it: a version ends the root. */
const divided = ({ origin, pathname }: URL) => {
  const [, base = "", rest = pathname] = /^(.*?\/v\d+)(\/.*)$/.exec(pathname) ?? []
  return { root: origin + base, path: rest }
}

/** The flags that words have, however they are spelled. */
const flagsIn = (words: ReadonlyArray<string>): ReadonlySet<string> =>
  new Set(words.flatMap((word) => /^--(?:no-)?([^=]+)/.exec(word)?.[1]?.replaceAll("-", "_") ?? []))

export interface Known {
  /** The root of the environment, as a URL or by its name. */
  readonly root: string | undefined
  readonly takesParameters: boolean
}

/**
 * Writes the words that a pasted URL stands for in its place; what is given beside it counts more. The words as they are where there is
 * none, or where its path is that of no endpoint. A key in the URL is left out.
 */
export const expanded = (
  words: ReadonlyArray<string>,
  candidates: ReadonlyArray<string>,
  { root: configured, takesParameters }: Known
): Result.Result<ReadonlyArray<string>, BadUrl> => {
  const text = candidates.find(isUrl)
  const url = text === undefined ? null : parsed(text)
  if (text === undefined || url === null) return Result.succeed(words)
  const put = (others: ReadonlyArray<string>) => words.flatMap((word) => (word === text ? others : [word]))
  const { path, root } = divided(url)
  const isPath = url.origin === nowhere
  const short = isPath ? EndpointIndex.shortOf.get(path.slice(1)) : undefined
  const found = EndpointIndex.findPath(path) ?? (short && { entry: short, names: [] })
  // It may be the name of a file.
  if (found === undefined && isPath) return Result.succeed(words)
  // The address without its query, which may have a key.
  if (found === undefined) return Result.succeed(put([url.origin + url.pathname]))
  const given = flagsIn(words)
  if (!isPath && ![paid.url, community.url, configured].includes(root) && !given.has("root")) {
    return Result.fail(new BadUrl({ message: `the URL is of ${root}, where no key is sent to unasked`, root }))
  }
  const path_ = EndpointIndex.pathOf(found.entry)
  if (!takesParameters) return Result.succeed(put([path_]))
  const values = new Map<string, string>(found.names)
  for (const name of url.searchParams.keys()) values.set(name, url.searchParams.getAll(name).join(","))
  // How a reply is written is the business of the client.
  for (const name of ["api_key", "format", "pretty"]) values.delete(name)
  const known = [...found.entry.endpoint.parameters.keys()]
  const unknown = [...values.keys()].find((name) => !known.includes(name))
  if (unknown !== undefined) {
    const like = meant(among(unknown, known))
    return Result.fail(new BadUrl({ message: `${path_} has no parameter ${harmless(JSON.stringify(unknown))}${like}` }))
  }
  const flags = [...values].filter(([name]) => !given.has(name)).map(([name, value]) => `--${name}=${value}`)
  const isCommunity = [community.url, nowhereCommunity].includes(root) && configured === undefined && !given.has("root")
  return Result.succeed([...put([path_]), ...flags, ...(isCommunity ? ["--root=community"] : [])])
}

/** The same, as an effect. Says that a key in the URL is left out. */
export const expand = Effect.fnUntraced(function* (...given: Parameters<typeof expanded>) {
  const [words, candidates] = given
  const written = yield* Effect.fromResult(expanded(...given))
  const hasKey = candidates.some((word) => isUrl(word) && parsed(word)?.searchParams.has("api_key"))
  if (hasKey && written !== words) {
    yield* Effect.logWarning(
      "the api_key of the URL is not used: the key comes from SLUICE_API_KEY, or from api_key in the config file"
    )
  }
  return written
})

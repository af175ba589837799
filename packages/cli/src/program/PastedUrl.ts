/**
 * A URL of the service in the place of an endpoint, as it stands in other programs and in pages: its path names the endpoint, its query
 * the parameters.
 */
import { community, paid } from "@sluice/core/Root"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as EndpointIndex from "../endpoints/EndpointIndex.ts"

/** A URL of a service that is none of those that Sluice knows: no key is sent to it for a pasted address alone. */
export class ForeignUrl extends Data.TaggedError("ForeignUrl")<{ readonly root: string }> {
  override get message() {
    return `the URL is of ${this.root}, where no key is sent to unasked`
  }
}

const isUrl = (word: string) => /^https?:\/\//i.test(word)

/** The root of a URL, and the path behind it: a version ends the root. */
const divided = ({ origin, pathname }: URL) => {
  const [, base = "", rest = pathname] = /^(.*?\/v\d+)(\/.*)$/.exec(pathname) ?? []
  return { root: origin + base, path: rest }
}

const flagOf = (name: string) => `--${name}`

/** Whether words have a flag. */
const has = (words: ReadonlyArray<string>, name: string) =>
  words.some((word) => word === flagOf(name) || word.startsWith(`${flagOf(name)}=`))

/**
 * Writes the words that a pasted URL stands for in its place; what is given beside it counts more, and so does the root of the settings.
 * The words as they are where there is none, or where its path is that of no endpoint.
 */
export const expanded = (
  words: ReadonlyArray<string>,
  candidates: ReadonlyArray<string>,
  configured: string | undefined,
  takesFlags: boolean
): Result.Result<ReadonlyArray<string>, ForeignUrl> => {
  const text = candidates.find(isUrl)
  const url = text === undefined ? null : URL.parse(text)
  if (text === undefined || url === null) return Result.succeed(words)
  const { path, root } = divided(url)
  const found = EndpointIndex.findPath(path)
  const others = words.filter((word) => word !== text)
  // The address without its query, which may have a key.
  if (found === undefined)
    return Result.succeed(words.map((word) => (word === text ? url.origin + url.pathname : word)))
  const isOwn = root === paid.url || root === configured || has(words, "root")
  if (!isOwn && root !== community.url) return Result.fail(new ForeignUrl({ root }))
  const given = new Map<string, string>(found.names)
  for (const name of new Set(url.searchParams.keys())) given.set(name, url.searchParams.getAll(name).join(","))
  const key = given.get("api_key")
  given.delete("api_key")
  const flags = [...given].filter(([name]) => !has(words, name)).map(([name, value]) => `${flagOf(name)}=${value}`)
  // A key goes to the root of its URL alone.
  const isSame = !has(words, "root") && (configured ?? root) === root
  const hasKey = has(words, "api-key") || has(words, "api_key")
  const settings = [
    ...(isSame && root === community.url ? ["--root=community"] : []),
    ...(isSame && key !== undefined && !hasKey ? [`--api-key=${key}`] : [])
  ]
  const at = words.indexOf(text)
  if (!takesFlags) return Result.succeed([...others.slice(0, at), found.path, ...others.slice(at)])
  return Result.succeed([...others.slice(0, at), found.path, ...others.slice(at), ...flags, ...settings])
}

/** The same, as an effect. */
export const expand = (...given: Parameters<typeof expanded>) => Effect.fromResult(expanded(...given))

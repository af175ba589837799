/** Where the service is reached: one of the three published roots, or a URL of your own. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { Misconfigured } from "./ApiError.ts"
import { quoted } from "./PlainText.ts"

/** Root address of the service, without a trailing slash (docs/interface.md 1). */
export interface Root {
  /** Absolute URL; its path usually ends in the version, `/v4`. */
  readonly url: string
  /** Whether the client may be built without an API key. */
  readonly key: "required" | "optional" | "unused"
}

/** The paid HTTP API. Needs a key. */
export const paid: Root = { url: "https://api.coinmetrics.io/v4", key: "required" }

/** The community HTTP API. Needs no key, offers community data only, allows 10 requests per 6 seconds and address. */
export const community: Root = { url: "https://community-api.coinmetrics.io/v4", key: "unused" }

/**
 * The paid WebSocket API.
 *
 * **Gotchas**
 *
 * The HTTP client refuses it, because it is no http(s) URL.
 */
export const websocket: Root = { url: "wss://api.coinmetrics.io/v4", key: "required" }

/** A root: a preset, text of a URL, or a `URL`. */
export type Input = Root | URL | string

/**
 * Checks a root and strips its trailing slash. With a URL of your own, the key is optional.
 *
 * **Details**
 *
 * Fails with {@link Misconfigured} when the text is no absolute URL, is not http or https, or carries credentials, a
 * query or a fragment, which would end up in every request.
 */
export const make: (input: Input) => Effect.Effect<Root, Misconfigured> = Effect.fnUntraced(function* (input: Input) {
  const root = isRoot(input) ? input : undefined
  const given = root?.url ?? String(input)
  const url = URL.parse(given)
  if (url === null) return yield* invalid(`${quoted(given)} is not an absolute URL`)
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return yield* invalid(`a root begins with http: or https:, not ${url.protocol}`)
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    return yield* invalid(`the URL of ${url.host} must have no credentials, query or fragment`)
  }
  const stripped = strip(url.href)
  const preset = presets.find((preset) => preset.url === stripped)
  return { url: stripped, key: (root ?? preset)?.key ?? "optional" } satisfies Root
})

/** Whether a root is on this machine, so that requests cross no network. */
export const isLocal = ({ url }: Root): boolean => {
  const { hostname } = new URL(url)
  return /^(?:(?:.+\.)?localhost\.?|127(?:\.\d+){3}|\[::1\])$/.test(hostname)
}

const invalid = (reason: string) => new Misconfigured({ setting: "root", reason })

const presets = [paid, community]

const isRoot = (input: Input): input is Root => !Predicate.isString(input) && !(input instanceof URL)

const strip = (href: string) => href.replace(/\/+$/, "")

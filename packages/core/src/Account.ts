/**
 * The address of the service, the API key, and the policies that apply to every way of reading it. The HTTP client is built
 * on this, and another transport can be.
 */
import type { ConfigError } from "effect/Config"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { type Deprecated, Misconfigured } from "./ApiError.ts"
import * as Defaults from "./Defaults.ts"
import * as Environment from "./Environment.ts"
import * as KeyScrubber from "./internal/account/KeyScrubber.ts"
import { harmless } from "./PlainText.ts"
import * as Root from "./Root.ts"

/** The account that requests are sent for. */
export class Account extends Context.Service<
  Account,
  {
    readonly root: Root.Root
    /** The key to send; absent where none was given or the root uses none. */
    readonly apiKey: Redacted.Redacted | undefined
    /** Removes the key from text of the service, however it is escaped there, and makes the text safe to print. */
    readonly scrub: (text: string) => string
    /** What to do about deprecated endpoints. */
    readonly deprecated: DeprecatedPolicy
    /** Applies the deprecation policy to an endpoint that the service has announced to remove. Warns once per announcement. */
    readonly applyDeprecated: (error: Deprecated) => Effect.Effect<void, Deprecated>
  }
>()("@sluice/core/Account") {}

/** `warn` logs one warning per endpoint, `fail` fails before any request, `ignore` does nothing. */
export type DeprecatedPolicy = "warn" | "fail" | "ignore"

/** Settings of {@link layer}. */
export interface Options {
  /** Where the service is reached. Default `Root.paid`. */
  readonly root?: Root.Input | undefined
  /** The API key. The paid root needs it; the community root does not use it. */
  readonly apiKey?: Redacted.Redacted | undefined
  /** What to do about deprecated endpoints. Default {@link Defaults.deprecated}. */
  readonly deprecated?: DeprecatedPolicy | undefined
}

type Make = (options?: Options) => Effect.Effect<Account["Service"], Misconfigured>

/**
 * Builds an account. Fails with `Misconfigured` when the root is no http(s) URL, when it needs a key and none is given, or
 * when no URL can carry the key.
 */
export const make: Make = Effect.fnUntraced(function* (options: Options = {}) {
  const root = yield* Root.make(options.root ?? Root.paid)
  if (options.apiKey !== undefined && !Redacted.isRedacted(options.apiKey)) {
    return yield* refused("the key must be a Redacted: Redacted.make(key)")
  }
  const apiKey = root.key === "unused" ? undefined : trimmed(options.apiKey)
  if (apiKey !== undefined && !Redacted.value(apiKey).isWellFormed()) {
    return yield* refused("the key holds a lone surrogate")
  }
  if (root.key === "required" && apiKey === undefined) {
    return yield* refused(`${root.url} needs a key (SLUICE_API_KEY); the community root needs none`)
  }
  if (apiKey !== undefined && root.url.startsWith("http:") && !Root.isLocal(root)) {
    const { host } = new URL(root.url)
    yield* Effect.logWarning(
      `The API key goes to ${host} over http:, where everybody on the way can read it; use https:`
    )
  }
  const redact = KeyScrubber.make(apiKey)
  const deprecated = options.deprecated ?? Defaults.deprecated
  return Account.of({
    root,
    apiKey,
    scrub: (text) => harmless(redact(text)),
    deprecated,
    applyDeprecated: makePolicy(deprecated)
  })
})

/** Provides an {@link Account}. */
export const layer = (options: Options = {}): Layer.Layer<Account, Misconfigured> =>
  Layer.effect(Account, make(options))

/**
 * Provides an {@link Account} from the environment.
 *
 * **Details**
 *
 * Reads `SLUICE_BASE_URL` (a URL, `paid` or `community`; default: the paid root), `SLUICE_API_KEY` and `SLUICE_DEPRECATED`
 * (`warn`, `fail` or `ignore`). Values in `options` take precedence.
 */
export const layerConfig = (options: Options = {}): Layer.Layer<Account, Misconfigured | ConfigError> =>
  Layer.effect(Account, Effect.flatMap(fromConfig(options), make))

/** The settings {@link layerConfig} reads, for layers that build on it. */
export const fromConfig = (options: Options = {}): Effect.Effect<Options, Misconfigured | ConfigError> =>
  Effect.flatMap(environment(), (read) =>
    Effect.map(options.root === undefined ? rootOf(read.root) : Effect.succeed(options.root), (root) => ({
      root,
      apiKey: options.apiKey ?? read.apiKey,
      deprecated: options.deprecated ?? read.deprecated
    }))
  )

// A function, so that a bundler can leave it out of programs that read no environment.
const environment = () =>
  Effect.all({
    root: Environment.read("BASE_URL", "root", Environment.text),
    apiKey: Environment.read("API_KEY", "apiKey", Environment.secret),
    deprecated: Environment.read("DEPRECATED", "deprecated", Environment.word(["warn", "fail", "ignore"]))
  })

const presets: ReadonlyMap<string, Root.Root> = /* @__PURE__ */ new Map([
  ["paid", Root.paid],
  ["community", Root.community]
])

const misspelt = (reason: string) => new Misconfigured({ setting: "root", variable: "SLUICE_BASE_URL", reason })

const rootOf = (text: string | undefined): Effect.Effect<Root.Input | undefined, Misconfigured> => {
  if (text === undefined) return Effect.undefined
  const root = presets.get(text) ?? text
  // A word that begins like the name of a root, such as `comunity` or `Paid`, is that name misspelt. Any other text has
  // to be a URL.
  const [, begin = ""] = /^([a-z]{2})[a-z]*$/i.exec(text) ?? []
  const meant = begin === "" ? undefined : [...presets.keys()].find((name) => name.startsWith(begin.toLowerCase()))
  return meant === undefined || root !== text
    ? Effect.mapBoth(Root.make(root), { onFailure: ({ reason }) => misspelt(reason), onSuccess: () => root })
    : Effect.fail(misspelt(`expected a URL, paid or community; did you mean ${meant}?`))
}

const refused = (reason: string) => new Misconfigured({ setting: "apiKey", reason })

/** Keys from files and shells often end with a line feed. A blank key counts as none. */
const trimmed = (key: Redacted.Redacted | undefined) => {
  const text = key === undefined ? "" : Redacted.value(key).trim()
  return text === "" ? undefined : Redacted.make(text)
}

const makePolicy = (policy: DeprecatedPolicy): Account["Service"]["applyDeprecated"] => {
  const warned = new Set<string>()
  return (error) =>
    Effect.suspend(() => {
      if (policy === "ignore") return Effect.void
      if (policy === "fail") return Effect.fail(error)
      const { endpoint, since, sunset } = error
      // A warning without dates may have been logged before the first reply brought dates.
      const news = since === undefined && sunset === undefined ? endpoint : `${endpoint} ${since} ${sunset}`
      if (warned.has(news)) return Effect.void
      warned.add(news)
      return Effect.logWarning(error.message)
    })
}

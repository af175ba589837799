/**
 * Proxies: which there are, and connections through them.
 *
 * Every request goes through a tunnel (CONNECT), also to an http: root, so a proxy sees the host of the service and never a
 * URL, which has the key. undici opens the tunnels; its errors are renamed here, so that core can tell those of the proxy
 * from those of the service.
 */
import { Misconfigured } from "@sluice/core/ApiError"
import type * as Undici from "@effect/platform-node/Undici"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"

/** Proxies by the scheme of the root they are for. With neither, connections are direct. */
export interface Proxies {
  /** URL of the proxy for an https: root, such as `http://user:password@proxy:3128`. Default: that for http: roots. */
  readonly https?: string | Redacted.Redacted | undefined
  /** URL of the proxy for an http: root. */
  readonly http?: string | Redacted.Redacted | undefined
  /**
   * Hosts that are reached directly, separated by commas: names, which stand for their subdomains too, with or without a port,
   * or `*` for all. This machine (`localhost`, `127.0.0.1`, `::1`) always is.
   */
  readonly except?: string | undefined
}

/** The first of these variables that is set. */
const variable = Effect.fnUntraced(function* (...names: ReadonlyArray<string>) {
  for (const name of names) {
    const value = yield* Config.option(Config.NonEmptyString(name))
    if (Option.isSome(value)) return value.value
  }
  return undefined
})

/** Reads the usual variables, in small letters first, as other programs do. */
export const fromConfig = Effect.gen(function* () {
  const http = yield* variable("http_proxy", "HTTP_PROXY")
  const https = yield* variable("https_proxy", "HTTPS_PROXY")
  const proxies: Proxies = {
    http: http === undefined ? undefined : Redacted.make(http),
    https: https === undefined ? undefined : Redacted.make(https),
    except: yield* variable("no_proxy", "NO_PROXY")
  }
  return proxies
})

/** Checks the URL of a proxy. Its text is not quoted in the error, because it may hold a password. */
const urlOf = Effect.fnUntraced(function* (name: "http" | "https", given: string | Redacted.Redacted | undefined) {
  const text = (given === undefined || Predicate.isString(given) ? (given ?? "") : Redacted.value(given)).trim()
  if (text === "") return ""
  const url = URL.parse(text.includes("://") ? text : `http://${text}`)
  const isPercentEncoded = /%(?![0-9a-f]{2})/i.test(`${url?.username}${url?.password}`)
  const isOrigin = url?.pathname === "/" && url.search === "" && url.hash === ""
  if (!isOrigin || isPercentEncoded || (url.protocol !== "http:" && url.protocol !== "https:")) {
    return yield* new Misconfigured({
      setting: `proxy.${name}`,
      ...(Redacted.isRedacted(given) ? { variable: `${name.toUpperCase()}_PROXY` } : {}),
      reason: "expected the URL of a proxy that begins with http: or https:, such as http://proxy:3128, without a path"
    })
  }
  return url.href
})

/** These names of this machine are never reached through a proxy. */
const local = "localhost,127.0.0.1,::1"

/** Finds the proxy for a URL, as {@link dispatcher} does: that of its scheme, unless its host is excepted. */
export const finder = Effect.fnUntraced(function* ({ except, http, https }: Proxies) {
  const httpProxy = yield* urlOf("http", http)
  const httpsProxy = yield* urlOf("https", https)
  const excepted = [except ?? "", local]
    .join(",")
    .split(/[,\s]+/)
    .filter((entry) => entry !== "")
    .map(exceptionOf)
  return (url: URL): URL | undefined => {
    const isSecure = url.protocol === "https:" || url.protocol === "wss:"
    const proxy = isSecure && httpsProxy !== "" ? httpsProxy : httpProxy
    const host = url.hostname.replace(/^\[|\]$/g, "")
    const port = url.port === "" ? (isSecure ? "443" : "80") : url.port
    return proxy === "" || excepted.some((isFor) => isFor(host, port)) ? undefined : new URL(proxy)
  }
})

/** Reads an exception as undici does. */
const exceptionOf = (entry: string) => {
  const [, bracketed, bracketedPort] = /^\[(.+)\](?::(\d+))?$/.exec(entry) ?? []
  // More than one colon is an address.
  const [, name, namePort] = /^([^:]+):(\d+)$/.exec(entry) ?? []
  const port = bracketedPort ?? namePort
  const written = (bracketed ?? name ?? entry).toLowerCase()
  const domain = written.replace(/^\*?\./, "").replace(/(.)\.$/, "$1")
  return (host: string, at: string) =>
    (port === undefined || port === at) &&
    (written === "*" || (host === domain && !written.startsWith("*")) || host.endsWith(`.${domain}`))
}

/** Builds the connections of a client that has proxies. They close with the scope. */
export const dispatcher = (
  { except, http, https }: Proxies,
  options: Undici.Agent.Options & { readonly connect: { readonly timeout: number; readonly ca?: Array<string> } }
): Effect.Effect<Undici.Dispatcher, Misconfigured, Scope.Scope> =>
  Effect.gen(function* () {
    const httpProxy = yield* urlOf("http", http)
    const httpsProxy = yield* urlOf("https", https)
    // Loaded when it is needed, as Effect does.
    const { EnvHttpProxyAgent, Pool } = yield* Effect.promise(() => import("@effect/platform-node/Undici"))
    const { ca, timeout } = options.connect
    const tls = ca === undefined ? {} : { ca }
    return yield* Effect.acquireRelease(
      Effect.sync(
        () =>
          new EnvHttpProxyAgent({
            ...options,
            // Empty text, unlike undefined, keeps undici from reading the environment.
            httpProxy,
            httpsProxy,
            noProxy: [except ?? "", local].join(","),
            proxyTunnel: true,
            connectTimeout: timeout,
            proxyTls: { ...tls, timeout },
            requestTls: { ...tls, timeout },
            clientFactory: (origin, settings) =>
              new Pool(origin, { ...settings, headersTimeout: timeout }).compose(renaming)
          })
      ),
      (agent) => Effect.promise(() => agent.destroy())
    )
  })

/** Renames the errors of requests to the proxy itself: `SLUICE_PROXY_` and the code, or the status of its refusal. */
const renaming: Undici.Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) =>
  dispatch(options, {
    onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
    onRequestUpgrade: (controller, status, headers, socket) => {
      const isOpen = status >= 200 && status < 300
      // Nothing was sent to the service yet, so what follows the head comes from no service. undici would close such a
      // tunnel and ask for another at once, without end.
      const isTalking = socket.readableLength > 0
      if (isOpen && !isTalking) return handler.onRequestUpgrade?.(controller, status, headers, socket)
      socket.on("error", () => {}).destroy()
      return handler.onResponseError?.(controller, proxyError(isOpen ? "HPE_BYTES_AFTER_HEAD" : String(status)))
    },
    onResponseStart: (...head) => handler.onResponseStart?.(...head),
    onResponseData: (...data) => handler.onResponseData?.(...data),
    onResponseEnd: (...end) => handler.onResponseEnd?.(...end),
    onResponseError: (controller, error) =>
      handler.onResponseError?.(controller, proxyError("code" in error ? String(error.code) : "FAILED"))
  })

/** The error of a proxy. What it was made of is dropped: it may hold the headers of the request, and they the password. */
export const proxyError = (code: string) =>
  Object.assign(new Error("the proxy could not be used"), { code: `SLUICE_PROXY_${code}` })

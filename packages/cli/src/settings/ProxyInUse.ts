/** The proxy that requests to a root go through. */
import * as Root from "@sluice/core/Root"
import * as NodeClient from "@sluice/node/NodeClient"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

const first = Effect.fnUntraced(function* (...names: ReadonlyArray<string>) {
  for (const name of names) {
    const value = yield* Effect.orDie(Config.option(Config.NonEmptyString(name)))
    if (Option.isSome(value)) return { name, value: value.value }
  }
  return undefined
})

/** Says which proxy is used, or why none is. A proxy's password is not shown. */
export const of = Effect.fnUntraced(function* (root: string) {
  const url = new URL(root)
  const https = url.protocol === "https:" ? ["https_proxy", "HTTPS_PROXY"] : []
  const proxy = yield* first(...https, "http_proxy", "HTTP_PROXY")
  if (proxy === undefined) return "none"
  if (Root.isLocal({ url: root, key: "optional" })) return "none: this machine is reached directly"
  const used = yield* NodeClient.proxyFor(url)
  if (used !== undefined) return `${used.host}, from ${proxy.name}`
  const except = yield* first("no_proxy", "NO_PROXY")
  return except === undefined ? "none" : `none: ${except.name} has ${url.hostname}`
})

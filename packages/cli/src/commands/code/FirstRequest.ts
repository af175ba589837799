/**
 * The first request of a call, which is not sent.
 */
import * as Account from "@sluice/core/Account"
import * as Client from "@sluice/core/Client"
import type * as Endpoint from "@sluice/core/Endpoint"
import * as Retry from "@sluice/core/Retry"
import * as Root from "@sluice/core/Root"
import { withPlainQuery } from "@sluice/node/internal/http/PlainQuery"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as UrlParams from "effect/http/UrlParams"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as Reading from "../../endpoints/Reading.ts"
import * as Settings from "../../settings/Settings.ts"
import { NotAsCode } from "./Reading.ts"

/** Without the key. */
const urlOf = ({ url, urlParams }: HttpClientRequest.HttpClientRequest) => {
  const query = UrlParams.toString(UrlParams.remove(urlParams, "api_key"))
  return query === "" ? url : withPlainQuery(`${url}?${query}`)
}

export const of = Effect.fnUntraced(function* (
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
  const url = yield* Effect.raceFirst(Deferred.await(seen), Effect.andThen(sent, nothing)).pipe(
    Effect.provide(Client.layer({ root, deprecated, apiKey, retry: Retry.make({ times: 0 }) })),
    Effect.provideService(HttpClient.HttpClient, http)
  )
  return { url, root }
})

const nothing = new NotAsCode({ language: "a URL", reason: "it needs no request", next: "Leave --as-url out." })

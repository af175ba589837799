/**
 * One exchange with the service: a GET under the quota and the timeouts, its reply's head, and its body to come.
 */
import * as Channel from "effect/Channel"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpClient from "effect/http/HttpClient"
import type { HttpClientError } from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as UrlParams from "effect/http/UrlParams"
import * as Metric from "effect/Metric"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as ApiError from "../../ApiError.ts"
import type { Account } from "../../Account.ts"
import type { Opened, Request } from "./Engine.ts"
import type * as Params from "../../Params.ts"
import type { Root } from "../../Root.ts"
import type { Quota } from "../../Quota.ts"
import * as RateLimitHeaders from "../quota/RateLimitHeaders.ts"
import { withoutRetainingResult } from "../memory/Retention.ts"
import * as Body from "../wire/Body.ts"
import * as DeprecationHeaders from "./DeprecationHeaders.ts"
import * as Bytes from "../wire/Bytes.ts"
import * as Call from "../call/Call.ts"
import * as Idle from "./Idle.ts"
import * as Transport from "./Transport.ts"
import * as Uri from "./Uri.ts"
import * as Waits from "../retry/Waits.ts"

/** What every exchange of a client shares. */
export interface Settings {
  /** Ties the socket to the scope of the request. */
  readonly http: HttpClient.HttpClient.With<HttpClientError, Scope.Scope>
  readonly account: Account["Service"]
  readonly quota: Quota["Service"]
  readonly firstByte: Duration.Input
  readonly idle: Duration.Input
  /** Bytes a second below which a body is given up. */
  readonly minBytesPerSecond: number
  /** Bytes of an error body that are read; the rest is not worth it. */
  readonly maxErrorBytes: number
}

/** Of what a reply puts into an error: identifiers are far shorter. */
const longestWord = 200

const requests = Metric.counter("sluice_requests", { incremental: true, description: "Requests sent" })

/** Builds the function that sends one request once; its permit and socket are held until the scope closes. */
export const make = Effect.fnUntraced(function* (settings: Settings) {
  const { http, quota, firstByte } = settings
  const { root, apiKey, applyDeprecated, scrub } = settings.account
  const { longestWait } = quota
  const { host } = new URL(root.url)
  const watch = yield* Idle.make(settings)

  const execute = (endpoint: string, query: Params.Query) => {
    const replied = http.execute(toHttp(root, endpoint, query, apiKey)).pipe(
      Effect.mapError((error) => {
        const failure = Transport.explain(error.reason.cause)
        return unavailable(endpoint, failure.connected ? "reply" : "connect", failure)
      }),
      Effect.timeoutOrElse({
        duration: firstByte,
        orElse: () => Effect.fail(late(endpoint, "reply", `no reply within ${shown(firstByte)}`))
      }),
      Effect.tap((response) => Effect.annotateCurrentSpan("http.response.status_code", response.status))
    )
    const attributes = { "http.request.method": "GET", "url.path": endpoint, "server.address": host }
    return withoutRetainingResult(
      replied,
      Effect.withSpan(`GET ${endpoint}`, { kind: "client", attributes }, { captureStackTrace: false })
    )
  }

  const send = Effect.fnUntraced(function* (request: Request) {
    const { path: endpoint } = request.call.endpoint
    const query = Call.toQuery(request.call)
    const broken = query.find((pair) => pair.some((text) => !text.isWellFormed()))
    if (broken !== undefined) return yield* notText(request, broken[0])
    const length = targetLength(root, endpoint, query, apiKey)
    if (length > Uri.longest) return yield* tooLong(request, query, length)
    // A connection needs a moment to go back to its pool; whoever asks sooner opens another.
    yield* Effect.addFinalizer(() => Effect.yieldNow)
    const permit = yield* Waits.counted(quota.acquire).pipe(
      Effect.mapError(
        ({ heldBy, limit, longest: longestWait, plan, wait: retryAfter }) =>
          new ApiError.RateLimited({ endpoint, plan, limit, heldBy, retryAfter, longestWait, attempts: 0 })
      )
    )
    yield* Metric.update(requests, 1)
    // A scope of its own, so that a body that stands still can be given up by closing its socket.
    const scope = yield* Effect.scope
    const connection = yield* Scope.fork(scope)
    const response = yield* Scope.provide(execute(endpoint, query), connection)
    const headers = Record.map(response.headers, scrub)
    const { status } = response
    const limits = RateLimitHeaders.parse(headers, yield* Clock.currentTimeMillis)
    yield* permit.observe({ ...limits, status })
    const notice = DeprecationHeaders.parse(response.headers, scrub)
    const ray = response.headers["cf-ray"]
    const trace = ray === undefined ? undefined : scrub(ray).slice(0, longestWord)
    // The reset is when the window has a place again: of any fault but a 429 it says nothing.
    const millis = limits.retryAfter ?? (status === 429 ? limits.reset : undefined)
    const asked = millis === undefined ? undefined : Duration.millis(millis)
    const chunks = yield* Channel.toPullScoped(Stream.toChannel(response.stream), scope)
    const arriving = Bytes.mapError(chunks, (error) =>
      unavailable(endpoint, "body", Transport.explain(error.reason.cause), trace)
    )
    const body = yield* watch(arriving, Scope.close(connection, Exit.void), (reason) =>
      late(endpoint, "body", reason, trace)
    )
    const refusal = ({ type, text }: Body.Said) =>
      ApiError.fromRefusal({
        endpoint,
        root: root.url,
        status,
        trace,
        plan: limits.plan,
        limit: limits.limit,
        retryAfter: asked,
        longestWait: asked !== undefined && Duration.isGreaterThan(asked, longestWait) ? longestWait : undefined,
        notice,
        type: type === undefined ? undefined : scrub(type).slice(0, longestWord),
        // Cut after the key is out, lest half of it stay.
        text: scrub(text).slice(0, type === undefined ? 200 : 1_000),
        replacement: request.replacement
      })
    // Nothing but 200 brings records: a 204, say, is not an empty list.
    if (status !== 200) {
      const said = yield* Body.readRefusal(body, response.headers["content-type"], settings.maxErrorBytes)
      // The headers of a request are short and always the same, so 431 means its URI too.
      return yield* status === 414 || status === 431 ? tooLong(request, query, length, trace) : refusal(said)
    }
    return { trace, notice, body, scrub, refuse: (error) => refusal(Body.readError(error)) } satisfies Opened
  })

  /** Applies the deprecation policy to an endpoint that the service has announced to remove. */
  const announce = ({ call, replacement }: Request, { notice, trace }: Opened) =>
    notice === undefined
      ? Effect.void
      : applyDeprecated(ApiError.ended({ endpoint: call.endpoint.path, replacement, trace, notice }))

  // The key is named here once more for whatever prints a URL below us. The HTTP client's own spans end with the whole
  // reply, headers and all, so ours stand in for them; tracing headers stay at home.
  return (request: Request): Effect.Effect<Opened, ApiError.ApiError, Scope.Scope> =>
    send(request).pipe(
      Effect.tap((opened) => announce(request, opened)),
      Effect.provideService(UrlParams.CurrentRedactedNames, ["api_key"]),
      Effect.provideService(HttpClient.TracerPropagationEnabled, false),
      Effect.provideService(HttpClient.TracerDisabledWhen, () => true)
    )
})

/** Builds the error of an exchange that did not come to its end. */
export const unavailable = (
  endpoint: string,
  phase: ApiError.Unavailable["phase"],
  { reason, transient }: Pick<Transport.Failure, "reason" | "transient">,
  trace?: string
) => new ApiError.Unavailable({ endpoint, trace, phase, reason, transient, attempts: 1 })

const late = (endpoint: string, phase: ApiError.Unavailable["phase"], reason: string, trace?: string) =>
  unavailable(endpoint, phase, { reason, transient: true }, trace)

/**
 * The key stays a `Redacted` parameter: wrappers of the `HttpClient` see the request, also in replies and errors. So the
 * library builds the URL, with commas and colons escaped; `@sluice/node` writes them plainly again as the request leaves.
 */
const toHttp = (root: Root, endpoint: string, query: Params.Query, apiKey: Redacted.Redacted | undefined) =>
  HttpClientRequest.get(`${root.url}${endpoint}`, { acceptJson: true }).pipe(
    HttpClientRequest.setUrlParams(query),
    apiKey === undefined ? (same) => same : HttpClientRequest.setUrlParam("api_key", apiKey)
  )

const targetLength = (root: Root, endpoint: string, query: Params.Query, apiKey: Redacted.Redacted | undefined) => {
  const whole: Params.Query = apiKey === undefined ? query : [...query, ["api_key", Redacted.value(apiKey)]]
  return Uri.target(`${new URL(root.url).pathname.replace(/\/$/, "")}${endpoint}`, whole).length
}

const notText = ({ call, follows }: Request, parameter: string) => {
  const { path: endpoint } = call.endpoint
  const issue = "holds half a character (a surrogate without its other half), which no URL can carry"
  // As below: what was fit for the first request came to the others with the token.
  return follows === true
    ? new ApiError.Decode({ endpoint, path: "next_page_token", issue })
    : new ApiError.InvalidRequest({ endpoint, kind: "malformed", parameter: parameter.toWellFormed(), reason: issue })
}

/** Found before sending, or said by a service that reads less than the published limit. */
const tooLong = ({ call, follows }: Request, query: Params.Query, length: number, trace?: string) => {
  const { path: endpoint } = call.endpoint
  const most = length > Uri.longest ? `the ${Uri.longest} characters the service reads` : undefined
  // The caller has no part in a token that the service gave.
  if (follows === true) {
    const issue = `with this token the request has ${length} characters, more than ${most ?? "the service reads"}`
    return new ApiError.Decode({ endpoint, trace, path: "next_page_token", issue })
  }
  const byLength = query.toSorted(([, a], [, b]) => b.length - a.length)
  // Of all parameters only lists hold commas, tokens apart.
  const list = byLength.find(([name, value]) => name !== "next_page_token" && value.includes(","))
  // A service that reads less than our limit may mean anything by it: the longest of short values is not to blame.
  const longest = list ?? (most === undefined ? undefined : byLength[0])
  const advice = list === undefined ? "" : "; split this list over several calls"
  return new ApiError.InvalidRequest({
    endpoint,
    trace,
    kind: "tooLong",
    parameter: longest?.[0],
    reason: `the request of ${length} characters is longer than ${most ?? "this service reads"}${advice}`
  })
}

const shown = (duration: Duration.Input) => Duration.format(Duration.fromInputUnsafe(duration))

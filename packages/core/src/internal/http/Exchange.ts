/**
 * Sends one request under the timeouts, and to the service also under the quota. Returns the head of the reply and its body
 * as a pull.
 */
import * as Channel from "effect/Channel"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { RequestInit } from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import type { HttpClientError } from "effect/http/HttpClientError"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type { HttpClientResponse } from "effect/http/HttpClientResponse"
import * as UrlParams from "effect/http/UrlParams"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as ApiError from "../../ApiError.ts"
import type { Account } from "../../Account.ts"
import type { Engine, Opened, Request, Sent } from "./Engine.ts"
import type * as Params from "../../Params.ts"
import type { Root } from "../../Root.ts"
import type { Quota, StoreUnavailable } from "../../Quota.ts"
import * as RateLimitHeaders from "../quota/RateLimitHeaders.ts"
import * as Body from "../wire/Body.ts"
import * as DeprecationHeaders from "./DeprecationHeaders.ts"
import * as Call from "../call/Call.ts"
import * as Metrics from "../../Metrics.ts"
import * as Attempt from "../observe/Attempt.ts"
import * as Measure from "../observe/Measure.ts"
import type * as Failure from "./Failure.ts"
import * as Idle from "./Idle.ts"
import * as Refusal from "./Refusal.ts"
import * as Uri from "./Uri.ts"
import * as Waits from "../retry/Waits.ts"

/** What all exchanges of a client share. */
export interface Settings {
  /** Ties the socket to the scope of the request. */
  readonly http: HttpClient.HttpClient.With<HttpClientError, Scope.Scope>
  readonly account: Account["Service"]
  readonly quota: Quota["Service"]
  readonly firstByte: Duration.Input
  readonly idle: Duration.Input
  /** A body that is slower than this many bytes per second fails. */
  readonly minBytesPerSecond: number
  /** The bytes of an error body that are read. */
  readonly maxErrorBytes: number
  /** Tells why there was no reply, or no whole one. */
  readonly explain: Failure.Explain
}

/** Builds the functions that send one request once. Its permit and socket are held until the scope closes. */
export const make = Effect.fnUntraced(function* (settings: Settings) {
  const { http, quota, firstByte } = settings
  const { root, apiKey, applyDeprecated, scrub } = settings.account
  const { longestWait } = quota
  const address = new URL(root.url)
  const { host } = address
  // What each request target has beside the path and the query of its call.
  const fixedLength = Uri.target(
    address.pathname.replace(/\/$/, ""),
    apiKey === undefined ? [] : [["api_key", Redacted.value(apiKey)]]
  ).length
  // Told once for an outage, however many requests meet it, and where a request is repeated. A host that cannot be reached at all
  // fails the call at once.
  let isOutageTold = false
  const outage: Waits.Outage = { warnedAt: -Infinity }
  const noteUnreached = (failure: Failure.Failure) =>
    Effect.map(Waits.Current, (waited) => {
      if (waited === undefined || failure.connected || !failure.transient) return
      waited.notice = Effect.suspend(() => {
        if (isOutageTold) return Effect.void
        isOutageTold = true
        return Effect.logWarning(`No connection to ${host}: ${failure.reason}`)
      })
    })
  const watch = yield* Idle.make(settings)
  const noteQuota = (gauge: Metrics.Info, value: number | undefined) =>
    value === undefined ? Effect.void : Measure.update(gauge, value, { "server.address": address.hostname })

  const execute = (endpoint: string, request: HttpClientRequest.HttpClientRequest, isService: boolean) => {
    return http.execute(request).pipe(
      Effect.catch((error) => {
        const failure = settings.explain(error.reason.cause)
        const isUnsent = request.method === "GET" ? !failure.connected : failure.isUnsent
        const failed = unavailable(endpoint, isUnsent ? "connect" : "reply", failure)
        return isService ? Effect.andThen(noteUnreached(failure), failed) : failed
      }),
      Effect.timeoutOrElse({
        duration: firstByte,
        orElse: () =>
          Effect.fail(
            unavailable(endpoint, "reply", { reason: `no reply within ${shown(firstByte)}`, transient: true })
          )
      })
    )
  }

  const exchange: Engine["exchange"] = Effect.fnUntraced(function* ({ address, endpoint, isService, request }) {
    const { method } = request
    const scope = yield* Effect.scope
    const attempt = yield* Attempt.start({ endpoint, method, isTemplate: isService, address })
    // In a scope of its own, so that a stalled body can be ended by closing its socket. Once the body has ended there
    // is nothing to close, and aborting such a request all the same would take a twentieth of the time of a small page:
    // an error and its stack.
    const connection = Scope.makeUnsafe()
    let hasEnded = false
    yield* Scope.addFinalizerExit(scope, (exit) => (hasEnded ? Effect.void : Scope.close(connection, exit)))
    const replied = Scope.provide(execute(endpoint, request, isService), connection)
    const response = yield* Effect.withParentSpan(replied, attempt.span, { captureStackTrace: false })
    const { headers, status, stream: lasting }: Response = response
    // Pages and lines are copied before the next pull; files of results are not always.
    const stream = (isService ? lasting[transient] : undefined) ?? lasting
    const bodyOf = (trace?: string) =>
      Effect.flatMap(Channel.toPullScoped(Stream.toChannel(stream), scope), (chunks) =>
        watch(chunks, {
          abort: Scope.close(connection, Exit.void),
          bytes: attempt.receive,
          end: () => {
            hasEnded = true
          },
          failure: (error, reason) =>
            unavailable(
              endpoint,
              "body",
              reason === undefined ? settings.explain(error.reason.cause) : { reason, transient: true },
              trace
            )
        })
      )
    return { attempt, bodyOf, headers, status }
  })

  const send = Effect.fnUntraced(function* (request: Request) {
    const { path: endpoint } = request.call.endpoint
    const path = Call.toPath(request.call)
    const pairs = Call.toQuery(request.call)
    const broken = pairs.find((pair) => pair.some((text) => !text.isWellFormed()))
    if (broken !== undefined) return yield* notText(request, broken[0])
    const { write } = request
    const query = write === undefined ? pairs : []
    const length = fixedLength + Uri.target(path, query).length
    if (length > Uri.longest) return yield* tooLong(request, query, length)
    // A connection returns to its pool a moment later. A request sent sooner would open another connection.
    yield* Scope.addFinalizer(yield* Effect.scope, Effect.yieldNow)
    const permit = yield* Waits.counted(quota.acquire).pipe(
      Effect.mapError((held) =>
        "reason" in held
          ? unavailable(endpoint, "connect", held)
          : new ApiError.RateLimited({
              endpoint,
              plan: held.plan,
              limit: held.limit,
              heldBy: held.heldBy,
              retryAfter: held.wait,
              longestWait: held.longest,
              attempts: 0
            })
      )
    )
    const waited = yield* Waits.Current
    if (waited !== undefined) waited.outage = outage
    const plain = toHttp(root, path, query, apiKey)
    request.onSend?.()
    const { attempt, bodyOf, status, ...response } = yield* exchange({
      endpoint,
      request: write?.(plain, pairs) ?? plain,
      address,
      isService: true
    })
    isOutageTold = false
    const headers = Record.map(response.headers, scrub)
    const limits = RateLimitHeaders.parse(headers, yield* Clock.currentTimeMillis)
    yield* permit.observe({ ...limits, status })
    yield* noteQuota(Metrics.quotaRemaining, limits.remaining)
    yield* noteQuota(Metrics.quotaLimit, limits.limit)
    const notice = DeprecationHeaders.parse(response.headers, scrub)
    const trace = Refusal.traceOf(headers)
    yield* attempt.head({ status, plan: limits.plan, trace })
    const body = yield* bodyOf(trace)
    const { replacement } = request
    const reply = { endpoint, root: root.url, status, trace, replacement, notice, limits, longestWait, scrub }
    const refusal = (said: Body.ErrorBody) => Refusal.toApiError(reply, said)
    // Only a 200 brings records. A 204, for example, is not an empty list.
    if (status !== 200) {
      const said = yield* Body.readErrorBody(body, response.headers["content-type"], settings.maxErrorBytes)
      // The headers of a request are short and constant, so a 431 means its URI as well.
      return yield* status === 414 || status === 431 ? tooLong(request, query, length, trace) : refusal(said)
    }
    return { trace, notice, body, attempt, refuse: (error) => refusal(Body.readError(error)) } satisfies Sent
  })

  /** Applies the deprecation policy to an endpoint that the service has announced to remove. */
  const applyNotice = ({ call, replacement }: Request, { notice, trace }: Opened) =>
    notice === undefined
      ? Effect.void
      : applyDeprecated(ApiError.ended({ endpoint: call.endpoint.path, replacement, trace, notice }))

  return {
    open: (request) => guarded(Effect.tap(send(request), (opened) => applyNotice(request, opened))),
    exchange
  } satisfies Pick<Engine, "open" | "exchange">
})

/**
 * A reply. A transport, such as `@sluice/node`, may have another stream of its body, whose chunks are valid until it is
 * pulled again.
 */
type Response = HttpClientResponse & { readonly stream: { readonly [transient]?: HttpClientResponse["stream"] } }

// A registered symbol, because transports are other packages, and a program may contain two copies of this module. A test of
// `@sluice/node` finds out whether both write it alike.
export const transient: unique symbol = Symbol.for("@sluice/core/Transient")

/**
 * Sends what an effect sends without redirects and spans of the HTTP client. `fetch` follows redirects by itself: one that the
 * service sends could take the key, or a file, to another host.
 */
export const guarded = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.updateContext(self, (context: Context.Context<R>) =>
    context.pipe(
      Context.add(RequestInit, { ...Context.getOrUndefined(context, RequestInit), redirect: "manual" }),
      // For code below that prints the URL.
      Context.add(UrlParams.CurrentRedactedNames, ["api_key"]),
      // Spans of the HTTP client would hold all headers of the reply, so they are replaced by ours. Tracing headers are not sent.
      Context.add(HttpClient.TracerPropagationEnabled, false),
      Context.add(HttpClient.TracerDisabledWhen, () => true)
    )
  )

/** Builds the error of an exchange that was not completed. */
export const unavailable = (
  endpoint: string,
  phase: ApiError.Unavailable["phase"],
  { kind, reason, transient }: Pick<Failure.Failure, "reason" | "transient"> & Partial<Pick<StoreUnavailable, "kind">>,
  trace?: string
) => new ApiError.Unavailable({ endpoint, trace, phase, kind, reason, transient, attempts: 1 })

/**
 * Keeps the key as a `Redacted` parameter, because wrappers of the `HttpClient` see the request, also in replies and errors.
 * So the HTTP library builds the URL and escapes commas and colons. `@sluice/node` unescapes them when it sends the request.
 */
const toHttp = (root: Root, path: string, query: Params.Query, apiKey: Redacted.Redacted | undefined) =>
  HttpClientRequest.get(`${root.url}${path}`, { acceptJson: true }).pipe(
    HttpClientRequest.setUrlParams(query),
    apiKey === undefined ? (same) => same : HttpClientRequest.setUrlParam("api_key", apiKey)
  )

/** The error of a request that cannot be sent as it is. */
const unfit = (
  { call, follows }: Request,
  given: Pick<ApiError.InvalidRequest, "kind" | "parameter" | "reason">,
  trace?: string,
  issue = given.reason
) => {
  const { path: endpoint } = call.endpoint
  // The parameters were valid in the first request, and the service gave the token, so the caller is not to blame.
  return follows === true
    ? new ApiError.Decode({ endpoint, trace, path: "next_page_token", issue })
    : new ApiError.InvalidRequest({ endpoint, trace, ...given })
}

const notText = (request: Request, parameter: string) =>
  unfit(request, { kind: "malformed", parameter: parameter.toWellFormed(), reason: "holds a lone surrogate" })

/** The error of a request that is too long, found before sending or by a service with a lower limit than the published one. */
const tooLong = (request: Request, query: Params.Query, length: number, trace?: string) => {
  const most = length > Uri.longest ? `the ${Uri.longest} characters the service reads` : undefined
  const byLength = query.toSorted(([, a], [, b]) => b.length - a.length)
  // Apart from tokens, only lists contain commas.
  const list = byLength.find(([name, value]) => name !== "next_page_token" && value.includes(","))
  // Where a service with a lower limit refuses the request, no parameter is blamed unless there is a list.
  const longest = list ?? (most === undefined ? undefined : byLength[0])
  const advice = list === undefined ? "" : "; split this list over several calls"
  const reason = `the request of ${length} characters is longer than ${most ?? "this service reads"}${advice}`
  const ofToken = `with this token the request has ${length} characters, more than ${most ?? "the service reads"}`
  return unfit(request, { kind: "tooLong", parameter: longest?.[0], reason }, trace, ofToken)
}

const shown = (duration: Duration.Input) => Duration.format(Duration.fromInputUnsafe(duration))

/**
 * The one place that talks to the service: sends a GET under the quota, repeats it while that may help, and turns
 * whatever goes wrong into an `ApiError`.
 */
import * as Config from "effect/Config"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as UrlParams from "effect/http/UrlParams"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as ApiError from "./ApiError.ts"
import * as Body from "./internal/Body.ts"
import * as Transport from "./internal/Transport.ts"
import type * as Params from "./Params.ts"
import * as Quota from "./Quota.ts"
import * as Retry from "./Retry.ts"
import * as Root from "./Root.ts"

/** One GET: an endpoint's path and its checked query, without the key. */
export interface Request {
  readonly endpoint: string
  readonly query: Params.Query
  /** Takes the place of the client's policy. */
  readonly retry?: Retry.Policy | undefined
  /** Published replacement of a deprecated endpoint, for the error on 410. */
  readonly replacement?: string | undefined
}

/** What is left of a reply once its body is taken away. */
export interface Head {
  /** `CF-RAY`. */
  readonly trace: string | undefined
  /** Builds the error for an `{"error": …}` object found in this reply. */
  readonly refuse: (error: unknown) => ApiError.ApiError
}

/** A reply whose body was read whole. */
export interface Reply extends Head {
  readonly body: unknown
}

/** A reply whose body is still arriving. */
export interface Opened extends Head {
  readonly body: Stream.Stream<Uint8Array, ApiError.Unavailable>
}

/**
 * Reads the service. Every endpoint needs this and nothing else.
 */
export class Client extends Context.Service<
  Client,
  {
    readonly root: Root.Root
    /** What to do about deprecated endpoints. */
    readonly deprecated: DeprecatedPolicy
    /** The client's own retry policy. */
    readonly retry: Retry.Policy
    /** The budget shared by all streams of this client. */
    readonly quota: Pick<Quota.Quota, "state" | "changes">
    /** Sends a request and reads its JSON whole, repeating while the policy allows. */
    readonly json: (request: Request) => Effect.Effect<Reply, ApiError.ApiError>
    /** Sends a request once; its permit and socket are held until the scope closes. */
    readonly open: (request: Request) => Effect.Effect<Opened, ApiError.ApiError, Scope.Scope>
    /** True for the first caller of a name: for warnings said once. */
    readonly first: (name: string) => Effect.Effect<boolean>
  }
>()("@sluice/core/Client") {}

/** `warn` logs one warning per endpoint, `fail` fails before any request, `ignore` says nothing. */
export type DeprecatedPolicy = "warn" | "fail" | "ignore"

/** Settings of {@link layer}. */
export interface Options {
  /** Where the service is reached. Default `Root.paid`. */
  readonly root?: Root.Input | undefined
  /** The API key; needed for the paid root, not used for the community root. */
  readonly apiKey?: Redacted.Redacted | undefined
  /** When to repeat a request. Default `Retry.standard`. */
  readonly retry?: Retry.Policy | undefined
  /** What to do about deprecated endpoints. Default `"warn"`. */
  readonly deprecated?: DeprecatedPolicy | undefined
  /** The longest wait for the head of a reply. Default 60 seconds. */
  readonly firstByte?: Duration.Input | undefined
  /** The longest wait between two chunks of a body. Default 30 seconds. */
  readonly idle?: Duration.Input | undefined
  /** The plan to assume until the first reply tells; the strictest if not given. */
  readonly plan?: Quota.Plan | undefined
  /** Requests running at once; the service runs ten. Default 10. */
  readonly parallel?: number | undefined
}

/** Longest request URI the service reads. Source: facts.md 1.2 (414). */
const longestUri = 10_000

const requests = Metric.counter("sluice_requests", { incremental: true, description: "Requests sent" })
const faults = Metric.counter("sluice_faults", { incremental: true, description: "Transient faults met, by error" })

/**
 * Builds a client over whatever `HttpClient` is provided.
 *
 * Fails with `Misconfigured` when the root is no http(s) URL, or needs a key and none is given.
 */
export const make = Effect.fnUntraced(function* (options: Options = {}) {
  const root = yield* Root.make(options.root ?? Root.paid)
  const apiKey = root.key === "unused" ? undefined : options.apiKey
  if (root.key === "required" && (apiKey === undefined || Redacted.value(apiKey).trim() === "")) {
    return yield* new ApiError.Misconfigured({
      setting: "apiKey",
      reason: `${root.url} needs a key; set one, or use the community root`
    })
  }
  // withScope ties the socket to the scope of the request: a body that is not read to its end is closed with it.
  const http = HttpClient.withScope(yield* HttpClient.HttpClient)
  const quota = yield* Quota.make({ parallel: options.parallel, plan: options.plan })
  const policy = options.retry ?? Retry.standard
  const firstByte = options.firstByte ?? "60 seconds"
  const idle = options.idle ?? "30 seconds"
  const said = new Set<string>()

  const scrub = (text: string) => (apiKey === undefined ? text : text.replaceAll(Redacted.value(apiKey), "<redacted>"))

  const send = Effect.fnUntraced(function* (request: Request) {
    const { endpoint } = request
    const url = `${root.url}${endpoint}`
    const length = url.length + 1 + new URLSearchParams(request.query.map(([n, v]) => [n, v])).toString().length
    if (length + (apiKey === undefined ? 0 : Redacted.value(apiKey).length + 9) > longestUri)
      return yield* tooLong(request)
    const ticket = yield* quota.admit
    yield* Metric.update(requests, 1)
    const sent = HttpClientRequest.get(url, { acceptJson: true }).pipe(
      HttpClientRequest.setUrlParams(request.query),
      apiKey === undefined ? (same) => same : HttpClientRequest.setUrlParam("api_key", apiKey)
    )
    const response = yield* http.execute(sent).pipe(
      Effect.mapError((error) => unavailable(endpoint, "connect", Transport.explain(error.reason.cause))),
      Effect.timeoutOrElse({
        duration: firstByte,
        orElse: () =>
          Effect.fail(
            unavailable(endpoint, "reply", { transient: true, reason: `no reply within ${shown(firstByte)}` })
          )
      })
    )
    const limits = yield* ticket.settle({ status: response.status, headers: response.headers })
    const trace = response.headers["cf-ray"]
    const refusal = (said: Body.Said) =>
      ApiError.fromRefusal({
        endpoint,
        root: root.url,
        status: response.status,
        trace,
        plan: limits.plan,
        limit: limits.limit,
        retryAfter: waitOf(limits),
        type: said.type,
        text: scrub(said.text),
        replacement: request.replacement
      })
    const body = Stream.mapError(response.stream, (error) =>
      unavailable(endpoint, "body", Transport.explain(error.reason.cause), trace)
    ).pipe(
      Stream.timeoutOrElse({
        duration: idle,
        orElse: () =>
          Stream.fail(
            unavailable(endpoint, "body", { transient: true, reason: `the body stood still for ${shown(idle)}` }, trace)
          )
      })
    )
    if (response.status < 200 || response.status > 299) {
      return yield* refusal(yield* Body.readRefusal(body, response.headers["content-type"]))
    }
    const refuse: Head["refuse"] = (error) => refusal(Body.readError(error))
    return { trace, refuse, body } satisfies Opened
  })

  // The key is named here once more for whatever prints a URL below us; tracing headers stay at home.
  const open = (request: Request) =>
    send(request).pipe(
      Effect.provideService(UrlParams.CurrentRedactedNames, ["api_key"]),
      Effect.provideService(HttpClient.TracerPropagationEnabled, false),
      Effect.provideService(HttpClient.SpanNameGenerator, () => `GET ${request.endpoint}`)
    )

  const readJson = Effect.fnUntraced(function* (request: Request) {
    const { endpoint } = request
    const { body: bytes, ...head } = yield* open(request)
    const text = yield* Body.readText(bytes)
    const broken = (issue: string) => new ApiError.Decode({ endpoint, trace: head.trace, path: "", issue })
    if (text === undefined) return yield* broken("the body is not UTF-8")
    const body = Body.parseJson(text)
    if (body !== undefined) return { ...head, body } satisfies Reply
    if (text.trim() !== "" && !/^\s*[{[]/.test(text)) return yield* broken("the body is not JSON")
    // JSON that began and does not parse, or never began, was cut off by something on the way.
    const reason = "the body ended early or is damaged JSON"
    return yield* unavailable(endpoint, "body", { reason, transient: true }, head.trace)
  }, Effect.scoped)

  const json = Effect.fn("Client.json")(function* (request: Request) {
    yield* Effect.annotateCurrentSpan("endpoint", request.endpoint)
    let attempts = 0
    const once = Effect.suspend(() => {
      attempts += 1
      return readJson(request)
    })
    return yield* once.pipe(
      Effect.tapError((error) => (Retry.isTransient(error) ? noteFault(error) : Effect.void)),
      Effect.retry({ schedule: request.retry ?? policy, while: Retry.isTransient }),
      Effect.mapError((error) => withAttempts(error, attempts))
    )
  })

  return Client.of({
    root,
    deprecated: options.deprecated ?? "warn",
    retry: policy,
    quota,
    json,
    open,
    first: (name) => Effect.sync(() => !said.has(name) && said.add(name).has(name))
  })
})

/** Provides a {@link Client} over an `HttpClient`. */
export const layer = (options: Options = {}) => Layer.effect(Client, make(options))

/**
 * Provides a {@link Client} from the environment.
 *
 * **Details**
 *
 * Reads `SLUICE_BASE_URL` (default: the paid root), `SLUICE_API_KEY`, `SLUICE_PLAN`, `SLUICE_DEPRECATED`
 * (`warn`, `fail` or `ignore`), `SLUICE_FIRST_BYTE_TIMEOUT` and `SLUICE_IDLE_TIMEOUT` (such as `30 seconds`).
 * `SLUICE_BASE_URL` may be a URL, or `paid` or `community`. What `options` names wins.
 */
export const layerConfig = (options: Options = {}) => Layer.effect(Client, Effect.flatMap(fromConfig(options), make))

/** The settings {@link layerConfig} reads, for layers that build on it. */
export const fromConfig = (options: Options = {}) =>
  Effect.map(config, (read): Options => ({
    root: Option.getOrUndefined(Option.map(read.root, (root) => presets[root] ?? root)),
    apiKey: Option.getOrUndefined(read.apiKey),
    plan: Option.getOrUndefined(read.plan),
    deprecated: Option.getOrUndefined(read.deprecated),
    firstByte: Option.getOrUndefined(read.firstByte),
    idle: Option.getOrUndefined(read.idle),
    ...options
  }))

const config = Config.all({
  root: Config.option(Config.NonEmptyString("BASE_URL")),
  apiKey: Config.option(Config.Redacted("API_KEY")),
  plan: Config.option(Config.NonEmptyString("PLAN")),
  deprecated: Config.option(Config.Literals(["warn", "fail", "ignore"], "DEPRECATED")),
  firstByte: Config.option(Config.Duration("FIRST_BYTE_TIMEOUT")),
  idle: Config.option(Config.Duration("IDLE_TIMEOUT"))
}).pipe(Config.nested("SLUICE"))

const presets: Readonly<Record<string, Root.Root>> = { paid: Root.paid, community: Root.community }

/** The quota of the client in force: plan, limit, remaining and reset. */
export const quota: Effect.Effect<Quota.State, never, Client> = Effect.flatMap(Client, (client) => client.quota.state)

/** The quota now and after every change. */
export const quotaChanges: Stream.Stream<Quota.State, never, Client> = Stream.unwrap(
  Effect.map(Client, (client) => client.quota.changes)
)

/** Counts a transient fault, to be met with another attempt while the policy allows. */
export const noteFault = (error: ApiError.ApiError) =>
  Effect.andThen(
    Metric.update(Metric.withAttributes(faults, { endpoint: error.endpoint, error: error._tag }), 1),
    Effect.logDebug("Sluice met a fault", error.message)
  )

/** Writes the number of attempts into the errors that carry it. */
export const withAttempts = (error: ApiError.ApiError, attempts: number): ApiError.ApiError => {
  if (error._tag === "Unavailable") return new ApiError.Unavailable({ ...error, attempts })
  return error._tag === "RateLimited" ? new ApiError.RateLimited({ ...error, attempts }) : error
}

const unavailable = (
  endpoint: string,
  phase: ApiError.Unavailable["phase"],
  { reason, transient }: Transport.Failure,
  trace?: string
) => new ApiError.Unavailable({ endpoint, trace, phase, reason, transient, attempts: 1 })

const tooLong = ({ endpoint, query }: Request) => {
  const [longest] = query.toSorted(([, a], [, b]) => b.length - a.length)
  return new ApiError.InvalidRequest({
    endpoint,
    parameter: longest?.[0],
    reason: `the request is longer than the ${longestUri} characters the service reads; split this list over several calls`
  })
}

const waitOf = ({
  retryAfter,
  reset
}: {
  readonly retryAfter: number | undefined
  readonly reset: number | undefined
}) => {
  const wait = retryAfter ?? reset
  return wait === undefined ? undefined : Duration.millis(wait)
}

const shown = (duration: Duration.Input) => Duration.format(Duration.fromInputUnsafe(duration))

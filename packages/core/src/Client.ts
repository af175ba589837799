/**
 * The one place that talks to the service: sends a GET under the quota, repeats it while that may help, and turns
 * whatever goes wrong into an `ApiError`.
 */
import type { ConfigError } from "effect/Config"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as ApiError from "./ApiError.ts"
import * as Admission from "./internal/quota/Admission.ts"
import { withoutRetainingResult } from "./internal/memory/Retention.ts"
import { noteFault, withAttempts } from "./internal/retry/Attempts.ts"
import * as Budget from "./internal/pages/Budget.ts"
import * as Buffers from "./internal/memory/Buffers.ts"
import * as Bytes from "./internal/wire/Bytes.ts"
import * as Engine from "./internal/http/Engine.ts"
import type { Opened, Reply, Request } from "./internal/http/Engine.ts"
import * as Envelope from "./internal/wire/Envelope.ts"
import * as Exchange from "./internal/http/Exchange.ts"
import * as FromConfig from "./internal/call/FromConfig.ts"
import * as Json from "./internal/wire/Json.ts"
import * as Limit from "./internal/wire/Limit.ts"
import * as RecordDecoder from "./internal/wire/RecordDecoder.ts"
import * as Repetition from "./internal/retry/Repetition.ts"
import * as Settings from "./internal/call/Settings.ts"
import * as Waits from "./internal/retry/Waits.ts"
import type * as Quota from "./Quota.ts"
import * as Retry from "./Retry.ts"
import * as Root from "./Root.ts"

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
    readonly quota: {
      /** What is known now. */
      readonly state: Effect.Effect<Quota.State>
      /** The state now and after every change; a slow reader sees the newest, not all. */
      readonly changes: Stream.Stream<Quota.State>
    }
    /** What to do about records that are repeated or out of order. */
    readonly onDisorder: DisorderPolicy
  }
>()("@sluice/core/Client") {}

/** `warn` logs one warning per endpoint, `fail` fails before any request, `ignore` says nothing. */
export type DeprecatedPolicy = "warn" | "fail" | "ignore"

/**
 * What to do about records that are repeated or out of order: `warn` logs one warning a stream, with both records, and
 * emits all; `fail` emits the records that come before the first such record in order (of `pages`: the pages before it) and fails
 * with `Decode`;
 * `ignore` compares nothing.
 *
 * **Details**
 *
 * With `warn`, the first and the last record of each batch (a page, or 16 KiB of it or of a json_stream) are compared
 * with each other and with the batch before. With `fail`, every record is compared with the one before it, which takes
 * 6 to 7 % of the time of parsing. In a series by entity that finds every record that is repeated or out of order.
 *
 * **Gotchas**
 *
 * Of a series sorted by time or height, a record is compared with the one before it alone, so entities may be repeated or
 * mixed at one time. Of a list without a documented order, found are: the same record twice in a row, a page that begins
 * with one of the 100 records before it, and a page that begins as the page before it. Other repetitions in a list, and
 * records that are missing, are not noticed.
 */
export type DisorderPolicy = "warn" | "fail" | "ignore"

/** The most that is read, so that memory and time stay bounded whatever a server sends; bytes unless said otherwise. */
export interface Limits {
  /**
   * Of a page; one that is larger fails with `Decode`, and is not asked for again. Default: what a page of so many records
   * with so many fields may come to, 8 MiB and 512 bytes for each field of each record, and never more than 256 MiB; those
   * 256 MiB for a catalog, which comes whole.
   *
   * Two bounds stand beside it, whatever it is: a single record above 8 MiB fails with `Decode`, and so does a page with
   * more records than the endpoint's largest page (10,000 as a rule). A service may ignore a smaller `page_size`. A catalog
   * may have any number of records.
   */
  readonly maxPageBytes?: number | undefined
  /**
   * Of all pages that are being received at once. Beyond it the page that began first is read on, up to its own limit; the
   * others wait, with their sockets and permits. Pages that have been received do not count. Default 256 MiB.
   */
  readonly maxReceivingBytes?: number | undefined
  /** Of a line of a json_stream; one that is longer fails with `Decode`. Default 8 MiB; it may be set larger, unlike
   * the 8 MiB of a record of a page. */
  readonly maxLineBytes?: number | undefined
  /** Of an error body; the rest is not read. Default 64 KiB. */
  readonly maxErrorBytes?: number | undefined
  /**
   * Empty pages in a row, each with a token for more; fails with `Decode` then, for it might never end. Default 1,000
   * pages.
   */
  readonly maxEmptyPages?: number | undefined
}

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
  /** What to do about records that are repeated or out of order. Default `"warn"`. */
  readonly onDisorder?: DisorderPolicy | undefined
  /** The longest wait for the head of a reply. Default 60 seconds. */
  readonly firstByte?: Duration.Input | undefined
  /** The longest wait between two chunks of a body. Default 30 seconds. */
  readonly idle?: Duration.Input | undefined
  /**
   * The least a body may bring, in bytes a second over a minute of waiting for it: a slower one is given up with
   * `Unavailable`, and tried again. Unpacked bytes count, the time a slow reader takes does not. Default 100; 0 for any.
   */
  readonly minBytesPerSecond?: number | undefined
  /**
   * The longest wait for the service's sake: for the reset or `Retry-After` of a 429 or 503, after a 429 that names no
   * wait, or for a place in a window longer than a minute. A place in a shorter window, as all published plans have, is
   * always waited for: that is pacing. A call that would have to wait longer fails at once with `RateLimited` or
   * `Unavailable`, which tell how long; one request per longest wait (and at most one a minute) is still sent, to find
   * out whether the wait is over. A wait above ten seconds is logged. Default 5 minutes; Infinity for any.
   */
  readonly longestWait?: Duration.Input | undefined
  /** The plan to assume until the first reply tells; the strictest if not given. */
  readonly plan?: Quota.Plan | undefined
  /** Requests running at once; the service runs ten. Default 10. */
  readonly parallel?: number | undefined
  /** The most that is read of one reply. */
  readonly limits?: Limits | undefined
}

type Make = (
  options?: Options
) => Effect.Effect<Client["Service"], ApiError.Misconfigured, HttpClient.HttpClient | Scope.Scope>

/**
 * Builds a client over whatever `HttpClient` is provided.
 *
 * Fails with `Misconfigured` when the root is no http(s) URL, or needs a key and none is given, or a number of
 * `options` is out of range.
 */
export const make: Make = Effect.fnUntraced(function* (options: Options = {}) {
  yield* Settings.check(options)
  const root = yield* Root.make(options.root ?? Root.paid)
  const apiKey = root.key === "unused" ? undefined : trimmed(options.apiKey)
  if (apiKey !== undefined && !Redacted.value(apiKey).isWellFormed()) {
    return yield* new ApiError.Misconfigured({
      setting: "apiKey",
      reason: "the key holds half a character (a surrogate without its other half), which no URL can carry"
    })
  }
  if (root.key === "required" && apiKey === undefined) {
    return yield* new ApiError.Misconfigured({
      setting: "apiKey",
      reason: `${root.url} needs a key (SLUICE_API_KEY); the community root needs none`
    })
  }
  if (apiKey !== undefined && root.url.startsWith("http:") && !Root.isLocal(root)) {
    const { host } = new URL(root.url)
    yield* Effect.logWarning(
      `The API key goes to ${host} over http:, where everybody on the way can read it; use https:`
    )
  }
  // withScope ties the socket to the scope of the request: a body that is not read to its end is closed with it.
  const http = HttpClient.withScope(yield* HttpClient.HttpClient)
  const longestWait = Duration.fromInputUnsafe(options.longestWait ?? Waits.longest)
  const quota = yield* Admission.make({ parallel: options.parallel, plan: options.plan, longestWait })
  const policy = options.retry ?? Retry.standard
  const deprecated = options.deprecated ?? "warn"
  const limits = options.limits ?? {}
  const { maxLineBytes = Envelope.longestPiece, maxErrorBytes = 65_536, maxEmptyPages = 1_000 } = limits
  const budget = Budget.make(limits.maxReceivingBytes ?? Envelope.largestPage)
  const said = new Set<string>()

  const exchange = yield* Exchange.make({
    http,
    quota,
    root,
    apiKey,
    firstByte: options.firstByte ?? "60 seconds",
    idle: options.idle ?? "30 seconds",
    minBytesPerSecond: options.minBytesPerSecond ?? 100,
    longestWait,
    maxErrorBytes
  })

  const first = (name: string) => Effect.sync(() => !said.has(name) && said.add(name).has(name))

  /** Applies the deprecation policy to an endpoint that the service has announced to remove. */
  const heed = Effect.fnUntraced(function* (request: Request, { notice, trace }: Opened) {
    if (notice === undefined || deprecated === "ignore") return
    const error = ApiError.ended({ endpoint: pathOf(request), replacement: request.replacement, trace, notice })
    if (deprecated === "fail") return yield* error
    // The bare fact may have been said already, before the request.
    const news = notice.since === undefined && notice.sunset === undefined ? "" : ` ${notice.since} ${notice.sunset}`
    if (yield* first(pathOf(request) + news)) yield* Effect.logWarning(error.message)
  })

  const open = (request: Request) => Effect.tap(exchange(request), (opened) => heed(request, opened))

  const buffers = Buffers.makePool(options.parallel ?? 10)

  const readPage = Effect.fnUntraced(function* (request: Request, noteDamage: () => void) {
    const { longest = Envelope.largestPage } = request
    const endpoint = pathOf(request)
    const most = limits.maxPageBytes ?? longest
    const buffer = buffers()
    const received = receive(open(request), budget, (chunk, trace) => {
      buffer.push(chunk)
      const issue = `the body is longer than ${Limit.shown(most)}`
      return buffer.length() > most
        ? new ApiError.Decode({ endpoint, trace, path: "", issue, setting: "limits.maxPageBytes" })
        : undefined
    })
    const { refuse, scrub, trace } = yield* Effect.onError(received, () => Effect.sync(buffer.release))
    const envelope = Envelope.read({ bytes: buffer.bytes(), firstClose: buffer.firstClose(), done: buffer.release })
    if (Result.isSuccess(envelope)) {
      const error = Json.errorIn(envelope.success.json)
      if (error !== undefined) return yield* refuse(error)
      return { trace, scrub, envelope: Envelope.withoutKey(envelope.success) } satisfies Reply
    }
    const { as, issue, path } = envelope.failure
    if (as === "cut") return yield* Exchange.unavailable(endpoint, "body", { reason: issue, transient: true }, trace)
    if (as === "damaged") noteDamage()
    return yield* new ApiError.Decode({ endpoint, trace, path, issue })
  })

  const page = (request: Request) =>
    Effect.suspend(() => {
      let attempts = 0
      const waited: Waits.Waited = { millis: 0 }
      let damages = 0
      let isDamaged = false
      const noteDamage = () => {
        damages += 1
        isDamaged = true
      }
      const once = Effect.suspend(() => {
        attempts += 1
        isDamaged = false
        return Effect.provideService(readPage(request, noteDamage), Waits.Current, waited)
      })
      // A body that is no JSON is asked for once more: it may have been damaged on the way.
      const mayPass = (error: ApiError.ApiError) => (isDamaged ? damages === 1 : Retry.isTransient(error))
      const repeated = once.pipe(
        Effect.tapError((error) => (mayPass(error) ? noteFault(error) : Effect.void)),
        Effect.retry(Repetition.schedule(request.retry ?? policy, waited, mayPass)),
        Effect.mapError((error) => withAttempts(error, { attempts }))
      )
      return withoutRetainingResult(
        repeated,
        Effect.withSpan("Client.page", { attributes: { endpoint: pathOf(request) } }, { captureStackTrace: false })
      )
    })

  return Engine.attach(
    Client.of({
      root,
      deprecated,
      retry: policy,
      quota: { state: quota.state, changes: quota.changes },
      onDisorder: options.onDisorder ?? "warn"
    }),
    { limits: { maxLineBytes, maxEmptyPages }, page, open, decoders: RecordDecoder.makeCache(100), first }
  )
})

const pathOf = ({ call }: Request) => call.endpoint.path

/** Receives the body to its end and closes the request: parsing is no business of the permit. */
const receive = (
  open: Effect.Effect<Opened, ApiError.ApiError, Scope.Scope>,
  budget: Budget.Budget,
  push: (chunk: Uint8Array, trace: string | undefined) => ApiError.Decode | undefined
) =>
  withoutRetainingResult(
    Effect.flatMap(open, ({ body, ...head }) =>
      Effect.flatMap(budget, (share) =>
        Effect.as(
          // Waited for between two chunks, which is no time the service takes.
          Bytes.runForEach(Effect.andThen(share.available, body), (chunk) => {
            share.add(chunk.length)
            return push(chunk, head.trace)
          }),
          head
        )
      )
    ),
    Effect.scoped
  )

/** Provides a {@link Client} over an `HttpClient`. */
export const layer = (options: Options = {}): Layer.Layer<Client, ApiError.Misconfigured, HttpClient.HttpClient> =>
  Layer.effect(Client, make(options))

/**
 * Provides a {@link Client} from the environment.
 *
 * **Details**
 *
 * Reads `SLUICE_BASE_URL` (default: the paid root), `SLUICE_API_KEY`, `SLUICE_PLAN`, `SLUICE_DEPRECATED`
 * and `SLUICE_ON_DISORDER` (`warn`, `fail` or `ignore`), `SLUICE_FIRST_BYTE_TIMEOUT`, `SLUICE_IDLE_TIMEOUT` and
 * `SLUICE_LONGEST_WAIT` (such as `30 seconds`, or `Infinity`), `SLUICE_MIN_BYTES_PER_SECOND` (bytes a second), `SLUICE_PARALLEL`,
 * `SLUICE_MAX_PAGE_BYTES`, `SLUICE_MAX_LINE_BYTES` and `SLUICE_MAX_EMPTY_PAGES` (`limits`). Fails with `Misconfigured`,
 * which names the variable, where one is not what it may be.
 * `SLUICE_BASE_URL` may be a URL, or `paid` or `community`. What `options` names wins.
 */
export const layerConfig = (
  options: Options = {}
): Layer.Layer<Client, ApiError.Misconfigured | ConfigError, HttpClient.HttpClient> =>
  Layer.effect(Client, Effect.flatMap(fromConfig(options), make))

/** The settings {@link layerConfig} reads, for layers that build on it. */
export const fromConfig = (options: Options = {}): Effect.Effect<Options, ApiError.Misconfigured | ConfigError> =>
  FromConfig.complete(options)

/** The quota of the client in force: plan, limit, remaining and reset. */
export const quota: Effect.Effect<Quota.State, never, Client> = Effect.flatMap(Client, (client) => client.quota.state)

/** The quota now and after every change. */
export const quotaChanges: Stream.Stream<Quota.State, never, Client> = Stream.unwrap(
  Effect.map(Client, (client) => client.quota.changes)
)

/** Keys come out of files and shells, often with a line end; a blank one is none. */
const trimmed = (key: Redacted.Redacted | undefined) => {
  const text = key === undefined ? "" : Redacted.value(key).trim()
  return text === "" ? undefined : Redacted.make(text)
}

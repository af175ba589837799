/**
 * Everything that can go wrong in a call, as one closed union, and the one table from status to error.
 *
 * No error holds the API key, a URL with its query, or an error of the HTTP library.
 */
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import { Timestamp } from "./Timestamp.ts"

const origin = {
  /** Path of the endpoint, such as `/timeseries/asset-metrics`. */
  endpoint: Schema.String,
  /** The reply's `CF-RAY` header, to be quoted to the service's support; absent when no reply came. */
  trace: Schema.optional(Schema.String)
}

const quote = (self: { readonly trace?: string | undefined }) =>
  self.trace === undefined ? "" : ` (trace ${self.trace})`

/** How long the service asked to wait, and whether that is why nothing more was sent. */
const asked = (
  self: { readonly retryAfter?: Duration.Duration | undefined; readonly longestWait?: Duration.Duration | undefined },
  words: string
) => {
  if (self.retryAfter === undefined) return ""
  const limit =
    self.longestWait === undefined ? "" : `, longer than the longest wait of ${Duration.format(self.longestWait)}`
  return `${words} ${Duration.format(wholeSeconds(self.retryAfter))}${limit}`
}

const wholeSeconds = (wait: Duration.Duration) =>
  Duration.isFinite(wait) ? Duration.seconds(Math.ceil(Duration.toSeconds(wait))) : wait

const times = (attempts: number) => (attempts === 1 ? "once" : `${attempts} times`)

/**
 * The service refused the request with 429 more often than the retry policy allows, or the rate limit asks for a longer
 * wait than the client's `longestWait`.
 *
 * **Details**
 *
 * Sluice paces itself below the limit, so this means that others use the same key or address, or that the limit is for
 * a window of hours. `retryAfter` is how long the service asked to wait, absent when it did not say. With `longestWait`
 * the request is not sent again, and was not sent at all where `attempts` is 0. While a wait is too long, Sluice still
 * sends one request per longest wait (and at most one a minute), to find out whether it is over.
 */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  ...origin,
  /** `X-RateLimit-Plan`, such as `trial`. */
  plan: Schema.optional(Schema.String),
  /** Requests the plan allows in one window; absent where the service named no limit, or the limit is not the reason. */
  limit: Schema.optional(Schema.Finite),
  /**
   * Why the client did not send the request, or not again: its `window` has no place, a 429 before asked for a wait
   * (`retryAfter`), or named none (`refusal`). Absent where the service answered the last attempt with 429.
   */
  heldBy: Schema.optional(Schema.Literals(["window", "retryAfter", "refusal"])),
  /** How long the service asked to wait, or how long until its window has a place again. */
  retryAfter: Schema.optional(Schema.Duration),
  /** The client's longest wait, where `retryAfter` is longer. */
  longestWait: Schema.optional(Schema.Duration),
  /** How often the request was sent. */
  attempts: Schema.Finite,
  /** Of a json_stream, how many records had been delivered. */
  delivered: Schema.optional(Schema.Finite)
}) {
  override get message() {
    const came = this.delivered === undefined ? "" : `; after ${this.delivered} records`
    if (this.heldBy !== undefined) {
      const tries = this.attempts === 0 ? "" : `; sent ${times(this.attempts)}`
      return `${this.endpoint}: ${heldReason(this)}${asked(this, " for")}${tries}${came}${quote(this)}`
    }
    const plan = this.plan === undefined ? "" : ` of the ${this.plan} plan`
    const wait = asked(this, "; the service asked to wait")
    return `${this.endpoint}: the rate limit${plan} was exceeded${wait}; sent ${times(this.attempts)}${came}${quote(this)}`
  }
}

const heldReason = ({ heldBy, limit, plan }: RateLimited) => {
  if (heldBy === "retryAfter") return "the service asked with a 429 to send no request"
  if (heldBy === "refusal") return "after a 429 that named no wait, no request is sent"
  const of = limit === undefined ? "" : ` of ${limit} requests`
  return `the rate limit${of} leaves no request to ${plan === undefined ? "this client" : `the ${plan} plan`}`
}

/**
 * The endpoint is deprecated and the policy is to fail, or the service says it is gone (410).
 */
export class Deprecated extends Schema.TaggedError<Deprecated>()("Deprecated", {
  ...origin,
  /** 410 where the service says that the endpoint is gone; absent where it still answers. */
  status: Schema.optional(Schema.Literal(410)),
  /** Paths of the endpoints that replace it; empty where none is published. */
  replacement: Schema.Array(Schema.String),
  /** When it became deprecated, where the reply says so. */
  since: Schema.optional(Timestamp),
  /** When it stops answering, where the reply says so. */
  sunset: Schema.optional(Timestamp)
}) {
  override get message() {
    const instead = this.replacement.length === 0 ? "" : `; use ${this.replacement.join(", ")} instead`
    if (this.status === 410) return `${this.endpoint} is gone (410)${instead}${quote(this)}`
    const since = this.since === undefined ? "" : ` since ${day(this.since)}`
    const sunset = this.sunset === undefined ? "" : `, and stops answering on ${day(this.sunset)}`
    return `${this.endpoint} is deprecated${since}${sunset}${instead}${quote(this)}`
  }
}

const day = (time: Timestamp) => time.slice(0, 10)

/**
 * A reply arrived whole but is not what the interface describes.
 *
 * **Details**
 *
 * `path` names the place, such as `data[17].asset`. For pages `page` counts from 1 within this stream, and the records
 * of all pages before it were emitted; for json_stream `line` counts from 1 within the reply, and the records of all
 * lines before it were.
 */
export class Decode extends Schema.TaggedError<Decode>()("Decode", {
  ...origin,
  path: Schema.String,
  page: Schema.optional(Schema.Finite),
  line: Schema.optional(Schema.Finite),
  /** The option whose bound the reply went beyond, such as `limits.maxPageBytes`; absent where the reply itself is wrong. */
  setting: Schema.optional(Schema.String),
  issue: Schema.String
}) {
  override get message() {
    const where = this.line !== undefined ? `line ${this.line}` : this.page !== undefined ? `page ${this.page}` : ""
    const place = [where, this.path].filter((part) => part !== "").join(", ")
    return `${this.endpoint}: unexpected reply${place === "" ? "" : ` at ${place}`}: ${this.issue}${quote(this)}`
  }
}

/**
 * A parameter is wrong: found before sending where Sluice knows the rule, by the service otherwise (400, 414).
 */
export class InvalidRequest extends Schema.TaggedError<InvalidRequest>()("InvalidRequest", {
  ...origin,
  /**
   * What is wrong: a required parameter is `missing`; the endpoint has no parameter of this name (`unknown`); the value
   * is not what the parameter takes (`malformed`); it cannot be given beside another, or in this way of reading
   * (`excluded`); it stands in the wrong place of the call (`misplaced`); the request is longer than the service reads
   * (`tooLong`, 414: fewer items in a list make it shorter); or the service says that something is wrong (`refused`).
   */
  kind: Schema.Literals(["missing", "unknown", "malformed", "excluded", "misplaced", "tooLong", "refused"]),
  /** Name of the parameter; for the service's own refusals read from its message, and absent where it names none. */
  parameter: Schema.optional(Schema.String),
  /** The refused value as text, read from the service's message in the same best-effort way. */
  value: Schema.optional(Schema.String),
  reason: Schema.String
}) {
  override get message() {
    if (this.kind === "missing" && this.parameter !== undefined) {
      return `${this.endpoint}: parameter "${this.parameter}" ${this.reason}${quote(this)}`
    }
    const which = this.parameter === undefined ? "invalid request" : `invalid parameter "${this.parameter}"`
    return `${this.endpoint}: ${which}: ${this.reason}${quote(this)}`
  }
}

/**
 * The service does not accept the key (401): `unauthorized` when none was sent, `wrong_credentials` when it is unknown
 * or expired.
 */
export class Unauthorized extends Schema.TaggedError<Unauthorized>()("Unauthorized", {
  ...origin,
  /** The service's stable identifier of the error. */
  type: Schema.optional(Schema.String),
  reason: Schema.String
}) {
  override get message() {
    return `${this.endpoint}: not authorised: ${this.reason}${quote(this)}`
  }
}

/**
 * The key is valid but its licence does not cover what was asked (403), or the endpoint is not offered at this root.
 */
export class Forbidden extends Schema.TaggedError<Forbidden>()("Forbidden", {
  ...origin,
  /** The root that was asked, without path or query. */
  root: Schema.String,
  /** `X-RateLimit-Plan` of the reply. */
  plan: Schema.optional(Schema.String),
  /** The service's stable identifier of the error, such as `forbidden`; absent where the body names none. */
  type: Schema.optional(Schema.String),
  reason: Schema.String
}) {
  override get message() {
    return `${this.endpoint}: forbidden at ${this.root}: ${this.reason}${quote(this)}`
  }
}

/**
 * The service knows no such path or item (404).
 */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", {
  ...origin,
  /** The service's stable identifier of the error, such as `not_found`; absent where the body names none. */
  type: Schema.optional(Schema.String),
  reason: Schema.String
}) {
  override get message() {
    return `${this.endpoint}: not found: ${this.reason}${quote(this)}`
  }
}

/**
 * No complete reply could be had: the connection, a timeout, a broken body, or a status such as 503.
 *
 * **Details**
 *
 * When `transient` is true the retry policy was used up on it, or the service asked for a longer wait than the client's
 * `longestWait`; the same call may succeed later.
 */
export class Unavailable extends Schema.TaggedError<Unavailable>()("Unavailable", {
  ...origin,
  /** How far the last attempt came. */
  phase: Schema.Literals(["connect", "reply", "body"]),
  /** The reply's status, where one came. */
  status: Schema.optional(Schema.Finite),
  /** Whether the same request may succeed later. */
  transient: Schema.Boolean,
  /** How long the service asked to wait. */
  retryAfter: Schema.optional(Schema.Duration),
  /** The client's longest wait, where `retryAfter` is longer: the request was not sent again. */
  longestWait: Schema.optional(Schema.Duration),
  /** How often the request was sent. */
  attempts: Schema.Finite,
  /** Of a json_stream, how many records had been delivered. */
  delivered: Schema.optional(Schema.Finite),
  reason: Schema.String
}) {
  override get message() {
    const tries = this.attempts > 1 ? `; tried ${this.attempts} times` : ""
    const came = this.delivered === undefined ? "" : `; after ${this.delivered} records`
    const wait = this.longestWait === undefined ? "" : asked(this, "; the service asked to wait")
    return `${this.endpoint}: unavailable (${this.phase}): ${this.reason}${wait}${tries}${came}${quote(this)}`
  }
}

/** Schema of {@link ApiError}, for sending errors between processes. */
export const ApiError = Schema.Union([
  RateLimited,
  Deprecated,
  Decode,
  InvalidRequest,
  Unauthorized,
  Forbidden,
  NotFound,
  Unavailable
])

/** Every error a call can fail with. */
export type ApiError = typeof ApiError.Type

/** Tells whether a value is one of the errors of {@link ApiError}. */
export const isApiError: (value: unknown) => value is ApiError = Schema.is(ApiError)

/**
 * A client cannot be built from these settings: the key is missing, the root is no http(s) URL, or another setting is
 * not what it may be.
 *
 * Not part of {@link ApiError}: it stands in the error channel of the layer, never of a call.
 */
export class Misconfigured extends Schema.TaggedError<Misconfigured>()("Misconfigured", {
  /** The option at fault, by its name in code, such as `apiKey`. */
  setting: Schema.String,
  /** The variable that holds it, such as `SLUICE_IDLE_TIMEOUT`, where it was read from the environment. */
  variable: Schema.optional(Schema.String),
  reason: Schema.String
}) {
  override get message() {
    return `${this.variable ?? this.setting}: ${this.reason}`
  }
}

/** The end of an endpoint, as announced by the headers of a reply. */
export interface Notice {
  /** When it became deprecated, or will; absent where only the fact is stated. */
  readonly since: Timestamp | undefined
  /** When it stops answering. */
  readonly sunset: Timestamp | undefined
  /** What to use instead. */
  readonly successor: string | undefined
}

/** What is known of a reply that is an error. */
export interface Refusal {
  readonly endpoint: string
  readonly root: string
  readonly status: number
  readonly trace: string | undefined
  readonly plan: string | undefined
  readonly limit: number | undefined
  readonly retryAfter: Duration.Duration | undefined
  /** The client's longest wait, where `retryAfter` is longer. */
  readonly longestWait: Duration.Duration | undefined
  /** `error.type` of the body, where the body is the service's error object. */
  readonly type: string | undefined
  /** `error.message` of the body, or the start of its text. */
  readonly text: string
  readonly replacement: ReadonlyArray<string> | undefined
  /** What the reply's headers say of the end of the endpoint. */
  readonly notice: Notice | undefined
}

/** Statuses that say "again later"; 52x are the edge network's. */
const transientStatus = new Set([408, 425, 500, 502, 503, 504, 520, 521, 522, 523, 524, 525, 527, 530])

/** Statuses that the body's `error.type` implies, for an error that comes with a 200 or as a line of a stream. */
const typeStatus: ReadonlyMap<string | undefined, number> = new Map([
  ["bad_parameter", 400],
  ["unauthorized", 401],
  ["wrong_credentials", 401],
  ["forbidden", 403],
  ["not_found", 404],
  ["rate_limit_exceeded", 429]
])

/**
 * Maps a reply that is an error to its tag: the only such table.
 *
 * Decides on (status, `error.type`) as docs/interface.md 7.2 asks; the message is used for its text alone, and for the
 * best-effort name and value in {@link InvalidRequest}.
 */
export const fromRefusal = (refusal: Refusal): ApiError => {
  const { endpoint, root, trace, plan, limit, retryAfter, longestWait, type } = refusal
  const reason = refusal.text === "" ? `the service answered with status ${refusal.status}` : refusal.text
  // An error object under a 200 means what its type says; of a type not known, that the service broke off.
  const status = refusal.status === 200 ? (typeStatus.get(type) ?? 500) : refusal.status
  if (status === 404 && type === "bad_parameter") return invalid(endpoint, trace, reason)
  switch (status) {
    case 401:
      return new Unauthorized({ endpoint, trace, type, reason })
    case 403:
      return new Forbidden({ endpoint, trace, root, plan, type, reason })
    case 404:
      return new NotFound({ endpoint, trace, type, reason })
    case 410:
      return ended(refusal)
    case 429:
      return new RateLimited({ endpoint, trace, plan, limit, retryAfter, longestWait, attempts: 1 })
  }
  const transient = transientStatus.has(status)
  if (status >= 400 && status < 500 && !transient) return invalid(endpoint, trace, reason)
  const phase = "reply"
  return new Unavailable({
    endpoint,
    trace,
    phase,
    status: refusal.status,
    transient,
    retryAfter: transient ? retryAfter : undefined,
    longestWait: transient ? longestWait : undefined,
    attempts: 1,
    reason
  })
}

/** Builds the error of an endpoint that is deprecated, from what is known of its end. */
export const ended = ({ endpoint, notice, replacement = [], status, trace }: Ended) => {
  const announced = notice?.successor === undefined ? [] : [notice.successor]
  return new Deprecated({
    endpoint,
    trace,
    status: status === 410 ? status : undefined,
    replacement: replacement.length === 0 ? announced : replacement,
    since: notice?.since,
    sunset: notice?.sunset
  })
}

type Ended = Partial<Pick<Refusal, "status" | "trace" | "replacement" | "notice">> & Pick<Refusal, "endpoint">

const invalid = (endpoint: string, trace: string | undefined, reason: string) => {
  const parts = /^Bad parameter '([^']*)'\.(?: (?:Value|Market|Exchange) '([^']*)')?/.exec(reason)
  return new InvalidRequest({ endpoint, trace, kind: "refused", parameter: parts?.[1], value: parts?.[2], reason })
}

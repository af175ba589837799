/**
 * Every error of a call, as one closed union, and the table from status to error.
 *
 * No error holds the API key, a URL with its query, or an error of the HTTP library.
 */
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import { Timestamp } from "./Timestamp.ts"

const text = Schema.optional(Schema.String)
const count = Schema.optional(Schema.Finite)
const duration = Schema.optional(Schema.Duration)
const time = Schema.optional(Timestamp)
const origin = {
  /** Path of the endpoint, such as `/timeseries/asset-metrics`. */
  endpoint: Schema.String,
  /** The reply's `CF-RAY` header, to be quoted to the service's support; absent when no reply came. */
  trace: text
}

/** The reply that refuses a request. */
const refused = {
  ...origin,
  /** The service's stable identifier of the error, such as `not_found`; absent where the body names none. */
  type: text,
  /** The root of the request, without path or query. */
  root: Schema.String,
  reason: Schema.String
}
/** The attempts to get a reply. */
const tried = {
  /** How long the service asked to wait. For a `RateLimited` that was held back also how long the window stays full. */
  retryAfter: duration,
  /** The client's longest wait, where `retryAfter` is longer: the request was not sent again. */
  longestWait: duration,
  /** How often the request was sent. */
  attempts: Schema.Finite,
  /** For a json_stream: the records emitted before. */
  delivered: count
}

/** A message: what happened, at which endpoint, and the name of the reply. */
const say = ({ endpoint, trace }: { readonly endpoint: string; readonly trace?: string | undefined }, what: string) =>
  `${endpoint}${what}${given(trace, (name) => ` (trace ${name})`)}`

/** A part of a message, of what may be absent. */
const given = <A>(value: A | undefined, toText: (value: A) => string) => (value === undefined ? "" : toText(value))

/** A sentence of the service, as a part of ours. */
const part = (sentence: string) => sentence.replace(/(?<!\.)\.$/, "")

/** The message of a refused request: what is wrong, at which root, and the service's reason. */
const sayRefused = (error: Schema.Struct.Type<typeof refused>, what: string, of = "") =>
  say(error, `: ${what} ${error.root}${of}: ${part(error.reason)}`)

/** What the service writes before the reason when it refuses a parameter; and the refused value, where it begins the reason. */
const refusedParameter = /^Bad parameter '([^']*)'\.\s*(?=(?:(?:Value|Market|Exchange|Exchange-asset pair) '([^']*)')?)/

/** How long the service asked to wait, and whether that is longer than the client waits. */
const asked = ({ longestWait, retryAfter }: Pick<RateLimited, "longestWait" | "retryAfter">, words: string) =>
  given(retryAfter, (wait) => {
    const whole = Duration.isFinite(wait) ? Duration.seconds(Math.ceil(Duration.toSeconds(wait))) : wait
    const limit = given(longestWait, (longest) => `, longer than the longest wait of ${Duration.format(longest)}`)
    return `${words} ${Duration.format(whole)}${limit}`
  })

const times = (attempts: number) => (attempts === 1 ? "once" : `${attempts} times`)

const after = (delivered: number | undefined) => given(delivered, (records) => `; after ${records} records`)

/**
 * The service answered 429 more often than the retry policy allows, or the rate limit requires a longer wait than the
 * client's `longestWait`.
 *
 * **Details**
 *
 * Sluice paces itself below the limit. So either others use the same key or address, or the window of the limit is hours
 * long. `retryAfter` is how long the service asked to wait; it is absent when the service did not say. Where `longestWait`
 * is set, the request was not sent again, and where `attempts` is 0 it was never sent. During a wait that is too long,
 * Sluice still sends one request per longest wait, and at most one a minute, to learn whether the wait is over.
 */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  ...origin,
  /** `X-RateLimit-Plan`, such as `trial`. */
  plan: text,
  /** Requests the plan allows in one window; absent where the service named no limit, or the limit is not the reason. */
  limit: count,
  /**
   * Why the client did not send the request, or not again: its `window` is full, an earlier 429 asked for a wait
   * (`retryAfter`), or an earlier 429 named no wait (`refusal`). Absent where the last attempt was answered with 429.
   */
  heldBy: Schema.optional(Schema.Literals(["window", "retryAfter", "refusal"])),
  ...tried
}) {
  override get message() {
    const { attempts, heldBy, plan } = this
    const reason =
      heldBy === undefined
        ? `the rate limit${given(plan, (name) => ` of the ${name} plan`)} was exceeded`
        : heldReason(this)
    const wait = asked(this, heldBy === undefined ? "; the service asked to wait" : " for")
    const tries = heldBy !== undefined && attempts === 0 ? "" : `; sent ${times(attempts)}`
    return say(this, `: ${reason}${wait}${tries}${after(this.delivered)}`)
  }
}

const heldReason = ({ heldBy, limit, plan }: RateLimited) => {
  if (heldBy === "retryAfter") return "the service asked with a 429 to send no request"
  if (heldBy === "refusal") return "after a 429 that named no wait, no request is sent"
  const of = given(limit, (requests) => ` of ${requests} requests`)
  return `the rate limit${of} leaves no request to ${plan === undefined ? "this client" : `the ${plan} plan`}`
}

/** The endpoint is deprecated and the policy is to fail, or the service answered that it is gone (410). */
export class Deprecated extends Schema.TaggedError<Deprecated>()("Deprecated", {
  ...origin,
  /** 410 where the endpoint is gone; absent where it still answers. */
  status: Schema.optional(Schema.Literal(410)),
  /** Paths of the endpoints that replace it; empty where none is published. */
  replacement: Schema.Array(Schema.String),
  /** When it became deprecated, where the reply says so. */
  since: time,
  /** When it stops answering, where the reply says so. */
  sunset: time
}) {
  override get message() {
    const instead = this.replacement.length === 0 ? "" : `; use ${this.replacement.join(", ")} instead`
    if (this.status === 410) return say(this, ` is gone (410)${instead}`)
    const since = given(this.since, (time) => ` since ${day(time)}`)
    const sunset = given(this.sunset, (time) => `, and stops answering on ${day(time)}`)
    return say(this, ` is deprecated${since}${sunset}${instead}`)
  }
}

const day = (time: Timestamp) => time.slice(0, 10)

/**
 * A reply arrived whole but is not what the interface describes.
 *
 * **Details**
 *
 * `path` names the place, such as `data[17].asset`. For pages, `page` counts from 1 within the stream; for json_stream,
 * `line` counts from 1 within the reply. The records of all pages or lines before it were emitted.
 */
export class Decode extends Schema.TaggedError<Decode>()("Decode", {
  ...origin,
  path: Schema.String,
  page: count,
  line: count,
  /** The option whose limit the reply exceeded, such as `limits.maxPageBytes`; absent where the reply itself is wrong. */
  setting: text,
  issue: Schema.String
}) {
  override get message() {
    const { issue, line, page, path } = this
    const where = line === undefined ? given(page, (number) => `page ${number}`) : `line ${line}`
    const place = [where, path].filter((part) => part !== "").join(", ")
    return say(this, `: unexpected reply${place && ` at ${place}`}: ${issue}`)
  }
}

/**
 * A parameter is wrong. Sluice finds this before it sends the request where it knows the rule; otherwise the service does
 * (400, 414).
 */
export class InvalidRequest extends Schema.TaggedError<InvalidRequest>()("InvalidRequest", {
  ...origin,
  /**
   * What is wrong. `missing`: a required parameter is absent. `unknown`: the endpoint has no parameter of this name, or not at the community root.
   * `malformed`: the parameter does not take this value. `excluded`: it cannot be combined with another parameter or with
   * this way of reading. `misplaced`: it belongs elsewhere in the call. `tooLong`: the request is longer than the service
   * reads (414); fewer items in a list make it shorter. `refused`: the service rejected the request.
   */
  kind: Schema.Literals(["missing", "unknown", "malformed", "excluded", "misplaced", "tooLong", "refused"]),
  /** Name of the parameter. When the service refused the request, it is read from the message, where that names one. */
  parameter: text,
  /** The refused value as text. When the service refused the request, it is read from the message where possible. */
  value: text,
  reason: Schema.String
}) {
  override get message() {
    const { kind, parameter, reason } = this
    if (parameter !== undefined && /^(?:is required|is not a p|is disabled|cannot be c|needs ")/.test(reason))
      return say(this, `: ${kind === "unknown" ? "" : "parameter "}"${parameter}" ${reason}`)
    const which = parameter === undefined ? "invalid request" : `invalid parameter "${parameter}"`
    // The name is in the sentence already.
    const isNamed = kind === "refused" && refusedParameter.exec(reason)?.[1] === parameter
    return say(this, `: ${which}: ${part((isNamed && reason.replace(refusedParameter, "")) || reason)}`)
  }
}

/**
 * The service does not accept the key (401): `unauthorized` when none was sent, `wrong_credentials` when it is unknown
 * or expired.
 */
export class Unauthorized extends Schema.TaggedError<Unauthorized>()("Unauthorized", refused) {
  override get message() {
    return sayRefused(this, "no valid key was sent to")
  }
}

/** The key is valid but its licence does not cover the request (403), or the endpoint is not offered at this root. */
export class Forbidden extends Schema.TaggedError<Forbidden>()("Forbidden", {
  ...refused,
  /** `X-RateLimit-Plan` of the reply. */
  plan: text
}) {
  override get message() {
    return sayRefused(this, "forbidden at")
  }
}

/**
 * The service knows no such path or item (404). The message says so where the root does not end in a version, as those of the
 * service do: then every path is unknown.
 */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", refused) {
  override get message() {
    return sayRefused(this, "not found at", /\/v\d+$/.test(this.root) ? "" : ", which does not end in /v4")
  }
}

/**
 * There was no complete reply: the connection failed, a timeout passed, the body was cut off, or the status was one such
 * as 503.
 *
 * **Details**
 *
 * When `transient` is true, the same call may succeed later: the retry policy allowed no further attempt, or the service
 * asked for a longer wait than the client's `longestWait`.
 */
export class Unavailable extends Schema.TaggedError<Unavailable>()("Unavailable", {
  ...origin,
  /** The phase in which the last attempt failed. */
  phase: Schema.Literals(["connect", "reply", "body"]),
  /** `quotaStore`: the store in which processes share the quota cannot be reached, so nothing was sent. Absent otherwise. */
  kind: Schema.optional(Schema.Literal("quotaStore")),
  /** The reply's status, where one came. */
  status: count,
  /** Whether the same request may succeed later. */
  transient: Schema.Boolean,
  ...tried,
  reason: Schema.String
}) {
  override get message() {
    const { attempts, longestWait, phase, reason } = this
    const wait = longestWait === undefined ? "" : asked(this, "; the service asked to wait")
    const tries = attempts > 1 ? `; tried ${times(attempts)}` : ""
    const where = phase === "body" && /-stream\//.test(this.endpoint) ? "stream" : phase
    return say(this, `: unavailable (${where}): ${part(reason)}${wait}${tries}${after(this.delivered)}`)
  }
}

/** Schema of {@link ApiError}, for sending errors between processes. */
export const ApiError = /* @__PURE__ */ Schema.Union([
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
export const isApiError: (value: unknown) => value is ApiError = /* @__PURE__ */ Schema.is(ApiError)

/**
 * A client cannot be built from these settings: the key is missing, the root is no http(s) URL, or another setting is
 * invalid.
 *
 * Not part of {@link ApiError}: the layer fails with it, never a call. A download fails with it too, where an option of
 * the job is unknown or invalid.
 */
export class Misconfigured extends Schema.TaggedError<Misconfigured>()("Misconfigured", {
  /** The option at fault, by its name in code, such as `apiKey`. */
  setting: Schema.String,
  /** The environment variable it was read from, such as `SLUICE_IDLE_TIMEOUT`, if any. */
  variable: text,
  reason: Schema.String
}) {
  override get message() {
    return `${this.variable ?? this.setting}: ${this.reason}`
  }
}

/** The deprecation of an endpoint, as announced by the headers of a reply. */
export interface Notice {
  /** When it becomes or became deprecated; absent where the headers give no date. */
  readonly since: Timestamp | undefined
  /** When it stops answering. */
  readonly sunset: Timestamp | undefined
  /** What to use instead. */
  readonly successor: string | undefined
}

/** An error reply of the service. */
export interface Refusal {
  /** Path of the endpoint. */
  readonly endpoint: string
  /** The root that was asked. */
  readonly root: string
  /** Status of the reply. */
  readonly status: number
  /** What the service calls the request; its support asks for it. */
  readonly trace: string | undefined
  /** The plan of the key, as a header says it. */
  readonly plan: string | undefined
  /** The limit closest to being hit, as a header says it. */
  readonly limit: number | undefined
  /** How long the service asks to wait. */
  readonly retryAfter: Duration.Duration | undefined
  /** The client's longest wait, where `retryAfter` is longer. */
  readonly longestWait: Duration.Duration | undefined
  /** `error.type` of the body, where the body is the service's error object. */
  readonly type: string | undefined
  /** `error.message` of the body, or the start of its text. */
  readonly text: string
  /** Paths that give the same data, of a deprecated endpoint. */
  readonly replacement: ReadonlyArray<string> | undefined
  /** The deprecation announced by the headers of the reply. */
  readonly notice: Notice | undefined
}

/** Statuses after which a retry may help. The statuses 52x come from the edge network. */
const transientStatus = new Set([408, 425, 500, 502, 503, 504, 520, 521, 522, 523, 524, 525, 527, 530])

/** The status that `error.type` implies, for an error that comes with a 200 or as a line of a stream. */
const typeStatus: ReadonlyMap<string | undefined, number> = new Map([
  ["bad_parameter", 400],
  ["unauthorized", 401],
  ["wrong_credentials", 401],
  ["forbidden", 403],
  ["not_found", 404],
  ["rate_limit_exceeded", 429]
])

/**
 * Maps an error reply to an error. This is the only such table.
 *
 * The status and `error.type` decide, as docs/interface.md 7.2 asks. The message gives only the text, and where possible the
 * name and the value in {@link InvalidRequest}.
 */
export const fromRefusal = (refusal: Refusal): ApiError => {
  const { type } = refusal
  const told = { ...refusal, reason: refusal.text === "" ? answered(refusal.status) : refusal.text, attempts: 1 }
  // An error object under a 200 means what its type says. Of an unknown type, it means that the service broke off.
  const status = refusal.status === 200 ? (typeStatus.get(type) ?? 500) : refusal.status
  const transient = transientStatus.has(status)
  // Each error takes the fields it has.
  if (status === 401) return new Unauthorized(told)
  if (status === 403) return new Forbidden(told)
  if (status === 404 && type !== "bad_parameter") return new NotFound(told)
  if (status === 410) return ended(refusal)
  if (status === 429) return new RateLimited(told)
  if (status >= 400 && status < 500 && !transient) return invalid(told)
  return new Unavailable({
    ...told,
    phase: "reply",
    status: refusal.status === 0 ? undefined : refusal.status,
    transient,
    ...(!transient && { retryAfter: undefined, longestWait: undefined })
  })
}

/** A browser shows nothing of a redirect that it does not follow: its status is 0. */
const answered = (status: number) =>
  status === 0
    ? "the service answered with a redirect, which is not followed"
    : `the service answered with status ${status}`

/** Builds the error of a deprecated endpoint. */
export const ended = ({ notice, replacement = [], status, ...origin }: Ended) =>
  new Deprecated({
    ...origin,
    ...notice,
    status: status === 410 ? status : undefined,
    replacement: replacement.length === 0 && notice?.successor !== undefined ? [notice.successor] : replacement
  })

type Ended = Partial<Pick<Refusal, "status" | "trace" | "replacement" | "notice">> & Pick<Refusal, "endpoint">

const invalid = (told: Refusal & { readonly reason: string }) => {
  const parts = refusedParameter.exec(told.reason)
  return new InvalidRequest({ ...told, kind: "refused", parameter: parts?.[1], value: parts?.[2] })
}

/**
 * Maps what a WebSocket tells of its end to errors of the call. The error of the platform is dropped here, because it holds the
 * URL, and so the key.
 */
import * as Duration from "effect/Duration"
import * as Predicate from "effect/Predicate"
import type { Account } from "../../../Account.ts"
import * as ApiError from "../../../ApiError.ts"
import * as Refusal from "../../http/Refusal.ts"
import * as Transport from "../../http/Transport.ts"
import * as RateLimitHeaders from "../../quota/RateLimitHeaders.ts"
import * as Body from "../../wire/Body.ts"

/** What the mapping needs to know about a connection. */
export interface Context {
  readonly endpoint: string
  readonly account: Account["Service"]
  /** The address that was opened, without path or query. */
  readonly root: string
  readonly openWithin: Duration.Duration
  /** The longest wait that the client accepts. */
  readonly longestWait: Duration.Duration
  /** The current time in milliseconds, for dates in headers. */
  readonly now: number
}

/** A reply that refused the handshake, as the transport of `@sluice/node` reports it. */
interface Refused {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Why a connection was not opened, or broke, as the WebSocket tells it. */
export type Cause =
  | { readonly _tag: "Timeout" }
  /** `event` holds the error of the platform, and so the URL with the key. */
  | { readonly _tag: "NotOpened"; readonly event: unknown }
  | { readonly _tag: "Broken"; readonly event: unknown }
  | { readonly _tag: "Closed"; readonly code: number; readonly reason: string | undefined }

/** The error of a connection that was not opened, or that broke. */
export const toApiError = (cause: Cause, context: Context): ApiError.ApiError => {
  switch (cause._tag) {
    case "Timeout":
      return unavailable(context, "connect", `no connection within ${Duration.format(context.openWithin)}`)
    case "NotOpened": {
      const refused = refusedIn(cause.event)
      if (refused !== undefined) return fromRefused(refused, context)
      const { connected, reason, transient } = Transport.explain(causeIn(cause.event))
      return unavailable(context, connected ? "reply" : "connect", reason, transient)
    }
    case "Closed": {
      const said = cause.reason === undefined ? "" : context.account.scrub(cause.reason).slice(0, 200)
      const words = said === "" ? "" : `: ${said}`
      return unavailable(context, "body", `the connection was closed (code ${cause.code}${words})`)
    }
    case "Broken": {
      const said = causeIn(cause.event)
      // The `ws` package says so of a frame beyond its limit, of which it gives nothing.
      if (Predicate.hasProperty(said, "code") && said.code === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH") {
        const issue = "a frame is longer than the WebSocket takes"
        return new ApiError.Decode({ endpoint: context.endpoint, path: "", setting: "maxFrameBytes", issue })
      }
      return unavailable(context, "body", Transport.explain(said).reason)
    }
  }
}

/** Builds the error of a connection that broke, or could not be opened. */
export const unavailable = (
  { endpoint }: Pick<Context, "endpoint">,
  phase: ApiError.Unavailable["phase"],
  reason: string,
  transient = true
): ApiError.Unavailable => new ApiError.Unavailable({ endpoint, phase, reason, transient, attempts: 1 })

/**
 * The error of an error frame. A type that refuses a request is the error of that name; any other, such as `stall`, ends the
 * connection and no more.
 */
export const fromFrame = (said: Body.ErrorBody, context: Omit<Context, "openWithin" | "now">): ApiError.ApiError => {
  const { account, endpoint, longestWait, root } = context
  const { scrub } = account
  const reply = { endpoint, root, status: 200, trace: undefined, replacement: undefined, notice: undefined }
  const error = Refusal.toApiError({ ...reply, limits: {}, longestWait, scrub }, said)
  if (error._tag !== "Unavailable") return error
  const words = said.type === undefined || said.type === said.text ? said.text : `${said.type}: ${said.text}`
  return unavailable({ endpoint }, "body", `the service gave the connection up (${scrub(words).slice(0, 1_000)})`)
}

/** The error inside the event of a WebSocket. */
const causeIn = (event: unknown): unknown => (Predicate.hasProperty(event, "error") ? event.error : event)

const refusedIn = (event: unknown): Refused | undefined => {
  const cause = causeIn(event)
  if (Predicate.isTagged(cause, "HandshakeRefused") && Predicate.hasProperty(cause, "status")) {
    const { status } = cause
    const headers = Predicate.hasProperty(cause, "headers") ? cause.headers : {}
    const body = Predicate.hasProperty(cause, "body") ? cause.body : ""
    return {
      status: Number(status),
      headers: Predicate.isObject(headers) ? textsOf(headers) : {},
      body: Predicate.isString(body) ? body : ""
    }
  }
  // The `ws` package alone says no more than this.
  const said = Predicate.hasProperty(cause, "message") && Predicate.isString(cause.message) ? cause.message : ""
  const status = /^Unexpected server response: (\d{3})$/.exec(said)?.[1]
  return status === undefined ? undefined : { status: Number(status), headers: {}, body: "" }
}

const textsOf = (headers: object): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (Predicate.isString(value) ? [[name.toLowerCase(), value]] : []))
  )

const fromRefused = ({ body, headers, status }: Refused, context: Context) => {
  const { account, endpoint, longestWait, now, root } = context
  const { scrub } = account
  const clean = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, scrub(value)]))
  const limits = RateLimitHeaders.parse(clean, now)
  const trace = Refusal.traceOf(clean)
  if (status === 414 || status === 431) {
    const reason = "the request is longer than this service reads; split the list over several subscriptions"
    return new ApiError.InvalidRequest({ endpoint, trace, kind: "tooLong", reason })
  }
  return Refusal.toApiError(
    {
      endpoint,
      root,
      // A handshake that is answered with a 200 is no handshake.
      status: status < 300 ? 502 : status,
      trace,
      replacement: undefined,
      notice: undefined,
      limits,
      longestWait,
      scrub
    },
    Body.parseError(body, clean["content-type"])
  )
}

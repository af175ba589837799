/**
 * Replies, before they are given to a server or an in-memory client: status, headers and body.
 */
import * as Duration from "effect/Duration"
import type * as Stream from "effect/Stream"
import type { Cut } from "./Body.ts"
import { mix } from "./data/Noise.ts"
import type { Fault } from "./Fault.ts"
import type { Settings } from "./Options.ts"
import type { Refusal } from "./Refusal.ts"
import type { Standing, Window } from "./Window.ts"

/** A body that is sent in one piece with its length, in pieces that are at hand, or in pieces as they are written. */
export type Content =
  | { readonly _tag: "Whole"; readonly bytes: Uint8Array }
  | { readonly _tag: "Pieces"; readonly pieces: ReadonlyArray<Uint8Array> }
  | { readonly _tag: "Streamed"; readonly stream: Stream.Stream<Uint8Array, Cut> }

/** One reply. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly content: Content
}

const encoder = new TextEncoder()

const places = ["SEA", "FRA", "AMS", "IAD", "SIN", "LHR"]

/** Writes the trace header of the n-th reply: sixteen hexadecimal digits and a place (facts.md 5.2). */
export const ray = (n: number): string => {
  const high = mix(0x5a4db0c5, n).toString(16).padStart(8, "0")
  const low = mix(0x1c0ffee5, n).toString(16).padStart(8, "0")
  return `${high}${low}-${places[n % places.length]}`
}

/** Writes the rate-limit headers (facts.md 1.4). */
export const rateHeaders = (
  window: Window,
  standing: Standing,
  form: Settings["rateLimitHeaders"]
): Record<string, string> => {
  if (form === "none") return {}
  const { limit, name } = window.plan
  const plan = { "X-RateLimit-Plan": name }
  if (form === "malformed") {
    return { ...plan, "X-RateLimit-Limit": "many;;w=", "X-RateLimit-Remaining": "-?", "X-RateLimit-Reset": "soon" }
  }
  return {
    ...plan,
    "X-RateLimit-Limit":
      form === "plain" ? String(limit) : `${limit}, ${limit};w=${Duration.toSeconds(window.plan.window)}`,
    "X-RateLimit-Remaining": String(standing.remaining),
    "X-RateLimit-Reset": String(standing.reset)
  }
}

const html = (status: number, text: string) =>
  `<html>\r\n<head><title>${status} ${text}</title></head>\r\n<body>\r\n<center><h1>${status} ${text}</h1></center>\r\n` +
  `<hr><center>sandbox</center>\r\n</body>\r\n</html>\r\n`

/** Writes an error body (facts.md 1.2). */
export const error = (
  status: number,
  body: "json" | "html" | "empty",
  type: string,
  message: string
): Pick<Reply, "status" | "headers" | "content"> => {
  const text =
    body === "empty" ? "" : body === "html" ? html(status, message) : JSON.stringify({ error: { type, message } })
  return {
    status,
    headers: body === "empty" ? {} : { "Content-Type": body === "html" ? "text/html" : "application/json" },
    content: { _tag: "Whole", bytes: encoder.encode(text) }
  }
}

/** Writes the reply to a refused request. */
export const refused = (refusal: Refusal, settings: Settings): Reply =>
  error(
    refusal.status,
    refusal.status === 414 ? "empty" : refusal.status === 429 ? settings.rejectedBody : "json",
    refusal.type,
    refusal.message
  )

const phrases: Readonly<Record<number, readonly [type: string, message: string]>> = {
  400: ["bad_parameter", "Bad parameter 'sandbox'. Value 'fault' is not supported."],
  401: ["unauthorized", "Requested resource requires authorization."],
  403: ["forbidden", "Requested resource is not available with supplied credentials."],
  404: ["not_found", "Not found."],
  410: ["gone", "This endpoint has been removed."],
  429: ["rate_limit_exceeded", "Too Many Requests"],
  500: ["internal_error", "Internal Server Error"],
  502: ["bad_gateway", "Bad Gateway"],
  503: ["service_unavailable", "Service Temporarily Unavailable"],
  524: ["timeout", "A Timeout Occurred"]
}

/** Writes the reply of the fault `status`. */
export const faulty = (fault: Fault): Reply => {
  const [type, message] = phrases[fault.amount] ?? ["sandbox", "A fault that was asked for."]
  const reply = error(fault.amount, fault.body, type, message)
  return fault.retryAfter === undefined
    ? reply
    : { ...reply, headers: { ...reply.headers, "Retry-After": String(fault.retryAfter) } }
}

const notices: { readonly [kind in Fault["kind"]]?: Readonly<Record<string, string>> } = {
  deprecation: { Deprecation: "@1767225600" },
  sunset: { Sunset: "Fri, 01 Jan 2027 00:00:00 GMT" }
}

/** Adds the headers of the faults `deprecation` and `sunset`; no document says that the service sends them. */
export const withNotices = (reply: Reply, faults: ReadonlyArray<Fault>): Reply => ({
  ...reply,
  headers: faults.reduce((headers, { kind }) => ({ ...headers, ...notices[kind] }), reply.headers)
})

/** Tells whether a client asks for a gzip body. */
export const wantsGzip = (acceptEncoding: string | undefined): boolean =>
  (acceptEncoding ?? "")
    .split(",")
    .some((coding) => /^\s*(gzip|\*)\s*(;\s*q=(1|1\.0*|0\.\d*[1-9]\d*)\s*)?$/i.test(coding))

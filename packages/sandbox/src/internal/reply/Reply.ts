/** Replies, before they are given to a server or an in-memory client: status, headers and body. */
import type { Content } from "./Body.ts"
import { mix } from "../random/Noise.ts"
import type { Refusal } from "../request/Refusal.ts"

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly content: Content
}

const encoder = new TextEncoder()

const places = ["SEA", "FRA", "AMS", "IAD", "SIN", "LHR"]

/** Writes the trace header of the n-th reply: sixteen hexadecimal digits and a place (docs/interface.md 1.4). */
export const ray = (n: number): string => {
  const high = mix(0x5a4db0c5, n).toString(16).padStart(8, "0")
  const low = mix(0x1c0ffee5, n).toString(16).padStart(8, "0")
  return `${high}${low}-${places[n % places.length]}`
}

const html = (status: number, text: string) =>
  `<html>\r\n<head><title>${status} ${text}</title></head>\r\n<body>\r\n<center><h1>${status} ${text}</h1></center>\r\n` +
  `<hr><center>sandbox</center>\r\n</body>\r\n</html>\r\n`

export const whole = (status: number, contentType: string | undefined, text: string): Reply => ({
  status,
  headers: contentType === undefined ? {} : { "Content-Type": contentType },
  content: { _tag: "Whole", bytes: encoder.encode(text) }
})

export const json = (status: number, text: string): Reply => whole(status, "application/json", text)

/** Writes an error body (docs/interface.md 7). */
export const error = (status: number, body: "json" | "html" | "empty", type: string, message: string): Reply => {
  if (body === "empty") return whole(status, undefined, "")
  return body === "html"
    ? whole(status, "text/html", html(status, message))
    : json(status, JSON.stringify({ error: { type, message } }))
}

/** Writes the reply to a refused request; the message says, at its end, what is quoted. */
export const refused = (
  refusal: Refusal,
  dialect: { readonly rejectedBody: "json" | "html" | "empty" },
  quoted = ""
): Reply =>
  error(
    refusal.status,
    refusal.status === 414 ? "empty" : refusal.status === 429 ? dialect.rejectedBody : "json",
    refusal.type,
    `${refusal.message}${quoted}`
  )

export const wantsGzip = (acceptEncoding: string | undefined): boolean =>
  (acceptEncoding ?? "")
    .split(",")
    .some((coding) => /^\s*(gzip|\*)\s*(;\s*q=(1|1\.0*|0\.\d*[1-9]\d*)\s*)?$/i.test(coding))

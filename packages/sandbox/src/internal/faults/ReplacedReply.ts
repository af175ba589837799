/** Faults that replace the reply. */
import type { Fault } from "./Spec.ts"
import * as Gzip from "../reply/Gzip.ts"
import * as Reply from "../reply/Reply.ts"
import { envelopes, type Kind } from "./Table.ts"
import type { EchoedText } from "./EchoedText.ts"

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

const status = (fault: Fault, { sentence }: EchoedText): Reply.Reply => {
  const [type, message] = phrases[fault.amount] ?? ["sandbox", "A fault that was asked for."]
  return Reply.error(fault.amount, fault.body, type, `${message}${sentence}`)
}

// An origin is completed with what was asked for, as a service that has moved would do; a longer URL stands as it is.
const redirect = (fault: Fault, url: string): Reply.Reply => {
  const asked = url.replace(/^\/fault\/[^/]*/, "")
  const location = /^https?:\/\/[^/?#]+$/.test(fault.value) ? `${fault.value}${asked}` : fault.value
  const reply = Reply.error(fault.status, "html", "", "Moved")
  return { ...reply, headers: { ...reply.headers, Location: location } }
}

const bomb = (size: number, url: string): Reply.Reply => {
  const isStream = /[?&]format=json_stream(?:&|$)/.test(url)
  return {
    status: 200,
    headers: { "Content-Type": isStream ? "application/x-ndjson" : "application/json", "Content-Encoding": "gzip" },
    content: isStream ? Gzip.bomb("", "{}\n", "", size) : Gzip.bomb('{"data":[{}', ",{}", "]}", size)
  }
}

const replies: { readonly [kind in Kind]?: (fault: Fault, url: string, quotation: EchoedText) => Reply.Reply } = {
  status: (fault, _, quotation) => status(fault, quotation),
  "error-body": (_fault, _url, { sentence }) =>
    Reply.error(200, "json", "internal_error", `The request could not be completed.${sentence}`),
  redirect,
  "gzip-bomb": ({ amount }, url) => bomb(amount, url),
  envelope: ({ value }) => Reply.json(200, envelopes[value] ?? "")
}

/** Builds the reply that replaces the answer; undefined when no fault does. */
export const make = (faults: ReadonlyArray<Fault>, url: string, quotation: EchoedText): Reply.Reply | undefined => {
  const fault = faults.find(({ kind }) => replies[kind] !== undefined)
  return fault && replies[fault.kind]?.(fault, url, quotation)
}

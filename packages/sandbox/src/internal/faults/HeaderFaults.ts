/**
 * Faults of the headers, but for those of the rate limit.
 */
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { Fault } from "./Spec.ts"
import type { Reply } from "../reply/Reply.ts"
import { type EchoedText, terminalHeader } from "./EchoedText.ts"
import { longHeaders } from "./Table.ts"

type Headers = Readonly<Record<string, string | undefined>>

const longHeader = ({ size, value }: Fault): string => {
  const [begin, again] = longHeaders[value] ?? ["", " "]
  return begin + again.repeat(Math.max(0, Math.floor((size - begin.length) / again.length)))
}

const headersOf = (fault: Fault, quotation: EchoedText): Headers => {
  switch (fault.kind) {
    // The service is not known to send these two (docs/interface.md 9.3).
    case "deprecation":
      return { Deprecation: "@1767225600" }
    case "sunset":
      return { Sunset: "Fri, 01 Jan 2027 00:00:00 GMT" }
    case "content-type":
      return { "Content-Type": fault.value === "none" ? undefined : fault.value }
    case "large-header":
      return { "X-Sandbox-Padding": "x".repeat(fault.amount) }
    case "long-header":
      return { [fault.value]: longHeader(fault) }
    case "control-text":
      return { "CF-RAY": terminalHeader }
    case "echo-key":
      return quotation.key === "" ? {} : { "CF-RAY": quotation.key, "X-RateLimit-Plan": quotation.key }
    default:
      return {}
  }
}

const present = (headers: Headers): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined))

/** Applies the faults of headers; they come last, and so replace what stands there. */
export const apply = Effect.fnUntraced(function* (reply: Reply, faults: ReadonlyArray<Fault>, quotation: EchoedText) {
  const now = yield* Clock.currentTimeMillis
  const asked = faults.find(({ retryAfter }) => retryAfter !== undefined)?.retryAfter
  const waiting = { ...reply.headers, ...(asked === undefined ? {} : { "Retry-After": retryAfter(asked, now) }) }
  const all = faults.reduce<Headers>((headers, fault) => ({ ...headers, ...headersOf(fault, quotation) }), waiting)
  return { ...reply, headers: present(all) }
})

/** Writes the wait of a Retry-After header: `date:2` is the moment two seconds from now. */
const retryAfter = (wait: string, now: number): string => {
  const seconds = /^date:(-?\d+)$/.exec(wait)?.[1]
  return seconds === undefined
    ? wait
    : DateTime.toDateUtc(DateTime.makeUnsafe(now + Number(seconds) * 1000)).toUTCString()
}

/** Faults of the headers, but for those of the rate limit. */
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { Fault } from "./Spec.ts"
import type { Reply } from "../reply/Reply.ts"
import { type EchoedText, terminalHeader } from "./EchoedText.ts"
import { type Kind, longHeaders } from "./Table.ts"

type Headers = Readonly<Record<string, string | undefined>>

const longHeader = ({ size, value }: Fault): string => {
  const [begin, again] = longHeaders[value] ?? ["", " "]
  return begin + again.repeat(Math.max(0, Math.floor((size - begin.length) / again.length)))
}

const headersOf: { readonly [kind in Kind]?: (fault: Fault, quotation: EchoedText) => Headers } = {
  // The service is not known to send these two (docs/interface.md 9.3).
  deprecation: () => ({ Deprecation: "@1767225600" }),
  sunset: () => ({ Sunset: "Fri, 01 Jan 2027 00:00:00 GMT" }),
  "content-type": ({ value }) => ({ "Content-Type": value === "none" ? undefined : value }),
  "large-header": ({ amount }) => ({ "X-Sandbox-Padding": "x".repeat(amount) }),
  "long-header": (fault) => ({ [fault.value]: longHeader(fault) }),
  "control-text": () => ({ "CF-RAY": terminalHeader }),
  "echo-key": (_, { key }) => (key === "" ? {} : { "CF-RAY": key, "X-RateLimit-Plan": key })
}

const present = (headers: Headers): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined))

/** Applies the faults of headers; they come last, and so replace what stands there. */
export const apply = Effect.fnUntraced(function* (reply: Reply, faults: ReadonlyArray<Fault>, quotation: EchoedText) {
  const now = yield* Clock.currentTimeMillis
  const asked = faults.find(({ retryAfter }) => retryAfter !== undefined)?.retryAfter
  const waiting = { ...reply.headers, ...(asked === undefined ? {} : { "Retry-After": retryAfter(asked, now) }) }
  const all = faults.reduce<Headers>(
    (headers, fault) => ({ ...headers, ...headersOf[fault.kind]?.(fault, quotation) }),
    waiting
  )
  return { ...reply, headers: present(all) }
})

/** Writes the wait of a Retry-After header: `date:2` is the moment two seconds from now. */
const retryAfter = (wait: string, now: number): string => {
  const seconds = /^date:(-?\d+)$/.exec(wait)?.[1]
  return seconds === undefined
    ? wait
    : DateTime.toDateUtc(DateTime.makeUnsafe(now + Number(seconds) * 1000)).toUTCString()
}

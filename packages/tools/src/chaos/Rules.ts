/**
 * What each kind of fault may do to a stream, and nothing else: the table the judge goes by.
 */
import type { Account, ApiError } from "@sluice/core"
import type * as Fault from "@sluice/sandbox/Fault"
import type * as Spec from "../../../sandbox/src/internal/faults/Spec.ts"

/** Name of an error. */
export type Tag = ApiError.ApiError["_tag"]

/** What the meaning of a fault may depend on. */
export interface Setting {
  readonly world: "memory" | "wire"
  /** Read as json_stream. */
  readonly isLines: boolean
  /** Read page by page. */
  readonly isPaged: boolean
  /** Whether the client asks for compressed replies, and unpacks them. */
  readonly gzip: boolean
  /** Milliseconds, each. */
  readonly firstByte: number
  readonly idle: number
  readonly latency: number
  /** Bytes, each. */
  readonly limits: { readonly maxPageBytes: number; readonly maxLineBytes: number }
  readonly deprecated: Account.DeprecatedPolicy
  /** Whether a record without this field is none. */
  readonly needs: (field: string) => boolean
  /** Whether a record with another type in this field is none. */
  readonly refuses: (field: string) => boolean
}

/** What a fault may do. A fault without any of these has to pass without a trace. */
export interface Verdict {
  /** The attempt may fail, and another may not: the stream goes on, or ends with this when the policy is used up. */
  readonly costs?: Tag
  /** The stream may end with these at once. */
  readonly ends?: ReadonlyArray<Tag>
  /** The stream has to end with one of these, if the reply has no other fault. */
  readonly surely?: true
  /** A later request may end the stream with these. */
  readonly later?: ReadonlyArray<Tag>
  /** The reply may look whole and be short. */
  readonly shortens?: true
  /** The pages may lead back to the first one. */
  readonly repeats?: true
  /** The records may carry what the fault does to them, or be written in another way. */
  readonly alters?: true
  /** The records may be wrong, until it shows. */
  readonly corrupts?: true
}

type Rule = (fault: Spec.Fault, setting: Setting) => Verdict

const passes: Verdict = {}
const costs: Verdict = { costs: "Unavailable" }
const alters: Verdict = { alters: true }

/** What cannot be read is asked for once more. */
const damage: Verdict = { costs: "Decode" }

/** Read again after a cut, lines have to be what they were; what is not ends the stream. */
const changed: ReadonlyArray<Tag> = ["Unavailable"]

/** The end of a body cannot be told from a cut between two lines. */
const shortens: Verdict = { shortens: true, ends: changed }

const always = (verdict: Verdict) => () => verdict

const lines =
  (verdict: Verdict): Rule =>
  (_, { isLines }) =>
    isLines ? verdict : passes

const pages =
  (verdict: Verdict): Rule =>
  (_, { isPaged }) =>
    isPaged ? verdict : passes

/** Statuses after which another attempt may help (docs/interface.md 7.2). */
const transient = new Set([408, 425, 500, 502, 503, 504, 520, 521, 522, 523, 524, 525, 527, 530])

const tagOf: Readonly<Record<number, Tag>> = {
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  410: "Deprecated"
}

const status: Rule = ({ amount, body }, { isLines, isPaged }) => {
  if (amount === 429) return { costs: "RateLimited" }
  if (transient.has(amount)) return costs
  if (amount !== 200) {
    // The token of a page may be what made the address too long.
    if (amount === 414) return { ends: ["InvalidRequest", ...(isPaged ? (["Decode"] as const) : [])], surely: true }
    const other: Tag = amount >= 400 && amount < 500 ? "InvalidRequest" : "Unavailable"
    return { ends: [tagOf[amount] ?? other], surely: true }
  }
  // An error object of a type that nobody knows: the service broke off. Nothing at all, as lines, is a list of none.
  if (body === "json") return costs
  if (body === "html") return { ...damage, ends: isLines ? ["Decode", ...changed] : ["Decode"] }
  return isLines ? { ...costs, ...shortens } : costs
}

/** No line at first, for it lacks its end; then, the same again, a line that is no record. */
const envelope: Rule = ({ value }, { isLines }) => {
  // Nothing at all is a list of none, but for a reply that has to begin with the last record there is.
  if (value === "nothing") return isLines ? { ...costs, ...shortens } : costs
  return isLines ? { ...costs, ends: ["Decode", ...changed] } : { ends: ["Decode"], surely: true }
}

/** A field that is needed, or refused when it has another type. */
const refusedIf =
  (breaks: (setting: Setting) => (field: string) => boolean): Rule =>
  ({ value }, setting) => ({
    ...(setting.isLines && breaks(setting)(value) ? damage : {}),
    alters: true,
    ends: breaks(setting)(value) ? ["Decode"] : []
  })

const truncates: Rule = (_, { isLines }) => (isLines ? { ...costs, ...shortens } : costs)

/** A record with so many bytes more, or all records of a reply, be it one. */
const pads: Rule = ({ amount }, { isLines, limits }) => ({
  alters: true,
  ends: amount >= (isLines ? limits.maxLineBytes : limits.maxPageBytes) ? ["Decode"] : []
})

/**
 * Damaged where it is unpacked; where it is not, no text. The checksum stands at the end: lines of a body that is longer
 * than what is unpacked at once are read before anybody can know.
 */
const damages: Rule = ({ kind }, { gzip, isLines, world }) => {
  const isUnpacked = world === "wire" && gzip
  const corrupts: Verdict = isUnpacked && isLines && kind === "gzip-corrupt" ? { corrupts: true } : {}
  return { ...costs, ...corrupts, ends: isUnpacked ? ["Decode"] : ["Decode", ...changed] }
}

const announced: Rule = (_, { deprecated }) => (deprecated === "fail" ? { ends: ["Deprecated"], surely: true } : passes)

/** Every kind there is; a new one without a rule does not compile. */
export const rules: { readonly [Kind in Fault.Kind]: Rule } = {
  reset: always(costs),
  close: always(costs),
  garbage: always(costs),
  "content-length": always(costs),
  stall: always(costs),
  // Several in one reply add up.
  slow: ({ amount }, { firstByte, idle, latency }) =>
    3 * amount + latency < Math.min(firstByte, idle) ? passes : costs,
  status,
  "error-body": always(costs),
  // Never followed: the key would go along.
  redirect: always({ ends: ["Unavailable"], surely: true }),
  envelope,
  // Records without a field, or, where nothing unpacks them, no text.
  "gzip-bomb": (_, { isLines }) => ({ ...costs, ends: isLines ? ["Decode", ...changed] : ["Decode", "Unavailable"] }),
  "extra-fields": always(alters),
  "wrong-type": refusedIf(({ refuses }) => refuses),
  missing: refusedIf(({ needs }) => needs),
  "duplicate-keys": always(alters),
  "proto-keys": always(alters),
  number: always(alters),
  deep: always(alters),
  "long-line": pads,
  "large-page": pads,
  "empty-page": always(passes),
  // The judge looks for the records that are left.
  removed: always(passes),
  overlap: pages({ ends: ["Decode"] }),
  reversed: pages({ ends: ["Decode"] }),
  tail: always(passes),
  "second-data": (_, { isLines }) => (isLines ? passes : { ends: ["Decode"] }),
  warnings: always(passes),
  // Beyond 10,000 characters the service would refuse what it asks for itself.
  // A page that is asked for once more has to lead to the same place.
  "long-token": pages({ ends: ["Decode"], later: ["Decode"] }),
  // The first page, asked for by a token, is not known to have been there.
  "repeat-token": pages({ ends: ["Decode"], repeats: true }),
  "cycle-token": pages({ ends: ["Decode"], later: ["Decode"], repeats: true }),
  "foreign-token": pages({ ends: ["Decode"], later: ["InvalidRequest", "Decode"] }),
  "foreign-next-url": always(passes),
  // Nobody can tell; the judge looks whether it ended where it may have been cut.
  "truncate-line": lines({ ...costs, ...shortens }),
  "cut-line": lines(costs),
  "error-line": lines(costs),
  "blank-lines": always(passes),
  crlf: always(passes),
  "bom-line": lines({ alters: true, ends: ["Decode"] }),
  "reset-after": always(costs),
  "close-after": (fault, setting) => (fault.framing === "none" ? truncates(fault, setting) : costs),
  "stall-after": always(costs),
  "truncate-after": truncates,
  // A page without its end is taken for one that was cut; any other is asked for once more.
  damage: always({ ...costs, ends: ["Decode"] }),
  drip: always(passes),
  endless: always({ ends: ["Decode"], surely: true }),
  bom: always(passes),
  "split-utf8": always(alters),
  latin1: always({ ...damage, alters: true, ends: ["Decode"] }),
  "gzip-cut": damages,
  "gzip-corrupt": damages,
  // Unpacked in vain, or not at all.
  "content-encoding": ({ value }, { world }) => (world === "wire" && value !== "identity" ? costs : passes),
  deprecation: announced,
  sunset: announced,
  "content-type": always(passes),
  "large-header": ({ amount }, { world }) => (world === "wire" && amount > 12_000 ? { ends: ["Unavailable"] } : passes),
  "long-header": ({ value }, { deprecated }) =>
    /Deprecation|Sunset/.test(value) && deprecated === "fail" ? { ends: ["Deprecated"] } : passes,
  "control-text": always(passes),
  "echo-key": always(passes),
  "rate-headers": always(passes)
}

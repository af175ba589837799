/**
 * The effects that each kind of fault may have on a stream. The judge allows no others.
 */
import type { Account, ApiError } from "@sluice/core"
import type * as Fault from "@sluice/sandbox/Fault"
import type * as Spec from "../../../sandbox/src/internal/faults/Spec.ts"

/** Name of an error. */
export type Tag = ApiError.ApiError["_tag"]

/** What the effects of a fault depend on. */
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
  /** Whether a record with a field that nobody knows is none, unless its value is text or null: every field is data. */
  readonly isOpenMap: boolean
}

/** The possible effects of a fault. A fault without any must not change the result. */
export interface AllowedEffects {
  /** The attempt may fail with this error and be retried. The stream ends with it when the policy allows no more attempts. */
  readonly retryable?: Tag
  /** The stream may fail with these errors at once. */
  readonly fatal?: ReadonlyArray<Tag>
  /** The stream must fail with one of them, if the reply has no other fault. */
  readonly mustFail?: true
  /** A later request may fail the stream with these errors. */
  readonly fatalLater?: ReadonlyArray<Tag>
  /** The reply may look complete although records are missing. */
  readonly shortens?: true
  /** The pages may lead back to the first one. */
  readonly repeats?: true
  /** The records may be changed by the fault, or written differently. */
  readonly alters?: true
  /** The records may be wrong until the damage is detected. */
  readonly corrupts?: true
}

type Rule = (fault: Spec.Fault, setting: Setting) => AllowedEffects

const harmless: AllowedEffects = {}
const retried: AllowedEffects = { retryable: "Unavailable" }
const alters: AllowedEffects = { alters: true }

/** An unreadable reply is requested once more. */
const damage: AllowedEffects = { retryable: "Decode" }

/** Lines read again after a cut must be the same; otherwise the stream fails. */
const changed: ReadonlyArray<Tag> = ["Unavailable"]

/** The end of a body cannot be told from a cut between two lines. */
const shortens: AllowedEffects = { shortens: true, fatal: changed }

const always = (verdict: AllowedEffects) => () => verdict

const lines =
  (verdict: AllowedEffects): Rule =>
  (_, { isLines }) =>
    isLines ? verdict : harmless

const pages =
  (verdict: AllowedEffects): Rule =>
  (_, { isPaged }) =>
    isPaged ? verdict : harmless

/** Statuses after which another attempt may help (docs/interface.md 7.2). */
const transient = new Set([408, 425, 500, 502, 503, 504, 520, 521, 522, 523, 524, 525, 527, 530])

const tagOf: Readonly<Record<number, Tag>> = {
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  410: "Deprecated"
}

const status: Rule = ({ amount, body }, { isLines, isPaged }) => {
  if (amount === 429) return { retryable: "RateLimited" }
  if (transient.has(amount)) return retried
  if (amount !== 200) {
    // The token of a page may be what made the address too long.
    if (amount === 414) return { fatal: ["InvalidRequest", ...(isPaged ? (["Decode"] as const) : [])], mustFail: true }
    const other: Tag = amount >= 400 && amount < 500 ? "InvalidRequest" : "Unavailable"
    return { fatal: [tagOf[amount] ?? other], mustFail: true }
  }
  // An error object of a type that nobody knows: the service broke off. Nothing at all, as lines, is a list of none.
  if (body === "json") return retried
  if (body === "html") return { ...damage, fatal: isLines ? ["Decode", ...changed] : ["Decode"] }
  return isLines ? { ...retried, ...shortens } : retried
}

/** No line at first, for it lacks its end; then, the same again, a line that is no record. */
const envelope: Rule = ({ value }, { isLines }) => {
  // Nothing at all is a list of none, but for a reply that has to begin with the last record there is.
  if (value === "nothing") return isLines ? { ...retried, ...shortens } : retried
  return isLines ? { ...retried, fatal: ["Decode", ...changed] } : { fatal: ["Decode"], mustFail: true }
}

/** A field that is needed, or refused when it has another type. */
const refusedIf =
  (breaks: (setting: Setting) => (field: string) => boolean): Rule =>
  ({ value }, setting) => ({
    ...(setting.isLines && breaks(setting)(value) ? damage : {}),
    alters: true,
    fatal: breaks(setting)(value) ? ["Decode"] : []
  })

const truncates: Rule = (_, { isLines }) => (isLines ? { ...retried, ...shortens } : retried)

/** Fields that nobody knows, with objects, lists or numbers. */
const addsFields: Rule = (_, { isLines, isOpenMap }) => ({
  ...(isLines && isOpenMap ? damage : {}),
  alters: true,
  fatal: isOpenMap ? ["Decode"] : []
})

/** A record with so many bytes more, or all records of a reply, be it one. */
const pads: Rule = ({ amount }, { isLines, limits }) => ({
  alters: true,
  fatal: amount >= (isLines ? limits.maxLineBytes : limits.maxPageBytes) ? ["Decode"] : []
})

/**
 * Damaged where it is unpacked; where it is not, no text. The checksum stands at the end: lines of a body that is longer
 * than what is unpacked at once are read before anybody can know.
 */
const damages: Rule = ({ kind }, { gzip, isLines, world }) => {
  const isUnpacked = world === "wire" && gzip
  const corrupts: AllowedEffects = isUnpacked && isLines && kind === "gzip-corrupt" ? { corrupts: true } : {}
  return { ...retried, ...corrupts, fatal: isUnpacked ? ["Decode"] : ["Decode", ...changed] }
}

const announced: Rule = (_, { deprecated }) =>
  deprecated === "fail" ? { fatal: ["Deprecated"], mustFail: true } : harmless

/** Every kind there is; a new one without a rule does not compile. */
export const rules: { readonly [Kind in Fault.Kind]: Rule } = {
  reset: always(retried),
  close: always(retried),
  garbage: always(retried),
  "content-length": always(retried),
  stall: always(retried),
  // Several in one reply add up.
  slow: ({ amount }, { firstByte, idle, latency }) =>
    3 * amount + latency < Math.min(firstByte, idle) ? harmless : retried,
  status,
  "error-body": always(retried),
  // Never followed: the key would go along.
  redirect: always({ fatal: ["Unavailable"], mustFail: true }),
  envelope,
  // Records without a field, or, where nothing unpacks them, no text.
  "gzip-bomb": (_, { isLines }) => ({
    ...retried,
    fatal: isLines ? ["Decode", ...changed] : ["Decode", "Unavailable"]
  }),
  "extra-fields": addsFields,
  "wrong-type": refusedIf(({ refuses }) => refuses),
  missing: refusedIf(({ needs }) => needs),
  "duplicate-keys": always(alters),
  "proto-keys": addsFields,
  number: addsFields,
  deep: addsFields,
  "long-line": pads,
  "large-page": pads,
  "empty-page": always(harmless),
  // The judge looks for the records that are left.
  removed: always(harmless),
  overlap: pages({ fatal: ["Decode"] }),
  reversed: pages({ fatal: ["Decode"] }),
  tail: always(harmless),
  "second-data": (_, { isLines }) => (isLines ? harmless : { fatal: ["Decode"] }),
  warnings: always(harmless),
  // Beyond 10,000 characters the service would refuse what it asks for itself.
  // A page that is asked for once more has to lead to the same place.
  "long-token": pages({ fatal: ["Decode"], fatalLater: ["Decode"] }),
  // The first page, asked for by a token, is not known to have been there.
  "repeat-token": pages({ fatal: ["Decode"], repeats: true }),
  "cycle-token": pages({ fatal: ["Decode"], fatalLater: ["Decode"], repeats: true }),
  "foreign-token": pages({ fatal: ["Decode"], fatalLater: ["InvalidRequest", "Decode"] }),
  "foreign-next-url": always(harmless),
  // Nobody can tell; the judge looks whether it ended where it may have been cut.
  "truncate-line": lines({ ...retried, ...shortens }),
  "cut-line": lines(retried),
  "error-line": lines(retried),
  "blank-lines": always(harmless),
  crlf: always(harmless),
  "bom-line": lines({ alters: true, fatal: ["Decode"] }),
  "reset-after": always(retried),
  "close-after": (fault, setting) => (fault.framing === "none" ? truncates(fault, setting) : retried),
  "stall-after": always(retried),
  "truncate-after": truncates,
  // A page without its end is taken for one that was cut; any other is asked for once more.
  damage: always({ ...retried, fatal: ["Decode"] }),
  drip: always(harmless),
  endless: always({ fatal: ["Decode"], mustFail: true }),
  bom: always(harmless),
  "split-utf8": always(alters),
  latin1: always({ ...damage, alters: true, fatal: ["Decode"] }),
  "gzip-cut": damages,
  "gzip-corrupt": damages,
  // Unpacked in vain, or not at all.
  "content-encoding": ({ value }, { world }) => (world === "wire" && value !== "identity" ? retried : harmless),
  deprecation: announced,
  sunset: announced,
  "content-type": always(harmless),
  "large-header": ({ amount }, { world }) =>
    world === "wire" && amount > 12_000 ? { fatal: ["Unavailable"] } : harmless,
  "long-header": ({ value }, { deprecated }) =>
    /Deprecation|Sunset/.test(value) && deprecated === "fail" ? { fatal: ["Deprecated"] } : harmless,
  "control-text": always(harmless),
  "echo-key": always(harmless),
  "rate-headers": always(harmless)
}

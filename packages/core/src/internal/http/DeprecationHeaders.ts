/**
 * Reads the headers that announce the deprecation of an endpoint: `Deprecation` (RFC 9745 and the drafts before it) and
 * `Sunset` (RFC 8594), with the successor that a `Link` may name.
 *
 * The service is not known to send any of them yet (docs/interface.md 9.3).
 */
import * as Headers from "effect/http/Headers"
import * as Result from "effect/Result"
import type { Notice } from "../../ApiError.ts"
import * as Timestamp from "../../Timestamp.ts"

// The years 0 to 9999.
const [earliestSecond, latestSecond] = [-62_167_219_200, 253_402_300_799]

/** A date as HTTP writes it, or seconds since 1970 as `@1688169599`. */
const moment = (text: string | undefined): Timestamp.Timestamp | undefined => {
  // Nearly every reply comes without the header: to have its absence refused as a date costs two errors with their stacks.
  if (text === undefined) return undefined
  const seconds = Number(/^@(-?\d{1,12})$/.exec(text)?.[1])
  if (seconds >= earliestSecond && seconds <= latestSecond)
    return Timestamp.fromEpochNanos(BigInt(seconds) * 1_000_000_000n)
  return Result.getOrUndefined(Result.map(Headers.parseHttpDate(text), Timestamp.fromDateTime))
}

/** A longer `Link` is ignored, so that reading it stays cheap. */
const longestLink = 8_192

/**
 * A target and its parameters, up to the next comma. Quoted texts may hold commas. Takes linear time whatever the
 * header holds.
 */
const targets = /<([^<>]*)>([^,"]*(?:"[^"]*"[^,"]*)*)/g

const parameter = /;\s*([^\s=;"]+)\s*(?:=\s*(?:"([^"]*)"|([^\s";]*)))?/g

const isSuccessor = (text: string) =>
  [...text.matchAll(parameter)].some(
    ([, name = "", quoted, bare = ""]) =>
      name.toLowerCase() === "rel" && (quoted ?? bare).toLowerCase().split(/\s/).includes("successor-version")
  )

const successor = (link = "") => {
  for (const [, target = "", text = ""] of link.length > longestLink ? [] : link.matchAll(targets)) {
    // A query may carry the key, and does not identify the successor.
    if (isSuccessor(text)) return target.replace(/[?#].*$/s, "") || undefined
  }
  return undefined
}

/** Reads the headers of one reply. Returns nothing when they announce no deprecation. */
export const parse = (
  headers: Readonly<Record<string, string | undefined>>,
  scrub: (text: string) => string
): Notice | undefined => {
  const deprecation = headers["deprecation"]?.trim()
  const sunset = moment(headers["sunset"]?.trim())
  const isDeprecated = deprecation !== undefined && !/^(?:|\?0|false)$/i.test(deprecation)
  if (!isDeprecated && sunset === undefined) return undefined
  const target = successor(headers["link"])
  return {
    since: moment(deprecation),
    sunset,
    successor: target === undefined ? undefined : scrub(target).slice(0, 500)
  }
}

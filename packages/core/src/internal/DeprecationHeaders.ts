/**
 * What a reply's headers say of the end of its endpoint: `Deprecation` (RFC 9745 and the drafts before it) and `Sunset`
 * (RFC 8594), with the successor that a `Link` may name.
 *
 * The service is not known to send any of them (facts.md 5); its next one may.
 */
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import type { Notice } from "../ApiError.ts"
import * as Timestamp from "../Timestamp.ts"

// The years 0 to 9999.
const [earliestSecond, latestSecond] = [-62_167_219_200, 253_402_300_799]

/** The date of today's HTTP, and that of its first edition, which readers must know as well. */
const httpDate = /^[A-Z][a-z]+, (\d{2})(?: [A-Z][a-z]{2} \d{4}|-[A-Z][a-z]{2}-\d{2}) \d{2}:\d{2}:\d{2} GMT$/

/** A date as HTTP writes it, or seconds since 1970 as `@1688169599`. */
const moment = (text: string | undefined): Timestamp.Timestamp | undefined => {
  const seconds = Number(/^@(-?\d{1,12})$/.exec(text ?? "")?.[1])
  if (seconds >= earliestSecond && seconds <= latestSecond)
    return Timestamp.fromEpochNanos(BigInt(seconds) * 1_000_000_000n)
  const day = httpDate.exec(text ?? "")?.[1]
  const date = day === undefined ? Option.none() : DateTime.make(text ?? "")
  // A day such as 31 February would roll over into March: its number then differs.
  return Option.isSome(date) && DateTime.formatIso(date.value).slice(8, 10) === day
    ? Timestamp.fromDateTime(date.value)
    : undefined
}

/** One target of a `Link` with its parameters, whose quoted texts may hold commas. */
const links = /<([^>]*)>((?:[^,"]|"[^"]*")*)/g

const successor = (link: string | undefined) => {
  for (const [, target = "", parameters = ""] of (link ?? "").matchAll(links)) {
    // A query may carry the key, and says nothing about what the successor is.
    if (/;\s*rel\s*=\s*"?[^";]*\bsuccessor-version\b/i.test(parameters)) {
      return target.replace(/[?#].*$/s, "") || undefined
    }
  }
  return undefined
}

/** Reads the headers of one reply, as they came; nothing when they announce no end. */
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

/**
 * The check of options, for programs that no compiler has checked: Node.js runs TypeScript without checking types, and JavaScript
 * has none.
 *
 * `@sluice/node` does more of this for its many options, in modules that it does not export. A worker and a cluster have few, so this is enough.
 */
import { Misconfigured } from "@sluice/core/ApiError"
import * as Endpoint from "@sluice/core/Endpoint"
import { harmless } from "@sluice/core/PlainText"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"

/** Which values an option may have. */
export interface Rule {
  readonly allows: (value: unknown) => boolean
  /** Its values in words. */
  readonly expected: string
}

/** The same, of an option that may be left out. */
export const optional = ({ allows, expected }: Rule): Rule => ({
  allows: (value) => value === undefined || allows(value),
  expected
})

/** Operations of the service that give lists of records. */
export const endpoints: Rule = {
  allows: (value) => Array.isArray(value) && value.every(Endpoint.isEndpoint),
  expected: "a list of endpoints of many records, such as [Timeseries.assetMetrics]"
}

/** How many of something. */
export const count: Rule = {
  allows: (value) => Predicate.isNumber(value) && value >= 1,
  expected: "a number from 1 up"
}

/** A whole number, also a negative one. */
export const integer: Rule = {
  allows: (value) => Number.isSafeInteger(value) && Math.abs(Number(value)) < 2 ** 31,
  expected: "a whole number"
}

/** A time, or Infinity. */
export const duration: Rule = {
  allows: (value) => {
    // Type boundary: whatever is no duration gives none.
    const found = Duration.fromInput(value as Duration.Input)
    return Option.isSome(found) && Duration.toMillis(found.value) >= 0
  },
  expected: 'a time from 0 up, such as "30 days"'
}

/** Text that is not empty. */
export const text: Rule = {
  allows: (value) => Predicate.isString(value) && value.trim() !== "",
  expected: "text that is not empty"
}

/** Text that is not to be shown. */
export const redacted: Rule = {
  allows: (value) => Redacted.isRedacted(value) && Predicate.isString(Redacted.value(value)),
  expected: "a Redacted: Redacted.make(text)"
}

/** The shortest secret: as many characters as nobody tries all of. */
const shortest = 16

/** A secret that nobody guesses. */
export const secret: Rule = {
  allows: (value) => {
    const text = Redacted.isRedacted(value) ? Redacted.value(value) : undefined
    return Predicate.isString(text) && text.length >= shortest
  },
  expected: `a Redacted of at least ${shortest} characters: Redacted.make(text)`
}

/**
 * Builds the check that fails at the first option that is unknown or has none of its values. No value is quoted: it may
 * be secret.
 */
export const checker =
  (rules: Readonly<Record<string, Rule>>) =>
  (given: object): Effect.Effect<void, Misconfigured> =>
    Effect.suspend(() => {
      const known = new Map(Object.entries(rules))
      const unknown = Object.keys(given).find((name) => !known.has(name))
      if (unknown !== undefined) {
        const reason = `is not an option; the options are ${[...known.keys()].join(", ")}`
        return Effect.fail(new Misconfigured({ setting: harmless(unknown), reason }))
      }
      const wrong = [...known].find(([name, { allows }]) => !allows(Reflect.get(given, name)))
      if (wrong === undefined) return Effect.void
      const [setting, { expected }] = wrong
      return Effect.fail(new Misconfigured({ setting, reason: `must be ${expected}` }))
    })

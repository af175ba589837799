/**
 * Reads settings through the current `ConfigProvider`, which is the environment unless a program provides another. For
 * layers that have settings in addition to those of `Client.layerConfig`.
 */
import * as Config from "effect/Config"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { Misconfigured } from "./ApiError.ts"

/** How the text of a variable becomes the value of an option. */
export interface Kind<A> {
  /** What the variable may hold, as part of an error message: "a duration such as 30 seconds, or Infinity". */
  readonly expected: string
  /** None when the text is no such value. */
  readonly parse: (text: string) => Option.Option<A>
}

/**
 * Reads the variable `SLUICE_<name>`; undefined when it is not set.
 *
 * Fails with `Misconfigured` when the text is no value of this kind. The error names the variable and what it may hold. It
 * does not quote the text, which may be a key in the wrong variable.
 */
export const read = Effect.fnUntraced(function* <A>(name: string, setting: string, { expected, parse }: Kind<A>) {
  const refused = () => new Misconfigured({ setting, variable: `SLUICE_${name}`, reason: `expected ${expected}` })
  const config = Config.option(Config.NonEmptyString(name)).pipe(Config.nested("SLUICE"))
  const text = yield* Effect.catch(config, (error) =>
    Effect.fail(Schema.isSchemaError(error.cause) ? refused() : error)
  )
  const given = Option.getOrElse(text, () => "").trim()
  if (given === "") return undefined
  const value = parse(given)
  return Option.isSome(value) ? value.value : yield* refused()
})

const durationOf = (text: string) =>
  // Type boundary: `fromInput` gives none for text that is no duration.
  Duration.fromInput((/^infinity$/i.test(text) ? "Infinity" : text) as Duration.Input)

/** A duration above zero. */
export const timeout: Kind<Duration.Duration> = {
  expected: "a duration above zero such as 30 seconds, or Infinity",
  parse: (text) => Option.filter(durationOf(text), Duration.isPositive)
}

/** A duration of zero or more. */
export const wait: Kind<Duration.Duration> = {
  expected: "a duration such as 30 seconds, or Infinity",
  parse: (text) => Option.filter(durationOf(text), (duration) => !Duration.isNegative(duration))
}

const numberOf = Schema.decodeUnknownOption(Schema.FiniteFromString)

/** A number from `least` up. */
export const number = (least: number, unit: string): Kind<number> => ({
  expected: `${unit}, a number from ${least} up`,
  parse: (text) => Option.filter(numberOf(text), (value) => value >= least)
})

/** A whole number from 1 up. */
export const count: Kind<number> = {
  expected: "a whole number from 1 up",
  parse: (text) => Option.filter(numberOf(text), (value) => Number.isSafeInteger(value) && value >= 1)
}

/** One of some words. */
export const word = <const Word extends string>(words: ReadonlyArray<Word>): Kind<Word> => ({
  expected: words.join(" or "),
  parse: (text) => Option.fromUndefinedOr(words.find((word) => word === text))
})

/** Any text. */
export const text: Kind<string> = { expected: "text", parse: Option.some }

const booleans = new Map([
  ...["true", "yes", "on", "y", "1"].map((name) => [name, true] as const),
  ...["false", "no", "off", "n", "0"].map((name) => [name, false] as const)
])

/** `true` or `false`, or another word for one of them. */
export const boolean: Kind<boolean> = {
  expected: "true or false",
  parse: (text) => Option.fromUndefinedOr(booleans.get(text))
}

/** Text that is not to be shown. */
export const secret: Kind<Redacted.Redacted> = { expected: "a key", parse: (text) => Option.some(Redacted.make(text)) }

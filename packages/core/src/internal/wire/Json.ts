/** Parses JSON without exceptions and without changing numbers. */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"

/** Parses JSON. Returns `undefined` for text that is no JSON, or {@link isTooDeep}. */
export const parse = (text: string): unknown =>
  isTooDeep(text) ? undefined : Result.getOrUndefined(Result.try((): unknown => JSON.parse(text)))

/** The most levels of lists and objects in each other. Parsing takes 100 bytes for each, also where the text then proves to be no JSON. */
const mostLevels = 131_072

/** Whether JSON has more levels. Only longer text is looked through, for a quarter of the time of parsing it. */
export const isTooDeep = (text: string): boolean => {
  let depth = 0
  for (let at = 0; text.length > mostLevels && depth <= mostLevels && at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfText(text, at)
    // A bracket and a brace differ in one bit.
    else if ((code | 32) === openBrace) depth++
    else if ((code | 32) === closeBrace) depth--
  }
  return depth > mostLevels
}

/** The offset of the quote that ends the text which begins here. */
const endOfText = (text: string, from: number): number => {
  let at = from + 1
  for (; at < text.length && text.charCodeAt(at) !== quote; at++) if (text.charCodeAt(at) === backslash) at++
  return at
}

/** What text is that {@link parse} returns nothing for. */
export const flawOf = (text: string): string => (isTooDeep(text) ? "too nested" : "not JSON")

/** Why valid JSON is refused. */
export const inexact = "a number has more digits than can be kept here"

/**
 * Parses JSON and keeps every digit: a number that a double cannot hold, such as an integer beyond 2^53 or 1e999, is returned
 * as its text. Returns `undefined` for text that is no JSON, and for such a number where the engine does not give its text.
 */
export const parseExact = (text: string): unknown => exact(text, parse(text))

/** Replaces numbers that parsing has changed by their text. */
export const exact = (text: string, value: unknown): unknown =>
  holdsNumber(value, 0) && mayChange(text) && changes(text) ? reparse(text) : value

/** Deeper than any record. In deeper JSON, the text is searched for numbers. */
const deepest = 64

/**
 * Tells whether a value holds any number. Most records hold none. Visiting their values takes a twentieth of the
 * time of parsing; searching the text for numbers takes half of it. Most values are texts, and a call for each would double the time.
 */
const holdsNumber = (value: unknown, depth: number): boolean => {
  if (typeof value !== "object" || value === null) return typeof value === "number"
  if (depth === deepest) return true
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) {
      if (typeof value[at] !== "string" && holdsNumber(value[at], depth + 1)) return true
    }
    return false
  }
  // Type boundary: JSON has no other objects. `Reflect.get` would take ten times as long.
  const object = value as Readonly<Record<string, unknown>>
  for (const key in object) if (typeof object[key] !== "string" && holdsNumber(object[key], depth + 1)) return true
  return false
}

/** A number of up to fifteen digits without an exponent is always exact. These find all others, and sometimes a text. */
const long = /[:,[ \t\r\n]-?\d[\d.]{15}/
const raised = /\d[eE][-+\d]/
const mayChange = (text: string) => long.test(text) || raised.test(text)

/** Tells whether parsing changes any number in the text, so that it must be parsed again. */
const changes = (text: string): boolean => {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfText(text, at)
    else if (code >= 48 && code <= 57) {
      const from = at
      while (!delimiters.includes(text[at + 1] ?? " ")) at++
      const source = text.slice(from, at + 1)
      if (!isExact(source, Number(source))) return true
    }
  }
  return false
}

const quote = 34
const backslash = 92
const openBrace = 123
const closeBrace = 125
/** The characters that may follow a number. */
const delimiters = ", ]}\t\r\n"

/** Only newer engines give the text of a number. */
type Revive = (key: string, value: unknown, context?: { readonly source?: string }) => unknown

const parseWith: (text: string, revive: Revive) => unknown = JSON.parse

const showsSource = parseWith("1", (_, value, context) => context?.source ?? value) === "1"

const reparse = (text: string): unknown =>
  showsSource
    ? Result.getOrUndefined(
        Result.try(() =>
          parseWith(text, (_, value, context) =>
            typeof value === "number" && context?.source !== undefined && !isExact(context.source, value)
              ? context.source
              : value
          )
        )
      )
    : undefined

/** Tells whether a number equals its text. */
const isExact = (source: string, value: number): boolean =>
  Number.isFinite(value) && digitsOf(source) === digitsOf(String(value))

/** The digits of a number without outer zeros, and the power of ten of the last digit. Equal for equal numbers. */
const digitsOf = (text: string): string => {
  const [, whole = "", fraction = "", exponent = "0"] = /^-?(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/.exec(text) ?? []
  const all = `${whole}${fraction}`.replace(/^0+/, "")
  // Begins at no zero behind another one: for zeros in the middle that would take quadratic time.
  const digits = all.replace(/(?<!0)0+$/, "")
  return digits === "" ? "0" : `${digits}e${Number(exponent) - fraction.length + all.length - digits.length}`
}

/** The JSON of a value; nothing where it is too deep to be written. */
export const written = (value: unknown): string =>
  Result.getOrElse(
    Result.try(() => JSON.stringify(value)),
    () => ""
  )

/** Tells whether two values have the same JSON. A value too deep to be written counts as different. */
export const isSame = (value: unknown, other: unknown): boolean => {
  const text = written(value)
  return text !== "" && text === written(other)
}

/** A member of a JSON object; absent where the value is none, or has none. */
export const valueAt = (value: unknown, key: string): unknown =>
  // Type boundary: any property of an object can be read. `Reflect.get` takes ten times as long.
  Predicate.isObject(value) ? (value as Readonly<Record<string, unknown>>)[key] : undefined

/** A member of a JSON object, if it is a text. */
export const textAt = (value: unknown, key: string): string | undefined => {
  const found = valueAt(value, key)
  return Predicate.isString(found) ? found : undefined
}

/** The value of `error` in a JSON object. Absent, null, false, 0 and an empty text mean no error. */
export const errorIn = (json: unknown): unknown => valueAt(json, "error") || undefined

/**
 * JSON without exceptions, and without changed numbers.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"

/** Parses JSON; `undefined` stands for text that is none, since JSON itself has no undefined. */
export const parse = (text: string): unknown => Result.getOrUndefined(Result.try((): unknown => JSON.parse(text)))

/** Why JSON is refused that could be parsed. */
export const inexact = "a number has more digits than can be kept here"

/**
 * Parses JSON and keeps every digit: a number that is not what its text says, such as an integer beyond 2^53 or 1e999,
 * comes as that text. `undefined` stands for text that is no JSON, and, where the engine does not show the text of a
 * number, for JSON that would change.
 */
export const parseExact = (text: string): unknown => exact(text, parse(text))

/** Puts the text of its numbers into a value parsed from this text, where they would be changed. */
export const exact = (text: string, value: unknown): unknown =>
  typeof value === "object" && holdsNumber(value, 0) && mayChange(text) && changes(text) ? reparse(text) : value

/** Deeper than any record; JSON that is deeper is looked at as text. */
const deepest = 64

/**
 * Tells whether there is any number in a list or an object. Most records are text throughout, and to go over their values
 * takes a twentieth of parsing them; to search the text for numbers takes half of it.
 */
const holdsNumber = (value: object | null, depth: number): boolean => {
  if (depth === deepest) return true
  // Type boundary: JSON has no other objects. `Reflect.get` would take ten times as long.
  const object = value as Readonly<Record<string, unknown>>
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) {
      const item: unknown = value[at]
      if (typeof item === "number" || (typeof item === "object" && item !== null && holdsNumber(item, depth + 1))) {
        return true
      }
    }
    return false
  }
  for (const key in object) {
    const item = object[key]
    if (typeof item === "number" || (typeof item === "object" && item !== null && holdsNumber(item, depth + 1))) {
      return true
    }
  }
  return false
}

/** A number of fifteen digits and no exponent is always kept; these find all others, and now and then a text. */
const long = /[:,[ \t\r\n]-?\d[\d.]{15}/
const raised = /\d[eE][-+\d]/
const mayChange = (text: string) => long.test(text) || raised.test(text)

/** Goes over the numbers in the text of JSON: where it changes none, it need not be parsed again. */
const changes = (text: string): boolean => {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      for (at++; at < text.length && text.charCodeAt(at) !== quote; at++) if (text.charCodeAt(at) === backslash) at++
    } else if (code === minus || isDigit(code)) {
      const from = at
      while (!delimiters.has(text[at + 1] ?? " ")) at++
      const source = text.slice(from, at + 1)
      if (!isExact(source, Number(source))) return true
    }
  }
  return false
}

const [quote, backslash, minus] = [34, 92, 45]
const isDigit = (code: number) => code >= 48 && code <= 57
/** What may stand behind a number. */
const delimiters = new Set(", ]}\t\r\n")

/** The text of a number is shown by newer engines only. */
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

/** Tells whether a number says what its text says. */
const isExact = (source: string, value: number): boolean =>
  Number.isFinite(value) && digitsOf(source) === digitsOf(String(value))

/** The digits of a number without zeros at either end, and the power of ten of the last; equal for equal numbers. */
const digitsOf = (text: string): string => {
  const [, whole = "", fraction = "", exponent = "0"] = /^-?(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/.exec(text) ?? []
  const all = `${whole}${fraction}`.replace(/^0+/, "")
  const digits = trimZeros(all)
  return digits === "" ? "0" : `${digits}e${Number(exponent) - fraction.length + all.length - digits.length}`
}

/** A loop: `/0+$/` takes quadratic time for zeros in the middle. */
const trimZeros = (digits: string): string => {
  let end = digits.length
  while (end > 0 && digits[end - 1] === "0") end--
  return digits.slice(0, end)
}

/** Tells whether two values parsed from JSON would be written alike. One too deep to be written is taken to differ. */
export const isSame = (value: unknown, other: unknown): boolean =>
  Result.getOrElse(
    Result.try(() => JSON.stringify(value) === JSON.stringify(other)),
    () => false
  )

/** What stands under `error` in a JSON object; absent, null, false, 0 and an empty text mean that there is none. */
export const errorIn = (json: unknown): unknown => {
  const error = Predicate.isObject(json) ? Reflect.get(json, "error") : undefined
  return error ? error : undefined
}

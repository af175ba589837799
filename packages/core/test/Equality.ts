/**
 * Runs before the files of tests. Compares in depth by Node.js first, and by chai, which takes ten times as long for many
 * records, only what Node.js finds different, since chai ignores prototypes and symbols, and what it cannot look into.
 */
import { isDeepStrictEqual, types } from "node:util"
import * as Redacted from "effect/Redacted"
import { chai } from "vitest"

/** Deeper values, and such that hold themselves, are left to chai. */
const deepest = 50

/** Whether Node.js compares all that the value is, although it may have no fields. */
const isKnown = (value: object) =>
  Array.isArray(value) ||
  types.isDate(value) ||
  types.isRegExp(value) ||
  types.isNativeError(value) ||
  types.isAnyArrayBuffer(value) ||
  ArrayBuffer.isView(value) ||
  types.isBoxedPrimitive(value)

/**
 * Whether two values that Node.js finds equal are so. It sees own fields alone: iterators and instances without fields are
 * all the same to it, and so is what a class hides.
 */
const isSeen = (one: unknown, other: unknown, depth = 0): boolean => {
  if (typeof one !== "object" || one === null || one === other) return true
  if (typeof other !== "object" || other === null || depth > deepest || isOpaque(one)) return false
  if (ArrayBuffer.isView(one)) return true
  if (types.isSet(one)) return [...one].every((member) => typeof member !== "object")
  if (types.isMap(one)) {
    if (!types.isMap(other)) return false
    for (const [key, value] of one) {
      if (typeof key === "object" || !isSeen(value, other.get(key), depth + 1)) return false
    }
    return true
  }
  // Type boundary: fields are read by name.
  const [left, right] = [one as Readonly<Record<string, unknown>>, other as Readonly<Record<string, unknown>>]
  let fields = 0
  for (const name in left) {
    if (!Object.hasOwn(left, name)) continue
    fields++
    const value = left[name]
    if (typeof value === "object" && !isSeen(value, right[name], depth + 1)) return false
  }
  if (fields > 0 || isKnown(one)) return true
  const prototype: unknown = Object.getPrototypeOf(one)
  return prototype === Object.prototype || prototype === null
}

const isList = (value: unknown): value is URLSearchParams | Headers | FormData =>
  value instanceof URLSearchParams || value instanceof Headers || value instanceof FormData

/** What neither Node.js nor chai looks into. */
const isOpaque = (value: unknown) => Redacted.isRedacted(value) || isList(value)

const eql = (one: unknown, other: unknown): boolean => chai.util.eql(one, other, { comparator })

/** Compares the content of what chai does not look into; `null` leaves a pair to chai. */
const comparator = (one: unknown, other: unknown): boolean | null => {
  if (!isOpaque(one) && !isOpaque(other)) return null
  if (Redacted.isRedacted(one) && Redacted.isRedacted(other)) {
    return one.label === other.label && eql(Redacted.value(one), Redacted.value(other))
  }
  return isList(one) && isList(other) && one.constructor === other.constructor && eql([...one], [...other])
}

Object.assign(chai.config, {
  // A proxy around each assertion would only find names of assertions that are misspelt, as the compiler does.
  useProxy: false,
  deepEqual: (expected: unknown, actual: unknown) =>
    (isDeepStrictEqual(expected, actual) && isSeen(expected, actual)) || eql(expected, actual)
})

/** Decimal text as the number that a column of doubles or of 64-bit integers stores. */
import * as Decimal from "../../Decimal.ts"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"

/** What {@link toDouble} takes, in the words of an error. */
export const expectedDouble = 'a number that a DOUBLE can hold; with numbers as "text" any value is kept'

/** What {@link toInt64} takes. */
export const expectedInteger = 'a whole number of 64 bits; with numbers as "text" any value is kept'

/**
 * Gives the double that is nearest to a decimal text, or a JSON number; nothing for other values, and for a number beyond the
 * greatest double.
 */
export const toDouble = (value: unknown): number | undefined => {
  const double = Predicate.isNumber(value) ? value : Predicate.isString(value) ? numberOf(value) : undefined
  return Number.isFinite(double) ? double : undefined
}

const numberOf = (text: string) => Result.getOrUndefined(Decimal.toNumber(text))

/** A text of more characters is no 64-bit integer, but for zeros at either end. */
const longest = 64

/** Gives the whole number that a text says; nothing where there is none, or where it needs more than 64 bits. */
export const toInt64 = (value: unknown): bigint | undefined => {
  if (!Predicate.isString(value) || value.length > longest) return undefined
  const integer = Result.getOrUndefined(Decimal.toBigInt(value))
  return integer !== undefined && BigInt.asIntN(64, integer) === integer ? integer : undefined
}

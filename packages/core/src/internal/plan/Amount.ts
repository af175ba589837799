/** Numbers of a plan: what is expected, and between which bounds it lies for certain. */
import * as Schema from "effect/Schema"

/** Schema of {@link Amount}. */
export const Amount = Schema.Struct({
  /** What is expected; null where nothing tells. */
  expected: Schema.NullOr(Schema.Finite),
  least: Schema.Finite,
  /** Null where there is no bound. */
  most: Schema.NullOr(Schema.Finite),
  /** Whether it is known, not estimated. */
  isExact: Schema.Boolean
})
/** A number of a plan. */
export type Amount = typeof Amount.Type

/** A number that is known. */
export const exactly = (value: number): Amount => ({ expected: value, least: value, most: value, isExact: true })

/** Nothing is known but bounds. */
export const between = (least: number, most: number | null): Amount =>
  least === most ? exactly(least) : { expected: null, least, most, isExact: false }

/** An estimate. */
export const about = (expected: number, least: number, most: number | null): Amount => ({
  expected,
  least,
  most,
  isExact: false
})

/** The sum. What is expected of it is unknown where that of any is. */
export const sum = (all: Iterable<Amount>): Amount => {
  let [expected, most]: [number | null, number | null] = [0, 0]
  let [least, isExact] = [0, true]
  for (const one of all) {
    expected = expected === null || one.expected === null ? null : expected + one.expected
    most = most === null || one.most === null ? null : most + one.most
    least += one.least
    isExact &&= one.isExact
  }
  return { expected, least, most, isExact }
}

/** Applies a function that ascends to all numbers. */
export const map = ({ expected, isExact, least, most }: Amount, f: (value: number) => number): Amount => ({
  expected: expected === null ? null : f(expected),
  least: f(least),
  most: most === null ? null : f(most),
  isExact
})

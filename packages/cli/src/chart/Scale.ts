/** A scale of values: where a value stands, and round values with their labels. */
import type { Bounds } from "./Chart.ts"

/** A value on an axis, and its label. */
export interface Tick {
  readonly value: number
  readonly text: string
}

/** Makes a scale of finite values. A logarithmic one has values above 0 alone. */
export const make = (bounds: Bounds, isLog = false) => {
  const { high, low } = opened(bounds, isLog)
  // Two neighbours of the numbers may have one logarithm.
  const isCurved = isLog && low > 0 && Math.log(high) > Math.log(low)
  const of = isCurved ? Math.log : divided(low, high)
  const [from, length] = [of(low), of(high) - of(low)]
  return {
    /** The place of a value, from 0 at the lowest to 1 at the highest. */
    placeOf: (value: number): number => Math.max(0, Math.min(1, (of(value) - from) / length)),
    /** About so many round values, from the lowest to the highest. */
    ticks: (most: number): ReadonlyArray<Tick> => {
      const decades = isCurved ? logarithmic(low, high, most) : []
      return decades.length > 1 ? decades : linear(low, high, most)
    }
  }
}

/** A scale of values between two bounds. */
export type Scale = ReturnType<typeof make>

/** The greatest numbers are halved, since the difference of two is not a number; the least ones have no half. */
const divided = (low: number, high: number) => {
  const by = Number.isFinite(high - low) ? 1 : 2
  return (value: number) => value / by
}

/** A single value stands in the middle, where there are numbers on both sides of it. */
const opened = ({ high, low }: Bounds, isLog: boolean): Bounds => {
  if (high > low) return { high, low }
  if (isLog) return { high: Math.min(high * 2, Number.MAX_VALUE), low: Math.max(low / 2, Number.MIN_VALUE) }
  const room = Math.abs(high) * 0.01 || 1
  return { high: Math.min(high + room, Number.MAX_VALUE), low: Math.max(low - room, -Number.MAX_VALUE) }
}

/** The next length of the form 1, 2 or 5 with zeros. */
const nice = (length: number) => {
  const power = Math.max(10 ** Math.floor(Math.log10(length)), Number.MIN_VALUE)
  const found = ([1, 2, 5].find((digit) => digit * power >= length * 0.999) ?? 10) * power
  return Number.isFinite(found) ? found : power
}

/** Steps by which a quotient of doubles may miss a whole number. */
const fuzz = 1e-9

const linear = (low: number, high: number, most: number): ReadonlyArray<Tick> => {
  const of = divided(low, high)
  const step = nice(Math.max((of(high) - of(low)) / of(most), Number.MIN_VALUE))
  const first = Math.ceil(low / step - fuzz)
  const count = Math.min(most + 1, Math.floor(high / step + fuzz) - first + 1)
  // One label alone is no scale.
  if (count < 2 && most < 16) return linear(low, high, most * 2)
  const multiples = Array.from({ length: Math.max(0, count) }, (_, index) => (first + index) * step)
  // Far from 0 the next multiple may be the same number, and at the ends of the numbers it may be none.
  const values = [...new Set(multiples)].filter(Number.isFinite)
  const write = writer(Math.max(Math.abs(low), Math.abs(high)), step)
  return values.map((value) => ({ value, text: write(value) }))
}

/** Powers of ten, and what lies between them where there is room for it. */
const logarithmic = (low: number, high: number, most: number): ReadonlyArray<Tick> => {
  const [first, last] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))]
  const ofDigits = (digits: ReadonlyArray<number>, each = 1) =>
    Array.from({ length: Math.ceil((last - first + 1) / each) }, (_, index) => 10 ** (first + index * each))
      .flatMap((power) => digits.map((digit) => digit * power))
      .filter((value) => value >= low && value <= high)
  const values =
    [[1, 2, 5], [1, 3], [1]].map((digits) => ofDigits(digits)).find(({ length }) => length <= most) ??
    ofDigits([1], Math.ceil((last - first) / most))
  return values.map((value) => ({ value, text: writer(value, value, 1e3)(value) }))
}

const units = [
  [1e12, "T"],
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"]
] as const

/**
 * Writes values up to a greatest one, which are so far apart, with as many digits as tell them apart. Below `thousands` there is no
 * letter for them.
 */
const writer = (greatest: number, step: number, thousands = 1e4): ((value: number) => string) => {
  if (greatest >= 1e15 || greatest < 1e-4) {
    const digits = Math.max(0, Math.min(15, Math.ceil(Math.log10(greatest / step) - 0.001)))
    return (value) => (value === 0 ? "0" : value.toExponential(digits).replace("e+", "e"))
  }
  const [unit, letter] = units.find(([unit]) => greatest >= Math.max(unit, thousands)) ?? [1, ""]
  const digits = Math.max(0, Math.min(15, Math.ceil(-Math.log10(step / unit) - 0.001)))
  return (value) => (value === 0 ? "0" : `${(value / unit).toFixed(digits)}${letter}`)
}

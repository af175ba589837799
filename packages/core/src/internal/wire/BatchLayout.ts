/**
 * The layout of records as a batch has them: keys in one order, written without white space.
 *
 * A record of this layout is checked and not decoded: only the offsets of its values are noted. Every value that fits is
 * written as `JSON.stringify` writes it, so its bytes can go into a file as they are. What does not fit has to be parsed:
 * texts with escapes or characters outside ASCII, nested values, numbers that JavaScript writes in another way.
 */
import * as Accepted from "./Accepted.ts"

/** Keys in order, the bytes before their values, and the kinds of value that each key accepts. */
export interface BatchLayout {
  readonly keys: ReadonlyArray<string>
  readonly accepted: Uint8Array
  /** Bytes before each value. */
  readonly lengths: Int32Array
  /** The same bytes as little-endian doubles, those of value `i` from `places[i]` to `places[i + 1]`. */
  readonly doubles: Float64Array
  /** Offsets of the doubles from the beginning of their bytes. The last double of a value may overlap the one before. */
  readonly distances: Int32Array
  readonly places: Int32Array
  /** Bytes of values that have fewer than eight before them; they have no doubles. */
  readonly short: ReadonlyArray<Uint8Array>
}

const [quote, minus, dot, zero, nine, closeBrace] = [34, 45, 46, 48, 57, 125]

const none = new Uint8Array()

/** Builds a layout. Keys are such as `Layout.learn` gives: printable ASCII without quotes and backslashes. */
export const make = (keys: ReadonlyArray<string>, accepted: Uint8Array): BatchLayout => {
  const literals = keys.map((key, index) => new TextEncoder().encode(`${index === 0 ? "{" : ","}"${key}":`))
  const doubles: Array<number> = []
  const distances: Array<number> = []
  const places = [0]
  for (const literal of literals) {
    const view = new DataView(literal.buffer)
    const last = literal.length - 8
    for (let at = 0; at < last; at += 8) {
      doubles.push(view.getFloat64(at, true))
      distances.push(at)
    }
    if (last >= 0) {
      doubles.push(view.getFloat64(last, true))
      distances.push(last)
    }
    places.push(doubles.length)
  }
  return {
    keys,
    accepted,
    lengths: Int32Array.from(literals, ({ length }) => length),
    doubles: Float64Array.from(doubles),
    distances: Int32Array.from(distances),
    places: Int32Array.from(places),
    short: literals.map((literal) => (literal.length < 8 ? literal : none))
  }
}

/** Offsets that a record has: its beginning, the beginning and the end of each value, and its end. */
export const offsetsOf = ({ keys }: BatchLayout): number => 2 * keys.length + 2

/** Bytes to check up to an offset, which is the length of the view. */
export interface Source {
  readonly bytes: Uint8Array
  readonly view: DataView
  readonly to: number
}

/** Notes the offsets of a record of this layout from `place` on. Returns the offset behind it, or -1 when it does not fit. */
export const check = (
  layout: BatchLayout,
  source: Source,
  start: number,
  offsets: Int32Array,
  place: number
): number => {
  const { accepted, distances, doubles, lengths, places, short } = layout
  const { bytes, to, view } = source
  let at = start
  offsets[place++] = start
  let double = 0
  for (let index = 0; index < lengths.length; index++) {
    const length = lengths[index]!
    // One more: a value follows.
    if (at + length >= to) return -1
    const end = places[index + 1]!
    if (double === end) {
      const literal = short[index]!
      for (let byte = 0; byte < length; byte++) if (bytes[at + byte] !== literal[byte]) return -1
    }
    // ASCII is never NaN or zero, so doubles are equal exactly when their bytes are.
    for (; double < end; double++) {
      if (view.getFloat64(at + distances[double]!, true) !== doubles[double]) return -1
    }
    at += length
    offsets[place++] = at
    if (bytes[at] === quote) {
      if ((accepted[index]! & Accepted.text) === 0) return -1
      at = textEnd(source, at + 1)
      if (at === -1) return -1
    } else {
      const kind = kindAt(source, at)
      if ((accepted[index]! & kind) === 0) return -1
      at = kind === Accepted.number ? numberEnd(bytes, at) : at + (kind === Accepted.false_ ? 5 : 4)
      if (at === -1 || at >= to) return -1
    }
    offsets[place++] = at
  }
  if (at >= to || bytes[at] !== closeBrace) return -1
  offsets[place] = at + 1
  return at + 1
}

/** The offset behind the quote that ends a text of plain ASCII, or -1. */
const textEnd = ({ bytes, to, view }: Source, from: number): number => {
  let at = from
  for (; at + 4 <= to; at += 4) {
    const four = view.getInt32(at, true)
    // Most bytes are between `#` and `[`. Then neither the sum nor the difference carries or sets a highest bit.
    if (((four | (four + 0x24242424) | (four - 0x23232323)) & highest) === 0) continue
    if (!isPlain(four)) break
  }
  for (; at < to; at++) {
    const byte = bytes[at]!
    if (byte === quote) return at + 1
    if (byte < 32 || byte > 126 || byte === 92) return -1
  }
  return -1
}

/** Whether four bytes are printable ASCII and neither quotes nor backslashes. */
const isPlain = (four: number): boolean =>
  ((four | (four + 0x01010101) | (four - 0x20202020) | zeroIn(four ^ 0x22222222) | zeroIn(four ^ 0x5c5c5c5c)) &
    highest) ===
  0

/** Sets a highest bit where one of four bytes is zero. */
const zeroIn = (four: number): number => (four - 0x01010101) & ~four

/** The highest bit of each of four bytes, 0x80808080 as a signed integer. */
const highest = -0x7f7f7f80

const [nul, tru, fals] = [0x6c6c756e, 0x65757274, 0x736c6166]

const kindAt = ({ bytes, to, view }: Source, at: number): number => {
  const byte = bytes[at]
  if (byte === minus || isDigit(byte)) return Accepted.number
  if (at + 5 > to) return 0
  const four = view.getInt32(at, true)
  if (four === nul) return Accepted.null_
  if (four === tru) return Accepted.true_
  return four === fals && bytes[at + 4] === 101 ? Accepted.false_ : 0
}

const isDigit = (byte: number | undefined) => byte !== undefined && byte >= zero && byte <= nine

/** A double holds every number that has no more digits and no exponent, and no shorter one stands for the same double. */
const mostDigits = 15

/** JavaScript writes smaller fractions with an exponent. */
const mostZeros = 5

/** The offset behind a number that JavaScript writes as it stands here, or -1. */
const numberEnd = (bytes: Uint8Array, start: number): number => {
  const first = bytes[start] === minus ? start + 1 : start
  let at = first
  while (isDigit(bytes[at])) at++
  const whole = at - first
  if (whole === 0 || (bytes[first] === zero && whole > 1)) return -1
  if (bytes[at] !== dot) {
    const isNegativeZero = bytes[first] === zero && first !== start
    return whole > mostDigits || isNegativeZero || isExponent(bytes[at]) ? -1 : at
  }
  const fraction = ++at
  while (bytes[at] === zero) at++
  const zeros = at - fraction
  while (isDigit(bytes[at])) at++
  const isShort = at - first - 1 <= mostDigits && (bytes[first] !== zero || zeros <= mostZeros)
  return at === fraction || bytes[at - 1] === zero || !isShort || isExponent(bytes[at]) ? -1 : at
}

const isExponent = (byte: number | undefined) => byte === 101 || byte === 69

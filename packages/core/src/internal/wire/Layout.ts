/**
 * The layout of a record as the service writes it: its keys in order, and the bytes around its values.
 *
 * A record of a known layout is read without parsing: the bytes around the values are compared eight at a time, and every
 * byte of a value is checked once. A record does not fit a layout when it has a text with escapes or characters outside
 * ASCII, a nested value, or a number that a double may not hold.
 */
import * as Accepted from "./Accepted.ts"

/** The bytes before a value, or after the last one. */
interface Literal {
  readonly length: number
  /** The bytes as little-endian doubles; the last one may overlap the one before. Reading a typed array is slower. */
  readonly doubles: ReadonlyArray<number>
  /** Offset of the last double. */
  readonly last: number
  /** Used instead of doubles when there are fewer than eight bytes. */
  readonly bytes: ReadonlyArray<number>
}

/** Keys in order, the bytes around their values, and the kinds of value that each key accepts. */
export interface Layout {
  readonly keys: ReadonlyArray<string>
  readonly literals: ReadonlyArray<Literal>
  /** The first two of them as text. */
  readonly beginning: readonly [string, string]
  readonly accepted: Uint8Array
}

/** The first value of a record with the bytes around it. Most records of a series repeat it, so it is compared as well. */
export interface Lead {
  readonly literal: Literal
  readonly value: string
}

/** A record with more keys has no layout. */
const mostKeys = 512

const [quote, minus, dot, zero, nine] = [34, 45, 46, 48, 57]

/** What a byte is inside a text: part of its value, its end, or something that has to be parsed. */
const [part, end, other] = [0, 1, 2]
const inText = new Uint8Array(256).fill(other)
inText.fill(part, 32, 127)
inText[quote] = end
inText[92] = other

const literalOf = (text: string): Literal => {
  const bytes = new TextEncoder().encode(text)
  const view = new DataView(bytes.buffer)
  const { length } = bytes
  if (length < 8) return { length, doubles: [], last: 0, bytes: [...bytes] }
  const last = length - 8
  const places = Array.from({ length: (length - 1) >>> 3 }, (_, index) => 8 * index)
  return { length, doubles: [...places, last].map((at) => view.getFloat64(at, true)), last, bytes: [] }
}

/**
 * Compares doubles, since integers have 32 bits here. ASCII is never NaN or zero, so doubles are equal exactly when their
 * bytes are.
 */
const isAt = (view: DataView, at: number, to: number, { bytes, doubles, last, length }: Literal): boolean => {
  if (at + length > to) return false
  const end = doubles.length - 1
  if (end === -1) {
    for (let index = 0; index < length; index++) if (view.getUint8(at + index) !== bytes[index]) return false
    return true
  }
  for (let index = 0; index < end; index++) {
    if (view.getFloat64(at + 8 * index, true) !== doubles[index]) return false
  }
  return view.getFloat64(at + last, true) === doubles[end]
}

/** Bytes to read up to an offset, and the text of some of them. */
export interface Source {
  readonly bytes: Uint8Array
  readonly view: DataView
  readonly to: number
  /** The text of the bytes from `textFrom` to `textTo`: as many characters. */
  readonly text: string
  readonly textFrom: number
  readonly textTo: number
}

/** Returned by {@link read} when a value reaches beyond the text. */
export const beyondText = -2

/** Reads the values of a record of this layout. Returns the offset behind the record, or -1 when it does not fit. */
export const read = (layout: Layout, source: Source, start: number, values: Array<unknown>, lead: Lead | undefined) => {
  const { accepted, literals } = layout
  const { bytes, text, textFrom, textTo, to, view } = source
  const count = literals.length - 1
  let index = 0
  let at = start
  if (lead !== undefined && isAt(view, at, to, lead.literal)) {
    at += lead.literal.length
    values[index++] = lead.value
  } else {
    const literal = literals[0]!
    if (!isAt(view, at, to, literal)) return -1
    at += literal.length
  }
  while (index < count) {
    const from = at
    if (bytes[at] === quote) {
      at = plainEnd(view, at + 1, to)
      let kind = inText[bytes[at]!]
      while (kind === part) kind = inText[bytes[++at]!]
      if (kind !== end || (accepted[index]! & Accepted.text) === 0) return -1
      if (at > textTo) return beyondText
      values[index] = text.slice(from + 1 - textFrom, at++ - textFrom)
    } else {
      const kind = kindAt(source, at)
      if ((accepted[index]! & kind) === 0) return -1
      at = kind === Accepted.number ? numberEnd(bytes, at) : at + (kind === Accepted.false_ ? 5 : 4)
      if (at === -1) return -1
      if (at > textTo) return beyondText
      values[index] =
        kind === Accepted.number
          ? Number(text.slice(from - textFrom, at - textFrom))
          : kind === Accepted.null_
            ? null
            : kind === Accepted.true_
    }
    const literal = literals[++index]!
    if (!isAt(view, at, to, literal)) return -1
    at += literal.length
  }
  return at
}

/**
 * Skips four bytes at a time while each is between `#` and `[`, as digits, capitals, points, colons and dashes are. Then
 * neither the sum nor the difference below carries into the next byte or sets a highest bit.
 */
const plainEnd = (view: DataView, from: number, to: number): number => {
  let at = from
  for (; at + 4 <= to; at += 4) {
    const four = view.getInt32(at, true)
    if (((four | (four + 0x24242424) | (four - 0x23232323)) & highest) !== 0) break
  }
  return at
}

/** The highest bit of each of four bytes, 0x80808080 as a signed integer. */
const highest = -0x7f7f7f80

const words: ReadonlyArray<readonly [Literal, number]> = [
  [literalOf("null"), Accepted.null_],
  [literalOf("true"), Accepted.true_],
  [literalOf("false"), Accepted.false_]
]

const kindAt = ({ bytes, to, view }: Source, at: number): number => {
  const byte = bytes[at]
  if (byte === undefined) return 0
  if (byte === minus || isDigit(byte)) return Accepted.number
  for (const [word, kind] of words) if (isAt(view, at, to, word)) return kind
  return 0
}

const isDigit = (byte: number | undefined) => byte !== undefined && byte >= zero && byte <= nine

/** A double holds every number that has no more digits and no exponent. */
const mostDigits = 15

/** The offset behind a number, or -1 when it is not JSON or a double may not hold it. */
const numberEnd = (bytes: Uint8Array, start: number): number => {
  const first = bytes[start] === minus ? start + 1 : start
  let at = first
  while (isDigit(bytes[at])) at++
  if (at === first || (bytes[first] === zero && at > first + 1)) return -1
  if (bytes[at] !== dot) return at - first > mostDigits ? -1 : at
  const fraction = ++at
  while (isDigit(bytes[at])) at++
  return at === fraction || at - first - 1 > mostDigits ? -1 : at
}

const member = /[{,] *"([ !#-[\]-~]*)" *: */y
const value = /"[ !#-[\]-~]*"|-?\d[\d.]*|null|true|false/y
const ending = / *\}/y

const take = (pattern: RegExp, text: string, at: number) => {
  pattern.lastIndex = at
  return pattern.exec(text)
}

/**
 * Learns the layout of a record that is valid JSON. Returns nothing for keys that an object does not take in this order: a
 * repeated key, `__proto__`, or an integer, which objects put first.
 */
export const learn = (text: string, accepted: Accepted.Accepted): Layout | undefined => {
  const keys: Array<string> = []
  const between: Array<string> = []
  let at = 0
  for (let found = take(member, text, 0); found !== null; found = take(member, text, at)) {
    const [before, key = ""] = found
    between.push(before)
    at += before.length
    const [held] = take(value, text, at) ?? []
    if (held === undefined || keys.includes(key) || key === "__proto__" || /^\d+$/.test(key)) return undefined
    if (keys.push(key) > mostKeys) return undefined
    at += held.length
  }
  const [last] = take(ending, text, at) ?? []
  const kinds = keys.length === 0 || last === undefined || at + last.length !== text.length ? undefined : accepted(keys)
  if (last === undefined || kinds === undefined) return undefined
  const [first = "", second = ""] = [...between, last]
  return { keys, literals: [...between, last].map(literalOf), beginning: [first, second], accepted: kinds }
}

/** Builds the lead of records whose first value is this text. */
export const leadOf = ({ beginning: [first, second] }: Layout, value: string): Lead => ({
  literal: literalOf(`${first}"${value}"${second}`),
  value
})

/**
 * The envelope of a page: received whole, parsed part by part as its records are asked for.
 *
 * So a page holds its permit no longer than its transfer, however slowly its records are used, and of a large page only
 * the bytes stand in memory, never its text or all its records at once.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Json from "./Json.ts"
import * as Utf8 from "./Utf8.ts"

/** Why a body is no envelope. */
export type Unreadable = "not UTF-8" | "not JSON" | "broken off"

/** Some of the records of a page, parsed. */
export type Part = Result.Result<ReadonlyArray<unknown>, Unreadable>

/** A page's envelope and its records, in parts. */
export interface Envelope {
  /** The JSON of the envelope. Of a large page its `data` holds only the last records: read `parts` instead. */
  readonly json: unknown
  /** The records, or `undefined` where `data` is no array. Can be read once. */
  readonly parts: Iterable<Part> | undefined
}

/** Reads an envelope from the bytes of its body; `done` is called when they are needed no longer. */
export const read = (bytes: Uint8Array, done: () => void): Result.Result<Envelope, Unreadable> => {
  const large = bytes.length > Utf8.pieceSize ? readLarge(bytes, done) : undefined
  if (large !== undefined) return Result.succeed(large)
  const whole = readWhole(bytes)
  done()
  return whole
}

const readWhole = (bytes: Uint8Array): Result.Result<Envelope, Unreadable> => {
  const text = Utf8.decode([bytes])
  if (text === undefined) return Result.fail("not UTF-8")
  const json = Json.parse(text)
  // JSON that began and does not parse, or never began, was cut off by something on the way.
  if (json === undefined) return Result.fail(/^\s*(?:[{[]|$)/.test(text) ? "broken off" : "not JSON")
  const data = Predicate.hasProperty(json, "data") ? json.data : undefined
  return Result.succeed({ json, parts: Array.isArray(data) ? [Result.succeed(data)] : undefined })
}

// JSON's own blanks alone: all of it is ASCII, so its length in characters is that in bytes.
const opening = /^([ \t\r\n]*\{[ \t\r\n]*"data"[ \t\r\n]*:[ \t\r\n]*\[)(\{"[\w-]+")/

const [openBracket, closeBracket, closeBrace, comma] = [91, 93, 125, 44]

/**
 * Reads an envelope that begins with its data and ends as one; anything else is read whole.
 *
 * A record is known by its first key, which all have in common. Without it a body cut off after a record that ends in a
 * list would pass for whole.
 */
const readLarge = (bytes: Uint8Array, done: () => void): Envelope | undefined => {
  const [, before, start] = opening.exec(Utf8.peek(bytes)) ?? []
  if (before === undefined || start === undefined) return undefined
  const isRecord = startsWith(start)
  const at = lastBorder(bytes, Math.max(0, bytes.length - Utf8.pieceSize), bytes.length, isRecord)
  const text = at === -1 ? undefined : Utf8.decode([bytes.subarray(at + 1)])
  // Where another list of that name follows, it takes the place of the first.
  const json = text === undefined || text.includes('"data"') ? undefined : Json.parse(`{"data":[${text}`)
  return json === undefined ? undefined : { json, parts: parts(bytes, before.length - 1, isRecord, done) }
}

/** Tells whether ASCII text stands at a place. */
const startsWith = (text: string) => {
  const codes = Array.from(text, (character) => character.charCodeAt(0))
  return (bytes: Uint8Array, at: number) => codes.every((code, index) => bytes[at + index] === code)
}

type IsRecord = ReturnType<typeof startsWith>

/** Place of the last comma between two records; it may stand inside a text or a nested list as well. */
const lastBorder = (bytes: Uint8Array, from: number, to: number, isRecord: IsRecord): number => {
  for (let at = bytes.lastIndexOf(comma, to - 2); at > from; at = bytes.lastIndexOf(comma, at - 1)) {
    if (bytes[at - 1] === closeBrace && isRecord(bytes, at + 1)) return at
  }
  return -1
}

/** After so many cuts that fell inside of something, the rest is parsed as a whole. */
const mostMisses = 3

/**
 * Cuts the records at borders some 16 KiB apart. A cut inside a text or a nested list gives a part that ends inside of
 * something and does not parse; then a longer part is tried. The bytes are ours: the commas a part stands between become
 * its brackets, so that its text is decoded once and parsed as it is.
 */
const parts = function* (bytes: Uint8Array, first: number, isRecord: IsRecord, done: () => void): Iterable<Part> {
  let from = first
  let misses = 0
  for (let to = from + Utf8.pieceSize; to < bytes.length && misses < mostMisses; to += Utf8.pieceSize) {
    const at = lastBorder(bytes, from, to, isRecord)
    if (at === -1) continue
    bytes[from] = openBracket
    bytes[at] = closeBracket
    const text = Utf8.decode([bytes.subarray(from, at + 1)])
    if (text === undefined) return yield Result.fail("not UTF-8")
    const part = Json.parse(text)
    if (Array.isArray(part)) {
      from = at
      to = at
      misses = 0
      yield Result.succeed(part)
    } else {
      bytes[at] = comma
      misses += 1
    }
  }
  bytes[from] = openBracket
  const text = Utf8.decode([bytes.subarray(from)])
  done()
  if (text === undefined) return yield Result.fail("not UTF-8")
  const last = Json.parse(`{"data":${text}`)
  const data = Predicate.hasProperty(last, "data") ? last.data : undefined
  yield Array.isArray(data) ? Result.succeed(data) : Result.fail("broken off")
}

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

const opening = /^\s*\{\s*"data"\s*:\s*\[/

/** Where one record ends and the next begins; may stand inside a text or a nested list as well. */
const border = "},{"

/** Reads an envelope that begins with its data and ends as one; anything else is read whole. */
const readLarge = (bytes: Uint8Array, done: () => void): Envelope | undefined => {
  const first = Utf8.decodePart(bytes.subarray(0, 1_000))
  const last = Utf8.decodePart(bytes.subarray(-Utf8.pieceSize))
  const at = last?.lastIndexOf(border) ?? -1
  if (first === undefined || !opening.test(first) || last === undefined || at === -1) return undefined
  const json = Json.parse(`{"data":[${last.slice(at + 2)}`)
  return json === undefined ? undefined : { json, parts: parts(bytes, done) }
}

/** After so many cuts that fell inside of something, the rest is parsed as a whole. */
const mostMisses = 3

/**
 * Cuts the records at the last border of each piece. A cut inside a text or a nested list gives a part that ends inside
 * of something and does not parse: it is kept for the next cut.
 */
const parts = function* (bytes: Uint8Array, done: () => void): Iterable<Part> {
  const decode = Utf8.makeStreaming()
  let rest = ""
  let misses = 0
  for (const piece of Utf8.pieces(bytes)) {
    const text = decode(piece)
    if (text === undefined) return yield Result.fail("not UTF-8")
    rest = piece.byteOffset === bytes.byteOffset ? text.replace(opening, "") : rest + text
    const at = misses < mostMisses ? rest.lastIndexOf(border) : -1
    const part = at === -1 ? undefined : Json.parse(`[${rest.slice(0, at + 1)}]`)
    if (Array.isArray(part)) {
      rest = rest.slice(at + 2)
      yield Result.succeed(part)
    } else if (at !== -1) misses += 1
  }
  done()
  const last = Json.parse(`{"data":[${rest}`)
  const data = Predicate.hasProperty(last, "data") ? last.data : undefined
  yield Array.isArray(data) ? Result.succeed(data) : Result.fail("broken off")
}

/**
 * Decodes bytes strictly, in small pieces.
 *
 * V8 keeps strings from pieces of 16 KiB in its young generation, which is cheap. Larger strings are mapped and unmapped one by
 * one, which costs more than parsing them.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"

/** Bytes decoded at a time. */
export const pieceSize = 16_384

const lineFeed = 10

/** Splits a chunk into pieces of at most this many bytes, after a line feed if there is one. */
export const pieces = (chunk: Uint8Array, size: number): ReadonlyArray<Uint8Array> => {
  const cut: Array<Uint8Array> = []
  for (let at = 0; at < chunk.length;) {
    const most = at + size
    // Within the piece alone: a long line would else be looked through from its begin for each.
    const end = most < chunk.length ? at + chunk.subarray(at, most).lastIndexOf(lineFeed) + 1 : chunk.length
    const next = end > at ? end : most
    cut.push(chunk.subarray(at, next))
    at = next
  }
  return cut
}

/**
 * Strict, because the lenient decoder would silently put U+FFFD into a record. It decodes whole texts only: a streaming decoder
 * would return two-byte strings, which are twice as large and slower to parse.
 */
const decoder = new TextDecoder("utf-8", { fatal: true })

/** Decodes the parts of one text; `undefined` when they are not UTF-8. */
export const decode = (parts: ReadonlyArray<Uint8Array>): string | undefined => {
  const [first] = parts
  const bytes = first !== undefined && parts.length === 1 ? first : concat(parts)
  return Result.getOrUndefined(Result.try(() => decoder.decode(bytes)))
}

const lenient = new TextDecoder("utf-8", { ignoreBOM: true })

/** Decodes the beginning of a text, to check its ASCII. A character cut at the end becomes U+FFFD. */
export const peek = (bytes: Uint8Array): string => lenient.decode(bytes.subarray(0, 1_000))

/** Decodes ASCII. Returns fewer characters than bytes when there is a character of several bytes. */
export const ascii = (bytes: Uint8Array): string => lenient.decode(bytes)

/** What is used of the `Buffer` of Node.js, Deno and Bun. */
interface Buffers {
  readonly from: (memory: ArrayBufferLike, offset: number, length: number) => { readonly toString: Slice }
}
type Slice = (encoding: undefined, from: number, to: number) => string

const isBuffers = (value: unknown): value is Buffers => Predicate.hasProperty(value, "from")

/**
 * Builds what decodes parts of some bytes as {@link ascii} does. Where there is a `Buffer`, it decodes: its first text after a
 * pause takes 3 µs, that of a `TextDecoder` and the view of the part that it needs 11 µs.
 */
export const slicer = (bytes: Uint8Array): ((from: number, to: number) => string) => {
  const buffers: unknown = Reflect.get(globalThis, "Buffer")
  if (!isBuffers(buffers)) return (from, to) => ascii(bytes.subarray(from, to))
  const buffer = buffers.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return (from, to) => buffer.toString(undefined, from, to)
}

export const size = (parts: ReadonlyArray<Uint8Array>): number => parts.reduce((total, part) => total + part.length, 0)

/** Builds a function that concatenates parts in reused memory. Its result is valid until the next call. */
export const makeConcat = () => {
  let memory: Uint8Array = new Uint8Array(0)
  return (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
    const length = size(parts)
    if (length > memory.length) memory = new Uint8Array(length)
    let at = 0
    for (const part of parts) {
      memory.set(part, at)
      at += part.length
    }
    return memory.subarray(0, length)
  }
}

/** Concatenates parts in memory of its own. */
export const concat = (parts: ReadonlyArray<Uint8Array>): Uint8Array => makeConcat()(parts)

/**
 * Bytes to text, strictly, a small piece at a time.
 *
 * Pieces of 16 KiB stay among V8's ordinary young objects, which come and go cheaply; larger strings are mapped and
 * unmapped one by one, which costs more than parsing them.
 */
import * as Result from "effect/Result"

/** Bytes decoded at a time. */
export const pieceSize = 16_384

const lineFeed = 10

/** Cuts a chunk into pieces of the size that is decoded best, behind a line feed where there is one. */
export const pieces = (chunk: Uint8Array): ReadonlyArray<Uint8Array> => {
  const cut: Array<Uint8Array> = []
  for (let at = 0; at < chunk.length;) {
    const most = at + pieceSize
    const end = most < chunk.length ? chunk.lastIndexOf(lineFeed, most - 1) + 1 : chunk.length
    const next = end > at ? end : most
    cut.push(chunk.subarray(at, next))
    at = next
  }
  return cut
}

/**
 * Strict: the lenient decoder would put U+FFFD into a record without a word. It is given whole texts only, and keeps
 * nothing between two; fed in parts it would give two-byte strings, twice as large and slower to parse.
 */
const decoder = new TextDecoder("utf-8", { fatal: true })

/** Decodes bytes that belong together; `undefined` when they are not UTF-8. */
export const decode = (parts: ReadonlyArray<Uint8Array>): string | undefined => {
  const [first] = parts
  const bytes = first !== undefined && parts.length === 1 ? first : concat(parts)
  return Result.getOrUndefined(Result.try(() => decoder.decode(bytes)))
}

const lenient = new TextDecoder("utf-8", { ignoreBOM: true })

/** Decodes the beginning of a text, to look at its ASCII: a character cut at the end becomes U+FFFD. */
export const peek = (bytes: Uint8Array): string => lenient.decode(bytes.subarray(0, 1_000))

/** Bytes in all. */
export const size = (parts: ReadonlyArray<Uint8Array>): number => parts.reduce((total, part) => total + part.length, 0)

/** Builds what puts parts together in memory that is used again: what it gives is valid until its next use. */
export const makeHolder = () => {
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

/** The bytes of all parts as one, in memory of their own. */
export const concat = (parts: ReadonlyArray<Uint8Array>): Uint8Array => makeHolder()(parts)

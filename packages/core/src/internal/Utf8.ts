/**
 * Bytes to text, strictly, a small piece at a time.
 *
 * Pieces of 16 KiB stay among V8's ordinary young objects, which come and go cheaply; larger strings are mapped and
 * unmapped one by one, which costs more than parsing them.
 */
import * as Result from "effect/Result"

/** Bytes decoded at a time. */
export const pieceSize = 16_384

/** Cuts a chunk into pieces of the size that is decoded best. */
export const pieces = (chunk: Uint8Array): ReadonlyArray<Uint8Array> => {
  if (chunk.length <= pieceSize) return [chunk]
  const cut: Array<Uint8Array> = []
  for (let at = 0; at < chunk.length; at += pieceSize) cut.push(chunk.subarray(at, at + pieceSize))
  return cut
}

/** Strict: the lenient decoder would put U+FFFD into a record without a word. */
const makeDecoder = () => new TextDecoder("utf-8", { fatal: true })

/** Decodes a body in order: text of each piece, the rest without one; `undefined` once the bytes are not UTF-8. */
export const makeStreaming = () => {
  const decoder = makeDecoder()
  return (piece?: Uint8Array): string | undefined =>
    Result.getOrUndefined(
      Result.try(() => (piece === undefined ? decoder.decode() : decoder.decode(piece, { stream: true })))
    )
}

/** Decodes bytes that belong together; `undefined` when they are not UTF-8. */
export const decode = (parts: ReadonlyArray<Uint8Array>): string | undefined => {
  const next = makeStreaming()
  let text = ""
  for (const part of parts) {
    const decoded = next(part)
    if (decoded === undefined) return undefined
    text += decoded
  }
  const last = next()
  return last === undefined ? undefined : text + last
}

/** Decodes bytes cut out of a text: what is left of characters at either border is left out. */
export const decodePart = (bytes: Uint8Array): string | undefined => {
  let start = 0
  while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1
  return makeStreaming()(bytes.subarray(start))
}

/** Bytes in all. */
export const size = (parts: ReadonlyArray<Uint8Array>): number => parts.reduce((total, part) => total + part.length, 0)

/** The bytes of all parts as one. */
export const concat = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const bytes = new Uint8Array(size(parts))
  let offset = 0
  for (const part of parts) {
    bytes.set(part, offset)
    offset += part.length
  }
  return bytes
}

/** Faults of characters: a byte order mark, bytes that are no UTF-8, pieces that end within a character. */
import * as Spec from "./Spec.ts"

export const mark = "\uFEFF"
const markBytes = Uint8Array.of(0xef, 0xbb, 0xbf)

/** Characters of two, three and four bytes. */
export const noteUtf8 = "Ξ→₿ 🌊"

/** A word that ends with a character for private use, until the text has become bytes. */
export const noteLatin1 = "caf\uE000"

const placeholder = Buffer.from("\uE000")

function* marked(pieces: Iterable<Uint8Array>): Generator<Uint8Array> {
  let isFirst = true
  for (const piece of pieces) {
    yield isFirst ? Buffer.concat([markBytes, piece]) : piece
    isFirst = false
  }
}

const toLatin1 = (piece: Uint8Array): Uint8Array => {
  const parts: Array<Uint8Array> = []
  const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.length)
  let from = 0
  for (let at = bytes.indexOf(placeholder); at >= 0; at = bytes.indexOf(placeholder, from)) {
    parts.push(bytes.subarray(from, at), Uint8Array.of(0xe9))
    from = at + placeholder.length
  }
  return Buffer.concat([...parts, bytes.subarray(from)])
}

function* inLatin1(pieces: Iterable<Uint8Array>): Generator<Uint8Array> {
  for (const piece of pieces) yield toLatin1(piece)
}

/** Applies the faults of characters, but for those of the pieces. */
export const apply = (pieces: Iterable<Uint8Array>, faults: ReadonlyArray<Spec.Fault>): Iterable<Uint8Array> => {
  const text = Spec.has(faults, "latin1") ? inLatin1(pieces) : pieces
  return Spec.has(faults, "bom") ? marked(text) : text
}

/** Ends each piece within its first character beyond ASCII; whatever is no piece passes through. */
export function* split<A extends string>(pieces: Iterable<Uint8Array | A>): Generator<Uint8Array | A> {
  for (const piece of pieces) {
    const first = typeof piece === "string" ? -1 : piece.findIndex((byte) => byte >= 0xc0)
    if (typeof piece === "string" || first < 0) yield piece
    else {
      yield piece.subarray(0, first + 1)
      yield piece.subarray(first + 1)
    }
  }
}

/**
 * Bytes cut into lines of text, whatever the borders of the chunks.
 */
import { shown } from "./Limit.ts"
import * as Utf8 from "./Utf8.ts"

const lineFeed = 10

/** Why no more lines can be read. */
export type Unreadable = "the line is not UTF-8" | `the line is longer than ${string}`

/** The lines that a piece completes, without the last line feed, and why there are no more. */
export interface Completed {
  /** Whole lines with line feeds between them; absent when no line was completed. */
  readonly block: string | undefined
  readonly unreadable?: Unreadable
}

/** Holds the bytes after the last line feed. */
export interface Lines {
  /** Takes the next piece of the body. */
  readonly push: (piece: Uint8Array) => Completed
  /** The text after the last line feed, once the body has ended; none when its bytes are cut inside a character. */
  readonly rest: () => string | undefined
}

/** Begins at the start of a body, none of whose lines may be longer than so many bytes. */
export const make = (longest: number): Lines => {
  let rest: Array<Uint8Array> = []

  /** Takes bytes up to a line feed: decoded at once, and line by line only to find the one that is no text. */
  const complete = (bytes: Uint8Array): Completed => {
    const parts = [...rest, bytes]
    rest = []
    const block = Utf8.decode(parts)
    if (block !== undefined) return { block }
    const lines: Array<string> = []
    for (const line of splitBytes(Utf8.concat(parts))) {
      const decoded = Utf8.decode([line])
      if (decoded === undefined) break
      lines.push(decoded)
    }
    return { block: lines.length === 0 ? undefined : lines.join("\n"), unreadable: "the line is not UTF-8" }
  }

  return {
    rest: () => Utf8.decode(rest),
    push: (piece) => {
      const end = piece.lastIndexOf(lineFeed)
      const completed = end === -1 ? { block: undefined } : complete(piece.subarray(0, end))
      if (end + 1 < piece.length) rest.push(piece.subarray(end + 1))
      if (Utf8.size(rest) <= longest) return completed
      rest = []
      return { ...completed, unreadable: `the line is longer than ${shown(longest)}` }
    }
  }
}

const splitBytes = function* (bytes: Uint8Array) {
  for (let start = 0; start <= bytes.length;) {
    const at = bytes.indexOf(lineFeed, start)
    const end = at === -1 ? bytes.length : at
    yield bytes.subarray(start, end)
    start = end + 1
  }
}

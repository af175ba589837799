/**
 * Splits bytes into lines, independently of chunk boundaries.
 *
 * `Stream.splitLines` decodes text and makes a string of every line; here lines stay together as bytes until they are parsed.
 */
import { format } from "./Limit.ts"
import * as Utf8 from "./Utf8.ts"

/** Whole lines, in bytes, without the last line feed. */
export type Block = Uint8Array

/** The lines that a piece of the body completes, and why no more can be read. */
export interface Completed {
  /** Absent when no line was completed. */
  readonly block: Block | undefined
  readonly unreadable?: string
}

/** Lines as text, and why no more can be read. */
export interface Texts {
  readonly texts: ReadonlyArray<string>
  readonly unreadable?: string
}

const openBracket = 91
const closeBracket = 93
const lineFeed = 10

/** Builds the splitter of one body, whose lines may have at most this many bytes. */
export const make = (longest: number) => {
  let rest: Array<Uint8Array> = []
  const hold = Utf8.makeConcat()
  const complete = (bytes: Uint8Array): Block => {
    const block = rest.length === 0 ? bytes : hold([...rest, bytes])
    rest = []
    return block
  }
  return {
    /** The text after the last line feed, at the end of the body; nothing when it ends inside a character. */
    rest: (): string | undefined => Utf8.decode(rest),
    /** Adds the next piece of the body. The block must be read before the next call. */
    push: (piece: Uint8Array): Completed => {
      const end = piece.lastIndexOf(lineFeed)
      const block = end === -1 ? undefined : complete(piece.subarray(0, end))
      const long = block === undefined || block.length <= longest ? undefined : startOfLong(block, longest)
      if (block !== undefined && long !== undefined) {
        return { block: long === 0 ? undefined : block.subarray(0, long - 1), unreadable: tooLong(longest) }
      }
      // A copy, so that the rest does not keep the whole chunk in memory.
      if (end + 1 < piece.length) rest.push(new Uint8Array(piece.subarray(end + 1)))
      if (Utf8.size(rest) <= longest) return { block }
      rest = []
      return { block, unreadable: tooLong(longest) }
    }
  }
}

/** Holds the bytes after the last line feed. */
export type Lines = ReturnType<typeof make>

const tooLong = (longest: number) => `the line is longer than ${format(longest)}`

/** The start of the first line that is too long. */
const startOfLong = (block: Block, longest: number): number | undefined => {
  for (let start = 0; start <= block.length;) {
    const at = block.indexOf(lineFeed, start)
    const end = at === -1 ? block.length : at
    if (end - start > longest) return start
    start = end + 1
  }
  return undefined
}

/**
 * Builds a function that writes a block as one JSON array of its lines, so that it is parsed at once. Returns nothing where a
 * line does not begin and end as an object, because two lines that are JSON only together are no records.
 */
export const makeArrayWriter = () => {
  let memory = new Uint8Array(2 * Utf8.pieceSize)
  return (block: Block): { readonly text: string; readonly lines: number } | undefined => {
    const length = block.length + 2
    if (length > memory.length) memory = new Uint8Array(2 * length)
    memory[0] = openBracket
    memory.set(block, 1)
    memory[length - 1] = closeBracket
    const lines = Utf8.decode([memory.subarray(0, length)])
    // Each separator grows by one character, so the length tells how many lines there are.
    const text = lines?.replaceAll("}\n{", "} ,{")
    return lines === undefined || text === undefined || text.includes("\n")
      ? undefined
      : { text, lines: text.length - lines.length + 1 }
  }
}

export const lastOf = (block: Block): string => Utf8.decode([block.subarray(block.lastIndexOf(lineFeed) + 1)]) ?? ""

/** The lines of a block, up to the first that is not UTF-8. */
export const textsOf = (block: Block): Texts => {
  const texts: Array<string> = []
  for (let start = 0; start <= block.length;) {
    const at = block.indexOf(lineFeed, start)
    const end = at === -1 ? block.length : at
    const text = Utf8.decode([block.subarray(start, end)])
    if (text === undefined) return { texts, unreadable: "the line is not UTF-8" }
    texts.push(text)
    start = end + 1
  }
  return { texts }
}

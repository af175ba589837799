/**
 * Rewrites a JSON array as lines while it arrives, so that files of either form are read as lines. Whether a file is an array
 * or has an object on each line is told by its first byte (docs/interface.md 13.3).
 */

const [tab, lineFeed, carriageReturn, space] = [9, 10, 13, 32]
const [quote, comma, openBracket, backslash, closeBracket, openBrace, closeBrace] = [34, 44, 91, 92, 93, 123, 125]
/** The bytes of a byte order mark. */
const mark = [0xef, 0xbb, 0xbf]

const isBlank = (byte: number) => byte === space || byte === lineFeed || byte === carriageReturn || byte === tab

/**
 * Builds the rewriter of one file.
 *
 * Text that is no array of values separated by single commas is rewritten to a line that is no JSON, so that the reader of
 * lines refuses it there.
 */
export const make = () => {
  let form: "array" | "lines" | undefined
  let depth = 0
  let isInText = false
  let isEscaped = false
  /** Whether a value has begun since the last separator. */
  let hasValue = false
  let hasComma = false
  let isOver = false
  let hasJunk = false

  const tellForm = (chunk: Uint8Array): number => {
    const at = chunk.findIndex((byte) => !isBlank(byte) && !mark.includes(byte))
    if (at === -1) return chunk.length
    form = chunk[at] === openBracket ? "array" : "lines"
    return form === "array" ? at : 0
  }

  /** What stands for a byte between two values, or at the beginning of one. */
  const between = (byte: number): number => {
    if (byte === closeBracket) {
      isOver = true
      // A comma before the end: a line that is no JSON.
      hasJunk = hasComma && !hasValue
      return hasJunk ? byte : lineFeed
    }
    if (byte === comma) {
      if (!hasValue) {
        hasValue = true
        return byte
      }
      hasValue = false
      hasComma = true
      return lineFeed
    }
    if (byte === quote) isInText = true
    if (byte === openBrace || byte === openBracket) depth += 1
    hasValue = true
    return byte
  }

  const rewrite = (byte: number): number => {
    if (isInText) {
      if (isEscaped) isEscaped = false
      else if (byte === backslash) isEscaped = true
      else if (byte === quote) isInText = false
      return byte
    }
    if (isBlank(byte)) return space
    if (isOver) {
      hasJunk = true
      return byte
    }
    if (depth === 0) return between(byte)
    if (byte === quote) isInText = true
    else if (byte === openBrace || byte === openBracket) depth += 1
    else if (byte === closeBrace || byte === closeBracket) depth -= 1
    return byte
  }

  return {
    /** Rewrites a chunk. What it returns holds no reference to the chunk where anything had to be changed. */
    push: (chunk: Uint8Array): Uint8Array => {
      const isFirst = form === undefined
      const from = isFirst ? tellForm(chunk) : 0
      if (form !== "array") return chunk
      const bytes = chunk.slice()
      if (isFirst) bytes.fill(space, 0, from + 1)
      for (let at = isFirst ? from + 1 : 0; at < bytes.length; at++) bytes[at] = rewrite(bytes[at]!)
      return bytes
    },
    /** Ends the file: what follows its last chunk, or nothing where an array ended too early. */
    end: (): Uint8Array | undefined => {
      if (form === "array" && !isOver) return undefined
      return hasJunk ? Uint8Array.of(lineFeed) : new Uint8Array()
    }
  }
}

/** Rewrites the chunks of one file. */
export type ArrayLines = ReturnType<typeof make>

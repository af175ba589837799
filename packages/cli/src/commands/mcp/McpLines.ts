/**
 * The lines of standard input, as messages of the Model Context Protocol: within bounds, so that none fills the memory or
 * exhausts the stack of what reads it.
 */

export const mostBytes = 4 * 1_048_576

/** How deep lists and objects of a message may be nested. */
const mostDepth = 64

/** A line of the input: its text, or why it is refused. */
export type Line =
  | { readonly _tag: "Text"; readonly text: string }
  | { readonly _tag: "Refused"; readonly reason: string }

const [lineFeed, quote, backslash] = [10, 34, 92]

const isOpening = (byte: number) => byte === 0x5b || byte === 0x7b

const isClosing = (byte: number) => byte === 0x5d || byte === 0x7d

/** The text of bytes that stand in several pieces. A character may be cut between two of them. */
const textOf = (parts: ReadonlyArray<Uint8Array>) => {
  const decoder = new TextDecoder()
  return parts.map((part) => decoder.decode(part, { stream: true })).join("") + decoder.decode()
}

/**
 * Builds a function that takes the bytes of the input, chunk by chunk, and gives the lines that end in each; without bytes,
 * at the end of the input, the rest.
 */
export const make = (): ((chunk?: Uint8Array) => ReadonlyArray<Line>) => {
  let parts: Array<Uint8Array> = []
  let length = 0
  let depth = 0
  let isText = false
  let isEscaped = false
  let refused: string | undefined

  const take = (bytes: Uint8Array) => {
    if (refused !== undefined) return
    for (const byte of bytes) {
      if (isEscaped) isEscaped = false
      else if (isText) {
        if (byte === quote) isText = false
        else if (byte === backslash) isEscaped = true
      } else if (byte === quote) isText = true
      else if (isOpening(byte)) depth += 1
      else if (isClosing(byte)) depth -= 1
      if (depth > mostDepth) {
        refused = `the message is nested deeper than ${mostDepth} levels`
        break
      }
    }
    length += bytes.length
    if (length > mostBytes) refused ??= `the message is longer than ${mostBytes.toLocaleString("en")} bytes`
    if (refused === undefined) parts.push(bytes)
    else parts = []
  }

  const end = (): Line => {
    const line: Line =
      refused === undefined ? { _tag: "Text", text: textOf(parts) } : { _tag: "Refused", reason: refused }
    parts = []
    length = 0
    depth = 0
    isText = false
    isEscaped = false
    refused = undefined
    return line
  }

  return (chunk) => {
    if (chunk === undefined) return length === 0 && refused === undefined ? [] : [end()]
    const lines: Array<Line> = []
    let from = 0
    for (let at = chunk.indexOf(lineFeed); at !== -1; at = chunk.indexOf(lineFeed, from)) {
      take(chunk.subarray(from, at))
      lines.push(end())
      from = at + 1
    }
    take(chunk.subarray(from))
    return lines
  }
}

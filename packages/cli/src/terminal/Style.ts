/** Colours of text, or none, and its width on a terminal. */
import { styleText } from "node:util"

const formats = ["bold", "dim", "red", "yellow", "green", "cyan", "magenta", "blue"] as const

type Format = (typeof formats)[number]

/** What makes text stand out. */
export type Style = Readonly<Record<Format, (text: string) => string>>

const styleOf = (of: (format: Format) => (text: string) => string): Style =>
  // Type boundary: each format is one of the keys.
  Object.fromEntries(formats.map((format) => [format, of(format)])) as unknown as Style

export const plain = styleOf(() => (text) => text)

/** Adds the escape sequences that terminals understand. */
export const colours = styleOf(
  (format) => (text) =>
    // `Screen.ts` has decided that this output takes colours; `styleText` would decide by the process's own streams.
    text === "" ? "" : styleText(format, text, { validateStream: false })
)

/** Moves to the start of the terminal's line, and clears it and what is below. */
export const wipe = "\r\u001B[J"

const wide =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|\p{Emoji_Presentation}/gu
const unseen = /[\p{Mn}\p{Me}\p{Cf}]/gu
const ascii = /^[ -~]*$/

export const widthOf = (text: string): number =>
  ascii.test(text) ? text.length : [...text.replaceAll(unseen, "")].length + (text.match(wide)?.length ?? 0)

export const cut = (text: string, width: number): string => {
  if (text.length <= width && widthOf(text) <= width) return text
  let taken = ""
  let columns = 0
  for (const letter of text) {
    columns += widthOf(letter)
    if (columns > width - 1) break
    taken += letter
  }
  return `${taken}…`
}

/** Cuts a text that takes more columns behind a word, where it has one that fits. */
export const cutWords = (text: string, width: number): string => {
  if (widthOf(text) <= width) return text
  const [line = ""] = wrap(text, width - 1)
  return widthOf(line) < width ? `${line.replace(/[,;:.]$/, "")}…` : cut(text, width)
}

/** Breaks text between words into lines of at most this many columns. */
export const wrap = (text: string, width: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line = ""
  for (const word of text.split(/\s+/)) {
    if (line !== "" && widthOf(line) + 1 + widthOf(word) > width) {
      lines.push(line)
      line = word
    } else {
      line = line === "" ? word : `${line} ${word}`
    }
  }
  return [...lines, line]
}

// oxlint-disable-next-line no-control-regex
const escapes = /\u001B\[[\d;]*[A-Za-z]|\r/g

const columnsOf = (text: string) => widthOf(text.replaceAll(escapes, ""))

/** A word. Code in backticks, or in their colour, is one, so that it can be copied. */
// oxlint-disable-next-line no-control-regex
const words = /(?:`[^`]*`|\u001B\[36m.*?\u001B\[39m|\S)+/g

const folded = (line: string, width: number): string => {
  // Lines of JSON are for programs.
  if (columnsOf(line) <= width || line.startsWith("{")) return line
  const start = line.startsWith(wipe) ? wipe : ""
  const [indent = ""] = /^ */.exec(line.slice(start.length)) ?? []
  const lines: Array<string> = []
  let used = Infinity
  for (const [word] of line.slice(start.length).matchAll(words)) {
    const size = columnsOf(word)
    if (used + 1 + size > width) {
      lines.push(indent + word)
      used = indent.length + size
    } else {
      lines.push(`${lines.pop() ?? ""} ${word}`)
      used += 1 + size
    }
  }
  return start + lines.join("\n")
}

/** Breaks the lines of a message that are longer between words; not inside code. */
export const fold = (text: string, width: number): string =>
  text
    .split("\n")
    .map((line) => folded(line, width))
    .join("\n")

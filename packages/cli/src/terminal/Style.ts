/**
 * Colours, or nothing where there are none, and the width of text on a terminal.
 */

/** How words stand out. */
export interface Style {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly red: (text: string) => string
  readonly yellow: (text: string) => string
  readonly green: (text: string) => string
  readonly cyan: (text: string) => string
}

const same = (text: string) => text

/** Leaves text as it is. */
export const plain: Style = { bold: same, dim: same, red: same, yellow: same, green: same, cyan: same }

const escape = (on: number, off: number) => (text: string) => (text === "" ? "" : `\u001B[${on}m${text}\u001B[${off}m`)

/** Colours text as terminals understand it. */
export const colours: Style = {
  bold: escape(1, 22),
  dim: escape(2, 22),
  red: escape(31, 39),
  yellow: escape(33, 39),
  green: escape(32, 39),
  cyan: escape(36, 39)
}

/** Back to the beginning of the line of a terminal, and nothing on it. */
export const wipe = "\r\u001B[K"

const wide =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|\p{Emoji_Presentation}/gu
const unseen = /[\p{Mn}\p{Me}\p{Cf}]/gu
const ascii = /^[ -~]*$/

/** Columns a text takes. */
export const widthOf = (text: string): number =>
  ascii.test(text) ? text.length : [...text.replaceAll(unseen, "")].length + (text.match(wide)?.length ?? 0)

/** Text in no more than so many columns, its end cut off where it is longer. */
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

/** Text in lines of no more than so many columns, broken between words. */
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

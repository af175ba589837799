/** The page of faults as text: its tables, and the numbers in its sentences that are measured. */

type Rows = ReadonlyArray<ReadonlyArray<string>>

/** A table, as it stands on the page. */
export interface Table {
  readonly head: ReadonlyArray<string>
  readonly rows: Rows
}

/** What was measured for a table: its rows, and what is wrong, a sentence each. */
export interface Measured {
  readonly rows: Rows
  readonly problems: ReadonlyArray<string>
}

const line = (cells: ReadonlyArray<string>) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`

export const table = (head: ReadonlyArray<string>, rows: Rows): string =>
  [head, head.map(() => "---"), ...rows].map(line).join("\n")

/** Text of the service, or of an error. */
export const quoted = (text: string): string => `“${text.replaceAll("<", "\\<")}”`

const cellsOf = (line: string) =>
  line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll("\\|", "|"))

/** The page in pieces: texts, and the tables between them. */
export const pieces = (page: string): ReadonlyArray<string | Table> =>
  page.split(/((?:^\|.*\n)+)/m).map((piece) => {
    if (!piece.startsWith("|")) return piece
    const [head = [], , ...rows] = piece.trimEnd().split("\n").map(cellsOf)
    return { head, rows }
  })

/** The page of such pieces. */
export const join = (pieces: ReadonlyArray<string | Table>): string =>
  pieces.map((piece) => (typeof piece === "string" ? piece : `${table(piece.head, piece.rows)}\n`)).join("")

/** Rows with those that continue them, whose first cell is empty. */
export const grouped = (rows: Rows): ReadonlyArray<Rows> =>
  rows.flatMap((row, at) => {
    if (row[0] === "") return []
    const next = rows.findIndex(([first], other) => other > at && first !== "")
    return [rows.slice(at, next === -1 ? undefined : next)]
  })

/** The fault that stands in brackets at the end of a cell. */
export const faultOf = (cell = ""): string => {
  const fault = /\(`([^`]+)`\)$/.exec(cell)?.[1]
  if (fault === undefined) throw new Error(`No fault stands in brackets at the end of "${cell}"`)
  return fault
}

/** The page with these numbers, each before a comment with its name. */
export const withNumbers = (page: string, numbers: Readonly<Record<string, number>>): string =>
  Object.entries(numbers).reduce((text, [name, value]) => {
    const place = new RegExp(String.raw`\d+(?=<!-- ${name} -->)`, "g")
    if (text.search(place) === -1) throw new Error(`The page has no number "${name}"`)
    return text.replace(place, String(value))
  }, page)

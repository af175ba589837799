/**
 * Reads CSV text as this library writes it: a header, and CRLF behind every line. A cell that is empty is absent, and
 * `""` is empty text.
 */

/** Reads text piece by piece. */
export interface CsvReader {
  /** Gives the records that are complete. */
  readonly read: (text: string) => ReadonlyArray<Readonly<Record<string, unknown>>>
}

/** Begins a file. In a file of one column, `""` is absent too. With `guardFormulas`, an apostrophe before a value is no part of it. */
export const make = (guardFormulas = false): CsvReader => {
  let names: ReadonlyArray<string> | undefined
  let rest = ""
  const recordOf = (cells: ReadonlyArray<string | undefined>) => {
    const record: Record<string, unknown> = {}
    const isAlone = names!.length === 1
    for (const [index, name] of names!.entries()) {
      const cell = cells[index]
      if (cell === undefined || (isAlone && cell === "")) continue
      record[name] = guardFormulas && cell.startsWith("'") ? cell.slice(1) : cell
    }
    return record
  }
  const read = (piece: string) => {
    const text = rest + piece
    const records: Array<Readonly<Record<string, unknown>>> = []
    let at = 0
    for (;;) {
      const line = lineOf(text, at)
      if (line === undefined) break
      at = line.end
      if (names === undefined) names = line.cells.map((cell) => cell ?? "")
      else records.push(recordOf(line.cells))
    }
    rest = text.slice(at)
    return records
  }
  return { read }
}

/** The cells of the line that begins here, and where the next one begins; nothing where the line is not complete. */
const lineOf = (text: string, from: number) => {
  const cells: Array<string | undefined> = []
  let at = from
  for (;;) {
    const cell = cellOf(text, at)
    if (cell === undefined) return undefined
    cells.push(cell.value)
    const isLast = text[cell.end] === "\r"
    at = cell.end + (isLast ? 2 : 1)
    if (isLast) return at > text.length ? undefined : { cells, end: at }
  }
}

/** The cell that begins here, and where it ends: at a comma, or at the end of its line. */
const cellOf = (text: string, from: number) => {
  if (text[from] !== '"') {
    let end = from
    while (end < text.length && text[end] !== "," && text[end] !== "\r") end++
    return end === text.length ? undefined : { value: end === from ? undefined : text.slice(from, end), end }
  }
  let end = from + 1
  for (;;) {
    end = text.indexOf('"', end)
    if (end === -1 || end + 1 >= text.length) return undefined
    if (text[end + 1] !== '"') return { value: text.slice(from + 1, end).replaceAll('""', '"'), end: end + 1 }
    end += 2
  }
}

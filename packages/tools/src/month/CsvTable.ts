/**
 * CSV as RFC 4180 has it, read apart from the library: an empty cell is no value, and `""` is empty text.
 */

/** The rows of a file, the names of its columns first. Throws at anything that is no whole table. */
export const parse = (text: string): ReadonlyArray<ReadonlyArray<string | null>> => {
  const rows: Array<ReadonlyArray<string | null>> = []
  let row: Array<string | null> = []
  let at = 0
  while (at < text.length) {
    let cell: string | null
    if (text[at] === '"') {
      const found = /"((?:[^"]|"")*)"/y
      found.lastIndex = at
      const [whole, inner] = found.exec(text) ?? []
      if (whole === undefined || inner === undefined) throw new Error("a quote is not closed")
      cell = inner.replaceAll('""', '"')
      at += whole.length
    } else {
      const end = text.slice(at).search(/[,\r]/)
      if (end < 0) throw new Error("the last line does not end")
      cell = end === 0 ? null : text.slice(at, at + end)
      at += end
    }
    row.push(cell)
    if (text[at] === ",") {
      at += 1
    } else if (text.startsWith("\r\n", at)) {
      at += 2
      rows.push(row)
      row = []
    } else throw new Error("a cell does not end")
  }
  if (row.length > 0) throw new Error("the last line does not end")
  const [head] = rows
  if (head === undefined) throw new Error("there are no columns")
  const uneven = rows.find((other) => other.length !== head.length)
  if (uneven !== undefined) throw new Error(`a row has ${uneven.length} cells and not ${head.length}`)
  return rows
}

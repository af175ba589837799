/** A terminal as a picture: bytes that programs wrote to one, as SVG. */
import xterm, { type IBufferCell } from "@xterm/headless"

/** Colours of the picture, by the number of the terminal's palette. */
const palette = (
  "#1b2224 #f0796b #7fce8c #e8c46a #6fb4f0 #d492e0 #63c7d1 #d5dcdb " +
  "#7d8a8d #f0796b #7fce8c #e8c46a #6fb4f0 #d492e0 #63c7d1 #ffffff"
).split(" ")

const size = { cell: 8.43, line: 19, margin: 20, bar: 36 }

interface Run {
  readonly text: string
  readonly style: string
  readonly column: number
}

/** Draws what a terminal of so many columns shows after these bytes. */
export const draw = async (bytes: string, columns: number, title: string): Promise<string> => {
  const terminal = new xterm.Terminal({ cols: columns, rows: 200, allowProposedApi: true })
  await new Promise<void>((resolve) => terminal.write(bytes, resolve))
  const buffer = terminal.buffer.active
  const lines = Array.from({ length: buffer.baseY + buffer.cursorY + 1 }, (_, row) => {
    const line = buffer.getLine(row)
    const cells = Array.from({ length: columns }, (_, column) => line?.getCell(column))
    return runsOf(cells)
  })
  while (lines.at(-1)?.length === 0) lines.pop()
  terminal.dispose()
  const width = Math.ceil(columns * size.cell + 2 * size.margin)
  const height = size.bar + lines.length * size.line + size.margin
  const rows = lines.map((runs, row) => {
    const y = size.bar + (row + 0.75) * size.line
    const spans = runs.map(
      ({ column, style, text }) =>
        `<tspan x="${(size.margin + column * size.cell).toFixed(1)}"${style}>${escaped(text)}</tspan>`
    )
    return `<text xml:space="preserve" y="${y.toFixed(1)}">${spans.join("")}</text>`
  })
  const dots = ["#f0796b", "#e8c46a", "#7fce8c"].map(
    (colour, index) => `<circle cx="${22 + index * 18}" cy="18" r="5.5" fill="${colour}"/>`
  )
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${height}" rx="9" fill="#14191b"/>`,
    ...dots,
    `<g fill="#d5dcdb" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, DejaVu Sans Mono, monospace" font-size="14">`,
    ...rows,
    "</g>",
    "</svg>"
  ].join("\n")}\n`
}

/** Cells of one style that stand together. */
const runsOf = (cells: ReadonlyArray<IBufferCell | undefined>): ReadonlyArray<Run> => {
  const runs: Array<Run> = []
  for (const [column, cell] of cells.entries()) {
    const text = cell?.getChars() || " "
    const style = cell === undefined ? "" : styleOf(cell)
    const last = runs.at(-1)
    if (last !== undefined && last.style === style) runs[runs.length - 1] = { ...last, text: last.text + text }
    else runs.push({ text, style, column })
  }
  const trimmed = runs.map((run, index) => (index === runs.length - 1 ? { ...run, text: run.text.trimEnd() } : run))
  return trimmed.filter(({ text }) => text.trim() !== "")
}

const styleOf = (cell: IBufferCell): string => {
  const colour = cell.isFgPalette() ? palette[cell.getFgColor()] : undefined
  return [
    colour === undefined ? "" : ` fill="${colour}"`,
    cell.isBold() === 0 ? "" : ' font-weight="700"',
    cell.isDim() === 0 ? "" : ' opacity="0.65"'
  ].join("")
}

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

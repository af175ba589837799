/**
 * A bar for each part that a download reads: since when it is read, and when its requests waited for the rate limit.
 */
import { harmless } from "@sluice/core/PlainText"
import type * as Download from "@sluice/files/Download"
import type { Range } from "../chart/Chart.ts"
import * as CoverageRows from "../chart/CoverageRows.ts"
import * as Amount from "./Amount.ts"
import * as QuotaWait from "./QuotaWait.ts"
import type { Side } from "./Screen.ts"
import * as Style from "./Style.ts"

/** More parts would take the whole of a small screen. */
const most = 8

/** Columns for the time that a part has taken. */
const timed = 12

/** Fewer columns tell nothing. */
const least = 40

export const make = ({ columns, style }: Pick<Side, "columns" | "style">) => {
  const running = new Map<number, { readonly file: string; readonly since: number }>()
  const waits: Array<Range> = []
  let now = 0
  let parts = 0
  const wait = (range: Range) => {
    const last = waits.at(-1)
    if (last?.to === range.from) waits[waits.length - 1] = { from: last.from, to: range.to }
    else waits.push(range)
  }
  const see = (event: Download.Event) => {
    if (event._tag === "PartStarted") running.set(event.part, { file: harmless(event.file), since: now })
    if (event._tag === "PartDone" || event._tag === "PartFailed") running.delete(event.part)
    if (event._tag !== "Progress") return
    if (QuotaWait.textOf(event.quota).length > 0) wait({ from: now, to: event.elapsed })
    now = event.elapsed
    parts = event.parts
  }
  /** Draws the bars below the line of the cursor, and moves the cursor back to the beginning of that line. */
  const below = () => {
    const shown = [...running.values()].slice(0, most)
    if (shown.length === 0 || parts < 2 || columns < least) return ""
    const from = Math.min(...shown.map(({ since }) => since))
    const width = columns - timed
    const longest = Math.max(...shown.map(({ file }) => Style.widthOf(file)))
    const frame = { width, margin: Math.min(Math.floor(width * 0.4), longest), height: 1, isAscii: false, paints: [] }
    const rows = shown.map(({ file, since }) => ({
      name: file,
      ranges: [{ from: since, to: now }],
      marked: waits
        .map((range) => ({ from: Math.max(since, range.from), to: range.to }))
        .filter((range) => range.from < range.to)
    }))
    const bars = CoverageRows.draw(
      rows,
      { from, to: now },
      { ...frame, up: style.cyan, down: style.cyan, dim: style.dim },
      Style.widthOf
    )
    const lines = bars.map((bar, index) => `\n${bar}  ${Amount.duration(now - shown[index]!.since)}`)
    return `${lines.join("")}\u001B[${lines.length}A\r`
  }
  return { see, below }
}

/**
 * Progress of a download: bars that are redrawn on a terminal, of all and of each part that is read, and plain lines elsewhere.
 */
import { harmless } from "@sluice/core/PlainText"
import type * as Download from "@sluice/files/Download"
import * as Amount from "./Amount.ts"
import * as PlanText from "./PlanText.ts"
import * as QuotaWait from "./QuotaWait.ts"
import type { Side } from "./Screen.ts"
import * as Style from "./Style.ts"
import type { Range } from "../chart/Chart.ts"
import * as CoverageRows from "../chart/CoverageRows.ts"

/** Turns an event into text; empty where it is not shown. */
export type Show = (event: Download.Event) => string

const bar = ({ done, parts }: Download.Progress, width: number) => {
  const filled = parts === 0 ? width : Math.floor((width * done) / parts)
  return "█".repeat(filled) + "░".repeat(width - filled)
}

const quotaOf = ({ limit, processes, remaining }: Download.Progress["quota"]) =>
  limit === null || remaining === null
    ? []
    : [`quota ${Amount.count(remaining)}/${Amount.count(limit)}${QuotaWait.sharing(processes)}`]

/** A part of the line, and its rank: where there is no room, the last ranks are left out. */
type Ranked = readonly [rank: number, text: string]

const ranked = (event: Download.Progress): ReadonlyArray<Ranked> => [
  [0, `${event.done}/${Amount.some(event.parts, "part")}`],
  ...(event.failed === 0 ? [] : [[1, `${event.failed} failed`] as const]),
  [5, Amount.some(event.records, "record")],
  [6, Amount.bytes(event.bytes)],
  [4, `${Amount.bytes(event.bytesPerSecond)}/s`],
  ...(event.left === null ? [] : [[3, `${Amount.duration(event.left)} left`] as const]),
  ...QuotaWait.textOf(event.quota).map((text) => [2, text] as const),
  ...quotaOf(event.quota).map((text) => [7, text] as const)
]

const figures = (event: Download.Progress): ReadonlyArray<string> => ranked(event).map(([, text]) => text)

const joined = (parts: ReadonlyArray<Ranked>) => parts.map(([, text]) => text).join("  ")

/** The line that fits: with a short bar or none, and without what matters least. */
const lineWithin = (event: Download.Progress, width: number): string => {
  const fit = (parts: ReadonlyArray<Ranked>): string => {
    const whole = joined(parts)
    const last = Math.max(...parts.map(([rank]) => rank))
    return Style.widthOf(whole) <= width || last === 0 ? whole : fit(parts.filter(([rank]) => rank !== last))
  }
  const all = ranked(event)
  const room = width - Style.widthOf(joined(all)) - 2
  // Below five columns a bar tells nothing.
  return room < 5 ? fit(all) : `${bar(event, Math.min(20, room))}  ${joined(all)}`
}

const verified = ({ bytes, files, verified }: Download.Verifying) =>
  `Verified ${Amount.count(verified)}/${Amount.some(files, "file")}, ${Amount.bytes(bytes)}`

const begun = ({ done, folder, parts, records, resumed }: Download.Started) => {
  if (done === parts) return `Nothing is left to do in ${folder}.`
  return resumed
    ? `Continuing in ${folder}: ${done} of ${Amount.some(parts, "part")} are done, with ${Amount.some(records, "record")}.`
    : `Downloading ${Amount.some(parts, "part")} into ${folder}.`
}

const finished = ({ bytes, files, folder, records }: Download.Finished) =>
  `Done: ${Amount.some(records, "record")}, ${Amount.bytes(bytes)}, in ${Amount.some(files, "file")} in ${folder}.`

const failed = ({ file, reason }: Download.PartFailed) => harmless(`${file} failed: ${reason}`)

export const on = (side: Side): Show => (side.isTerminal ? onTerminal(side) : inLines())

/** More parts would take the whole of a small screen. */
const mostBars = 8

/** Columns for the time that a part has taken. */
const timed = 12

/** Fewer columns tell nothing. */
const leastColumns = 40

/** A bar for each part that a download reads: since when it is read, and when its requests waited for the rate limit. */
const partBars = ({ columns, style }: Pick<Side, "columns" | "style">) => {
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
    const shown = [...running.values()].slice(0, mostBars)
    if (shown.length === 0 || parts < 2 || columns < leastColumns) return ""
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

export const onTerminal = ({ columns, style }: Side): Show => {
  const fit = (text: string) => Style.cut(text, columns - 1)
  const bars = partBars({ columns, style })
  return (event) => {
    bars.see(event)
    switch (event._tag) {
      case "Verifying":
        return `${Style.wipe}${fit(verified(event))}${event.verified === event.files ? "\n" : ""}`
      case "Planned":
        return `${PlanText.total(event.plan)}\n`
      case "Started":
        return `${begun(event)}\n`
      case "Progress":
        return `${Style.wipe}${fit(lineWithin(event, columns - 1))}${bars.below()}`
      case "PartFailed":
        return `${Style.wipe}${style.red(fit(failed(event)))}\n`
      case "Finished":
        return `${Style.wipe}${style.green(finished(event))}\n`
      default:
        return ""
    }
  }
}

/** Shows events in a file or a pipe: a line for each part, and a line of progress every ten seconds. */
export const inLines = (): Show => {
  let next = 10_000
  return (event) => {
    switch (event._tag) {
      case "Verifying":
        return event.verified === event.files ? `${verified(event)}.\n` : ""
      case "Planned":
        return `${PlanText.total(event.plan)}\n`
      case "Started":
        return `${begun(event)}\n`
      case "PartDone":
        return `${event.file}: ${Amount.some(event.records, "record")}, ${Amount.bytes(event.bytes)}\n`
      case "PartFailed":
        return `${failed(event)}\n`
      case "Finished":
        return `${finished(event)}\n`
      case "Progress": {
        if (event.elapsed < next) return ""
        next = event.elapsed + 10_000
        return `${figures(event).join(", ")}\n`
      }
      default:
        return ""
    }
  }
}

/**
 * What a run came to, in a few lines.
 */
import type { Audit } from "./Audit.ts"
import { tenths, whole } from "./Progress.ts"
import type { Style } from "./Screen.ts"

/** Files that belong together, such as those of one folder. */
export interface Group {
  /** How the files are named together. */
  readonly name: string
  readonly files: ReadonlyArray<File>
}

/** A file and what was found in it. */
export interface File {
  readonly name: string
  readonly audit: Audit
}

/** Faults on the way, and who counted them. */
export interface Faults {
  readonly limited: number
  readonly broken: number
  readonly countedBy: string
  /** Milliseconds in which requests had to wait for the service. */
  readonly held: number
}

/** Everything the summary tells. */
export interface Report {
  readonly groups: ReadonlyArray<Group>
  readonly faults: Faults
  /** What the files were held against, one thing a line. */
  readonly against: ReadonlyArray<string>
}

/** Adds up what was found in several files. */
export const total = (files: ReadonlyArray<File>): Audit =>
  files.reduce(
    (sum, { audit }) => ({
      records: sum.records + audit.records,
      lost: sum.lost + audit.lost,
      repeated: sum.repeated + audit.repeated,
      foreign: sum.foreign + audit.foreign
    }),
    { records: 0, lost: 0, repeated: 0, foreign: 0 }
  )

/** Tells whether files hold exactly what they should. */
export const isSound = ({ foreign, lost, repeated }: Audit): boolean => lost + repeated + foreign === 0

/** Writes the summary. */
export const lines = (report: Report, style: Style): ReadonlyArray<string> => {
  const files = report.groups.flatMap((group) => group.files)
  const all = total(files)
  const verdict = isSound(all) ? style.good : style.warn
  const result = `lost ${whole(all.lost)}, repeated ${whole(all.repeated)}`
  return [
    style.dim(row("", "records", "lost", "repeated")),
    ...report.groups.flatMap(group),
    "",
    ...faultLines(report.faults),
    entry("waited", `${tenths(report.faults.held)} because the service asked for it`),
    entry("result", verdict(result)),
    ...report.against.map((line, n) => entry(n === 0 ? "counted" : "", style.dim(line)))
  ]
}

// A fault that was not recovered would have failed its stream, and the summary would not have been written.
const faultLines = ({ broken, countedBy, limited }: Faults): ReadonlyArray<string> => {
  const all = limited + broken
  if (all === 0) return [entry("faults met", `none (counted by ${countedBy})`)]
  return [
    entry("faults met", `${whole(limited)} × 429, ${whole(broken)} × connection cut (counted by ${countedBy})`),
    entry("recovered", `${whole(all)} of ${whole(all)}: no stream failed`)
  ]
}

const row = (name: string, records: string, lost: string, repeated: string, note = "") =>
  `   ${name.padEnd(26)}${records.padStart(11)}${lost.padStart(7)}${repeated.padStart(11)}   ${note}`.trimEnd()

const entry = (name: string, text: string) => `   ${name.padEnd(13)}${text}`

const fileRow = ({ name, audit }: File, note?: string) =>
  row(name, whole(audit.records), whole(audit.lost), whole(audit.repeated), note)

// Files of a group that are alike and sound need one line; any other deserves its own.
const group = ({ files, name }: Group): ReadonlyArray<string> => {
  const [first] = files
  const isAlike = files.every(({ audit }) => isSound(audit) && audit.records === first?.audit.records)
  if (first === undefined || files.length === 1 || !isAlike) return files.map((file) => fileRow(file))
  return [fileRow({ name, audit: total(files) }, `${files.length} files of ${whole(first.audit.records)}`)]
}

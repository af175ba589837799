/** From measurements to medians, a table and verdicts. */

/** One case in one round. */
export interface Measurement {
  readonly seconds: number
  /** Seconds of processor time, garbage collection included. */
  readonly cpu: number
  readonly records: number
  /** Median seconds between the sending of a frame and its reading; only of paced live frames. */
  readonly latency?: number
  readonly peak: number
  /** The part of it that the process had before it read anything. */
  readonly imports: number
}

/** The rounds of every case, by its label, in the order of the table. */
export type Rounds = ReadonlyMap<string, ReadonlyArray<Measurement>>

/** What is read from a measurement. */
const figures = {
  time: ({ seconds }: Measurement) => seconds,
  "processor time": ({ cpu }: Measurement) => cpu,
  delay: ({ latency = Number.NaN }: Measurement) => latency,
  memory: ({ peak }: Measurement) => peak,
  "memory above the imports": ({ imports, peak }: Measurement) => peak - imports,
  rate: ({ records, seconds }: Measurement) => records / seconds
}

/** Names what is read from a measurement. */
export type FigureName = keyof typeof figures

/** The most that a figure of a case may be, or its ratio to that of another case in the same round. */
export interface Bound {
  readonly label: string
  readonly figure: FigureName
  readonly limit: number
  readonly against?: string
  /** The highest of all rounds, where the median would hide the worst. */
  readonly isHighest?: boolean
}

export interface Verdict {
  readonly bound: string
  readonly figure: number
  readonly limit: number
  /** How the figure is written; a plain number when absent. */
  readonly unit?: "MB" | undefined
}

/** The middle of some numbers, or the mean of the two in the middle. */
export const median = (numbers: ReadonlyArray<number>): number => {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = sorted.length >>> 1
  const [low = Number.NaN, high = Number.NaN] = [sorted[sorted.length % 2 === 0 ? middle - 1 : middle], sorted[middle]]
  return (low + high) / 2
}

const all = (rounds: Rounds, label: string, figure: FigureName) => (rounds.get(label) ?? []).map(figures[figure])

export const typical = (rounds: Rounds, label: string, figure: FigureName): number => median(all(rounds, label, figure))

/** The median over the rounds of a figure in relation to that of another case in the same round. */
export const ratio = (rounds: Rounds, label: string, base: string, figure: FigureName): number => {
  const bases = all(rounds, base, figure)
  return median(all(rounds, label, figure).map((own, round) => own / (bases[round] ?? own)))
}

export const judge = (rounds: Rounds, { against, figure, isHighest = false, label, limit }: Bound): Verdict => ({
  bound: `${label}, ${isHighest ? "highest " : ""}${figure}${against === undefined ? "" : `, ratio to ${against}`}`,
  figure:
    against !== undefined
      ? ratio(rounds, label, against, figure)
      : isHighest
        ? Math.max(...all(rounds, label, figure))
        : typical(rounds, label, figure),
  limit,
  unit: against === undefined && figure.startsWith("memory") ? "MB" : undefined
})

const megabytes = (bytes: number) => Math.round(bytes / 1e6).toString()

/** Aligns cells: the first column to the left, the others to the right, the first row ruled off. */
export const align = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const line = (row: ReadonlyArray<string>) =>
    widths
      .map((width, column) => (column === 0 ? (row[0] ?? "").padEnd(width) : (row[column] ?? "").padStart(width)))
      .join("  ")
      .trimEnd()
  const [head = [], ...body] = rows
  return [line(head), widths.map((width) => "-".repeat(width)).join("  "), ...body.map(line)].join("\n")
}

const paced = ["case", "median delay", "ratio"]
const read = ["case", "time ratio", "CPU ratio", "CPU s", "seconds", "records/s", "peak MB", "above imports"]

/** Writes the table of a part; `base` names the case that a row's ratios are taken against, the first when absent. */
export const table = (rounds: Rounds, base: (label: string) => string = () => [...rounds.keys()][0] ?? ""): string => {
  const isPaced = [...rounds.values()].some((measured) => measured.some(({ latency }) => latency !== undefined))
  const cells = (label: string) => {
    const median = (figure: FigureName) => typical(rounds, label, figure)
    const share = (figure: FigureName) => ratio(rounds, label, base(label), figure).toFixed(2)
    return isPaced
      ? [`${Math.round(median("delay") * 1e6)} µs`, share("delay")]
      : [
          share("time"),
          share("processor time"),
          median("processor time").toFixed(2),
          median("time").toFixed(2),
          Math.round(median("rate")).toLocaleString("en-US"),
          megabytes(median("memory")),
          megabytes(median("memory above the imports"))
        ]
  }
  return align([isPaced ? paced : read, ...[...rounds.keys()].map((label) => [label, ...cells(label)])])
}

export const isKept = ({ figure, limit }: Verdict): boolean => figure <= limit

export const verdicts = (all: ReadonlyArray<Verdict>): string => {
  const written = (number: number, unit: Verdict["unit"]) =>
    unit === "MB" ? `${megabytes(number)} MB` : number.toFixed(2)
  return align([
    ["bound", "limit", "seen", ""],
    ...all.map((verdict) => [
      verdict.bound,
      `≤ ${written(verdict.limit, verdict.unit)}`,
      written(verdict.figure, verdict.unit),
      isKept(verdict) ? "ok" : "missed"
    ])
  ])
}

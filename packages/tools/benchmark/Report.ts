/**
 * From measurements to medians, a table and verdicts.
 */

/** One case in one round. */
export interface Measurement {
  readonly seconds: number
  /** Seconds of processor time, garbage collection included. */
  readonly cpu: number
  readonly records: number
  /** Median seconds between the sending of a frame and its reading; only of paced live frames. */
  readonly latency?: number
  /** Peak RSS in bytes. */
  readonly peak: number
  /** The part of it that the process had before it read anything. */
  readonly imports: number
}

/** The rounds of every case, by its label, in the order of the table. */
export type Rounds = ReadonlyMap<string, ReadonlyArray<Measurement>>

/** What is set in relation. */
export type Figure = (measurement: Measurement) => number

/** A bound and what was seen. */
export interface Verdict {
  readonly bound: string
  readonly figure: number
  readonly limit: number
  /** How the figure is written; a plain number when absent. */
  readonly unit?: "MB"
}

/** The middle of some numbers, or the mean of the two in the middle. */
export const median = (numbers: ReadonlyArray<number>): number => {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = sorted.length >>> 1
  const [low = Number.NaN, high = Number.NaN] = [sorted[sorted.length % 2 === 0 ? middle - 1 : middle], sorted[middle]]
  return (low + high) / 2
}

/** The median over the rounds of a figure. */
export const typical = (rounds: Rounds, label: string, figure: Figure): number =>
  median((rounds.get(label) ?? []).map(figure))

/** The median over the rounds of a figure in relation to that of another case in the same round. */
export const ratio = (rounds: Rounds, label: string, base: string, figure: Figure): number => {
  const bases = rounds.get(base) ?? []
  return median((rounds.get(label) ?? []).map((own, round) => figure(own) / figure(bases[round] ?? own)))
}

/** The highest peak of some cases over all rounds, in bytes. */
export const highest = (rounds: Rounds, labels: ReadonlyArray<string>): number =>
  Math.max(...labels.flatMap((label) => (rounds.get(label) ?? []).map(({ peak }) => peak)))

/** The highest growth of some cases above what their imports take, in bytes. */
export const highestGrowth = (rounds: Rounds, labels: ReadonlyArray<string>): number =>
  Math.max(...labels.flatMap((label) => (rounds.get(label) ?? []).map(growth)))

/** The duration of a case. */
export const seconds: Figure = (measurement) => measurement.seconds

/** The processor time of a case. */
export const cpu: Figure = (measurement) => measurement.cpu

/** The median delay of paced live frames. */
export const delay: Figure = ({ latency = Number.NaN }) => latency

/** The peak memory of a case above what its imports take. */
export const growth: Figure = ({ imports, peak }) => peak - imports

/** The peak memory of a case. */
export const peak: Figure = (measurement) => measurement.peak

const megabytes = (bytes: number) => Math.round(bytes / 1e6).toString()

const thousands = (number: number) => Math.round(number).toLocaleString("en-US")

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

/** Writes the table of a part; `base` names the case that a row's ratios are taken against. */
export const table = (rounds: Rounds, base: (label: string) => string): string =>
  align([
    ["case", "time ratio", "CPU ratio", "CPU s", "seconds", "records/s", "peak MB", "above imports"],
    ...[...rounds.keys()].map((label) => [
      label,
      ratio(rounds, label, base(label), seconds).toFixed(2),
      ratio(rounds, label, base(label), cpu).toFixed(2),
      typical(rounds, label, cpu).toFixed(2),
      typical(rounds, label, seconds).toFixed(2),
      thousands(typical(rounds, label, (own) => own.records / own.seconds)),
      megabytes(typical(rounds, label, peak)),
      megabytes(typical(rounds, label, growth))
    ])
  ])

/** Tells whether a bound is kept. */
export const isKept = ({ figure, limit }: Verdict): boolean => figure <= limit

/** Writes what has become of the bounds. */
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

/**
 * A series as lines of block characters, with its axes.
 */

/** One value; `at` is any number that grows with time. */
export interface Point {
  readonly at: number
  readonly value: number
}

/** How a chart is drawn. */
export interface Options {
  /** What stands before the first line. */
  readonly label: string
  /** The interval of the horizontal axis, so that several charts can share it. */
  readonly from: number
  readonly to: number
  /** Characters of the horizontal axis. */
  readonly width: number
  /** Lines of the vertical axis. */
  readonly height: number
}

const eighths = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

/** Characters before the vertical axis: the label and the scale. */
export const margin = 11

/**
 * Draws a series as bars from zero to its highest column; a column is the mean of the values that fall into it, and
 * empty where there are none.
 */
export const lines = (points: ReadonlyArray<Point>, options: Options): ReadonlyArray<string> => {
  const { height, label } = options
  const columns = means(points, options)
  const top = Math.max(...columns.map((mean) => mean ?? 0)) || 1
  return Array.from({ length: height }, (_, line) => {
    const scale = line === 0 ? short(top) : line === height - 1 ? "0" : ""
    const before = (line === 0 ? label : "").padEnd(margin - scale.length) + scale
    const floor = (height - 1 - line) * 8
    return `${before} ${line === 0 || line === height - 1 ? "┤" : "│"}${columns.map(bar(top, height, floor)).join("")}`
  })
}

/** Draws the horizontal axis: a label at either end. */
export const axis = (first: string, last: string, width: number): string =>
  `${" ".repeat(margin + 2)}${first}${last.padStart(width - first.length)}`

/** Writes a number with a unit letter, in four characters. */
export const short = (value: number): string => {
  const [size, letter] = units.find(([size]) => value >= size) ?? [1, ""]
  const scaled = value / size
  return `${scaled >= 10 || Number.isInteger(scaled) ? Math.round(scaled) : scaled.toFixed(1)}${letter}`
}

const units: ReadonlyArray<readonly [number, string]> = [
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"]
]

const bar = (top: number, height: number, floor: number) => (mean: number | undefined) => {
  if (mean === undefined) return " "
  // A value that is there can be seen, however small.
  const level = Math.max(mean > 0 ? 1 : 0, Math.round((mean / top) * height * 8))
  return eighths[Math.min(8, Math.max(0, level - floor))]!
}

const means = (points: ReadonlyArray<Point>, { from, to, width }: Options): ReadonlyArray<number | undefined> => {
  const sums = Array.from({ length: width }, () => ({ sum: 0, count: 0 }))
  for (const { at, value } of points) {
    const column = sums[Math.min(width - 1, Math.floor(((at - from) / (to - from || 1)) * width))]
    if (column === undefined) continue
    column.sum += value
    column.count += 1
  }
  return sums.map(({ sum, count }) => (count === 0 ? undefined : sum / count))
}

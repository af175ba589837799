/**
 * Numbers as people read them.
 */

/** A whole number with its thousands apart. */
export const count = (value: number): string => Math.round(value).toLocaleString("en")

const scales = ["B", "kB", "MB", "GB", "TB"]

/** Bytes, in the unit that needs the fewest digits. */
export const bytes = (value: number): string => {
  const scale = Math.min(scales.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, value)) / 3)))
  const amount = value / 1000 ** scale
  return `${scale === 0 || amount >= 100 ? Math.round(amount) : amount.toFixed(1)} ${scales[scale]}`
}

/** A time, in the two largest units that say something. */
export const duration = (milliseconds: number): string => {
  const seconds = Math.round(milliseconds / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return both(minutes, "min", seconds % 60, "s")
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? both(hours, "h", minutes % 60, "min") : both(Math.floor(hours / 24), "d", hours % 24, "h")
}

const both = (large: number, unit: string, small: number, smallUnit: string) =>
  small === 0 ? `${large} ${unit}` : `${large} ${unit} ${small} ${smallUnit}`

/** One thing, or several of it. */
export const some = (value: number, thing: string): string => `${count(value)} ${thing}${value === 1 ? "" : "s"}`

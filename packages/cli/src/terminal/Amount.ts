/**
 * Numbers as people read them.
 *
 * `Duration.format` of Effect writes every unit down to nanoseconds; a line of progress has room for two.
 */
import * as ByteSize from "effect/ByteSize"

/** A whole number with separators between thousands. */
export const count = (value: number): string => Math.round(value).toLocaleString("en")

/** Bytes, in the largest decimal unit of which there is at least one. */
export const bytes = (value: number): string =>
  ByteSize.format(ByteSize.bytes(Math.round(value)), { system: "decimal", precision: 1 })

/** A duration in its two largest units, such as `2 h 5 min`. */
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

/** A count and its noun, in the plural where it is not 1. */
export const some = (value: number, thing: string, things = `${thing}s`): string =>
  `${count(value)} ${value === 1 ? thing : things}`

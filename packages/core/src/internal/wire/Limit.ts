/** Limits in bytes, as text. */

const units = [
  [1_048_576, "MiB"],
  [1_024, "KiB"]
] as const

/** Formats a number of bytes in the largest unit that needs no fraction. */
export const format = (bytes: number): string => {
  const unit = units.find(([size]) => bytes >= size && bytes % size === 0)
  return unit === undefined ? `${bytes} bytes` : `${bytes / unit[0]} ${unit[1]}`
}

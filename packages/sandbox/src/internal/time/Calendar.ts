/** Calendar arithmetic and the text forms of an instant, in whole milliseconds since 1970. */

export const SECOND = 1000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

export const dayOf = (year: number, month: number, day: number): number => {
  const y = month <= 2 ? year - 1 : year
  const era = Math.floor(y / 400)
  const yearOfEra = y - era * 400
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1
  return era * 146097 + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear - 719468
}

export const civil = (days: number): readonly [year: number, month: number, day: number] => {
  const z = days + 719468
  const era = Math.floor(z / 146097)
  const doe = z - era * 146097
  const yoe = Math.floor((doe - Math.floor(doe / 1460) + Math.floor(doe / 36524) - Math.floor(doe / 146096)) / 365)
  const doy = doe - (365 * yoe + Math.floor(yoe / 4) - Math.floor(yoe / 100))
  const mp = Math.floor((5 * doy + 2) / 153)
  const month = mp < 10 ? mp + 3 : mp - 9
  return [yoe + era * 400 + (month <= 2 ? 1 : 0), month, doy - Math.floor((153 * mp + 2) / 5) + 1]
}

/** Reads `2009-01-03` or `2009-01-03T18:15:05` as an instant; the text is known to be well formed. */
export const at = (text: string): number => {
  const part = (from: number, to: number) => Number(text.slice(from, to) || "0")
  return (
    dayOf(part(0, 4), part(5, 7), part(8, 10)) * DAY +
    part(11, 13) * HOUR +
    part(14, 16) * MINUTE +
    part(17, 19) * SECOND
  )
}

/** The instant at which the stand-in's data ends; fixed, so that every run serves the same records. */
export const TODAY: number = at("2026-11-01")

const two: ReadonlyArray<string> = Array.from({ length: 100 }, (_, n) => String(n).padStart(2, "0"))

/** Writes a date as `2009-01-03`. */
export const date = (ms: number): string => {
  const [year, month, day] = civil(Math.floor(ms / DAY))
  return `${year}-${two[month]}-${two[day]}`
}

// Rows come in ascending time, so the date part of one row is nearly always that of the row before.
let lastDay = Number.NaN
let lastPrefix = ""

const prefix = (day: number): string => {
  if (day !== lastDay) {
    lastDay = day
    lastPrefix = `${date(day * DAY)}T`
  }
  return lastPrefix
}

/** Writes an instant with nine fractional digits, the form of every time in a series; `beyond` are nanoseconds. */
export const nanos = (ms: number, beyond = 0): string => {
  const day = Math.floor(ms / DAY)
  const rest = ms - day * DAY
  const seconds = Math.floor(rest / SECOND)
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  const millis = rest - seconds * SECOND
  const digits = millis * 1_000_000 + beyond
  const fraction = digits === 0 ? ".000000000Z" : `.${String(digits).padStart(9, "0")}Z`
  return `${prefix(day)}${two[hours]}:${two[minutes - hours * 60]}:${two[seconds - minutes * 60]}${fraction}`
}

/** The grids on which series have rows (docs/interface.md 14.3). */
import * as DateTime from "effect/DateTime"
import { at, DAY, HOUR, MINUTE, SECOND } from "../internal/time/Calendar.ts"

/** A grid of instants, numbered by whole numbers that may be negative. */
export interface Frequency {
  readonly name: string
  readonly at: (n: number) => number
  /** Finds the first place at or after an instant. */
  readonly from: (ms: number) => number
  /** The first instant for which any series of this grid has rows. */
  readonly since: number
}

/** Builds a grid of equal steps, `offset` after whole ones. */
export const every = (name: string, step: number, offset: number, since: string): Frequency => ({
  name,
  at: (n) => n * step + offset,
  from: (ms) => Math.ceil((ms - offset) / step),
  since: at(since)
})

/** The frequencies of candles, of markets, pairs and indexes alike. */
export const candles: ReadonlyArray<string> = ["1m", "5m", "10m", "15m", "30m", "1h", "4h", "1d"]

const fromHour = /^1d-([01]\d|2[0-3]):00$/

export const isFromHour = (name: string): boolean => fromHour.test(name)

/** Whether there are candles of a frequency: days may begin at any hour. */
export const isOfCandles = (name: string): boolean => candles.includes(name) || isFromHour(name)

/** The first instant of a day in a zone, by the hour at which it begins there. */
const beginOf = (zone: DateTime.TimeZone, hour: number) => {
  const known = new Map<number, number>()
  return (day: number): number => {
    const found = known.get(day)
    if (found !== undefined) return found
    const local = DateTime.makeZonedUnsafe(day * DAY + hour * HOUR, { timeZone: zone, adjustForTimeZone: true })
    const begin = DateTime.toEpochMillis(local)
    known.set(day, begin)
    return begin
  }
}

/**
 * The grid of candles in a time zone, whose days begin at an hour of its clocks: a day on which they are changed has 23 or 25
 * hours. What is shorter than a day is the same in every zone.
 */
export const inZone = (self: Frequency, zone: DateTime.TimeZone): Frequency => {
  const hour = self.name === "1d" ? 0 : Number(fromHour.exec(self.name)?.[1] ?? Number.NaN)
  if (Number.isNaN(hour) || DateTime.isTimeZoneOffset(zone)) return self
  const at = beginOf(zone, hour)
  const from = (ms: number): number => {
    // No zone is more than a day from UTC.
    let day = Math.floor(ms / DAY) - 2
    while (at(day) < ms) day++
    return day
  }
  return { ...self, at, from }
}

const ofHour = (name: string, hour: number): Frequency => every(name, DAY, hour * HOUR, "2009-01-01")

const ofZone = (name: string, hour: number, zone: string): Frequency => {
  const self = ofHour(`1d-${String(hour).padStart(2, "0")}:00`, hour)
  return { ...inZone(self, DateTime.zoneMakeNamedUnsafe(zone)), name }
}

const known: ReadonlyMap<string, Frequency> = new Map(
  [
    every("1s", SECOND, 0, "2022-01-01"),
    every("15s", 15 * SECOND, 0, "2021-01-01"),
    every("1m", MINUTE, 0, "2017-01-01"),
    every("5m", 5 * MINUTE, 0, "2017-01-01"),
    every("10m", 10 * MINUTE, 0, "2017-01-01"),
    every("15m", 15 * MINUTE, 0, "2017-01-01"),
    every("30m", 30 * MINUTE, 0, "2017-01-01"),
    every("1h", HOUR, 0, "2014-01-01"),
    every("4h", 4 * HOUR, 0, "2014-01-01"),
    every("1d", DAY, 0, "2009-01-01"),
    every("1d-sg-close", DAY, 8 * HOUR, "2009-01-01"),
    ofZone("1d-ny-close", 16, "America/New_York"),
    ofZone("1d-ny-midday", 12, "America/New_York"),
    ofZone("1d-ldn-close", 16, "Europe/London")
  ].map((frequency) => [frequency.name, frequency])
)

/** Finds the grid of a frequency name; `1b` has none, because its rows are blocks. */
export const find = (name: string): Frequency | undefined => {
  const hour = fromHour.exec(name)?.[1]
  return hour === undefined ? known.get(name) : ofHour(name, Number(hour))
}

/**
 * The kinds of values that flags take.
 */
import type * as Bulk from "@sluice/core/Bulk"
import * as Flag from "effect/cli/Flag"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"

/** A flag that takes one of these words. */
export const choice = <const Word extends string>(name: string, words: readonly [Word, ...Array<Word>]) => {
  const flag: Flag.Flag<Word> = Flag.Literals(name, words)
  return flag.pipe(Flag.withMetavar(`<${words.join("|")}>`))
}

/** A flag that takes a whole number from 1 up. */
export const whole = (name: string) =>
  Flag.Int(name).pipe(
    Flag.filter(
      (value) => value >= 1,
      (value) => `Expected a whole number from 1 up, got ${value}`
    ),
    Flag.withMetavar("<n>")
  )

/** A flag that takes a list with commas. */
export const list = (name: string) =>
  Flag.String(name).pipe(
    Flag.withMetavar("<list>"),
    Flag.map((text) => text.split(",").map((item) => item.trim()))
  )

/** A flag that is there or not. */
export const toggle = (name: string) => Flag.Boolean(name).pipe(Flag.withoutNegation, Flag.withDefault(false))

const units: Readonly<Record<string, Duration.Duration>> = {
  s: Duration.seconds(1),
  m: Duration.minutes(1),
  h: Duration.hours(1),
  d: Duration.days(1),
  w: Duration.weeks(1)
}

const durationOf = (text: string): Option.Option<Duration.Duration> => {
  const [, amount, unit = ""] = /^(\d{1,6})([smhdw])$/.exec(text) ?? []
  const one = units[unit]
  return amount === undefined || one === undefined ? Option.none() : Option.some(Duration.times(one, Number(amount)))
}

/** A period of the calendar, such as `1month` or `1y`. */
const periodOf = (text: string): Option.Option<Bulk.Period> => {
  const [, amount, unit = ""] = /^([1-9]\d{0,3}) ?(mo|months?|y|years?)$/.exec(text) ?? []
  if (amount === undefined) return Option.none()
  return Option.some<Bulk.Period>(unit.startsWith("y") ? `${Number(amount)} years` : `${Number(amount)} months`)
}

/** A flag that takes a length of time, such as `7d`. */
export const duration = (name: string) =>
  Flag.String(name).pipe(
    Flag.filterMap(durationOf, (text) => `Expected a time such as 7d, 12h or 90m, got ${JSON.stringify(text)}`),
    Flag.withMetavar("<time>")
  )

/** A flag that takes a length of time, or a period of the calendar. */
export const durationOrPeriod = (name: string) =>
  Flag.String(name).pipe(
    Flag.filterMap(
      (text): Option.Option<Bulk.Period | Duration.Duration> =>
        Option.orElse(periodOf(text), () => durationOf(text.replace(/ ?weeks?$/, "w"))),
      (text) =>
        `Expected a time such as 1year, 1month, 1week, 30d, 12h, 90m or 30s (y, mo and w for short), got ${JSON.stringify(text)}`
    ),
    Flag.withMetavar("<time>")
  )

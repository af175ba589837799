/**
 * Times that are told from the moment of the command, such as `-30d` or `yesterday`. All are in UTC.
 *
 * `-30d` is thirty times 24 hours before the whole second in which the command starts. Months and years go by the calendar:
 * the same day and time in an earlier month, or its last day where it is shorter. `yesterday` is the beginning of that day, and
 * the whole of it as the end of a range.
 */
import * as Parameter from "@sluice/core/Parameter"
import * as Timestamp from "@sluice/core/Timestamp"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** A text that is neither a time nor said from now. */
export class BadTime extends Schema.TaggedError<BadTime>()("BadTime", {
  /** The flag, without hyphens. */
  flag: Schema.String,
  value: Schema.String,
  expected: Schema.String
}) {
  override get message() {
    return `--${this.flag} cannot be ${JSON.stringify(this.value)}: expected ${this.expected}`
  }
}

const forms = "a time such as 2024-01-31, -30d, -6h, yesterday, today, tomorrow or now"

const units = { s: "seconds", m: "minutes", h: "hours", d: "days", w: "weeks", mo: "months", y: "years" } as const

const isUnit = (text: string): text is keyof typeof units => Object.hasOwn(units, text)

const isDay = (text: string) => ["today", "yesterday", "tomorrow"].includes(text.trim().toLowerCase())

/** The moment that a text means; nothing where it is not one of these forms, NaN where there is no such date. */
const at = (text: string, now: DateTime.Utc): DateTime.Utc | undefined => {
  if (text === "now") return now
  const today = DateTime.startOf(now, "day")
  if (text === "today") return today
  if (text === "yesterday") return DateTime.subtract(today, { days: 1 })
  if (text === "tomorrow") return DateTime.add(today, { days: 1 })
  const [, amount, unit = ""] = /^-?(\d{1,6})([a-z]{1,2})$/.exec(text) ?? []
  return amount === undefined || !isUnit(unit) ? undefined : DateTime.subtract(now, { [units[unit]]: Number(amount) })
}

/** Whether a text may be a time of the service's own forms, which the call checks. `604800s` is a week ago. */
const isWritten = (text: string) => /^\d{4}-?\d{2}(?!\d*[a-z]{1,2}$)/i.test(text.trim())

const resolveAt = Effect.fnUntraced(function* (flag: string, value: string, now: DateTime.Utc) {
  const moment = at(value.trim().toLowerCase(), now)
  if (moment === undefined) return yield* new BadTime({ flag, value, expected: forms })
  const year = DateTime.getPartUtc(moment, "year")
  // NaN is no year either.
  if (!(year >= 1)) return yield* new BadTime({ flag, value, expected: "a time since the year 1" })
  return DateTime.formatIso(moment).replace(".000Z", "Z")
})

const current = Effect.map(DateTime.now, DateTime.startOf("second"))

/** The time that a flag means, as the service takes it; unchanged where it is written out. */
export const one = Effect.fnUntraced(function* (flag: string, value: string) {
  return isWritten(value) ? value : yield* resolveAt(flag, value, yield* current)
})

/** How far clocks may be apart: a time that is written out may be the service's, and later than that of this machine. */
const tolerance = { minutes: 5 }

/** The time that a flag means, which is not in the future. */
export const past = Effect.fnUntraced(function* (flag: string, value: string) {
  const moment = yield* one(flag, value)
  const now = yield* current
  const latest = isWritten(value) ? DateTime.add(now, tolerance) : now
  const at = Timestamp.toDateTime(moment)
  if (Result.isSuccess(at) && DateTime.isGreaterThan(at.success, latest)) {
    const text = DateTime.formatIso(now).replace(".000Z", "Z")
    return yield* new BadTime({ flag, value, expected: `a time before now, which is ${text}` })
  }
  return moment
})

type Values = Readonly<Record<string, unknown>>

/** The times among these values that are told from now, as they were given. */
export const among = (parameters: Parameter.Parameters, values: Values): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      parameters.get(name)?.kind === "time" && Predicate.isString(value) && !isWritten(value) ? [[name, value]] : []
    )
  )

/** Puts the moments they mean in the place of times that are told from now. */
export const resolve = Effect.fnUntraced(function* (parameters: Parameter.Parameters, values: Values) {
  const relative = Object.entries(among(parameters, values))
  const zone = Parameter.find(parameters, "TimeZone")?.name ?? ""
  const given = values[zone]
  const isElsewhere = Predicate.isString(given) && !/^(?:etc\/)?(?:utc|zulu)$/i.test(given)
  const now = yield* current
  const moments: Record<string, string> = {}
  for (const [name, value] of relative) {
    const moment = yield* resolveAt(name, value, now)
    // A date as an end is its whole day.
    moments[name] = isDay(value) && parameters.get(name)?.role._tag === "End" ? moment.slice(0, 10) : moment
    // The zone wins over a `Z`, so the service would read another moment.
    if (isElsewhere) {
      const expected = `a date or time, since the others are in UTC and --${zone} is ${given}`
      return yield* new BadTime({ flag: name, value, expected })
    }
  }
  return { ...values, ...moments }
})

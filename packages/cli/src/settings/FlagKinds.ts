/**
 * The kinds of flags. One that is left out is undefined, as the options of the library take it; the end of its description says what
 * that means.
 */
import type * as Bulk from "@sluice/core/Bulk"
import * as Command from "effect/cli/Command"
import * as Completions from "effect/cli/Completions"
import * as Flag from "effect/cli/Flag"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"

export const optional = <A>(flag: Flag.Flag<A>): Flag.Flag<A | undefined> =>
  Flag.map(Flag.optional(flag), Option.getOrUndefined)

const described =
  (means: string) =>
  <A>(flag: Flag.Flag<A>) =>
    optional(Flag.withDescription(flag, means))

export const text = (name: string, metavar: string, means: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), described(means))

export const choice = <const Word extends string>(
  name: string,
  words: readonly [Word, ...Array<Word>],
  means: string
) => {
  const flag: Flag.Flag<Word> = Flag.Literals(name, words)
  return flag.pipe(Flag.withMetavar(`<${words.join("|")}>`), described(means))
}

/** A flag that takes a key, or a URL with a password. */
export const secret = (name: string, metavar: string, means: string) =>
  Flag.Redacted(name).pipe(Flag.withMetavar(metavar), described(means))

/** A flag that takes a whole number from 1 up, or between others. */
export const whole = (name: string, means: string, greatest = Infinity, least = 1) =>
  Flag.Int(name).pipe(
    Flag.filter(
      (value) => value >= least && value <= greatest,
      (value) =>
        `Expected a whole number from ${least} ${greatest === Infinity ? "up" : `to ${greatest}`}, got ${value}`
    ),
    Flag.withMetavar("<n>"),
    described(means)
  )

const perUnit: Readonly<Record<string, number>> = {
  "": 1,
  k: 1e3,
  m: 1e6,
  g: 1e9,
  t: 1e12,
  ki: 2 ** 10,
  mi: 2 ** 20,
  gi: 2 ** 30,
  ti: 2 ** 40
}

const bytesOf = (text: string): Option.Option<number> => {
  const [, amount, unit = ""] = /^(\d{1,15}(?:\.\d+)?) ?(?:([kmgt]i?)?b?)$/i.exec(text) ?? []
  const one = perUnit[unit.toLowerCase()]
  return amount === undefined || one === undefined ? Option.none() : Option.some(Math.round(Number(amount) * one))
}

/** A flag that takes a number of bytes, with or without a unit. */
export const bytes = (name: string, means: string) =>
  parsed(name, "<bytes>", bytesOf, "a number of bytes such as 5000000, 5MB or 2GiB", means)

export const list = (name: string, means: string) =>
  Flag.String(name).pipe(
    Flag.withMetavar("<list>"),
    Flag.map((text) => text.split(",").map((item) => item.trim())),
    described(means)
  )

/** A flag that is there or not. */
export const toggle = (name: string, means: string) =>
  Flag.Boolean(name).pipe(Flag.withoutNegation, Flag.withDescription(means), Flag.withDefault(false))

/** A flag that is on, off with `--no-` before its name, or neither. */
export const either = (name: string, means: string) => described(means)(Flag.Boolean(name))

/** A flag that takes text of a form. */
export const parsed = <A>(
  name: string,
  metavar: string,
  parse: (text: string) => Option.Option<A>,
  expected: string,
  means: string
) =>
  Flag.String(name).pipe(
    Flag.filterMap(parse, (text) => `Expected ${expected}, got ${JSON.stringify(text)}`),
    Flag.withMetavar(metavar),
    described(means)
  )

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

export interface Address {
  readonly host: string
  readonly port: number
}

const addressOf = (text: string): Option.Option<Address> => {
  const [, host = "127.0.0.1", port] = /^(?:\[?([^[\]]+?)\]?:)?(\d{1,5})$/.exec(text) ?? []
  return port === undefined || Number(port) > 65_535 ? Option.none() : Option.some({ host, port: Number(port) })
}

export const address = (name: string, means: string) =>
  parsed(name, "<[host:]port>", addressOf, "a port such as 9464, or 0.0.0.0:9464", means)

/** A flag that takes a length of time, such as `7d`. */
export const duration = (name: string, means: string) =>
  parsed(name, "<time>", durationOf, "a time such as 7d, 12h or 90m", means)

/** A flag that takes a length of time, or `all`. */
export const durationOrAll = (name: string, means: string) =>
  parsed(
    name,
    "<time|all>",
    (text) => (text === "all" ? Option.some(Duration.infinity) : durationOf(text)),
    "all, or a time such as 7d, 12h or 90m",
    means
  )

/** A flag that takes a length of time, or a period of the calendar. */
export const durationOrPeriod = (name: string, means: string) =>
  parsed(
    name,
    "<time>",
    (text): Option.Option<Bulk.Period | Duration.Duration> =>
      Option.orElse(periodOf(text), () => durationOf(text.replace(/ ?weeks?$/, "w"))),
    "a time such as 1year, 1month, 1week, 30d, 12h, 90m or 30s (y, mo and w for short)",
    means
  )

/** Names of flags, without their aliases. */
export const namesOf = (flags: Readonly<Record<string, Flag.Flag<unknown>>>): ReadonlyArray<string> =>
  Completions.fromCommand(Command.make("flags", flags)).flags.map(({ name }) => name)

/** How the flags of a command, and of the commands below it, are spelled, such as `--output` and `-o`. */
export const spellings = (command: Command.Command.Any) => {
  const flagsOf = (one: Completions.CommandDescriptor): ReadonlyArray<Completions.FlagDescriptor> => [
    ...one.flags,
    ...one.subcommands.flatMap(flagsOf)
  ]
  const all = flagsOf(Completions.fromCommand(command))
  const spelled = (isToggle: boolean) =>
    all
      .filter(({ type }) => (type._tag === "Boolean") === isToggle)
      .flatMap(({ aliases, name }) => [name, ...aliases])
      .map((name) => (name.length === 1 ? `-${name}` : `--${name}`))
  // The value of the first is the next word, and the others stand alone.
  return { values: new Set(spelled(false)), toggles: new Set(spelled(true)) }
}

/**
 * The query of a request: its parameters, read one by one with the documented refusals (docs/interface.md 7).
 */
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Instant from "../time/Instant.ts"
import * as Refusal from "./Refusal.ts"

/** The parameters of a request by name; a repeated parameter is joined to one comma list. */
export type Query = ReadonlyMap<string, string>

/** Reads the part of a URL after the question mark. */
export const parse = (search: string): Query => {
  const query = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(search)) {
    const earlier = query.get(name)
    query.set(name, earlier === undefined ? value : `${earlier},${value}`)
  }
  return query
}

/** Writes a query with one parameter set anew and everything else kept. */
export const withParameter = (self: Query, name: string, value: string): string =>
  new URLSearchParams([...[...self].filter(([key]) => key !== name), [name, value]]).toString()

/** Refuses the first parameter that is not known; the service's own refusal is unknown. */
export const refuseUnknown = (self: Query, known: ReadonlyArray<string>): Effect.Effect<void, Refusal.Refusal> => {
  const unknown = [...self.keys()].find((name) => !known.includes(name))
  return unknown === undefined ? Effect.void : Effect.fail(Refusal.badParameter(unknown, "Parameter is not supported."))
}

/** Reads a comma list; undefined when absent or empty. */
export const list = (self: Query, name: string): ReadonlyArray<string> | undefined => {
  const items = (self.get(name) ?? "")
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "")
  return items.length === 0 ? undefined : [...new Set(items)]
}

/** Reads a comma list that must be there; the service's own refusal is unknown. */
export const required = (self: Query, name: string): Effect.Effect<ReadonlyArray<string>, Refusal.Refusal> => {
  const items = list(self, name)
  return items === undefined
    ? Effect.fail(Refusal.badParameter(name, "Missing required parameter."))
    : Effect.succeed(items)
}

/** Reads `true` or `false`. */
export const boolean = (self: Query, name: string, otherwise: boolean): Effect.Effect<boolean, Refusal.Refusal> => {
  const text = self.get(name)
  if (text === undefined) return Effect.succeed(otherwise)
  return text === "true" || text === "false"
    ? Effect.succeed(text === "true")
    : Effect.fail(Refusal.unsupported(name, text))
}

/** Reads a whole number within bounds. */
export const integer = (
  self: Query,
  name: string,
  bounds: { readonly minimum: number; readonly maximum: number }
): Effect.Effect<number | undefined, Refusal.Refusal> => {
  const text = self.get(name)
  if (text === undefined) return Effect.succeed(undefined)
  if (!/^[+-]?\d{1,18}$/.test(text)) return Effect.fail(Refusal.unsupported(name, text))
  const value = Number(text)
  if (value < bounds.minimum) return Effect.fail(Refusal.badParameter(name, `Must be at least ${bounds.minimum}.`))
  if (value > bounds.maximum) return Effect.fail(Refusal.badParameter(name, `Must be at most ${bounds.maximum}.`))
  return Effect.succeed(value)
}

/** Reads `limit`: `none`, the default, or 1 to 100 (docs/interface.md 4.5). */
export const limit = (self: Query): Effect.Effect<number, Refusal.Refusal> =>
  self.get("limit") === "none"
    ? Effect.succeed(Number.POSITIVE_INFINITY)
    : Effect.map(integer(self, "limit", { minimum: 1, maximum: 100 }), (limit) => limit ?? Number.POSITIVE_INFINITY)

/** Reads one word of a closed list. */
export const oneOf = <const Word extends string>(
  self: Query,
  name: string,
  words: ReadonlyArray<Word>,
  otherwise: NoInfer<Word>
): Effect.Effect<Word, Refusal.Refusal> => {
  const text = self.get(name)
  if (text === undefined) return Effect.succeed(otherwise)
  const word = words.find((word) => word === text)
  return word === undefined ? Effect.fail(Refusal.unsupported(name, text)) : Effect.succeed(word)
}

/** Reads `include` and `exclude`: the parts of a record that are wanted, all of them when nothing is said. */
export const parts = Effect.fnUntraced(function* <const Part extends string>(self: Query, all: ReadonlyArray<Part>) {
  const named: Record<string, ReadonlyArray<string> | undefined> = {}
  for (const name of ["include", "exclude"]) {
    const items = list(self, name)
    const unknown = items?.find((item) => !all.some((part) => part === item))
    if (unknown !== undefined) return yield* Refusal.unsupported(name, unknown)
    named[name] = items
  }
  const { exclude = [], include = all } = named
  return all.filter((part) => include.includes(part) && !exclude.includes(part))
})

/** Reads the time zone in which the instants of the query are meant. */
export const zone = (self: Query): Effect.Effect<DateTime.TimeZone, Refusal.Refusal> => {
  const name = self.get("timezone") ?? "UTC"
  return Effect.mapError(Effect.fromOption(Instant.zone(name)), () => Refusal.unsupported("timezone", name))
}

const parsed = (
  self: Query,
  name: string,
  parse: (text: string) => Option.Option<Instant.Instant>
): Effect.Effect<Instant.Instant | undefined, Refusal.Refusal> => {
  const text = self.get(name)
  if (text === undefined) return Effect.succeed(undefined)
  return Effect.mapError(Effect.fromOption(parse(text)), () =>
    Refusal.badParameter(name, `Incorrect time format '${text}'. ${Instant.forms}`)
  )
}

/** Reads an instant. */
export const instant = (self: Query, name: string, zone: DateTime.TimeZone) =>
  parsed(self, name, (text) => Instant.parse(text, zone))

/** Reads a range of time by the names of its bounds. It is half open, whichever of them belong to it. */
export const range = Effect.fnUntraced(function* (
  self: Query,
  dialect: Instant.EndReading["dialect"],
  [first, last]: readonly [first: string, last: string] = ["start_time", "end_time"]
) {
  const timeZone = yield* zone(self)
  const start = yield* instant(self, first, timeZone)
  const startInclusive = yield* boolean(self, "start_inclusive", true)
  const isInclusive = yield* boolean(self, "end_inclusive", true)
  const end = yield* parsed(self, last, (text) => Instant.parseEnd(text, { dialect, isInclusive, zone: timeZone }))
  return { start: start === undefined || startInclusive ? start : Instant.next(start), end }
})

/** Refuses a query that has more than one parameter of a group. */
export const atMostOne = (self: Query, names: ReadonlyArray<string>): Effect.Effect<void, Refusal.Refusal> => {
  const [first, second] = names.filter((name) => self.has(name))
  return first === undefined || second === undefined ? Effect.void : Effect.fail(Refusal.exclusive(second, first))
}

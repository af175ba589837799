/** The query of a request: its parameters, read one by one with the documented refusals (docs/interface.md 7). */
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Dialect } from "../../Dialect.ts"
import * as Instant from "../time/Instant.ts"
import * as Refusal from "./Refusal.ts"

/** The parameters of a request by name; a repeated parameter is joined to one comma list. */
export type Query = ReadonlyMap<string, string>

export const parse = (search: string): Query => {
  const query = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(search)) {
    const earlier = query.get(name)
    query.set(name, earlier === undefined ? value : `${earlier},${value}`)
  }
  return query
}

export const withParameter = (self: Query, name: string, value: string): string =>
  new URLSearchParams([...[...self].filter(([key]) => key !== name), [name, value]]).toString()

/** Refuses the first parameter that is not known; the service's own refusal is unknown. */
export const refuseUnknown = (self: Query, known: ReadonlyArray<string>): Effect.Effect<void, Refusal.Refusal> => {
  const unknown = [...self.keys()].find((name) => !known.includes(name))
  return unknown === undefined ? Effect.void : Effect.fail(Refusal.badParameter(unknown, "Parameter is not supported."))
}

export const items = (text: string): ReadonlyArray<string> => [
  ...new Set(
    text
      .split(",")
      .map((item) => item.trim())
      .filter((item) => item !== "")
  )
]

/** Reads a comma list; undefined when absent or empty. */
export const list = (self: Query, name: string): ReadonlyArray<string> | undefined => {
  const all = items(self.get(name) ?? "")
  return all.length === 0 ? undefined : all
}

export const flag = (self: Query, name: string): boolean => self.get(name) === "true"

export const integer = (self: Query, name: string): number | undefined => {
  const text = self.get(name)
  return text === undefined ? undefined : Number(text)
}

/** Refuses a word that is none of these, of a parameter whose words are open in the interface. */
export const oneOf = (
  self: Query,
  name: string,
  words: ReadonlyArray<string>
): Effect.Effect<string | undefined, Refusal.Refusal> => {
  const text = self.get(name)
  return text === undefined || words.includes(text)
    ? Effect.succeed(text)
    : Effect.fail(Refusal.unsupported(name, text))
}

/** Reads `include` and `exclude`: the parts of a record that are wanted, all of them when nothing is said. */
export const parts = <const Part extends string>(self: Query, all: ReadonlyArray<Part>): ReadonlyArray<Part> => {
  const [include = all, exclude = []] = [list(self, "include"), list(self, "exclude")]
  return all.filter((part) => include.includes(part) && !exclude.includes(part))
}

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

export const instant = (self: Query, name: string, zone: DateTime.TimeZone, digits: Dialect["requestDigits"] = "9") =>
  parsed(self, name, (text) => Instant.parse(text, { zone, dialect: { requestDigits: digits } }))

export const excludes = (self: Query, bound: "start" | "end"): boolean => self.get(`${bound}_inclusive`) === "false"

/** Reads a range of heights, as the first and the last that belong to it; its bounds may have been read otherwise. */
export const heights = (self: Query, start = integer(self, "start_height"), end = integer(self, "end_height")) => ({
  first: start === undefined ? undefined : start + (excludes(self, "start") ? 1 : 0),
  last: end === undefined ? undefined : end - (excludes(self, "end") ? 1 : 0)
})

/** Reads a range of time by the names of its bounds. It is half open, whichever of them belong to it. */
export const range = Effect.fnUntraced(function* (
  self: Query,
  dialect: Instant.EndReading["dialect"],
  [first, last]: readonly [first: string, last: string] = ["start_time", "end_time"]
) {
  const timeZone = yield* zone(self)
  const start = yield* instant(self, first, timeZone, dialect.requestDigits)
  const [startInclusive, isInclusive] = [!excludes(self, "start"), !excludes(self, "end")]
  const end = yield* parsed(self, last, (text) => Instant.parseEnd(text, { dialect, isInclusive, zone: timeZone }))
  return { start: start === undefined || startInclusive ? start : Instant.next(start), end }
})

/**
 * What there is of some assets, markets or other entities of a series: metrics, frequencies and times, for `sluice describe`.
 */
import * as Discover from "@sluice/core/Discover"
import { harmless } from "@sluice/core/PlainText"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Suggestions from "../../endpoints/Suggestions.ts"
import * as Connection from "../../settings/Connection.ts"
import type { Side } from "../../terminal/Screen.ts"
import * as Help from "./Help.ts"

export class Uncatalogued extends Data.TaggedError("Uncatalogued")<{ readonly message: string }> {}

export const of = Effect.fnUntraced(function* (endpoint: Discover.Series, names: ReadonlyArray<string>) {
  if (!Discover.isCatalogued(endpoint)) {
    return yield* new Uncatalogued({ message: `no catalog lists what ${endpoint.path} has` })
  }
  return yield* Discover.available(endpoint, names).pipe(
    Suggestions.onRefused({ names }),
    Effect.provide(Connection.layerDiscover)
  )
})

/** A section of metrics for each entity, or one of entities where the series has no metrics. */
export const lines = (all: ReadonlyArray<Discover.Available>, names: ReadonlyArray<string>, side: Side) => {
  if (all.length === 0) return ["", `There is nothing of ${harmless(names.join(", "))}.`]
  const sections = new Map<string, Array<Discover.Available>>()
  for (const one of all) {
    const title = one.metric === undefined ? "Covered" : `Metrics of ${one.entity}`
    sections.set(title, [...(sections.get(title) ?? []), one])
  }
  return [...sections].flatMap(([title, rows]) =>
    Help.section(harmless(title), Help.definitions(rowsOf(rows), side), side.style)
  )
}

const rowsOf = (all: ReadonlyArray<Discover.Available>) => {
  const rows = new Map<string, Array<Discover.Available>>()
  for (const one of all) {
    const name = one.metric ?? one.entity
    rows.set(name, [...(rows.get(name) ?? []), one])
  }
  return [...rows].map(([name, ranges]) => [harmless(name), harmless(textOf(ranges))] as const)
}

const textOf = (ranges: ReadonlyArray<Discover.Available>) => {
  const frequencies = ranges.flatMap(({ frequency }) => frequency ?? [])
  const first = ranges.flatMap(({ min_time }) => min_time ?? []).toSorted()[0]
  const last = ranges
    .flatMap(({ max_time }) => max_time ?? [])
    .toSorted()
    .at(-1)
  const times = first === undefined || last === undefined ? [] : [`${dayOf(first)} to ${dayOf(last)}`]
  return [...(frequencies.length === 0 ? [] : [frequencies.join(", ")]), ...times].join("; ")
}

const dayOf = (time: string) => time.slice(0, "2024-01-31".length)

/**
 * `sluice metrics` and `sluice markets`: what there is to read.
 */
import * as Discover from "@sluice/core/Discover"
import * as ReferenceData from "@sluice/core/endpoints/ReferenceData"
import { harmlessJson } from "@sluice/core/PlainText"
import type { Column } from "@sluice/files/Format"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Parameters from "../../endpoints/Parameters.ts"
import * as Suggestions from "../../endpoints/Suggestions.ts"
import * as Connection from "../../settings/Connection.ts"
import * as GlobalFlags from "../../settings/GlobalFlags.ts"
import { Screen } from "../../terminal/Screen.ts"
import * as Table from "../../terminal/Table.ts"

const text = (name: string): Column => ({ name, kind: "text", nullable: true })

const times: ReadonlyArray<Column> = ["min_time", "max_time"].map((name) => ({
  name,
  kind: "timestamp",
  nullable: true
}))

const ofMetrics = [...["metric", "frequency"].map(text), ...times, ...["unit", "full_name"].map(text)]

const ofMarkets = [...["market", "type", "base", "quote", "status"].map(text), ...times]

/** Prints rows: a table on a terminal, one JSON object a line elsewhere. */
export const print = Effect.fnUntraced(function* (rows: ReadonlyArray<object>, columns: ReadonlyArray<Column>) {
  const screen = yield* Screen
  const isJson = yield* GlobalFlags.Json
  if (rows.length === 0 && !isJson) yield* screen.say(`${screen.err.style.dim("Nothing found.")}\n`)
  if (!screen.out.isTerminal || isJson) {
    const lines = rows.map((row) => `${harmlessJson(JSON.stringify(row))}\n`)
    return yield* screen.write(Stream.make(lines.join("")))
  }
  if (rows.length === 0) return
  const table = Table.make(columns, screen.out)
  yield* screen.write(table.lines(Stream.fromIterable(rows)))
  const hidden = Table.hiddenIn(table, "widen the terminal, or take --json for all")
  if (hidden !== undefined) yield* screen.say(`${screen.err.style.dim(hidden)}\n`)
})

/** Lists the metrics of an asset that have all the words in their name, their name for people or their frequency. */
export const metrics = Effect.fnUntraced(function* (
  asset: string,
  filter: ReadonlyArray<string>,
  limit: number | undefined
) {
  const words = filter.flatMap((words) => words.toLowerCase().split(/\s+/))
  const all = yield* Discover.metrics(asset).pipe(
    Suggestions.onRefused({ assets: asset }),
    Effect.provide(Connection.layerDiscover)
  )
  const rows = all.filter(({ frequency, full_name = "", metric }) => {
    const searched = `${metric} ${full_name} ${frequency}`.toLowerCase()
    return words.every((word) => searched.includes(word))
  })
  yield* print(rows.slice(0, limit), ofMetrics)
})

/** Lists the markets that the flags leave. */
export const markets = Effect.fnUntraced(function* (filter: Discover.MarketFilter, limit: number | undefined) {
  const given = Parameters.given({ ...filter })
  const found = Effect.gen(function* () {
    const rows = yield* Discover.markets(given)
    yield* print(rows.slice(0, limit), ofMarkets)
    if (rows.length > 0 || (yield* GlobalFlags.Json)) return
    yield* Suggestions.sayOnNothing(ReferenceData.markets, given)
  })
  yield* found.pipe(Suggestions.onRefused(given), Effect.provide(Connection.layerDiscover))
})

/**
 * GET /constituent-snapshots/asset-metrics and /constituent-timeframes/asset-metrics (docs/interface.md 3.15, 4.10).
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { nanos, TODAY } from "../internal/time/Calendar.ts"
import * as Constituents from "../data/Constituents.ts"
import type { Endpoint } from "../internal/listing/Endpoint.ts"
import * as Refusal from "../internal/request/Refusal.ts"
import * as Query from "../internal/request/Query.ts"
import * as Reference from "./Reference.ts"

const utc = DateTime.zoneMakeOffset(0)

/** Reads the metric and the range of time. */
const stretches = Effect.fnUntraced(function* (query: Query.Query) {
  const [metric = ""] = yield* Query.required(query, "metric")
  if (!Constituents.metrics.includes(metric)) return yield* Refusal.unsupported("metric", metric)
  const from = (yield* Query.instant(query, "start_time", utc))?.ms ?? Number.NEGATIVE_INFINITY
  const to = (yield* Query.instant(query, "end_time", utc))?.ms ?? Number.POSITIVE_INFINITY
  return { all: Constituents.of(metric), from, to }
})

const snapshots: Endpoint = {
  path: "/constituent-snapshots/asset-metrics",
  community: true,
  parameters: ["metric", "at_time", "start_time", "end_time"],
  pagingFrom: "end",
  formats: ["json"],
  list: Effect.fnUntraced(function* (query) {
    yield* Query.atMostOne(query, ["at_time", "start_time"])
    yield* Query.atMostOne(query, ["at_time", "end_time"])
    const { all, from, to } = yield* stretches(query)
    const isNow = query.get("at_time") === "now"
    const at = isNow ? TODAY : (yield* Query.instant(query, "at_time", utc))?.ms
    const items =
      at === undefined
        ? all.filter((stretch) => stretch.from >= from && stretch.from <= to)
        : all.filter((stretch) => stretch.from <= at).slice(-1)
    return Reference.listing(items, (stretch) => ({ time: nanos(stretch.from), ...stretch.shares }))
  })
}

const timeframes: Endpoint = {
  path: "/constituent-timeframes/asset-metrics",
  community: true,
  parameters: ["metric", "constituents", "start_time", "end_time"],
  pagingFrom: "end",
  formats: ["json"],
  list: Effect.fnUntraced(function* (query) {
    const { all, from, to } = yield* stretches(query)
    const wanted = Query.list(query, "constituents")
    const kept = (shares: Constituents.Stretch["shares"]) =>
      Object.fromEntries(Object.entries(shares).filter(([name]) => wanted?.includes(name) ?? true))
    const items = all.filter((stretch) => Constituents.overlaps(stretch, { from, to }))
    return Reference.listing(items, (stretch) => ({
      start_time: nanos(stretch.from),
      ...(stretch.to === undefined ? {} : { end_time: nanos(stretch.to) }),
      ...kept(stretch.shares)
    }))
  })
}

/** What metrics are made of. */
export const all: ReadonlyArray<Endpoint> = [snapshots, timeframes]

/**
 * GET /constituent-snapshots/asset-metrics and /constituent-timeframes/asset-metrics (docs/interface.md 3.15, 4.10).
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { nanos, TODAY } from "../internal/time/Calendar.ts"
import * as Constituents from "../data/Constituents.ts"
import * as Endpoint from "../internal/listing/Endpoint.ts"
import type { Caller } from "../internal/request/Caller.ts"
import * as Refusal from "../internal/request/Refusal.ts"
import * as Query from "../internal/request/Query.ts"
import * as Instant from "../internal/time/Instant.ts"
import * as Reference from "./Reference.ts"

const utc = DateTime.zoneMakeOffset(0)

const asked = Effect.fnUntraced(function* (query: Query.Query, { dialect }: Caller) {
  const metric = query.get("metric") ?? ""
  const composition = Constituents.metrics.get(metric)
  // The words of the service name another parameter.
  if (composition === undefined) return yield* Refusal.unsupported("metrics", metric)
  const { end, start } = yield* Query.range(query, dialect)
  const from = start === undefined ? Number.NEGATIVE_INFINITY : Instant.wholeMs(start)
  const to = end === undefined ? Number.POSITIVE_INFINITY : Instant.wholeMs(end) - 1
  return { metric, composition, from, to }
})

const placed = (...parts: ReadonlyArray<number | string>): string =>
  parts.map((part) => (typeof part === "number" ? String(part).padStart(16, "0") : part)).join(" ")

const snapshots = Endpoint.source("/constituent-snapshots/asset-metrics", function* (query, caller) {
  const { composition, from, metric, to } = yield* asked(query, caller)
  const all = Constituents.snapshots(metric, composition)
  const isNow = query.get("at_time") === "now" || !["at_time", "start_time", "end_time"].some((name) => query.has(name))
  const moment = isNow ? TODAY : (yield* Query.instant(query, "at_time", utc))?.ms
  const last = moment === undefined ? undefined : all.findLast(({ at }) => at <= moment)?.at
  const items =
    moment === undefined ? all.filter(({ at }) => at >= from && at <= to) : all.filter(({ at }) => at === last)
  // Those of one time come in no order of their names.
  const rank = new Map(all.map((item, n) => [item, n]))
  return Reference.listing(items, ({ at, name }) => ({ time: nanos(at), [composition.kind]: name }), {
    name: (item) => placed(item.at, rank.get(item) ?? 0)
  })
})

const timeframes = Endpoint.source("/constituent-timeframes/asset-metrics", function* (query, caller) {
  const { composition, metric, ...span } = yield* asked(query, caller)
  const wanted = Query.list(query, "constituents") ?? composition.names
  const items = Constituents.stretches(metric, composition)
    .filter((stretch) => wanted.includes(stretch.name) && Constituents.overlaps(stretch, span))
    .map((stretch) => ({
      place: placed(caller.dialect.constituentOrder === "newest" ? TODAY - stretch.from : stretch.from, stretch.name),
      record: {
        [composition.kind]: stretch.name,
        start_time: nanos(stretch.from),
        end_time: stretch.to === undefined ? null : nanos(stretch.to)
      }
    }))
    .toSorted((a, b) => (a.place < b.place ? -1 : 1))
  return Reference.listing(items, ({ record }) => record, { name: ({ place }) => place })
})

export const all: ReadonlyArray<Endpoint.Source> = [snapshots, timeframes]

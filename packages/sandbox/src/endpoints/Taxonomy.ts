/**
 * GET /taxonomy/assets and /taxonomy-metadata/assets (docs/interface.md 3.8, 4.3, 4.4).
 *
 * What the times are compared with is not published (docs/interface.md 4.3). Here a time parameter bounds the field of
 * its own name: the start parameter the start of a record from below, the end parameter its end from above. What has no
 * end yet is within no upper bound, so it is left out when one is given. A version selects the classifications in force
 * on its last day, which for the latest is today: one of an asset at most, classified at that version or before. `*`,
 * and a time parameter without a version, select every record. The word `latest` is taken as well.
 */
import * as Effect from "effect/Effect"
import * as Assets from "../data/Assets.ts"
import * as Calendar from "../internal/time/Calendar.ts"
import * as Taxonomy from "../data/Taxonomy.ts"
import * as Endpoint from "../internal/listing/Endpoint.ts"
import type { Caller } from "../internal/request/Caller.ts"
import * as Instant from "../internal/time/Instant.ts"
import * as Query from "../internal/request/Query.ts"
import * as Refusal from "../internal/request/Refusal.ts"
import * as Reference from "./Reference.ts"

interface Bounds {
  readonly start: string
  readonly end: string
}

interface Span {
  readonly start: number
  readonly end: number | undefined
}

const within = Effect.fnUntraced(function* (query: Query.Query, { dialect }: Caller, bounds: Bounds) {
  const { end, start } = yield* Query.range(query, dialect, [bounds.start, bounds.end])
  return (span: Span) =>
    (start === undefined || span.start >= Instant.wholeMs(start)) &&
    (end === undefined || (span.end !== undefined && span.end < Instant.wholeMs(end)))
})

/** The version a query selects; undefined when it selects them all. */
const version = Effect.fnUntraced(function* (query: Query.Query, bounds: Bounds) {
  const isTimed = query.has(bounds.start) || query.has(bounds.end)
  const name = query.get("version") ?? (isTimed ? "*" : "latest")
  if (name === "*") return undefined
  return Taxonomy.find(name) ?? (yield* Refusal.unsupported("version", name))
})

const isInForce = (span: Span, { end = Calendar.TODAY }: Taxonomy.Version): boolean =>
  span.start <= end && (span.end === undefined || span.end >= end)

// A date-time field may hold a date alone (docs/interface.md 10.1): the days of the first version are written so.
const dated = Calendar.at("2022-06-13")

const day = (ms: number): string => (ms < dated ? Calendar.date(ms) : Calendar.nanos(ms))

const levels = ["class_id", "sector_id", "subsector_id"] as const

const classification = (item: Taxonomy.Classification) => ({
  asset: item.asset.asset,
  full_name: item.asset.fullName,
  taxonomy_version: item.version.version,
  updated_at_taxonomy_version: item.version.version,
  classification_start_time: day(item.start),
  ...(item.end === undefined ? {} : { classification_end_time: day(item.end) }),
  ...item.subsector
})

const classificationTimes: Bounds = { start: "classification_start_time", end: "classification_end_time" }

const assets = Endpoint.source("/taxonomy/assets", function* (query, caller) {
  const named = new Set(yield* Reference.only(query, "assets", Assets.all, Assets.find))
  let items = Taxonomy.classifications.filter(({ asset }) => named.has(asset))
  for (const level of levels) {
    const ids = yield* Reference.only(query, `${level}s`, Taxonomy.ids(level))
    items = items.filter(({ subsector }) => ids.includes(subsector[level]))
  }
  const selected = yield* version(query, classificationTimes)
  const isWithin = yield* within(query, caller, classificationTimes)
  return Reference.listing(
    items.filter((item) => isWithin(item) && (selected === undefined || isInForce(item, selected))),
    classification,
    { name: ({ asset, start }) => `${asset.asset} ${Calendar.nanos(start)}` }
  )
})

const metadata = (item: Taxonomy.Version) => ({
  taxonomy_version: item.version,
  taxonomy_start_time: day(item.start),
  ...(item.end === undefined ? {} : { taxonomy_end_time: day(item.end) }),
  subsectors: item.subsectors
})

const metadataTimes: Bounds = { start: "start_time", end: "end_time" }

const assetsMetadata = Endpoint.source("/taxonomy-metadata/assets", function* (query, caller) {
  const selected = yield* version(query, metadataTimes)
  const isWithin = yield* within(query, caller, metadataTimes)
  return Reference.listing(
    Taxonomy.versions.filter((item) => isWithin(item) && (selected === undefined || item === selected)),
    metadata
  )
})

export const all: ReadonlyArray<Endpoint.Source> = [assets, assetsMetadata]

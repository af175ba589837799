/**
 * GET /timeseries/asset-metrics (docs/interface.md 3.9 and 4.6.2).
 */
import * as Effect from "effect/Effect"
import * as Assets from "../data/Assets.ts"
import * as Blocks from "../data/Blocks.ts"
import * as Frequency from "../data/Frequency.ts"
import * as Metrics from "../data/Metrics.ts"
import * as Series from "../data/Series.ts"
import * as Caller from "../internal/request/Caller.ts"
import type { Endpoint } from "../internal/listing/Endpoint.ts"
import type * as Instant from "../internal/request/Instant.ts"
import * as Listing from "../internal/listing/Listing.ts"
import * as Query from "../internal/request/Query.ts"
import * as Refusal from "../internal/reply/Refusal.ts"

interface Wanted {
  readonly asset: Assets.Asset
  readonly metrics: ReadonlyArray<Metrics.Metric>
}

const find = Effect.fnUntraced(function* <A>(
  names: ReadonlyArray<string>,
  parameter: string,
  lookup: (name: string) => A | undefined,
  isLenient: boolean
) {
  const found: Array<A> = []
  for (const name of names) {
    const item = lookup(name)
    if (item !== undefined) found.push(item)
    else if (!isLenient) return yield* Refusal.unsupported(parameter, name)
  }
  return found
})

const supported = Effect.fnUntraced(function* (query: Query.Query, frequency: string) {
  const assetNames = yield* Query.required(query, "assets")
  const metricNames = yield* Query.required(query, "metrics")
  const isLenient = yield* Query.boolean(query, "ignore_unsupported_errors", false)
  const isWildcard = assetNames.includes("*")
  const assets = isWildcard ? Assets.all : yield* find(assetNames, "assets", Assets.find, isLenient)
  const metrics = yield* find(metricNames, "metrics", Metrics.find, isLenient)
  if (frequency !== "1b" && Frequency.find(frequency) === undefined) {
    return yield* Refusal.unsupported("frequency", frequency)
  }
  const items: Array<Wanted> = []
  for (const asset of new Set(assets)) {
    const own = metrics.filter((metric) => Series.supports(metric, asset, frequency))
    if (own.length > 0) items.push({ asset, metrics: own })
    else if (!isWildcard && !isLenient) {
      return yield* Refusal.badParameter(
        "metrics",
        `Metric '${metricNames[0]}' with frequency '${frequency}' is not supported for asset '${asset.asset}'.`
      )
    }
  }
  return items.sort((a, b) => (a.asset.asset < b.asset.asset ? -1 : 1))
})

const licensed = Effect.fnUntraced(function* (
  items: ReadonlyArray<Wanted>,
  caller: Caller.Caller,
  frequency: string,
  isLenient: boolean
) {
  const readable: Array<Wanted> = []
  for (const { asset, metrics } of items) {
    const forbidden = metrics.find((metric) => !Caller.mayRead(caller, metric, frequency))
    if (forbidden !== undefined && !isLenient) {
      return yield* Refusal.forbiddenMetric(forbidden.metric, frequency, asset.asset)
    }
    const rest = metrics.filter((metric) => Caller.mayRead(caller, metric, frequency))
    if (rest.length > 0) readable.push({ asset, metrics: rest })
  }
  return readable
})

/** The first and last millisecond, and the first and last height, that a query asks for. */
interface Span {
  readonly fromMs: number
  readonly toMs: number
  readonly fromHeight: (asset: Assets.Asset) => number
  readonly toHeight: (asset: Assets.Asset) => number
}

// Rows stand at whole milliseconds: nanoseconds beyond them move a lower bound up by one, and an upper bound not at all.
const lower = (instant: Instant.Instant | undefined, isInclusive: boolean): number =>
  instant === undefined ? Number.NEGATIVE_INFINITY : instant.ms + (instant.isLater || !isInclusive ? 1 : 0)

const upper = (instant: Instant.Instant | undefined, isInclusive: boolean): number =>
  instant === undefined ? Number.POSITIVE_INFINITY : instant.ms - (instant.isLater || isInclusive ? 0 : 1)

const span = Effect.fnUntraced(function* (query: Query.Query, assets: ReadonlyArray<Assets.Asset>) {
  yield* Query.atMostOne(query, ["start_time", "start_height", "start_hash"])
  yield* Query.atMostOne(query, ["end_time", "end_height", "end_hash"])
  const zone = yield* Query.zone(query)
  const startInclusive = yield* Query.boolean(query, "start_inclusive", true)
  const endInclusive = yield* Query.boolean(query, "end_inclusive", true)
  const heights = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER }
  const startTime = yield* Query.instant(query, "start_time", zone)
  const endTime = yield* Query.instant(query, "end_time", zone)
  const startHeight = yield* Query.integer(query, "start_height", heights)
  const endHeight = yield* Query.integer(query, "end_height", heights)
  const hashed = (name: string) => {
    const hash = query.get(name)
    if (hash === undefined) return Effect.succeed(undefined)
    for (const asset of assets) {
      const height = Blocks.heightOf(asset, hash)
      if (height !== undefined) return Effect.succeed(height)
    }
    return Effect.fail(Refusal.unsupported(name, hash))
  }
  const first = startHeight ?? (yield* hashed("start_hash"))
  const last = endHeight ?? (yield* hashed("end_hash"))
  const fromMs = lower(startTime, startInclusive)
  const toMs = upper(endTime, endInclusive)
  const span: Span = {
    fromMs,
    toMs,
    fromHeight: (asset) =>
      first !== undefined ? first + (startInclusive ? 0 : 1) : startTime === undefined ? 0 : Blocks.from(asset, fromMs),
    toHeight: (asset) =>
      last !== undefined
        ? last - (endInclusive ? 0 : 1)
        : endTime === undefined
          ? Number.POSITIVE_INFINITY
          : Blocks.from(asset, toMs + 1) - 1
  }
  return span
})

const clamp = (bounds: Series.Bounds, from: number, to: number, limit: number): Series.Bounds => {
  const last = Math.min(bounds.last, to)
  return { first: Math.max(bounds.first, from, last - limit + 1), last }
}

const list = Effect.fnUntraced(function* (query: Query.Query, caller: Caller.Caller) {
  const frequency = query.get("frequency") ?? "1d"
  const status = yield* Query.oneOf(query, "status", ["all", "flash", "reviewed", "revised"], "all")
  const sort = yield* Query.oneOf(query, "sort", ["asset", "height", "time"], "asset")
  const nullAsZero = yield* Query.boolean(query, "null_as_zero", false)
  const limits = { minimum: 1, maximum: 2_147_483_647 }
  const limit = (yield* Query.integer(query, "limit_per_asset", limits)) ?? Number.POSITIVE_INFINITY
  const confirmations = yield* Query.integer(query, "min_confirmations", { minimum: 0, maximum: 99 })
  const ignoreForbidden = yield* Query.boolean(query, "ignore_forbidden_errors", false)
  const existing = yield* supported(query, frequency)
  const assets = existing.map((item) => item.asset)
  const { fromHeight, fromMs, toHeight, toMs } = yield* span(query, assets)
  const grid = Frequency.find(frequency)
  if (grid !== undefined && sort === "height")
    return yield* Refusal.badParameter("sort", "Heights exist only with frequency '1b'.")
  // Every parameter has been read by now: a licence is asked about last.
  const items = yield* licensed(existing, caller, frequency, ignoreForbidden)
  const parts = items.map(({ asset, metrics }) => {
    const columns: Series.Columns = { metrics, status, nullAsZero }
    if (grid === undefined) {
      const all = Series.blockBounds(asset, metrics, confirmations)
      const bounds = clamp(all, fromHeight(asset), toHeight(asset), limit)
      return Series.blocks(asset, columns, bounds, sort === "height" ? "height" : "time")
    }
    const from = fromMs === Number.NEGATIVE_INFINITY ? fromMs : grid.from(fromMs)
    const to = toMs === Number.POSITIVE_INFINITY ? toMs : grid.from(toMs + 1) - 1
    return Series.grid(asset, grid, columns, clamp(Series.gridBounds(asset, grid, metrics), from, to, limit))
  })
  return sort === "asset" || parts.length === 1 ? Listing.concat(parts) : Listing.merge(parts)
})

/** The time series of asset metrics. */
export const assetMetrics: Endpoint = {
  path: "/timeseries/asset-metrics",
  community: true,
  parameters: [
    "assets",
    "metrics",
    "frequency",
    "status",
    "start_time",
    "end_time",
    "start_height",
    "end_height",
    "start_hash",
    "end_hash",
    "start_inclusive",
    "end_inclusive",
    "min_confirmations",
    "timezone",
    "sort",
    "limit_per_asset",
    "null_as_zero",
    "ignore_forbidden_errors",
    "ignore_unsupported_errors"
  ],
  pagingFrom: "end",
  list
}

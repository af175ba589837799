/** GET /timeseries/asset-metrics (docs/interface.md 3.9 and 4.6.2). */
import * as Effect from "effect/Effect"
import type { Caller } from "../../internal/request/Caller.ts"
import * as Assets from "../../data/Assets.ts"
import * as Blocks from "../../data/Blocks.ts"
import * as Coverage from "../../data/Coverage.ts"
import * as Frequency from "../../data/Frequency.ts"
import * as Listings from "../../data/Listings.ts"
import * as Metrics from "../../data/Metrics.ts"
import * as Rows from "../../data/Rows.ts"
import * as Series from "../../data/Series.ts"
import * as Query from "../../internal/request/Query.ts"
import * as Refusal from "../../internal/request/Refusal.ts"
import * as Entities from "./Entities.ts"
import * as Family from "./Family.ts"

export const assets: Entities.Entities<Assets.Asset> = {
  name: ({ asset }) => asset,
  all: () => Assets.all,
  find: Assets.find,
  at: Listings.assets
}

/** Reads the metrics, and gives an asset with those that it has and the caller may read. */
export const metrics = (query: Query.Query, caller: Caller, frequency: string) =>
  Effect.map(
    Entities.metrics(query, caller, frequency, "asset", Metrics.find),
    (metricsOf) => (asset: Assets.Asset) => {
      const found = metricsOf(asset.asset, (metric) => Coverage.supports(metric, asset, frequency))
      return found instanceof Refusal.Refusal ? found : Coverage.assetColumns(asset, found, frequency)
    }
  )

/** Reads the heights and the hashes, and narrows the blocks of an asset to those between. */
const heights = Effect.fnUntraced(function* (query: Query.Query, assets: ReadonlyArray<Assets.Asset>) {
  const hashed = (name: string) => {
    const hash = query.get(name)
    if (hash === undefined) return Effect.succeed(undefined)
    const height = assets.map((asset) => Blocks.heightOf(asset, hash)).find((height) => height !== undefined)
    return height === undefined ? Effect.fail(Refusal.unsupported(name, hash)) : Effect.succeed(height)
  }
  const start = Query.integer(query, "start_height") ?? (yield* hashed("start_hash"))
  const end = Query.integer(query, "end_height") ?? (yield* hashed("end_hash"))
  const { first = 0, last = Number.POSITIVE_INFINITY } = Query.heights(query, start, end)
  return (rows: Rows.Rows) => Rows.narrowed(rows, { first, last })
})

export const assetMetrics = Family.endpoint({
  path: "/timeseries/asset-metrics",
  entities: assets,
  rows: Effect.fnUntraced(function* (query, caller, chosen) {
    const frequency = query.get("frequency") ?? "1d"
    const status = Series.statuses.find((word) => word === query.get("status")) ?? "all"
    const nullAsZero = Query.flag(query, "null_as_zero")
    const confirmations = Query.integer(query, "min_confirmations")
    const metricsOf = yield* metrics(query, caller, frequency)
    const narrow = yield* heights(query, chosen)
    const grid = Frequency.find(frequency)
    if (grid === undefined && frequency !== "1b") return yield* Refusal.unsupported("frequency", frequency)
    const byHeight = query.get("sort") === "height"
    if (grid !== undefined && byHeight)
      return yield* Refusal.badParameter("sort", "Heights exist only with frequency '1b'.")
    return (asset) => {
      const found = metricsOf(asset)
      if (found instanceof Refusal.Refusal) return found
      const shown: Series.Shown = { status, nullAsZero, noValue: caller.dialect.noValue, view: caller.view }
      return grid === undefined
        ? narrow(Series.blocks(asset, found, shown, confirmations, byHeight ? "height" : "time", caller.forks))
        : Series.grid(found, grid, shown, frequency.startsWith("1d"))
    }
  })
})

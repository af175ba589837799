/**
 * The alerts of assets (docs/interface.md 4.6.6 and 3.15).
 */
import * as Effect from "effect/Effect"
import { nanos, TODAY } from "../../internal/time/Calendar.ts"
import * as Alerts from "../../data/chain/Alerts.ts"
import * as ChainData from "../../data/ChainData.ts"
import type { Source } from "../../internal/listing/Endpoint.ts"
import * as Query from "../../internal/request/Query.ts"
import * as Refusal from "../../internal/request/Refusal.ts"
import * as Family from "./Family.ts"

const assets = [...new Set(ChainData.alerts.map(({ asset }) => asset))]

const series = Family.endpoint<string>({
  path: "/timeseries/asset-alerts",
  entities: {
    name: (asset) => asset,
    all: () => assets,
    find: (name) => assets.find((asset) => asset === name)
  },
  rows: Effect.fnUntraced(function* (query) {
    const names = Query.list(query, "alerts") ?? []
    const unknown = names.find((name) => !ChainData.alerts.some((alert) => alert.name === name))
    if (unknown !== undefined) return yield* Refusal.unknownAlert(unknown)
    return (asset) =>
      Alerts.rows(ChainData.alerts.filter((alert) => alert.asset === asset && names.includes(alert.name)))
  })
})

/** The time series of alerts. Of what a heartbeat holds nothing is published: each asset has one here, with a time. */
export const assetAlerts: Source = {
  ...series,
  list: Effect.fnUntraced(function* (query, caller, parts) {
    const listing = yield* series.list(query, caller, parts)
    if (!Query.flag(query, "include_heartbeats")) return listing
    const heartbeats = (Query.list(query, "assets") ?? []).map((asset) => ({ asset, time: nanos(TODAY) }))
    return { ...listing, heartbeats }
  })
}

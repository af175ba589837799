/** The time series of chains, of alerts and of lending (docs/interface.md 4.6.6 and 3.15). */
import * as Effect from "effect/Effect"
import * as MinuteRows from "../../data/chain/MinuteRows.ts"
import * as ChainData from "../../data/ChainData.ts"
import * as Rows from "../../data/Rows.ts"
import type { Source } from "../../internal/listing/Endpoint.ts"
import * as Entities from "./Entities.ts"
import * as Family from "./Family.ts"
import { nanos, TODAY } from "../../internal/time/Calendar.ts"
import * as Query from "../../internal/request/Query.ts"
import * as Refusal from "../../internal/request/Refusal.ts"
import * as BalanceSheets from "../../data/defi/BalanceSheets.ts"

const series = (
  name: string,
  followed: ReadonlyArray<ChainData.Followed>,
  rows: (asset: ChainData.Followed) => Rows.Rows | undefined
): Source =>
  Family.endpoint({
    path: `/timeseries/${name}`,
    entities: Entities.fixed(followed, ({ asset }) => asset),
    rows: () => Effect.succeed(rows)
  })

const drawn = (name: string, followed: ReadonlyArray<ChainData.Followed>): Source =>
  series(name, followed, MinuteRows.drawn(`/timeseries/${name}`))

const alerted = [...new Set(ChainData.alerts.map(({ asset }) => asset))]

const alerts = Family.endpoint<string>({
  path: "/timeseries/asset-alerts",
  entities: Entities.fixed(alerted, (asset) => asset),
  rows: Effect.fnUntraced(function* (query) {
    const names = Query.list(query, "alerts") ?? []
    const unknown = names.find((name) => !ChainData.alerts.some((alert) => alert.name === name))
    if (unknown !== undefined) return yield* Refusal.unknownAlert(unknown)
    return (asset) =>
      MinuteRows.alerts(ChainData.alerts.filter((alert) => alert.asset === asset && names.includes(alert.name)))
  })
})

/** The time series of alerts. Of what a heartbeat holds nothing is published: each asset has one here, with a time. */
const assetAlerts: Source = {
  ...alerts,
  list: Effect.fnUntraced(function* (query, caller, parts) {
    const listing = yield* alerts.list(query, caller, parts)
    if (!Query.flag(query, "include_heartbeats")) return listing
    const heartbeats = (Query.list(query, "assets") ?? []).map((asset) => ({ asset, time: nanos(TODAY) }))
    return { ...listing, heartbeats }
  })
}

const balanceSheets = Family.endpoint<string>({
  path: "/timeseries/defi-balance-sheets",
  entities: Entities.fixed(BalanceSheets.all, (name) => name),
  rows: Effect.fnUntraced(function* (query) {
    const { first = 0, last = Number.MAX_SAFE_INTEGER - 1 } = Query.heights(query)
    const from = BalanceSheets.fromHeight(first)
    const to = BalanceSheets.fromHeight(last + 1)
    return (protocol) => Rows.narrowed(BalanceSheets.rows(protocol), { first: from, last: to - 1 })
  })
})

export const all: ReadonlyArray<Source> = [
  series("asset-chains", ChainData.chains, MinuteRows.chains),
  drawn("mempool-feerates", ChainData.feerates),
  drawn("mining-pool-tips-summary", ChainData.tips),
  assetAlerts,
  balanceSheets
]

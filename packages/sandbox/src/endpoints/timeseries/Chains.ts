/**
 * The time series of chains, of alerts and of lending (docs/interface.md 4.6.6 and 3.15).
 */
import * as Effect from "effect/Effect"
import * as Chains from "../../data/chain/Chains.ts"
import * as ChainData from "../../data/ChainData.ts"
import * as Drawn from "../../data/Drawn.ts"
import * as Frequency from "../../data/Frequency.ts"
import * as Rows from "../../data/Rows.ts"
import { seed } from "../../internal/random/Noise.ts"
import type { Source } from "../../internal/listing/Endpoint.ts"
import * as Family from "./Family.ts"
import { nanos, TODAY } from "../../internal/time/Calendar.ts"
import * as Alerts from "../../data/chain/Alerts.ts"
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
    entities: {
      name: ({ asset }) => asset,
      all: () => followed,
      find: (name) => followed.find(({ asset }) => asset === name)
    },
    rows: () => Effect.succeed(rows)
  })

const minutes = Frequency.find("1m")!

const drawn = (name: string, followed: ReadonlyArray<ChainData.Followed>): Source => {
  const draw = Drawn.recordsOf(`/timeseries/${name}`)
  return series(name, followed, ({ asset, span }) =>
    Rows.onGrid(asset, minutes, span, (place) => JSON.stringify({ ...draw(seed(asset), minutes.at(place)), asset }))
  )
}

const alerted = [...new Set(ChainData.alerts.map(({ asset }) => asset))]

const alerts = Family.endpoint<string>({
  path: "/timeseries/asset-alerts",
  entities: {
    name: (asset) => asset,
    all: () => alerted,
    find: (name) => alerted.find((asset) => asset === name)
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
  entities: {
    name: (name) => name,
    all: () => BalanceSheets.all,
    find: (name) => BalanceSheets.all.find((protocol) => protocol === name)
  },
  rows: Effect.fnUntraced(function* (query) {
    const first = Query.integer(query, "start_height") ?? 0
    const last = Query.integer(query, "end_height") ?? Number.MAX_SAFE_INTEGER - 1
    const fromFirst = !Query.excludes(query, "start")
    const toLast = !Query.excludes(query, "end")
    const from = BalanceSheets.fromHeight(fromFirst ? first : first + 1)
    const to = BalanceSheets.fromHeight(toLast ? last + 1 : last)
    return (protocol) => {
      const rows = BalanceSheets.rows(protocol)
      return {
        ...rows,
        bounds: {
          first: Math.max(rows.bounds.first, from),
          last: Math.min(rows.bounds.last, to - 1)
        }
      }
    }
  })
})

export const all: ReadonlyArray<Source> = [
  series("asset-chains", ChainData.chains, Chains.rows),
  drawn("mempool-feerates", ChainData.feerates),
  drawn("mining-pool-tips-summary", ChainData.tips),
  assetAlerts,
  balanceSheets
]

/**
 * The balance sheets of DeFi protocols (docs/interface.md 4.6.6 and 3.15).
 */
import * as Effect from "effect/Effect"
import * as BalanceSheets from "../../data/defi/BalanceSheets.ts"
import * as Query from "../../internal/request/Query.ts"
import * as Family from "./Family.ts"

/** The time series of balance sheets. */
export const balanceSheets = Family.endpoint<string>({
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

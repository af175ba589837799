/**
 * The balance sheets of DeFi protocols (docs/interface.md 4.6.6 and 3.15).
 */
import * as Effect from "effect/Effect"
import * as BalanceSheets from "../../data/defi/BalanceSheets.ts"
import * as Query from "../../internal/request/Query.ts"
import * as Family from "./Family.ts"

/** The time series of balance sheets. */
export const balanceSheets = Family.endpoint<BalanceSheets.Protocol>({
  path: "/timeseries/defi-balance-sheets",
  community: false,
  entities: {
    parameter: "defi_protocols",
    field: "defi_protocol",
    name: ({ name }) => name,
    all: () => BalanceSheets.all,
    find: (name) => BalanceSheets.all.find((protocol) => protocol.name === name),
    wildcards: "anywhere"
  },
  parameters: ["start_height", "end_height"],
  isLimited: false,
  formats: ["json"],
  rows: Effect.fnUntraced(function* (query) {
    yield* Query.atMostOne(query, ["start_time", "start_height"])
    yield* Query.atMostOne(query, ["end_time", "end_height"])
    const bounds = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER }
    const first = (yield* Query.integer(query, "start_height", bounds)) ?? 0
    const last = (yield* Query.integer(query, "end_height", bounds)) ?? bounds.maximum - 1
    const fromFirst = yield* Query.boolean(query, "start_inclusive", true)
    const toLast = yield* Query.boolean(query, "end_inclusive", true)
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

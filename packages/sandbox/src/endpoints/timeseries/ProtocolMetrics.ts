/**
 * GET /timeseries/protocol-metrics (docs/interface.md 3.12 and 4.6.3): lists that filter rather than name entities, and no
 * default frequency.
 */
import * as Effect from "effect/Effect"
import * as Coverage from "../../data/Coverage.ts"
import * as OtherMetrics from "../../data/OtherMetrics.ts"
import * as Rows from "../../data/Rows.ts"
import * as Series from "../../data/Series.ts"
import type { Source } from "../../internal/listing/Endpoint.ts"
import * as Listing from "../../internal/listing/Listing.ts"
import * as Query from "../../internal/request/Query.ts"
import * as Kind from "../catalog/Kind.ts"
import * as Reference from "../Reference.ts"
import * as Family from "./Family.ts"

export const protocolMetrics: Source = {
  path: "/timeseries/protocol-metrics",
  list: Effect.fnUntraced(function* (query, caller) {
    const holders = yield* Kind.protocols(query)
    const metrics = yield* Reference.having(query, OtherMetrics.protocol, { metrics: ({ metric }) => [metric] })
    const frequency = yield* Family.frequency(query, (name) => name === "1m" || name === "1d")
    const within = yield* Query.range(query, caller.dialect)
    return Listing.concat(
      holders.map((holder) => {
        const found = Coverage.columns(holder, metrics, frequency.name)
        const rows = Series.grid(found, frequency, Series.plain(caller.dialect.noValue, caller.view), true)
        return Rows.within(Family.seenBy({ path: "/timeseries/protocol-metrics" }, query, caller, rows), within)
      })
    )
  })
}

/**
 * GET /timeseries/protocol-metrics (docs/interface.md 3.12 and 4.6.3): lists that filter rather than name entities, and no
 * default frequency.
 */
import * as Effect from "effect/Effect"
import * as Coverage from "../../data/Coverage.ts"
import * as HolderSeries from "../../data/HolderSeries.ts"
import * as OtherMetrics from "../../data/OtherMetrics.ts"
import * as Rows from "../../data/Rows.ts"
import type { Source } from "../../internal/listing/Endpoint.ts"
import * as Listing from "../../internal/listing/Listing.ts"
import * as Query from "../../internal/request/Query.ts"
import * as Reference from "../Reference.ts"
import * as Family from "./Family.ts"

const head = ({ chain, market, protocol }: Coverage.ProtocolHolder): string =>
  `"protocol":"${protocol}","market":"${market}","chain":"${chain}"`

/** The time series of protocol metrics. */
export const protocolMetrics: Source = {
  path: "/timeseries/protocol-metrics",
  list: Effect.fnUntraced(function* (query, caller) {
    const holders = yield* Reference.having(query, Coverage.protocols(), {
      protocols: ({ protocol }) => [protocol],
      chains: ({ chain }) => [chain],
      markets: ({ market }) => [market]
    })
    const metrics = yield* Reference.having(query, OtherMetrics.protocol, { metrics: ({ metric }) => [metric] })
    const frequency = yield* Family.frequency(query, (name) => name === "1m" || name === "1d")
    const within = yield* Query.range(query, caller.dialect)
    return Listing.concat(
      holders.map((holder) => {
        const rows = HolderSeries.rows(holder, head(holder), frequency, metrics, caller)
        return Rows.within(Family.seenBy({ path: "/timeseries/protocol-metrics" }, query, caller, rows), within)
      })
    )
  })
}

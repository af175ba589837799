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
import * as Refusal from "../../internal/request/Refusal.ts"
import * as Query from "../../internal/request/Query.ts"
import * as Family from "./Family.ts"

/** Keeps the holders that a list names by one of their keys; all where the list is absent. */
const having = Effect.fnUntraced(function* (
  query: Query.Query,
  name: string,
  holders: ReadonlyArray<Coverage.ProtocolHolder>,
  key: "protocol" | "chain" | "market"
) {
  const wanted = Query.list(query, name)
  const unknown = wanted?.find((value) => !Coverage.protocols().some((holder) => holder[key] === value))
  if (unknown !== undefined) return yield* Refusal.unsupported(name, unknown)
  return wanted === undefined ? holders : holders.filter((holder) => wanted.includes(holder[key]))
})

const head = ({ chain, market, protocol }: Coverage.ProtocolHolder): string =>
  `"protocol":"${protocol}","market":"${market}","chain":"${chain}"`

/** The time series of protocol metrics. */
export const protocolMetrics: Source = {
  path: "/timeseries/protocol-metrics",
  list: Effect.fnUntraced(function* (query, caller) {
    const byProtocol = yield* having(query, "protocols", Coverage.protocols(), "protocol")
    const byChain = yield* having(query, "chains", byProtocol, "chain")
    const holders = yield* having(query, "markets", byChain, "market")
    const names = Query.list(query, "metrics")
    const unknown = names?.find((name) => !OtherMetrics.protocol.some(({ metric }) => metric === name))
    if (unknown !== undefined) return yield* Refusal.unsupported("metrics", unknown)
    const metrics = OtherMetrics.protocol.filter(({ metric }) => names?.includes(metric) ?? true)
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

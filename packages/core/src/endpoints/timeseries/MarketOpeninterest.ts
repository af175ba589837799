/** Open interest of markets. Source: docs/interface.md 4.6.4 and 3.13. */
import * as Schema from "effect/Schema"
import * as Endpoint from "../../Endpoint.ts"
import { decimal } from "../../internal/wire/fields.ts"
import * as MarketSeries from "./MarketSeries.ts"

/** The contracts of a market that are open at one time. */
export const MarketOpeninterest = Schema.Struct({
  ...MarketSeries.record,
  /** Number of contracts that are open, which need not be whole. */
  contract_count: decimal,
  /** What they are worth in US dollars. The service prefers its three market metrics `open_interest_…`. */
  value_usd: decimal,
  ...MarketSeries.stamped
})
export interface MarketOpeninterest extends Schema.Schema.Type<typeof MarketOpeninterest> {}

/** Parameters of {@link marketOpeninterest}. Source: docs/interface.md 4.6.4. */
export const MarketOpeninterestParams = Schema.Struct({
  ...MarketSeries.params,
  ...MarketSeries.futures,
  ...MarketSeries.granularity
})
export interface MarketOpeninterestParams extends Schema.Schema.Type<typeof MarketOpeninterestParams> {}

/** Reads the open interest of futures and options. Source: docs/interface.md 4.6.4. */
export const marketOpeninterest: Endpoint.Endpoint<MarketOpeninterestParams, MarketOpeninterest> = Endpoint.make(
  "/timeseries/market-openinterest",
  { section: "4.6", order: "series", params: MarketOpeninterestParams, record: MarketOpeninterest }
)

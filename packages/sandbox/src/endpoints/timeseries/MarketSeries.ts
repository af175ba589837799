/**
 * What the time series of markets have in common (docs/interface.md 4.6.4).
 */
import * as Listings from "../../data/Listings.ts"
import * as Markets from "../../data/Markets.ts"
import type { Source } from "../../internal/listing/Endpoint.ts"
import * as Refusal from "../../internal/request/Refusal.ts"
import type { Entities } from "./Entities.ts"
import * as Family from "./Family.ts"

/** The markets, as series name them. */
export const markets: Entities<Markets.Market> = {
  name: ({ market }) => market,
  all: Markets.all,
  find: Markets.find,
  refuse: (name) => Refusal.badParameter("markets", `Market '${name}' is not supported.`),
  at: Listings.markets
}

/** Builds the series at `/timeseries/market-<name>`. */
export const series = (name: string, own: Omit<Family.Series<Markets.Market>, "path" | "entities">): Source =>
  Family.endpoint({ path: `/timeseries/market-${name}`, entities: markets, ...own })

import * as Schema from "effect/Schema"
import * as Endpoint from "../../Endpoint.ts"
import { one } from "../../internal/wire/fields.ts"
import * as Params from "../../Params.ts"
import * as ReferenceData from "../referenceData/Markets.ts"
import { catalog } from "./Definition.ts"
import { TimeRange } from "./Ranges.ts"

/**
 * One market and its data.
 *
 * **Details**
 *
 * A kind of data is absent where there is none or where it was not included.
 *
 * Source: docs/interface.md 4.5 and 3.10; fields of the market itself in 3.4.
 */
export const Market = Schema.Struct({
  ...ReferenceData.Market.fields,
  ...TimeRange.fields,
  /** First and last time with trades. */
  trades: one<TimeRange>(TimeRange),
  /** First and last time with order books. */
  orderbooks: one<TimeRange>(TimeRange),
  /** First and last time with quotes. */
  quotes: one<TimeRange>(TimeRange),
  /** First and last time with funding rates. */
  funding_rates: one<TimeRange>(TimeRange),
  /** First and last time with open interest. */
  openinterest: one<TimeRange>(TimeRange),
  /** First and last time with liquidations. */
  liquidations: one<TimeRange>(TimeRange)
})
export interface Market extends Schema.Schema.Type<typeof Market> {}

/** Filters shared by the catalogs of markets, with their format and limit. Source: docs/interface.md 4.5. */
export const MarketFilters = Schema.Struct({
  /** Market names; all markets when absent. */
  markets: Params.entities(Params.identifiers),
  /** Exchange of the markets. */
  exchange: Params.string,
  /** `spot`, `future`, `option` or `bond`. */
  type: Params.openWord(["spot", "future", "option", "bond"]),
  /** Base asset of the markets. */
  base: Params.string,
  /** Quote asset of the markets. */
  quote: Params.string,
  /** Any asset of the market, base or quote. */
  asset: Params.string,
  /** The exchange's own name of a derivative. */
  symbol: Params.string,
  ...Params.limit,
  ...Params.pretty,
  ...Params.format
})
export interface MarketFilters extends Schema.Schema.Type<typeof MarketFilters> {}

const kinds = ["trades", "orderbooks", "quotes", "funding_rates", "openinterest", "liquidations"] as const

/** Parameters of {@link markets}. */
export const MarketsParams = Schema.Struct({
  ...MarketFilters.fields,
  /** The kinds of data each record has; all when absent. */
  include: Params.included(Params.words(kinds)),
  /** The kinds of data left out of each record. */
  exclude: Params.excluded(Params.words(kinds))
})
export interface MarketsParams extends Schema.Schema.Type<typeof MarketsParams> {}

/**
 * Lists markets and the data of each, as far as the key may read.
 *
 * **Details**
 *
 * `include` and `exclude` choose among the six kinds of data; all are included by default. The service cuts its lists
 * of markets to 170,000, the oldest options first.
 *
 * Source: docs/interface.md 4.5.
 *
 * @deprecated The service has announced to remove it. Use `/catalog-v2/market-trades`, `/catalog-v2/market-orderbooks`,
 * `/catalog-v2/market-quotes`, `/catalog-v2/market-funding-rates`, `/catalog-v2/market-openinterest`,
 * `/catalog-v2/market-liquidations` for what is available, `/reference-data/markets` for what it is.
 */
export const markets: Endpoint.Endpoint<MarketsParams, Market> = Endpoint.make("/catalog/markets", {
  ...catalog,
  params: MarketsParams,
  record: Market,
  deprecated: {
    replacement: [
      "/catalog-v2/market-trades",
      "/catalog-v2/market-orderbooks",
      "/catalog-v2/market-quotes",
      "/catalog-v2/market-funding-rates",
      "/catalog-v2/market-openinterest",
      "/catalog-v2/market-liquidations",
      "/reference-data/markets"
    ]
  }
})

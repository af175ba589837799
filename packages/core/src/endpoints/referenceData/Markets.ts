import * as Schema from "effect/Schema"
import * as Endpoint from "../../Endpoint.ts"
import { decimal, many, number, text, timestamp, word } from "../../internal/wire/fields.ts"
import * as Params from "../../Params.ts"
import type { IncludingEndpoint } from "./Include.ts"
import * as Instrument from "./Instrument.ts"
import { include, withIncluded } from "./Provider.ts"

// docs/interface.md 10.2 (asset_class, source_type): in the newest edition of the interface alone.
const assetClasses = ["digital", "equity", "fixed_income"] as const
const sourceTypes = ["exchange", "platform", "composite", "evaluated"] as const

/**
 * One market: an instrument traded at an exchange.
 *
 * **Details**
 *
 * Which fields are present follows from `type` and exchange: contract numbers on futures and options, addresses and
 * fee on DeFi pools, identifiers and coupon on securities. A snapshot: `status` and `settlement_price` change later.
 *
 * Source: docs/interface.md 3.4.
 */
export const Market = Schema.Struct({
  ...Instrument.name,
  /** `digital`, `equity`, `fixed_income`, or a class added later. */
  asset_class: word(assetClasses),
  /** Where its data comes from: `exchange`, `platform`, `composite`, `evaluated`, or a source added later. */
  source_type: word(sourceTypes),
  ...Instrument.assets,
  publisher: text,
  ...Instrument.terms,
  cusip: text,
  figi: text,
  isin: text,
  security_type: text,
  security_term: text,
  description: text,
  coupon_rate: decimal,
  price_per100: decimal,
  /** A date. */
  issue_date: timestamp,
  /** A date. */
  maturity_date: timestamp
})
export interface Market extends Schema.Schema.Type<typeof Market> {}

/** A size the provider quotes a market in. Source: docs/interface.md 3.4. */
export const SizeBucket = Schema.Struct({ size: number })
export interface SizeBucket extends Schema.Schema.Type<typeof SizeBucket> {}

/**
 * What the provider of `include` knows of a market; at most one per market.
 *
 * The numbers here are JSON numbers, the only ones in this interface, or text.
 *
 * Source: docs/interface.md 3.4.
 */
export const MarketProvider = Schema.Struct({
  /** The provider's reference, such as `talos:coinbase:BTC-USD`. */
  cm_ext_market: text,
  /** The provider's number reference, such as `talos:by-id:1001:24`. */
  cm_ext_market_by_id: text,
  market: text,
  market_id: number,
  symbol: text,
  security_id: number,
  market_symbol: text,
  product_type: text,
  base_currency_id: number,
  quote_currency_id: number,
  end_time: timestamp,
  display_name: text,
  normal_size: number,
  description: text,
  base_currency: text,
  quote_currency: text,
  counter_currency: text,
  option_type: text,
  strike_price: decimal,
  settlement_currency: text,
  notional_multiplier: number,
  expiration: timestamp,
  /** `Regular` or `Inverted`. */
  settle_value_type: text,
  size_buckets: many(SizeBucket),
  position_currency_id: number,
  underlying_security_id: number,
  underlying_quote_currency: text,
  underlying_code: text
})
export interface MarketProvider extends Schema.Schema.Type<typeof MarketProvider> {}

/** Parameters of {@link markets}. */
export const MarketsParams = Schema.Struct({
  /** Market names; all markets when absent. */
  markets: Params.entities(Params.identifiers),
  exchange: Params.string,
  /** `spot`, `future`, `option` or `bond`. */
  type: Params.openWord(["spot", "future", "option", "bond"]),
  base: Params.string,
  quote: Params.string,
  /** Any asset of the market, base or quote. */
  asset: Params.string,
  /** The exchange's own name of a derivative. */
  symbol: Params.string,
  publisher: Params.string,
  /** `digital`, `equity` or `fixed_income`. */
  asset_class: Params.openWord(assetClasses),
  /** `exchange`, `platform`, `composite` or `evaluated`. */
  source_type: Params.openWord(sourceTypes),
  /** At most one of `cusip`, `figi` and `isin`. */
  cusip: Params.string,
  /** At most one of `cusip`, `figi` and `isin`. */
  figi: Params.string,
  /** At most one of `cusip`, `figi` and `isin`. */
  isin: Params.string,
  ...include,
  ...Params.paging,
  ...Params.format
}).check(Params.atMostOne("cusip", "figi", "isin"))
export interface MarketsParams extends Schema.Schema.Type<typeof MarketsParams> {}

/**
 * Lists markets, all unless filtered.
 *
 * **Details**
 *
 * Tens of thousands of records when nothing is filtered. `include: ["talos"]` adds the provider's array to the record
 * and its type.
 *
 * Source: docs/interface.md 4.1.
 */
export const markets: IncludingEndpoint<MarketsParams, Market, MarketProvider> = Endpoint.makeDependent(
  "/reference-data/markets",
  {
    section: "4.1",
    params: MarketsParams,
    dependsOn: ["include"],
    record: withIncluded(Market.fields, MarketProvider)
  }
)

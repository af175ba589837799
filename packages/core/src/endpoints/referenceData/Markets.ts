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
  /** Who publishes the prices. */
  publisher: text,
  ...Instrument.terms,
  /** CUSIP of the security. */
  cusip: text,
  /** FIGI of the security. */
  figi: text,
  /** ISIN of the security, such as `US912810TX63`. */
  isin: text,
  /** Kind of the security, such as `Note`. */
  security_type: text,
  /** Term of the security, such as `10-Year`. */
  security_term: text,
  /** What the security is. */
  description: text,
  /** Coupon of the security. */
  coupon_rate: decimal,
  /** Price for 100 of face value. */
  price_per100: decimal,
  /** A date. */
  issue_date: timestamp,
  /** A date. */
  maturity_date: timestamp
})
export interface Market extends Schema.Schema.Type<typeof Market> {}

/** A size the provider quotes a market in. Source: docs/interface.md 3.4. */
export const SizeBucket = Schema.Struct({
  /** Upper size of the bucket. */
  size: number
})
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
  /** The provider's name of the exchange. */
  market: text,
  /** Number of the exchange at the provider. */
  market_id: number,
  /** The provider's symbol of the market. */
  symbol: text,
  /** Number of the market at the provider; may exceed 2^53. */
  security_id: number,
  /** Symbol of the market at the exchange. */
  market_symbol: text,
  /** Kind of what is traded, such as `Spot`. */
  product_type: text,
  /** Number of the base asset at the provider. */
  base_currency_id: number,
  /** Number of the quote asset at the provider. */
  quote_currency_id: number,
  /** When the market ends. */
  end_time: timestamp,
  /** Its name for people at the provider. */
  display_name: text,
  /** The usual size of an order. */
  normal_size: number,
  /** What the provider says of it. */
  description: text,
  /** The provider's symbol of the base asset. */
  base_currency: text,
  /** The provider's symbol of the quote asset. */
  quote_currency: text,
  /** The provider's symbol of the asset paid or received in return. */
  counter_currency: text,
  /** Kind of the option. */
  option_type: text,
  /** Strike price of the option. */
  strike_price: decimal,
  /** Asset in which the contract is settled. */
  settlement_currency: text,
  /** Multiplier of the notional value. */
  notional_multiplier: number,
  /** When the contract expires. */
  expiration: timestamp,
  /** `Regular` or `Inverted`. */
  settle_value_type: text,
  /** Sizes for which the provider has prices. */
  size_buckets: many<SizeBucket>(SizeBucket),
  /** Number of the asset in which positions are told at the provider. */
  position_currency_id: number,
  /** Number of the underlying market at the provider; may exceed 2^53. */
  underlying_security_id: number,
  /** Quote asset of the underlying market. */
  underlying_quote_currency: text,
  /** Code of the underlying. */
  underlying_code: text
})
export interface MarketProvider extends Schema.Schema.Type<typeof MarketProvider> {}

/** Parameters of {@link markets}. */
export const MarketsParams = Schema.Struct({
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
  /** Publisher of the prices of the markets. */
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
  { section: "4.1", params: MarketsParams, dependsOn: ["include"], record: withIncluded(Market.fields, MarketProvider) }
)

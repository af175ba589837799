/**
 * The fields of a market that reference data and security master have alike. Source: docs/interface.md 3.4 and 3.18.
 */
import * as Schema from "effect/Schema"
import { decimal, flag, id, text, timestamp, word } from "../../internal/wire/fields.ts"

/** Which market it is. */
export const name = {
  /** Unique name, such as `coinbase-btc-usd-spot`. */
  market: id,
  exchange: id,
  /** `spot`, `future`, `option`, `bond`, or a kind added later. */
  type: Schema.Union([Schema.Literals(["spot", "future", "option", "bond"]), Schema.StringForLiteralAutocomplete])
}

/** What it trades. */
export const assets = {
  base: text,
  quote: text,
  /** `<base>-<quote>`. */
  pair: text,
  /** The exchange's own name of a derivative. */
  symbol: text,
  size_asset: text,
  margin_asset: text,
  base_native: text,
  quote_native: text
}

/** On what terms: contract, pool, state, orders and fees. */
export const terms = {
  contract_size: decimal,
  tick_size: decimal,
  multiplier_size: decimal,
  /** Strike price of an option. */
  strike: decimal,
  /** Set up to about a day after expiration. */
  settlement_price: decimal,
  option_contract_type: word(["call", "put"]),
  /** True when an option can be exercised at expiration only. */
  is_european: flag,
  listing: timestamp,
  expiration: timestamp,
  pool_config_id: text,
  contract_address: text,
  base_address: text,
  quote_address: text,
  /** Fee of a DeFi pool, in percent. */
  fee: decimal,
  price_includes_fee: flag,
  variable_fee: flag,
  /** Whether the market trades now; the interface names no transitions. */
  status: word(["online", "offline"]),
  order_amount_increment: decimal,
  order_amount_min: decimal,
  order_amount_max: decimal,
  order_price_increment: decimal,
  order_price_min: decimal,
  order_price_max: decimal,
  /** Least size of an order: amount multiplied by price. */
  order_size_min: decimal,
  order_taker_fee: decimal,
  order_maker_fee: decimal,
  margin_trading_enabled: flag,
  /** True while collection is under development; temporary discrepancies are possible. */
  experimental: flag
}

/**
 * The fields of a market that reference data and security master have alike. Source: docs/interface.md 3.4 and 3.18.
 */
import * as Schema from "effect/Schema"
import { decimal, flag, id, text, timestamp, word } from "../../internal/wire/fields.ts"

/** Which market it is. */
export const name = {
  /** Unique name, such as `coinbase-btc-usd-spot`. */
  market: id,
  /** Exchange of the market. */
  exchange: id,
  /** `spot`, `future`, `option`, `bond`, or a kind added later. */
  type: Schema.Union([Schema.Literals(["spot", "future", "option", "bond"]), Schema.StringForLiteralAutocomplete])
}

/** What it trades. */
export const assets = {
  /** Base asset: what is traded. Null where it is not known. */
  base: text,
  /** Quote asset: what prices are in. Null where it is not known. */
  quote: text,
  /** `<base>-<quote>`. */
  pair: text,
  /** The exchange's own name of a derivative. */
  symbol: text,
  /** Asset in which the size of a contract is told. */
  size_asset: text,
  /** Asset in which margin is paid. */
  margin_asset: text,
  /** The exchange's own name of the base asset. */
  base_native: text,
  /** The exchange's own name of the quote asset. */
  quote_native: text
}

/** On what terms: contract, pool, state, orders and fees. */
export const terms = {
  /** Size of one contract, in `size_asset`. */
  contract_size: decimal,
  /** Smallest step of the price. */
  tick_size: decimal,
  /** Multiplier of the contract. */
  multiplier_size: decimal,
  /** Strike price of an option. */
  strike: decimal,
  /** Set up to about a day after expiration. */
  settlement_price: decimal,
  /** `call` or `put`. */
  option_contract_type: word(["call", "put"]),
  /** True when an option can be exercised at expiration only. */
  is_european: flag,
  /** When the market was listed. */
  listing: timestamp,
  /** When the contract expires; null for perpetual futures. */
  expiration: timestamp,
  /** Configuration of a DeFi pool. */
  pool_config_id: text,
  /** Address of the contract on chain. */
  contract_address: text,
  /** Address of the base asset on chain. */
  base_address: text,
  /** Address of the quote asset on chain. */
  quote_address: text,
  /** Fee of a DeFi pool, in percent. */
  fee: decimal,
  /** Whether prices include the fee. */
  price_includes_fee: flag,
  /** Whether the fee varies. */
  variable_fee: flag,
  /** Whether the market trades now; the interface names no transitions. */
  status: word(["online", "offline"]),
  /** Smallest step of the amount of an order. */
  order_amount_increment: decimal,
  /** Least amount of an order. */
  order_amount_min: decimal,
  /** Most amount of an order. */
  order_amount_max: decimal,
  /** Smallest step of the price of an order. */
  order_price_increment: decimal,
  /** Lowest price of an order. */
  order_price_min: decimal,
  /** Highest price of an order. */
  order_price_max: decimal,
  /** Least size of an order: amount multiplied by price. */
  order_size_min: decimal,
  /** Fee of an order that trades at once, as a fraction and not in percent; may be negative. */
  order_taker_fee: decimal,
  /** Fee of an order that waits in the book, as a fraction and not in percent; may be negative. */
  order_maker_fee: decimal,
  /** Whether it can be traded on margin. */
  margin_trading_enabled: flag,
  /** True while collection is under development; temporary discrepancies are possible. */
  experimental: flag
}

/** Records of docs/interface.md 3.2 to 3.6. */
import { key, list, may, object, texts, word } from "../Field.ts"

/** 3.2. */
export const Asset = { ...key("asset"), ...may("full_name") }

/** 3.2. The older editions have the first five. */
export const AssetProvider = may(
  "cm_ext_asset cm_ext_asset_by_id symbol currency_id description",
  "alias_for_currency alias_for_chain_symbol"
)

/** 3.3. */
export const Exchange = { ...key("exchange"), ...may("full_name") }

export const ExchangeCapabilities = may("transfers:bool market_data:bool orders:bool balances:bool")

export const ExchangeFlags = may(
  "supports_margin_cost:bool supports_reduce_only:bool supports_native_counter_currency:bool",
  "orders_fill_at_requested_price:bool supports_exchange_credit:bool"
)

/** 3.3. */
export const ExchangeProvider = may(
  "cm_ext_exchange cm_ext_exchange_by_id market market_id:number display_name short_name type color depth_type",
  { capabilities: object(ExchangeCapabilities), flags: object(ExchangeFlags), supported_time_in_force: texts }
)

/** 3.4. The newest edition has no `bond`; the interface we were given has. */
export const marketType = word("spot", "future", "option", "bond")

/** 3.4: what a market has in every list of markets. */
export const marketKeys = key("market exchange", { type: marketType })

const instrument = may(
  "base quote pair symbol size_asset margin_asset base_native quote_native",
  "contract_size:decimal tick_size:decimal multiplier_size:decimal strike:decimal settlement_price:decimal",
  { option_contract_type: word("call", "put") },
  "is_european:bool listing:time expiration:time",
  "pool_config_id contract_address base_address quote_address fee:decimal price_includes_fee:bool variable_fee:bool",
  { status: word("online", "offline") },
  "order_amount_increment:decimal order_amount_min:decimal order_amount_max:decimal",
  "order_price_increment:decimal order_price_min:decimal order_price_max:decimal order_size_min:decimal",
  "order_taker_fee:decimal order_maker_fee:decimal margin_trading_enabled:bool experimental:bool"
)

const security = may(
  "publisher cusip figi isin security_type security_term description",
  "coupon_rate:decimal price_per100:decimal issue_date:time maturity_date:time",
  // Newer.
  {
    asset_class: word("digital", "equity", "fixed_income"),
    source_type: word("exchange", "platform", "composite", "evaluated")
  }
)

/** 3.18: the optional fields of 3.4 that the security master has too. */
export const instrumentFields = instrument

/** 3.4: the optional fields. */
export const marketFields = { ...instrument, ...security }

/** 3.4. */
export const Market = { ...marketKeys, ...marketFields }

export const SizeBucket = may("size")

/** 3.4. The two times are text without a form in the published schema. */
export const MarketProvider = may(
  "cm_ext_market cm_ext_market_by_id market symbol market_symbol product_type display_name description",
  "market_id:number base_currency_id:number quote_currency_id:number position_currency_id:number",
  "security_id:number underlying_security_id:number",
  "base_currency quote_currency counter_currency settlement_currency underlying_quote_currency underlying_code",
  "option_type end_time:time expiration:time strike_price:decimal normal_size notional_multiplier settle_value_type",
  { size_buckets: list(SizeBucket) }
)

/** 3.5. */
export const Index = { ...key("index"), ...may("full_name", "description type") }

/** 3.5. */
export const Pair = { ...key("pair"), ...may("full_name") }

/** 3.5. The older editions have the first eleven. */
export const ProtocolChain = {
  ...may(
    "chain",
    "address asset asset_address asset_decimals configurator_address",
    "atoken_address atoken_asset variable_debt_token_address variable_debt_asset stable_debt_token_address",
    "curator_address curator_name guardian_address guardian_name collateral_asset collateral_asset_address",
    "oracle_address irm_address lltv"
  )
}

/** 3.5. */
export const ProtocolMarket = {
  ...key("market protocol"),
  ...may("full_name", { type: word("aave_pool", "morpho_vault"), chains: list(ProtocolChain) })
}

/** 3.6; the words are those seen. The units of the token metrics (3.9) are among them. */
export const Metric = {
  ...key("metric"),
  ...may("full_name description", {
    product: word("Market Data", "Network Data"),
    category: word(
      "Addresses",
      "Basis",
      "Institutions",
      "Liquidations",
      "Market",
      "Open Interest",
      "Volatility",
      "Volume"
    ),
    subcategory: word("Active", "Future", "Futures", "Implied", "Investment Products", "Price"),
    unit: word("Addresses", "Dimensionless", "Native Units", "Transactions", "Transfers", "USD"),
    data_type: word("bigint", "decimal"),
    type: word("Sum", "Ratio", "Percentage", "NA")
  }),
  ...may(
    "reviewable:bool display_name experimental:bool",
    "constituent_snapshots_url constituent_timeframes_url docs_url"
  )
}

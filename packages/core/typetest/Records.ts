/**
 * Records that several sections share, copied by hand from docs/interface.md.
 */
import type { Decimal, Timestamp } from "@sluice/core"
import type { Open } from "./Wire.ts"

/** Source: docs/interface.md 3.4. */
export interface Market {
  readonly market: string
  readonly exchange: string
  readonly type: Open<"spot" | "future" | "option" | "bond">
  readonly base?: string | null
  readonly quote?: string | null
  readonly pair?: string | null
  readonly symbol?: string | null
  readonly size_asset?: string | null
  readonly margin_asset?: string | null
  readonly base_native?: string | null
  readonly quote_native?: string | null
  readonly publisher?: string | null
  readonly asset_class?: Open<"digital" | "equity" | "fixed_income"> | null
  readonly source_type?: Open<"exchange" | "platform" | "composite" | "evaluated"> | null
  readonly contract_size?: Decimal.Decimal | null
  readonly tick_size?: Decimal.Decimal | null
  readonly multiplier_size?: Decimal.Decimal | null
  readonly strike?: Decimal.Decimal | null
  readonly settlement_price?: Decimal.Decimal | null
  readonly option_contract_type?: Open<"call" | "put"> | null
  readonly is_european?: boolean | null
  readonly listing?: Timestamp.Timestamp | null
  readonly expiration?: Timestamp.Timestamp | null
  readonly pool_config_id?: string | null
  readonly contract_address?: string | null
  readonly base_address?: string | null
  readonly quote_address?: string | null
  readonly fee?: Decimal.Decimal | null
  readonly price_includes_fee?: boolean | null
  readonly variable_fee?: boolean | null
  readonly status?: Open<"online" | "offline"> | null
  readonly order_amount_increment?: Decimal.Decimal | null
  readonly order_amount_min?: Decimal.Decimal | null
  readonly order_amount_max?: Decimal.Decimal | null
  readonly order_price_increment?: Decimal.Decimal | null
  readonly order_price_min?: Decimal.Decimal | null
  readonly order_price_max?: Decimal.Decimal | null
  readonly order_size_min?: Decimal.Decimal | null
  readonly order_taker_fee?: Decimal.Decimal | null
  readonly order_maker_fee?: Decimal.Decimal | null
  readonly margin_trading_enabled?: boolean | null
  readonly experimental?: boolean | null
  readonly cusip?: string | null
  readonly figi?: string | null
  readonly isin?: string | null
  readonly security_type?: string | null
  readonly security_term?: string | null
  readonly description?: string | null
  readonly coupon_rate?: Decimal.Decimal | null
  readonly price_per100?: Decimal.Decimal | null
  readonly issue_date?: Timestamp.Timestamp | null
  readonly maturity_date?: Timestamp.Timestamp | null
}

/** Source: docs/interface.md 3.6. */
export interface Metric {
  readonly metric: string
  readonly full_name?: string | null
  readonly description?: string | null
  readonly product?: Open<"Market Data" | "Network Data"> | null
  readonly category?: Open<
    "Addresses" | "Basis" | "Institutions" | "Liquidations" | "Market" | "Open Interest" | "Volatility" | "Volume"
  > | null
  readonly subcategory?: Open<"Active" | "Future" | "Futures" | "Implied" | "Investment Products" | "Price"> | null
  readonly unit?: Open<"Addresses" | "Dimensionless" | "Native Units" | "Transactions" | "Transfers" | "USD"> | null
  readonly data_type?: Open<"bigint" | "decimal"> | null
  readonly type?: Open<"Sum" | "Ratio" | "Percentage" | "NA"> | null
  readonly reviewable?: boolean | null
  readonly display_name?: string | null
  readonly experimental?: boolean | null
  readonly constituent_snapshots_url?: string | null
  readonly constituent_timeframes_url?: string | null
  readonly docs_url?: string | null
}

/** Source: docs/interface.md 14.3. */
export type Frequency = Open<
  "1s" | "15s" | "1m" | "5m" | "10m" | "15m" | "30m" | "1h" | "4h" | "1d" | "1b" | "1d-ny-close" | "1d-sg-close"
>

/** Source: docs/interface.md 4.5. */
export interface TimeRange {
  readonly min_time?: Timestamp.Timestamp | null
  readonly max_time?: Timestamp.Timestamp | null
}

/** Source: docs/interface.md 4.5. */
export interface FrequencyRange extends TimeRange {
  readonly frequency?: Frequency | null
}

/** Source: docs/interface.md 4.5. */
export interface MetricRange {
  readonly metric?: string | null
  readonly frequencies?: ReadonlyArray<FrequencyRange> | null
}

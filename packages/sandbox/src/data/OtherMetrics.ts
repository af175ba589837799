/** Metadata of metrics (docs/interface.md 3.6): those of exchanges, pairs, institutions, markets and protocols. */

export interface MetricRecord {
  readonly metric: string
  readonly full_name: string
  readonly description: string
  readonly product: string
  readonly category: string
  readonly subcategory: string
  readonly unit: string
  readonly data_type: string
  readonly type: string
  readonly reviewable?: boolean
  readonly display_name?: string
  readonly experimental?: boolean
  readonly constituent_snapshots_url?: string
  readonly constituent_timeframes_url?: string
  readonly docs_url?: string
}

const nameOf = (metric: string): string => metric.charAt(0).toUpperCase() + metric.slice(1).replaceAll("_", " ")

export const make = (metric: string, labels: string, more: Partial<MetricRecord> = {}): MetricRecord => {
  const [category = "", subcategory = "", unit = "", type = ""] = labels.split("/")
  const { full_name = nameOf(metric) } = more
  return {
    metric,
    full_name,
    description: `${full_name}. Given per interval; the time of a record is the start of its interval.`,
    product: "Market Data",
    category,
    subcategory,
    unit,
    data_type: "decimal",
    type,
    // The vendor's own test finds one in each of these metrics.
    display_name: full_name.replaceAll(", ", " · "),
    ...more
  }
}

const sorted = (...metrics: ReadonlyArray<ReadonlyArray<MetricRecord>>): ReadonlyArray<MetricRecord> =>
  metrics.flat().sort((a, b) => (a.metric < b.metric ? -1 : 1))

/** Metrics whose names differ in a word, which stands in place of a star. */
const each = (form: string, words: string, labels: string, more?: Partial<MetricRecord>) =>
  words.split(" ").map((word) => make(form.replace("*", word), labels, more))

const volumes = (...scopes: ReadonlyArray<string>): ReadonlyArray<MetricRecord> =>
  scopes.flatMap((scope) => each(`volume_reported_${scope}_usd_*`, "1h 1d", `Volume/${scope}/USD/Sum`))

const interest = each("open_interest_reported_future_*_margin_usd", "all coin usd", "Open Interest/Future/USD/Sum")

const liquidations = ["buy", "sell"].flatMap((side) =>
  each(`liquidations_reported_future_${side}_usd_*`, "1h 1d", "Liquidations/Futures/USD/Sum", { experimental: true })
)

export const exchange: ReadonlyArray<MetricRecord> = sorted(volumes("spot", "future", "option"), interest, liquidations)

export const exchangeAsset: ReadonlyArray<MetricRecord> = sorted(volumes("spot", "future"), interest, [
  make("basis_annualized_90d_exp", "Basis/Futures/Percentage/Percentage")
])

export const exchangePair: ReadonlyArray<MetricRecord> = sorted(volumes("spot", "future"))

export const protocol: ReadonlyArray<MetricRecord> = sorted(
  each("*_usd", "borrowed supplied", "Lending/Total/USD/Sum"),
  [make("utilization_ratio", "Lending/Utilization/Dimensionless/Ratio", { experimental: true })]
)

export const pair: ReadonlyArray<MetricRecord> = sorted(volumes("spot", "trusted_spot"), liquidations, [
  make("volatility_implied_atm_30d_expiration", "Volatility/Implied/Dimensionless/Ratio", {
    docs_url: "https://docs.example.com/volatility"
  })
])

const trusts = "btc eth etc ltc bch zec"

export const institution: ReadonlyArray<MetricRecord> = sorted(
  each("*_net_asset_value", trusts, "Institutions/Investment Products/USD/NA"),
  each("*_total_assets", trusts, "Institutions/Investment Products/Native Units/Sum", { reviewable: true }),
  each("*_shares_outstanding", trusts, "Institutions/Investment Products/Shares/Sum", { data_type: "bigint" })
)

export const market: ReadonlyArray<MetricRecord> = sorted(
  liquidations,
  each("volume_reported_usd_*", "1h 1d", "Volume/Market/USD/Sum"),
  each("liquidity_depth_0_1_percent_*_volume_units", "ask bid", "Liquidity/Depth/Native Units/Sum"),
  [
    make("liquidity_bid_ask_spread_percent_1h", "Liquidity/Spread/Percentage/Percentage", {
      constituent_snapshots_url: "https://api.example.com/v4/constituent-snapshots/market-metrics",
      constituent_timeframes_url: "https://api.example.com/v4/constituent-timeframes/market-metrics"
    }),
    make("futures_rate_of_return_1d", "Funding Rates/Futures/Percentage/Percentage")
  ]
)

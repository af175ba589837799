/**
 * Metadata of the metrics that belong to exchanges, pairs, institutions and markets (docs/interface.md 3.6).
 */

/** A metric record as it is sent. */
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

const make = (metric: string, full_name: string, labels: string, more: Partial<MetricRecord> = {}): MetricRecord => {
  const [category = "", subcategory = "", unit = "", type = ""] = labels.split("/")
  return {
    metric,
    full_name,
    description: `${full_name}. Sums are taken over the interval that starts at the time of the record.`,
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

const sorted = (metrics: ReadonlyArray<MetricRecord>): ReadonlyArray<MetricRecord> =>
  [...metrics].sort((a, b) => (a.metric < b.metric ? -1 : 1))

const spans = ["1h", "1d"]
const future = ["all", "coin", "usd"].map((margin) => ({ margin, name: `${margin} margined` }))

const volumes = (scopes: ReadonlyArray<string>): ReadonlyArray<MetricRecord> =>
  scopes.flatMap((scope) =>
    spans.map((span) =>
      make(
        `volume_reported_${scope}_usd_${span}`,
        `Volume, reported, ${scope}, USD, ${span}`,
        `Volume/${scope}/USD/Sum`
      )
    )
  )

const interest: ReadonlyArray<MetricRecord> = future.map(({ margin, name }) =>
  make(
    `open_interest_reported_future_${margin}_margin_usd`,
    `Open interest, reported, futures, ${name}, USD`,
    "Open Interest/Future/USD/Sum",
    { display_name: `Futures open interest (${name})` }
  )
)

const liquidations: ReadonlyArray<MetricRecord> = ["buy", "sell"].flatMap((side) =>
  spans.map((span) =>
    make(
      `liquidations_reported_future_${side}_usd_${span}`,
      `Liquidations, reported, futures, ${side}, USD, ${span}`,
      "Liquidations/Futures/USD/Sum",
      { experimental: true }
    )
  )
)

/** Metrics of exchanges. */
export const exchange: ReadonlyArray<MetricRecord> = sorted([
  ...volumes(["spot", "future", "option"]),
  ...interest,
  ...liquidations
])

/** Metrics of one asset on one exchange. */
export const exchangeAsset: ReadonlyArray<MetricRecord> = sorted([
  ...volumes(["spot", "future"]),
  ...interest,
  make("basis_annualized_90d_exp", "Basis, annualized, 90 days", "Basis/Futures/Percentage/Percentage")
])

/** Metrics of one pair on one exchange. */
export const exchangePair: ReadonlyArray<MetricRecord> = sorted(volumes(["spot", "future"]))

/** Metrics of a protocol's market on one chain. */
export const protocol: ReadonlyArray<MetricRecord> = sorted([
  make("borrowed_usd", "Borrowed, USD", "Lending/Debt/USD/Sum"),
  make("supplied_usd", "Supplied, USD", "Lending/Supply/USD/Sum"),
  make("utilization_ratio", "Utilization", "Lending/Utilization/Dimensionless/Ratio", { experimental: true })
])

/** Metrics of pairs. */
export const pair: ReadonlyArray<MetricRecord> = sorted([
  ...volumes(["spot", "trusted_spot"]),
  ...liquidations,
  make(
    "volatility_implied_atm_30d_expiration",
    "Volatility, implied, at the money, 30 days",
    "Volatility/Implied/Dimensionless/Ratio",
    {
      docs_url: "https://docs.example.com/volatility"
    }
  )
])

/** Metrics of institutions. */
export const institution: ReadonlyArray<MetricRecord> = sorted(
  ["btc", "eth", "etc", "ltc", "bch", "zec"].flatMap((asset) => [
    make(
      `${asset}_net_asset_value`,
      `${asset.toUpperCase()} trust, net asset value`,
      "Institutions/Investment Products/USD/NA"
    ),
    make(
      `${asset}_total_assets`,
      `${asset.toUpperCase()} trust, total assets`,
      "Institutions/Investment Products/Native Units/Sum",
      { reviewable: true }
    ),
    make(
      `${asset}_shares_outstanding`,
      `${asset.toUpperCase()} trust, shares outstanding`,
      "Institutions/Investment Products/Shares/Sum",
      { data_type: "bigint" }
    )
  ])
)

/** Metrics of markets. */
export const market: ReadonlyArray<MetricRecord> = sorted([
  ...liquidations,
  ...spans.map((span) =>
    make(`volume_reported_usd_${span}`, `Volume, reported, USD, ${span}`, "Volume/Market/USD/Sum")
  ),
  make(
    "liquidity_depth_0_1_percent_ask_volume_units",
    "Liquidity, depth 0.1 %, ask, native units",
    "Liquidity/Depth/Native Units/Sum"
  ),
  make(
    "liquidity_depth_0_1_percent_bid_volume_units",
    "Liquidity, depth 0.1 %, bid, native units",
    "Liquidity/Depth/Native Units/Sum"
  ),
  make(
    "liquidity_bid_ask_spread_percent_1h",
    "Liquidity, bid ask spread, 1h",
    "Liquidity/Spread/Percentage/Percentage",
    {
      constituent_snapshots_url: "https://api.example.com/v4/constituent-snapshots/market-metrics",
      constituent_timeframes_url: "https://api.example.com/v4/constituent-timeframes/market-metrics"
    }
  ),
  make("futures_rate_of_return_1d", "Futures, rate of return, 1d", "Funding Rates/Futures/Percentage/Percentage")
])

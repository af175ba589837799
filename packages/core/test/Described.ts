/** What docs/interface.md 4 says of every path, copied by hand: nothing here is read from the endpoints. */

/** One path as it is described there. */
export interface Described {
  readonly path: string
  readonly section: string
  readonly parameters: ReadonlyArray<string>
  /** Those of the parameters that accept `<namespace>:<symbol>` and `<namespace>:by-id:<id>`. */
  readonly identifiers: ReadonlyArray<string>
  readonly formats: ReadonlyArray<string>
  readonly paged: boolean
  readonly community: boolean
  /** Paths that replace it, where it is deprecated. */
  readonly replacement: ReadonlyArray<string> | undefined
}

type More = Partial<Pick<Described, "identifiers" | "community">>

/** docs/interface.md 2.2: the paging set. */
const paging = ["page_size", "paging_from", "next_page_token", "pretty"]

const both = ["json", "json_stream"]

const json = ["json"]

const row = (
  path: string,
  section: string,
  parameters: ReadonlyArray<string>,
  more: Partial<Described>
): Described => ({
  path,
  section,
  parameters,
  identifiers: [],
  formats: both,
  paged: true,
  community: true,
  replacement: undefined,
  ...more
})

/** docs/interface.md 4.1. */
const reference = (name: string, parameters: ReadonlyArray<string>, more: More = {}) =>
  row(`/reference-data/${name}`, "4.1", [...parameters, ...paging, "format"], more)

/** docs/interface.md 4.2 to 4.4: without `format`, and not on the community root. */
const worded = (path: string, section: string, parameters: ReadonlyArray<string>, more: More = {}) =>
  row(path, section, [...parameters, ...paging], { formats: json, community: false, ...more })

const current: ReadonlyArray<Described> = [
  reference("assets", ["assets", "include"], { identifiers: ["assets"] }),
  reference("exchanges", ["exchanges", "include"], { identifiers: ["exchanges"] }),
  reference(
    "markets",
    [
      "markets",
      "exchange",
      "type",
      "base",
      "quote",
      "asset",
      "symbol",
      "publisher",
      // Newer than the rest (docs/interface.md 4.1).
      "asset_class",
      "source_type",
      "cusip",
      "figi",
      "isin",
      "include"
    ],
    { identifiers: ["markets"] }
  ),
  reference("indexes", ["indexes"]),
  reference("protocols", ["protocols", "chains", "markets"], { community: false }),
  reference("pairs", ["pairs"]),
  reference("asset-metrics", ["metrics", "reviewable"]),
  reference("exchange-metrics", ["metrics"]),
  reference("exchange-asset-metrics", ["metrics"]),
  reference("pair-metrics", ["metrics"]),
  reference("institution-metrics", ["metrics"]),
  reference("market-metrics", ["metrics"]),
  worded("/profile/assets", "4.2", ["assets", "full_names"], { identifiers: ["assets"] }),
  worded("/profile/networks", "4.2", ["networks", "full_names"]),
  worded(
    "/taxonomy/assets",
    "4.3",
    [
      "assets",
      "class_ids",
      "sector_ids",
      "subsector_ids",
      "version",
      "classification_start_time",
      "classification_end_time",
      "start_inclusive",
      "end_inclusive"
    ],
    { identifiers: ["assets"] }
  ),
  worded("/taxonomy-metadata/assets", "4.4", ["version", "start_time", "end_time", "start_inclusive", "end_inclusive"]),
  // docs/interface.md 4.6.2.
  row(
    "/timeseries/asset-metrics",
    "4.6",
    [
      "assets",
      "metrics",
      "frequency",
      "status",
      "start_time",
      "end_time",
      "start_height",
      "end_height",
      "start_hash",
      "end_hash",
      "start_inclusive",
      "end_inclusive",
      "timezone",
      "min_confirmations",
      "sort",
      "limit_per_asset",
      "null_as_zero",
      "format",
      "ignore_forbidden_errors",
      "ignore_unsupported_errors",
      ...paging
    ],
    {}
  )
]

/** docs/interface.md 4.5, with the replacements of 9.3: one path below `/catalog`. */
type Catalog = readonly [
  name: string,
  parameters: ReadonlyArray<string>,
  replacement: ReadonlyArray<string>,
  more?: Partial<Described>
]

const marketFilters = ["markets", "exchange", "type", "base", "quote", "asset", "symbol", "format", "limit"]

/** A catalog of markets; what is there of it is named as it is itself. */
const market = (name: string, also: ReadonlyArray<string> = []): Catalog => [
  name,
  marketFilters,
  [`/catalog-v2/${name}`, ...also],
  { formats: both, identifiers: ["markets"] }
]

const assetsOnly = (name: string): Catalog => [
  name,
  ["assets"],
  [`/catalog-v2/${name}`],
  { identifiers: ["assets"], community: false }
]

const metrics = ["metrics", "reviewable"]

const kinds = [
  "asset-metrics",
  "exchange-metrics",
  "exchange-asset-metrics",
  "pair-metrics",
  "institution-metrics",
  "market-metrics"
]

const catalogs: ReadonlyArray<Catalog> = [
  [
    "assets",
    ["assets", "include", "exclude"],
    ["/catalog-v2/asset-metrics", "/reference-data/assets", "/reference-data/markets"],
    { identifiers: ["assets"] }
  ],
  [
    "metrics",
    metrics,
    [...kinds.map((kind) => `/catalog-v2/${kind}`), ...kinds.map((kind) => `/reference-data/${kind}`)]
  ],
  ["asset-metrics", metrics, ["/catalog-v2/asset-metrics", "/reference-data/asset-metrics"]],
  ["exchange-metrics", metrics, ["/catalog-v2/exchange-metrics", "/reference-data/exchange-metrics"]],
  ["exchange-asset-metrics", metrics, ["/catalog-v2/exchange-asset-metrics", "/reference-data/exchange-asset-metrics"]],
  ["pair-metrics", metrics, ["/catalog-v2/pair-metrics", "/reference-data/pair-metrics"]],
  ["institution-metrics", metrics, ["/catalog-v2/institution-metrics", "/reference-data/institution-metrics"]],
  [
    "exchanges",
    ["exchanges"],
    ["/reference-data/exchanges", "/reference-data/markets"],
    { identifiers: ["exchanges"] }
  ],
  [
    "exchange-assets",
    ["exchange_assets"],
    ["/catalog-v2/exchange-asset-metrics", "/reference-data/exchange-asset-metrics"]
  ],
  ["pairs", ["pairs"], ["/catalog-v2/pair-metrics", "/reference-data/pair-metrics", "/reference-data/pairs"]],
  ["pair-candles", ["pairs"], ["/catalog-v2/pair-candles"]],
  ["institutions", ["institutions"], ["/catalog-v2/institution-metrics", "/reference-data/institution-metrics"]],
  [
    "markets",
    [...marketFilters, "include", "exclude"],
    [
      "/catalog-v2/market-trades",
      "/catalog-v2/market-orderbooks",
      "/catalog-v2/market-quotes",
      "/catalog-v2/market-funding-rates",
      "/catalog-v2/market-openinterest",
      "/catalog-v2/market-liquidations",
      "/reference-data/markets"
    ],
    { formats: both, identifiers: ["markets"] }
  ],
  market("market-trades"),
  market("market-candles"),
  market("market-orderbooks"),
  market("market-quotes"),
  market("market-funding-rates"),
  market("market-contract-prices"),
  market("market-implied-volatility"),
  market("market-greeks"),
  market("market-openinterest"),
  market("market-liquidations"),
  market("market-metrics", ["/reference-data/market-metrics"]),
  ["indexes", ["indexes"], ["/catalog-v2/index-levels", "/reference-data/indexes"]],
  ["index-candles", ["indexes"], ["/catalog-v2/index-candles"]],
  [
    "asset-alerts",
    ["assets", "alerts"],
    ["/reference-data/asset-alerts"],
    { identifiers: ["assets"], community: false }
  ],
  assetsOnly("asset-chains"),
  assetsOnly("mempool-feerates"),
  assetsOnly("mining-pool-tips-summary"),
  assetsOnly("transaction-tracker")
]

const catalog = ([name, parameters, replacement, more]: Catalog) =>
  row(`/catalog/${name}`, "4.5", [...parameters, "pretty"], { formats: json, paged: false, replacement, ...more })

/** docs/interface.md 4.7: of every catalog a full one, with the same parameters. */
const fullCatalog = ([name, parameters, replacement, more]: Catalog) =>
  row(`/catalog-all/${name}`, "4.7", [...parameters, "pretty"], {
    formats: json,
    paged: false,
    replacement: replacement.map((path) => path.replace("/catalog-v2/", "/catalog-all-v2/")),
    ...more
  })

/** Every path there is. */
export const all: ReadonlyArray<Described> = [...current, ...catalogs.map(catalog), ...catalogs.map(fullCatalog)]

/** The paths that have a parameter. */
export const having = (parameter: string): ReadonlyArray<Described> =>
  all.filter(({ parameters }) => parameters.includes(parameter))

/** The least parameters a call of a path needs. */
export const required = (path: string): Readonly<Record<string, string>> =>
  path === "/timeseries/asset-metrics" ? { assets: "btc", metrics: "PriceUSD" } : {}

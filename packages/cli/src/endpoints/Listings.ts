/**
 * The commands that list the names a parameter of a time series takes.
 *
 * Words only, so that an error is shown without loading the endpoints. A test compares them with the endpoints.
 */

const named: ReadonlySet<string> = new Set([
  "assets",
  "chains",
  "exchange_assets",
  "exchange_pairs",
  "exchanges",
  "indexes",
  "institutions",
  "markets",
  "metrics",
  "pairs",
  "protocols",
  // The service's own word for `exchanges` when it refuses one.
  "id"
])

/** Time series without a v2 catalog of their own. */
const others: ReadonlyMap<string, string | undefined> = new Map([
  ["index-constituents", "get catalog-v2/index-levels"],
  ["asset-alerts", "get catalog/asset-alerts"],
  ["defi-balance-sheets", undefined],
  // Live alone.
  ["aggregated-asset-quotes", "get reference-data/assets"],
  ["aggregated-pair-quotes", "get reference-data/pairs"],
  ["asset-quotes", "get reference-data/assets"],
  ["pair-quotes", "get reference-data/pairs"]
])

/** Filters of lists and catalogs whose words another list has. */
const filters: ReadonlyMap<string, string> = new Map([
  ["exchange", "get reference-data/exchanges"],
  ["base", "get reference-data/assets"],
  ["quote", "get reference-data/assets"],
  ["asset", "get reference-data/assets"],
  ["assets", "get reference-data/assets"]
])

/** The arguments of `sluice` that list what a parameter of an endpoint may name; absent where no command does. */
export const find = (endpoint: string, parameter: string): string | undefined => {
  const series = /^\/timeseries(?:-stream)?\/([\w-]+)$/.exec(endpoint)?.[1]
  if (series === undefined) {
    const list = /^\/(?:reference-data|catalog[\w-]*)\//.test(endpoint) ? filters.get(parameter) : undefined
    return list === `get ${endpoint.slice(1)}` ? undefined : list
  }
  if (series === "asset-alerts" && parameter === "alerts") return others.get(series)
  if (!named.has(parameter)) return undefined
  if (parameter === "markets" && series !== "protocol-metrics") return "markets --exchange <exchange>"
  if (series === "asset-metrics") return parameter === "metrics" ? "metrics <asset>" : "get reference-data/assets"
  return others.has(series) ? others.get(series) : `get catalog-v2/${series}`
}

/**
 * The methods of the official Python client by the paths that they ask for. A test compares them with those read from its sources.
 */

/** The version of `coinmetrics-api-client` whose methods these are. */
export const version = "2025.8.15.15"

const prefixes: Readonly<Record<string, readonly [before: string, after: string]>> = {
  timeseries: ["get_", ""],
  "reference-data": ["reference_data_", ""],
  "catalog-v2": ["catalog_", "_v2"],
  "catalog-all-v2": ["catalog_full_", "_v2"],
  catalog: ["catalog_", ""],
  "catalog-all": ["catalog_full_", ""],
  "blockchain-metadata": ["blockchain_metadata_", ""]
}

/** Those that are named by no rule. */
const others: Readonly<Record<string, string>> = {
  "timeseries/market-funding-rates-predicted": "get_predicted_market_funding_rates",
  "blockchain-v2/{asset}/blocks": "get_list_of_blocks_v2",
  "blockchain-v2/{asset}/accounts": "get_list_of_accounts_v2",
  "blockchain-v2/{asset}/sub-accounts": "get_list_of_sub_accounts_v2",
  "blockchain-v2/{asset}/transactions": "get_list_of_transactions_v2",
  "blockchain-v2/{asset}/balance-updates": "get_list_of_balance_updates_v2",
  "blockchain-v2/{asset}/accounts/{account}/balance-updates": "get_list_of_balance_updates_for_account_v2",
  "blockchain-v2/{asset}/blocks/{block_hash}": "get_full_block_v2",
  "blockchain-v2/{asset}/transactions/{txid}": "get_full_transaction_v2",
  "blockchain-v2/{asset}/blocks/{block_hash}/transactions/{txid}": "get_full_transaction_for_block_v2",
  "blockchain/{asset}/transaction-tracker": "get_transaction_tracker",
  "profile/assets": "get_asset_profiles",
  "profile/networks": "get_network_profiles",
  "taxonomy/assets": "get_taxonomy_assets",
  "taxonomy-metadata/assets": "get_taxonomy_assets_metadata",
  "security-master/assets": "security_master_assets",
  "security-master/markets": "security_master_markets",
  "constituent-snapshots/asset-metrics": "get_snapshots_of_asset_metric_constituents",
  "constituent-timeframes/asset-metrics": "get_timeframes_of_asset_metric_constituents"
}

/** What it has no method for, by the ends of paths. */
const absent = /\/(?:exchange-pair-metrics|protocol-metrics|protocols|rebasing-changes|locations|owners)$/

/** How catalogs call what a path says in other words. */
const ofCatalogs: ReadonlyArray<readonly [path: RegExp, word: string]> = [
  [/^mining_pool_tips_summary$/, "mining_pool_tips_summaries"],
  [/^transaction_tracker$/, "transaction_tracker_assets"],
  [/^blockchain_v2_/, "blockchain_"]
]

/** The method that asks for a path, such as `/timeseries/asset-metrics`; absent where there is none. */
export const find = (path: string): string | undefined => {
  const name = path.replace(/^\//, "")
  if (Object.hasOwn(others, name)) return others[name]
  const [section = "", ...parts] = name.split("/")
  const prefix = Object.hasOwn(prefixes, section) ? prefixes[section] : undefined
  if (prefix === undefined || absent.test(name)) return undefined
  const snake = parts.join("_").replaceAll("-", "_").replace("openinterest", "open_interest")
  const words = section.startsWith("catalog")
    ? ofCatalogs.reduce((text, [from, to]) => text.replace(from, to), snake)
    : snake
  const isOfPairs = /^catalog(?:-all)?$/.test(section) && /^pairs$|^pair_candles$/.test(words)
  return `${prefix[0]}${isOfPairs ? "asset_" : ""}${words}${prefix[1]}`
}

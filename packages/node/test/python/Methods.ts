/**
 * The public methods of `CoinMetricsClient`, the official Python client, each with the path that it asks for and our call
 * of the same path. Written from its sources, and compared with the endpoints by a test; `pnpm reference` prints it.
 *
 * A line is a method, the path below `/v4`, our call, and what the method sends although its caller gave nothing; what all
 * methods of a group send stands in front of its lines.
 */

/** The version of the Python client that was read. */
export const version = "2025.8.15.15"

/** A method of the Python client. */
export interface Method {
  readonly name: string
  /** The path below `/v4`, as the interface writes it. */
  readonly path: string
  /** Our call: the section and its member. */
  readonly ours: string
  /** What it sends although the caller gave none. */
  readonly sends: ReadonlyArray<readonly [name: string, value: string]>
}

/** Methods under one heading of the page. */
export interface Group {
  readonly title: string
  readonly methods: ReadonlyArray<Method>
}

const pairOf = (text: string): readonly [string, string] => {
  const [name = "", value = ""] = text.split("=")
  return [name, value]
}

const group = (title: string, all: string, table: string): Group => ({
  title,
  methods: table
    .trim()
    .split("\n")
    .map((line) => {
      const [name = "", path = "", ours = "", ...sends] = `${line} ${all}`.trim().split(/\s+/)
      return { name, path, ours, sends: sends.map(pairOf) }
    })
})

export const groups: ReadonlyArray<Group> = [
  group(
    "Time series",
    "paging_from=start",
    `
get_asset_alerts                   /timeseries/asset-alerts                   Timeseries.assetAlerts
get_defi_balance_sheets            /timeseries/defi-balance-sheets            Timeseries.defiBalanceSheets
get_asset_chains                   /timeseries/asset-chains                   Timeseries.assetChains
get_asset_metrics                  /timeseries/asset-metrics                  Timeseries.assetMetrics format=json_stream
get_exchange_metrics               /timeseries/exchange-metrics               Timeseries.exchangeMetrics
get_exchange_asset_metrics         /timeseries/exchange-asset-metrics         Timeseries.exchangeAssetMetrics
get_pair_metrics                   /timeseries/pair-metrics                   Timeseries.pairMetrics
get_pair_candles                   /timeseries/pair-candles                   Timeseries.pairCandles
get_institution_metrics            /timeseries/institution-metrics            Timeseries.institutionMetrics
get_index_candles                  /timeseries/index-candles                  Timeseries.indexCandles
get_index_levels                   /timeseries/index-levels                   Timeseries.indexLevels
get_index_constituents             /timeseries/index-constituents             Timeseries.indexConstituents
get_market_metrics                 /timeseries/market-metrics                 Timeseries.marketMetrics
get_market_candles                 /timeseries/market-candles                 Timeseries.marketCandles format=json_stream
get_market_trades                  /timeseries/market-trades                  Timeseries.marketTrades format=json_stream
get_market_open_interest           /timeseries/market-openinterest            Timeseries.marketOpeninterest
get_market_liquidations            /timeseries/market-liquidations            Timeseries.marketLiquidations
get_market_funding_rates           /timeseries/market-funding-rates           Timeseries.marketFundingRates
get_predicted_market_funding_rates /timeseries/market-funding-rates-predicted Timeseries.marketFundingRatesPredicted
get_market_orderbooks              /timeseries/market-orderbooks              Timeseries.marketOrderbooks format=json_stream depth_limit=100
get_market_quotes                  /timeseries/market-quotes                  Timeseries.marketQuotes format=json_stream
get_market_contract_prices         /timeseries/market-contract-prices         Timeseries.marketContractPrices
get_market_implied_volatility      /timeseries/market-implied-volatility      Timeseries.marketImpliedVolatility
get_market_greeks                  /timeseries/market-greeks                  Timeseries.marketGreeks
get_mining_pool_tips_summary       /timeseries/mining-pool-tips-summary       Timeseries.miningPoolTipsSummary
get_mempool_feerates               /timeseries/mempool-feerates               Timeseries.mempoolFeerates page_size=200
`
  ),
  group(
    "Live streams",
    "",
    `
get_stream_asset_metrics        /timeseries-stream/asset-metrics       Live.assetMetrics backfill=latest
get_stream_market_trades        /timeseries-stream/market-trades       Live.marketTrades backfill=latest
get_stream_market_orderbooks    /timeseries-stream/market-orderbooks   Live.marketOrderbooks backfill=latest
get_stream_market_quotes        /timeseries-stream/market-quotes       Live.marketQuotes backfill=latest
get_stream_pair_quotes          /timeseries-stream/pair-quotes         Live.pairQuotes
get_stream_asset_quotes         /timeseries-stream/asset-quotes        Live.assetQuotes
get_stream_market_candles       /timeseries-stream/market-candles      Live.marketCandles backfill=latest
get_stream_index_levels         /timeseries-stream/index-levels        Live.indexLevels backfill=latest
get_stream_market_liquidations  /timeseries-stream/market-liquidations Live.marketLiquidations
get_stream_market_open_interest /timeseries-stream/market-openinterest Live.marketOpeninterest
`
  ),
  group(
    "Chain data",
    "",
    `
get_list_of_blocks_v2                      /blockchain-v2/{asset}/blocks                                  BlockchainV2.blocks paging_from=start
get_list_of_accounts_v2                    /blockchain-v2/{asset}/accounts                                BlockchainV2.accounts paging_from=start
get_list_of_sub_accounts_v2                /blockchain-v2/{asset}/sub-accounts                            BlockchainV2.subAccounts paging_from=start
get_list_of_transactions_v2                /blockchain-v2/{asset}/transactions                            BlockchainV2.transactions paging_from=start
get_list_of_balance_updates_v2             /blockchain-v2/{asset}/balance-updates                         BlockchainV2.balanceUpdates paging_from=start
get_list_of_balance_updates_for_account_v2 /blockchain-v2/{asset}/accounts/{account}/balance-updates      BlockchainV2.accountBalanceUpdates
get_full_block_v2                          /blockchain-v2/{asset}/blocks/{block_hash}                     BlockchainV2.block
get_full_transaction_v2                    /blockchain-v2/{asset}/transactions/{txid}                     BlockchainV2.transaction
get_full_transaction_for_block_v2          /blockchain-v2/{asset}/blocks/{block_hash}/transactions/{txid} BlockchainV2.blockTransaction
get_transaction_tracker                    /blockchain/{asset}/transaction-tracker                        Blockchain.transactionTracker paging_from=start
blockchain_metadata_tags                   /blockchain-metadata/tags                                      BlockchainMetadata.tags
blockchain_metadata_tagged_entities        /blockchain-metadata/tagged-entities                           BlockchainMetadata.taggedEntities
`
  ),
  group(
    "Reference data, profiles and constituents",
    "",
    `
reference_data_asset_metrics                /reference-data/asset-metrics          ReferenceData.assetMetrics format=json_stream
reference_data_markets                      /reference-data/markets                ReferenceData.markets format=json_stream
reference_data_exchange_metrics             /reference-data/exchange-metrics       ReferenceData.exchangeMetrics format=json_stream
reference_data_exchange_asset_metrics       /reference-data/exchange-asset-metrics ReferenceData.exchangeAssetMetrics format=json_stream
reference_data_pair_metrics                 /reference-data/pair-metrics           ReferenceData.pairMetrics format=json_stream
reference_data_institution_metrics          /reference-data/institution-metrics    ReferenceData.institutionMetrics format=json_stream
reference_data_assets                       /reference-data/assets                 ReferenceData.assets format=json_stream
reference_data_exchanges                    /reference-data/exchanges              ReferenceData.exchanges format=json_stream
reference_data_indexes                      /reference-data/indexes                ReferenceData.indexes format=json_stream
reference_data_pairs                        /reference-data/pairs                  ReferenceData.pairs format=json_stream
reference_data_market_metrics               /reference-data/market-metrics         ReferenceData.marketMetrics format=json_stream
get_asset_profiles                          /profile/assets                        Profile.assets
get_network_profiles                        /profile/networks                      Profile.networks
get_taxonomy_assets                         /taxonomy/assets                       Taxonomy.assets
get_taxonomy_assets_metadata                /taxonomy-metadata/assets              TaxonomyMetadata.assets
security_master_assets                      /security-master/assets                SecurityMaster.assets
security_master_markets                     /security-master/markets               SecurityMaster.markets
get_snapshots_of_asset_metric_constituents  /constituent-snapshots/asset-metrics   ConstituentSnapshots.assetMetrics
get_timeframes_of_asset_metric_constituents /constituent-timeframes/asset-metrics  ConstituentTimeframes.assetMetrics
`
  ),
  group(
    "Catalogs: what the key may read",
    "format=json_stream",
    `
catalog_market_trades_v2                  /catalog-v2/market-trades                  CatalogV2.marketTrades
catalog_market_candles_v2                 /catalog-v2/market-candles                 CatalogV2.marketCandles
catalog_market_orderbooks_v2              /catalog-v2/market-orderbooks              CatalogV2.marketOrderbooks
catalog_market_quotes_v2                  /catalog-v2/market-quotes                  CatalogV2.marketQuotes
catalog_market_funding_rates_v2           /catalog-v2/market-funding-rates           CatalogV2.marketFundingRates
catalog_market_funding_rates_predicted_v2 /catalog-v2/market-funding-rates-predicted CatalogV2.marketFundingRatesPredicted
catalog_market_contract_prices_v2         /catalog-v2/market-contract-prices         CatalogV2.marketContractPrices
catalog_market_implied_volatility_v2      /catalog-v2/market-implied-volatility      CatalogV2.marketImpliedVolatility
catalog_market_greeks_v2                  /catalog-v2/market-greeks                  CatalogV2.marketGreeks
catalog_market_open_interest_v2           /catalog-v2/market-openinterest            CatalogV2.marketOpeninterest
catalog_market_liquidations_v2            /catalog-v2/market-liquidations            CatalogV2.marketLiquidations
catalog_market_metrics_v2                 /catalog-v2/market-metrics                 CatalogV2.marketMetrics
catalog_asset_metrics_v2                  /catalog-v2/asset-metrics                  CatalogV2.assetMetrics
catalog_exchange_metrics_v2               /catalog-v2/exchange-metrics               CatalogV2.exchangeMetrics
catalog_exchange_asset_metrics_v2         /catalog-v2/exchange-asset-metrics         CatalogV2.exchangeAssetMetrics
catalog_pair_metrics_v2                   /catalog-v2/pair-metrics                   CatalogV2.pairMetrics
catalog_institution_metrics_v2            /catalog-v2/institution-metrics            CatalogV2.institutionMetrics
catalog_pair_candles_v2                   /catalog-v2/pair-candles                   CatalogV2.pairCandles
catalog_index_candles_v2                  /catalog-v2/index-candles                  CatalogV2.indexCandles
catalog_index_levels_v2                   /catalog-v2/index-levels                   CatalogV2.indexLevels
catalog_asset_chains_v2                   /catalog-v2/asset-chains                   CatalogV2.assetChains
catalog_mempool_feerates_v2               /catalog-v2/mempool-feerates               CatalogV2.mempoolFeerates
catalog_mining_pool_tips_summaries_v2     /catalog-v2/mining-pool-tips-summary       CatalogV2.miningPoolTipsSummary
catalog_transaction_tracker_assets_v2     /catalog-v2/transaction-tracker            CatalogV2.transactionTracker
catalog_blockchain_accounts_v2            /catalog-v2/blockchain-v2/accounts         CatalogV2.blockchainV2Accounts
catalog_blockchain_balance_updates_v2     /catalog-v2/blockchain-v2/balance-updates  CatalogV2.blockchainV2BalanceUpdates
catalog_blockchain_blocks_v2              /catalog-v2/blockchain-v2/blocks           CatalogV2.blockchainV2Blocks
catalog_blockchain_transactions_v2        /catalog-v2/blockchain-v2/transactions     CatalogV2.blockchainV2Transactions
`
  ),
  group(
    "Catalogs: what the service has",
    "format=json_stream",
    `
catalog_full_market_trades_v2                  /catalog-all-v2/market-trades                  CatalogAllV2.marketTrades
catalog_full_market_candles_v2                 /catalog-all-v2/market-candles                 CatalogAllV2.marketCandles
catalog_full_market_orderbooks_v2              /catalog-all-v2/market-orderbooks              CatalogAllV2.marketOrderbooks
catalog_full_market_quotes_v2                  /catalog-all-v2/market-quotes                  CatalogAllV2.marketQuotes
catalog_full_market_funding_rates_v2           /catalog-all-v2/market-funding-rates           CatalogAllV2.marketFundingRates
catalog_full_market_funding_rates_predicted_v2 /catalog-all-v2/market-funding-rates-predicted CatalogAllV2.marketFundingRatesPredicted
catalog_full_market_contract_prices_v2         /catalog-all-v2/market-contract-prices         CatalogAllV2.marketContractPrices
catalog_full_market_implied_volatility_v2      /catalog-all-v2/market-implied-volatility      CatalogAllV2.marketImpliedVolatility
catalog_full_market_greeks_v2                  /catalog-all-v2/market-greeks                  CatalogAllV2.marketGreeks
catalog_full_market_open_interest_v2           /catalog-all-v2/market-openinterest            CatalogAllV2.marketOpeninterest
catalog_full_market_liquidations_v2            /catalog-all-v2/market-liquidations            CatalogAllV2.marketLiquidations
catalog_full_market_metrics_v2                 /catalog-all-v2/market-metrics                 CatalogAllV2.marketMetrics
catalog_full_asset_metrics_v2                  /catalog-all-v2/asset-metrics                  CatalogAllV2.assetMetrics
catalog_full_exchange_metrics_v2               /catalog-all-v2/exchange-metrics               CatalogAllV2.exchangeMetrics
catalog_full_exchange_asset_metrics_v2         /catalog-all-v2/exchange-asset-metrics         CatalogAllV2.exchangeAssetMetrics
catalog_full_pair_metrics_v2                   /catalog-all-v2/pair-metrics                   CatalogAllV2.pairMetrics
catalog_full_institution_metrics_v2            /catalog-all-v2/institution-metrics            CatalogAllV2.institutionMetrics
catalog_full_pair_candles_v2                   /catalog-all-v2/pair-candles                   CatalogAllV2.pairCandles
catalog_full_index_candles_v2                  /catalog-all-v2/index-candles                  CatalogAllV2.indexCandles
catalog_full_index_levels_v2                   /catalog-all-v2/index-levels                   CatalogAllV2.indexLevels
catalog_full_asset_chains_v2                   /catalog-all-v2/asset-chains                   CatalogAllV2.assetChains
catalog_full_mempool_feerates_v2               /catalog-all-v2/mempool-feerates               CatalogAllV2.mempoolFeerates
catalog_full_mining_pool_tips_summaries_v2     /catalog-all-v2/mining-pool-tips-summary       CatalogAllV2.miningPoolTipsSummary
catalog_full_transaction_tracker_assets_v2     /catalog-all-v2/transaction-tracker            CatalogAllV2.transactionTracker
catalog_full_blockchain_accounts_v2            /catalog-all-v2/blockchain-v2/accounts         CatalogAllV2.blockchainV2Accounts
catalog_full_blockchain_balance_updates_v2     /catalog-all-v2/blockchain-v2/balance-updates  CatalogAllV2.blockchainV2BalanceUpdates
catalog_full_blockchain_blocks_v2              /catalog-all-v2/blockchain-v2/blocks           CatalogAllV2.blockchainV2Blocks
catalog_full_blockchain_transactions_v2        /catalog-all-v2/blockchain-v2/transactions     CatalogAllV2.blockchainV2Transactions
catalog_full_contract_prices_v2                /catalog-all-v2/market-contract-prices         CatalogAllV2.marketContractPrices
`
  ),
  group(
    "Deprecated catalogs",
    "",
    `
catalog_assets                          /catalog/assets                        Catalog.assets
catalog_asset_alerts                    /catalog/asset-alerts                  Catalog.assetAlerts
catalog_asset_chains                    /catalog/asset-chains                  Catalog.assetChains
catalog_mempool_feerates                /catalog/mempool-feerates              Catalog.mempoolFeerates
catalog_mining_pool_tips_summaries      /catalog/mining-pool-tips-summary      Catalog.miningPoolTipsSummary
catalog_transaction_tracker_assets      /catalog/transaction-tracker           Catalog.transactionTracker
catalog_asset_pairs                     /catalog/pairs                         Catalog.pairs
catalog_asset_metrics                   /catalog/asset-metrics                 Catalog.assetMetrics
catalog_exchange_metrics                /catalog/exchange-metrics              Catalog.exchangeMetrics
catalog_exchange_asset_metrics          /catalog/exchange-asset-metrics        Catalog.exchangeAssetMetrics
catalog_pair_metrics                    /catalog/pair-metrics                  Catalog.pairMetrics
catalog_institution_metrics             /catalog/institution-metrics           Catalog.institutionMetrics
catalog_asset_pair_candles              /catalog/pair-candles                  Catalog.pairCandles
catalog_exchanges                       /catalog/exchanges                     Catalog.exchanges
catalog_exchange_assets                 /catalog/exchange-assets               Catalog.exchangeAssets
catalog_indexes                         /catalog/indexes                       Catalog.indexes
catalog_index_candles                   /catalog/index-candles                 Catalog.indexCandles
catalog_institutions                    /catalog/institutions                  Catalog.institutions
catalog_markets                         /catalog/markets                       Catalog.markets
catalog_market_trades                   /catalog/market-trades                 Catalog.marketTrades
catalog_metrics                         /catalog/metrics                       Catalog.metrics
catalog_market_metrics                  /catalog/market-metrics                Catalog.marketMetrics
catalog_market_candles                  /catalog/market-candles                Catalog.marketCandles
catalog_market_orderbooks               /catalog/market-orderbooks             Catalog.marketOrderbooks
catalog_market_quotes                   /catalog/market-quotes                 Catalog.marketQuotes
catalog_market_funding_rates            /catalog/market-funding-rates          Catalog.marketFundingRates
catalog_market_contract_prices          /catalog/market-contract-prices        Catalog.marketContractPrices
catalog_market_implied_volatility       /catalog/market-implied-volatility     Catalog.marketImpliedVolatility
catalog_market_greeks                   /catalog/market-greeks                 Catalog.marketGreeks
catalog_market_open_interest            /catalog/market-openinterest           Catalog.marketOpeninterest
catalog_market_liquidations             /catalog/market-liquidations           Catalog.marketLiquidations
catalog_full_assets                     /catalog-all/assets                    CatalogAll.assets
catalog_full_asset_alerts               /catalog-all/asset-alerts              CatalogAll.assetAlerts
catalog_full_asset_chains               /catalog-all/asset-chains              CatalogAll.assetChains
catalog_full_mempool_feerates           /catalog-all/mempool-feerates          CatalogAll.mempoolFeerates
catalog_full_mining_pool_tips_summaries /catalog-all/mining-pool-tips-summary  CatalogAll.miningPoolTipsSummary
catalog_full_transaction_tracker_assets /catalog-all/transaction-tracker       CatalogAll.transactionTracker
catalog_full_asset_pairs                /catalog-all/pairs                     CatalogAll.pairs
catalog_full_asset_metrics              /catalog-all/asset-metrics             CatalogAll.assetMetrics
catalog_full_exchange_metrics           /catalog-all/exchange-metrics          CatalogAll.exchangeMetrics
catalog_full_exchange_asset_metrics     /catalog-all/exchange-asset-metrics    CatalogAll.exchangeAssetMetrics
catalog_full_pair_metrics               /catalog-all/pair-metrics              CatalogAll.pairMetrics
catalog_full_institution_metrics        /catalog-all/institution-metrics       CatalogAll.institutionMetrics
catalog_full_asset_pair_candles         /catalog-all/pair-candles              CatalogAll.pairCandles
catalog_full_exchanges                  /catalog-all/exchanges                 CatalogAll.exchanges
catalog_full_exchange_assets            /catalog-all/exchange-assets           CatalogAll.exchangeAssets
catalog_full_indexes                    /catalog-all/indexes                   CatalogAll.indexes
catalog_full_index_candles              /catalog-all/index-candles             CatalogAll.indexCandles
catalog_full_institutions               /catalog-all/institutions              CatalogAll.institutions
catalog_full_markets                    /catalog-all/markets                   CatalogAll.markets
catalog_full_market_trades              /catalog-all/market-trades             CatalogAll.marketTrades
catalog_full_metrics                    /catalog-all/metrics                   CatalogAll.metrics
catalog_full_market_metrics             /catalog-all/market-metrics            CatalogAll.marketMetrics
catalog_full_market_candles             /catalog-all/market-candles            CatalogAll.marketCandles
catalog_full_market_orderbooks          /catalog-all/market-orderbooks         CatalogAll.marketOrderbooks
catalog_full_market_quotes              /catalog-all/market-quotes             CatalogAll.marketQuotes
catalog_full_market_funding_rates       /catalog-all/market-funding-rates      CatalogAll.marketFundingRates
catalog_full_market_contract_prices     /catalog-all/market-contract-prices    CatalogAll.marketContractPrices
catalog_full_market_implied_volatility  /catalog-all/market-implied-volatility CatalogAll.marketImpliedVolatility
catalog_full_market_greeks              /catalog-all/market-greeks             CatalogAll.marketGreeks
catalog_full_market_open_interest       /catalog-all/market-openinterest       CatalogAll.marketOpeninterest
catalog_full_market_liquidations        /catalog-all/market-liquidations       CatalogAll.marketLiquidations
`
  )
]

/** All methods. */
export const methods: ReadonlyArray<Method> = groups.flatMap((one) => one.methods)

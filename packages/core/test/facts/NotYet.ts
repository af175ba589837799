/** Operations that no endpoint reads yet. A test fails at one that has its endpoint: take it out with the commit that adds it. */
export const notYet: Readonly<Record<string, ReadonlyArray<string>>> = {
  "reference-data": ["/reference-data/exchange-pair-metrics"],

  "constituent-snapshots": ["/constituent-snapshots/asset-metrics"],

  "constituent-timeframes": ["/constituent-timeframes/asset-metrics"],

  "catalog-v2": [
    "/catalog-v2/asset-metrics",
    "/catalog-v2/exchange-metrics",
    "/catalog-v2/exchange-asset-metrics",
    "/catalog-v2/exchange-pair-metrics",
    "/catalog-v2/pair-metrics",
    "/catalog-v2/institution-metrics",
    "/catalog-v2/market-trades",
    "/catalog-v2/market-candles",
    "/catalog-v2/market-orderbooks",
    "/catalog-v2/market-quotes",
    "/catalog-v2/market-funding-rates",
    "/catalog-v2/market-funding-rates-predicted",
    "/catalog-v2/market-contract-prices",
    "/catalog-v2/market-implied-volatility",
    "/catalog-v2/market-greeks",
    "/catalog-v2/market-openinterest",
    "/catalog-v2/market-liquidations",
    "/catalog-v2/market-metrics",
    "/catalog-v2/pair-candles",
    "/catalog-v2/index-levels",
    "/catalog-v2/index-candles",
    "/catalog-v2/asset-chains",
    "/catalog-v2/mempool-feerates",
    "/catalog-v2/mining-pool-tips-summary",
    "/catalog-v2/transaction-tracker",
    "/catalog-v2/blockchain-v2/accounts",
    "/catalog-v2/blockchain-v2/balance-updates",
    "/catalog-v2/blockchain-v2/rebasing-changes",
    "/catalog-v2/blockchain-v2/blocks",
    "/catalog-v2/blockchain-v2/transactions",
    "/catalog-v2/protocol-metrics"
  ],

  "catalog-all-v2": [
    "/catalog-all-v2/blockchain-v2/accounts",
    "/catalog-all-v2/blockchain-v2/balance-updates",
    "/catalog-all-v2/blockchain-v2/rebasing-changes",
    "/catalog-all-v2/blockchain-v2/blocks",
    "/catalog-all-v2/protocol-metrics",
    "/catalog-all-v2/blockchain-v2/transactions",
    "/catalog-all-v2/asset-metrics",
    "/catalog-all-v2/exchange-metrics",
    "/catalog-all-v2/exchange-asset-metrics",
    "/catalog-all-v2/exchange-pair-metrics",
    "/catalog-all-v2/pair-metrics",
    "/catalog-all-v2/institution-metrics",
    "/catalog-all-v2/market-trades",
    "/catalog-all-v2/market-candles",
    "/catalog-all-v2/market-orderbooks",
    "/catalog-all-v2/market-quotes",
    "/catalog-all-v2/market-funding-rates",
    "/catalog-all-v2/market-funding-rates-predicted",
    "/catalog-all-v2/market-contract-prices",
    "/catalog-all-v2/market-implied-volatility",
    "/catalog-all-v2/market-greeks",
    "/catalog-all-v2/market-openinterest",
    "/catalog-all-v2/market-liquidations",
    "/catalog-all-v2/market-metrics",
    "/catalog-all-v2/pair-candles",
    "/catalog-all-v2/index-levels",
    "/catalog-all-v2/index-candles",
    "/catalog-all-v2/asset-chains",
    "/catalog-all-v2/mempool-feerates",
    "/catalog-all-v2/mining-pool-tips-summary",
    "/catalog-all-v2/transaction-tracker"
  ],

  timeseries: [
    "/timeseries/pair-candles",
    "/timeseries/protocol-metrics",
    "/timeseries/market-openinterest",
    "/timeseries/market-liquidations",
    "/timeseries/market-funding-rates",
    "/timeseries/market-funding-rates-predicted",
    "/timeseries/market-orderbooks",
    "/timeseries/market-quotes",
    "/timeseries/market-contract-prices",
    "/timeseries/market-implied-volatility",
    "/timeseries/market-greeks",
    "/timeseries/index-candles",
    "/timeseries/index-levels",
    "/timeseries/index-constituents",
    "/timeseries/mining-pool-tips-summary",
    "/timeseries/asset-chains",
    "/timeseries/mempool-feerates",
    "/timeseries/asset-alerts",
    "/timeseries/defi-balance-sheets"
  ],

  "timeseries-stream": [
    "/timeseries-stream/asset-metrics",
    "/timeseries-stream/market-trades",
    "/timeseries-stream/market-liquidations",
    "/timeseries-stream/market-openinterest",
    "/timeseries-stream/market-contract-prices",
    "/timeseries-stream/market-orderbooks",
    "/timeseries-stream/market-quotes",
    "/timeseries-stream/asset-quotes",
    "/timeseries-stream/pair-quotes",
    "/timeseries-stream/market-candles",
    "/timeseries-stream/index-levels"
  ],

  blockchain: ["/blockchain/{asset}/transaction-tracker"],

  "blockchain-metadata": [
    "/blockchain-metadata/locations",
    "/blockchain-metadata/owners",
    "/blockchain-metadata/tags",
    "/blockchain-metadata/tagged-entities"
  ],

  "blockchain-v2": [
    "/blockchain-v2/{asset}/blocks",
    "/blockchain-v2/{asset}/accounts",
    "/blockchain-v2/{asset}/sub-accounts",
    "/blockchain-v2/{asset}/transactions",
    "/blockchain-v2/{asset}/balance-updates",
    "/blockchain-v2/{asset}/rebasing-changes",
    "/blockchain-v2/{asset}/accounts/{account}/balance-updates",
    "/blockchain-v2/{asset}/blocks/{block_hash}",
    "/blockchain-v2/{asset}/transactions/{txid}",
    "/blockchain-v2/{asset}/blocks/{block_hash}/transactions/{txid}"
  ],

  "blockchain-job": [
    "/blockchain-job/account-balances",
    "/blockchain-job/balance-updates",
    "/blockchain-job/transactions"
  ],

  "security-master": ["/security-master/assets", "/security-master/markets"],

  jobs: ["/jobs"]
}

/** Operations that no endpoint reads yet. A test fails at one that has its endpoint: take it out with the commit that adds it. */
export const notYet: Readonly<Record<string, ReadonlyArray<string>>> = {
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

  "blockchain-job": [
    "/blockchain-job/account-balances",
    "/blockchain-job/balance-updates",
    "/blockchain-job/transactions"
  ],

  jobs: ["/jobs"]
}

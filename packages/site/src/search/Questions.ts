/** What a new user looks for, with the pages that answer it. One of these must be among the first three. */

/** Words, and titles of pages. */
export const questions: ReadonlyArray<readonly [query: string, ...titles: ReadonlyArray<string>]> = [
  ["429", "Quotas"],
  ["order book", "Live streams"],
  ["resume download", "Downloads"],
  ["rate limit", "Quotas"],
  ["parquet", "Downloads"],
  ["api key", "Safety of the key", "Settings"],
  ["backfill", "Many processes, many machines"],
  ["live trades", "Live streams", "Live.marketTrades"],
  ["candles", "Timeseries.marketCandles"],
  ["retry", "Errors"],
  ["csv", "Downloads"],
  ["proxy", "Proxies and companies"],
  ["postgres", "Databases"],
  ["time zone", "Numbers and times"],
  ["pandas", "Moving from the official Python client"],
  ["python", "Moving from the official Python client"],
  ["offline", "Testing your program"],
  ["look-ahead", "Datasets"],
  ["progress", "Downloads"],
  ["mcp", "The command sluice"],
  ["quota of several processes", "Many processes, many machines", "Quotas"]
]

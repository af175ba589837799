/** Examples for help, with the parameters of the endpoint. A test runs each of them against the stand-in service. */
import type { Entry, JobEntry, LiveEntry } from "@sluice/core/Endpoints"
import * as Parameter from "@sluice/core/Parameter"

export interface Example {
  readonly command: string
  readonly description?: string
}

export const overall: ReadonlyArray<Example> = [
  { command: "sluice endpoints metrics" },
  { command: "sluice get asset-metrics --assets btc --metrics PriceUSD --limit-per-asset 5" },
  { command: "sluice download asset-metrics --assets btc,eth --metrics PriceUSD -o prices" }
]

export const schema: ReadonlyArray<Example> = [
  { command: "sluice schema timeseries/asset-metrics --metrics PriceUSD --as postgres --table prices" },
  { command: "sluice schema timeseries/market-trades --as duckdb" },
  { command: "sluice schema timeseries-stream/market-trades", description: "of a live stream" },
  { command: "sluice schema reference-data/markets", description: "JSON Schema" }
]

/** What a required parameter may be. */
const samples: Readonly<Record<string, string>> = {
  alerts: "block_count_empty_6b_hi",
  asset: "btc",
  assets: "btc,eth",
  defi_protocols: "aave_v3_eth",
  exchange_assets: "coinbase-btc",
  exchange_pairs: "coinbase-btc-usd",
  exchanges: "coinbase",
  frequency: "1d",
  indexes: "CMBIBTC",
  institutions: "grayscale",
  markets: "coinbase-btc-usd-spot",
  metric: "ReferenceRateUSD",
  metrics: "PriceUSD",
  pairs: "btc-usd"
}

/** Entities of a type that has records, where the usual ones have none. */
const typedSamples = { future: "'binance-BTC*-future'", option: "'deribit-BTC-*-option'" }

const traded = { metrics: "volume_reported_spot_usd_1d" }

/** The same for the endpoints that have no data for those. */
const others: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "/blockchain-v2/{asset}/rebasing-changes": { asset: "eth" },
  "/timeseries/exchange-asset-metrics": traded,
  "/timeseries/exchange-metrics": traded,
  "/timeseries/exchange-pair-metrics": traded,
  "/timeseries/institution-metrics": { metrics: "btc_net_asset_value" },
  "/timeseries/market-metrics": { metrics: "volume_reported_usd_1d" },
  "/timeseries/mempool-feerates": { assets: "btc" },
  "/timeseries/mining-pool-tips-summary": { assets: "btc" },
  "/timeseries/pair-metrics": traded,
  "/timeseries-stream/asset-metrics": { metrics: "ReferenceRateUSD --frequency 1s" },
  "/timeseries-stream/market-contract-prices": { markets: typedSamples.option },
  "/timeseries-stream/market-liquidations": { markets: typedSamples.future },
  "/timeseries-stream/market-openinterest": { markets: typedSamples.future }
}

type Described = Pick<Entry["endpoint"] | LiveEntry["endpoint"], "path" | "parameters">

/** What a parameter may be. */
const sampleOf = ({ parameters, path }: Described, name: string) => {
  const type = parameters.get(name)?.marketType
  return others[path]?.[name] ?? (type === undefined ? samples[name] : typedSamples[type])
}

/** What is named, with the parameters that are flags. */
interface Named<E extends Entry | LiveEntry> {
  readonly entry: E
  readonly parameters: Parameter.Parameters
}

/** A command with what is required. A name in angle brackets stands for what only the service knows, such as a hash. */
const typed = (command: string, { entry: { endpoint }, parameters }: Named<Entry | LiveEntry>) => {
  const required = [...parameters].flatMap(([name, { isRequired }]) =>
    isRequired ? [`--${name} ${sampleOf(endpoint, name) ?? `<${name}>`}`] : []
  )
  return ["sluice", command, endpoint.path.slice(1), ...required].join(" ")
}

/** Something that an endpoint has data of, such as an asset. */
export const entity = (endpoint: Described): string => {
  const name = Parameter.find(endpoint.parameters, "Entities")?.name ?? ""
  return (sampleOf(endpoint, name) ?? `<${name.replace(/s$/, "")}>`).split(",")[0] ?? ""
}

export const get = (named: Named<Entry> | undefined): ReadonlyArray<Example> => {
  if (named === undefined) {
    const prices = "sluice get timeseries/asset-metrics --assets btc,eth --metrics PriceUSD"
    return [
      { command: `${prices} --limit-per-asset 5`, description: "the newest five of each asset" },
      { command: `${prices} --output prices.csv`, description: "a file for a spreadsheet" },
      { command: "sluice get reference-data/assets | head -3", description: "requests only the first page" }
    ]
  }
  const start = typed("get", named)
  return [
    { command: `${start} --limit 10`, description: "the first ten records" },
    { command: `${start} --output ${named.entry.endpoint.path.split("/").at(-1)}.parquet` }
  ]
}

export const plot = (named: Named<Entry> | undefined): ReadonlyArray<Example> => {
  if (named !== undefined) return [{ command: `${typed("plot", named)} --limit 100` }]
  return [
    { command: "sluice plot timeseries/asset-metrics --assets btc,eth --metrics PriceUSD --log" },
    { command: "sluice plot prices.csv --field PriceUSD --output prices.svg" },
    { command: "sluice plot dataset", description: "the times that a dataset has, with holes" }
  ]
}

export const startJob = (entry: JobEntry | undefined): ReadonlyArray<Example> => {
  if (entry === undefined) return Object.keys(jobSamples).map(startOf)
  return [startOf(entry.endpoint.path.replace(/^.*\//, ""))]
}

const startOf = (kind: string): Example => ({
  command: `sluice jobs start ${kind} ${jobSamples[kind] ?? "--assets btc"}`
})

const jobSamples: Readonly<Record<string, string>> = {
  "account-balances": "--assets btc --accounts bc1qa --at_height 800000",
  "balance-updates": "--assets btc --accounts bc1qa --start_height 700000 --end_height 700004",
  transactions: "--assets btc --txids 4a5e1e4b"
}

export const tail = (named: Named<LiveEntry> | undefined): ReadonlyArray<Example> => {
  if (named === undefined) {
    const trades = "sluice tail timeseries-stream/market-trades --markets coinbase-btc-usd-spot"
    return [
      { command: `${trades} --limit 1`, description: "the last trade" },
      { command: `${trades} --for 10s`, description: "the trades of ten seconds" },
      { command: `${trades} --since -1h --output trades.csv`, description: "the last hour first, then live" },
      { command: `${trades} --format messages`, description: "with what happens to the connection, for programs" }
    ]
  }
  const start = typed("tail", named)
  return [
    { command: `${start} --limit 1`, description: "the first record" },
    ...(named.entry.endpoint.history === undefined
      ? []
      : [{ command: `${start} --since -1h`, description: "the last hour first, then live" }])
  ]
}

export const download = (named: Named<Entry> | undefined): ReadonlyArray<Example> => {
  const { entry, parameters = new Map() } = named ?? {}
  const isSeries = entry === undefined || entry.endpoint.order === "series"
  const start =
    named === undefined
      ? "sluice download timeseries/asset-metrics --assets btc,eth --metrics PriceUSD"
      : typed("download", named)
  const list = entry === undefined ? "assets" : entry.endpoint.splits.find((name) => parameters.get(name)?.isRequired)
  const split = list === undefined ? "" : ` --split ${list}`
  const files = { command: `${start}${split} --output files`, description: "NDJSON, one line a record" }
  if (!isSeries) return [files]
  const bound = (tag: "Start" | "End", usual: string) => Parameter.find(parameters, tag, "time")?.name ?? usual
  const range = `--${bound("Start", "start_time")} 2024-01-01 --${bound("End", "end_time")} 2024-06-30`
  return [
    files,
    {
      command: `${start} ${range}${split} --every 1month --format parquet --output files`,
      description: "a month in each file"
    },
    { command: `${start}${split} --output files --resume`, description: "continues after a stop" }
  ]
}

export const plan = (named: Named<Entry> | undefined): ReadonlyArray<Example> => {
  const [first] = download(named)
  if (first === undefined) return []
  const command = first.command.replace("sluice download", "sluice plan").replace(" --output files", "")
  return [{ command }, { command: `${command} --max-requests 1000`, description: "fails where it would take more" }]
}

export const backfill = (named: Named<Entry> | undefined): ReadonlyArray<Example> => {
  const [first] = download(named)
  return first === undefined ? [] : [{ ...first, command: first.command.replace("sluice download", "sluice backfill") }]
}

/** Of the word after `backfill`. */
export const ofBackfill = (action: string): ReadonlyArray<Example> =>
  action === "status"
    ? [{ command: "sluice backfill status", description: "all of the cluster in SLUICE_CLUSTER" }]
    : [{ command: `sluice backfill ${action} 5f3a`, description: "the backfill whose id begins so" }]

export const status: ReadonlyArray<Example> = [
  { command: "sluice status dataset" },
  { command: "sluice status --all datasets.toml", description: "each dataset of a file" }
]

export const verify: ReadonlyArray<Example> = [
  { command: "sluice verify dataset" },
  { command: "sluice verify dataset --catalog", description: "and compare its times with those the service lists" },
  { command: "sluice verify market.duckdb --table prices", description: "a table of a DuckDB file" }
]

export const compact: ReadonlyArray<Example> = [
  { command: "sluice compact dataset --period year" },
  { command: "sluice compact dataset", description: "files of a period become one where they have room" }
]

export const coverage: ReadonlyArray<Example> = [
  { command: "sluice coverage dataset" },
  { command: "sluice coverage dataset btc --start_time -30d --format csv", description: "of one entity" }
]

export const revisions: ReadonlyArray<Example> = [
  { command: "sluice revisions dataset --start_time -30d" },
  { command: "sluice revisions dataset btc --metrics PriceUSD --format csv", description: "of one entity and metric" }
]

export const audit: ReadonlyArray<Example> = [
  { command: "sluice audit dataset --from -30d" },
  { command: "sluice audit dataset --ask --json", description: "and ask the service about holes; an event a line" },
  { command: "sluice audit dataset --acknowledge 2fe3e95c1b29", description: "a finding that is known" }
]

export const sync = (named: Named<Entry> | undefined): ReadonlyArray<Example> => {
  const start =
    named === undefined
      ? "sluice sync timeseries/asset-metrics --assets btc,eth --metrics PriceUSD"
      : typed("sync", named)
  return [
    { command: `${start} --output dataset`, description: "Parquet, a folder for each entity and year" },
    { command: "sluice sync --output dataset", description: "every further run: what is new or revised" },
    { command: "sluice sync --output dataset --check", description: "what that would request" },
    ...(named === undefined
      ? [{ command: "sluice sync --all datasets.toml", description: "all datasets of a file" }]
      : [])
  ]
}

/**
 * Examples for help, with the parameters of the endpoint. A test runs each of them against the stand-in service.
 */
import type { Entry } from "@sluice/core/Endpoints"
import * as Parameter from "@sluice/core/Parameter"

/** A command and its purpose. */
export interface Example {
  readonly command: string
  readonly description?: string
}

/** Of the program. */
export const overall: ReadonlyArray<Example> = [
  { command: "sluice endpoints metrics" },
  { command: "sluice get timeseries/asset-metrics --assets btc --metrics PriceUSD --limit 10" },
  { command: "sluice download timeseries/asset-metrics --assets btc,eth --metrics PriceUSD --split assets --to prices" }
]

const samples: Readonly<Record<string, string>> = { assets: "btc,eth", metrics: "PriceUSD" }

const required = (parameters: Parameter.Parameters) =>
  [...parameters].flatMap(([name, { isRequired }]) => (isRequired ? [`--${name} ${samples[name] ?? "…"}`] : []))

const typed = (command: string, { endpoint }: Entry, parameters: Parameter.Parameters) =>
  ["sluice", command, endpoint.path.slice(1), ...required(parameters)].join(" ")

/** Of `get`. */
export const get = (entry: Entry | undefined, parameters: Parameter.Parameters = new Map()): ReadonlyArray<Example> => {
  if (entry === undefined) {
    const prices = "sluice get timeseries/asset-metrics --assets btc,eth --metrics PriceUSD"
    return [
      { command: `${prices} --limit 10`, description: "the first ten records" },
      { command: `${prices} --format csv > prices.csv`, description: "a file for a spreadsheet" },
      { command: "sluice get reference-data/assets | head -3", description: "requests only the first page" }
    ]
  }
  const start = typed("get", entry, parameters)
  return [
    { command: `${start} --limit 10`, description: "the first ten records" },
    { command: `${start} --format csv > ${entry.endpoint.path.split("/").at(-1)}.csv` }
  ]
}

/** Of `download`. */
export const download = (
  entry: Entry | undefined,
  parameters: Parameter.Parameters = new Map()
): ReadonlyArray<Example> => {
  const isSeries = entry === undefined || entry.endpoint.order === "series"
  const start =
    entry === undefined
      ? "sluice download timeseries/asset-metrics --assets btc,eth --metrics PriceUSD"
      : typed("download", entry, parameters)
  const list = entry === undefined ? "assets" : entry.endpoint.splits.find((name) => parameters.get(name)?.isRequired)
  const split = list === undefined ? "" : ` --split ${list}`
  const files = { command: `${start}${split} --to files`, description: "NDJSON, one line a record" }
  if (!isSeries) return [files]
  const bound = (tag: "Start" | "End", usual: string) => Parameter.find(parameters, tag, "time")?.name ?? usual
  const range = `--${bound("Start", "start_time")} 2024-01-01 --${bound("End", "end_time")} 2024-06-30`
  return [
    files,
    {
      command: `${start} ${range}${split} --every 30d --as parquet --to files`,
      description: "thirty days in each file"
    },
    { command: `${start}${split} --to files --resume`, description: "continues after a stop" }
  ]
}

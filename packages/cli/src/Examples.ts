/**
 * Examples for help, made to fit the endpoint it is asked for. Each of them runs against the stand-in service.
 */
import type { Entry } from "@sluice/core/Endpoints"
import type { Shape } from "./Parameters.ts"

/** A command with what it is for. */
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

const required = (shapes: ReadonlyMap<string, Shape>) =>
  [...shapes].flatMap(([name, { isRequired }]) => (isRequired ? [`--${name} ${samples[name] ?? "…"}`] : []))

const typed = (command: string, { endpoint }: Entry, shapes: ReadonlyMap<string, Shape>) =>
  ["sluice", command, endpoint.path.slice(1), ...required(shapes)].join(" ")

/** Of `get`. */
export const get = (
  entry: Entry | undefined,
  shapes: ReadonlyMap<string, Shape> = new Map()
): ReadonlyArray<Example> => {
  if (entry === undefined) {
    const prices = "sluice get timeseries/asset-metrics --assets btc,eth --metrics PriceUSD"
    return [
      { command: `${prices} --limit 10`, description: "a look at the first ten records" },
      { command: `${prices} --format csv > prices.csv`, description: "a file for a spreadsheet" },
      { command: "sluice get reference-data/assets | head -3", description: "asks for no more than is read" }
    ]
  }
  const start = typed("get", entry, shapes)
  return [
    { command: `${start} --limit 10`, description: "a look at the first ten records" },
    { command: `${start} --format csv > ${entry.endpoint.path.split("/").at(-1)}.csv` }
  ]
}

/** Of `download`. */
export const download = (
  entry: Entry | undefined,
  shapes: ReadonlyMap<string, Shape> = new Map()
): ReadonlyArray<Example> => {
  const isSeries = entry === undefined || entry.endpoint.order === "series"
  const start =
    entry === undefined
      ? "sluice download timeseries/asset-metrics --assets btc,eth --metrics PriceUSD"
      : typed("download", entry, shapes)
  const list = entry === undefined ? "assets" : entry.endpoint.splits.find((name) => shapes.get(name)?.isRequired)
  const split = list === undefined ? "" : ` --split ${list}`
  const files = { command: `${start}${split} --to files`, description: "NDJSON, one line a record" }
  if (!isSeries) return [files]
  return [
    files,
    {
      command: `${start} --start_time 2024-01-01 --end_time 2024-06-30${split} --every 30d --as parquet --to files`,
      description: "thirty days in each file"
    },
    { command: `${start}${split} --to files --resume`, description: "goes on where it was stopped" }
  ]
}

/** `sluice types`: TypeScript types of the assets and asset metrics that the key may read. */
import * as Client from "@sluice/core/Client"
import * as Discover from "@sluice/core/Discover"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Suggestions from "../../endpoints/Suggestions.ts"
import * as Connection from "../../settings/Connection.ts"
import * as OutputFile from "../../terminal/OutputFile.ts"
import { Screen } from "../../terminal/Screen.ts"
import * as Style from "../../terminal/Style.ts"
import type { TypesInput } from "../flags/Flags.ts"

const series = { path: "/timeseries/asset-metrics" }

/** Writes the types; to standard output, or to a file that has them only when it is complete. */
export const run = Effect.fnUntraced(function* (input: TypesInput) {
  const named = input.assets.flatMap((text) => text.split(",").map((asset) => asset.trim()))
  const assets = named.length === 0 ? undefined : named
  const asked = Effect.all([Discover.available(series, assets), Discover.names(series, "metrics"), Client.Client], {
    concurrency: 2
  })
  const [all, metrics, { account }] = yield* asked.pipe(
    Suggestions.onRefused({ assets }),
    Effect.provide(Connection.layerDiscover)
  )
  // A name that holds the key, or what no terminal should be sent, is none that a program asks for.
  const isSafe = (name: string | undefined) => name === undefined || account.scrub(name) === name
  const safe = all.filter(({ entity, frequency, metric }) => [entity, frequency, metric].every(isSafe))
  const names = metrics.map(({ full_name, name }) => [name, full_name && account.scrub(full_name)] as const)
  const text = render(safe, new Map(names))
  const { write } = yield* Screen
  const file = OutputFile.of(input.output)
  yield* file === undefined ? write(Stream.make(text)) : OutputFile.write(file, Stream.make(text))
})

/** What stands at the top: nothing of the key, and nothing that changes although what it may read does not. */
const head = `// Written by \`sluice types\`: what the key may read. Write it again when that changes.
//
//   import type { Readable } from "./metrics.js"
//   Timeseries.assetMetrics({ assets: ["btc"], metrics: ["PriceUSD"], start_time: "2024-01-01" } satisfies Readable)
import type { Timeseries } from "@sluice/core"
`

const foot = `/** Name of an asset metric. */
export type AssetMetric = keyof AssetMetrics

/** A frequency that one of these metrics has. */
export type Frequency = AssetMetrics[AssetMetric]

/** Parameters of \`Timeseries.assetMetrics\` that name only these assets, metrics and frequencies; all others are as they were. */
export interface Readable extends Omit<Timeseries.AssetMetricsParams, "assets" | "metrics" | "frequency"> {
  readonly assets: ReadonlyArray<Asset>
  readonly metrics: ReadonlyArray<AssetMetric>
  readonly frequency?: Frequency | undefined
}
`

const render = (all: ReadonlyArray<Discover.Available>, names: ReadonlyMap<string, string | undefined>) => {
  const assets = [...new Set(all.map(({ entity }) => entity))].toSorted()
  const frequencies = new Map<string, Set<string>>()
  for (const { frequency, metric } of all) {
    if (metric === undefined || frequency === undefined) continue
    frequencies.set(metric, (frequencies.get(metric) ?? new Set()).add(frequency))
  }
  const members = [...frequencies]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([metric, all]) => {
      const name = names.get(metric)
      const about = name === undefined ? [] : [`  /** ${comment(name)} */`]
      return [...about, `  readonly ${JSON.stringify(metric)}: ${[...all].toSorted().map(literal).join(" | ")}`]
    })
  return [
    head,
    "/** Ticker of an asset. */",
    `export type Asset =${assets.length === 0 ? " never" : `\n${union(assets)}`}`,
    "",
    "/** Each asset metric with its frequencies. */",
    "export interface AssetMetrics {",
    ...members,
    "}",
    "",
    foot
  ].join("\n")
}

const literal = (text: string) => JSON.stringify(text)

/** Several on a line, as many as fit. */
const union = (words: ReadonlyArray<string>) =>
  Style.wrap(words.map((word) => `|${literal(word)}`).join(" "), 100)
    .map((line) => `  ${line.replaceAll(/(^| )\|/g, "$1| ")}`)
    .join("\n")

/** Text of the service inside a comment, which it cannot end. */
const comment = (text: string) => text.replaceAll("*/", "*\\/")

import * as Plot from "@observablehq/plot"
import { Columns, Timeseries } from "@sluice/core"
import { Effect } from "effect"
import { clientOver } from "./overFetch.ts"

/** The price of an asset on a day, minute by minute, drawn by Observable Plot into a document: that of a page, or of `linkedom`.
 * The declarations of Plot compile with `skipLibCheck`. */
export const priceChart = (asset: string, day: string, document: Document) =>
  Effect.map(
    Columns.collect(Timeseries.assetMetrics, {
      assets: asset,
      metrics: ["ReferenceRateUSD"],
      frequency: "1m",
      start_time: day,
      end_time: day
    }),
    ({ columns }) => {
      const times = Array.from(columns.time.values, (time) => new Date(Number(time / 1_000_000n)))
      // NaN, which stands for null, is a gap in the line.
      const line = Plot.lineY(columns.ReferenceRateUSD.values, { x: times, stroke: "steelblue" })
      return Plot.plot({
        document,
        width: 800,
        height: 300,
        y: { grid: true, label: `${asset} in USD` },
        marks: [line]
      })
    }
  )

/** Draws it into the element "chart" of a page. For its script: `await main("https://prices.example/v4")`. */
export const main = (root: string, apiKey?: string) =>
  priceChart("btc", "2026-10-01", document).pipe(
    Effect.map((chart) => document.getElementById("chart")?.append(chart)),
    Effect.provide(clientOver(root, apiKey)),
    Effect.runPromise
  )

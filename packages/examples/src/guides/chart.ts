import { Columns, Timeseries } from "@sluice/core"
import { Effect } from "effect"
import { clientOver } from "./overFetch.ts"

/** A line through numbers at equal distances, as SVG. NaN is a gap. */
export const lineOf = (values: Float64Array, width = 800, height = 200) => {
  const known = values.filter((value) => !Number.isNaN(value))
  const [low, high] = known.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [
    Infinity,
    -Infinity
  ] as readonly [number, number])
  let path = ""
  for (const [at, value] of values.entries()) {
    if (Number.isNaN(value)) continue
    const x = (at / Math.max(1, values.length - 1)) * width
    const y = height - ((value - low) / (high - low || 1)) * height
    path += `${at === 0 || Number.isNaN(values[at - 1]) ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}"><path d="${path}" fill="none" stroke="currentColor"/></svg>`
}

/** The price of an asset on a day, minute by minute, as SVG. */
export const priceChart = (asset: string, day: string) =>
  Effect.map(
    Columns.collect(Timeseries.assetMetrics, {
      assets: asset,
      metrics: ["ReferenceRateUSD"],
      frequency: "1m",
      start_time: day,
      end_time: day
    }),
    ({ columns }) => lineOf(columns.ReferenceRateUSD.values)
  )

/** Draws it into the element "chart" of a page. For its script: `await main("https://prices.example/v4")`. */
export const main = (root: string, apiKey?: string) =>
  priceChart("btc", "2026-10-01").pipe(
    Effect.tap((svg) => Effect.sync(() => document.getElementById("chart")?.insertAdjacentHTML("beforeend", svg))),
    Effect.provide(clientOver(root, apiKey)),
    Effect.runPromise
  )

import { Timeseries } from "@sluice/core"
import { Effect, Stream } from "effect"
import { clientOver, newest } from "./overFetch.ts"

/** Shows the newest price of an asset, and how many minutes there are of a day, in the elements of a page. */
export const show = (root: string, apiKey?: string) =>
  Effect.gen(function* () {
    const minutes = Timeseries.assetMetrics({
      assets: ["btc"],
      metrics: ["ReferenceRateUSD"],
      frequency: "1m",
      start_time: "2026-10-01",
      end_time: "2026-10-01",
      format: "json_stream"
    })
    const found = { price: yield* newest("btc"), minutes: yield* Stream.runCount(minutes) }
    for (const [id, value] of Object.entries(found)) document.getElementById(id)?.replaceChildren(String(value))
    return found
  }).pipe(Effect.provide(clientOver(root, apiKey)))

/** For the script of the page: `await main("https://prices.example/v4")`. */
export const main = (root: string, apiKey?: string) => Effect.runPromise(show(root, apiKey))

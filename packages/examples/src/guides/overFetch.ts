import { Client, Timeseries } from "@sluice/core"
import { Effect, Layer, Redacted, Stream } from "effect"
import { FetchHttpClient } from "effect/http"

/** A client for browsers and workers: whatever has `fetch`. Give it the root of a server of your own that adds the key. */
export const clientOver = (root: string, apiKey?: string) =>
  Client.layer({ root, ...(apiKey === undefined ? {} : { apiKey: Redacted.make(apiKey) }) }).pipe(
    Layer.provide(FetchHttpClient.layer)
  )

/** The newest price of an asset. */
export const newest = (asset: string) =>
  Timeseries.assetMetrics({ assets: [asset], metrics: ["PriceUSD"], limit_per_asset: 1 }).pipe(
    Stream.runHead,
    Effect.map((found) => (found._tag === "Some" ? found.value.PriceUSD : undefined))
  )

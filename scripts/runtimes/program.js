// Reads the service at the root given, each way that a runtime may have. Prints one line for each: its name and what came.
import { Client, Timeseries } from "@sluice/core"
import { Sluice } from "@sluice/promise"
import { Effect, Layer, Redacted, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const root = process.argv[2]
const apiKey = "demo-key"
const params = { assets: ["btc", "eth"], metrics: ["PriceUSD"], start_time: "2024-01-01", end_time: "2024-03-31" }
const lines = { ...params, format: "json_stream" }

const over = Client.layer({ root, apiKey: Redacted.make(apiKey) }).pipe(Layer.provide(FetchHttpClient.layer))
const counted = (stream) => Effect.runPromise(Stream.runCount(stream).pipe(Effect.provide(over)))

const withClient = async (options, use) => {
  const sluice = await Sluice.open({ root, apiKey, ...options })
  try {
    return await use(sluice)
  } finally {
    await sluice.close()
  }
}

const loop = async (sluice) => {
  for await (const record of sluice.timeseries.assetMetrics(lines)) return record.asset
}

const download = async (sluice) => {
  const to = mkdtempSync(join(tmpdir(), "sluice-runtime-"))
  const { records } = await sluice.timeseries.assetMetrics(params).download({ to, format: { as: "parquet" } })
  rmSync(to, { recursive: true })
  return records
}

const ways = {
  "pages over fetch": () => counted(Timeseries.assetMetrics({ ...params, page_size: 50 })),
  "json_stream over fetch": () => counted(Timeseries.assetMetrics(lines, { checkEnd: true })),
  "loop over fetch": () => withClient({ http: FetchHttpClient.layer }, loop),
  "download over fetch": () => withClient({ http: FetchHttpClient.layer }, download),
  "loop over undici": () => withClient({}, loop),
  "download over undici": () => withClient({}, download)
}
for (const [way, run] of Object.entries(ways)) {
  process.stdout.write(`${way}: ${await run().catch((error) => error.message)}\n`)
}
process.exit(0)

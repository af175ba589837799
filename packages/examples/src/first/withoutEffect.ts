import { Sluice } from "@sluice/promise"

// The key is that of SLUICE_API_KEY, the service that of SLUICE_BASE_URL, or { apiKey, root }.
const sluice = await Sluice.open()
const days = sluice.timeseries.assetMetrics({ assets: ["btc"], metrics: ["PriceUSD"], start_time: "2026-10-01" })
for await (const { time, PriceUSD } of days) console.log(time, PriceUSD) // or: await days.toArray()
console.log(await days.download({ to: "daily", format: { as: "csv" } }))
await sluice.close()

import { RateLimited, Sluice } from "@sluice/promise"

/** The highest daily price of each asset since a day, and the day it had it. */
export const highest = async (sluice: Sluice, since: Date) => {
  const highs = new Map<string, { price: number; day: string }>()
  const prices = sluice.timeseries.assetMetrics({ assets: ["btc", "eth"], metrics: ["PriceUSD"], start_time: since })
  for await (const { asset, time, PriceUSD } of prices) {
    // Decimals and times are text, with all their digits. The columns are those that were asked for, and may be null.
    const price = Number(PriceUSD ?? 0)
    if (price > (highs.get(asset)?.price ?? 0)) highs.set(asset, { price, day: time.slice(0, 10) })
  }
  return highs
}

if (import.meta.main) {
  // The key comes from SLUICE_API_KEY, or is given: Sluice.open({ apiKey }).
  const sluice = await Sluice.open()
  try {
    console.log(await highest(sluice, new Date("2026-01-01")))
  } catch (error) {
    if (!(error instanceof RateLimited)) throw error
    console.error(`Others use the same key: ${error.message}`)
  } finally {
    await sluice.close()
  }
}

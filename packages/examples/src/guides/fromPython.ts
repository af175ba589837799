import { Forbidden, RateLimited, Sluice } from "@sluice/promise"

const january = { assets: ["btc", "eth"], metrics: ["PriceUSD"], start_time: "2026-01-01", end_time: "2026-01-31" }

/** The mean price of each asset: a loop over all pages, as over a DataCollection. */
export const means = async (sluice: Sluice) => {
  const sums = new Map<string, { total: number; days: number }>()
  for await (const { asset, PriceUSD } of sluice.timeseries.assetMetrics(january)) {
    const { total, days } = sums.get(asset) ?? { total: 0, days: 0 }
    sums.set(asset, { total: total + Number(PriceUSD ?? 0), days: days + 1 })
  }
  return new Map([...sums].map(([asset, { total, days }]) => [asset, total / days]))
}

/** The same rows as a Parquet file of each asset, in place of parallel().export_to_csv_files(). */
export const files = (sluice: Sluice, folder: string) =>
  sluice.timeseries.assetMetrics(january).download({ to: folder, format: { as: "parquet" }, split: { by: "assets" } })

if (import.meta.main) {
  const sluice = await Sluice.open()
  try {
    console.log(await means(sluice))
    console.log(await files(sluice, "out/january"))
  } catch (error) {
    if (error instanceof Forbidden) console.error(`not in the licence: ${error.message}`)
    else if (error instanceof RateLimited) console.error(`others use the key: ${error.message}`)
    else throw error
  } finally {
    await sluice.close()
  }
}

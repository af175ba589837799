import { Timeseries } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import { Sluice } from "@sluice/promise"

/** Brings the daily closes of two assets up to date, and gives what is held of each. */
export const closes = async (sluice: Sluice, folder: string) => {
  const sync = Dataset.sync({
    endpoint: Timeseries.assetMetrics,
    params: { assets: ["btc", "eth"], metrics: ["PriceUSD"], frequency: "1d", start_time: "2026-01-01" },
    to: folder
  })
  for await (const event of sluice.read(sync)) {
    if (event._tag === "Finished") console.log(`${event.changes} changes`)
  }
  const status = await sluice.run(Dataset.status(folder))
  return status?.entities ?? []
}

if (import.meta.main) {
  const sluice = await Sluice.open({ log: ({ level, message }) => console.error(level, message) })
  try {
    console.table(await closes(sluice, "out/closes"))
  } finally {
    await sluice.close()
  }
}

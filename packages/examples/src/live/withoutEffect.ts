import { Live } from "@sluice/core"
import { Sluice } from "@sluice/promise"

/** The first trades of a market since a moment: those that HTTP has, then those to come. */
export const trades = async (sluice: Sluice, since: string, count: number) => {
  const seen: Array<string> = []
  for await (const message of sluice.read(Live.marketTrades({ markets: "coinbase-btc-usd-spot" }, { since }))) {
    if (message._tag === "Gap") console.error(`${message.entity}: trades may be missing up to ${message.to}`)
    if (message._tag === "Data" && seen.push(`${message.record.time} ${message.record.price}`) === count) break
  }
  return seen
}

if (import.meta.main) {
  const sluice = await Sluice.open()
  try {
    console.log(await trades(sluice, "2026-10-31T23:00:00Z", 3))
  } finally {
    await sluice.close()
  }
}

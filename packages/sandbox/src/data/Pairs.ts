/** The pairs of the stand-in (docs/interface.md 3.5). */
import * as Assets from "./Assets.ts"
import * as Remembered from "./Remembered.ts"

const quotes: ReadonlyArray<readonly [ticker: string, name: string]> = [
  ["btc", "Bitcoin"],
  ["eth", "Ethereum"],
  ["eur", "Euro"],
  ["usd", "US Dollar"],
  ["usdc", "USD Coin"],
  ["usdt", "Tether"]
]

export const all = Assets.all
  .flatMap((asset) =>
    quotes
      .filter(([quote]) => quote !== asset.asset)
      .map(([quote, name]) => ({ pair: `${asset.asset}-${quote}`, full_name: `${asset.fullName}-${name}` }))
  )
  .sort((a, b) => (a.pair < b.pair ? -1 : 1))

export const find = Remembered.finder(all, ({ pair }) => pair)

export type Pair = (typeof all)[number]

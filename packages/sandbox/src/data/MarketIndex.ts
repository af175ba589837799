/**
 * Markets that have been traded, by exchange and by asset.
 */
import * as Availability from "./Availability.ts"
import * as Markets from "./Markets.ts"
import type { Market } from "./Markets.ts"
import { once } from "./Remembered.ts"

const index = (keysOf: (market: Market) => ReadonlyArray<string>) =>
  once(() => {
    const found = new Map<string, Array<Market>>()
    for (const market of Markets.all()) {
      if (Availability.life(market) === undefined) continue
      for (const key of new Set(keysOf(market))) {
        const markets = found.get(key)
        if (markets === undefined) found.set(key, [market])
        else markets.push(market)
      }
    }
    return found
  })

export const assetsOf = (market: Market): ReadonlyArray<string> =>
  [market.base, market.quote, market.size_asset, market.margin_asset].filter((asset) => asset !== undefined)

const byExchange = index((market) => [market.exchange])
const byAsset = index(assetsOf)

export const ofExchange = (exchange: string): ReadonlyArray<Market> => byExchange().get(exchange) ?? []

export const ofAsset = (asset: string): ReadonlyArray<Market> => byAsset().get(asset) ?? []

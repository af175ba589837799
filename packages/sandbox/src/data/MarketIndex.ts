/** Markets that have been traded, by exchange and by asset. */
import * as Availability from "./Availability.ts"
import * as Markets from "./Markets.ts"
import { once } from "./Remembered.ts"

const index = (keysOf: (market: Markets.Market) => ReadonlyArray<string>) => {
  const byKey = once(() => {
    const traded = Markets.all().filter((market) => Availability.life(market) !== undefined)
    const keyed = traded.flatMap((market) => [...new Set(keysOf(market))].map((key) => ({ key, market })))
    return Map.groupBy(keyed, ({ key }) => key)
  })
  return (key: string): ReadonlyArray<Markets.Market> =>
    byKey()
      .get(key)
      ?.map(({ market }) => market) ?? []
}

export const assetsOf = (market: Markets.Market): ReadonlyArray<string> =>
  [market.base, market.quote, market.size_asset, market.margin_asset].filter((asset) => asset !== undefined)

export const ofExchange = index((market) => [market.exchange])
export const ofAsset = index(assetsOf)

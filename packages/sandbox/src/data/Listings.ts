/**
 * The assets and the markets that are listed at an instant, under the names they have then.
 */
import type { View } from "../internal/history/History.ts"
import * as Listed from "../internal/history/Listed.ts"
import * as Assets from "./Assets.ts"
import * as Markets from "./Markets.ts"

export interface Listing<A> {
  readonly all: () => ReadonlyArray<A>
  readonly find: (name: string) => A | undefined
}

/** Largest assets, of which nothing changes. */
const stable = 60

const changeOf = (view: View, asset: Assets.Asset): Listed.Change | undefined =>
  asset.rank < stable ? undefined : Listed.change(view, "asset", asset.asset)

const former = (asset: Assets.Asset): Assets.Asset => ({ ...asset, asset: Listed.formerly(asset.asset) })

const shown = (view: View, asset: Assets.Asset): Assets.Asset | undefined => {
  const change = changeOf(view, asset)
  if (change?.what === "renamed") return view.now < change.at ? former(asset) : asset
  return change === undefined || Listed.isShown(view, "asset", asset.asset) ? asset : undefined
}

const findAsset = (view: View, name: string): Assets.Asset | undefined => {
  const asset = Assets.find(name)
  const found = asset === undefined ? undefined : shown(view, asset)
  // Of its own names it has only the one of the time; those of the provider stay.
  if (found !== undefined) return name === asset?.asset && found.asset !== name ? undefined : found
  const renamed = name.endsWith("old") ? Assets.find(name.slice(0, -3)) : undefined
  const change = renamed === undefined ? undefined : changeOf(view, renamed)
  if (renamed === undefined || change?.what !== "renamed") return undefined
  if (view.now < change.at) return former(renamed)
  return view.renamed === "alias" ? renamed : undefined
}

const every: Listing<Assets.Asset> = { all: () => Assets.all, find: Assets.find }

/** The assets at an instant; all of them where nothing changes. */
export const assets = (view: View | undefined): Listing<Assets.Asset> =>
  view === undefined
    ? every
    : {
        all: () =>
          Assets.all
            .flatMap((asset) => shown(view, asset) ?? [])
            .sort((a, b) => (a.asset < b.asset ? -1 : a.asset > b.asset ? 1 : 0)),
        find: (name) => findAsset(view, name)
      }

const isStable = ({ base, quote, type }: Markets.Market): boolean =>
  type === "spot" && (base === "btc" || base === "eth") && quote !== undefined

const isListed = (view: View, market: Markets.Market): boolean =>
  isStable(market) || Listed.isShown(view, "market", market.market)

const everyMarket: Listing<Markets.Market> = { all: Markets.all, find: Markets.find }

/** The markets at an instant; all of them where nothing changes. */
export const markets = (view: View | undefined): Listing<Markets.Market> =>
  view === undefined
    ? everyMarket
    : {
        all: () => Markets.all().filter((market) => isListed(view, market)),
        find: (name) => {
          const market = Markets.find(name)
          return market !== undefined && isListed(view, market) ? market : undefined
        }
      }

/** When the data of an entity of a series begins that does not have its whole past. */
export const begins = (view: View, series: string, name: string): number | undefined => {
  if (series.startsWith("/timeseries/market-")) {
    const market = Markets.find(name)
    return market === undefined || isStable(market) ? undefined : Listed.begins(view, "market", name)
  }
  const asset = series.startsWith("/timeseries/asset-") ? findAsset(view, name) : undefined
  return asset === undefined ? undefined : changeOf(view, asset)?.from
}

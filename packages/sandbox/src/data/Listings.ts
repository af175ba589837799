/**
 * The assets and the markets that are listed at an instant, under the names they have then: the service begins to list some, renames
 * or drops others while time passes.
 *
 * Half of those that are new have their whole past with them, the others begin a day before they are listed. What programs
 * are likely to name in tests stays as it is: the largest assets, and markets between them.
 */
import { DAY, HOUR } from "../internal/time/Calendar.ts"
import { type History, keyOf, type View } from "../internal/history/History.ts"
import { below } from "../internal/random/Noise.ts"
import * as Assets from "./Assets.ts"
import * as Markets from "./Markets.ts"

type Kind = "asset" | "market"

export interface Change {
  readonly what: "added" | "renamed" | "dropped"
  /** When, in milliseconds since 1970. */
  readonly at: number
  /** When its data begins, where it does not have its whole past. */
  readonly from: number | undefined
}

/** One name in so many is added, renamed or dropped. */
const rarity: Readonly<Record<Kind, number>> = { asset: 12, market: 24 }

/** What happens to a name in the two months after the history begins; nothing to most. */
export const change = (self: History, kind: Kind, name: string): Change | undefined => {
  const key = keyOf(self, `${kind} ${name}`)
  if (below(key, 1, rarity[kind]) !== 0) return undefined
  const at = self.since + below(key, 2, 60) * DAY + below(key, 3, 24) * HOUR
  const drawn = below(key, 4, 8)
  // Names of markets tell what they are of, and are never changed.
  if (drawn === 0) return { what: "dropped", at, from: undefined }
  if (drawn < 3 && kind === "asset") return { what: "renamed", at, from: undefined }
  return { what: "added", at, from: drawn % 2 === 0 ? at - DAY : undefined }
}

/** The name that an asset had before it was renamed. */
export const formerly = (name: string): string => `${name}old`

const isShown = (view: View, kind: Kind, name: string): boolean => {
  const found = change(view, kind, name)
  if (found === undefined || found.what === "renamed") return true
  return found.what === "added" ? view.now >= found.at : view.now < found.at
}

export interface Listing<A> {
  readonly all: () => ReadonlyArray<A>
  readonly find: (name: string) => A | undefined
}

/** Largest assets, of which nothing changes. */
const stable = 60

const changeOf = (view: View, asset: Assets.Asset): Change | undefined =>
  asset.rank < stable ? undefined : change(view, "asset", asset.asset)

const former = (asset: Assets.Asset): Assets.Asset => ({ ...asset, asset: formerly(asset.asset) })

const shown = (view: View, asset: Assets.Asset): Assets.Asset | undefined => {
  const own = changeOf(view, asset)
  if (own?.what === "renamed") return view.now < own.at ? former(asset) : asset
  return own === undefined || isShown(view, "asset", asset.asset) ? asset : undefined
}

const findAsset = (view: View, name: string): Assets.Asset | undefined => {
  const asset = Assets.find(name)
  const found = asset === undefined ? undefined : shown(view, asset)
  // Of its own names it has only the one of the time; those of the provider stay.
  if (found !== undefined) return name === asset?.asset && found.asset !== name ? undefined : found
  const renamed = name.endsWith("old") ? Assets.find(name.slice(0, -3)) : undefined
  const own = renamed === undefined ? undefined : changeOf(view, renamed)
  if (renamed === undefined || own?.what !== "renamed") return undefined
  if (view.now < own.at) return former(renamed)
  return view.renamed === "alias" ? renamed : undefined
}

const every: Listing<Assets.Asset> = { all: () => Assets.all, find: Assets.find }

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
  isStable(market) || isShown(view, "market", market.market)

const everyMarket: Listing<Markets.Market> = { all: Markets.all, find: Markets.find }

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
    return market === undefined || isStable(market) ? undefined : change(view, "market", name)?.from
  }
  const asset = series.startsWith("/timeseries/asset-") ? findAsset(view, name) : undefined
  return asset === undefined ? undefined : changeOf(view, asset)?.from
}

/** Blocks: heights, times and hashes of the chains that have a series at frequency 1b (docs/interface.md 4.6.2). */
import type { Asset } from "./Assets.ts"
import { TODAY } from "../internal/time/Calendar.ts"
import { below, hex, mix } from "../internal/random/Noise.ts"
import * as Span from "./Span.ts"

const intervals: Readonly<Record<string, number>> = {
  btc: 600_000,
  bch: 600_000,
  bsv: 600_000,
  ltc: 150_000,
  doge: 60_000,
  eth: 12_500,
  etc: 13_200,
  zec: 75_000,
  dash: 157_000,
  xmr: 120_000
}

const intervalOf = (asset: Asset): number => intervals[asset.asset] ?? 10_000

/** Tells whether an asset has blocks of its own; a token has those of its chain, which are not modelled. */
export const has = (asset: Asset): boolean => asset.kind === "work" || asset.kind === "chain"

export const last = (asset: Asset): number => Math.floor((TODAY - asset.start) / intervalOf(asset)) - 1

/** Tells when a block was made; times rise with height, though not evenly. */
export const timeAt = (asset: Asset, height: number): number => {
  const interval = intervalOf(asset)
  return asset.start + height * interval + (height === 0 ? 0 : below(asset.seed, height, interval - 1))
}

export const from = (asset: Asset, ms: number): number => {
  const height = Math.max(0, Math.floor((ms - asset.start) / intervalOf(asset)))
  return timeAt(asset, height) >= ms ? height : height + 1
}

// The first eight digits hide the height, so that a hash leads back to its block without a search.
export const hash = (asset: Asset, height: number): string =>
  height < 0
    ? "0".repeat(64)
    : `${"0".repeat(8)}${((height ^ mix(asset.seed, 77)) >>> 0).toString(16).padStart(8, "0")}${hex(asset.seed, height, 48)}`

/** The times, the heights and the hashes of the first and the last of some blocks, as the catalogs write them. */
export const ends = (asset: Asset, first: number, last: number) => ({
  ...Span.times({ from: timeAt(asset, first), to: timeAt(asset, last) }),
  min_height: String(first),
  max_height: String(last),
  min_hash: hash(asset, first),
  max_hash: hash(asset, last)
})

export const heightOf = (asset: Asset, text: string): number | undefined => {
  const height = (Number.parseInt(text.slice(8, 16), 16) ^ mix(asset.seed, 77)) >>> 0
  return height <= last(asset) && hash(asset, height) === text.toLowerCase() ? height : undefined
}

/** Tells how many confirmations a block needs to be served when the caller does not say (docs/interface.md 4.6.2). */
export const confirmations = (asset: Asset): number => (asset.kind === "work" && asset.asset !== "etc" ? 2 : 99)

/** The indexes of the stand-in (docs/interface.md 3.5). */
import * as Assets from "./Assets.ts"
import { at, DAY, TODAY } from "../internal/time/Calendar.ts"
import { below, seed } from "../internal/random/Noise.ts"
import * as Frequency from "./Frequency.ts"
import * as Remembered from "./Remembered.ts"
import type { Span } from "./Span.ts"

/** One index; `description` and `type` are optional on the wire. */
export interface Index {
  readonly index: string
  readonly full_name: string
  readonly description?: string
  readonly type?: string
}

const baskets: ReadonlyArray<Index> = [
  ["CMBI10", "CMBI 10", "The ten largest assets, weighted by free float market capitalisation.", "multi_asset"],
  ["CMBI10E", "CMBI 10 Even", "The ten largest assets, in even weights.", "multi_asset"],
  ["CMBI10EX", "CMBI 10 Excluding Bitcoin", "The ten largest assets – bitcoin left out.", "multi_asset"],
  ["CMBIBE", "CMBI Bitcoin & Ethereum", "Bitcoin and ether, weighted by market capitalisation.", "multi_asset"],
  ["CMBIDEFI", "CMBI DeFi", "Tokens of decentralised finance.", "sector"],
  ["CMBIHASH", "CMBI Bitcoin Hash Rate", "Hash rate of the Bitcoin network.", "mining"],
  ["CMBIWORK", "CMBI Bitcoin Observed Work", "Work observed on the Bitcoin network.", "mining"]
].map(([index = "", full_name = "", description = "", type = ""]) => ({ index, full_name, description, type }))

const single = Assets.all
  .filter((asset) => asset.rank < 90)
  .flatMap((asset): ReadonlyArray<Index> => {
    const ticker = asset.asset.toUpperCase()
    return [
      {
        index: `CMBI${ticker}`,
        full_name: `CMBI ${asset.fullName}`,
        description: `The price return of holding ${asset.fullName}.`,
        type: "single_asset"
      },
      // Total return indexes are younger, and their records leave out what is optional.
      { index: `CMBI${ticker}T`, full_name: `CMBI ${asset.fullName} Total Return` }
    ]
  })

export const all: ReadonlyArray<Index> = [
  ...new Map([...baskets, ...single].map((index) => [index.index, index])).values()
].sort((a, b) => (a.index < b.index ? -1 : 1))

export const find = Remembered.finder(all, ({ index }) => index)

export const assetOf = ({ index, type }: Index): Assets.Asset | undefined => {
  const ticker = index.slice("CMBI".length).toLowerCase()
  return type === "single_asset"
    ? Assets.find(ticker)
    : type === undefined
      ? Assets.find(ticker.slice(0, -1))
      : undefined
}

// Of an index of tokens, which are younger than the chains.
const sectorSince = at("2021-01-01")

export const spanOf = (index: Index): Span => {
  const begun = at("2014-01-01") + below(seed(index.index), 1, 1800) * DAY
  const since = index.type === "sector" ? sectorSince : (assetOf(index)?.listed ?? 0)
  return { from: Math.max(since, begun), to: TODAY }
}

const slow = ["1h", "1d", "1d-ny-close"]
const fast = ["15s", ...slow, "1d-sg-close"]

/** The frequencies of an index; a total return is fixed by the day, and those of the largest assets by the second too. */
export const frequenciesOf = (index: Index): ReadonlyArray<string> => {
  if (index.type === undefined) return slow
  return (assetOf(index)?.rank ?? 2) < 2 ? ["1s", ...fast] : fast
}

/** Whether an index has levels at a frequency; an index of every hour has days that begin at any of them. */
export const hasLevels = (index: Index, frequency: string): boolean =>
  frequenciesOf(index).includes(Frequency.isFromHour(frequency) ? "1h" : frequency)

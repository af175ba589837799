/**
 * The four token transaction metrics, counted by the rules of docs/interface.md 3.9 from modelled transactions, so that
 * the counts agree with each other by construction.
 */
import { at, DAY } from "../internal/time/Calendar.ts"
import { below, seed, unit } from "../internal/random/Noise.ts"
import * as Remembered from "./Remembered.ts"

/** The standard of the contract that emitted an event. */
export type Standard = "ERC-20" | "ERC-721" | "ERC-1155"

/** One event of a transaction; `distinct` tells whether sender and recipient are different addresses. */
export interface TokenEvent {
  readonly standard: Standard
  readonly kind: "Transfer" | "Approval" | "Other"
  readonly distinct: boolean
}

/** Transactions that look alike: the events each of them emitted, and how many there were. */
export interface Shape {
  readonly events: ReadonlyArray<TokenEvent>
  readonly times: number
}

/** The counts of one interval, by MetricID. */
export interface Counts {
  readonly TxTknCnt: number
  readonly TxERC20Cnt: number
  readonly TxERC721Cnt: number
  readonly TxERC1155Cnt: number
}

/** The MetricID of a token transaction metric. */
export type TokenMetric = keyof Counts

// Rules 1 to 4 all start here: nothing but Transfer and Approval is activity.
const isActivity = (event: TokenEvent): boolean => event.kind !== "Other"

// Rule 4 adds that a transfer of an ERC-721 to its own sender does not count.
const is721 = (event: TokenEvent): boolean =>
  event.standard === "ERC-721" && isActivity(event) && (event.kind === "Approval" || event.distinct)

const is20 = (event: TokenEvent): boolean => event.standard === "ERC-20" && isActivity(event)

const is1155 = (event: TokenEvent): boolean =>
  event.standard === "ERC-1155" && event.kind === "Transfer" && event.distinct

/**
 * Counts transactions by the rules of docs/interface.md 3.9.
 *
 * **Details**
 *
 * TxTknCnt, TxERC20Cnt and TxERC721Cnt count a transaction once, whatever its number of events; TxERC1155Cnt counts
 * transfers. TxTknCnt includes ERC-1155 activity: the definition in rule 2 is followed, and the remark beside it, which
 * leaves ERC-1155 out, is not.
 */
export const tally = (shapes: ReadonlyArray<Shape>): Counts => {
  const counts = { TxTknCnt: 0, TxERC20Cnt: 0, TxERC721Cnt: 0, TxERC1155Cnt: 0 }
  for (const { events, times } of shapes) {
    if (events.some(isActivity)) counts.TxTknCnt += times
    if (events.some(is20)) counts.TxERC20Cnt += times
    if (events.some(is721)) counts.TxERC721Cnt += times
    counts.TxERC1155Cnt += times * events.filter(is1155).length
  }
  return counts
}

const assets: Readonly<Record<TokenMetric, ReadonlyArray<string>>> = {
  TxTknCnt: ["eth", "etc", "sol"],
  TxERC20Cnt: ["eth", "etc"],
  TxERC721Cnt: ["eth", "etc"],
  TxERC1155Cnt: ["eth"]
}

/** Tells whether a token metric exists for an asset (the table of docs/interface.md 3.9). */
export const supports = (metric: TokenMetric, asset: string): boolean => assets[metric].includes(asset)

const first: Readonly<Record<TokenMetric, number>> = {
  TxTknCnt: at("2015-08-07"),
  TxERC20Cnt: at("2015-08-07"),
  TxERC721Cnt: at("2017-11-23"),
  TxERC1155Cnt: at("2019-06-17")
}

/** The first day of a token metric's series. */
export const since = (metric: TokenMetric): number => first[metric]

const busiest: Readonly<Record<string, number>> = { eth: 30_000, etc: 900, sol: 250_000 }

const event = (standard: Standard, kind: TokenEvent["kind"], distinct: boolean): TokenEvent => ({
  standard,
  kind,
  distinct
})

// On Solana the token programs are modelled as ERC-20 and ERC-721, for want of words for them in the interface.
const standardsOf = (asset: string, day: number): ReadonlyArray<Standard> => [
  "ERC-20",
  "ERC-20",
  "ERC-20",
  ...(day >= first.TxERC721Cnt ? (["ERC-721"] as const) : []),
  ...(day >= first.TxERC1155Cnt && asset === "eth" ? (["ERC-1155"] as const) : [])
]

/** Models a day of one chain: a few dozen shapes of transactions, each with its number of occurrences. */
export const day = (asset: string, ms: number): ReadonlyArray<Shape> => {
  const start = Math.floor(ms / DAY) * DAY
  const key = seed(`${asset} tokens`) + start / DAY
  const standards = standardsOf(asset, start)
  const growth = Math.min(1, Math.max(0.0005, (start - at("2015-08-07")) / (2600 * DAY)))
  const most = (busiest[asset] ?? 0) * growth * growth
  return Array.from({ length: 36 }, (_, n) => {
    const size = 1 + below(key, n * 11, 5)
    const events = Array.from({ length: size }, (_, m) => {
      const draw = unit(key, n * 11 + m + 1)
      const standard = standards[Math.floor(unit(key, n * 11 + m + 6) * standards.length)] ?? "ERC-20"
      return event(standard, draw < 0.72 ? "Transfer" : draw < 0.94 ? "Approval" : "Other", draw < 0.65 || draw > 0.75)
    })
    return { events, times: below(key, n + 997, Math.ceil(most) + 1) }
  })
}

// The four metrics of a row share one tally.
const countsOf = Remembered.make(
  4_096,
  (asset: string, ms: number) => `${asset} ${Math.floor(ms / DAY)}`,
  (asset, ms): Counts => tally(day(asset, ms))
)

/** Counts one metric of one chain on the day that starts at an instant. */
export const count = (metric: TokenMetric, asset: string, ms: number): number => countsOf(asset, ms)[metric]

/**
 * What is followed of single chains: forks, fee rates, mining pools, transactions and alerts (docs/interface.md 4.5).
 */
import * as Assets from "./Assets.ts"
import * as Blocks from "./Blocks.ts"
import { at, MINUTE, TODAY } from "../internal/time/Calendar.ts"
import { below, seed } from "../internal/random/Noise.ts"
import type { Span } from "./Span.ts"

export interface Followed {
  readonly asset: string
  readonly span: Span
}

const followed = (name: string, assets: string, since: string): ReadonlyArray<Followed> =>
  assets.split(" ").map((asset) => {
    const key = seed(`${name} ${asset}`)
    const from = at(since) + below(key, 1, 90 * 1440) * MINUTE
    return { asset, span: { from, to: TODAY - below(key, 2, 10) * MINUTE } }
  })

/** Blocks as they arrive, forks among them. */
export const chains: ReadonlyArray<Followed> = followed("chains", "btc eth", "2021-04-01")
/** Fee rates of what waits for a block. */
export const feerates: ReadonlyArray<Followed> = followed("feerates", "btc", "2020-10-01")
export const tips: ReadonlyArray<Followed> = followed("tips", "bch btc ltc", "2021-01-01")
export const transactions: ReadonlyArray<Followed> = followed("transactions", "btc eth", "2020-12-01")

// A chain is read from its first block to its last.
const chain = (assets: string): ReadonlyArray<Followed> =>
  assets.split(" ").flatMap((name) => {
    const asset = Assets.find(name)
    if (asset === undefined) return []
    const span = { from: Blocks.timeAt(asset, 0), to: Blocks.timeAt(asset, Blocks.last(asset)) }
    return [{ asset: name, span }]
  })

/** The chains that `/blockchain-v2` has, by what can be read of each. */
export const blockchain: Readonly<Record<string, ReadonlyArray<Followed>>> = {
  accounts: chain("bch btc eth ltc"),
  "balance-updates": chain("bch btc eth ltc"),
  "rebasing-changes": chain("eth"),
  blocks: chain("bch btc eth ltc"),
  transactions: chain("bch btc eth ltc")
}

type Condition = ReturnType<typeof condition>

export interface Alert {
  readonly asset: string
  readonly name: string
  readonly conditions: ReadonlyArray<Condition>
}

const condition = (description: string, threshold: string | undefined, ...constituents: ReadonlyArray<string>) => ({
  description,
  threshold,
  constituents
})

const byName: ReadonlyArray<readonly [name: string, assets: string, ...conditions: ReadonlyArray<Condition>]> = [
  [
    "block_count_by_same_miner_6b_hi",
    "bch btc ltc",
    condition("Four of the last six blocks or more come from one miner.", "4", "block_count_by_same_miner_6b")
  ],
  [
    "block_count_empty_6b_hi",
    "bch btc eth ltc",
    condition("Three of the last six blocks or more hold no transaction.", "3", "block_count_empty_6b")
  ],
  [
    "mempool_feerate_mean_hi",
    "btc",
    condition("The mean fee rate is beyond 200 satoshi per byte …", "200", "mempool_feerate_mean"),
    condition("… while 50 blocks or more wait to be filled.", "50", "mempool_size", "block_size_limit")
  ],
  [
    "time_since_last_block_hi",
    "bch btc eth ltc",
    // A condition may compare two figures with each other, and then has no threshold.
    condition(
      "The wait for a block is longer than all but one wait in ten thousand.",
      undefined,
      "time_since_last_block",
      "block_interval_expected"
    )
  ]
]

export const alerts: ReadonlyArray<Alert> = byName
  .flatMap(([name, assets, ...conditions]) => assets.split(" ").map((asset) => ({ asset, name, conditions })))
  .sort((a, b) => (a.asset === b.asset ? (a.name < b.name ? -1 : 1) : a.asset < b.asset ? -1 : 1))

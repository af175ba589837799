/**
 * The ends of a chain at an instant, where it forks at times.
 *
 * The stale rivals of `Ledger` were made within seconds of the blocks that the chain kept. One that came first was followed
 * until the block itself had a successor: the chain was reorganised then. Where it leaves several blocks at once, they came when those
 * did that it kept, and were followed until these had a successor.
 */
import type { Asset } from "../Assets.ts"
import * as Blocks from "../Blocks.ts"
import { SECOND } from "../../internal/time/Calendar.ts"
import { below } from "../../internal/random/Noise.ts"
import * as Ledger from "./Ledger.ts"

export type Block = ReturnType<typeof blockAt>

export const blockAt = (asset: Asset, height: number) => ({
  height,
  hash: Blocks.hash(asset, height),
  ms: Blocks.timeAt(asset, height)
})

/** The block of a height that the chain did not keep, where there was one. */
export const rivalOf = (asset: Asset, height: number): Block | undefined => {
  if (!Ledger.isForked(height)) return undefined
  const ms = Blocks.timeAt(asset, height) + (below(asset.seed + 96, height, 9) - 4) * SECOND
  const earliest = Blocks.timeAt(asset, height - 1) + SECOND
  return { height, hash: Ledger.hashOf(asset, { height, isStale: true }), ms: Math.max(ms, earliest) }
}

/** A block that was followed until the chain left it. */
export interface Left extends Block {
  /** The height at which that was. */
  readonly until: number
}

/** Where chains leave several blocks at once, a fork begins every so many heights. */
const every = 20

/** The block that was followed first at a height, of a chain that leaves so many at once at most. */
export const leftAt = (asset: Asset, height: number, most: number): Left | undefined => {
  if (most <= 1) {
    const rival = rivalOf(asset, height)
    return rival !== undefined && rival.ms < Blocks.timeAt(asset, height) ? { ...rival, until: height + 1 } : undefined
  }
  const base = height - (height % every)
  const until = base + 1 + below(asset.seed + 97, base, Math.min(most, every - 1))
  if (height >= until) return undefined
  return { height, hash: Ledger.hashOf(asset, { height, isStale: true }), ms: Blocks.timeAt(asset, height), until }
}

export const heightAt = (asset: Asset, ms: number): number => Blocks.from(asset, ms + 1) - 1

/** The blocks that nothing is built on yet, the one that the chain keeps first where it is there. */
export const tipsAt = (asset: Asset, ms: number): readonly [Block, ...Array<Block>] => {
  const height = heightAt(asset, ms)
  const early = rivalOf(asset, height + 1)
  if (early !== undefined && early.ms <= ms) return [early]
  const rival = rivalOf(asset, height)
  return [blockAt(asset, height), ...(rival !== undefined && rival.ms <= ms ? [rival] : [])]
}

/** Whether a block that was followed has been replaced after one instant and until another. */
export const isReorganised = (asset: Asset, after: number, until: number): boolean => {
  for (let height = heightAt(asset, until); Blocks.timeAt(asset, height) > after; height--) {
    if (leftAt(asset, height - 1, 1) !== undefined) return true
  }
  return false
}

/**
 * The blocks of a chain as a live stream tells of them: `new_block`, and `reorg` where another block was followed first
 * (docs/interface.md 6.3).
 *
 * **Details**
 *
 * A block that the chain did not keep is followed where it came before the one that was kept, until that one has a
 * successor. Then a `reorg` names the block that is gone, and the two blocks that replace it come as `new_block`.
 */
import type { Asset } from "../../data/Assets.ts"
import * as Blocks from "../../data/Blocks.ts"
import { nanos } from "../time/Calendar.ts"
import * as Forks from "../../data/chain/Forks.ts"
import type * as Rows from "../../data/Rows.ts"
import * as Feed from "./Feed.ts"

const written = (row: string): string =>
  row
    .replace('"block_hash":', '"hash":')
    .replace('"parent_block_hash":', '"parent_hash":')
    .replace(/("time":"[^"]*")/, '$1,"type":"new_block"')

/** Writes that a block is no longer on the chain. */
export const reorg = (asset: string, time: string, height: number | string, hash: string, parent: string): string =>
  `{"asset":"${asset}","time":"${time}","type":"reorg","height":"${height}","hash":"${hash}","parent_hash":"${parent}"}`

/** The blocks of an asset as events, one for each height. */
export const make = (
  asset: Asset,
  rows: Rows.Rows,
  split: (record: string, at: number) => ReadonlyArray<string>
): Feed.Feed => {
  // The block that was followed first, where it is not the one that was kept.
  const early = (height: number): Forks.Block | undefined => {
    const rival = Forks.rivalOf(asset, height)
    return rival !== undefined && rival.ms < Blocks.timeAt(asset, height) ? rival : undefined
  }
  const at = (height: number): number => early(height)?.ms ?? Blocks.timeAt(asset, height)
  const record = (height: number): string => written(rows.row(height))
  const newBlock = (height: number, ms: number) => split(record(height), ms)
  const rivalBlock = (rival: Forks.Block) =>
    record(rival.height)
      .replace(/"time":"[^"]*"/, `"time":"${nanos(rival.ms)}"`)
      .replace(/"hash":"[^"]*"/, `"hash":"${rival.hash}"`)
  const messages = (height: number): ReadonlyArray<string> => {
    const ms = at(height)
    const own = early(height)
    const blocks = own === undefined ? newBlock(height, ms) : split(rivalBlock(own), ms)
    const replaced = height === rows.bounds.first ? undefined : early(height - 1)
    if (replaced === undefined) return blocks
    const parent = Blocks.hash(asset, height - 2)
    const gone = reorg(asset.asset, nanos(ms), replaced.height, replaced.hash, parent)
    return [gone, ...newBlock(height - 1, ms), ...blocks]
  }
  return {
    entity: asset.asset,
    last: rows.bounds.last,
    isSequential: true,
    at,
    after: (ms) => {
      if (ms === Number.NEGATIVE_INFINITY) return rows.bounds.first
      const height = Blocks.from(asset, ms + 1)
      return Feed.clamp(rows.bounds, at(height) <= ms ? height + 1 : height)
    },
    event: (height, isFirst) => {
      const ms = at(height)
      const own = early(height)
      if (!isFirst) return { at: ms, messages: messages(height) }
      return { at: ms, messages: own === undefined ? newBlock(height, ms) : split(rivalBlock(own), ms) }
    },
    // A block that was not followed first is known with its successor.
    settled: (height) => ({
      at: early(height) === undefined ? Blocks.timeAt(asset, height) : at(height + 1),
      record: record(height)
    })
  }
}

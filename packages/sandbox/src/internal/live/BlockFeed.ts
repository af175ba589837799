/**
 * The blocks of a chain as a live stream tells of them: `new_block`, and `reorg` where another block was followed first
 * (docs/interface.md 6.3).
 *
 * A block that the chain did not keep is followed where it came before the one that was kept, until that one has a
 * successor. Then a `reorg` names the block that is gone, and the two blocks that replace it come as `new_block`. So it is where several
 * are left at once.
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

export const reorg = (asset: string, time: string, height: number | string, hash: string, parent: string): string =>
  `{"asset":"${asset}","time":"${time}","type":"reorg","height":"${height}","hash":"${hash}","parent_hash":"${parent}"}`

export const make = (
  asset: Asset,
  rows: Rows.Rows,
  split: (record: string, at: number) => ReadonlyArray<string>,
  forks = 1
): Feed.Feed => {
  // The block that was followed first, where it is not the one that was kept.
  const early = (height: number) => Forks.leftAt(asset, height, forks)
  const parentOf = ({ height, until }: Forks.Left) => {
    const before = early(height - 1)
    return before?.until === until ? before.hash : Blocks.hash(asset, height - 1)
  }
  const at = (height: number): number => early(height)?.ms ?? Blocks.timeAt(asset, height)
  const record = (height: number): string => written(rows.row(height))
  const newBlock = (height: number, ms: number) => split(record(height), ms)
  const rivalBlock = (rival: Forks.Left) =>
    record(rival.height)
      .replace(/"time":"[^"]*"/, `"time":"${nanos(rival.ms)}"`)
      .replace(/"hash":"[^"]*"/, `"hash":"${rival.hash}"`)
      .replace(/"parent_hash":"[^"]*"/, `"parent_hash":"${parentOf(rival)}"`)
  const messages = (height: number): ReadonlyArray<string> => {
    const ms = at(height)
    const own = early(height)
    const blocks = own === undefined ? newBlock(height, ms) : split(rivalBlock(own), ms)
    // Those that the chain leaves here, the highest first.
    const left: Array<Forks.Left> = []
    for (let below = height - 1; below >= rows.bounds.first; below--) {
      const one = early(below)
      if (one?.until !== height) break
      left.push(one)
    }
    const gone = left.map((one) => reorg(asset.asset, nanos(ms), one.height, one.hash, parentOf(one)))
    return [...gone, ...left.toReversed().flatMap((one) => newBlock(one.height, ms)), ...blocks]
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
    settled: (height) => {
      const left = early(height)
      return { at: left === undefined ? Blocks.timeAt(asset, height) : at(left.until), record: record(height) }
    }
  }
}

/**
 * The balance sheets of lending protocols, drawn from the table: one a day, of its first block. The vendor's own test reads all of a
 * protocol page by page, so there cannot be one of each block. All protocols are on the one chain of which blocks are modelled.
 */
import * as Assets from "../Assets.ts"
import * as Blocks from "../Blocks.ts"
import * as Drawn from "../Drawn.ts"
import { at, DAY, TODAY } from "../../internal/time/Calendar.ts"
import { seed } from "../../internal/random/Noise.ts"
import * as Protocols from "../Protocols.ts"
import * as Rows from "../Rows.ts"

const chain = Assets.find("eth")!
const since = at("2022-01-01")

export const all: ReadonlyArray<string> = [
  ...new Set(
    Protocols.all
      .filter(({ chains }) => chains.some((one) => one.chain === chain.asset))
      .map(({ protocol }) => `${protocol}_${chain.asset}`)
  )
].sort()

const heightOf = (day: number): number => Blocks.from(chain, since + day * DAY)
const timeOf = (day: number): number => Blocks.timeAt(chain, heightOf(day))
const dayOf = (ms: number): number => Math.max(0, Math.floor((ms - since) / DAY))

/** The first day whose block is not below a height. */
export const fromHeight = (height: number): number => {
  const day = dayOf(Blocks.timeAt(chain, Math.min(height, Blocks.last(chain) + 1)))
  return heightOf(day) < height ? day + 1 : day
}

const from = (ms: number): number => (timeOf(dayOf(ms)) < ms ? dayOf(ms) + 1 : dayOf(ms))

const draw = Drawn.recordsOf("/timeseries/defi-balance-sheets")

export const rows = (name: string): Rows.Rows => ({
  entity: name,
  bounds: { first: 0, last: dayOf(TODAY) - 1 },
  timeAt: (day) => ({ ms: timeOf(day), nanos: 0 }),
  from: Rows.atWholeMs(from),
  row: (day) =>
    JSON.stringify({ ...draw(seed(name), timeOf(day)), defi_protocol: name, block_height: String(heightOf(day)) })
})

/**
 * The balance sheets of lending protocols, one a day, of its first block. The vendor's own test reads all of a protocol page by
 * page, so there cannot be one of each block.
 *
 * **Details**
 *
 * A protocol owes what was lent to it, and has that in two parts: what it has lent on, and what is still locked in it.
 * All of them are on the one chain of which blocks are modelled.
 */
import * as Assets from "../Assets.ts"
import * as Blocks from "../Blocks.ts"
import { at, DAY, nanos, TODAY } from "../../internal/time/Calendar.ts"
import * as Prices from "../market/Prices.ts"
import { curve, seed } from "../../internal/random/Noise.ts"
import * as Protocols from "../Protocols.ts"
import * as Rows from "../Rows.ts"

/** A protocol on a chain, and the assets it lends. */
export interface Protocol {
  readonly name: string
  readonly assets: ReadonlyArray<string>
}

const chain = Assets.find("eth")!

const since = at("2022-01-01")

const onChain = Protocols.all.filter(({ chains }) => chains.some((one) => one.chain === chain.asset))

/** Every protocol, ordered by name. */
export const all: ReadonlyArray<Protocol> = [...new Set(onChain.map(({ protocol }) => protocol))]
  .map((protocol) => ({
    name: `${protocol}_${chain.asset}`,
    assets: onChain.flatMap((one) =>
      one.protocol === protocol ? one.chains.flatMap(({ asset, chain: name }) => (name === "eth" && asset) || []) : []
    )
  }))
  .sort((a, b) => (a.name < b.name ? -1 : 1))

interface Line {
  readonly asset: string
  readonly price: number
  readonly units: number
  readonly lent: number
}

const lineAt = (protocol: string, asset: string, ms: number): Line => {
  const key = seed(`${protocol} ${asset}`)
  const price = asset === "wsteth" ? 1.2 * Prices.inDollars("eth", ms) : Prices.inDollars(asset, ms)
  const units = ((1 + 9 * curve(key, ms / (30 * DAY))) * 1e7) / price
  return { asset, price, units, lent: units * (0.2 + 0.6 * curve(key + 1, ms / (7 * DAY))) }
}

const number = (value: number): string => value.toFixed(9)

const sum = (lines: ReadonlyArray<Line>, f: (line: Line) => number) => lines.reduce((total, line) => total + f(line), 0)

/** What of its assets a protocol owes; the rest is its own. */
const owed = 0.97

const sheet = (lines: ReadonlyArray<Line>): string => {
  const total = sum(lines, ({ price, units }) => price * units)
  const lent = sum(lines, (line) => line.price * line.lent)
  const locked = total - lent
  const debts = total * owed
  const liabilities = lines.map(
    ({ asset, price, units }) =>
      `{"asset":"${asset}","total_units":"${number(units * owed)}","total_usd":"${number(units * owed * price)}"` +
      `,"total_share":"${number((units * price) / total)}"}`
  )
  const assets = lines.map(({ asset, lent: own, price, units }) => {
    const rest = units - own
    return (
      `{"asset":"${asset}","total_units":"${number(units)}","total_usd":"${number(units * price)}"` +
      `,"total_share":"${number((units * price) / total)}","loans_lent_units":"${number(own)}"` +
      `,"tvl_units":"${number(rest)}","loans_lent_usd":"${number(own * price)}","tvl_usd":"${number(rest * price)}"` +
      `,"loans_lent_share":"${number((own * price) / lent)}","tvl_share":"${number((rest * price) / locked)}"}`
    )
  })
  return (
    `"assets_total_usd":"${number(total)}","liabilities_total_usd":"${number(debts)}"` +
    `,"loans_lent_total_usd":"${number(lent)}","tvl_total_usd":"${number(locked)}"` +
    `,"net_working_capital_usd":"${number(total - debts)}","assets_total_count":"${lines.length}"` +
    `,"liabilities_total_count":"${lines.length}","assets":[${assets.join(",")}],"liabilities":[${liabilities.join(",")}]` +
    `,"protocol_utilization_ratio":"${number(lent / total)}","liquid_supply_ratio":"${number(locked / total)}"` +
    `,"current_ratio":"${number(1 / owed)}","debt_to_assets_ratio":"${number(owed)}"`
  )
}

const heightOf = (day: number): number => Blocks.from(chain, since + day * DAY)

const dayOf = (ms: number): number => Math.max(0, Math.floor((ms - since) / DAY))

/** The first day whose block is not below a height. */
export const fromHeight = (height: number): number => {
  const day = dayOf(Blocks.timeAt(chain, Math.min(height, Blocks.last(chain) + 1)))
  return heightOf(day) < height ? day + 1 : day
}

const from = (ms: number): number => (Blocks.timeAt(chain, heightOf(dayOf(ms))) < ms ? dayOf(ms) + 1 : dayOf(ms))

/** The rows of a protocol, by their days. */
export const rows = ({ assets, name }: Protocol): Rows.Rows => {
  return {
    entity: name,
    bounds: { first: 0, last: dayOf(TODAY) - 1 },
    timeAt: (day) => ({ ms: Blocks.timeAt(chain, heightOf(day)), nanos: 0 }),
    from: Rows.atWholeMs(from),
    row: (day) => {
      const height = heightOf(day)
      const ms = Blocks.timeAt(chain, height)
      const lines = assets.map((asset) => lineAt(name, asset, ms))
      return `{"defi_protocol":"${name}","block_height":"${height}","time":"${nanos(ms)}",${sheet(lines)}}`
    }
  }
}

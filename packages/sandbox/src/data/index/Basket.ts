/**
 * What an index holds: so many units of each of its assets.
 *
 * An index of a single asset holds one unit of it, and one of its total return a little more with every day. Any other
 * draws its assets anew with every month, with weights in proportion to their capitalisation or even ones, and keeps
 * their quantities until the next. Its level does not jump then: the new quantities are worth what the old ones were.
 */
import * as Assets from "../Assets.ts"
import { civil, DAY, dayOf } from "../../internal/time/Calendar.ts"
import type { Frequency } from "../Frequency.ts"
import * as Indexes from "../Indexes.ts"
import * as Remembered from "../Remembered.ts"
import { unit } from "../../internal/random/Noise.ts"
import type { Span } from "../Span.ts"
import * as Values from "../Values.ts"

export interface Holding {
  readonly asset: Assets.Asset
  readonly quantity: number
}

/** What weights follow from: the capitalisation of the units that are traded, in US dollars. */
export const basis = (asset: Assets.Asset, ms: number): number =>
  Values.price(asset, ms) * Values.supply(asset, ms) * (0.75 + 0.25 * unit(asset.seed, 90))

// What is pegged to the dollar, or to another asset, is in no basket.
const isFree = ({ asset, price }: Assets.Asset): boolean => price !== 1 && asset !== "wbtc"

const largest = Assets.all.filter((asset) => asset.rank < 60 && isFree(asset))
const named = (...tickers: ReadonlyArray<string>) => largest.filter(({ asset }) => tickers.includes(asset))

interface Rule {
  readonly among: ReadonlyArray<Assets.Asset>
  readonly isEven?: boolean
}

const rules: Readonly<Record<string, Rule>> = {
  CMBI10: { among: largest },
  CMBI10E: { among: largest, isEven: true },
  CMBI10EX: { among: largest.filter(({ asset }) => asset !== "btc") },
  CMBIBE: { among: named("btc", "eth") },
  CMBIDEFI: { among: named("aave", "comp", "crv", "ldo", "mkr", "snx", "uni") }
}

interface Month {
  readonly start: number
  readonly holdings: ReadonlyArray<Holding>
}

export const worth = (holdings: ReadonlyArray<Holding>, ms: number): number =>
  holdings.reduce((sum, { asset, quantity }) => sum + quantity * Values.price(asset, ms), 0)

const draw = ({ among, isEven }: Rule, level: number, start: number): Month => {
  const chosen = among
    .filter(({ listed }) => listed <= start)
    .map((asset) => ({ asset, basis: basis(asset, start) }))
    .sort((a, b) => b.basis - a.basis)
    .slice(0, 10)
  const total = chosen.reduce((sum, { basis }) => sum + basis, 0)
  const holdings = chosen.map(({ asset, basis }) => {
    const weight = isEven === true ? 1 / chosen.length : basis / total
    return { asset, quantity: (level * weight) / Values.price(asset, start) }
  })
  return { start, holdings: holdings.sort((a, b) => (a.asset.asset < b.asset.asset ? -1 : 1)) }
}

const monthOf = (ms: number): number => {
  const [year, month] = civil(Math.floor(ms / DAY))
  return year * 12 + month - 1
}

const monthStart = (month: number): number => dayOf(Math.floor(month / 12), (month % 12) + 1, 1) * DAY

/** The instants at which an index changes what it holds: the first of its span, and of those with a basket each month. */
export const changes = (index: Indexes.Index): Frequency => {
  const { from } = Indexes.spanOf(index)
  const at = (month: number) => Math.max(from, monthStart(month))
  return {
    name: "changes",
    at,
    from: (ms) => {
      const month = Math.max(monthOf(from), monthOf(ms))
      return at(month) < ms ? month + 1 : month
    },
    since: from
  }
}

export const changing = (index: Indexes.Index): Span => {
  const { from, to } = Indexes.spanOf(index)
  return { from, to: rules[index.index] === undefined ? from : to }
}

/** The months of an index so far, each drawn once. */
const monthsOf = Remembered.each<Indexes.Index, Array<Month>>(() => [])

const monthAt = (index: Indexes.Index, rule: Rule, ms: number): Month | undefined => {
  const { from } = Indexes.spanOf(index)
  const [first, last] = [monthOf(from), monthOf(ms)]
  const months = monthsOf(index)
  for (let month = first + months.length; month <= last; month++) {
    const start = month === first ? from : monthStart(month)
    const level = month === first ? 1000 : worth(months.at(-1)?.holdings ?? [], start)
    months.push(draw(rule, level, start))
  }
  return months[last - first]
}

export const at = (index: Indexes.Index, ms: number): ReadonlyArray<Holding> => {
  const rule = rules[index.index]
  if (rule !== undefined) return monthAt(index, rule, ms)?.holdings ?? []
  const asset = Indexes.assetOf(index)
  if (asset === undefined) return []
  const years = index.type === undefined ? (ms - asset.listed) / (365 * DAY) : 0
  return [{ asset, quantity: 1 + 0.03 * years }]
}

/**
 * The curves that series are drawn from: every value is a function of the asset and the instant alone, so any row can be
 * written without those before it, and the same instant has the same value at every frequency.
 */
import type { Asset } from "./Assets.ts"
import { DAY } from "../internal/time/Calendar.ts"
import { curve, mix, unit } from "../internal/random/Noise.ts"

export type Model = (asset: Asset, ms: number) => number

// Prices grow with age, breathe over months and weeks, and shiver by the minute; a coin pegged to one dollar only shivers.
/** Price in US dollars. */
export const price: Model = (asset, ms) => {
  const days = ms / DAY
  const shiver = 1 + (unit(asset.seed, Math.floor(ms / 60_000)) - 0.5) * 0.002
  if (asset.price === 1) return 0.9995 + 0.001 * curve(asset.seed, days) * shiver
  const age = (ms - asset.start) / (6500 * DAY)
  const season = 0.35 + curve(asset.seed + 1, days / 190) + 0.25 * curve(asset.seed + 2, days / 17)
  return asset.price * (0.004 + age * age) * season * (0.94 + 0.12 * curve(asset.seed + 3, days * 2)) * shiver
}

/** Native units in existence. */
export const supply: Model = (asset, ms) => {
  const age = (ms - asset.start) / (6500 * DAY)
  return asset.supply * (0.1 + (0.9 * age * (3 - age)) / 2)
}

/** A daily count that grows with age and rests at weekends. */
export const activity =
  (scale: number, salt: number): Model =>
  (asset, ms) => {
    const days = ms / DAY
    const age = (ms - asset.start) / (6500 * DAY)
    const weekend = Math.floor(days + 4) % 7 < 2 ? 0.86 : 1
    const size = 40 / (4 + asset.rank)
    const breath = 0.5 + curve(asset.seed + salt, days / 45) + 0.2 * unit(asset.seed + salt, Math.floor(days))
    return scale * size * (0.003 + age) * breath * weekend + 1
  }

/** A ratio around `middle` that stays within `spread` of it. */
export const ratio =
  (middle: number, spread: number, salt: number): Model =>
  (asset, ms) =>
    middle + spread * (curve(asset.seed + salt, ms / (9 * DAY)) * 2 - 1)

/** A dollar amount, as a share of the market capitalisation. */
export const share =
  (part: number, salt: number): Model =>
  (asset, ms) =>
    price(asset, ms) * supply(asset, ms) * part * (0.4 + curve(asset.seed + salt, ms / (3 * DAY)))

const six: number = 1_000_000
const nine: number = 1_000_000_000

/** Writes a value as a decimal with fifteen fractional digits, the last nine of them noise. */
export const decimal = (value: number, seed: number, n: number): string => {
  const negative = value < 0
  const size = negative ? -value : value
  const whole = Math.floor(size)
  const fraction = Math.floor((size - whole) * six)
  const tail = mix(seed, n) % nine
  const text = `${whole}.${String(six + fraction).slice(1)}${String(nine + tail).slice(1)}`
  return negative ? `-${text}` : text
}

export const integer = (value: number): string => String(Math.floor(value))

export const written = (type: string, value: number, seed: number, n: number): string =>
  type === "bigint" ? integer(value) : decimal(value, seed, n)

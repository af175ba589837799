/**
 * The taxonomy of the stand-in: its versions, their subsectors, and how every asset was classified over time
 * (docs/interface.md 3.8). Names and codes are made up.
 *
 * Times are given to the day, and an end is the last day: the version, or classification, that follows starts on the next.
 * An asset enters a month after it was listed, at the version in force by then. It is re-classified when its subsector is
 * dropped, and now and then for reasons of its own; a few leave for good. All is drawn, but for one asset.
 */
import * as Assets from "./Assets.ts"
import { at, DAY } from "../internal/time/Calendar.ts"
import { below, mix } from "../internal/random/Noise.ts"

export type Subsector = ReturnType<typeof subsector>

export interface Version {
  readonly version: string
  readonly start: number
  /** Last day; undefined for the latest. */
  readonly end: number | undefined
  readonly subsectors: ReadonlyArray<Subsector>
}

export interface Classification {
  readonly asset: Assets.Asset
  /** The version in force at the start. */
  readonly version: Version
  readonly start: number
  /** Last day; undefined while it lasts. */
  readonly end: number | undefined
  readonly subsector: Subsector
}

const releases: Readonly<Record<string, string>> = {
  "1.0": "2021-06-14",
  "1.1": "2022-06-13",
  "1.2": "2023-06-19",
  "2.0": "2024-11-04",
  "2.1": "2026-02-02"
}

const above: Readonly<Record<string, string>> = {
  "10": "Money",
  "1010": "Payment Coins",
  "1020": "Pegged Tokens",
  "20": "Infrastructure",
  "2010": "Execution Networks",
  "2020": "Connectivity",
  "30": "Applications",
  "3010": "Finance",
  "3020": "Leisure"
}

/** Subsectors by their codes, with the first version that has each, and the first without it. */
const table: Readonly<Record<string, readonly [name: string, from: string, until?: string]>> = {
  "101010": ["General Payment Coins", "1.0"],
  "101030": ["Meme Coins", "1.1"],
  "101040": ["Remittance Coins", "1.0", "2.0"],
  "102010": ["Reserve-Backed Tokens", "1.0"],
  "102030": ["Algorithmic Pegs", "1.0", "1.2"],
  "201010": ["Base Layers", "1.0"],
  "201020": ["Second Layers", "1.1"],
  "202010": ["Bridges", "1.0"],
  "202030": ["Messaging", "2.0"],
  "301020": ["Lending", "1.0"],
  "301050": ["Liquid Staking & Restaking", "1.1"],
  "302010": ["Games", "1.0", "2.1"]
}

/** Of the one asset whose classification is not drawn: the versions at which it came to a subsector. */
const known: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  matic: { "1.0": "201010", "1.1": "201020" }
}

const subsector = (id: string) => ({
  class_id: id.slice(0, 2),
  class: above[id.slice(0, 2)] ?? "",
  sector_id: id.slice(0, 4),
  sector: above[id.slice(0, 4)] ?? "",
  subsector_id: id,
  subsector: table[id]?.[0] ?? ""
})

const subsectors = Object.keys(table).map(subsector)

/** Every version, the oldest first; their names sort as text. */
export const versions: ReadonlyArray<Version> = Object.entries(releases).map(([version, first], n, all) => {
  const following = all[n + 1]?.[1]
  return {
    version,
    start: at(first),
    end: following === undefined ? undefined : at(following) - DAY,
    subsectors: subsectors.filter(({ subsector_id }) => {
      const [, from = "", until] = table[subsector_id] ?? []
      return from <= version && (until === undefined || version < until)
    })
  }
})

/** Finds a version by its name, or by the word `latest`. */
export const find = (name: string): Version | undefined =>
  name === "latest" ? versions.at(-1) : versions.find(({ version }) => version === name)

export const ids = (level: "class_id" | "sector_id" | "subsector_id"): ReadonlyArray<string> => [
  ...new Set(subsectors.map((subsector) => subsector[level]))
]

interface Move {
  readonly at: number
  /** Undefined when the asset leaves. */
  readonly to: Subsector | undefined
}

const drawn = (asset: Assets.Asset, version: Version): Subsector | undefined =>
  version.subsectors[mix(asset.seed, versions.indexOf(version)) % version.subsectors.length]

const move = (asset: Assets.Asset, version: Version, from: Subsector | undefined): Move | undefined => {
  const own = known[asset.asset]
  if (own !== undefined) {
    const id = own[version.version]
    return id === undefined ? undefined : { at: version.start, to: subsector(id) }
  }
  const n = versions.indexOf(version)
  const chance = below(asset.seed, 40 + n, 100)
  const isDropped = from !== undefined && !version.subsectors.includes(from)
  if (!isDropped && chance >= 14) return undefined
  if (!isDropped && chance < 2 && asset.kind === "market") return { at: version.start, to: undefined }
  // Half of the changes that could wait do not come with the version.
  const wait = isDropped || chance % 2 === 0 ? 0 : 1 + below(asset.seed, 50 + n, 200)
  return { at: version.start + wait * DAY, to: drawn(asset, version) }
}

const history = (asset: Assets.Asset): ReadonlyArray<Classification> => {
  const entered = Math.floor(asset.listed / DAY) * DAY + 30 * DAY
  const first = versions.findLastIndex(({ start }) => start <= entered)
  const classifications: Array<Classification> = []
  let current: Omit<Classification, "end"> | undefined
  for (const version of versions.slice(Math.max(0, first))) {
    const isFirst = current === undefined
    const change =
      move(asset, version, current?.subsector) ?? (isFirst ? { at: 0, to: drawn(asset, version) } : undefined)
    if (change === undefined || change.to === current?.subsector) continue
    if (current !== undefined) classifications.push({ ...current, end: change.at - DAY })
    if (change.to === undefined) return classifications
    const start = isFirst ? Math.max(version.start, entered) : change.at
    current = { asset, version, start, subsector: change.to }
  }
  return current === undefined ? classifications : [...classifications, { ...current, end: undefined }]
}

/** Every classification, ordered by asset and start; bridged forms of an asset are not classified. */
export const classifications: ReadonlyArray<Classification> = Assets.all
  .filter((asset) => !asset.asset.includes("_"))
  .flatMap(history)

/**
 * The taxonomy of the stand-in: its versions, their subsectors, and how every asset was classified over time
 * (docs/interface.md 3.8). Names and codes are made up.
 *
 * **Details**
 *
 * Times are given to the day, and an end is the last day: the version, or classification, that follows starts on the next.
 * An asset enters a month after it was listed, at the version in force by then. It is re-classified when its subsector is
 * dropped, and now and then for reasons of its own; a few leave for good.
 */
import * as Assets from "./Assets.ts"
import { at, DAY } from "../internal/time/Calendar.ts"
import { below, mix } from "../internal/random/Noise.ts"

/** A subsector with the class and the sector above it. */
export interface Subsector {
  readonly class_id: string
  readonly class: string
  readonly sector_id: string
  readonly sector: string
  readonly subsector_id: string
  readonly subsector: string
}

/** One version of the taxonomy. */
export interface Version {
  readonly version: string
  readonly start: number
  /** Last day; undefined for the latest. */
  readonly end: number | undefined
  readonly subsectors: ReadonlyArray<Subsector>
}

/** One classification of one asset. */
export interface Classification {
  readonly asset: Assets.Asset
  /** The version in force at the start. */
  readonly version: Version
  readonly start: number
  /** Last day; undefined while it lasts. */
  readonly end: number | undefined
  readonly subsector: Subsector
}

// version, first day
const releases = `
1.0 2021-06-14
1.1 2022-06-13
1.2 2023-06-19
2.0 2024-11-04
2.1 2026-02-02
`

const above: Readonly<Record<string, string>> = {
  "10": "Money",
  "1010": "Payment Coins",
  "1020": "Pegged Tokens",
  "20": "Infrastructure",
  "2010": "Execution Networks",
  "2020": "Connectivity",
  "2030": "Storage & Compute",
  "30": "Applications",
  "3010": "Finance",
  "3020": "Leisure",
  "3030": "Services",
  "40": "Claims",
  "4010": "Wrapped Positions",
  "4020": "Real-World Assets"
}

// id, name, first version, and if it was dropped the first version without it and where its assets went
const table = `
101010 General_Payment_Coins 1.0
101020 Private_Payment_Coins 1.0
101030 Meme_Coins 1.1
101040 Remittance_Coins 1.0 2.0 101010
102010 Reserve-Backed_Tokens 1.0
102020 Collateral-Backed_Tokens 1.0
102030 Algorithmic_Pegs 1.0 1.2 102020
201010 Base_Layers 1.0
201020 Second_Layers 1.1
201030 Private_Execution 1.2
202010 Bridges 1.0
202020 Oracles 1.0
202030 Messaging 2.0
203010 File_Storage 1.0
203020 Shared_Compute 1.0
203030 Machine_Learning 2.0
301010 Exchanges 1.0
301020 Lending 1.0
301030 Derivatives 1.0
301040 Asset_Management 1.0
301050 Liquid_Staking 1.1
302010 Games 1.0
302020 Virtual_Worlds 1.0
302030 Collectibles 1.1
303010 Identity 1.0
303020 Media_&_Advertising 1.0
303030 Supply_Chains 1.0 2.1 303010
401010 Wrapped_Coins 1.2
401020 Staked_Coins 1.2
402010 Commodities 1.2
402020 Government_Debt 2.1
`

interface Entry {
  readonly subsector: Subsector
  readonly from: string
  readonly until: string | undefined
  /** Where the assets went when it was dropped. */
  readonly heir: string | undefined
}

const lines = (text: string): ReadonlyArray<ReadonlyArray<string>> =>
  text
    .trim()
    .split("\n")
    .map((line) => line.split(" "))

const entries: ReadonlyArray<Entry> = lines(table).map(([id = "", name = "", from = "", until, heir]) => ({
  subsector: {
    class_id: id.slice(0, 2),
    class: above[id.slice(0, 2)] ?? "",
    sector_id: id.slice(0, 4),
    sector: above[id.slice(0, 4)] ?? "",
    subsector_id: id,
    subsector: name.replaceAll("_", " ")
  },
  from,
  until,
  heir
}))

const byId = new Map(entries.map((entry) => [entry.subsector.subsector_id, entry]))

/** Every version, the oldest first; their names sort as text. */
export const versions: ReadonlyArray<Version> = lines(releases).map(([version = "", first = ""], n, all) => {
  const following = all[n + 1]?.[1]
  return {
    version,
    start: at(first),
    end: following === undefined ? undefined : at(following) - DAY,
    subsectors: entries
      .filter(({ from, until }) => from <= version && (until === undefined || version < until))
      .map(({ subsector }) => subsector)
  }
})

/** Finds a version by its name, or by the word `latest`. */
export const find = (name: string): Version | undefined =>
  name === "latest" ? versions.at(-1) : versions.find(({ version }) => version === name)

/** Every code of one level, in any version. */
export const ids = (level: "class_id" | "sector_id" | "subsector_id"): ReadonlyArray<string> => [
  ...new Set(entries.map(({ subsector }) => subsector[level]))
]

// What well-known assets are for; `version:id` moves an asset at that version.
const known = `
btc 101010
doge 101010 1.1:101030
shib 101010 1.1:101030
bonk 101010 1.1:101030
xrp 101040
usdt 102010
dai 102020
paxg 102010 1.2:402010
wbtc 102010 1.2:401010
eth 201010
matic 201010 1.1:201020
op 201010 1.1:201020
link 202020
atom 202010 2.0:202030
rndr 203020 2.0:203030
fet 203020 2.0:203030
tao 203020 2.0:203030
ldo 301040 1.1:301050
rpl 301040 1.1:301050
ondo 301040 2.1:402020
`

interface Step {
  readonly first: string
  readonly moves: ReadonlyMap<string, string>
}

const steps: ReadonlyMap<string, Step> = new Map(
  lines(known).map(([asset = "", first = "", ...moves]) => [
    asset,
    {
      first,
      moves: new Map(moves.map((move) => [move.slice(0, move.indexOf(":")), move.slice(move.indexOf(":") + 1)]))
    }
  ])
)

/** What becomes of an asset with a new version: where it goes, and when. */
interface Move {
  readonly at: number
  /** Undefined when the asset leaves. */
  readonly id: string | undefined
}

const drawn = (asset: Assets.Asset, version: Version): string =>
  version.subsectors[mix(asset.seed, versions.indexOf(version)) % version.subsectors.length]?.subsector_id ?? ""

const move = (asset: Assets.Asset, version: Version, id: string): Move | undefined => {
  const entry = byId.get(id)
  if (entry?.until === version.version) return { at: version.start, id: entry.heir }
  const step = steps.get(asset.asset)
  if (step !== undefined) {
    const to = step.moves.get(version.version)
    return to === undefined ? undefined : { at: version.start, id: to }
  }
  const n = versions.indexOf(version)
  const chance = below(asset.seed, 40 + n, 100)
  if (chance >= 14) return undefined
  if (chance < 2 && asset.kind === "market") return { at: version.start, id: undefined }
  // Half of the changes wait for no new version.
  const wait = chance % 2 === 0 ? 0 : 1 + below(asset.seed, 50 + n, 200)
  return { at: version.start + wait * DAY, id: drawn(asset, version) }
}

const inForce = (ms: number): Version | undefined => versions.findLast((version) => version.start <= ms)

const history = (asset: Assets.Asset): ReadonlyArray<Classification> => {
  const entered = Math.floor(asset.listed / DAY) * DAY + 30 * DAY
  const first = inForce(entered) ?? versions[0]
  if (first === undefined) return []
  const classifications: Array<Classification> = []
  let start = Math.max(first.start, entered)
  let version = first
  let id = steps.get(asset.asset)?.first ?? drawn(asset, first)
  const close = (end: number | undefined) => {
    const subsector = byId.get(id)?.subsector
    if (subsector !== undefined) classifications.push({ asset, version, start, end, subsector })
  }
  for (const next of versions.slice(versions.indexOf(first) + 1)) {
    const change = move(asset, next, id)
    if (change === undefined || change.id === id) continue
    close(change.at - DAY)
    if (change.id === undefined) return classifications
    start = change.at
    version = next
    id = change.id
  }
  close(undefined)
  return classifications
}

/** Every classification, ordered by asset and start; bridged forms of an asset are not classified. */
export const classifications: ReadonlyArray<Classification> = Assets.all
  .filter((asset) => !asset.asset.includes("_"))
  .flatMap(history)

/**
 * The asset profiles of the stand-in: the largest assets by hand, the next hundred and fifty drawn from their seeds
 * (docs/interface.md 3.7). The rest have none.
 */
import type { AssetProfile, AssetText } from "./AssetProfile.ts"
import * as Assets from "./Assets.ts"
import { date, DAY, nanos } from "../internal/time/Calendar.ts"
import * as MajorProfiles from "./MajorProfiles.ts"
import { below, pick } from "../internal/random/Noise.ts"

const count = 160

const purposes: Readonly<Record<Assets.Kind, readonly [string, ...Array<string>]>> = {
  work: ["Payment token", "Fee token", "Store of value"],
  chain: ["Fee token", "Staking token", "Governance token"],
  token: ["Governance token", "Payment token", "Collateral"],
  market: ["Utility token", "Governance token", "Reward token"]
}

const descriptions: Readonly<Record<Assets.Kind, string>> = {
  work: "A coin mined on a chain of its own.",
  chain: "The coin of a chain secured by stake.",
  token: "A token issued by a program on another chain.",
  market: "A token traded on several exchanges."
}

const overview = ({ fullName, kind }: Assets.Asset): string =>
  kind === "work"
    ? `${fullName} rewards miners for the blocks they find. Transactions are outputs and inputs, and anyone may take part.`
    : kind === "chain"
      ? `${fullName} pays the fees of its chain. Holders stake it with validators, and share in what these earn.`
      : `${fullName} is kept by a program on another chain. Holders vote on proposals with it, or pay with it.`

const networks = ["Ethereum", "Solana", "BNB Smart Chain", "Polygon", "Arbitrum", "Base"] as const

const amount = (asset: Assets.Asset, percent: number): string => String(Math.round((asset.supply * percent) / 100))

const sharedOut = (asset: Assets.Asset): Pick<AssetText, "initial_supply_token_distribution" | "vesting_schedule"> => {
  const team = 10 + below(asset.seed, 70, 20)
  const sale = 10 + below(asset.seed, 71, 30)
  const end = asset.start + (365 + below(asset.seed, 72, 1400)) * DAY
  return {
    initial_supply_token_distribution: [
      { initial_supply_allocation: amount(asset, team), initial_supply_distribution: "Team" },
      { initial_supply_allocation: amount(asset, sale), initial_supply_distribution: "Sale" },
      { initial_supply_allocation: "N/A", initial_supply_distribution: "Community" }
    ],
    vesting_schedule: [
      {
        vesting_schedule_allocation: "Team",
        vesting_schedule_cliff: `${6 + 6 * below(asset.seed, 73, 3)} months`,
        vesting_schedule_total_unlock_time: pick(asset.seed, 74, [nanos(end), date(end), "N/A"])
      }
    ]
  }
}

const isOwnChain = ({ kind }: Assets.Asset): boolean => kind === "work" || kind === "chain"

// A third or so of the optional fields is absent, and one in twelve is null.
const thinned = (asset: Assets.Asset, text: Omit<AssetText, "description" | "overview">): Partial<AssetText> =>
  Object.fromEntries(
    Object.entries(text).flatMap(([field, value], n) => {
      const chance = below(asset.seed, 80 + n, 12)
      return chance < 4 ? [] : [[field, chance === 4 ? null : value]]
    })
  )

const drawn = (asset: Assets.Asset): AssetText => {
  const { fullName, kind, seed } = asset
  const site = `https://${asset.asset}.example`
  const cap = pick(seed, 60, [amount(asset, 100), amount(asset, 140), "N/A"])
  const change = { date: date(asset.start + below(seed, 61, 900) * DAY), details: `Release ${2 + below(seed, 62, 4)}.` }
  const first = pick(seed, 63, networks)
  return {
    description: descriptions[kind],
    overview: overview(asset),
    ...thinned(asset, {
      token_purpose: purposes[kind].slice(0, 1 + below(seed, 64, 3)),
      project_team: `${fullName} contributors`,
      foundation: `${fullName} Foundation`,
      website: `${site}/`,
      whitepaper_url: `${site}/whitepaper.pdf`,
      token_generation_event_supply: kind === "work" ? "N/A" : amount(asset, 80),
      ...(kind === "work" ? {} : sharedOut(asset)),
      new_token_issuance_recipient: kind === "work" ? ["Miners"] : kind === "chain" ? ["Validators"] : [],
      issuing_networks: [isOwnChain(asset) ? fullName : first],
      bridged_networks: networks.filter((network) => network !== first).slice(below(seed, 66, 5)),
      issuance_schedule_changes: "N/A",
      significant_historical_changes: [change],
      upgrade_history: kind === "market" ? [] : [change, { date: change.date.slice(0, 4), details: "First release." }],
      blog_updates: `${site}/blog`,
      project_github_repository: [`https://git.example/${asset.asset}/${isOwnChain(asset) ? "node" : "contracts"}`],
      asset_regulation: pick(seed, 67, ["N/A", "Indirectly"]),
      asset_regulated_products: below(seed, 68, 4) === 0 ? ["Physically backed note (EU)"] : [],
      etp_custodians: below(seed, 68, 4) === 0 ? ["Northgate Custody"] : []
    }),
    // Absent exactly where the supply has no limit.
    ...(kind === "chain" && below(seed, 65, 2) === 0 ? {} : { supply_cap: cap })
  }
}

// A date-time field may hold a date alone (docs/interface.md 10.1), as half of these do.
const created = ({ seed, start }: Assets.Asset): string => (below(seed, 69, 2) === 0 ? date(start) : nanos(start))

const profile = (asset: Assets.Asset): AssetProfile => {
  const { description, overview, ...rest } = MajorProfiles.all[asset.asset] ?? drawn(asset)
  return {
    asset: asset.asset,
    full_name: asset.fullName,
    description,
    overview,
    creation_date: created(asset),
    ...rest
  }
}

/** Every asset profile, ordered by asset. */
export const all: ReadonlyArray<AssetProfile> = Assets.all.filter(({ rank }) => rank < count).map(profile)

/**
 * The asset profiles of the stand-in: of the hundred and sixty largest assets, drawn from the table, with what is known of a few
 * (docs/interface.md 3.7). The rest have none. Sites end in `.example`.
 */
import * as Assets from "./Assets.ts"
import * as Drawn from "./Drawn.ts"
import { date, nanos } from "../internal/time/Calendar.ts"
import { below } from "../internal/random/Noise.ts"

export interface AssetProfile extends Drawn.Json {
  readonly asset: string
}

const count = 160

const unvested = {
  vesting_schedule_allocation: "N/A",
  vesting_schedule_cliff: "N/A",
  vesting_schedule_total_unlock_time: "N/A"
}

const known: Readonly<Record<string, Drawn.Json>> = {
  btc: {
    description: "Money between peers, kept by no one in particular.",
    overview:
      "Miners gather transactions into blocks and prove their work with hashes. There will be 21 million coins.",
    token_purpose: ["Store of value", "Fee token"],
    foundation: undefined,
    token_generation_event_supply: "N/A",
    supply_cap: "21000000",
    initial_supply_token_distribution: [{ initial_supply_allocation: "N/A", initial_supply_distribution: "N/A" }],
    vesting_schedule: [unvested],
    upgrade_history: [
      { date: "2012-04", details: "Pay to script hash." },
      { date: "2017-08-24", details: "Segregated witness." },
      { date: "2021-11-14", details: "Taproot." }
    ],
    website: "https://bitcoin.example/"
  },
  eth: {
    description: "The coin of a network that runs programs.",
    token_purpose: ["Fee token", "Staking token", "Collateral"],
    foundation: "Ethereum Foundation",
    token_generation_event_supply: "72009990"
  },
  usdt: { foundation: null, asset_regulated_products: [], etp_custodians: null }
}

const draw = Drawn.partialsOf("/profile/assets")

const endless = new Set("eth doge usdt usdc sol trx dai".split(" "))

const profile = (asset: Assets.Asset): AssetProfile => {
  const { fullName, seed, start, supply } = asset
  return {
    ...draw(seed, start),
    full_name: fullName,
    description: `${fullName} is traded on several exchanges.`,
    overview: `${fullName} is kept by a ${asset.kind === "token" ? "program on another chain" : "chain of its own"}.`,
    // A date-time field may hold a date alone (docs/interface.md 10.1), as half of these do.
    creation_date: below(seed, 69, 2) === 0 ? date(start) : nanos(start),
    // Absent exactly where the supply has no limit.
    supply_cap: endless.has(asset.asset) ? undefined : String(Math.round(supply)),
    ...known[asset.asset],
    asset: asset.asset
  }
}

export const all: ReadonlyArray<AssetProfile> = Assets.all.filter(({ rank }) => rank < count).map(profile)

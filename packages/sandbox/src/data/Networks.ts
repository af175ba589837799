/**
 * The network profiles of the stand-in, drawn from the table (docs/interface.md 3.7). Networks are named as in the bridged forms of
 * assets: by the ticker of their coin, or by a short name of their own.
 */
import { at } from "../internal/time/Calendar.ts"
import { seed } from "../internal/random/Noise.ts"
import * as Drawn from "./Drawn.ts"

export interface NetworkProfile extends Drawn.Json {
  readonly network: string
  readonly full_name: string
}

const layers =
  "ada:Cardano algo:Algorand apt:Aptos atom:Cosmos_Hub avaxc:Avalanche_C-Chain bch:Bitcoin_Cash bsc:BNB_Smart_Chain btc:Bitcoin " +
  "doge:Dogecoin dot:Polkadot etc:Ethereum_Classic eth:Ethereum icp:Internet_Computer kas:Kaspa ltc:Litecoin matic:Polygon " +
  "near:NEAR_Protocol sol:Solana trx:TRON xlm:Stellar xmr:Monero xrp:XRP_Ledger"

const rollups = "arb1:Arbitrum base:Base op:OP_Mainnet zksync:zkSync_Era"

/** What is known of some networks; of what is undefined, nothing. */
const known: Readonly<Record<string, Drawn.Json>> = {
  btc: { foundation: ["N/A"], founding_team_identity: "Unknown" },
  // Both fields of an item are optional.
  eth: {
    upgrade_history: [{ date: "2015-07-30", details: "Frontier." }, { details: "Further upgrades are being tested." }]
  },
  icp: { foundation: ["DFINITY"], native_fee_token: null, chain_explorers: null },
  sol: { upgrade_history: [] }
}

const draw = Drawn.partialsOf("/profile/networks")

const read = (text: string, own: Drawn.Json): ReadonlyArray<NetworkProfile> =>
  text.split(" ").map((entry) => {
    const [network = "", name = ""] = entry.split(":")
    return {
      ...draw(seed(network), at("2026-01-01")),
      ...own,
      ...known[network],
      network,
      full_name: name.replaceAll("_", " ")
    }
  })

export const all: ReadonlyArray<NetworkProfile> = [
  ...read(layers, {
    modular_or_monolithic: "Monolithic",
    rollup_info: [{ rollup_type: "N/A", state_validation: "N/A" }]
  }),
  // A rollup takes these from the chain below.
  ...read(rollups, { modular_or_monolithic: "Modular", consensus_mechanism: undefined, hashing_algorithm: undefined }),
  // The youngest profiles hold what is required, and nothing else.
  { full_name: "Scroll · 卷轴", network: "scroll", modular_or_monolithic: "Modular" }
].sort((a, b) => (a.network < b.network ? -1 : 1))

/**
 * The network profiles of the stand-in (docs/interface.md 3.7). Networks are named as in the bridged forms of assets:
 * by the ticker of their coin, or by a short name of their own.
 */
import type { Change } from "./AssetProfile.ts"

/** One network profile. */
export interface NetworkProfile {
  readonly full_name: string
  readonly network: string
  readonly modular_or_monolithic: string
  readonly overview?: string | null
  readonly consensus_mechanism?: string | null
  readonly hashing_algorithm?: string | null
  readonly transaction_finality?: string | null
  readonly available_clients?: ReadonlyArray<string> | null
  readonly smart_contract_deployment?: string | null
  readonly foundation?: ReadonlyArray<string> | null
  readonly founding_team_identity?: string | null
  readonly repository?: ReadonlyArray<{ readonly github_repository?: string; readonly github_url?: string }> | null
  readonly transaction_visibility?: string | null
  readonly native_fee_token?: string | null
  readonly significant_historical_changes?: ReadonlyArray<Change> | null
  readonly upgrade_history?: ReadonlyArray<Change> | null
  readonly rollup_info?: ReadonlyArray<{ readonly rollup_type?: string; readonly state_validation?: string }> | null
  readonly network_scaling_solution?: string | null
  readonly type_of_network?: string | null
  readonly chain_explorers?: ReadonlyArray<string> | null
}

// network, name, consensus, hash, finality, programs, fee token, clients
const layers = `
ada Cardano Proof_of_stake Blake2b-256 15_blocks Permissionless ada cardano-node
algo Algorand Pure_proof_of_stake SHA-512/256 1_block Permissionless algo go-algorand
apt Aptos Proof_of_stake SHA3-256 1_block Permissionless apt aptos-node
atom Cosmos_Hub Tendermint SHA-256 1_block Permissioned atom gaiad
avaxc Avalanche_C-Chain Snowman Keccak-256 2_seconds Permissionless avax avalanchego
bch Bitcoin_Cash Proof_of_work SHA-256d 10_blocks Permissionless bch BCHN,Knuth
bsc BNB_Smart_Chain Proof_of_staked_authority Keccak-256 2_blocks Permissionless bnb bsc-geth,bsc-erigon
btc Bitcoin Proof_of_work SHA-256d No_fixed_threshold Permissionless btc Bitcoin_Core,btcd,libbitcoin
doge Dogecoin Proof_of_work Scrypt No_fixed_threshold N/A doge Dogecoin_Core
dot Polkadot Nominated_proof_of_stake Blake2b-256 1_minute Permissionless dot polkadot
etc Ethereum_Classic Proof_of_work Etchash No_fixed_threshold Permissionless etc Core-geth,Besu
eth Ethereum Proof_of_stake Keccak-256 2_epochs Permissionless eth Geth,Nethermind,Besu,Lighthouse,Prysm,Teku
icp Internet_Computer Chain_key SHA-256 2_seconds Permissionless N/A replica
kas Kaspa Proof_of_work kHeavyHash 10_seconds N/A kas rusty-kaspa
ltc Litecoin Proof_of_work Scrypt 6_blocks N/A ltc Litecoin_Core
matic Polygon Proof_of_stake Keccak-256 2_milestones Permissionless matic bor,heimdall
near NEAR_Protocol Proof_of_stake SHA-256 2_blocks Permissionless near nearcore
sol Solana Proof_of_stake SHA-256 32_slots Permissionless sol Agave,Jito,Firedancer
trx TRON Delegated_proof_of_stake SHA-256 19_blocks Permissionless trx java-tron
xlm Stellar Federated_agreement SHA-256 1_ledger Permissionless xlm stellar-core
xmr Monero Proof_of_work RandomX 10_blocks N/A xmr monerod
xrp XRP_Ledger Ledger_consensus SHA-512Half 1_ledger N/A xrp rippled
`

const rollup = (network: string, full_name: string, rollup_type: string, state_validation: string): NetworkProfile => ({
  full_name,
  network,
  modular_or_monolithic: "Modular",
  overview: `${full_name} runs transactions apart from Ethereum and keeps their data, and the proof of its state, there.`,
  // No consensus_mechanism and no hashing_algorithm: a rollup takes them from the chain below.
  transaction_finality: "When its batch is final on Ethereum",
  available_clients: [`${network}-node`],
  smart_contract_deployment: "Permissionless",
  transaction_visibility: "Visible",
  native_fee_token: "eth",
  rollup_info: [{ rollup_type, state_validation }],
  network_scaling_solution: "true",
  type_of_network: "Layer 2",
  chain_explorers: [`https://explorer.${network}.example/`]
})

const words = (text: string): string => text.replaceAll("_", " ")

const layer = (line: string): NetworkProfile => {
  const [network = "", name = "", consensus = "", hash = "", finality = "", programs = "", fee = "", clients = ""] =
    line.split(" ")
  const full_name = words(name)
  return {
    full_name,
    network,
    modular_or_monolithic: "Monolithic",
    overview: `${full_name} keeps a ledger of its own. It reaches agreement by ${words(consensus).toLowerCase()}.`,
    consensus_mechanism: words(consensus),
    hashing_algorithm: hash,
    transaction_finality: words(finality),
    available_clients: clients.split(",").map(words),
    smart_contract_deployment: programs,
    repository: [{ github_repository: full_name, github_url: `https://git.example/${network}` }],
    transaction_visibility: "Visible",
    native_fee_token: fee,
    rollup_info: [{ rollup_type: "N/A", state_validation: "N/A" }],
    network_scaling_solution: "false",
    type_of_network: "Blockchain",
    chain_explorers: [`https://explorer.${network}.example/`]
  }
}

// What is known of some networks beyond the table.
const details: Readonly<Record<string, Partial<NetworkProfile>>> = {
  ada: { modular_or_monolithic: "Modular", foundation: ["Cardano Foundation", "Intersect"] },
  arb1: {
    foundation: ["Arbitrum Foundation"],
    upgrade_history: [
      { date: "2022-08-31", details: "Nitro." },
      { date: "2025-02-12", details: "Anyone may dispute a state." }
    ]
  },
  btc: {
    overview:
      "Bitcoin was the first network to agree on a ledger among strangers. It favours safety over speed: a block every ten minutes, and rules that hardly change.",
    foundation: ["N/A"],
    founding_team_identity: "Unknown",
    repository: [
      { github_repository: "Bitcoin Core", github_url: "https://git.example/bitcoin/bitcoin" },
      { github_repository: "btcd", github_url: "https://git.example/btcsuite/btcd" }
    ],
    significant_historical_changes: [
      { date: "2009-01-03", details: "The first block." },
      { date: "2010-08-15", details: "A block with too many coins is undone." }
    ],
    upgrade_history: [
      { date: "2012-04", details: "Pay to script hash." },
      { date: "2017-08-24", details: "Segregated witness." },
      { date: "2021-11-14", details: "Taproot." }
    ]
  },
  eth: {
    modular_or_monolithic: "Modular",
    overview:
      "Ethereum runs programs that anyone can deploy, and has come to be the base on which rollups settle. Validators propose a block every twelve seconds and vote on it.",
    foundation: ["Ethereum Foundation"],
    founding_team_identity: "Known",
    significant_historical_changes: [{ date: "2022-09-15", details: "Validators take over from miners." }],
    upgrade_history: [
      { date: "2015-07-30", details: "Frontier." },
      { date: "2021-08-05", details: "London." },
      { date: "2024-03-13", details: "Dencun." },
      // Both fields of an item are optional.
      { details: "Further upgrades are being tested." }
    ]
  },
  icp: { foundation: ["DFINITY"], native_fee_token: null, chain_explorers: null },
  sol: {
    foundation: ["Solana Foundation"],
    founding_team_identity: "Known",
    significant_historical_changes: [{ date: "2021-09-14", details: "The chain stands still for seventeen hours." }],
    upgrade_history: []
  },
  xmr: { transaction_visibility: "Hidden", founding_team_identity: "Partly known", foundation: null },
  zksync: { foundation: ["ZKsync Association"], founding_team_identity: "Known" }
}

const rollups: ReadonlyArray<NetworkProfile> = [
  rollup("arb1", "Arbitrum", "Optimistic", "Interactive fraud proofs"),
  rollup("base", "Base", "Optimistic", "Fraud proofs"),
  rollup("op", "OP Mainnet", "Optimistic", "Fraud proofs"),
  rollup("zksync", "zkSync Era", "Zero knowledge", "Validity proofs"),
  // The youngest profiles hold what is required, and nothing else.
  { full_name: "Scroll · 卷轴", network: "scroll", modular_or_monolithic: "Modular" }
]

/** Every network profile, ordered by network. */
export const all: ReadonlyArray<NetworkProfile> = [...layers.trim().split("\n").map(layer), ...rollups]
  .map((profile) => ({ ...profile, ...details[profile.network] }))
  .sort((a, b) => (a.network < b.network ? -1 : 1))

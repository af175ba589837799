/**
 * Profiles of the largest assets, written by hand (docs/interface.md 3.7). Sites end in `.example`, and firms are made
 * up.
 */
import type { AssetText } from "./AssetProfile.ts"

const none = { vesting_schedule_allocation: "N/A", vesting_schedule_cliff: "N/A" }

/** What is said about an asset, by its ticker. */
export const all: Readonly<Record<string, AssetText>> = {
  btc: {
    description: "Money between peers, kept by no one in particular.",
    overview:
      "Bitcoin moves value without an intermediary. Miners gather transactions into blocks and prove their work with hashes; whoever finds a block collects its fees and the new coins of that block. Coins are outputs of earlier transactions, counted in units of one hundred millionth. The number of new coins halves every 210,000 blocks, so that there will never be more than 21 million.",
    token_purpose: ["Store of value", "Fee token"],
    project_team: "Volunteers and maintainers of the reference client",
    website: "https://bitcoin.example/",
    whitepaper_url: "https://bitcoin.example/paper.pdf",
    token_generation_event_supply: "N/A",
    supply_cap: "21000000",
    initial_supply_token_distribution: [{ initial_supply_allocation: "N/A", initial_supply_distribution: "N/A" }],
    vesting_schedule: [{ ...none, vesting_schedule_total_unlock_time: "N/A" }],
    new_token_issuance_recipient: ["Miners"],
    issuing_networks: ["Bitcoin"],
    bridged_networks: ["Ethereum", "Arbitrum", "Base", "Avalanche C-Chain"],
    issuance_schedule_changes: "None. The schedule of halvings has stood since the first block.",
    significant_historical_changes: [
      { date: "2008-10-31", details: "The paper is published." },
      { date: "2012-11-28", details: "First halving, to 25 coins a block." },
      { date: "2016-07-09", details: "Second halving, to 12.5 coins a block." },
      { date: "2020-05-11", details: "Third halving, to 6.25 coins a block." },
      { date: "2024-04-20", details: "Fourth halving, to 3.125 coins a block." }
    ],
    upgrade_history: [
      { date: "2012-04", details: "Pay to script hash." },
      { date: "2017-08-24", details: "Segregated witness." },
      { date: "2021-11-14", details: "Taproot." }
    ],
    blog_updates: "https://bitcoin.example/blog",
    project_github_repository: ["https://git.example/bitcoin/bitcoin", "https://git.example/bitcoin/bips"],
    asset_regulation: "Indirectly",
    asset_regulated_products: ["Spot exchange-traded fund (US)", "Physically backed note (EU)", "Futures (US)"],
    etp_custodians: ["Northgate Custody", "Harbour Trust Company"]
  },
  eth: {
    description: "The coin of a network that runs programs.",
    overview:
      "Ether pays for computation on Ethereum. Programs stored on the chain run the same way on every node, and each step has a price in gas. Since September 2022 blocks are proposed and attested by validators who have locked up ether; part of every fee is destroyed.",
    token_purpose: ["Fee token", "Staking token", "Collateral"],
    project_team: "Several independent client teams",
    foundation: "Ethereum Foundation",
    website: "https://ethereum.example/",
    whitepaper_url: "https://ethereum.example/whitepaper",
    token_generation_event_supply: "72009990",
    // No supply_cap: the supply is not limited.
    initial_supply_token_distribution: [
      { initial_supply_allocation: "60102216", initial_supply_distribution: "Public sale" },
      { initial_supply_allocation: "11907774", initial_supply_distribution: "Early contributors and the foundation" }
    ],
    new_token_issuance_recipient: ["Validators"],
    issuing_networks: ["Ethereum"],
    bridged_networks: ["Arbitrum", "Base", "OP Mainnet", "Polygon", "zkSync Era"],
    issuance_schedule_changes:
      "Lowered from 5 to 3 coins a block in 2017, to 2 in 2019, and to staking rewards in 2022.",
    significant_historical_changes: [
      { date: "2016-07-20", details: "The chain splits over the return of stolen funds; the other branch is etc." },
      { date: "2020-12-01", details: "The beacon chain starts beside the old one." },
      { date: "2022-09-15", details: "Validators take over from miners." }
    ],
    upgrade_history: [
      { date: "2021-08-05", details: "London: a base fee, which is destroyed." },
      { date: "2023-04-12", details: "Shapella: staked coins can be withdrawn." },
      { date: "2024-03-13", details: "Dencun: blobs for rollups." },
      { date: "2025-05-07", details: "Pectra: larger validators." }
    ],
    blog_updates: "https://blog.ethereum.example/",
    project_github_repository: ["https://git.example/ethereum"],
    asset_regulation: "Indirectly",
    asset_regulated_products: ["Spot exchange-traded fund (US)", "Futures (US)"],
    etp_custodians: ["Northgate Custody"]
  },
  usdt: {
    description: "A dollar on many chains, backed by reserves.",
    overview:
      "Tether issues a token for every dollar of its reserves and redeems it for verified customers. It circulates on several chains and is the quote of most spot markets.",
    token_purpose: ["Stable token", "Payment token"],
    project_team: "Tether Operations",
    foundation: null,
    website: "https://tether.example/",
    whitepaper_url: "https://tether.example/whitepaper.pdf",
    token_generation_event_supply: "N/A",
    new_token_issuance_recipient: ["Customers of the issuer"],
    issuing_networks: ["Ethereum", "TRON", "Solana", "Avalanche C-Chain"],
    bridged_networks: ["Arbitrum", "Base", "OP Mainnet"],
    issuance_schedule_changes: "N/A",
    significant_historical_changes: [
      { date: "2014-10-06", details: "First tokens, on a layer above Bitcoin." },
      { date: "2019-04", details: "The first token on TRON." }
    ],
    asset_regulation: "N/A",
    asset_regulated_products: [],
    etp_custodians: null
  },
  xrp: {
    description: "A coin for payments across borders.",
    overview:
      "The XRP Ledger closes every few seconds by agreement among lists of trusted validators. The whole supply was created with the ledger; fees are destroyed.",
    token_purpose: ["Payment token", "Fee token"],
    project_team: "XRP Ledger contributors",
    foundation: "XRPL Foundation",
    website: "https://xrpl.example/",
    token_generation_event_supply: "100000000000",
    supply_cap: "100000000000",
    initial_supply_token_distribution: [
      { initial_supply_allocation: "80000000000", initial_supply_distribution: "Company" },
      { initial_supply_allocation: "20000000000", initial_supply_distribution: "Founders" }
    ],
    vesting_schedule: [
      {
        vesting_schedule_allocation: "55000000000",
        vesting_schedule_cliff: "1 month",
        vesting_schedule_total_unlock_time: "N/A"
      }
    ],
    issuing_networks: ["XRP Ledger"],
    upgrade_history: [{ date: "2024-03-22", details: "An automated market maker becomes part of the ledger." }],
    project_github_repository: ["https://git.example/xrplf/rippled"],
    asset_regulation: "Indirectly"
  },
  sol: {
    description: "The coin of a fast chain with one shared state.",
    overview:
      "Solana orders transactions by a clock made of hashes before validators vote on them, and runs those that do not touch the same accounts at the same time. SOL pays fees, and is staked with validators.",
    token_purpose: ["Fee token", "Staking token"],
    project_team: "Several client teams",
    foundation: "Solana Foundation",
    website: "https://solana.example/",
    whitepaper_url: "https://solana.example/solana-whitepaper.pdf",
    token_generation_event_supply: "500000000",
    initial_supply_token_distribution: [
      { initial_supply_allocation: "190000000", initial_supply_distribution: "Investors" },
      { initial_supply_allocation: "65000000", initial_supply_distribution: "Team" },
      { initial_supply_allocation: "245000000", initial_supply_distribution: "Community and foundation" }
    ],
    vesting_schedule: [
      {
        vesting_schedule_allocation: "Investors",
        vesting_schedule_cliff: "9 months",
        vesting_schedule_total_unlock_time: "2021-01-07"
      },
      {
        vesting_schedule_allocation: "Team",
        vesting_schedule_cliff: "9 months",
        vesting_schedule_total_unlock_time: "2023-01-07T00:00:00.000000000Z"
      }
    ],
    new_token_issuance_recipient: ["Validators", "Delegators"],
    issuing_networks: ["Solana"],
    bridged_networks: null,
    issuance_schedule_changes: "None. Inflation falls from 8 % by 15 % a year, towards 1.5 %.",
    significant_historical_changes: [{ date: "2021-09-14", details: "The chain stands still for seventeen hours." }],
    blog_updates: "https://solana.example/news",
    project_github_repository: ["https://git.example/anza/agave"],
    asset_regulated_products: ["Spot exchange-traded fund (US)"],
    etp_custodians: ["Harbour Trust Company"]
  },
  bnb: {
    description: "The coin of an exchange and of its chain.",
    overview:
      "BNB began as a token for cheaper trading and became the coin of its own chain, where it pays fees and is staked. A part of the supply is destroyed every quarter.",
    token_purpose: ["Fee token", "Exchange token", "Staking token"],
    project_team: "BNB Chain contributors",
    website: "https://bnbchain.example/",
    token_generation_event_supply: "200000000",
    supply_cap: "200000000",
    initial_supply_token_distribution: [
      { initial_supply_allocation: "100000000", initial_supply_distribution: "Public sale" },
      { initial_supply_allocation: "80000000", initial_supply_distribution: "Founding team" },
      { initial_supply_allocation: "20000000", initial_supply_distribution: "Early investors" }
    ],
    issuing_networks: ["BNB Smart Chain"],
    issuance_schedule_changes: "Since 2021 the quarterly burn follows the price and the number of blocks.",
    significant_historical_changes: [{ date: "2022-10-06", details: "The chain is halted after a bridge is robbed." }],
    asset_regulation: null
  },
  usdc: {
    description: "A dollar with published reserves.",
    overview:
      "Each USDC is issued against a dollar in cash or short government debt, held apart from the issuer's own money. Tokens move between chains by being destroyed on one and created on the other.",
    token_purpose: ["Stable token"],
    project_team: "Circle",
    website: "https://usdc.example/",
    token_generation_event_supply: "N/A",
    new_token_issuance_recipient: ["Customers of the issuer"],
    issuing_networks: ["Ethereum", "Solana", "Arbitrum", "Base", "OP Mainnet", "Polygon", "Avalanche C-Chain"],
    significant_historical_changes: [{ date: "2023-03-11", details: "Trades below a dollar over a weekend." }],
    upgrade_history: [{ date: "2023-04-26", details: "Transfers between chains without a bridge." }],
    asset_regulation: "Directly"
  },
  doge: {
    description: "A friendly coin that began as a joke.",
    overview:
      "Dogecoin is mined together with Litecoin, with a block every minute and ten thousand new coins in each, without end.",
    token_purpose: ["Payment token"],
    project_team: "Dogecoin Core developers",
    foundation: "Dogecoin Foundation",
    website: "https://dogecoin.example/",
    token_generation_event_supply: "N/A",
    new_token_issuance_recipient: ["Miners"],
    issuing_networks: ["Dogecoin"],
    issuance_schedule_changes:
      "In 2014 random rewards gave way to fixed ones, and the limit of 100 billion was dropped.",
    significant_historical_changes: [{ date: "2014-09-11", details: "Merged mining with Litecoin begins." }],
    project_github_repository: ["https://git.example/dogecoin/dogecoin"]
  },
  ada: {
    description: "The coin of a chain built from reviewed papers.",
    overview:
      "Cardano keeps coins as outputs that carry data, and elects the makers of blocks by stake. ADA pays fees, is delegated to pools and votes on the treasury.",
    token_purpose: ["Fee token", "Staking token", "Governance token"],
    project_team: "Input Output",
    foundation: "Cardano Foundation",
    website: "https://cardano.example/",
    whitepaper_url: "https://cardano.example/why",
    token_generation_event_supply: "31112484646",
    supply_cap: "45000000000",
    initial_supply_token_distribution: [
      { initial_supply_allocation: "25927070538", initial_supply_distribution: "Voucher sale" },
      { initial_supply_allocation: "5185414108", initial_supply_distribution: "Founding entities" }
    ],
    new_token_issuance_recipient: ["Stake pools", "Delegators", "Treasury"],
    issuing_networks: ["Cardano"],
    upgrade_history: [
      { date: "2020-07-29", details: "Shelley: blocks are made by stake pools." },
      { date: "2021-09-12", details: "Alonzo: programs." },
      { date: "2024-09-01", details: "Chang: votes on the chain." }
    ],
    project_github_repository: ["https://git.example/intersectmbo/cardano-node"]
  },
  trx: {
    description: "The coin of a chain of delegates, used mostly for stable tokens.",
    overview:
      "Holders of TRX elect twenty-seven delegates who take turns in making blocks. Freezing coins gives bandwidth and energy, in which fees are counted.",
    token_purpose: ["Fee token", "Governance token"],
    foundation: "TRON Foundation",
    website: "https://tron.example/",
    whitepaper_url: null,
    token_generation_event_supply: "100000000000",
    new_token_issuance_recipient: ["Elected delegates", "Voters"],
    issuing_networks: ["TRON"],
    project_github_repository: ["https://git.example/tronprotocol/java-tron"]
  },
  avax: {
    description: "The coin of a network of networks.",
    overview:
      "Avalanche validators agree by asking small random samples of each other again and again. AVAX pays fees on three built-in chains, and is staked to run one's own.",
    token_purpose: ["Fee token", "Staking token"],
    project_team: "Ava Labs",
    foundation: "Avalanche Foundation",
    website: "https://avalanche.example/",
    token_generation_event_supply: "360000000",
    supply_cap: "720000000",
    initial_supply_token_distribution: [
      { initial_supply_allocation: "72000000", initial_supply_distribution: "Team" },
      { initial_supply_allocation: "64800000", initial_supply_distribution: "Public sale" },
      { initial_supply_allocation: "N/A", initial_supply_distribution: "Foundation, community and airdrops" }
    ],
    vesting_schedule: [
      {
        vesting_schedule_allocation: "Team",
        vesting_schedule_cliff: "3 months",
        vesting_schedule_total_unlock_time: "2024-09-21"
      }
    ],
    new_token_issuance_recipient: ["Validators"],
    issuing_networks: ["Avalanche C-Chain"],
    upgrade_history: [{ date: "2024-12-16", details: "Avalanche9000: validators of one chain only." }]
  },
  link: {
    description: "The token that pays for data brought to chains.",
    overview:
      "Chainlink nodes report prices and other facts to programs on many chains, and carry messages between them. LINK is what they are paid in, and what they stand to lose.",
    token_purpose: ["Payment token", "Staking token"],
    project_team: "Chainlink Labs",
    website: "https://chainlink.example/",
    whitepaper_url: "https://chainlink.example/whitepaper",
    token_generation_event_supply: "1000000000",
    supply_cap: "1000000000",
    initial_supply_token_distribution: [
      { initial_supply_allocation: "350000000", initial_supply_distribution: "Public sale" },
      { initial_supply_allocation: "350000000", initial_supply_distribution: "Node operators" },
      { initial_supply_allocation: "300000000", initial_supply_distribution: "Company" }
    ],
    issuing_networks: ["Ethereum"],
    bridged_networks: ["Arbitrum", "Base", "BNB Smart Chain", "Polygon"],
    upgrade_history: [{ date: "2023-11-28", details: "Staking, second version." }],
    blog_updates: "https://blog.chainlink.example/"
  }
}

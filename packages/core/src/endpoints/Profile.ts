/**
 * Profiles: what assets and networks are and where they come from, in words. Experimental at the service. Source:
 * docs/interface.md 4.2; records in 3.7.
 *
 * Not offered at the community root, and only as pages.
 */
import * as Schema from "effect/Schema"
import * as Endpoint from "../Endpoint.ts"
import { id, many, text, texts, timestamp } from "../internal/wire/fields.ts"
import * as Params from "../Params.ts"

/** A share of the first supply, and to whom it went. Source: docs/interface.md 3.7. */
export const InitialSupply = Schema.Struct({
  /** A whole number as text, in native units, or `N/A`. */
  initial_supply_allocation: text,
  /** To whom. */
  initial_supply_distribution: text
})
export interface InitialSupply extends Schema.Schema.Type<typeof InitialSupply> {}

/** How one share of the supply becomes free. Source: docs/interface.md 3.7. */
export const VestingSchedule = Schema.Struct({
  /** Whose share. */
  vesting_schedule_allocation: text,
  /** When the first of it becomes free. */
  vesting_schedule_cliff: text,
  /** When all of it is free; may be `N/A`. */
  vesting_schedule_total_unlock_time: timestamp
})
export interface VestingSchedule extends Schema.Schema.Type<typeof VestingSchedule> {}

/** Something that happened on a day. Source: docs/interface.md 3.7. */
export const HistoricalEvent = Schema.Struct({
  /** The day it happened on. */
  date: timestamp,
  /** What happened. */
  details: text
})
export interface HistoricalEvent extends Schema.Schema.Type<typeof HistoricalEvent> {}

/** What an asset is. Source: docs/interface.md 3.7. */
export const AssetProfile = Schema.Struct({
  /** Asset ticker, in lower case. */
  asset: id,
  /** Name for people. */
  full_name: text,
  /** What the asset is, in short. */
  description: text,
  /** What the asset is, at length. */
  overview: text,
  /** Time of the first block; may be a date alone. */
  creation_date: timestamp,
  /** Who develops the project. */
  project_team: text,
  /** The foundation behind the project. */
  foundation: text,
  /** Address of its website. */
  website: text,
  /** Address of its white paper. */
  whitepaper_url: text,
  /** Supply at the token generation event, in native units. */
  token_generation_event_supply: text,
  /** Most that can ever exist, a whole number as text, in native units, or `N/A`; absent when there is no bound. */
  supply_cap: text,
  /** Changes of the schedule by which units are issued. */
  issuance_schedule_changes: text,
  /** Where its news are published. */
  blog_updates: text,
  /** How authorities regulate the asset. */
  asset_regulation: text,
  /** What the token is for, such as `Governance`. */
  token_purpose: texts,
  /** Who receives newly issued units. */
  new_token_issuance_recipient: texts,
  /** Networks on which the asset is issued. */
  issuing_networks: texts,
  /** Networks to which the asset is bridged. */
  bridged_networks: texts,
  /** Repositories of the project on GitHub. */
  project_github_repository: texts,
  /** Regulated products that hold the asset. */
  asset_regulated_products: texts,
  /** Custodians of its exchange-traded products. */
  etp_custodians: texts,
  /** Who received the initial supply, and how much. */
  initial_supply_token_distribution: many<InitialSupply>(InitialSupply),
  /** How allocated units are released over time. */
  vesting_schedule: many<VestingSchedule>(VestingSchedule),
  /** Events that changed it, each with its day. */
  significant_historical_changes: many<HistoricalEvent>(HistoricalEvent),
  /** Upgrades, each with its day. */
  upgrade_history: many<HistoricalEvent>(HistoricalEvent)
})
export interface AssetProfile extends Schema.Schema.Type<typeof AssetProfile> {}

/** Parameters of {@link assets}. */
export const AssetsParams = Schema.Struct({
  /** Asset tickers, `<namespace>:<symbol>` or `<namespace>:by-id:<id>`; all assets when absent. */
  assets: Params.entities(Params.identifiers),
  /** Full names of assets. */
  full_names: Params.entities(Params.list),
  ...Params.paging
}).check(Params.atMostOne("assets", "full_names"))
export interface AssetsParams extends Schema.Schema.Type<typeof AssetsParams> {}

/** Lists profiles of assets, ordered by asset. Not offered at the community root. Source: docs/interface.md 4.2. */
export const assets: Endpoint.Endpoint<AssetsParams, AssetProfile> = Endpoint.make("/profile/assets", {
  section: "4.2",
  community: false,
  params: AssetsParams,
  sorted: ["asset"],
  record: AssetProfile
})

/** A source repository of a network. Source: docs/interface.md 3.7. */
export const Repository = Schema.Struct({
  /** Name of the repository. */
  github_repository: text,
  /** Address of the repository. */
  github_url: text
})
export interface Repository extends Schema.Schema.Type<typeof Repository> {}

/** How a rollup settles. Source: docs/interface.md 3.7. */
export const RollupInfo = Schema.Struct({
  /** Kind of the rollup. */
  rollup_type: text,
  /** How the state of the rollup is proved. */
  state_validation: text
})
export interface RollupInfo extends Schema.Schema.Type<typeof RollupInfo> {}

/** What a network is. Source: docs/interface.md 3.7. */
export const NetworkProfile = Schema.Struct({
  /** Network name. */
  network: id,
  /** Name for people. */
  full_name: text,
  /** Whether one chain does all, as in `Monolithic`, or several share the work. */
  modular_or_monolithic: text,
  /** What the network is, at length. */
  overview: text,
  /** How the network agrees on blocks. */
  consensus_mechanism: text,
  /** The hash function of its blocks. */
  hashing_algorithm: text,
  /** When a transaction is final. */
  transaction_finality: text,
  /** Whether and how smart contracts are deployed. */
  smart_contract_deployment: text,
  /** What is known of who founded it. */
  founding_team_identity: text,
  /** Who can see transactions. */
  transaction_visibility: text,
  /** The token in which fees are paid. */
  native_fee_token: text,
  /** How the network scales. */
  network_scaling_solution: text,
  /** Kind of the network. */
  type_of_network: text,
  /** Programs that run a node of the network. */
  available_clients: texts,
  /** The foundations behind the network. */
  foundation: texts,
  /** Explorers of the chain. */
  chain_explorers: texts,
  /** Its source repositories. */
  repository: many<Repository>(Repository),
  /** Events that changed it, each with its day. */
  significant_historical_changes: many<HistoricalEvent>(HistoricalEvent),
  /** How it settles, where it is a rollup. */
  rollup_info: many<RollupInfo>(RollupInfo),
  /** Upgrades, each with its day. */
  upgrade_history: many<HistoricalEvent>(HistoricalEvent)
})
export interface NetworkProfile extends Schema.Schema.Type<typeof NetworkProfile> {}

/** Parameters of {@link networks}. */
export const NetworksParams = Schema.Struct({
  /** Network names; all networks when absent. */
  networks: Params.entities(Params.list),
  /** Full names of networks. */
  full_names: Params.entities(Params.list),
  ...Params.paging
}).check(Params.atMostOne("networks", "full_names"))
export interface NetworksParams extends Schema.Schema.Type<typeof NetworksParams> {}

/** Lists profiles of networks, ordered by network. Not offered at the community root. Source: docs/interface.md 4.2. */
export const networks: Endpoint.Endpoint<NetworksParams, NetworkProfile> = Endpoint.make("/profile/networks", {
  section: "4.2",
  community: false,
  params: NetworksParams,
  sorted: ["network"],
  record: NetworkProfile
})

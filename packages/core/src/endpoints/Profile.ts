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
  date: timestamp,
  details: text
})
export interface HistoricalEvent extends Schema.Schema.Type<typeof HistoricalEvent> {}

/**
 * What an asset is. Source: docs/interface.md 3.7.
 */
export const AssetProfile = Schema.Struct({
  /** Asset ticker, in lower case. */
  asset: id,
  full_name: text,
  description: text,
  overview: text,
  /** Time of the first block; may be a date alone. */
  creation_date: timestamp,
  project_team: text,
  foundation: text,
  website: text,
  whitepaper_url: text,
  /** Supply at the token generation event, in native units. */
  token_generation_event_supply: text,
  /** Most that can ever exist, a whole number as text, in native units, or `N/A`; absent when there is no bound. */
  supply_cap: text,
  issuance_schedule_changes: text,
  blog_updates: text,
  asset_regulation: text,
  token_purpose: texts,
  new_token_issuance_recipient: texts,
  issuing_networks: texts,
  bridged_networks: texts,
  project_github_repository: texts,
  asset_regulated_products: texts,
  etp_custodians: texts,
  initial_supply_token_distribution: many(InitialSupply),
  vesting_schedule: many(VestingSchedule),
  significant_historical_changes: many(HistoricalEvent),
  upgrade_history: many(HistoricalEvent)
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
  github_repository: text,
  github_url: text
})
export interface Repository extends Schema.Schema.Type<typeof Repository> {}

/** How a rollup settles. Source: docs/interface.md 3.7. */
export const RollupInfo = Schema.Struct({
  rollup_type: text,
  state_validation: text
})
export interface RollupInfo extends Schema.Schema.Type<typeof RollupInfo> {}

/**
 * What a network is. Source: docs/interface.md 3.7.
 */
export const NetworkProfile = Schema.Struct({
  /** Network name. */
  network: id,
  full_name: text,
  modular_or_monolithic: text,
  overview: text,
  consensus_mechanism: text,
  hashing_algorithm: text,
  transaction_finality: text,
  smart_contract_deployment: text,
  founding_team_identity: text,
  transaction_visibility: text,
  native_fee_token: text,
  network_scaling_solution: text,
  type_of_network: text,
  available_clients: texts,
  foundation: texts,
  chain_explorers: texts,
  repository: many(Repository),
  significant_historical_changes: many(HistoricalEvent),
  rollup_info: many(RollupInfo),
  upgrade_history: many(HistoricalEvent)
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

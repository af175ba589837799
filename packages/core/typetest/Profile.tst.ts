import { type ApiError, type Client, type Endpoint, Identifier, Profile, type Timestamp } from "@sluice/core"
import type * as Stream from "effect/Stream"
import { expectTypeOf } from "vitest"
import type { List, Members, Paging, Taking } from "./Wire.ts"

// Records of docs/interface.md 3.7.
interface InitialSupply {
  readonly initial_supply_allocation?: string | null
  readonly initial_supply_distribution?: string | null
}

interface VestingSchedule {
  readonly vesting_schedule_allocation?: string | null
  readonly vesting_schedule_cliff?: string | null
  readonly vesting_schedule_total_unlock_time?: Timestamp.Timestamp | null
}

interface HistoricalEvent {
  readonly date?: Timestamp.Timestamp | null
  readonly details?: string | null
}

interface AssetProfile {
  readonly asset: string
  readonly full_name?: string | null
  readonly description?: string | null
  readonly overview?: string | null
  readonly creation_date?: Timestamp.Timestamp | null
  readonly project_team?: string | null
  readonly foundation?: string | null
  readonly website?: string | null
  readonly whitepaper_url?: string | null
  readonly token_generation_event_supply?: string | null
  readonly supply_cap?: string | null
  readonly issuance_schedule_changes?: string | null
  readonly blog_updates?: string | null
  readonly asset_regulation?: string | null
  readonly token_purpose?: ReadonlyArray<string> | null
  readonly new_token_issuance_recipient?: ReadonlyArray<string> | null
  readonly issuing_networks?: ReadonlyArray<string> | null
  readonly bridged_networks?: ReadonlyArray<string> | null
  readonly project_github_repository?: ReadonlyArray<string> | null
  readonly asset_regulated_products?: ReadonlyArray<string> | null
  readonly etp_custodians?: ReadonlyArray<string> | null
  readonly initial_supply_token_distribution?: ReadonlyArray<InitialSupply> | null
  readonly vesting_schedule?: ReadonlyArray<VestingSchedule> | null
  readonly significant_historical_changes?: ReadonlyArray<HistoricalEvent> | null
  readonly upgrade_history?: ReadonlyArray<HistoricalEvent> | null
}

interface AssetsParams extends Paging {
  readonly assets?: List | undefined
  readonly full_names?: List | undefined
}

interface Repository {
  readonly github_repository?: string | null
  readonly github_url?: string | null
}

interface RollupInfo {
  readonly rollup_type?: string | null
  readonly state_validation?: string | null
}

interface NetworkProfile {
  readonly network: string
  readonly full_name?: string | null
  readonly modular_or_monolithic?: string | null
  readonly overview?: string | null
  readonly consensus_mechanism?: string | null
  readonly hashing_algorithm?: string | null
  readonly transaction_finality?: string | null
  readonly smart_contract_deployment?: string | null
  readonly founding_team_identity?: string | null
  readonly transaction_visibility?: string | null
  readonly native_fee_token?: string | null
  readonly network_scaling_solution?: string | null
  readonly type_of_network?: string | null
  readonly available_clients?: ReadonlyArray<string> | null
  readonly foundation?: ReadonlyArray<string> | null
  readonly chain_explorers?: ReadonlyArray<string> | null
  readonly repository?: ReadonlyArray<Repository> | null
  readonly significant_historical_changes?: ReadonlyArray<HistoricalEvent> | null
  readonly rollup_info?: ReadonlyArray<RollupInfo> | null
  readonly upgrade_history?: ReadonlyArray<HistoricalEvent> | null
}

interface NetworksParams extends Paging {
  readonly networks?: List | undefined
  readonly full_names?: List | undefined
}

expectTypeOf<Profile.InitialSupply>().toEqualTypeOf<InitialSupply>()
expectTypeOf<Profile.VestingSchedule>().toEqualTypeOf<VestingSchedule>()
expectTypeOf<Profile.HistoricalEvent>().toEqualTypeOf<HistoricalEvent>()
expectTypeOf<Profile.AssetProfile>().toEqualTypeOf<AssetProfile>()
expectTypeOf<Profile.Repository>().toEqualTypeOf<Repository>()
expectTypeOf<Profile.RollupInfo>().toEqualTypeOf<RollupInfo>()
expectTypeOf<Profile.NetworkProfile>().toEqualTypeOf<NetworkProfile>()

// Parameters, records, and no endpoint beside these.
expectTypeOf<Profile.AssetsParams>().toEqualTypeOf<AssetsParams>()
expectTypeOf<Profile.NetworksParams>().toEqualTypeOf<NetworksParams>()
expectTypeOf<keyof Members<typeof Profile>>().toEqualTypeOf<"assets" | "networks">()
expectTypeOf(Profile.assets).toEqualTypeOf<Endpoint.Endpoint<AssetsParams, AssetProfile>>()
expectTypeOf(Profile.networks).toEqualTypeOf<Endpoint.Endpoint<NetworksParams, NetworkProfile>>()

// Every filter is optional; the closed union of errors and the client, nothing else.
expectTypeOf(Profile.assets()).toEqualTypeOf<Stream.Stream<AssetProfile, ApiError.ApiError, Client.Client>>()
expectTypeOf(Profile.networks()).toEqualTypeOf<Stream.Stream<NetworkProfile, ApiError.ApiError, Client.Client>>()
expectTypeOf(Profile.assets.pages()).toEqualTypeOf<Endpoint.Pages<AssetProfile>>()
expectTypeOf(Profile.networks.pages({ page_size: 10 })).toEqualTypeOf<Endpoint.Pages<NetworkProfile>>()

// Lists take one name, a comma list, several, and identifiers.
Profile.assets({ assets: "btc" })
Profile.assets({ assets: "btc,eth", page_size: 10, paging_from: "end", next_page_token: "t", pretty: true })
Profile.assets({ assets: [Identifier.byNameUnsafe("btc"), Identifier.bySymbolUnsafe("talos", "BTC"), "eth"] })
Profile.assets({ assets: Identifier.byIdUnsafe("talos", 24) })
Profile.networks({ full_names: ["Bitcoin", "Ethereum"] })

// Profiles come as pages alone, and all of them.
expectTypeOf<Taking<typeof Profile, "format" | "limit">>().toEqualTypeOf<never>()
// @ts-expect-error: profiles come as pages alone
Profile.assets({ format: "json_stream" })
// @ts-expect-error: not even the format they come in can be named
Profile.networks({ format: "json" })
// @ts-expect-error: only catalogs of markets have a limit
Profile.assets({ limit: 1 })
// @ts-expect-error: networks are the other endpoint
Profile.assets({ networks: "bitcoin" })
// @ts-expect-error: assets are the other endpoint
Profile.networks({ assets: "btc" })
// @ts-expect-error: only reference data has a provider
Profile.assets({ include: "talos" })
// @ts-expect-error: a list holds names
Profile.assets({ assets: [1] })
// @ts-expect-error: one of two words
Profile.networks({ paging_from: "middle" })

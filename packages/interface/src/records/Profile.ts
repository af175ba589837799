/** Records of docs/interface.md 3.7 and 3.8. */
import { key, list, may, texts } from "../Field.ts"
import { HistoricalEvent } from "./Shared.ts"

export const InitialSupply = may("initial_supply_allocation:int64 initial_supply_distribution")

export const VestingSchedule = may(
  "vesting_schedule_allocation vesting_schedule_cliff vesting_schedule_total_unlock_time:time"
)

/** 3.7. */
export const AssetProfile = {
  ...key("asset"),
  ...may(
    "full_name description overview creation_date:time",
    "project_team foundation website whitepaper_url blog_updates asset_regulation issuance_schedule_changes",
    "token_generation_event_supply supply_cap:int64",
    {
      token_purpose: texts,
      new_token_issuance_recipient: texts,
      issuing_networks: texts,
      bridged_networks: texts,
      project_github_repository: texts,
      asset_regulated_products: texts,
      etp_custodians: texts,
      initial_supply_token_distribution: list(InitialSupply),
      vesting_schedule: list(VestingSchedule),
      significant_historical_changes: list(HistoricalEvent),
      upgrade_history: list(HistoricalEvent)
    }
  )
}

export const Repository = may("github_repository github_url")

export const RollupInfo = may("rollup_type state_validation")

/** 3.7. */
export const NetworkProfile = {
  ...key("network"),
  ...may(
    "full_name modular_or_monolithic",
    "overview consensus_mechanism hashing_algorithm transaction_finality smart_contract_deployment",
    "founding_team_identity transaction_visibility native_fee_token network_scaling_solution type_of_network",
    {
      available_clients: texts,
      foundation: texts,
      chain_explorers: texts,
      repository: list(Repository),
      significant_historical_changes: list(HistoricalEvent),
      rollup_info: list(RollupInfo),
      upgrade_history: list(HistoricalEvent)
    }
  )
}

/** 3.8. */
export const Classification = {
  ...key("asset classification_start_time:time"),
  ...may(
    "full_name taxonomy_version updated_at_taxonomy_version",
    "class_id class sector_id sector subsector_id subsector",
    "classification_end_time:time"
  )
}

/** 3.8. One published text has these as required, the newest as optional. */
export const Subsector = may("class_id class sector_id sector subsector_id subsector")

/** 3.8. */
export const TaxonomyVersion = {
  ...key("taxonomy_start_time:time"),
  ...may("taxonomy_version", { subsectors: list(Subsector) }),
  ...may("taxonomy_end_time:time")
}

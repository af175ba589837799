/**
 * The shape of an asset profile as it is sent (docs/interface.md 3.7).
 */

/** Something that happened; the date may be a month or a year alone. */
export interface Change {
  readonly date?: string
  readonly details?: string
}

/** Who got how much of the initial supply. */
export interface Allocation {
  readonly initial_supply_allocation?: string
  readonly initial_supply_distribution?: string
}

/** How one allocation is released. */
export interface Vesting {
  readonly vesting_schedule_allocation?: string
  readonly vesting_schedule_cliff?: string
  readonly vesting_schedule_total_unlock_time?: string
}

type Text = string | null
type List<A> = ReadonlyArray<A> | null

/** What is said about an asset: everything but its names and its first block. */
export interface AssetText {
  readonly description: string
  readonly overview: string
  readonly token_purpose?: List<string>
  readonly project_team?: Text
  readonly foundation?: Text
  readonly website?: Text
  readonly whitepaper_url?: Text
  readonly token_generation_event_supply?: Text
  readonly supply_cap?: Text
  readonly initial_supply_token_distribution?: List<Allocation>
  readonly vesting_schedule?: List<Vesting>
  readonly new_token_issuance_recipient?: List<string>
  readonly issuing_networks?: List<string>
  readonly bridged_networks?: List<string>
  readonly issuance_schedule_changes?: Text
  readonly significant_historical_changes?: List<Change>
  readonly upgrade_history?: List<Change>
  readonly blog_updates?: Text
  readonly project_github_repository?: List<string>
  readonly asset_regulation?: Text
  readonly asset_regulated_products?: List<string>
  readonly etp_custodians?: List<string>
}

/** One asset profile. */
export interface AssetProfile extends AssetText {
  readonly asset: string
  readonly full_name: string
  readonly creation_date: string
}

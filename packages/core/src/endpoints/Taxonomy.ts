/**
 * Taxonomy: the class, sector and subsector of assets, and since when. Source: docs/interface.md 4.3; record in 3.8.
 *
 * Not offered at the community root, and only as pages.
 */
import * as Schema from "effect/Schema"
import * as Endpoint from "../Endpoint.ts"
import { id, text, timestamp } from "../internal/wire/fields.ts"
import * as Params from "../Params.ts"

/** What an asset is classified as, in one version of the taxonomy. Source: docs/interface.md 3.8. */
export const Classification = Schema.Struct({
  /** Asset ticker, in lower case. */
  asset: id,
  /** Name of the asset for people. */
  full_name: text,
  /**
   * A version of the taxonomy.
   *
   * @deprecated Obsolete and about to be removed: `updated_at_taxonomy_version` takes its place.
   */
  taxonomy_version: text,
  /** Version of the taxonomy in which the asset was classified, or classified anew. */
  updated_at_taxonomy_version: text,
  /** May be a date alone; absent at times, though described as always there. */
  classification_start_time: timestamp,
  /** Absent while the classification holds; may be a date alone. */
  classification_end_time: timestamp,
  /** Identifier of the class, the widest level, such as `10`. */
  class_id: text,
  /** Name of the class, such as `Digital Currencies`. */
  class: text,
  /** Identifier of the sector within the class, such as `1010`. */
  sector_id: text,
  /** Name of the sector. */
  sector: text,
  /** Identifier of the subsector within the sector, such as `101010`. */
  subsector_id: text,
  /** Name of the subsector. */
  subsector: text
})
export interface Classification extends Schema.Schema.Type<typeof Classification> {}

/** Parameters of {@link assets}. */
export const AssetsParams = Schema.Struct({
  /** Asset tickers, `<namespace>:<symbol>` or `<namespace>:by-id:<id>`; all assets when absent. */
  assets: Params.entities(Params.identifiers),
  /** Identifiers of classes, such as `10`. */
  class_ids: Params.entities(Params.list),
  /** Identifiers of sectors, such as `1010`. */
  sector_ids: Params.entities(Params.list),
  /** Identifiers of subsectors, such as `101010`. */
  subsector_ids: Params.entities(Params.list),
  /** A version of the taxonomy, or `*` for all; the latest when absent and no time is given. */
  version: Params.string,
  /** Earliest start of a classification. */
  classification_start_time: Params.startTime,
  /** Latest end of a classification. Those that still hold have no end, and are left out. */
  classification_end_time: Params.endTime,
  /** Whether `classification_start_time` itself is meant as well. Default true. */
  start_inclusive: Params.startInclusive,
  /** Whether `classification_end_time` itself is meant as well. Default true. */
  end_inclusive: Params.endInclusive,
  ...Params.paging
})
export interface AssetsParams extends Schema.Schema.Type<typeof AssetsParams> {}

/**
 * Lists classifications of assets, ordered by asset, then by start. Not offered at the community root. Source:
 * docs/interface.md 4.3.
 */
export const assets: Endpoint.Endpoint<AssetsParams, Classification> = Endpoint.make("/taxonomy/assets", {
  section: "4.3",
  community: false,
  params: AssetsParams,
  sorted: ["asset", "classification_start_time"],
  record: Classification
})

/**
 * Taxonomy metadata: the versions of the taxonomy and what each divides assets into. Source: docs/interface.md 4.4;
 * record in 3.8.
 *
 * Not offered at the community root, and only as pages.
 */
import * as Schema from "effect/Schema"
import * as Endpoint from "../Endpoint.ts"
import { many, text, timestamp } from "../internal/wire/fields.ts"
import * as Params from "../Params.ts"
import { Timestamp } from "../Timestamp.ts"

/** One subsector with the sector and class above it. Source: docs/interface.md 3.8. */
export const Subsector = Schema.Struct({
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
export interface Subsector extends Schema.Schema.Type<typeof Subsector> {}

/** One version of the taxonomy. Source: docs/interface.md 3.8. */
export const TaxonomyVersion = Schema.Struct({
  /**
   * The version of the taxonomy.
   *
   * @deprecated Obsolete and about to be removed from the service.
   */
  taxonomy_version: text,
  /** May be a date alone. */
  taxonomy_start_time: Timestamp,
  /** Absent on the version in force; may be a date alone. */
  taxonomy_end_time: timestamp,
  /** All subsectors of the version, each with its sector and class. */
  subsectors: many<Subsector>(Subsector)
})
export interface TaxonomyVersion extends Schema.Schema.Type<typeof TaxonomyVersion> {}

/** Parameters of {@link assets}. */
export const AssetsParams = Schema.Struct({
  /** A version of the taxonomy, or `*` for all; the latest when absent and no time is given. */
  version: Params.string,
  /** Earliest start of a version. */
  start_time: Params.startTime,
  /** Latest end of a version. The version in force has no end, and is left out. */
  end_time: Params.endTime,
  /** Whether `start_time` itself is meant as well. Default true. */
  start_inclusive: Params.startInclusive,
  /** Whether `end_time` itself is meant as well. Default true. */
  end_inclusive: Params.endInclusive,
  ...Params.paging
})
export interface AssetsParams extends Schema.Schema.Type<typeof AssetsParams> {}

/**
 * Lists versions of the taxonomy for assets, ordered by version. Not offered at the community root. Source:
 * docs/interface.md 4.4.
 */
export const assets: Endpoint.Endpoint<AssetsParams, TaxonomyVersion> = Endpoint.make("/taxonomy-metadata/assets", {
  section: "4.4",
  community: false,
  params: AssetsParams,
  record: TaxonomyVersion
})

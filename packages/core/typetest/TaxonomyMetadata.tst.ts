import { type ApiError, type Client, type Endpoint, TaxonomyMetadata, type Timestamp } from "@sluice/core"
import type * as Stream from "effect/Stream"
import { expectTypeOf } from "vitest"
import type { Members, Paging, Taking } from "./Wire.ts"

// Records of docs/interface.md 3.8: a start names a version, for the version's own name is to be removed.
interface Subsector {
  readonly class_id?: string | null
  readonly class?: string | null
  readonly sector_id?: string | null
  readonly sector?: string | null
  readonly subsector_id?: string | null
  readonly subsector?: string | null
}

interface TaxonomyVersion {
  readonly taxonomy_version?: string | null
  readonly taxonomy_start_time: Timestamp.Timestamp
  readonly taxonomy_end_time?: Timestamp.Timestamp | null
  readonly subsectors?: ReadonlyArray<Subsector> | null
}

interface AssetsParams extends Paging {
  readonly version?: string | undefined
  readonly start_time?: string | undefined
  readonly end_time?: string | undefined
  readonly start_inclusive?: boolean | undefined
  readonly end_inclusive?: boolean | undefined
}

expectTypeOf<TaxonomyMetadata.Subsector>().toEqualTypeOf<Subsector>()
expectTypeOf<TaxonomyMetadata.TaxonomyVersion>().toEqualTypeOf<TaxonomyVersion>()
expectTypeOf<TaxonomyMetadata.AssetsParams>().toEqualTypeOf<AssetsParams>()
expectTypeOf<keyof Members<typeof TaxonomyMetadata>>().toEqualTypeOf<"assets">()
expectTypeOf(TaxonomyMetadata.assets).toEqualTypeOf<Endpoint.Endpoint<AssetsParams, TaxonomyVersion>>()

// Every filter is optional; the closed union of errors and the client, nothing else.
expectTypeOf(TaxonomyMetadata.assets()).toEqualTypeOf<
  Stream.Stream<TaxonomyVersion, ApiError.ApiError, Client.Client>
>()
expectTypeOf(TaxonomyMetadata.assets.pages({ version: "*" })).toEqualTypeOf<Endpoint.Pages<TaxonomyVersion>>()
TaxonomyMetadata.assets({ start_time: "2024-01-01", start_inclusive: false, page_size: 1, paging_from: "end" })

// Versions come as pages alone, and all of them.
expectTypeOf<Taking<typeof TaxonomyMetadata, "format" | "limit">>().toEqualTypeOf<never>()
// @ts-expect-error: versions come as pages alone
TaxonomyMetadata.assets({ format: "json_stream" })
// @ts-expect-error: only catalogs of markets have a limit
TaxonomyMetadata.assets({ limit: 1 })
// @ts-expect-error: a version is of all assets
TaxonomyMetadata.assets({ assets: "btc" })
// @ts-expect-error: a version is one
TaxonomyMetadata.assets({ version: ["1", "2"] })

import { type ApiError, type Client, type Endpoint, TaxonomyMetadata } from "@sluice/core"
import type * as Stream from "effect/Stream"
import { expectTypeOf } from "vitest"
import type { Taking } from "./Wire.ts"

// Every filter is optional; the closed union of errors and the client, nothing else.
expectTypeOf(TaxonomyMetadata.assets()).toEqualTypeOf<
  Stream.Stream<TaxonomyMetadata.TaxonomyVersion, ApiError.ApiError, Client.Client>
>()
expectTypeOf(TaxonomyMetadata.assets.pages({ version: "*" })).toEqualTypeOf<
  Endpoint.Pages<TaxonomyMetadata.TaxonomyVersion>
>()
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

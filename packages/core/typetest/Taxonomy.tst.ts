import { type ApiError, type Client, type Endpoint, Identifier, Taxonomy, type Timestamp } from "@sluice/core"
import type * as Stream from "effect/Stream"
import { expectTypeOf } from "vitest"
import type { Taking } from "./Wire.ts"

// Every filter is optional; the closed union of errors and the client, nothing else.
expectTypeOf(Taxonomy.assets()).toEqualTypeOf<
  Stream.Stream<Taxonomy.Classification, ApiError.ApiError, Client.Client>
>()
expectTypeOf(Taxonomy.assets.pages({ version: "*" })).toEqualTypeOf<Endpoint.Pages<Taxonomy.Classification>>()

// Lists take identifiers; a moment that was read may be asked for again.
declare const moment: Timestamp.Timestamp
Taxonomy.assets({ assets: ["btc", Identifier.bySymbolUnsafe("talos", "ETH")], class_ids: "10,20" })
Taxonomy.assets({ assets: Identifier.byIdUnsafe("talos", 24n), sector_ids: ["1010"], subsector_ids: "101010" })
Taxonomy.assets({ classification_start_time: moment, classification_end_time: "20240101", end_inclusive: false })

// Classifications come as pages alone, and all of them.
expectTypeOf<Taking<typeof Taxonomy, "format" | "limit">>().toEqualTypeOf<never>()
// @ts-expect-error: classifications come as pages alone
Taxonomy.assets({ format: "json_stream" })
// @ts-expect-error: only catalogs of markets have a limit
Taxonomy.assets({ limit: 1 })
// @ts-expect-error: the times are those of the classification
Taxonomy.assets({ start_time: "2024-01-01" })
// @ts-expect-error: a version is one
Taxonomy.assets({ version: ["1", "2"] })
// @ts-expect-error: true or false
Taxonomy.assets({ start_inclusive: "true" })
// @ts-expect-error: a moment is text
Taxonomy.assets({ classification_end_time: 1_700_000_000 })

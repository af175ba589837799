import { type ApiError, type Client, type Endpoint, Identifier, Profile } from "@sluice/core"
import type * as Stream from "effect/Stream"
import { expectTypeOf } from "vitest"
import type { Taking } from "./Wire.ts"

// Every filter is optional; the closed union of errors and the client, nothing else.
expectTypeOf(Profile.assets()).toEqualTypeOf<Stream.Stream<Profile.AssetProfile, ApiError.ApiError, Client.Client>>()
expectTypeOf(Profile.networks()).toEqualTypeOf<
  Stream.Stream<Profile.NetworkProfile, ApiError.ApiError, Client.Client>
>()
expectTypeOf(Profile.assets.pages()).toEqualTypeOf<Endpoint.Pages<Profile.AssetProfile>>()
expectTypeOf(Profile.networks.pages({ page_size: 10 })).toEqualTypeOf<Endpoint.Pages<Profile.NetworkProfile>>()

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

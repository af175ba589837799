import { type ApiError, type Catalog, CatalogAll, type Client, type Endpoint, Identifier } from "@sluice/core"
import type * as Stream from "effect/Stream"
import { expectTypeOf } from "vitest"
import type { Members } from "./Wire.ts"

// docs/interface.md 4.7: parameters and records of the catalog of the same name, for every name there is.
expectTypeOf<Members<typeof CatalogAll>>().toEqualTypeOf<Members<typeof Catalog>>()

// The closed union of errors and the client, nothing else.
expectTypeOf(CatalogAll.assets()).toEqualTypeOf<Stream.Stream<Catalog.Asset, ApiError.ApiError, Client.Client>>()
expectTypeOf(CatalogAll.markets({ limit: 1, format: "json_stream" })).toEqualTypeOf<Endpoint.Records<Catalog.Market>>()
expectTypeOf(CatalogAll.marketCandles.pages({ limit: 1 })).toEqualTypeOf<Endpoint.Pages<Catalog.MarketCandles>>()
CatalogAll.assets({ assets: [Identifier.bySymbolUnsafe("talos", "BTC"), "eth"], exclude: ["markets", "exchanges"] })

// @ts-expect-error: metrics, markets or exchanges
CatalogAll.assets({ include: ["trades"] })
// @ts-expect-error: one of six kinds of data
CatalogAll.markets({ exclude: "greeks" })
// @ts-expect-error: only markets are offered as lines
CatalogAll.assets({ format: "json_stream" })
// @ts-expect-error: only catalogs of markets have a limit
CatalogAll.indexes({ limit: 1 })
// @ts-expect-error: a catalog comes whole
CatalogAll.markets({ page_size: 10 })

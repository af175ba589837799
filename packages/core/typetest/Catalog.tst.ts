import { type ApiError, Catalog, type Client, type Endpoint, Identifier } from "@sluice/core"
import type * as Stream from "effect/Stream"
import { expectTypeOf } from "vitest"
import type { Offered } from "./Wire.ts"

// Every filter is optional; the closed union of errors and the client, nothing else.
expectTypeOf(Catalog.assets()).toEqualTypeOf<Stream.Stream<Catalog.Asset, ApiError.ApiError, Client.Client>>()
expectTypeOf(Catalog.metrics({})).toEqualTypeOf<Stream.Stream<Catalog.AssetMetric, ApiError.ApiError, Client.Client>>()
expectTypeOf(Catalog.indexes.pages()).toEqualTypeOf<Endpoint.Pages<Catalog.Index>>()

// Lists take one name, a comma list, several, and identifiers.
Catalog.assets({ assets: [Identifier.bySymbolUnsafe("talos", "BTC"), "eth"], include: "metrics" })
Catalog.assets({ assets: Identifier.byIdUnsafe("talos", 24), include: ["metrics", "markets"], exclude: ["exchanges"] })
Catalog.assetAlerts({ assets: Identifier.byNameUnsafe("btc"), alerts: ["assets_v4_reorg", "hash_rate"] })
Catalog.assetChains({ assets: [Identifier.byNameUnsafe("btc")] })
Catalog.mempoolFeerates({ assets: [Identifier.byNameUnsafe("btc")] })
Catalog.miningPoolTipsSummary({ assets: [Identifier.byNameUnsafe("btc")] })
Catalog.transactionTracker({ assets: [Identifier.byNameUnsafe("btc")], pretty: true })
Catalog.exchanges({ exchanges: [Identifier.bySymbolUnsafe("talos", "coinbase"), "binance"] })
Catalog.metrics({ metrics: "PriceUSD,AdrActCnt", reviewable: true }, { retry: undefined, query: { brand_new: "x" } })

// Known frequencies are offered, others are accepted.
type AnyFrequency = Exclude<Catalog.FrequencyRange["frequency"], null | undefined>
expectTypeOf<"1d">().toExtend<Offered<AnyFrequency>>()
expectTypeOf<string>().toExtend<AnyFrequency>()

// @ts-expect-error: metrics, markets or exchanges
Catalog.assets({ include: "trades" })
// @ts-expect-error: metrics, markets or exchanges
Catalog.assets({ exclude: ["metrics", "full_name"] })
// @ts-expect-error: several words are an array
Catalog.assets({ include: "metrics,markets" })
// @ts-expect-error: only assets and markets have parts to choose
Catalog.exchanges({ include: "markets" })
// @ts-expect-error: only markets are offered as lines
Catalog.assets({ format: "json_stream" })
// @ts-expect-error: only markets are offered as lines
Catalog.indexes({ format: "json" })
// @ts-expect-error: only catalogs of markets have a limit
Catalog.pairs({ limit: 1 })
// @ts-expect-error: a catalog comes whole
Catalog.assets({ page_size: 10 })
// @ts-expect-error: a catalog comes whole
Catalog.assets.pages({ page_size: 10 })
// @ts-expect-error: a catalog comes whole
Catalog.institutions({ paging_from: "end" })
// @ts-expect-error: a catalog comes whole
Catalog.metrics({ next_page_token: "t" })
// @ts-expect-error: true or false
Catalog.pairMetrics({ reviewable: "true" })
// @ts-expect-error: alerts have assets and names
Catalog.assetChains({ alerts: "a" })

import { type ApiError, Catalog, type Client, type Endpoint, Identifier } from "@sluice/core"
import type * as Stream from "effect/Stream"
import { expectTypeOf } from "vitest"

// A set of filters by itself is that of every catalog of one kind of data.
expectTypeOf<Catalog.MarketFilters>().toEqualTypeOf<Catalog.MarketSeriesParams>()

// Every filter is optional; the closed union of errors and the client, nothing else, whatever the format.
expectTypeOf(Catalog.markets()).toEqualTypeOf<Stream.Stream<Catalog.Market, ApiError.ApiError, Client.Client>>()
expectTypeOf(Catalog.markets({ format: "json_stream" })).toEqualTypeOf<Endpoint.Records<Catalog.Market>>()
expectTypeOf(Catalog.marketTrades({ limit: 10 })).toEqualTypeOf<
  Stream.Stream<Catalog.MarketSeries, ApiError.ApiError, Client.Client>
>()
expectTypeOf(Catalog.marketMetrics.pages({ limit: "none" })).toEqualTypeOf<Endpoint.Pages<Catalog.MarketMetrics>>()

// Lists take one name, a comma list, several, and identifiers.
const coinbase = Identifier.bySymbolUnsafe("talos", "coinbase", "BTC-USD")
Catalog.markets({ markets: coinbase, include: "trades", exclude: ["quotes", "liquidations"] })
Catalog.marketTrades({ markets: [coinbase, Identifier.byIdUnsafe("talos", 1001, 24n), "kraken-btc-usd-spot"] })
Catalog.marketGreeks({ markets: "a,b", exchange: "deribit", type: "option", base: "btc", quote: "usd", format: "json" })

// Types that are not known are accepted.
expectTypeOf<string>().toExtend<Catalog.Market["type"]>()
declare const anyType: string
Catalog.marketTrades({ type: anyType })

// @ts-expect-error: one of six kinds of data
Catalog.markets({ include: "candles" })
// @ts-expect-error: one of six kinds of data
Catalog.markets({ exclude: ["trades", "metrics"] })
// @ts-expect-error: several words are an array
Catalog.markets({ include: "trades,quotes" })
// @ts-expect-error: only the catalog of all kinds of data has parts to choose
Catalog.marketTrades({ include: "trades" })
// The service's own form of a limit is text.
Catalog.markets({ limit: "10" })
// @ts-expect-error: a number, or the word none
Catalog.marketQuotes({ limit: "all" })
// @ts-expect-error: csv is not offered
Catalog.markets({ format: "csv" })
// @ts-expect-error: pages are json, so there is no format to choose
Catalog.marketTrades.pages({ format: "json_stream" })
// @ts-expect-error: a catalog comes whole
Catalog.markets({ page_size: 10 })
// @ts-expect-error: a filter of reference data alone
Catalog.markets({ publisher: "p" })
// @ts-expect-error: one exchange
Catalog.marketOrderbooks({ exchange: ["coinbase", "kraken"] })

import { type ApiError, type Client, Identifier, ReferenceData } from "@sluice/core"
import type * as Stream from "effect/Stream"
import { expectTypeOf } from "vitest"
import type { Flat, Row } from "./Wire.ts"

// What a call with `include` yields, whole; the closed union of errors and the client, nothing else.
const plain = ReferenceData.assets()
expectTypeOf<Flat<Row<typeof plain>>>().toEqualTypeOf<Flat<ReferenceData.Asset>>()
expectTypeOf(plain).toExtend<Stream.Stream<ReferenceData.Asset, ApiError.ApiError, Client.Client>>()
const assets = ReferenceData.assets({ include: "talos", format: "json_stream" })
expectTypeOf<Flat<Row<typeof assets>>>().toEqualTypeOf<{
  readonly asset: string
  readonly full_name?: string | null
  readonly talos?: ReadonlyArray<ReferenceData.AssetProvider> | null
}>()
expectTypeOf(assets).toEqualTypeOf<Stream.Stream<Row<typeof assets>, ApiError.ApiError, Client.Client>>()
const exchanges = ReferenceData.exchanges({ include: ["talos"] })
expectTypeOf<Flat<Row<typeof exchanges>>>().toEqualTypeOf<{
  readonly exchange: string
  readonly full_name?: string | null
  readonly talos?: ReadonlyArray<ReferenceData.ExchangeProvider> | null
}>()
const markets = ReferenceData.markets({ include: "talos", exchange: "coinbase" })
expectTypeOf<Flat<Row<typeof markets>>>().toEqualTypeOf<
  Flat<ReferenceData.Market & { readonly talos?: ReadonlyArray<ReferenceData.MarketProvider> | null }>
>()

// Lists take identifiers.
ReferenceData.assets({ assets: [Identifier.bySymbolUnsafe("talos", "BTC"), "eth"], include: "talos" })
ReferenceData.assets({ assets: Identifier.byIdUnsafe("talos", 24) })
ReferenceData.exchanges({ exchanges: [Identifier.byIdUnsafe("talos", 1003)] })
ReferenceData.markets({ markets: [Identifier.bySymbolUnsafe("talos", "coinbase", "BTC-USD")] })

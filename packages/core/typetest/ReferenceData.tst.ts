import { type ApiError, type Client, Endpoint, type Endpoints, ReferenceData } from "@sluice/core"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import { expectTypeOf } from "vitest"
import type { Row } from "./Wire.ts"

// Every filter is optional, and so are the parameters as a whole.
expectTypeOf(ReferenceData.pairs()).toEqualTypeOf<Stream.Stream<ReferenceData.Pair, ApiError.ApiError, Client.Client>>()
expectTypeOf(ReferenceData.pairs({})).toEqualTypeOf<Endpoint.Records<ReferenceData.Pair>>()
expectTypeOf(ReferenceData.pairs({ pairs: "a-b", page_size: 1 })).toEqualTypeOf<Endpoint.Records<ReferenceData.Pair>>()
expectTypeOf(ReferenceData.pairs.pages()).toEqualTypeOf<Endpoint.Pages<ReferenceData.Pair>>()
ReferenceData.pairs(undefined, { retry: undefined })
ReferenceData.pairs({ pairs: undefined, format: undefined })

// @ts-expect-error: a parameter nobody knows
ReferenceData.pairs({ pair: "a-b" })
// @ts-expect-error: pages are json, so there is no format to choose
ReferenceData.pairs.pages({ format: "json_stream" })
// @ts-expect-error: newer parameters are text
ReferenceData.pairs({}, { query: { brand_new: 1 } })

// `include` adds the provider's array to the record, under its name.
type Providers = ReadonlyArray<ReferenceData.AssetProvider> | null | undefined
const plain = ReferenceData.assets({ assets: ["btc"] })
expectTypeOf(plain).toExtend<Endpoint.Records<ReferenceData.Asset>>()
// @ts-expect-error: not asked for
expectTypeOf<Row<typeof plain>["talos"]>()
const bare = ReferenceData.assets()
// @ts-expect-error: not asked for
expectTypeOf<Row<typeof bare>["talos"]>()
const included = ReferenceData.assets({ include: ["talos"] })
expectTypeOf<Row<typeof included>["talos"]>().toEqualTypeOf<Providers>()
expectTypeOf<Row<typeof included>["asset"]>().toEqualTypeOf<string>()
const named = ReferenceData.assets({ include: "talos" })
expectTypeOf<Row<typeof named>["talos"]>().toEqualTypeOf<Providers>()
const several = ReferenceData.assets({ include: "talos,other" })
expectTypeOf<Row<typeof several>["other"]>().toEqualTypeOf<Providers>()
const pages = ReferenceData.exchanges.pages({ include: "talos" })
expectTypeOf<Row<typeof pages>["data"][number]["talos"]>().toEqualTypeOf<
  ReadonlyArray<ReferenceData.ExchangeProvider> | null | undefined
>()
const markets = ReferenceData.markets({ include: "talos" })
expectTypeOf<Row<typeof markets>["talos"]>().toEqualTypeOf<
  ReadonlyArray<ReferenceData.MarketProvider> | null | undefined
>()
declare const namespace: string
const unknown = ReferenceData.assets({ include: namespace })
expectTypeOf(unknown).toExtend<Endpoint.Records<ReferenceData.Asset>>()

// An endpoint of one's own: required parameters make the argument required.
const required = Endpoint.make("/x", {
  section: "4.1",
  params: Schema.Struct({ id: Schema.String, limit: Schema.optional(Schema.Number) }),
  record: Schema.Struct({ id: Schema.String })
})
expectTypeOf(required({ id: "a" })).toEqualTypeOf<Endpoint.Records<{ readonly id: string }>>()
// @ts-expect-error: id is required
required()
// @ts-expect-error: id is required
required({ limit: 1 })
// @ts-expect-error: records are checked without conversion
Endpoint.make("/x", { section: "4.1", params: Schema.Struct({}), record: Schema.FiniteFromString })

// An entry of the list is an endpoint of which only the data is known.
expectTypeOf<Endpoints.Entry["endpoint"]>().toEqualTypeOf<Endpoint.Any>()
expectTypeOf(required).toExtend<Endpoint.Info>()
expectTypeOf<Row<ReturnType<Endpoint.Any>>>().toEqualTypeOf<unknown>()

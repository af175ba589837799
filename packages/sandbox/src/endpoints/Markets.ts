/**
 * GET /reference-data/markets (interface.md 2.4 and 4.1).
 */
import * as Effect from "effect/Effect"
import * as Assets from "../data/Assets.ts"
import * as Exchanges from "../data/Exchanges.ts"
import * as Markets from "../data/Markets.ts"
import type { Endpoint } from "../Endpoint.ts"
import * as Query from "../Query.ts"
import * as Refusal from "../Refusal.ts"
import * as Reference from "./Reference.ts"

const types = ["spot", "future", "option", "bond"] as const

// Fiat currencies and securities stand in markets too, so a plain ticker is taken as it is.
const ticker = Effect.fnUntraced(function* (query: Query.Query, name: string) {
  const text = query.get(name)
  if (text === undefined || !text.startsWith("talos:")) return text
  const asset = Assets.find(text)
  return asset === undefined ? yield* Refusal.unsupported(name, text) : asset.asset
})

const exchangeName = Effect.fnUntraced(function* (query: Query.Query) {
  const text = query.get("exchange")
  if (text === undefined) return undefined
  const exchange = Exchanges.find(text)
  return exchange === undefined
    ? yield* Refusal.badParameter("exchange", `Exchange '${text}' is not supported.`)
    : exchange.exchange
})

const list = Effect.fnUntraced(function* (query: Query.Query) {
  yield* Query.atMostOne(query, ["cusip", "figi", "isin"])
  const named = yield* Reference.only(query, "markets", Markets.all(), Markets.find, (id) =>
    Refusal.badParameter("markets", `Market '${id}' is not supported.`)
  )
  const type = query.has("type") ? yield* Query.oneOf(query, "type", types, "spot") : undefined
  const exact: Readonly<Record<string, string | undefined>> = {
    exchange: yield* exchangeName(query),
    type,
    base: yield* ticker(query, "base"),
    quote: yield* ticker(query, "quote"),
    symbol: query.get("symbol"),
    publisher: query.get("publisher"),
    cusip: query.get("cusip"),
    figi: query.get("figi"),
    isin: query.get("isin")
  }
  const asset = yield* ticker(query, "asset")
  const isFull = yield* Reference.include(query)
  const wanted = Object.entries(exact).filter(([, value]) => value !== undefined)
  const items = named.filter(
    (market) =>
      wanted.every(([field, value]) => market[field] === value) &&
      (asset === undefined || [market.base, market.quote, market.size_asset, market.margin_asset].includes(asset))
  )
  return Reference.listing(items, (item) => item, isFull ? Markets.provider : undefined)
})

/** The markets. */
export const markets: Endpoint = {
  path: "/reference-data/markets",
  community: true,
  parameters: [
    "markets",
    "exchange",
    "type",
    "base",
    "quote",
    "asset",
    "symbol",
    "publisher",
    "cusip",
    "figi",
    "isin",
    "include"
  ],
  pagingFrom: "start",
  list
}

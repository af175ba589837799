/** The market filters, shared by the reference data and the catalogs (docs/interface.md 4.1 and 4.5). */
import * as Effect from "effect/Effect"
import { marketFilters } from "#interface/operations/Catalog"
import * as Assets from "../data/Assets.ts"
import * as Exchanges from "../data/Exchanges.ts"
import * as Listings from "../data/Listings.ts"
import * as MarketIndex from "../data/MarketIndex.ts"
import type { Caller } from "../internal/request/Caller.ts"
import * as Query from "../internal/request/Query.ts"
import * as Refusal from "../internal/request/Refusal.ts"
import * as Reference from "./Reference.ts"

export const parameters = Object.keys(marketFilters)

const types = marketFilters["type"]?.words ?? []

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

/** Lists the markets that pass the filters; `more` are fields that must equal the parameter of their name. */
export const markets = Effect.fnUntraced(function* (
  query: Query.Query,
  caller: Caller,
  more: ReadonlyArray<string> = []
) {
  const known = Listings.markets(caller.view)
  const named = yield* Reference.only(query, "markets", known.all(), known.find, (id) =>
    Refusal.badParameter("markets", `Market '${id}' is not supported.`)
  )
  const exact: Readonly<Record<string, string | undefined>> = {
    exchange: yield* exchangeName(query),
    type: yield* Query.oneOf(query, "type", types),
    base: yield* ticker(query, "base"),
    quote: yield* ticker(query, "quote"),
    symbol: query.get("symbol"),
    ...Object.fromEntries(more.map((field) => [field, query.get(field)]))
  }
  const asset = yield* ticker(query, "asset")
  const wanted = Object.entries(exact).filter(([, value]) => value !== undefined)
  // The list itself, by which the catalogs know it again.
  if (wanted.length === 0 && asset === undefined) return named
  return named.filter(
    (market) =>
      wanted.every(([field, value]) => market[field] === value) &&
      (asset === undefined || MarketIndex.assetsOf(market).includes(asset))
  )
})

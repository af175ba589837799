/** What the questions are asked of: entities that the key may read, found in the catalogs. */
import * as Effect from "effect/Effect"
import { type Item, itemsOf, textOf, textsOf } from "./Item.ts"
import * as Reading from "./Reading.ts"
import type { Query } from "./Service.ts"
import { forbidden } from "./Undecided.ts"

/** Records of a v2 catalog, which lists what the key may read. */
export const catalog = Effect.fnUntraced(function* (name: string, query: Query) {
  const { items } = yield* Reading.page(`/catalog-v2/${name}`, query)
  return items.length === 0 ? yield* forbidden(`the catalog of ${name} lists none for this key`) : items
})

/** The time of the newest record. A catalog may be ahead of it or behind. */
const newest = (path: string, query: Query) =>
  Effect.map(Reading.records(path, { ...query, paging_from: "end", page_size: 1 }), ([item]) => textOf(item, "time"))

/** The end of the data of a record of a catalog. */
const endOf = (item: Item): string => {
  const ranges = [item, ...["frequencies", "depths"].flatMap((key) => itemsOf(item[key]))]
  return ranges.reduce((last, range) => (textOf(range, "max_time") > last ? textOf(range, "max_time") : last), "")
}

const rank = (item: Item) => (textOf(item, "market").startsWith("coinbase-") ? 0 : 1)

/** The markets of a catalog whose data reaches the furthest, those of a well-known exchange first. */
const markets = Effect.fnUntraced(function* (name: string, query: Query) {
  const items = yield* catalog(name, { ...query, page_size: 1_000 })
  const last = items.map(endOf).toSorted().at(-1) ?? ""
  // Data of live series ends minutes apart.
  const alive = items.filter((item) => endOf(item).slice(0, 13) === last.slice(0, 13))
  return alive.toSorted((a, b) => rank(a) - rank(b))
})

const spot: Query = { base: "btc", quote: "usd", type: "spot" }

const preferred = ["PriceUSD", "ReferenceRateUSD", "AdrActCnt"]

/** The daily metrics of an asset, with the times of their first values. */
const daily = (asset: Item | undefined) =>
  itemsOf(asset?.["metrics"]).flatMap((item) => {
    const range = itemsOf(item["frequencies"]).find((one) => textOf(one, "frequency") === "1d")
    return range === undefined ? [] : [{ metric: textOf(item, "metric"), min: textOf(range, "min_time") }]
  })

/** Two assets in the order of their names, a metric that both have each day, and its last day. */
export const metric = Effect.gen(function* () {
  const found = yield* catalog("asset-metrics", { assets: "btc,eth", page_size: 2 })
  const [all = [], others = []] = found.map(daily)
  const both = all.filter(({ metric }) => others.some((other) => other.metric === metric))
  const { metric } = both.find(({ metric }) => preferred.includes(metric)) ?? both[0] ?? {}
  if (metric === undefined) return yield* forbidden("the key reads no daily metric of btc and eth")
  const assets = textsOf(found, "asset").toSorted()
  const asset = textOf(found[0], "asset")
  const last = yield* newest("/timeseries/asset-metrics", { assets: asset, metrics: metric })
  return { assets, asset, metric, all, to: Reading.dayOf(last) }
})

/** A spot market with candles, and the time of its newest hourly one. */
export const candles = Effect.gen(function* () {
  const market = textOf((yield* markets("market-candles", spot))[0], "market")
  const hour = yield* newest("/timeseries/market-candles", { markets: market, frequency: "1h" })
  return { market, exchange: market.replace(/-.*$/, ""), hour }
})

/** Spot markets of one exchange, from all parts of its list: most are of small assets, which pause. */
export const quiet = Effect.gen(function* () {
  const { exchange } = yield* candles
  const names = textsOf(yield* markets("market-candles", { exchange, quote: "usd", type: "spot" }), "market")
  const step = Math.max(1, Math.floor(names.length / 10))
  return names.filter((_, index) => index % step === 0)
})

export const trades = Effect.map(markets("market-trades", spot), (items) => textOf(items[0], "market"))

/** Derivatives, of which most in a catalog have expired. */
const several = Effect.fnUntraced(function* (name: string, query: Query) {
  const { hour } = yield* candles
  const found = textsOf((yield* markets(name, { ...query, start_time: hour })).slice(0, 20), "market")
  return { markets: found.join(), last: yield* newest(`/timeseries/${name}`, { markets: found[0] ?? "" }) }
})

/** Futures with an open interest, and the time of the newest of the first. */
export const interest = several("market-openinterest", { base: "btc", type: "future" })

/** Options with quotes, and the time of the newest of the first. */
export const options = several("market-quotes", { base: "btc", type: "option" })

export const quotes = Effect.map(markets("market-quotes", spot), (items) => textsOf(items, "market"))

const hasUpdates = (item: Item) =>
  itemsOf(item["depths"])
    .flatMap((depth) => itemsOf(depth["datasets"]))
    .some((one) => textOf(one, "dataset") === "updates")

/** Spot markets with books, one with updates if any has, and the time of its newest snapshot. */
export const book = Effect.gen(function* () {
  const items = yield* markets("market-orderbooks", spot)
  // Not the well-known exchange, whose updates of a minute are more than is read.
  const found = items.findLast(hasUpdates)
  const market = textOf(found ?? items[0], "market")
  const last = yield* newest("/timeseries/market-orderbooks", { markets: market })
  return { market, markets: textsOf(items, "market"), hasUpdates: found !== undefined, last }
})

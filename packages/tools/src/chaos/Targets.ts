/**
 * What is read: every endpoint there is, with parameters that ask for a few hundred records at most.
 */
import { type Endpoint, Endpoints, TokenMetrics } from "@sluice/core"
import type { Dice } from "./Dice.ts"

/** An endpoint by its path, and how it is asked. */
export interface Target {
  readonly path: string
  /** What is asked for; which records come follows from it alone. */
  readonly content: Readonly<Record<string, unknown>>
  /** How it is asked for: paging and format. */
  readonly form: {
    readonly format?: "json_stream"
    readonly page_size?: number
    readonly paging_from?: "start" | "end"
    readonly pretty?: boolean
  }
}

/** What is asked for, and about how many records that is. */
type Asked = readonly [content: Record<string, unknown>, about: number]

const byPath = new Map(Endpoints.all.map((endpoint) => [endpoint.path, endpoint]))

/** The endpoint of a target. */
export const endpointOf = ({ path }: Pick<Target, "path">): Endpoint.Any => byPath.get(path)!

/** Whether a target is read page by page. */
export const isPaged = (target: Target): boolean =>
  endpointOf(target).pageSize !== undefined && target.form.format === undefined

/** Every path, in the order of the list. */
export const paths: ReadonlyArray<string> = [...byPath.keys()]

const takes = (path: string, name: string) => byPath.get(path)!.parameters.has(name)

const assets = "ada avax bch bnb btc doge dot etc eth link ltc sol trx uni usdc usdt xlm xrp".split(" ")
const exchanges = "binance bitfinex bitstamp bybit coinbase deribit gemini kraken".split(" ")
const pairs = ["ada-usd", "bch-usd", "btc-usd", "doge-usd", "eth-btc", "eth-usd", "link-usd", "ltc-usd", "sol-usd"]
const markets = [
  "binance-BTCUSD-future",
  "bitstamp-eth-usd-spot",
  "bybit-BTC-10JUL26-100000-C-option",
  "coinbase-ltc-usd-spot",
  "coinbase-sol-usd-spot",
  "kraken-BTCUSD-future",
  "kraken-xrp-usd-spot"
]

/** One or several; a list parameter takes either, and all when it is absent. */
const list = (dice: Dice, name: string, items: ReadonlyArray<string>): Asked => {
  const some = dice.some(items, 1, items.length)
  return [{ [name]: some.length === 1 && dice.chance(0.5) ? some[0] : some }, some.length]
}

const maybeAll = (dice: Dice, name: string, items: ReadonlyArray<string>, all: number): Asked =>
  dice.chance(0.4) ? [{}, all] : list(dice, name, items)

const catalogOfMarkets = (dice: Dice): Asked => {
  if (dice.chance(0.3)) return list(dice, "markets", markets)
  const limit = dice.int(1, 40)
  return [{ limit, ...(dice.chance(0.4) ? { exchange: dice.pick(exchanges) } : {}) }, limit]
}

const asked: Readonly<Record<string, (dice: Dice) => Asked>> = {
  "/reference-data/assets": (dice) => {
    const [content, about] = maybeAll(dice, "assets", assets, 369)
    return [dice.chance(0.3) ? { ...content, include: ["talos"] } : content, about]
  },
  "/reference-data/exchanges": (dice) => maybeAll(dice, "exchanges", exchanges, 74),
  "/reference-data/markets": (dice) =>
    dice.chance(0.4)
      ? list(dice, "markets", markets)
      : [{ exchange: dice.pick(["coinbase", "gemini"]), type: "spot", base: dice.pick(["btc", "eth"]) }, 20],
  "/reference-data/indexes": (dice) => maybeAll(dice, "indexes", ["CMBI10", "CMBIBTC", "CMBIETH"], 187),
  "/reference-data/pairs": (dice) => list(dice, "pairs", pairs),
  "/reference-data/protocols": () => [{}, 24],
  "/profile/assets": (dice) => maybeAll(dice, "assets", assets, 160),
  "/taxonomy/assets": (dice) =>
    dice.chance(0.5) ? [{ version: "*", assets }, 40] : maybeAll(dice, "assets", assets, 303),
  "/taxonomy-metadata/assets": (dice) => [dice.chance(0.7) ? { version: "*" } : {}, 5],
  assets: (dice) => list(dice, "assets", ["btc", "eth", "ltc", "sol"]),
  exchanges: (dice) => list(dice, "exchanges", ["bitstamp", "gemini"]),
  "exchange-assets": (dice) => list(dice, "exchange_assets", ["coinbase-btc", "coinbase-eth", "kraken-btc"]),
  pairs: (dice) => list(dice, "pairs", pairs),
  "pair-candles": (dice) => list(dice, "pairs", pairs),
  indexes: (dice) => maybeAll(dice, "indexes", ["CMBI10", "CMBIBTC", "CMBIETH"], 187),
  "index-candles": (dice) => list(dice, "indexes", ["CMBI10", "CMBIBTC", "CMBIETH"]),
  "exchange-asset-metrics": () => [{ metrics: ["basis_annualized_90d_exp"] }, 1]
}

const day = (number: number) => new Date(Date.UTC(2024, 0, number)).toISOString()

/** The time series, in every order and frequency that can be resumed, and in those that cannot. */
const series = (dice: Dice): Asked => {
  const frequency = dice.weighted([
    [6, "1d"],
    [2, "1h"],
    [2, "1m"],
    [2, "1b"],
    [1, "1d-ny-close"]
  ])
  // Now and then more than the stand-in writes at once.
  const rows = dice.chance(0.05) ? dice.int(100, 300) : dice.int(1, 60)
  const chosen = dice.some(assets, 1, dice.weighted([[2, 1] as const, [3, 4] as const]))
  const start = dice.int(1, 900)
  const minutes = { "1m": 1, "1h": 60, "1b": 10 }[frequency] ?? 1440
  // Ten minutes hold one block of btc and dozens of other chains.
  const length = frequency === "1b" ? Math.min(rows, 5) * minutes : rows * minutes
  const end = new Date(Date.parse(day(start)) + length * 60_000).toISOString()
  const whole = frequency.startsWith("1d")
  const metrics =
    frequency === "1d" && dice.chance(0.25)
      ? TokenMetrics.all.map(({ id }) => id)
      : dice.some(["PriceUSD", "ReferenceRate", "AdrActCnt", "TxCnt", "SplyBMXNtv", "NDF"], 1, 3)
  const content = {
    assets: chosen.length === 1 && dice.chance(0.5) ? chosen[0]! : chosen,
    metrics,
    frequency,
    ignore_unsupported_errors: true,
    start_time: whole ? day(start).slice(0, 10) : day(start),
    end_time: whole ? end.slice(0, 10) : end,
    ...(dice.chance(0.2) ? { sort: dice.pick(["asset", "time", ...(frequency === "1b" ? ["height"] : [])]) } : {}),
    ...(dice.chance(0.1) ? { limit_per_asset: dice.int(1, 20) } : {}),
    ...(dice.chance(0.1) ? { timezone: "America/New_York" } : {}),
    ...(dice.chance(0.15) ? { start_inclusive: false } : {}),
    ...(dice.chance(0.15) ? { end_inclusive: false } : {}),
    ...(dice.chance(0.1) ? { null_as_zero: true } : {}),
    ...(dice.chance(0.1) ? { status: dice.pick(["reviewed", "revised"]) } : {})
  }
  const perAsset = frequency === "1b" ? rows * 5 : rows
  return [content, chosen.length * perAsset]
}

const contentOf = (dice: Dice, path: string): Asked => {
  if (path === "/timeseries/asset-metrics") return series(dice)
  const name = path.replace(/^\/catalog(?:-all)?\//, "")
  const ask = asked[path === `/catalog/${name}` || path === `/catalog-all/${name}` ? name : path]
  if (ask !== undefined) return ask(dice)
  return takes(path, "limit") ? catalogOfMarkets(dice) : [{}, 50]
}

// Half of the schedules' work is where most can go wrong: in pages and in lines that are resumed.
const catalogs = paths.filter((path) => path.startsWith("/catalog"))
const lists = paths.filter((path) => !path.startsWith("/catalog") && !path.startsWith("/timeseries"))

/** The most pages of one stream, about. */
const mostPages = 15

/** Throws a target. */
export const draw = (dice: Dice): Target => {
  const path = dice.weighted([
    [40, "/timeseries/asset-metrics"],
    [35, dice.pick(lists)],
    [25, dice.pick(catalogs)]
  ])
  const [content, about] = contentOf(dice, path)
  const { formats, pageSize } = endpointOf({ path })
  const isStream = formats.includes("json_stream") && dice.chance(0.5)
  const size = Math.min(50, Math.ceil(about / dice.int(1, mostPages)))
  return {
    path,
    content,
    form: {
      ...(isStream ? { format: "json_stream" as const } : {}),
      ...(pageSize === undefined || isStream ? {} : { page_size: size }),
      ...(pageSize !== undefined && dice.chance(0.2) ? { paging_from: dice.pick(["start", "end"] as const) } : {}),
      ...(dice.chance(0.05) ? { pretty: true } : {})
    }
  }
}

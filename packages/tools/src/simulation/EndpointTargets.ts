/** What is read: every endpoint there is, with parameters that ask for a few hundred records at most. */
import { type Endpoint, Endpoints, TokenMetrics } from "@sluice/core"
import type { Dialect } from "@sluice/sandbox"
import type { Draw } from "../../../core/test/Draw.ts"
import * as ExampleParams from "../../../node/test/ExampleParams.ts"

/** A record of those values that are not `undefined`. */
const record = <A extends Record<string, unknown>>(fields: A): { readonly [K in keyof A]?: Exclude<A[K], undefined> } =>
  // Type boundary: the fields that are `undefined` are left out.
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never

/** An endpoint by its path, and how it is asked. */
export interface Target {
  readonly path: string
  /** What is asked for; which records come follows from it alone. */
  readonly content: Readonly<Record<string, unknown>>
  /** How it is asked for: paging and format. */
  readonly paging: {
    readonly format?: "json_stream"
    readonly page_size?: number
    readonly paging_from?: "start" | "end"
    readonly pretty?: boolean
  }
}

type Content = Target["content"]

const byPath = new Map(Endpoints.all.map((endpoint) => [endpoint.path, endpoint]))

export const endpointOf = ({ path }: Pick<Target, "path">): Endpoint.Any => byPath.get(path)!

export const isPaged = (target: Target): boolean =>
  endpointOf(target).pageSize !== undefined && target.paging.format === undefined

/** The open questions whose answer decides which records there are, and what they hold. */
export const questions = [
  "limit",
  "catalogPage",
  "noValue",
  "flatCandles"
] as const satisfies ReadonlyArray<Dialect.Name>

/** Whether a target is read as pages from the end although its records ascend, because it asks for the latest. */
export const isTurned = ({ content, paging }: Target): boolean =>
  "limit_per_asset" in content && paging.format === undefined && paging.paging_from === undefined

/** What is asked for, with the end from which a limit takes its records: the start where it is read from there. */
export const contentOf = ({ content, paging }: Target): Content =>
  "limit_per_asset" in content && (paging.format !== undefined || paging.paging_from === "start")
    ? { ...content, paging_from: "start" }
    : content

/** Every path, sorted: the members of a module come in one order from Node.js and in another from Vitest. */
export const paths: ReadonlyArray<string> = [...byPath.keys()].toSorted()

const takes = (path: string, name: string) => byPath.get(path)!.parameters.has(name)

const assets = "ada avax bch bnb btc doge dot etc eth link ltc sol trx uni usdc usdt xlm xrp".split(" ")
const exchanges = ["bitstamp", "coinbase", "gemini", "kraken"]

/** Items of the lists by which records are narrowed. */
const listed: Readonly<Record<string, ReadonlyArray<string>>> = {
  markets: [
    "binance-BTCUSD-future",
    "bitstamp-eth-usd-spot",
    "bybit-BTC-10JUL26-100000-C-option",
    "coinbase-ltc-usd-spot",
    "coinbase-sol-usd-spot",
    "kraken-BTCUSD-future",
    "kraken-xrp-usd-spot"
  ],
  assets: ["btc", "eth", "ltc", "sol"],
  exchanges,
  exchange_assets: ["coinbase-btc", "coinbase-eth", "kraken-btc"],
  exchange_pairs: ["coinbase-btc-usd", "coinbase-eth-usd", "kraken-btc-usdt", "kraken-eth-usdt"],
  pairs: ["ada-usd", "btc-usd", "doge-usd", "eth-btc", "eth-usd", "ltc-usd", "sol-usd"],
  institutions: ["bitwise", "grayscale", "osprey"],
  indexes: ["CMBI10", "CMBIBTC", "CMBIETH"],
  protocols: ["aave_v2", "morpho"]
}

/** A list parameter takes a single text too. */
const asList = (draw: Draw, items: ReadonlyArray<string>) =>
  items.length === 1 && draw.chance(0.5) ? items[0]! : items

/** Without its list a path gives everything, which of these is a few hundred records. */
const isSmall = (path: string) =>
  /^\/(?:reference-data|profile|security-master|taxonomy)\//.test(path) && !/\/(?:markets|pairs)$/.test(path)

/** A few markets, or those of an exchange: all there are would be thousands of pages. */
const markets = (draw: Draw, path: string): Content => {
  if (draw.chance(0.4)) return { markets: asList(draw, draw.some(listed["markets"]!)) }
  if (takes(path, "limit")) {
    return record({ limit: draw.int(1, 40), exchange: draw.maybe(0.4, () => draw.one(exchanges)) })
  }
  return { exchange: draw.one(["coinbase", "gemini"]), base: draw.one(["btc", "eth"]) }
}

/** What narrows the records of a path that is no series, or nothing where all of them are few. */
const narrowed = (draw: Draw, path: string): Content => {
  const whole = ExampleParams.of(endpointOf({ path }))
  if (path.startsWith("/blockchain"))
    return takes(path, "end_time") ? { ...whole, end_time: "2024-03-01T09:32:00" } : whole
  // A job that is done names the addresses of its files, which follow from the port of the stand-in.
  if (path === "/jobs") return { ids: ["sandbox-failed", "sandbox-running"] }
  if (path.startsWith("/constituent-")) return whole
  if (path.endsWith("/exchange-asset-metrics") && takes(path, "metrics"))
    return { metrics: ["basis_annualized_90d_exp"] }
  if (takes(path, "markets") && !takes(path, "protocols")) return markets(draw, path)
  const own = record({
    version: draw.maybe(takes(path, "version") ? 0.5 : 0, () => "*"),
    include: draw.maybe(path === "/reference-data/assets" ? 0.3 : 0, () => ["talos"])
  })
  const name = Object.keys(listed).find((name) => takes(path, name))
  if (name === undefined || (isSmall(path) && own.version === undefined && draw.chance(0.4))) return own
  const items = name === "assets" && isSmall(path) ? assets : listed[name]!
  return { ...own, [name]: asList(draw, draw.some(items)) }
}

const after = (start: string, minutes: number) => new Date(Date.parse(start) + minutes * 60_000).toISOString()

const metrics = ["PriceUSD", "ReferenceRate", "AdrActCnt", "TxCnt", "SplyBMXNtv", "NDF"]

/** Asset metrics in every frequency, with what changes the order or the set of its records, so that some cannot be resumed. */
const assetMetrics = (draw: Draw): Content => {
  const frequency = draw.one(["1d", "1d", "1d", "1h", "1m", "1b", "1d-ny-close"])
  // Ten minutes hold one block of btc and dozens of other chains.
  const minutes = { "1m": 1, "1h": 60, "1b": 10 }[frequency] ?? 1440
  // Now and then more than the stand-in writes at once.
  const rows = draw.chance(0.05) ? draw.int(100, 300) : draw.int(1, 60)
  const start = after("2024-01-01T00:00:00Z", draw.below(900) * 1440)
  const shown = (time: string) => (frequency.startsWith("1d") ? time.slice(0, 10) : time)
  const isEveryMetric = frequency === "1d" && draw.chance(0.25)
  return {
    assets: asList(draw, draw.some(assets, draw.one([1, 1, 4, 4, 4]))),
    metrics: isEveryMetric ? TokenMetrics.all.map(({ id }) => id) : draw.some(metrics, 3),
    frequency,
    ignore_unsupported_errors: true,
    start_time: shown(start),
    end_time: shown(after(start, (frequency === "1b" ? Math.min(rows, 5) : rows) * minutes)),
    ...record({
      sort: draw.maybe(0.2, () => draw.one(["asset", "time", ...(frequency === "1b" ? ["height"] : [])])),
      limit_per_asset: draw.maybe(0.1, () => draw.int(1, 20)),
      timezone: draw.maybe(0.1, () => "America/New_York"),
      start_inclusive: draw.maybe(0.15, () => false),
      end_inclusive: draw.maybe(0.15, () => false),
      null_as_zero: draw.maybe(0.1, () => true),
      status: draw.maybe(0.1, () => draw.one(["reviewed", "revised"]))
    })
  }
}

/** Any other series: some entities, some minutes long. */
const series = (draw: Draw, path: string): Content => {
  const isOne = draw.chance(0.3)
  const entries = Object.entries(ExampleParams.of(endpointOf({ path })))
  const content = entries.map(([name, value]) => [name, isOne && Array.isArray(value) ? value.slice(0, 1) : value])
  const params = Object.fromEntries(content)
  return { ...params, end_time: after(`${String(params["start_time"])}Z`, draw.int(0, 40)) }
}

const contentAt = (draw: Draw, path: string): Content => {
  if (path === "/timeseries/asset-metrics") return assetMetrics(draw)
  return path.startsWith("/timeseries") ? series(draw, path) : narrowed(draw, path)
}

// Nearly half of the streams are series, where most can go wrong; of the rest each path has its share of two thousand schedules.
const catalogs = paths.filter((path) => path.startsWith("/catalog"))
const otherSeries = paths.filter((path) => path.startsWith("/timeseries") && path !== "/timeseries/asset-metrics")
const lists = paths.filter((path) => !path.startsWith("/catalog") && !path.startsWith("/timeseries"))

export const draw = (draw: Draw): Target => {
  const path = draw.weighted([
    [25, () => "/timeseries/asset-metrics"],
    [20, () => draw.one(otherSeries)],
    [12, () => draw.one(lists)],
    [43, () => draw.one(catalogs)]
  ])
  const { formats, pageSize } = endpointOf({ path })
  const format = formats.includes("json_stream") && draw.chance(0.5) ? ("json_stream" as const) : undefined
  return {
    path,
    content: contentAt(draw, path),
    paging: record({
      format,
      page_size: pageSize === undefined || format !== undefined ? undefined : draw.one([1, 3, 7, 20, 20, 50, 50]),
      paging_from: takes(path, "paging_from") ? draw.maybe(0.2, () => draw.one(["start", "end"] as const)) : undefined,
      pretty: draw.maybe(0.05, () => true)
    })
  }
}

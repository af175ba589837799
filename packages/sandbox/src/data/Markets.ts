/** The markets of the stand-in, with a spread of the optional fields of docs/interface.md 3.4. */
import { marketFields } from "#interface/records/Reference"
import * as Assets from "./Assets.ts"
import * as Drawn from "./Drawn.ts"
import { at, date, DAY, nanos, TODAY } from "../internal/time/Calendar.ts"
import * as Exchanges from "./Exchanges.ts"
import { below, code, pick, seed, unit } from "../internal/random/Noise.ts"
import { once } from "./Remembered.ts"

/** One market; the fields keep their wire names, and an absent field does not exist for the market. */
export interface Market {
  readonly market: string
  readonly exchange: string
  readonly type: "spot" | "future" | "option" | "bond"
  readonly base?: string
  readonly quote?: string
  readonly pair?: string
  readonly symbol?: string
  readonly size_asset?: string
  readonly margin_asset?: string
  readonly publisher?: string
  readonly cusip?: string
  readonly figi?: string
  readonly isin?: string
  readonly [field: string]: unknown
}

const ranked = [...Assets.all].sort((a, b) => a.rank - b.rank)

/** Draws the fields of some names, on which nothing else depends. */
const draw = (names: RegExp) => {
  const fields = Object.entries(marketFields).filter(([name]) => names.test(name))
  const draw = Drawn.fieldsOf(Object.fromEntries(fields))
  return (key: number) => draw(key, TODAY)
}

const orders = draw(/^order_|^margin_trading_enabled$/)
const sizes = draw(/^(?:contract|tick|multiplier)_size$/)
const contract = draw(/^(?:contract|base|quote)_address$|fee$/)
const security = draw(/^security_|^description$/)
const coupon = draw(/^coupon_rate$/)

const status = (key: number): string => (below(key, 40, 6) === 0 ? "offline" : "online")

const traded = (
  exchange: Exchanges.Exchange,
  type: Market["type"],
  base: string,
  quote: string,
  symbol: string,
  name: string
) => ({
  market: `${exchange.exchange}-${name}-${type}`,
  exchange: exchange.exchange,
  type,
  base,
  quote,
  pair: `${base}-${quote}`,
  symbol
})

const spot = (exchange: Exchanges.Exchange, base: string, quote: string): Market => {
  const own = traded(exchange, "spot", base, quote, `${base}${quote}`.toUpperCase(), `${base}-${quote}`)
  const key = seed(own.market)
  return {
    ...own,
    base_native: base.toUpperCase(),
    quote_native: quote.toUpperCase(),
    status: status(key),
    ...(below(key, 1, 3) > 0 ? orders(key) : {}),
    ...(below(key, 4, 60) === 0 ? { experimental: true } : {})
  }
}

const pool = (exchange: Exchanges.Exchange, base: string, quote: string, n: number): Market => {
  const own = traded(exchange, "spot", base, quote, `${base}-${quote}`, `${n}-${base}-${quote}`)
  return { ...own, pool_config_id: String(n), ...contract(seed(own.market)), experimental: true }
}

const months = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]

const contractDate = (ms: number): string => {
  const [year, month, day] = date(ms).split("-")
  return `${Number(day)}${months[Number(month) - 1]}${year?.slice(2)}`
}

const future = (exchange: Exchanges.Exchange, base: string, quote: string, expiration: number | undefined): Market => {
  const native = `${base}${quote}`.toUpperCase()
  const symbol = expiration === undefined ? native : `${native}_${date(expiration).replaceAll("-", "").slice(2)}`
  const own = traded(exchange, "future", base, quote, symbol, symbol)
  const key = seed(own.market)
  const isInverse = quote === "usd"
  const listing = expiration === undefined ? at("2019-09-08") + below(key, 1, 2000) * DAY : expiration - 181 * DAY
  return {
    ...own,
    size_asset: isInverse ? quote : base,
    margin_asset: isInverse ? base : quote,
    base_native: base.toUpperCase(),
    quote_native: quote.toUpperCase(),
    ...sizes(key),
    listing: nanos(listing),
    ...(expiration === undefined ? {} : { expiration: nanos(expiration) }),
    // An expired contract is settled; one that still trades has no settlement price.
    ...(expiration === undefined || expiration > TODAY
      ? { status: status(key) }
      : {
          status: "offline",
          settlement_price: `${1 + below(key, 4, 99_999)}.${below(key, 5, 1e9)}${below(key, 6, 1e9)}`
        }),
    ...orders(key)
  }
}

const option = (
  exchange: Exchanges.Exchange,
  base: string,
  expiration: number,
  strike: number,
  kind: "call" | "put"
): Market => {
  const symbol = `${base.toUpperCase()}-${contractDate(expiration)}-${strike}-${kind === "call" ? "C" : "P"}`
  const own = traded(exchange, "option", base, "usd", symbol, symbol)
  const key = seed(own.market)
  return {
    ...own,
    size_asset: base,
    margin_asset: base,
    strike: String(strike),
    option_contract_type: kind,
    is_european: true,
    ...sizes(key),
    listing: nanos(expiration - (7 + below(key, 1, 300)) * DAY),
    expiration: nanos(expiration),
    status: expiration > TODAY ? "online" : "offline",
    ...(expiration > TODAY ? {} : { settlement_price: `${strike + below(key, 2, 1000)}.${below(key, 3, 1e6)}` })
  }
}

const bond = (exchange: Exchanges.Exchange, n: number): Market => {
  const key = seed(`${exchange.exchange} bond ${n}`)
  const cusip = `9128${code(key, 1, 5)}`
  const issued = at("2016-02-15") + below(key, 2, 3600) * DAY
  const years = pick(key, 3, [2, 3, 5, 7, 10, 30])
  const isBill = below(key, 4, 5) === 0
  return {
    ...traded(exchange, "bond", cusip.toLowerCase(), "usd", cusip, cusip),
    publisher: exchange.exchange === "finra" ? "finra" : "ice",
    cusip,
    figi: `BBG${code(key, 5, 9)}`,
    isin: `US${cusip}${below(key, 6, 10)}`,
    ...security(key),
    // A bill has none.
    ...(isBill ? {} : coupon(key)),
    issue_date: date(issued),
    maturity_date: date(issued + (isBill ? 182 : years * 365) * DAY),
    price_per100: `${90 + below(key, 9, 10)}.${String(100_000 + below(key, 10, 899_999))}`
  }
}

const fridays = (count: number, step: number): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, n) => at("2026-12-25T08:00:00") - (n - 4) * step * DAY)

const quotes = ["usdt", "usd", "usdc", "eur", "btc", "eth", "krw", "jpy"]
const derivatives = new Set("binance bitget bitmex bybit cme deribit gate.io huobi kraken okex".split(" "))
const optionVenues = new Set(["deribit", "okex", "bybit"])

/** Markets that tests of the official Python client read, so that they can be run against the stand-in. */
const read: Readonly<Record<string, ReadonlyArray<string>>> = { coinbase: ["eth-btc", "eth-usdc"] }

const dollars = new Set(["bitstamp", "coinbase", "gemini", "kraken"])

const ofBook = (exchange: Exchanges.Exchange): ReadonlyArray<Market> => {
  const own = ranked.filter((_, n) => n < 12 || unit(exchange.seed, n) < 18 / (n + 18))
  const has = (quote: string, m: number, n: number) =>
    m === 0 || (quote === "usd" && n < 12 && dollars.has(exchange.exchange)) || unit(exchange.seed + m, n) < 0.28
  const spots = own.flatMap((asset, n) =>
    quotes
      .filter((quote, m) => quote !== asset.asset && has(quote, m, n))
      .map((quote) => spot(exchange, asset.asset, quote))
  )
  const futures = derivatives.has(exchange.exchange)
    ? own.flatMap((asset) => [
        future(exchange, asset.asset, "usdt", undefined),
        future(exchange, asset.asset, "usd", undefined),
        ...(asset.rank < 2 ? fridays(16, 91).map((friday) => future(exchange, asset.asset, "usd", friday)) : [])
      ])
    : []
  const options = optionVenues.has(exchange.exchange)
    ? (["btc", "eth"] as const).flatMap((base) =>
        fridays(12, 28).flatMap((friday) =>
          Array.from({ length: 12 }, (_, n) => (base === "btc" ? 50_000 : 2000) * (1 + n / 4)).flatMap((strike) => [
            option(exchange, base, friday, strike, "call"),
            option(exchange, base, friday, strike, "put")
          ])
        )
      )
    : []
  const others = (read[exchange.exchange] ?? []).map((pair) => {
    const [base = "", quote = ""] = pair.split("-")
    return spot(exchange, base, quote)
  })
  return [...spots, ...others, ...futures, ...options]
}

const ofPool = (exchange: Exchanges.Exchange): ReadonlyArray<Market> =>
  ranked
    .filter((asset, n) => asset.kind === "token" || unit(exchange.seed, n) < 0.25)
    .flatMap((asset, n) =>
      ["weth", "usdc", "usdt"]
        .filter((quote, m) => quote !== asset.asset && unit(exchange.seed + m, n) < 0.6)
        .map((quote, m) => pool(exchange, asset.asset, quote, 1 + n * 3 + m))
    )

const ofVenue = (exchange: Exchanges.Exchange): ReadonlyArray<Market> => {
  switch (exchange.venue) {
    case "book":
      return ofBook(exchange)
    case "pool":
      return ofPool(exchange)
    case "desk":
      return Array.from({ length: 120 }, (_, n) => bond(exchange, n))
  }
}

const named = once(() => new Map(Exchanges.all.flatMap(ofVenue).map((market) => [market.market, market])))

export const all: () => ReadonlyArray<Market> = once(() =>
  [...named().values()].sort((a, b) => (a.market < b.market ? -1 : 1))
)

export const find = (name: string): Market | undefined => named().get(name)

const provided = Drawn.providedOf("/reference-data/markets")

/** The provider array of a market, sent with `include=talos` (docs/interface.md 3.4); its ids are JSON numbers. */
export const provider = (market: Market): ReadonlyArray<Drawn.Json> => {
  const marketId = Exchanges.find(market.exchange)?.marketId ?? 0
  const security_id = seed(market.market) % 1_000_000
  return [
    {
      ...provided(seed(market.market), TODAY),
      cm_ext_market: `talos:${market.exchange}:${market.symbol ?? market.market}`,
      cm_ext_market_by_id: `talos:by-id:${marketId}:${security_id}`,
      market: market.exchange,
      market_id: marketId,
      security_id,
      symbol: market.symbol ?? null,
      base_currency_id: Assets.find(market.base ?? "")?.currencyId ?? null,
      quote_currency_id: Assets.find(market.quote ?? "")?.currencyId ?? null,
      end_time: market["expiration"] ?? null,
      expiration: market["expiration"] ?? null,
      strike_price: market["strike"] ?? null,
      option_type: market["option_contract_type"] ?? null
    }
  ]
}

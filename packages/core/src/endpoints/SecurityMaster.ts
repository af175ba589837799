/**
 * Security master: assets and markets with codes that stay the same. Source: docs/interface.md 4.14; records in 3.18.
 *
 * Not offered at the community root, and only as pages.
 */
import * as Schema from "effect/Schema"
import * as Endpoint from "../Endpoint.ts"
import { decimal, flag, id, integer, text } from "../internal/wire/fields.ts"
import * as Params from "../Params.ts"
import * as Instrument from "./referenceData/Instrument.ts"

/** One asset. Source: docs/interface.md 3.18. */
export const Asset = Schema.Struct({
  /** Asset ticker, in lower case. */
  asset: id,
  /** Ten characters. */
  code: text,
  /** What the asset is, in short. */
  description: text,
  /** What the asset is, at length. */
  overview: text,
  /** Address of its website. */
  website: text,
  /** Address of its white paper. */
  whitepaper: text,
  /** Whole number as text. */
  decimals: text,
  /** Text without a published form. */
  creation_date: text,
  /** Kind of the asset. */
  type: text,
  /** The asset that this one derives from. */
  parent_asset: text,
  /** The asset by whose price it is valued. */
  pricing_asset: text,
  /** Address of its ERC-20 contract. */
  erc20_token_contract: text,
  /** Whether it is a currency of a state. */
  fiat: flag
})
export interface Asset extends Schema.Schema.Type<typeof Asset> {}

/** Parameters of {@link assets}. Source: docs/interface.md 4.14. */
export const AssetsParams = Schema.Struct({
  /** Asset tickers; all assets when absent. */
  assets: Params.entities(Params.list),
  /** Codes of assets, ten characters each. */
  codes: Params.list,
  ...Params.paging
}).check(Params.atMostOne("assets", "codes"))
export interface AssetsParams extends Schema.Schema.Type<typeof AssetsParams> {}

/** Lists assets with their codes. Not offered at the community root. Source: docs/interface.md 4.14. */
export const assets: Endpoint.Endpoint<AssetsParams, Asset> = Endpoint.make("/security-master/assets", {
  section: "4.14",
  community: false,
  params: AssetsParams,
  record: Asset
})

/**
 * One market: what it is, from when to when there is data, and what it traded lately.
 *
 * The times of data are text without a published form.
 *
 * Source: docs/interface.md 3.18.
 */
export const Market = Schema.Struct({
  ...Instrument.name,
  /** Ten characters. */
  code: text,
  /** First time with trades, as text. */
  trades_min_time: text,
  /** Last time with trades, as text. */
  trades_max_time: text,
  /** First time with order books, as text. */
  orderbooks_min_time: text,
  /** Last time with order books, as text. */
  orderbooks_max_time: text,
  /** First time with quotes, as text. */
  quotes_min_time: text,
  /** Last time with quotes, as text. */
  quotes_max_time: text,
  /** First time with funding rates, as text. */
  funding_rates_min_time: text,
  /** Last time with funding rates, as text. */
  funding_rates_max_time: text,
  /** First time with open interest, as text. */
  openinterest_min_time: text,
  /** Last time with open interest, as text. */
  openinterest_max_time: text,
  /** First time with liquidations, as text. */
  liquidations_min_time: text,
  /** Last time with liquidations, as text. */
  liquidations_max_time: text,
  /** Price of the first trade of a candle, in the quote asset. */
  price_open: decimal,
  /** Price of the last trade of a candle, in the quote asset. */
  price_close: decimal,
  /** Highest price of a trade of a candle, in the quote asset. */
  price_high: decimal,
  /** Lowest price of a trade of a candle, in the quote asset. */
  price_low: decimal,
  /** Mean price of the trades of a candle, weighted by their amounts. */
  vwap: decimal,
  /** In units of the base asset. */
  volume: decimal,
  /** In US dollars. */
  candle_usd_volume: decimal,
  /** Whole number as text. */
  candle_trades_count: integer,
  ...Instrument.assets,
  ...Instrument.terms
})
export interface Market extends Schema.Schema.Type<typeof Market> {}

/** Parameters of {@link markets}. Source: docs/interface.md 4.14. */
export const MarketsParams = Schema.Struct({
  /** Market names; all markets when absent. */
  markets: Params.entities(Params.list),
  /** `spot`, `future` or `option`. */
  type: Params.openWord(["spot", "future", "option"]),
  /** Exchange of the markets. */
  exchange: Params.string,
  /** Base asset of the markets. */
  base: Params.string,
  /** Quote asset of the markets. */
  quote: Params.string,
  /** The exchange's own name of a derivative. */
  symbol: Params.string,
  ...Params.paging
})
export interface MarketsParams extends Schema.Schema.Type<typeof MarketsParams> {}

/** Lists markets with their codes. Not offered at the community root. Source: docs/interface.md 4.14. */
export const markets: Endpoint.Endpoint<MarketsParams, Market> = Endpoint.make("/security-master/markets", {
  section: "4.14",
  community: false,
  params: MarketsParams,
  record: Market
})

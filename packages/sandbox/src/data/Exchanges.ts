/** The exchanges of the stand-in (docs/interface.md 3.3). */
import * as Drawn from "./Drawn.ts"
import { seed } from "../internal/random/Noise.ts"
import { TODAY } from "../internal/time/Calendar.ts"
import * as Remembered from "./Remembered.ts"

/** How an exchange trades: by order books, by pools on a chain, or in securities. */
export type Venue = "book" | "pool" | "desk"

const books =
  "ascendex:AscendEX bibox:Bibox bigone:BigONE binance:Binance binance.us:Binance.US bitbank:bitbank bitfinex:Bitfinex " +
  "bitflyer:bitFlyer bitget:Bitget bithumb:Bithumb bitkub:Bitkub bitmart:BitMart bitmex:BitMEX bitso:Bitso bitstamp:Bitstamp " +
  "bittrex:Bittrex blockchain.com:Blockchain.com btcturk:BtcTurk bullish:Bullish bybit:Bybit cex.io:CEX.IO cme:CME " +
  "coinbase:Coinbase coinbase_derivatives:Coinbase_Derivatives coinbase_international:Coinbase_International coincheck:Coincheck " +
  "coinex:CoinEx coinone:Coinone crypto.com:Crypto.com deribit:Deribit dydx:dYdX erisx:ErisX exmo:EXMO ftx:FTX gate.io:Gate.io " +
  "gatecoin:Gatecoin gemini:Gemini gfox:GFO-X hashkey:HashKey hitbtc:HitBTC huobi:HTX hyperliquid:Hyperliquid " +
  "independent_reserve:Independent_Reserve indodax:Indodax itbit:itBit korbit:Korbit kraken:Kraken kucoin:KuCoin lbank:LBank " +
  "liquid:Liquid lmax:LMAX_Digital luno:Luno mercado_bitcoin:Mercado_Bitcoin mexc:MEXC okex:OKX paribu:Paribu poloniex:Poloniex " +
  "therocktrading:The_Rock_Trading tokocrypto:Tokocrypto upbit:Upbit wazirx:WazirX whitebit:WhiteBIT zaif:Zaif"

const pools =
  "aerodrome_base:Aerodrome curve_eth:Curve pancakeswap_v3_bsc:PancakeSwap_v3 quickswap_matic:QuickSwap raydium_sol:Raydium " +
  "sushiswap_v1_eth:SushiSwap uniswap_v2_eth:Uniswap_v2 uniswap_v3_arb1:Uniswap_v3_(Arbitrum) uniswap_v3_eth:Uniswap_v3"

const desks = "finra:FINRA_TRACE tradeweb:Tradeweb"

const from = (text: string, venue: Venue, first: number) =>
  text.split(" ").map((entry, n) => {
    const [exchange = "", name = ""] = entry.split(":")
    return { exchange, fullName: name.replaceAll("_", " "), venue, seed: seed(exchange), marketId: first + n }
  })

export const all = [...from(books, "book", 1000), ...from(pools, "pool", 1200), ...from(desks, "desk", 1300)].sort(
  (a, b) => (a.exchange < b.exchange ? -1 : 1)
)

export type Exchange = (typeof all)[number]

const byName = Remembered.finder(all, ({ exchange }) => exchange)
const byProvider = Remembered.finder(all, ({ exchange }) => `talos:${exchange}`)
const byId = Remembered.finder(all, ({ marketId }) => `talos:by-id:${marketId}`)

/** Finds an exchange by any of its forms: `kraken`, `talos:kraken`, `talos:by-id:1046` (docs/interface.md 3.3). */
export const find = (id: string) => byName(id) ?? byId(id) ?? byProvider(id)

const provided = Drawn.providedOf("/reference-data/exchanges")

/** The provider array of an exchange, sent with `include=talos` (docs/interface.md 3.3). */
export const provider = ({ exchange, fullName, marketId, seed, venue }: Exchange): ReadonlyArray<Drawn.Json> => [
  {
    ...provided(seed, TODAY),
    cm_ext_exchange: `talos:${exchange}`,
    cm_ext_exchange_by_id: `talos:by-id:${marketId}`,
    market: exchange,
    market_id: marketId,
    display_name: fullName,
    ...(venue === "desk" ? { type: null, capabilities: null } : {})
  }
]

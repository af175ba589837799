/** The assets of the stand-in: real tickers first, then their bridged forms (docs/interface.md 3.2). */
import { at } from "../internal/time/Calendar.ts"
import { below, mix, seed, unit } from "../internal/random/Noise.ts"
import * as Remembered from "./Remembered.ts"

/** What is known of an asset's network: proof of work, another chain, a token on another chain, or only its price. */
export type Kind = "work" | "chain" | "token" | "market"

export interface Asset {
  readonly asset: string
  readonly fullName: string
  readonly kind: Kind
  readonly seed: number
  /** Place in order of size, 0 the largest; decides how fine its market series are. */
  readonly rank: number
  readonly start: number
  /** First market price. */
  readonly listed: number
  /** Typical price in US dollars. */
  readonly price: number
  /** Typical supply in native units. */
  readonly supply: number
  readonly currencyId: number
}

// asset, name, kind, first block, price, supply in millions
const majors = `
btc Bitcoin work 2009-01-03 98000 19.9
eth Ethereum chain 2015-07-30 3900 120.5
usdt Tether token 2014-10-06 1 140000
xrp XRP chain 2013-01-01 2.4 57000
sol Solana chain 2020-03-16 190 470
bnb BNB chain 2020-08-29 680 144
usdc USD_Coin token 2018-09-10 1 62000
doge Dogecoin work 2013-12-06 0.21 147000
ada Cardano chain 2017-09-23 0.8 35600
trx TRON chain 2018-06-25 0.27 86000
avax Avalanche chain 2020-09-21 34 412
link Chainlink token 2017-09-16 21 626
etc Ethereum_Classic work 2015-07-30 27 150
bch Bitcoin_Cash work 2009-01-03 470 19.8
ltc Litecoin work 2011-10-07 112 75
dot Polkadot chain 2020-05-26 6.7 1500
xlm Stellar chain 2015-09-30 0.31 30500
uni Uniswap token 2020-09-14 11 600
xmr Monero work 2014-04-18 220 18.4
icp Internet_Computer chain 2021-05-10 9.8 480
aave Aave token 2020-10-02 280 15
near NEAR_Protocol chain 2020-07-21 4.7 1200
dai Dai token 2019-11-18 1 5300
atom Cosmos chain 2019-03-13 6.1 390
algo Algorand chain 2019-06-11 0.33 8300
vet VeChain chain 2018-06-30 0.043 80000
fil Filecoin chain 2020-08-24 4.9 620
xtz Tezos chain 2018-06-30 1.2 1000
eos EOS chain 2018-06-08 0.75 1500
hbar Hedera chain 2019-09-16 0.27 38000
zec Zcash work 2016-10-28 48 16
dash Dash work 2014-01-19 34 12
bsv Bitcoin_SV work 2009-01-03 48 19.8
mkr Maker token 2017-11-26 1500 0.88
grt The_Graph token 2020-12-11 0.2 9500
snx Synthetix token 2018-07-12 2 338
comp Compound token 2020-03-04 72 8.9
crv Curve_DAO token 2020-08-13 0.82 1300
shib Shiba_Inu token 2020-08-01 0.000021 589000000
pepe Pepe token 2023-04-14 0.000017 420690000
wbtc Wrapped_Bitcoin token 2018-11-24 97900 0.13
ldo Lido_DAO token 2020-12-17 1.8 890
arb Arbitrum token 2023-03-16 0.71 4400
op Optimism token 2022-04-26 1.8 1350
matic Polygon token 2019-04-20 0.46 9300
apt Aptos chain 2022-10-12 8.9 570
sui Sui chain 2023-05-03 4.1 3000
ton Toncoin chain 2019-11-15 5.4 5100
kas Kaspa work 2021-11-07 0.12 25600
dgb DigiByte work 2014-01-10 0.011 17500
dcr Decred work 2016-02-08 15 16.6
rvn Ravencoin work 2018-01-03 0.018 14900
vtc Vertcoin work 2014-01-08 0.07 70
btg Bitcoin_Gold work 2009-01-03 7 17.5
grin Grin work 2019-01-15 0.03 190
xvg Verge work 2014-10-09 0.008 16500
neo Neo chain 2016-10-17 14 70
xem NEM chain 2015-03-29 0.02 9000
waves Waves chain 2016-06-12 1.6 117
icx ICON chain 2018-01-24 0.16 1060
`

// Market data only: name from ticker, dates, prices and supplies drawn from the seed.
const others =
  "1inch abt achr acx aergo aevo agix agld aioz akt alcx aleo alice alpha alt amp ankr ape api3 ar arkm aur " +
  "asr ata auction audio axl axs badger bal band bat beam bico bigtime blast blur bnt boba bone bonk bora brett c98 cake " +
  "celo celr cfx cgpt chr chz ckb clv core cotiex coti cro ctc ctsi cvc cvx cyber dent dexe dia dodo dodox dusty dydx dym edu " +
  "egld elf ena enj ens epx ern ethfi ethw euler fet fida fis flm flow flux forth frax ftm ftt fun fxs gal gala gas ghst " +
  "glm glmr gmt gmx gno gns gods gtc high hft hive hnt hook hot hsk idex ilv imx inj iost iotx jasmy joe jto jup kava kda " +
  "keep kilt kmd knc ksm lina lit loka looks lpt lqty lrc lsk luna lunc magic mana manta mask mav mdt me merl meta mina mln " +
  "mnt movr mtl nexo nfp nkn nmr not ocean ogn om omg omni ondo one ong ont orca ordi orn osmo oxt paxg pendle people perp " +
  "pha phb pixel pnut pol polyx pond portal powr prime prom pyth qnt qtum quick rad ray rdnt reef rei ren req rez rif rlc " +
  "rndr ron rose rpl rsr rune saga sand scrt sei sfp skl slp spell ssv steem stg storj stpt strax strk stx sun super sushi " +
  "sxp t tao theta tia tlm tnsr tribe tru tusd twt uma usde usdp usdd vanry vidt voxel w wif wld woo xai xch xec xno ygg yfi zen " +
  "zeta zil zk zrx"

const bridged = ["usdt", "usdc", "dai", "weth", "link"]
const chains = ["arb1", "avaxc", "base", "bsc", "eth", "matic", "op", "sol", "trx", "zksync"]

// A few names beyond ASCII, because the wire is UTF-8 and clients must not split its characters.
const unusual: Readonly<Record<string, string>> = {
  people: "ConstitutionDAO 🏛️",
  bonk: "Bonk ボンク",
  cake: "PancakeSwap – Cake",
  ong: "Ontology Gas · 本体",
  mana: "Decentraland (Maná)",
  lunc: "Terra Classic ☾"
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

const drawn = (asset: string, fullName: string, kind: Kind, rank: number, price?: number): Asset => {
  const s = seed(asset)
  const start = at("2017-06-01") + below(s, 1, 2400) * 86_400_000
  return {
    asset,
    fullName,
    kind,
    seed: s,
    rank,
    start,
    listed: start + 86_400_000 * (3 + below(s, 2, 60)),
    price: price ?? Math.floor(1 + unit(s, 3) * unit(s, 4) * 90_000) / 10_000,
    supply: (1 + below(s, 5, 9000)) * 1e6,
    currencyId: 1000 + (mix(s, 6) % 90_000)
  }
}

const fromTable = (line: string, rank: number): Asset => {
  const [asset = "", name = "", kind = "", start = "", price = "", supply = ""] = line.split(" ")
  const s = seed(asset)
  const first = at(start)
  return {
    asset,
    fullName: name.replaceAll("_", " "),
    // Type boundary: the table above is the only source of these words.
    kind: kind as Kind,
    seed: s,
    rank,
    start: asset === "btc" ? at("2009-01-03T18:15:05") : first,
    listed: Math.max(first + 86_400_000 * 9, at("2010-07-18")),
    price: Number(price),
    supply: Number(supply) * 1e6,
    currencyId: asset === "btc" ? 24 : 100 + rank
  }
}

const make = (): ReadonlyArray<Asset> => {
  const first = majors.trim().split("\n").map(fromTable)
  const second = others
    .split(" ")
    .map((ticker, n) => drawn(ticker, unusual[ticker] ?? capital(ticker), "market", first.length + n))
  const third = bridged.flatMap((asset, n) =>
    chains.map((chain, m) =>
      drawn(
        `${asset}_${chain}`,
        `${asset.toUpperCase()} on ${capital(chain)}`,
        "market",
        first.length + second.length + n * chains.length + m,
        asset === "weth" ? 3900 : asset === "link" ? 21 : 1
      )
    )
  )
  const byTicker = new Map([...third, ...second, ...first].map((asset) => [asset.asset, asset]))
  return [...byTicker.values()].sort((a, b) => (a.asset < b.asset ? -1 : 1))
}

export const all: ReadonlyArray<Asset> = make()
const byAsset = Remembered.finder(all, ({ asset }) => asset)

const symbolOf = (asset: Asset): string => asset.asset.toUpperCase().replaceAll("_", "-")

const bySymbol = Remembered.finder(all, (asset) => `talos:${symbolOf(asset)}`)
const byId = Remembered.finder(all, ({ currencyId }) => `talos:by-id:${currencyId}`)

/** Finds an asset by any of its three forms: `btc`, `talos:BTC`, `talos:by-id:24` (docs/interface.md 3.2). */
export const find = (id: string): Asset | undefined => byAsset(id) ?? byId(id) ?? bySymbol(id)

/** The provider array of an asset, sent with `include=talos` (docs/interface.md 3.2). */
export const provider = (asset: Asset): ReadonlyArray<Readonly<Record<string, string | null>>> => [
  {
    cm_ext_asset: `talos:${symbolOf(asset)}`,
    cm_ext_asset_by_id: `talos:by-id:${asset.currencyId}`,
    symbol: symbolOf(asset),
    currency_id: String(asset.currencyId),
    description: asset.fullName,
    alias_for_currency: asset.asset.includes("_") ? asset.asset.slice(0, asset.asset.indexOf("_")).toUpperCase() : null,
    alias_for_chain_symbol: null
  }
]

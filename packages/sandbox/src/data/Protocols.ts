/** The lending markets of the stand-in's protocols (docs/interface.md 3.5, 4.1, 2.8). */
import { ProtocolChain } from "#interface/records/Reference"
import { seed } from "../internal/random/Noise.ts"
import { TODAY } from "../internal/time/Calendar.ts"
import * as Drawn from "./Drawn.ts"

/** One chain of a protocol market; only `chain` is always there. */
export interface Chain extends Drawn.Json {
  readonly chain: string
}

export interface Protocol {
  readonly market: string
  readonly full_name: string
  readonly protocol: string
  readonly type: string
  readonly chains: ReadonlyArray<Chain>
}

export const warning = {
  type: "experimental_data",
  message: "This endpoint is experimental: its records may change without notice."
}

const reserves = ["aave", "dai", "link", "usdc", "usdt", "wbtc", "weth", "wsteth"]
const chains = ["arb1", "base", "eth", "op", "matic"]

const draw = Drawn.fieldsOf(ProtocolChain)

const chain = (market: string, asset: string, chain: string): Chain => ({
  ...draw(seed(`${market} ${chain}`), TODAY),
  asset,
  chain
})

const pool = (version: "v2" | "v3", asset: string): Protocol => {
  const market = `aave_${version}-${asset}`
  return {
    market,
    full_name: `Aave ${version} ${asset.toUpperCase()} pool`,
    protocol: `aave_${version}`,
    type: "aave_pool",
    chains: chains
      .filter((name) => version === "v3" || name === "eth" || name === "matic")
      .map((name) => chain(market, asset, name))
  }
}

const vault = (asset: string): Protocol => {
  const market = `morpho-steakhouse-${asset}`
  return {
    market,
    full_name: `Morpho vault · Steakhouse ${asset.toUpperCase()}`,
    protocol: "morpho",
    type: "morpho_vault",
    chains: [chain(market, asset, "eth"), { chain: "base" }]
  }
}

export const all: ReadonlyArray<Protocol> = [
  ...reserves.flatMap((asset) => [pool("v2", asset), pool("v3", asset)]),
  ...reserves.map(vault)
].sort((a, b) => (a.market < b.market ? -1 : 1))

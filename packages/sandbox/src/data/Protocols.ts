/**
 * The lending markets of the stand-in's protocols (docs/interface.md 3.5, 4.1, 2.8).
 */
import { address } from "./Assets.ts"

/** One chain of a protocol market; only `chain` is always there. */
export interface Chain {
  readonly chain: string
  readonly [field: string]: string
}

/** One protocol market. */
export interface Protocol {
  readonly market: string
  readonly full_name: string
  readonly protocol: string
  readonly type: string
  readonly chains: ReadonlyArray<Chain>
}

/** The warning that the protocols endpoint sends along. */
export const warning = {
  type: "experimental_data",
  message: "This endpoint is experimental: its records may change without notice."
}

const reserves = ["aave", "dai", "link", "usdc", "usdt", "wbtc", "weth", "wsteth"]
const chains = ["arb1", "base", "eth", "op", "matic"]
const decimals: Readonly<Record<string, string>> = { usdc: "6", usdt: "6", wbtc: "8" }

const pool = (version: "v2" | "v3", asset: string): Protocol => ({
  market: `aave_${version}-${asset}`,
  full_name: `Aave ${version} ${asset.toUpperCase()} pool`,
  protocol: `aave_${version}`,
  type: "aave_pool",
  chains: chains
    .filter((chain) => version === "v3" || chain === "eth" || chain === "matic")
    .map((chain) => ({
      chain,
      address: address(`aave ${version} ${chain}`),
      asset,
      asset_address: address(`${asset} ${chain}`),
      asset_decimals: decimals[asset] ?? "18",
      configurator_address: address(`configurator ${version} ${chain}`),
      atoken_address: address(`atoken ${asset} ${version} ${chain}`),
      atoken_asset: `a${asset}`,
      variable_debt_token_address: address(`variable ${asset} ${version} ${chain}`),
      variable_debt_asset: `variabledebt${asset}`,
      ...(version === "v2" ? { stable_debt_token_address: address(`stable ${asset} ${chain}`) } : {})
    }))
})

const vault = (asset: string): Protocol => ({
  market: `morpho-steakhouse-${asset}`,
  full_name: `Morpho vault · Steakhouse ${asset.toUpperCase()}`,
  protocol: "morpho",
  type: "morpho_vault",
  chains: [
    {
      chain: "eth",
      address: address(`morpho ${asset}`),
      asset,
      asset_address: address(`${asset} eth`),
      asset_decimals: decimals[asset] ?? "18",
      // Newer fields, which an older reader does not know (docs/interface.md 3.5).
      curator_address: address("curator"),
      curator_name: "Steakhouse",
      lltv: "0.86"
    },
    { chain: "base" }
  ]
})

/** Every protocol market, ordered by name. */
export const all: ReadonlyArray<Protocol> = [
  ...reserves.flatMap((asset) => [pool("v2", asset), pool("v3", asset)]),
  ...reserves.map(vault)
].sort((a, b) => (a.market < b.market ? -1 : 1))

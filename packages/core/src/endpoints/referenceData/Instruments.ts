import * as Schema from "effect/Schema"
import * as Endpoint from "../../Endpoint.ts"
import { id, many, text, word } from "../../internal/wire/fields.ts"
import * as Params from "../../Params.ts"

/** One index. Source: docs/interface.md 3.5. */
export const Index = Schema.Struct({
  /** Index name, such as `CMBIBTC`. */
  index: id,
  /** Name for people. */
  full_name: text,
  /** What the index measures. */
  description: text,
  /** Kind of the index. */
  type: text
})
export interface Index extends Schema.Schema.Type<typeof Index> {}

/** Parameters of {@link indexes}. */
export const IndexesParams = Schema.Struct({
  /** Index names; all indexes when absent. */
  indexes: Params.entities(Params.list),
  ...Params.paging,
  ...Params.format
})
export interface IndexesParams extends Schema.Schema.Type<typeof IndexesParams> {}

/** Lists indexes, all unless filtered. Source: docs/interface.md 4.1. */
export const indexes: Endpoint.Endpoint<IndexesParams, Index> = Endpoint.make("/reference-data/indexes", {
  section: "4.1",
  params: IndexesParams,
  record: Index
})

/** One pair of assets. Source: docs/interface.md 3.5. */
export const Pair = Schema.Struct({
  /** `<base>-<quote>`, such as `btc-usd`. */
  pair: id,
  /** Name for people. */
  full_name: text
})
export interface Pair extends Schema.Schema.Type<typeof Pair> {}

/** Parameters of {@link pairs}. */
export const PairsParams = Schema.Struct({
  /** Pairs as `<base>-<quote>`; all pairs when absent. */
  pairs: Params.entities(Params.list),
  ...Params.paging,
  ...Params.format
})
export interface PairsParams extends Schema.Schema.Type<typeof PairsParams> {}

/**
 * Lists pairs, all unless filtered.
 *
 * **Details**
 *
 * Source: docs/interface.md 4.1.
 */
export const pairs: Endpoint.Endpoint<PairsParams, Pair> = Endpoint.make("/reference-data/pairs", {
  section: "4.1",
  params: PairsParams,
  record: Pair
})

/**
 * A chain a protocol market lives on; which fields are present follows from the market's `type`. Source:
 * docs/interface.md 3.5.
 */
export const ProtocolChain = Schema.Struct({
  /** The chain. */
  chain: text,
  /** Address of the market on the chain. */
  address: text,
  /** The asset of the market. */
  asset: text,
  /** Address of the asset on the chain. */
  asset_address: text,
  /** A number as text. */
  asset_decimals: text,
  /** Address of the contract that sets the parameters of the market. */
  configurator_address: text,
  /** Address of the token that stands for a deposit. */
  atoken_address: text,
  /** The token that stands for a deposit. */
  atoken_asset: text,
  /** Address of the token that stands for a loan at a variable rate. */
  variable_debt_token_address: text,
  /** The token that stands for a loan at a variable rate. */
  variable_debt_asset: text,
  /** Address of the token that stands for a loan at a stable rate. */
  stable_debt_token_address: text,
  /** Address of the curator of the vault. */
  curator_address: text,
  /** Name of the curator of the vault. */
  curator_name: text,
  /** Address of the guardian of the vault. */
  guardian_address: text,
  /** Name of the guardian of the vault. */
  guardian_name: text,
  /** The asset that secures loans. */
  collateral_asset: text,
  /** Address of the asset that secures loans. */
  collateral_asset_address: text,
  /** Address of the contract that tells prices. */
  oracle_address: text,
  /** Address of the contract that sets the interest rate. */
  irm_address: text,
  /** Loan to value at which a position is liquidated. */
  lltv: text
})
export interface ProtocolChain extends Schema.Schema.Type<typeof ProtocolChain> {}

/** One market of a lending protocol. Source: docs/interface.md 3.5. */
export const ProtocolMarket = Schema.Struct({
  /** Unique name. */
  market: id,
  /** Name for people. */
  full_name: text,
  /** Protocol name, such as `aave_v3`. */
  protocol: id,
  /** Kind of the market: `aave_pool` or `morpho_vault`. */
  type: word(["aave_pool", "morpho_vault"]),
  /** The chains the market lives on; which addresses are present follows from `type`. */
  chains: many<ProtocolChain>(ProtocolChain)
})
export interface ProtocolMarket extends Schema.Schema.Type<typeof ProtocolMarket> {}

/** Parameters of {@link protocols}. */
export const ProtocolsParams = Schema.Struct({
  /** Protocol names; all protocols when absent. */
  protocols: Params.entities(Params.list),
  /** Chains; all chains when absent. */
  chains: Params.list,
  /** Market names; all markets when absent. */
  markets: Params.entities(Params.list),
  ...Params.paging,
  ...Params.format
})
export interface ProtocolsParams extends Schema.Schema.Type<typeof ProtocolsParams> {}

/**
 * Lists the markets of lending protocols, all unless filtered. Not offered at the community root.
 *
 * **Details**
 *
 * The service may add warnings beside the records: `protocols.pages` hands them over as `warnings`, the plain call logs
 * them.
 *
 * Source: docs/interface.md 4.1.
 */
export const protocols: Endpoint.Endpoint<ProtocolsParams, ProtocolMarket> = Endpoint.make(
  "/reference-data/protocols",
  { section: "4.1", community: false, params: ProtocolsParams, record: ProtocolMarket }
)

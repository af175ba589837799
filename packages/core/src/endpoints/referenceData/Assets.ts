import * as Schema from "effect/Schema"
import * as Endpoint from "../../Endpoint.ts"
import { id, number, text } from "../../internal/wire/fields.ts"
import * as Params from "../../Params.ts"
import type { IncludingEndpoint } from "./Include.ts"
import { include, withIncluded } from "./Provider.ts"

/** One cryptoasset. Source: docs/interface.md 3.2. */
export const Asset = Schema.Struct({
  /** Asset ticker, in lower case, such as `btc`. */
  asset: id,
  /** Human-friendly name. */
  full_name: text
})
export interface Asset extends Schema.Schema.Type<typeof Asset> {}

/** What the provider of `include` knows of an asset. Source: docs/interface.md 3.2. */
export const AssetProvider = Schema.Struct({
  /** The provider's symbol reference, `<namespace>:<symbol>`, such as `talos:BTC`; valid in `assets`. */
  cm_ext_asset: text,
  /** The provider's number reference, `<namespace>:by-id:<id>`; valid in `assets`. */
  cm_ext_asset_by_id: text,
  /** The provider's symbol. */
  symbol: text,
  /** The provider's number, as text. */
  currency_id: number,
  /** The provider's name of the asset. */
  description: text,
  /** The asset that this one stands for at the provider. */
  alias_for_currency: text,
  /** Symbol of the chain of that asset. */
  alias_for_chain_symbol: text
})
export interface AssetProvider extends Schema.Schema.Type<typeof AssetProvider> {}

/** Parameters of {@link assets}. */
export const AssetsParams = Schema.Struct({
  /** Asset tickers, `<namespace>:<symbol>` or `<namespace>:by-id:<id>`; all assets when absent. */
  assets: Params.entities(Params.identifiers),
  ...include,
  ...Params.paging,
  ...Params.format
})
export interface AssetsParams extends Schema.Schema.Type<typeof AssetsParams> {}

/**
 * Lists assets, all unless filtered.
 *
 * **Details**
 *
 * `include: ["talos"]` adds the provider's array to the record and its type.
 *
 * Source: docs/interface.md 4.1.
 */
export const assets: IncludingEndpoint<AssetsParams, Asset, AssetProvider> = Endpoint.makeDependent(
  "/reference-data/assets",
  { section: "4.1", params: AssetsParams, dependsOn: ["include"], record: withIncluded(Asset.fields, AssetProvider) }
)

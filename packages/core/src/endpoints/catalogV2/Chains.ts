import * as Schema from "effect/Schema"
import type { Endpoint } from "../../Endpoint.ts"
import { flag, id } from "../../internal/wire/fields.ts"
import * as Params from "../../Params.ts"
import { TimeRange } from "../catalog/Ranges.ts"
import { catalog, paid } from "./Definition.ts"

/** One asset and the times there is data of one kind for. Source: docs/interface.md 3.11. */
export const AssetSeries = Schema.Struct({
  /** Asset ticker, in lower case. */
  asset: id,
  ...TimeRange.fields
})
export interface AssetSeries extends Schema.Schema.Type<typeof AssetSeries> {}

/** One asset and the times its chain can be read for. Source: docs/interface.md 3.11. */
export const BlockchainSeries = Schema.Struct({
  ...AssetSeries.fields,
  /** True while collection is under development; temporary discrepancies are possible. */
  experimental: flag
})
export interface BlockchainSeries extends Schema.Schema.Type<typeof BlockchainSeries> {}

/** Parameters of the catalogs of chain data. Source: docs/interface.md 4.9. */
export const AssetsParams = Schema.Struct({
  /** Asset tickers, `<namespace>:<symbol>` or `<namespace>:by-id:<id>`; all assets when absent. */
  assets: Params.entities(Params.identifiers),
  ...Params.paging,
  ...Params.format
})
export interface AssetsParams extends Schema.Schema.Type<typeof AssetsParams> {}

const followed = catalog(AssetsParams, AssetSeries, paid)
const chain = catalog(AssetsParams, BlockchainSeries, paid)

/**
 * Lists assets whose chains are monitored, and the times covered, as far as the key may read. Not offered at the
 * community root. Source: docs/interface.md 4.9.
 */
export const assetChains: Endpoint<AssetsParams, AssetSeries> = followed("/catalog-v2/asset-chains")

/**
 * Lists assets with fee rates of the mempool, and the times covered, as far as the key may read. Not offered at the
 * community root. Source: docs/interface.md 4.9.
 */
export const mempoolFeerates: Endpoint<AssetsParams, AssetSeries> = followed("/catalog-v2/mempool-feerates")

/**
 * Lists assets with summaries of mining pool tips, and the times covered, as far as the key may read. Not offered at
 * the community root. Source: docs/interface.md 4.9.
 */
export const miningPoolTipsSummary: Endpoint<AssetsParams, AssetSeries> = followed(
  "/catalog-v2/mining-pool-tips-summary"
)

/**
 * Lists assets whose transactions are tracked, and the times covered, as far as the key may read. Not offered at the
 * community root. Source: docs/interface.md 4.9.
 */
export const transactionTracker: Endpoint<AssetsParams, AssetSeries> = followed("/catalog-v2/transaction-tracker")

/**
 * Lists assets with accounts in `blockchain-v2`, and the times covered, as far as the key may read. Not offered at the
 * community root. Source: docs/interface.md 4.9.
 */
export const blockchainV2Accounts: Endpoint<AssetsParams, BlockchainSeries> = chain(
  "/catalog-v2/blockchain-v2/accounts"
)

/**
 * Lists assets with balance updates in `blockchain-v2`, and the times covered, as far as the key may read. Not offered
 * at the community root. Source: docs/interface.md 4.9.
 */
export const blockchainV2BalanceUpdates: Endpoint<AssetsParams, BlockchainSeries> = chain(
  "/catalog-v2/blockchain-v2/balance-updates"
)

/**
 * Lists assets with rebasing changes in `blockchain-v2`, and the times covered, as far as the key may read. Not offered
 * at the community root. Source: docs/interface.md 4.9.
 */
export const blockchainV2RebasingChanges: Endpoint<AssetsParams, BlockchainSeries> = chain(
  "/catalog-v2/blockchain-v2/rebasing-changes"
)

/**
 * Lists assets with blocks in `blockchain-v2`, and the times covered, as far as the key may read. Not offered at the
 * community root. Source: docs/interface.md 4.9.
 */
export const blockchainV2Blocks: Endpoint<AssetsParams, BlockchainSeries> = chain("/catalog-v2/blockchain-v2/blocks")

/**
 * Lists assets with transactions in `blockchain-v2`, and the times covered, as far as the key may read. Not offered at
 * the community root. Source: docs/interface.md 4.9.
 */
export const blockchainV2Transactions: Endpoint<AssetsParams, BlockchainSeries> = chain(
  "/catalog-v2/blockchain-v2/transactions"
)

import type { Endpoint } from "../../Endpoint.ts"
import { catalog, paid } from "../catalogV2/Definition.ts"
import { AssetSeries, AssetsParams, BlockchainSeries } from "../catalogV2/Chains.ts"

const followed = catalog(AssetsParams, AssetSeries, paid)
const chain = catalog(AssetsParams, BlockchainSeries, paid)

/**
 * Lists assets whose chains are monitored, and the times covered, whatever the key may read. Not offered at the
 * community root. Source: docs/interface.md 4.9.
 */
export const assetChains: Endpoint<AssetsParams, AssetSeries> = followed("/catalog-all-v2/asset-chains")

/**
 * Lists assets with fee rates of the mempool, and the times covered, whatever the key may read. Not offered at the
 * community root. Source: docs/interface.md 4.9.
 */
export const mempoolFeerates: Endpoint<AssetsParams, AssetSeries> = followed("/catalog-all-v2/mempool-feerates")

/**
 * Lists assets with summaries of mining pool tips, and the times covered, whatever the key may read. Not offered at the
 * community root. Source: docs/interface.md 4.9.
 */
export const miningPoolTipsSummary: Endpoint<AssetsParams, AssetSeries> = followed(
  "/catalog-all-v2/mining-pool-tips-summary"
)

/**
 * Lists assets whose transactions are tracked, and the times covered, whatever the key may read. Not offered at the
 * community root. Source: docs/interface.md 4.9.
 */
export const transactionTracker: Endpoint<AssetsParams, AssetSeries> = followed("/catalog-all-v2/transaction-tracker")

/**
 * Lists assets with accounts in `blockchain-v2`, and the times covered, whatever the key may read. Not offered at the
 * community root. Source: docs/interface.md 4.9.
 */
export const blockchainV2Accounts: Endpoint<AssetsParams, BlockchainSeries> = chain(
  "/catalog-all-v2/blockchain-v2/accounts"
)

/**
 * Lists assets with balance updates in `blockchain-v2`, and the times covered, whatever the key may read. Not offered
 * at the community root. Source: docs/interface.md 4.9.
 */
export const blockchainV2BalanceUpdates: Endpoint<AssetsParams, BlockchainSeries> = chain(
  "/catalog-all-v2/blockchain-v2/balance-updates"
)

/**
 * Lists assets with rebasing changes in `blockchain-v2`, and the times covered, whatever the key may read. Not offered
 * at the community root. Source: docs/interface.md 4.9.
 */
export const blockchainV2RebasingChanges: Endpoint<AssetsParams, BlockchainSeries> = chain(
  "/catalog-all-v2/blockchain-v2/rebasing-changes"
)

/**
 * Lists assets with blocks in `blockchain-v2`, and the times covered, whatever the key may read. Not offered at the
 * community root. Source: docs/interface.md 4.9.
 */
export const blockchainV2Blocks: Endpoint<AssetsParams, BlockchainSeries> = chain(
  "/catalog-all-v2/blockchain-v2/blocks"
)

/**
 * Lists assets with transactions in `blockchain-v2`, and the times covered, whatever the key may read. Not offered at
 * the community root. Source: docs/interface.md 4.9.
 */
export const blockchainV2Transactions: Endpoint<AssetsParams, BlockchainSeries> = chain(
  "/catalog-all-v2/blockchain-v2/transactions"
)

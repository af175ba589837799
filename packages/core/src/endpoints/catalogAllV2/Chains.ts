import type { Endpoint } from "../../Endpoint.ts"
import * as CatalogV2 from "../CatalogV2.ts"
import { full } from "../catalog/Full.ts"

/**
 * Lists assets whose chains are monitored, and the times covered, whatever the key may read. Not offered at the
 * community root. Source: docs/interface.md 4.9.
 */
export const assetChains: Endpoint<CatalogV2.AssetsParams, CatalogV2.AssetSeries> = full(CatalogV2.assetChains)

/**
 * Lists assets with fee rates of the mempool, and the times covered, whatever the key may read. Not offered at the
 * community root. Source: docs/interface.md 4.9.
 */
export const mempoolFeerates: Endpoint<CatalogV2.AssetsParams, CatalogV2.AssetSeries> = full(CatalogV2.mempoolFeerates)

/**
 * Lists assets with summaries of mining pool tips, and the times covered, whatever the key may read. Not offered at the
 * community root. Source: docs/interface.md 4.9.
 */
export const miningPoolTipsSummary: Endpoint<CatalogV2.AssetsParams, CatalogV2.AssetSeries> = full(
  CatalogV2.miningPoolTipsSummary
)

/**
 * Lists assets whose transactions are tracked, and the times covered, whatever the key may read. Not offered at the
 * community root. Source: docs/interface.md 4.9.
 */
export const transactionTracker: Endpoint<CatalogV2.AssetsParams, CatalogV2.AssetSeries> = full(
  CatalogV2.transactionTracker
)

/**
 * Lists assets with accounts in `blockchain-v2`, and the times covered, whatever the key may read. Not offered at the
 * community root. Source: docs/interface.md 4.9.
 */
export const blockchainV2Accounts: Endpoint<CatalogV2.AssetsParams, CatalogV2.BlockchainSeries> = full(
  CatalogV2.blockchainV2Accounts
)

/**
 * Lists assets with balance updates in `blockchain-v2`, and the times covered, whatever the key may read. Not offered
 * at the community root. Source: docs/interface.md 4.9.
 */
export const blockchainV2BalanceUpdates: Endpoint<CatalogV2.AssetsParams, CatalogV2.BlockchainSeries> = full(
  CatalogV2.blockchainV2BalanceUpdates
)

/**
 * Lists assets with rebasing changes in `blockchain-v2`, and the times covered, whatever the key may read. Not offered
 * at the community root. Source: docs/interface.md 4.9.
 */
export const blockchainV2RebasingChanges: Endpoint<CatalogV2.AssetsParams, CatalogV2.BlockchainSeries> = full(
  CatalogV2.blockchainV2RebasingChanges
)

/**
 * Lists assets with blocks in `blockchain-v2`, and the times covered, whatever the key may read. Not offered at the
 * community root. Source: docs/interface.md 4.9.
 */
export const blockchainV2Blocks: Endpoint<CatalogV2.AssetsParams, CatalogV2.BlockchainSeries> = full(
  CatalogV2.blockchainV2Blocks
)

/**
 * Lists assets with transactions in `blockchain-v2`, and the times covered, whatever the key may read. Not offered at
 * the community root. Source: docs/interface.md 4.9.
 */
export const blockchainV2Transactions: Endpoint<CatalogV2.AssetsParams, CatalogV2.BlockchainSeries> = full(
  CatalogV2.blockchainV2Transactions
)

/**
 * Chain data: blocks, transactions, accounts and the changes of their balances.
 *
 * The chain is a part of the path, `asset`. Whole numbers are text. Lists are ascending and come as pages only; at the
 * community root they take one item in each filter, and no range.
 *
 * Source: docs/interface.md 4.11; records in 3.16.
 */
export * from "./blockchainV2/Accounts.ts"
export * from "./blockchainV2/BalanceUpdates.ts"
export * from "./blockchainV2/Blocks.ts"
export * from "./blockchainV2/Transactions.ts"

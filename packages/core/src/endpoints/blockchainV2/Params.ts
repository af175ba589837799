/** Parameters that the operations of a chain share. Source: docs/interface.md 4.11. */
import * as Params from "../../Params.ts"

/** The chain. */
export const path = {
  /** Asset whose chain is read, such as `btc`. */
  asset: Params.pathPart
}

const sequence = Params.integer(0, Number.MAX_SAFE_INTEGER)

/** What every list takes. */
export const list = {
  ...Params.timeRange,
  /** Whether the start itself belongs to the range; true when absent. Not taken at the community root. */
  start_inclusive: Params.paidOnly(Params.timeRange.start_inclusive),
  /** Whether the end itself belongs to the range; true when absent. Not taken at the community root. */
  end_inclusive: Params.paidOnly(Params.timeRange.end_inclusive),
  /** Earliest consensus time. Excludes `start_height`. Not taken at the community root. */
  start_time: Params.paidOnly(Params.startTime),
  /** Latest consensus time. A date is its whole day. Excludes `end_height`. Not taken at the community root. */
  end_time: Params.paidOnly(Params.endTime),
  /** Lowest block. Not taken at the community root. */
  start_height: Params.paidOnly(Params.startHeight),
  /** Highest block. Not taken at the community root. */
  end_height: Params.paidOnly(Params.endHeight),
  ...Params.paging,
  /**
   * Records per page, 1 to 10,000. By default Sluice requests the most. Without a key it is never sent, because the community
   * root has disabled it: a page has 100 records there.
   */
  page_size: Params.paidOnly(Params.paging.page_size),
  /** Leaves out what is not supported, instead of failing with `InvalidRequest`. */
  ignore_unsupported_errors: Params.detail(Params.boolean)
}

/** Bounds of the sequence number that a chain gives to all its changes. */
export const sequenceRange = {
  /** Lowest sequence number, up to 2^53 - 1. Not taken at the community root. */
  start_chain_sequence_number: Params.paidOnly(sequence),
  /** Highest sequence number, up to 2^53 - 1. Not taken at the community root. */
  end_chain_sequence_number: Params.paidOnly(sequence)
}

/** Stale blocks. */
export const chain = {
  /** `main`, the default, or `all`, which adds what stands in stale blocks. Not taken at the community root. */
  chain: Params.paidOnly(Params.oneOf(["main", "all"]))
}

/** Blocks by hash. */
export const blockHashes = {
  /** Hashes of blocks; one at the community root. */
  block_hashes: Params.entities(Params.list)
}

/** Transactions by id. */
export const txids = {
  /** Ids of transactions; one at the community root. */
  txids: Params.entities(Params.list)
}

/** Accounts by name. */
export const accounts = {
  /** Accounts, such as addresses; one at the community root. */
  accounts: Params.entities(Params.list)
}

/** Denominations of amounts. */
export const denominations = {
  /** Denominations of the amounts; one at the community root. */
  denominations: Params.list
}

/** Parts of accounts. */
export const subAccounts = {
  /** Adds the sub-account of each balance update. Not taken at the community root. */
  include_sub_accounts: Params.paidOnly(Params.detail(Params.boolean))
}

/** What the reply of one record takes. */
export const single = {
  ...subAccounts,
  ...Params.pretty,
  /** Leaves out what is not supported, instead of failing with `InvalidRequest`. */
  ignore_unsupported_errors: Params.detail(Params.boolean)
}

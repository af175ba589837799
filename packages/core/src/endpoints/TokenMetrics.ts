/**
 * The token transaction metrics, as constants that say what they count and stand for themselves in `metrics`. Source:
 * docs/interface.md 3.9 and 9.5.
 */

/** A documented metric of assets. */
export interface TokenMetric<Id extends string = string> {
  /** The MetricID: its name on the wire and its column in the records. */
  readonly id: Id
  /** Human-friendly name. */
  readonly name: string
  /** What one unit of the value is. */
  readonly unit: "Transactions" | "Transfers"
  /** The one frequency it is published at; each value covers the day that begins at the record's time, in UTC. */
  readonly interval: "1d"
  /** Assets it exists for. */
  readonly assets: ReadonlyArray<string>
  /** What is counted, and what not. */
  readonly counts: string
  /** The product release that brought it. */
  readonly release: string
}

/**
 * Token Tx Cnt, in transactions per day, of eth, etc and sol: transactions that caused any token activity.
 *
 * **Details**
 *
 * Activity is a Transfer or Approval event of an ERC-20, ERC-721 or ERC-1155 contract; a transaction with several is
 * counted once. A published remark names ERC-20 and ERC-721 events only: whether transactions with ERC-1155 events
 * alone are in the number is not known (docs/interface.md 3.9, rule 2).
 */
export const TxTknCnt: TokenMetric<"TxTknCnt"> = {
  id: "TxTknCnt",
  name: "Token Tx Cnt",
  unit: "Transactions",
  interval: "1d",
  assets: ["eth", "etc", "sol"],
  counts: "transactions with at least one Transfer or Approval event of a token contract, each counted once",
  release: "4.2"
}

/**
 * ERC-20 Tx Cnt, in transactions per day, of eth and etc: transactions with a Transfer or Approval event of a contract
 * detected as ERC-20.
 *
 * **Details**
 *
 * Detected by three markers in the contract's code: the signatures of `balanceOf` (`6370a082311461`) and `transfer`
 * (`63a9059cbb1461`) and the hash of the Transfer event. Full compliance with the standard is not required.
 */
export const TxERC20Cnt: TokenMetric<"TxERC20Cnt"> = {
  id: "TxERC20Cnt",
  name: "ERC-20 Tx Cnt",
  unit: "Transactions",
  interval: "1d",
  assets: ["eth", "etc"],
  counts: "transactions with a Transfer or Approval event of a contract whose code has the three ERC-20 markers",
  release: "4.3"
}

/**
 * ERC-721 Tx Cnt, in transactions per day, of eth and etc: transactions with a Transfer or Approval event of an ERC-721
 * contract, found by ERC-165 interface detection. Only transfers between two distinct addresses count.
 */
export const TxERC721Cnt: TokenMetric<"TxERC721Cnt"> = {
  id: "TxERC721Cnt",
  name: "ERC-721 Tx Cnt",
  unit: "Transactions",
  interval: "1d",
  assets: ["eth", "etc"],
  counts: "transactions with a Transfer between two distinct addresses or an Approval of an ERC-721 contract (ERC-165)",
  release: "4.3"
}

/**
 * ERC-1155 Tx Cnt, only for eth: in spite of its name a number of *transfers* per day, not of transactions.
 *
 * **Details**
 *
 * Counts Transfer events of contracts found by ERC-165 whose sender and recipient are distinct addresses, so it may be
 * larger than `TxTknCnt` of the same day.
 */
export const TxERC1155Cnt: TokenMetric<"TxERC1155Cnt"> = {
  id: "TxERC1155Cnt",
  name: "ERC-1155 Tx Cnt",
  unit: "Transfers",
  interval: "1d",
  assets: ["eth"],
  counts: "ERC-1155 Transfer events between two distinct addresses, every one of a transaction",
  release: "5.1"
}

/** The four, for one request. */
export const all = [TxTknCnt, TxERC20Cnt, TxERC721Cnt, TxERC1155Cnt] as const

/** docs/interface.md 4.11 to 4.14. */
import type { Fields } from "../Field.ts"
import { by, get, newer, type Operation, paid } from "../Operation.ts"
import * as P from "../Parameter.ts"
import * as Record from "../records/Chain.ts"
import { marketType } from "./ReferenceData.ts"

const asset = { asset: P.inPath }

/** 4.11: what the list operations share. */
export const shared: P.Parameters = {
  ...P.disabled(
    P.exclusive(
      P.exclusive(
        { start_time: P.time, end_time: P.time, start_height: P.integer(0), end_height: P.integer(0) },
        "start_time",
        "start_height"
      ),
      "end_time",
      "end_height"
    )
  ),
  ...P.disabled(P.inclusive),
  timezone: P.or(P.text, "UTC"),
  ...P.paging("end"),
  ...P.disabled({ page_size: P.or(P.integer(1, 10_000), 100) }),
  ...P.ignoreUnsupported
}

const accounts = P.oneItem({ accounts: P.list })

const txids = P.oneItem({ txids: P.list })

const blockHashes = P.oneItem({ block_hashes: P.list })

const denominations = P.oneItem({ denominations: P.list })

const chain = P.disabled({ chain: P.or(P.oneOf("main", "all"), "main") })

const sequence = P.disabled({ start_chain_sequence_number: P.integer(0), end_chain_sequence_number: P.integer(0) })

const subAccounts = P.disabled({ include_sub_accounts: P.or(P.boolean, false) })

const listed = (path: string, parameters: P.Parameters, record: Fields, order: string, more: Partial<Operation> = {}) =>
  get(`/blockchain-v2/{asset}/${path}`, {
    section: "4.11",
    ...by(order),
    parameters: { ...asset, ...parameters, ...shared },
    record,
    ...more
  })

const warned: Pick<Operation, "beside"> = { beside: ["warning"] }

const single = (path: string, parts: P.Parameters, record: Fields) =>
  get(`/blockchain-v2/{asset}/${path}`, {
    section: "4.11",
    reply: "record",
    parameters: { ...asset, ...parts, ...subAccounts, ...P.pretty, ...P.ignoreUnsupported },
    record
  })

const blockHash = { block_hash: P.inPath }

const txid = { txid: P.inPath }

const updates = { ...txids, ...blockHashes, ...denominations, ...sequence, ...subAccounts, ...chain }

const blockchain = [
  listed(
    "blocks",
    { ...blockHashes, ...P.oneItem({ heights: P.list }), ...chain },
    Record.Block,
    "height block_hash",
    warned
  ),
  listed("accounts", { ...accounts, ...sequence }, Record.Account, "creation_chain_sequence_number account"),
  listed("sub-accounts", { ...accounts, ...sequence }, Record.SubAccount, "creation_chain_sequence_number account"),
  listed("transactions", { ...txids, ...blockHashes, ...chain }, Record.Transaction, "tx_position txid", warned),
  listed(
    "balance-updates",
    { ...accounts, ...P.disabled({ ...P.limitPer("account"), sub_accounts: P.list }), ...updates },
    Record.BalanceUpdate,
    "chain_sequence_number block_hash",
    warned
  ),
  listed(
    "rebasing-changes",
    { ...txids, ...blockHashes, ...sequence, ...chain },
    Record.RebasingChange,
    "chain_sequence_number block_hash",
    { ...warned, ...newer }
  ),
  // Published with the marks of the community root, which does not offer it.
  listed(
    "accounts/{account}/balance-updates",
    { account: P.inPath, include_counterparties: P.or(P.boolean, false), ...updates },
    Record.BalanceUpdate,
    "chain_sequence_number block_hash",
    { ...warned, ...paid }
  ),
  single("blocks/{block_hash}", blockHash, Record.FullBlock),
  single("transactions/{txid}", txid, Record.FullTransaction),
  single("blocks/{block_hash}/transactions/{txid}", { ...blockHash, ...txid }, Record.FullTransaction)
]

/** 4.12: pages in one direction. */
export const onward: P.Parameters = { page_size: P.or(P.integer(1, 10_000), 100), next_page_token: P.text, ...P.pretty }

const metadata = (name: string, parameters: P.Parameters, record: Fields, more: Partial<Operation> = {}) =>
  get(`/blockchain-metadata/${name}`, {
    section: "4.12",
    ...paid,
    parameters: { ...parameters, ...onward },
    record,
    ...more
  })

/** 4.12. */
const tracked = [
  get("/blockchain/{asset}/transaction-tracker", {
    section: "4.12",
    ...paid,
    parameters: {
      ...asset,
      ...P.exclusive(
        { txids: P.list, replacements_for_txids: P.list, addresses: P.list },
        "txids",
        "replacements_for_txids",
        "addresses"
      ),
      replacements_only: P.boolean,
      unconfirmed_only: P.boolean,
      ...P.timeRange,
      ...P.paging("end"),
      ...P.format("csv")
    },
    record: Record.TrackedTransaction
  }),
  metadata("locations", {}, Record.Location, newer),
  metadata("owners", {}, Record.Owner, newer),
  metadata("tags", { type: P.text }, Record.Tag),
  metadata(
    "tagged-entities",
    {
      // `tags`, `owner_names` and `locations` take one item.
      ...P.exclusive({ tags: P.list, entities: P.list, owner_names: P.list }, "tags", "entities", "owner_names"),
      locations: P.list
    },
    Record.TaggedEntity
  )
]

/** 4.14. */
const securityMaster = [
  get("/security-master/assets", {
    section: "4.14",
    ...paid,
    parameters: { ...P.exclusive({ assets: P.list, codes: P.list }, "assets", "codes"), ...P.paging("start") },
    record: Record.SecurityAsset
  }),
  get("/security-master/markets", {
    section: "4.14",
    ...paid,
    parameters: {
      markets: P.list,
      // Published without `bond`.
      type: { ...marketType, words: ["spot", "future", "option"] },
      exchange: P.text,
      base: P.text,
      quote: P.text,
      symbol: P.text,
      ...P.paging("start")
    },
    record: Record.SecurityMarket
  })
]

export const operations: ReadonlyArray<Operation> = [...blockchain, ...tracked, ...securityMaster]

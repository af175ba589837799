/** Fees of transactions that wait for a block. Source: docs/interface.md 4.6.6 and 3.15. */
import * as Schema from "effect/Schema"
import * as Endpoint from "../../Endpoint.ts"
import { decimal, integer, many } from "../../internal/wire/fields.ts"
import * as Params from "../../Params.ts"
import * as ChainSeries from "./ChainSeries.ts"

/** The waiting transactions of one fee rate. */
export const Feerate = Schema.Struct({
  /** Fee for a unit of `consensus_size`. */
  feerate: decimal,
  /** Number of transactions, as text. */
  count: integer,
  /** Their size as the rules for the size of a block count it. */
  consensus_size: decimal,
  /** Their size in bytes. */
  physical_size: decimal,
  /** Their fees together. */
  fees: decimal
})
export interface Feerate extends Schema.Schema.Type<typeof Feerate> {}

/** The transactions that wait for a block of one chain at one moment, by fee rate. */
export const MempoolFeerates = Schema.Struct({
  ...ChainSeries.record,
  /** Bands of fee rates, each with what waits in it. */
  feerates: many<Feerate>(Feerate)
})
export interface MempoolFeerates extends Schema.Schema.Type<typeof MempoolFeerates> {}

/** Parameters of {@link mempoolFeerates}. Source: docs/interface.md 4.6.6. */
export const MempoolFeeratesParams = Schema.Struct({
  ...ChainSeries.params,
  /** Records per page, 1 to 200. By default Sluice requests the most. */
  page_size: Params.pageSize(200)
})
export interface MempoolFeeratesParams extends Schema.Schema.Type<typeof MempoolFeeratesParams> {}

/**
 * Reads the fee rates of transactions that wait for a block. Not offered at the community root.
 *
 * **Gotchas**
 *
 * A page holds 200 records at most, so that a long range takes many requests.
 *
 * Source: docs/interface.md 4.6.6.
 */
export const mempoolFeerates: Endpoint.Endpoint<MempoolFeeratesParams, MempoolFeerates> = Endpoint.make(
  "/timeseries/mempool-feerates",
  {
    section: "4.6",
    order: "series",
    identity: [],
    community: false,
    params: MempoolFeeratesParams,
    record: MempoolFeerates
  }
)

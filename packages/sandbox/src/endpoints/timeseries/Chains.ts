/**
 * The time series of chains (docs/interface.md 4.6.6 and 3.15).
 */
import * as Effect from "effect/Effect"
import * as Chains from "../../data/chain/Chains.ts"
import * as Feerates from "../../data/chain/Feerates.ts"
import * as Tips from "../../data/chain/Tips.ts"
import * as ChainData from "../../data/ChainData.ts"
import type * as Rows from "../../data/Rows.ts"
import type { Source } from "../../internal/listing/Endpoint.ts"
import * as Family from "./Family.ts"

/** Builds the series at `/timeseries/<name>`, of the assets that are followed so. */
const series = (
  name: string,
  followed: ReadonlyArray<ChainData.Followed>,
  rows: (asset: ChainData.Followed) => Rows.Rows | undefined
): Source =>
  Family.endpoint({
    path: `/timeseries/${name}`,
    entities: {
      parameter: "assets",
      field: "asset",
      name: ({ asset }) => asset,
      all: () => followed,
      find: (name) => followed.find(({ asset }) => asset === name),
      wildcards: "none"
    },
    rows: () => Effect.succeed(rows)
  })

const feerates = series("mempool-feerates", ChainData.feerates, Feerates.rows)

const chains = series("asset-chains", ChainData.chains, Chains.rows)

const tips = series("mining-pool-tips-summary", ChainData.tips, Tips.rows)

/** Every time series of chains. */
export const all: ReadonlyArray<Source> = [chains, feerates, tips]

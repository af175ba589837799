/**
 * The time series of chains (docs/interface.md 4.6.6 and 3.15).
 */
import * as Effect from "effect/Effect"
import * as Chains from "../../data/chain/Chains.ts"
import * as ChainData from "../../data/ChainData.ts"
import * as Drawn from "../../data/Drawn.ts"
import * as Frequency from "../../data/Frequency.ts"
import * as Rows from "../../data/Rows.ts"
import { seed } from "../../internal/random/Noise.ts"
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
      name: ({ asset }) => asset,
      all: () => followed,
      find: (name) => followed.find(({ asset }) => asset === name)
    },
    rows: () => Effect.succeed(rows)
  })

const minutes = Frequency.find("1m")!

/** Rows drawn from the table, minute by minute. */
const drawn = (name: string, followed: ReadonlyArray<ChainData.Followed>): Source => {
  const draw = Drawn.recordsOf(`/timeseries/${name}`)
  return series(name, followed, ({ asset, span }) =>
    Rows.onGrid(asset, minutes, span, (place) => JSON.stringify({ ...draw(seed(asset), minutes.at(place)), asset }))
  )
}

/** Every time series of chains. */
export const all: ReadonlyArray<Source> = [
  series("asset-chains", ChainData.chains, Chains.rows),
  drawn("mempool-feerates", ChainData.feerates),
  drawn("mining-pool-tips-summary", ChainData.tips)
]

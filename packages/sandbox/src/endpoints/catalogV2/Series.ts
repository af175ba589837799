/**
 * The v2 catalogs of candles, index levels and chain data (docs/interface.md 3.11 and 4.9).
 */
import * as Effect from "effect/Effect"
import * as Assets from "../../data/Assets.ts"
import * as ChainData from "../../data/ChainData.ts"
import * as Coverage from "../../data/Coverage.ts"
import * as Frequency from "../../data/Frequency.ts"
import * as Indexes from "../../data/Indexes.ts"
import * as Pairs from "../../data/Pairs.ts"
import * as Seen from "../../data/Seen.ts"
import * as Span from "../../data/Span.ts"
import { MINUTE } from "../../internal/time/Calendar.ts"
import * as Reference from "../Reference.ts"
import type { Definition } from "./Definition.ts"

const pairCandles: Definition = {
  name: "pair-candles",
  list: Effect.fnUntraced(function* (query, { view }) {
    const known = yield* Reference.only(query, "pairs", Pairs.all, Pairs.find)
    const wanted = new Set(known.map(({ pair }) => pair))
    return Reference.listing(
      Coverage.pairs().filter(({ id }) => wanted.has(id)),
      ({ id, span }) => ({
        pair: id,
        frequencies: Seen.entries(
          view,
          { series: "/timeseries/pair-candles", entity: id },
          Span.entries(span, Frequency.candles)
        )
      }),
      { name: ({ id }) => id }
    )
  })
}

const index = (name: string, frequenciesOf: (index: Indexes.Index) => ReadonlyArray<string>): Definition => ({
  name,
  list: Effect.fnUntraced(function* (query, { view }) {
    const items = yield* Reference.only(query, "indexes", Indexes.all, Indexes.find)
    return Reference.listing(items, (item) => ({
      index: item.index,
      frequencies: Seen.entries(
        view,
        { series: `/timeseries/${name}`, entity: item.index },
        Span.entries(Indexes.spanOf(item), frequenciesOf(item))
      )
    }))
  })
})

const chain = (
  name: string,
  followed: ReadonlyArray<ChainData.Followed>,
  more: (followed: ChainData.Followed) => object = () => ({})
): Definition => ({
  name,
  list: Effect.fnUntraced(function* (query, { view }) {
    const chosen = yield* Reference.only(query, "assets", Assets.all, Assets.find)
    const wanted = new Set(chosen.map(({ asset }) => asset))
    // Of blocks and transactions the past does not change.
    const isSeries = !/blockchain|tracker/.test(name)
    return Reference.listing(
      followed
        .filter(({ asset }) => wanted.has(asset))
        .flatMap((one) => {
          const named = { series: `/timeseries/${name}`, entity: one.asset }
          const span = isSeries ? Seen.span(view, named, one.span, MINUTE) : one.span
          return span === undefined ? [] : [{ ...one, span }]
        }),
      (one) => ({ asset: one.asset, ...Span.times(one.span), ...more(one) })
    )
  })
})

/** The v2 catalogs of candles, index levels and chain data. */
export const all: ReadonlyArray<Definition> = [
  pairCandles,
  index("index-levels", Indexes.frequenciesOf),
  index("index-candles", () => Frequency.candles),
  chain("asset-chains", ChainData.chains),
  chain("mempool-feerates", ChainData.feerates),
  chain("mining-pool-tips-summary", ChainData.tips),
  chain("transaction-tracker", ChainData.transactions),
  ...Object.entries(ChainData.blockchain).map(([name, followed]) =>
    chain(`blockchain-v2/${name}`, followed, (one) => (ChainData.isExperimental(one) ? { experimental: true } : {}))
  )
]

/**
 * The live stream of the levels of indexes, each at the highest frequency it has (docs/interface.md 6.2 and 6.4).
 */
import * as Effect from "effect/Effect"
import * as Frequency from "../../data/Frequency.ts"
import * as Levels from "../../data/index/Levels.ts"
import * as Indexes from "../../data/Indexes.ts"
import * as Feed from "../../internal/live/Feed.ts"
import type { StreamEndpoint } from "../../internal/live/StreamEndpoint.ts"
import * as Query from "../../internal/request/Query.ts"
import { indexes } from "../timeseries/Indexes.ts"
import * as Stream from "./Stream.ts"

const levels = Stream.make<Indexes.Index>({
  name: "index-levels",
  entities: indexes,
  feeds: (query) =>
    Effect.succeed((index: Indexes.Index) => {
      const grid = Frequency.find(Indexes.frequenciesOf(index)[0] ?? "")
      const rows =
        grid === undefined ? undefined : Levels.rows(index, grid, grid, Query.flag(query, "include_verification"))
      return rows === undefined ? undefined : Feed.ofRows(rows, (row) => row)
    })
})

/** Every live stream of indexes. */
export const all: ReadonlyArray<StreamEndpoint> = [levels]

/** Columns with Sluice, as its users would read them. */
import { Columns, Timeseries } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as ColumnsByHand from "./ColumnsByHand.ts"
import * as Sluice from "./Sluice.ts"
import * as Workload from "./Workload.ts"

const numbersOf = (workload: Workload.Workload, format: Sluice.Format) => {
  const query = Workload.queryOf(workload)
  const [entity = ""] = workload.assets
  return workload.kind === "trades"
    ? Stream.map(
        Columns.stream(
          Timeseries.marketTrades,
          { markets: entity, ...Workload.rangeOf(workload), ...format },
          { query }
        ),
        ({ columns }) => columns.price
      )
    : Stream.map(
        Columns.stream(
          Timeseries.assetMetrics,
          { ...Workload.paramsOf(workload), assets: entity, ...format },
          { query }
        ),
        ({ columns }) => columns.PriceUSD
      )
}

const read = (format: Sluice.Format) =>
  Sluice.reader(
    (columns: ReturnType<typeof numbersOf>) =>
      Effect.gen(function* () {
        const seen = Workload.nothing()
        yield* Stream.runForEach(columns, ({ length, values }) =>
          Effect.sync(() => {
            seen.records += length
            seen.touched += ColumnsByHand.touch(values)
          })
        )
        return seen
      }),
    (workload) => numbersOf(workload, format)
  )

export const pages = read({})

export const lines = read({ format: "json_stream" })

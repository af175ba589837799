import { Endpoints } from "@sluice/core"
import type { Dataset } from "@sluice/datasets"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Definition } from "../../src/internal/model/Definition.ts"

/** A series of daily prices. */
export const series: Dataset.Series = {
  endpoint: Endpoints.all.find(({ path }) => path === "/timeseries/asset-metrics")!,
  entity: "asset",
  time: "time",
  identity: undefined
}

export const definition: Definition = {
  root: "https://sandbox.invalid/v4",
  endpoint: "/timeseries/asset-metrics",
  params: { assets: ["btc", "eth", "ltc"], metrics: ["PriceUSD", "TxCnt"] },
  lookBack: 0,
  onRemoved: "keep"
}

export const setup: Dataset.Setup = { definition, series }

/** A day, counted from the first of December 2024, as the service writes times. */
export const time = (day: number, nanos = 0): string => {
  const [month, date] = day < 31 ? ["2024-12", day + 1] : day < 62 ? ["2025-01", day - 30] : ["2025-02", day - 61]
  return `${month}-${String(date).padStart(2, "0")}T00:00:00.${String(nanos).padStart(9, "0")}Z`
}

export interface Row {
  readonly asset: string
  readonly time: string
  readonly PriceUSD?: string | null
  readonly TxCnt?: string | null
}

/** What a dataset should hold: records by entity and time. */
export type Model = Map<string, Row>

const keyOf = ({ asset, time }: Row) => `${asset} ${time}`

/** The records in order. */
export const rowsOf = (model: Model): ReadonlyArray<Row> =>
  [...model.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)

/** Replaces what a model has in spans. */
export const replace = (model: Model, spans: ReadonlyArray<Dataset.Span>, rows: ReadonlyArray<Row>): Model => {
  const isIn = ({ asset, time }: Row) =>
    spans.some(
      ({ entity, from, to }) =>
        entity === asset && (from === undefined || from <= time) && (to === undefined || time < to)
    )
  const left = [...model.values()].filter((row) => !isIn(row))
  return new Map([...left, ...rows].map((row) => [keyOf(row), row]))
}

/** A change of a store. */
export const change = (spans: ReadonlyArray<Dataset.Span>, rows: ReadonlyArray<Row>, size = 7): Dataset.Change => ({
  spans,
  records: Stream.rechunk(Stream.fromIterable(rows), size),
  cursors: Effect.sync(() =>
    [...new Set(spans.map(({ entity }) => entity))].map((entity) => ({
      entity,
      from: null,
      last: rows.findLast(({ asset }) => asset === entity)?.time ?? null,
      columns: []
    }))
  ),
  forget: []
})

/** Layouts that cut the files of a dataset in all ways. */
export const layouts = [
  { byEntity: true, period: "year", rows: 1_000 },
  { byEntity: true, period: "month", rows: 5 },
  { byEntity: true, period: "none", rows: 9 },
  { byEntity: false, period: "month", rows: 1_000 },
  { byEntity: false, period: "none", rows: 20 }
] as const

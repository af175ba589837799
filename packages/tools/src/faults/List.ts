/**
 * The list that the table reads: a year of daily values of three assets, large enough for a json_stream to come in several pieces.
 */
import { Timeseries, TokenMetrics } from "@sluice/core"
import type { Format, Row as Fault } from "./Row.ts"
import * as Run from "./Run.ts"

/** A record, as far as runs are compared. */
export type Row = Readonly<Record<string, unknown>>

export const pageSize = 300

/** The most that is read of one reply, in bytes: below the client's own limits, so that it does not take megabytes. */
const limits = { maxPageBytes: 1_048_576, maxLineBytes: 262_144 }

const params = {
  assets: ["eth", "etc", "sol"],
  metrics: TokenMetrics.all,
  start_time: "2024-01-01",
  end_time: "2024-12-31"
} as const

/** What a row says of the run, apart from the fault. */
type Settings = Pick<Fault, "checkEnd" | "onDisorder" | "plan">

/** Reads the list under a fault; without one, undisturbed. */
export const run = (format: Format, fault?: string, { checkEnd = false, ...settings }: Settings = {}) =>
  Run.run<Row>(
    format === "pages"
      ? Timeseries.assetMetrics({ ...params, page_size: pageSize })
      : Timeseries.assetMetrics({ ...params, format }, { checkEnd }),
    fault,
    { ...settings, limits }
  )

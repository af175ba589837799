/** Metrics of institutions. Source: docs/interface.md 4.6.3 and 3.12. */
import * as Schema from "effect/Schema"
import * as Parameter from "../../Parameter.ts"
import * as Params from "../../Params.ts"
import type { Timestamp } from "../../Timestamp.ts"
import * as Metrics from "./Metrics.ts"
import type { MetricSeries } from "./MetricSeries.ts"

/** Not by time with a wildcard. */
const namedWhereSorted = (sort: string, list: string) =>
  Schema.makeFilter(
    (params: object) =>
      Reflect.get(params, sort) !== "time" ||
      !Params.items(Reflect.get(params, list)).some((name) => name.includes("*")) || {
        path: [sort],
        issue: `cannot be combined with a wildcard in "${list}"`
      },
    Parameter.excluding([])
  )

/** Parameters of {@link institutionMetrics}. Source: docs/interface.md 4.6.3. */
export const InstitutionMetricsParams = Schema.Struct({
  /** Institutions, such as `grayscale`; `*` for all. */
  institutions: Params.entities(Params.requiredList, "institution"),
  ...Metrics.params,
  /** Interval between two values, `1d` when absent; which exist follows from the metric. */
  frequency: Params.frequency(["1d"]),
  /** Order of records: by institution and time when absent; not by time with a wildcard of institutions. */
  sort: Params.sort(["institution", "time"]),
  /** Keeps the latest so many records of each institution, or with `paging_from: "start"` the earliest. */
  limit_per_institution: Params.limitPer
}).check(/* @__PURE__ */ namedWhereSorted("sort", "institutions"))
export interface InstitutionMetricsParams extends Schema.Schema.Type<typeof InstitutionMetricsParams> {}

/** An institution at a time; the requested metrics are its columns. */
export interface InstitutionMetricKey {
  /** The institution, such as `grayscale`. */
  readonly institution: string
  /** Start of the interval, with nine fractional digits. */
  readonly time: Timestamp
}

/**
 * Reads metrics of institutions over time.
 *
 * **Gotchas**
 *
 * Read in pages: the service offers no json_stream here. It refuses `sort: "time"` together with a wildcard, so such a call
 * fails with `InvalidRequest` and sends nothing.
 *
 * Source: docs/interface.md 4.6.3.
 */
export const institutionMetrics: MetricSeries<InstitutionMetricsParams, InstitutionMetricKey> = Metrics.make(
  "/timeseries/institution-metrics",
  InstitutionMetricsParams,
  "institution"
)

/** What the series of metrics share. Source: docs/interface.md 3.12 and 4.6.3. */
import type * as Schema from "effect/Schema"
import * as Endpoint from "../../Endpoint.ts"
import { decimal, id, struct, timestamp, word } from "../../internal/wire/fields.ts"
import * as Params from "../../Params.ts"
import { Timestamp } from "../../Timestamp.ts"
import type { MetricInput, MetricSeries } from "./MetricSeries.ts"

/** The parameters that each of these series takes, beside the entities. */
export const params = {
  /** MetricIDs, or constants that carry one; each becomes a column. */
  metrics: Params.columns(Params.requiredIdentified),
  ...Params.timeRange,
  ...Params.paging
}

/** The fields of the requested metrics. */
export const fieldsOf = (metrics: ReadonlyArray<string>) =>
  Object.fromEntries(
    metrics.flatMap((metric) => [
      [metric, decimal] as const,
      [`${metric}-status`, word(["flash", "reviewed", "revised"])] as const,
      [`${metric}-status-time`, timestamp] as const
    ])
  )

/** The schema of a record that these keys and its time name. */
export const recordOf = (metrics: unknown, keys: ReadonlyArray<string>): Schema.Codec<unknown> =>
  struct({ ...fieldsOf(Params.items(metrics)), ...Object.fromEntries(keys.map((key) => [key, id])), time: Timestamp })

/** Builds a series of metrics whose records are named by these keys and their time. */
export const make = <
  P extends { readonly metrics?: Params.List | MetricInput | ReadonlyArray<MetricInput> | undefined },
  Key
>(
  path: string,
  params: Schema.Codec<P, P>,
  ...keys: ReadonlyArray<keyof Key & string>
): MetricSeries<P, Key> =>
  Endpoint.makeDependent(path, {
    section: "4.6",
    order: "series",
    params,
    dependsOn: ["metrics"],
    record: ({ metrics }) => recordOf(metrics, keys)
  })

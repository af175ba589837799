/** The request of a job, as an option. */
import * as Endpoint from "@sluice/core/Endpoint"
import * as Schema from "effect/Schema"
import * as Kinds from "./Kinds.ts"

/** The path of an endpoint; empty where the value is none. */
export const pathOf = (value: unknown): string => (Endpoint.isEndpoint(value) ? value.path : "")

/** An operation of the service that gives lists of records. */
export const endpoint = Schema.declare(Endpoint.isEndpoint, {
  expected: "an endpoint of many records, such as Timeseries.assetMetrics"
})

/** The parameters of an endpoint, which it checks itself. */
export const params = Kinds.object<Readonly<Record<string, unknown>>>()

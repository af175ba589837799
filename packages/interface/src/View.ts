/**
 * The records of an operation, one for each kind of call: what a call asks for beside what is required, and the fields its
 * records then have.
 */
import { type Fields, list, may } from "./Field.ts"
import type { Operation } from "./Operation.ts"

/** A record as a call asks for it. */
export interface View {
  readonly name: string
  /** What the call gives beside what is required. */
  readonly params: Readonly<Record<string, string>>
  readonly fields: Fields
}

/** The metric a view of a metric series asks for. */
export const metric = "PriceUSD"

/** The views of an operation. */
export const of = ({ more, parameters, record }: Operation): ReadonlyArray<View> => {
  const columns =
    more.metrics === undefined
      ? {}
      : may({
          [metric]: more.metrics,
          [`${metric}-status`]: { _tag: "word", words: ["flash", "reviewed", "revised"] },
          [`${metric}-status-time`]: { _tag: "time" }
        })
  // Live metrics come by block where nothing else is asked for.
  const sampled: View["params"] = parameters["frequency"]?.default === "1b" ? { frequency: "1s" } : {}
  const params: View["params"] = more.metrics === undefined ? {} : { metrics: metric, ...sampled }
  const plain = { ...record, ...columns }
  return [
    { name: "record", params, fields: plain },
    ...(more.blocks === undefined
      ? []
      : [{ name: "record at 1b", params: { ...params, frequency: "1b" }, fields: { ...plain, ...more.blocks } }]),
    ...Object.entries(more.included ?? {}).map(([namespace, provider]) => ({
      name: `record with ${namespace}`,
      params: { ...params, include: namespace },
      fields: { ...plain, ...may({ [namespace]: list(provider) }) }
    }))
  ]
}

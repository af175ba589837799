/**
 * Warns of metrics that were requested and that no record has. The service leaves out what it does not have for an entity.
 */
import * as Batch from "@sluice/core/Batch"
import type * as Endpoint from "@sluice/core/Endpoint"
import * as Parameter from "@sluice/core/Parameter"
import * as Params from "@sluice/core/Params"
import { harmless } from "@sluice/core/PlainText"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"

/** Takes away the names that records have. */
const takeSeen = (names: Set<string>, records: ReadonlyArray<unknown>) => {
  const batch = Batch.of(records)
  if (batch !== undefined) {
    for (const { keys } of batch.runs) for (const key of keys) names.delete(key)
    return
  }
  for (const record of records) for (const name of names) if (Predicate.hasProperty(record, name)) names.delete(name)
}

/**
 * Passes on the records of a call, of which at most `count` are read, and warns at their end. Says nothing where there are so many:
 * further records may have the metric.
 */
export const warn = <E, R>(
  records: Stream.Stream<unknown, E, R>,
  { endpoint, params }: { readonly endpoint: Endpoint.Info; readonly params: object },
  count = Infinity
): Stream.Stream<unknown, E, R> => {
  const columns = Parameter.find(endpoint.parameters, "Columns")?.name
  const names = columns === undefined ? [] : Params.items(Reflect.get(params, columns))
  const named = names.filter((name) => !name.includes("*"))
  if (named.length === 0) return records
  return Stream.suspend(() => {
    const absent = new Set(named)
    let seen = 0
    const watched = Stream.mapArray(records, (batch) => {
      seen += batch.length
      if (absent.size > 0) takeSeen(absent, batch)
      return batch
    })
    const tell = Effect.suspend(() => {
      if (seen === 0 || seen >= count || absent.size === 0) return Effect.void
      const what = `no record of ${endpoint.path} has ${harmless([...absent].join(", "))}`
      return Effect.logWarning(`${what}; the service leaves out metrics that it does not have`)
    })
    return Stream.onEnd(watched, tell)
  })
}

/**
 * Warns of metrics that were requested and that no record has. The service leaves out what it does not have for an entity.
 */
import * as Batch from "@sluice/core/Batch"
import * as Endpoint from "@sluice/core/Endpoint"
import type * as Columns from "@sluice/core/internal/columns/Column"
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

/** Builds what passes the records of a call on, and warns at their end. Of many calls it names a metric once. */
export const make = (endpoint: Columns.Source, params: object) => {
  const columns = Parameter.find(endpoint.parameters, "Columns")?.name
  // A message of a live stream has what has just changed.
  const isRead = columns !== undefined && Endpoint.isEndpoint(endpoint)
  const names = isRead ? Params.items(Reflect.get(params, columns)).filter((name) => !name.includes("*")) : []
  const told = new Set<string>()
  return <E, R>(records: Stream.Stream<unknown, E, R>): Stream.Stream<unknown, E, R> => {
    if (names.length === 0) return records
    return Stream.suspend(() => {
      const missing = new Set(names)
      let isEmpty = true
      const watched = Stream.mapArray(records, (batch) => {
        isEmpty = false
        if (missing.size > 0) takeSeen(missing, batch)
        return batch
      })
      const tell = Effect.suspend(() => {
        const news = isEmpty ? [] : [...missing].filter((name) => !told.has(name))
        for (const name of news) told.add(name)
        if (news.length === 0) return Effect.void
        const what = `no record of a call to ${endpoint.path} has ${harmless(news.join(", "))}`
        return Effect.logWarning(`${what}; the service leaves out metrics that it does not have`)
      })
      return Stream.onEnd(watched, tell)
    })
  }
}

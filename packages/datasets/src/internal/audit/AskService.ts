/**
 * Asks the service whether it has what a dataset misses: one request for each hole.
 */
import type { ApiError } from "@sluice/core/ApiError"
import type { Client } from "@sluice/core/Client"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Definition } from "../model/Definition.ts"
import * as Moment from "../model/Moment.ts"
import * as SeriesParams from "../model/SeriesParams.ts"
import type { Finding } from "./Finding.ts"

/** Whether the service has a record where this hole is. One record is enough to know. */
export const hasRecords = (
  subject: SeriesParams.SeriesParams,
  definition: Definition,
  { entity, from, to }: Finding
): Effect.Effect<boolean, ApiError, Client> => {
  const { endpoint, names } = subject
  const params = {
    ...SeriesParams.askedOf(subject, definition),
    [names.entities]: [entity],
    [names.start]: from,
    [names.end]: Moment.floor(to),
    [names.endInclusive]: true
  }
  // Type boundary: the parameters were checked when the definition was made; here they are data.
  const records: Stream.Stream<unknown, ApiError, Client> =
    names.pageSize === undefined
      ? endpoint(params as never)
      : Stream.flatMap(Stream.take(endpoint.pages({ ...params, [names.pageSize]: 1 } as never), 1), ({ data }) =>
          Stream.fromIterable<unknown>(data)
        )
  return Effect.map(Stream.runCollect(Stream.take(records, 1)), (found) => found.length > 0)
}

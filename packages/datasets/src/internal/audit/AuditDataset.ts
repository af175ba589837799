/**
 * The audit of a dataset, as programs call it.
 */
import type { Client } from "@sluice/core/Client"
import * as Quota from "@sluice/core/Quota"
import * as Timestamp from "@sluice/core/Timestamp"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { BadDefinition, type DatasetError } from "../model/DatasetError.ts"
import type { Store } from "../model/Store.ts"
import * as Open from "../open/Open.ts"
import * as Audit from "./Audit.ts"
import type { Audit as Told } from "./Finding.ts"

/** What an audit reads. */
export interface AuditOptions {
  /** The first time; from the beginning where it is absent. */
  readonly from?: string | undefined
  /** The last time; a date without a time is its whole day. Up to now where it is absent. */
  readonly to?: string | undefined
  /** Age of the last record of an entity beyond which it is late. By default four steps of the frequency, 15 minutes at least. */
  readonly maxAge?: Duration.Input | undefined
  /** Whether the service is asked if it has records where holes are: one request for each hole, of the first 100. Default false. */
  readonly ask?: boolean | undefined
}

const perMillisecond = 1_000_000n

const refuse = (setting: string, reason: string) =>
  new BadDefinition({ endpoint: "", kind: "reading", setting, reason })

const rangeOf = Effect.fnUntraced(function* ({ from, maxAge, to }: AuditOptions) {
  const begin = from === undefined ? undefined : Timestamp.toEpochNanos(from)
  if (begin !== undefined && Result.isFailure(begin)) return yield* refuse("from", "is no time")
  const end = to === undefined ? undefined : Timestamp.toRangeEnd(to)
  if (end !== undefined && Result.isFailure(end)) return yield* refuse("to", "is no time")
  const age = Open.millisOf(maxAge)
  if (age !== undefined && !(age >= 0)) return yield* refuse("maxAge", "is no length of time")
  const range: Audit.Range = {
    from: begin === undefined ? -Infinity : Number(begin.success / perMillisecond),
    to: end === undefined ? Infinity : Number(end.success.nanos / perMillisecond) + (end.success.isIncluded ? 1 : 0),
    maxAge: age
  }
  if (range.from > range.to) return yield* refuse("from", "is after `to`")
  return range
})

/**
 * Reads what the folder of a dataset holds, and tells what looks wrong: findings, how each day of each entity is, and a summary at the end.
 * Changes nothing, and sends nothing without `ask`.
 *
 * **Example** (Failing a build where a dataset has findings that nobody knows of)
 *
 * ```ts
 * const unknown = Dataset.audit("closes", { from: "2025-01-01" }).pipe(
 *   Stream.filter((told) => told._tag === "Finding" && !told.isAcknowledged),
 *   Stream.runCount
 * )
 * ```
 *
 * **Details**
 *
 * Which checks there are follows from names and types of the columns. Of a series with a frequency holes and times off the grid are found,
 * and a last record that is too old; of all others repeats, disorder, values out of bounds, candles and books that contradict themselves,
 * values far off those around them, and values that stay the same for very long. What is usual follows from the series itself. An entity
 * of which more records are missing than are there has one finding for all of them.
 *
 * **Gotchas**
 *
 * Whether the files are those that were written is told by {@link Dataset.verify}. A finding is a question: a market may have jumped, and a
 * hole may be one of the service. {@link acknowledge} says that it was answered. A table fails with `BadDefinition`.
 */
export const audit: {
  (
    dataset: string | Store,
    options: AuditOptions & { readonly ask: true }
  ): Stream.Stream<Told, DatasetError, Client | FileSystem.FileSystem | Path.Path>
  (
    dataset: string | Store,
    options?: AuditOptions & { readonly ask?: false | undefined }
  ): Stream.Stream<Told, DatasetError, FileSystem.FileSystem | Path.Path>
} = (dataset: string | Store, options: AuditOptions = {}) => {
  const told = Effect.map(
    rangeOf(options),
    (range): Stream.Stream<Told, DatasetError, Client | FileSystem.FileSystem | Path.Path> =>
      options.ask === true ? Quota.inOwnLane(Audit.asking(dataset, range), "dataset") : Audit.held(dataset, range)
  )
  // Type boundary: without `ask` nothing needs a client.
  return Stream.unwrap(told) as Stream.Stream<Told, DatasetError, FileSystem.FileSystem | Path.Path>
}

/**
 * Marks findings of an audit as known, by their ids. They are still told, as acknowledged.
 *
 * **Details**
 *
 * The ids are kept in `acknowledged.json`, beside the bookkeeping of the folder. A finding of other times, such as a hole that has grown, is
 * another one. {@link unacknowledge} takes ids back.
 */
export const acknowledge = Effect.fn("Dataset.acknowledge")(function* (
  dataset: string | Store,
  ids: ReadonlyArray<string>
): Effect.fn.Return<void, DatasetError, FileSystem.FileSystem | Path.Path> {
  yield* Audit.acknowledge(dataset, ids, true)
})

/** Takes back that findings are known, by their ids. Ids that nobody has acknowledged are passed over. */
export const unacknowledge = Effect.fn("Dataset.unacknowledge")(function* (
  dataset: string | Store,
  ids: ReadonlyArray<string>
): Effect.fn.Return<void, DatasetError, FileSystem.FileSystem | Path.Path> {
  yield* Audit.acknowledge(dataset, ids, false)
})

/**
 * Datasets that stay current: a folder or a table that holds a time series, of which every run asks for what is new.
 *
 * **Example** (Keeping the daily prices of all assets in a folder)
 *
 * ```ts
 * Dataset.sync({
 *   endpoint: Timeseries.assetMetrics,
 *   params: { assets: "*", metrics: ["PriceUSD"], start_time: "2020-01-01" },
 *   to: "prices",
 *   layout: { byEntity: true, period: "year" },
 *   format: { as: "parquet" }
 * })
 * ```
 */
import "@sluice/node/internal/runtime/NodeVersion"
import type * as Client from "@sluice/core/Client"
import * as Discover from "@sluice/core/Discover"
import type * as Endpoint from "@sluice/core/Endpoint"
import * as Quota from "@sluice/core/Quota"
import type { LiveClient } from "@sluice/core/LiveClient"
import type { LiveError } from "@sluice/core/LiveError"
import type * as Cause from "effect/Cause"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { BadDefinition, type DatasetError, type HeldError, type StoreError } from "./internal/model/DatasetError.ts"
import type { Event } from "./internal/model/Event.ts"
import * as AccessCheck from "./internal/run/AccessCheck.ts"
import * as Compare from "./internal/run/Compare.ts"
import * as JobOptions from "./internal/model/Job.ts"
import type { Asked, Existing, Job } from "./internal/model/Job.ts"
import * as Prepare from "./internal/plan/Prepare.ts"
import type * as RunRequests from "./internal/plan/RunRequests.ts"
import * as Unread from "./internal/plan/Unread.ts"
import * as Open from "./internal/open/Open.ts"
import * as Read from "./internal/open/Read.ts"
import * as Revision from "./internal/held/Revision.ts"
import * as WatchOn from "./internal/open/WatchOn.ts"
import * as Verify from "./internal/run/Verify.ts"
import type { Definition } from "./internal/model/Definition.ts"
import type { Plan, Request, Status } from "./internal/model/Outlook.ts"
import type { Cursor, Span, Store } from "./internal/model/Store.ts"

export { acknowledge, audit, type AuditOptions, unacknowledge } from "./internal/audit/AuditDataset.ts"
export {
  type Audit,
  type Condition,
  type ConditionWord,
  type Finding,
  FindingKind,
  type Summary
} from "./internal/audit/Finding.ts"
export { cache, type CacheOptions } from "./internal/open/Cache.ts"
export { compact, type CompactOptions } from "./internal/open/CompactDataset.ts"
export { columns, type ColumnsOptions } from "./internal/open/DatasetColumns.ts"
export { sql } from "./internal/open/DatasetSql.ts"
export type { Callable, ReadOptions } from "./internal/open/Read.ts"
export type { Revision } from "./internal/held/Revision.ts"
export type { Comparison, Difference } from "./internal/run/Compare.ts"
export * from "./internal/model/DatasetError.ts"
export { Definition, Retirement } from "./internal/model/Definition.ts"
export {
  Changed,
  Compacting,
  Connected,
  Disconnected,
  Event,
  Failed,
  Finished,
  Progress,
  Retired,
  Started,
  Verifying
} from "./internal/model/Event.ts"
export {
  type Applied,
  type Change,
  Cursor,
  type Cut,
  type Foreseen,
  type Held,
  type HeldColumnReader,
  type HeldColumns,
  type HeldPast,
  type HeldRange,
  type HeldReader,
  type HeldRecords,
  type HeldRows,
  Hole,
  type Kept,
  type OpenStore,
  Period,
  type Revised,
  type Series,
  type Setup,
  type Span,
  type Store,
  type Time
} from "./internal/model/Store.ts"
export type { Lake } from "./internal/model/VersionLog.ts"
export type { Existing, Job, Layout } from "./internal/model/Job.ts"
export type { Plan, Request, Status } from "./internal/model/Outlook.ts"
export { type Covered, coverage } from "./internal/open/Covered.ts"
export type { ParamsOf } from "./internal/model/ParamsOf.ts"
export * from "@sluice/files/internal/folder/FolderError"
export { BadFormat, Unwritable } from "@sluice/core/internal/columns/FormatError"
export { Quota as QuotaState } from "@sluice/files/internal/progress/QuotaState"

/** The services that a dataset needs. */
type Needs = Client.Client | FileSystem.FileSystem | Path.Path

/** What has to be given of a job: all, or only the place of a dataset that exists. */
type Given<E extends Endpoint.Info> =
  | Job<E>
  | (Existing & { readonly endpoint?: undefined; readonly params?: undefined })

/**
 * Brings a dataset up to date, and emits events. Makes it where there is none.
 *
 * **Details**
 *
 * A run asks for what is new since the last record of each entity, for the look-back before it, for records that the service has
 * not reviewed yet, for entities, metrics and an earlier start that were added to the definition, and, ever more rarely, for
 * what is missing. What the service sends takes the place of what was held of the same time, so values that were revised, that
 * came late, or that the service took back are right afterwards. A run without news takes one request for as many entities as
 * their records fit a page.
 *
 * A job without a start means the start that the dataset has. To let it grow to the very beginning of its series, name a start
 * that is before it.
 *
 * Before a dataset begins or grows, one record of what is new is requested: a name that the service refuses fails the run, and nothing
 * is made or changed.
 *
 * Each change is complete or absent, whenever the process ends, and the next run continues from there. Two runs at a time
 * exclude each other. Entities and metrics that a job leaves out, and metrics that the service refuses, are no longer asked for, and what
 * is held of them stays. A run whose definition differs in another way fails with `OtherDefinition`, before anything is sent.
 *
 * A list, such as reference data or a catalog, is kept with `versions: "keep"` alone. A run reads it as a whole, and puts it in the place
 * of what was held, and so does a {@link read} of a list older than its `maxAge`: `read` with `asOf` gives the list of a moment,
 * {@link revisions} what was added, removed and changed. A list that comes without items fails the run, and changes nothing. It is in one
 * file, and has no layout, {@link coverage}, {@link audit} or {@link compare}.
 *
 * **Gotchas**
 *
 * What the service changes before the look-back, or adds before the first record of an entity, is seen by a run with `recheck` alone.
 * A metric that is added is asked for with all others over the whole time that is held, because each record is replaced as a
 * whole.
 */
export const sync = <E extends Endpoint.Info>(job: Given<E>): Stream.Stream<Event, DatasetError, Needs> =>
  Quota.inOwnLane(
    Stream.callback<Event, DatasetError, Needs>((events) =>
      Effect.andThen(Effect.scoped(drive(plain(job), events)), Queue.end(events))
    ),
    "dataset"
  )

// Type boundary: an endpoint whose parameters have types of its own is no `Endpoint.Any`, which takes data. From here on the
// parameters are data; they are checked before anything is sent.
const plain = <E extends Endpoint.Info>(job: Given<E>) => job as unknown as JobOptions.Watched

type Events = Queue.Queue<Event, DatasetError | Cause.Done>

const drive = Effect.fnUntraced(function* (job: Asked, events: Events) {
  yield* JobOptions.check(job)
  yield* Open.runOnce(job, (event) => Queue.offer(events, event))
})

/**
 * Brings a dataset up to date as {@link sync} does, and then goes on: with the live stream of the series, where there is one for its
 * frequency and parameters, and otherwise by asking again. Never ends by itself.
 *
 * **Details**
 *
 * What a live stream sends is kept every minute, or as often as `every` says, and once an hour a sync reads what came late or was
 * revised: it begins where it would have begun without the stream. Live records that cannot be kept are told as a `Failed` event. What
 * could not be kept, and what the stream left out, is read by a sync at the end of that minute. A live stream that is lost goes on when
 * the service is there again. Without a live stream each of these times is a sync.
 *
 * Requests that fail meanwhile are told as events, and asked again: a minute later, then after two, four and so on, up to an hour. So is
 * a database that fails after the first sync: its `Failed` event has no entities.
 */
export const watch = <E extends Endpoint.Info>(
  job: Given<E> & { readonly every?: Duration.Input | undefined }
): Stream.Stream<Event, DatasetError | LiveError, Needs | LiveClient> =>
  Quota.inOwnLane(
    Stream.callback<Event, DatasetError | LiveError, Needs | LiveClient>((events) => WatchOn.watch(plain(job), events)),
    "dataset"
  )

const storeAt = (to: string | Store) => Effect.andThen(JobOptions.checkPlace(to), () => Open.storeOf({ to }))

/**
 * Tells what a run would do, and changes nothing. Asks the catalogs where the definition has wildcards, and for one record of what is
 * new to the dataset, so that a name that the service refuses fails as it would fail a run.
 */
export const check = Effect.fn("Dataset.check")(function* <E extends Endpoint.Info>(
  job: Given<E>
): Effect.fn.Return<Plan, DatasetError, Needs> {
  yield* JobOptions.check(plain(job))
  const prepared = yield* Open.prepare(plain(job))
  const foreseen = yield* prepared.store.foresee ?? Effect.undefined
  const { isCompacting = false, missing = [] } = foreseen ?? {}
  const begun = { ...prepared, kept: foreseen?.kept ?? prepared.kept }
  const none = { entities: ["all"], added: [], gone: [], dropped: [], columns: [] }
  if (begun.subject.isList) {
    const requests: Plan["requests"] = [{ reason: "new", entities: ["all"], from: undefined, to: undefined }]
    return { isNew: begun.kept === undefined, missing, isCompacting, ...none, requests }
  }
  yield* AccessCheck.lookAtNew(begun.subject, begun.definition, begun.kept)
  const { plan } = yield* Effect.provide(Prepare.plan(begun, Open.millisOf(job.recheck)), Discover.layer())
  const parts = [...plan.loads, ...plan.probes, ...plan.tails, ...plan.holes]
  return {
    isNew: begun.kept === undefined,
    missing,
    isCompacting,
    entities: plan.entities,
    added: plan.added,
    gone: plan.gone,
    dropped: plan.dropped,
    columns: plan.columns,
    requests: parts.map(({ entities, from, reason, to }: RunRequests.Part): Request => ({ reason, entities, from, to }))
  }
})

/** Tells how a dataset is defined; nothing where there is none. Takes and sends nothing. */
export const defined = Effect.fn("Dataset.defined")(function* (
  to: string | Store
): Effect.fn.Return<Definition | undefined, StoreError, FileSystem.FileSystem | Path.Path> {
  const store = yield* storeAt(to)
  return (yield* store.look)?.definition
})

const namesOf = (cursors: ReadonlyArray<Cursor>) => cursors.map(({ entity }) => entity)

const lackingOf = ({ entity, holes = [], todo = [] }: Cursor): ReadonlyArray<Span> =>
  [...holes, ...todo].map(({ from, to }) => ({ entity, from: from ?? undefined, to: to ?? undefined }))

/** Tells what a dataset holds, by entity; nothing where there is none. Takes and sends nothing. */
export const status = Effect.fn("Dataset.status")(function* (
  to: string | Store
): Effect.fn.Return<Status | undefined, StoreError, FileSystem.FileSystem | Path.Path> {
  const store = yield* storeAt(to)
  const kept = yield* store.look
  if (kept === undefined) return undefined
  const cursors = [...kept.cursors.values()]
  const foreseen = yield* store.foresee ?? Effect.undefined
  const found: Status = {
    definition: kept.definition,
    entities: yield* store.held,
    unread: Unread.namesOf(kept),
    gone: namesOf(cursors.filter(({ gone }) => gone !== undefined)),
    holes: cursors.reduce((sum, { holes = [] }) => sum + holes.length, 0),
    lacking: Unread.cursorsOf(foreseen?.kept ?? kept).flatMap(lackingOf),
    missing: foreseen?.missing ?? [],
    isCompacting: foreseen?.isCompacting ?? false,
    synced: kept.synced
  }
  return found
})

/**
 * Reads records of a series from a dataset: those that a call of the endpoint with the same parameters gives, by entity and then by time.
 * What the dataset does not have is read from the service first, by a sync, and kept.
 *
 * **Example** (Reading a year of prices again and again, and from the service once)
 *
 * ```ts
 * const params = { assets: ["btc"], metrics: ["PriceUSD"], start_time: "2025-01-01", end_time: "2025-12-31" }
 * const prices = Dataset.read(Timeseries.assetMetrics, params, { from: "closes" })
 * ```
 *
 * **Details**
 *
 * The parameters say entities, metrics, times and what else says which records there are. A dataset that lacks an entity, a metric or an
 * earlier time grows by it, as it does by {@link sync}; it has no end, so a first read also keeps what came after its range. A frequency or
 * a filter other than that of the dataset fails with `OtherDefinition`. A range before the look-back sends nothing once it is held, also
 * where the series has nothing in it; a later one does when the last sync is older than `maxAge`. A read does not request
 * final times of an entity again, except to add a metric, or where entities share files. A sync may: entities that are not equally far
 * share a request. So does a read that would need more than a hundred requests. Where another process has the dataset, and keeps it current, what is held is
 * read. An `offline` read without an end ends where the last sync did. Of a metric that is retired, or that a job left out, what is held is
 * read without a request; more is asked for, and where the service refuses it, the read fails as a call does. What a dataset leaves out in
 * place of failing (`ignore_unsupported_errors`) is its own setting, whatever a read says.
 *
 * Values are those of the service as far as the format keeps them: NDJSON and CSV keep their text, Parquet and tables with doubles 15 to 17
 * digits, PostgreSQL six digits of the seconds of a time that is not the record's own. A folder that begins with a read is Parquet with
 * numbers as text.
 * Null and absent are both absent, but in NDJSON. Where the dataset has more metrics, a record that has none of those asked for is left
 * out. A sync may go on meanwhile.
 *
 * With `asOf`, at the end of a sync (`synced` of {@link status}) these are the records that it found. A record that came between two syncs counts from
 * the moment that it names itself: `database_time` or `collect_time`, the status time of a metric. Where it names none, from the sync that
 * found it; once eight syncs have told how late records come, from the end of its interval and twice the longest delay, unless a sync had
 * looked for it since that end. A value that was revised counts from the sync that found it. Of the time before the dataset kept versions there is one version of each record, the first that was
 * kept, from the moment that it names or that is estimated: what it was before is not known.
 *
 * **Gotchas**
 *
 * Records behind the look-back may have been revised by the service since they were read; {@link sync} with `recheck` reads them again.
 * Where a sync reads times again and gets no record of an entity at all, its records stay: an empty reply may be a fault.
 * A read of a table holds a transaction for as long as it goes on, and asks the service each time where its range ends behind the last
 * record: a table does not keep when the last sync was.
 */
export const read: {
  <const P, A>(
    endpoint: Read.Callable<P, A>,
    params: P,
    options: Read.ReadOptions & { readonly offline: true }
  ): Stream.Stream<A, HeldError, FileSystem.FileSystem | Path.Path>
  <const P, A>(
    endpoint: Read.Callable<P, A>,
    params: P,
    options: Read.ReadOptions
  ): Stream.Stream<A, DatasetError, Needs>
} = <P, A>(endpoint: Read.Callable<P, A>, params: P, options: Read.ReadOptions) =>
  // Type boundary: a dataset has the records of its endpoint; what fails and is needed, the signatures above say.
  Read.from(endpoint, params, options, Read.records) as Stream.Stream<A, HeldError, never>

/**
 * Reads what changed of records that a dataset keeps versions of: which values, when, from what and to what. Sends nothing; fails with
 * {@link NotHeld} where a range was not read.
 *
 * **Details**
 *
 * By entity and time, and of one record from its first change to its last. A change of other metrics than those of the parameters is left
 * out. A record that the service took back has no `after`. One that came after a sync had looked for it, or that is back, has no `before`.
 * The `change` of a field is a part of the value before, without its sign: 0.01 is 1 % more, also of -100 that became -99. It is absent
 * where one of the two is no number, or null, and where the value before is 0.
 */
export const revisions = <const P, A>(
  endpoint: Read.Callable<P, A>,
  params: P,
  { from }: Pick<Read.ReadOptions, "from">
): Stream.Stream<Revision.Revision<A>, HeldError, FileSystem.FileSystem | Path.Path> => {
  // Type boundary: as in `read`.
  const request = { endpoint, params, from } as unknown as Read.Request
  const all = Stream.map(Read.revisions(request), (one) => Revision.of(one) as Revision.Revision<A>)
  // Another metric of the dataset may have changed.
  return Stream.filter(all, ({ after, before, fields }) => [after, before].includes(undefined) || fields.length > 0)
}

/**
 * Compares what a dataset holds with the catalogs of the service: tells which entities these list and the dataset has not, and of which
 * they list records before the first or behind the last that is held. Changes nothing.
 *
 * **Gotchas**
 *
 * A catalog has times and no numbers: what is missing in between is not seen by it. It may also be older or newer than the series, so a
 * difference is a question and no proof. `later` passes with the next sync; `earlier` and `absent` mostly with a new dataset.
 */
export const compare = Effect.fn("Dataset.compare")(function* (
  to: string | Store
): Effect.fn.Return<Compare.Comparison, DatasetError, Needs> {
  yield* JobOptions.checkPlace(to)
  const prepared = yield* Open.prepare({ to })
  const { endpoint, isList } = prepared.subject
  if (isList)
    return yield* new BadDefinition({
      endpoint: endpoint.path,
      kind: "reading",
      setting: "endpoint",
      reason: "is a list"
    })
  return yield* Compare.compare(prepared)
})

/**
 * Proves that what is kept of a dataset is what was written, and emits events. Sends and changes nothing.
 *
 * **Details**
 *
 * Of a folder by checksums, order, repeats and the number of records. Of a table by the number of records of each entity, their first
 * and last times, and that none is there twice, where fields of the endpoint tell the records of one time apart: values that another
 * program changed in it are not seen. {@link compare} asks the service. A dataset that has no records yet emits one event, with zeros.
 * Events say how many entities no sync has read to the end.
 */
export const verify = (to: string | Store): Stream.Stream<Event, HeldError, FileSystem.FileSystem | Path.Path> =>
  Stream.callback<Event, HeldError, FileSystem.FileSystem | Path.Path>((events) =>
    Effect.gen(function* () {
      const store = yield* storeAt(to)
      yield* Effect.catchTag(
        Verify.verify(store, (event) => Queue.offer(events, event)),
        "NoDataset",
        Open.withFound(to)
      )
      yield* Queue.end(events)
    })
  )

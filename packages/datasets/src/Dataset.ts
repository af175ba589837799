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
import { type ApiError, isApiError } from "@sluice/core/ApiError"
import * as Retry from "@sluice/core/Retry"
import * as Discover from "@sluice/core/Discover"
import type * as Endpoint from "@sluice/core/Endpoint"
import * as Quota from "@sluice/core/Quota"
import type { LiveClient } from "@sluice/core/LiveClient"
import type { LiveError } from "@sluice/core/LiveError"
import * as Params from "@sluice/core/Params"
import type * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import * as Monotonic from "@sluice/files/internal/progress/Monotonic"
import * as AccessCheck from "./internal/run/AccessCheck.ts"
import { type DatasetError, NoDataset } from "./internal/model/DatasetError.ts"
import type { Event } from "./internal/model/Event.ts"
import * as Compare from "./internal/run/Compare.ts"
import * as FolderStore from "./internal/folder/FolderStore.ts"
import * as JobOptions from "./internal/model/Job.ts"
import type { Asked, Existing, Job } from "./internal/model/Job.ts"
import * as Prepare from "./internal/plan/Prepare.ts"
import * as RunRequests from "./internal/plan/RunRequests.ts"
import * as Sync from "./internal/run/Sync.ts"
import * as Verify from "./internal/run/Verify.ts"
import type * as SeriesParams from "./internal/model/SeriesParams.ts"
import * as Watch from "./internal/run/Watch.ts"
import type { Definition } from "./internal/model/Definition.ts"
import type { Cursor, Held, Store } from "./internal/model/Store.ts"

export type { Comparison, Difference } from "./internal/run/Compare.ts"
export * from "./internal/model/DatasetError.ts"
export { Definition } from "./internal/model/Definition.ts"
export {
  Changed,
  Connected,
  Disconnected,
  Event,
  Failed,
  Finished,
  Progress,
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
  Hole,
  type Kept,
  type OpenStore,
  Period,
  type Series,
  type Setup,
  type Span,
  type Store,
  type Time
} from "./internal/model/Store.ts"
export type { Existing, Job, Layout } from "./internal/model/Job.ts"
export type { ParamsOf } from "./internal/model/ParamsOf.ts"
export * from "@sluice/files/internal/folder/FolderError"
export { BadFormat, Unwritable } from "@sluice/core/internal/columns/FormatError"
export { Quota as QuotaState } from "@sluice/files/internal/progress/QuotaState"

/** A request that a run would send, and what it would replace. */
export interface Request {
  /** Why: `new` records after the last one, `earlier` ones, a `hole`, `columns` that were added, or to see whether there is news. */
  readonly reason: "new" | "earlier" | "hole" | "columns" | "probe"
  readonly entities: ReadonlyArray<string>
  /** The first time that is asked for; absent from the beginning of the series. */
  readonly from: string | undefined
  /** The first time that is not asked for any more; absent where the request has no end. */
  readonly to: string | undefined
}

/** What a run would do. */
export interface Plan {
  readonly isNew: boolean
  /** Files of a folder that were moved away or removed, whose times are asked for again. */
  readonly missing: ReadonlyArray<string>
  /** Entities that the dataset has or will have. */
  readonly entities: ReadonlyArray<string>
  /** Entities that are new to the dataset. */
  readonly added: ReadonlyArray<string>
  /** Entities that the service no longer has. */
  readonly gone: ReadonlyArray<string>
  /** Entities that the definition no longer has; their records stay. */
  readonly dropped: ReadonlyArray<string>
  /** Metrics that are new to the dataset. */
  readonly columns: ReadonlyArray<string>
  readonly requests: ReadonlyArray<Request>
}

/** What a dataset holds. */
export interface Status {
  readonly definition: Definition
  readonly entities: ReadonlyArray<Held>
}

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
 * exclude each other. A run whose definition differs in another way than by growing fails with `OtherDefinition`, before
 * anything is sent.
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
  const emit = (event: Event) => Queue.offer(events, event)
  yield* JobOptions.check(job)
  const opened = yield* open(job, emit)
  const { failed } = yield* opened.run(opened.cursors, millisOf(job.recheck))
  if (failed !== undefined) return yield* failed
})

/** Takes the dataset of a job until the scope closes. */
const open = Effect.fnUntraced(function* (job: Asked, emit: Sync.Emit) {
  const prepared = yield* prepare(job)
  const { store } = prepared
  yield* AccessCheck.look(prepared.subject, prepared.definition, prepared.kept)
  const opened = yield* store.open({ definition: prepared.definition, series: prepared.subject })
  // What another run did before this one took the dataset.
  const current = yield* Prepare.following(prepared, opened.kept)
  const { definition, subject } = current
  if (JSON.stringify(opened.kept.definition) !== JSON.stringify(definition)) yield* opened.define(definition)
  /** Syncs from where entities are, and tells where they are then. */
  const run = Effect.fnUntraced(function* (cursors: ReadonlyMap<string, Cursor>, recheck?: number) {
    const kept = { definition, cursors }
    const { given, plan } = yield* Effect.provide(Prepare.plan({ ...current, kept }, recheck), Discover.layer())
    return yield* Sync.run({
      dataset: store.name,
      subject,
      definition,
      given,
      plan,
      store: opened,
      isNew: prepared.kept === undefined,
      concurrency: Math.max(1, Math.floor(job.concurrency ?? 10)),
      emit
    })
  })
  return { cursors: opened.kept.cursors, definition, opened, run, store, subject }
})

/**
 * Brings a dataset up to date as {@link sync} does, and then goes on: with the live stream of the series, where there is one for its
 * frequency and parameters, and otherwise by asking again. Never ends by itself.
 *
 * **Details**
 *
 * What a live stream sends is kept every minute, or as often as `every` says, and once an hour a sync reads what came late or was
 * revised: it begins where it would have begun without the stream. Live records that cannot be kept are told as a `Failed` event. What
 * could not be kept, and what the stream left out, is read by a sync at the end of that minute. A live stream that is lost goes on when the service is there again.
 * A database that fails later is told as a `Failed` event without entities, and taken again with the same waits. Without a live stream each of these times is a sync. Requests that fail meanwhile are told as events, and asked again: a minute later, then after two, four and so on, up
 * to an hour.
 */
export const watch = <E extends Endpoint.Info>(
  job: Given<E> & { readonly every?: Duration.Input | undefined }
): Stream.Stream<Event, DatasetError | LiveError, Needs | LiveClient> =>
  Quota.inOwnLane(
    Stream.callback<Event, DatasetError | LiveError, Needs | LiveClient>((events) => stay(plain(job), events)),
    "dataset"
  )

/** How often a dataset with a live stream is synced, in milliseconds. */
const resync = Duration.toMillis("1 hour")

/** The first wait after a sync that failed; each further one is twice as long, up to an hour. */
const firstWait = Duration.toMillis("1 minute")

/** A failure after which the same request may succeed. */
const isOutage = (error: unknown): error is ApiError => isApiError(error) && Retry.isTransient(error)

/** The wait after another failure. */
const longer = (wait: number) => Math.min(Math.max(firstWait, 2 * wait), resync)

/** A failure of a database, such as a restart. Its dataset may be taken again when it is there. */
const isOfStore = Predicate.or(Predicate.isTagged("StoreFailed"), Predicate.isTagged("StoreInUse"))

type WatchEvents = Queue.Queue<Event, DatasetError | LiveError | Cause.Done>

/** Watches, and takes the dataset again where its database fails after it was up to date once. */
const stay = Effect.fnUntraced(function* (job: JobOptions.Watched, events: WatchEvents) {
  yield* JobOptions.checkWatched(job)
  const state = { wasCurrent: false, wait: 0 }
  // Afterwards the dataset tells what it is of: another run may have added to it meanwhile.
  const { endpoint: _, params: __, ...existing } = job
  const once = Effect.suspend(() => Effect.scoped(goOn(state.wasCurrent ? existing : job, events, state)))
  return yield* once.pipe(
    Effect.catchIf(
      (error) => state.wasCurrent && isOfStore(error),
      Effect.fnUntraced(function* ({ _tag, dataset, message }) {
        const wait = (state.wait = longer(state.wait))
        yield* Queue.offer(events, { _tag: "Failed", dataset, entities: [], error: _tag, reason: message })
        yield* Effect.sleep(wait)
      })
    ),
    Effect.forever
  )
})

const goOn = Effect.fnUntraced(function* (
  job: JobOptions.Watched,
  events: WatchEvents,
  state: { wasCurrent: boolean; wait: number }
) {
  const emit = (event: Event) => Queue.offer(events, event)
  const { cursors: found, definition, opened, run, store, subject } = yield* open(job, emit)
  const started = yield* Clock.currentTimeMillis
  const begunAt = yield* Monotonic.now
  const attempt = (cursors: ReadonlyMap<string, Cursor>) =>
    Effect.catchIf(run(cursors), isOutage, (failed) =>
      Effect.as(emit(noCatalog(store.name, subject, definition, failed)), { cursors: new Map(cursors), failed })
    )
  const begun = yield* state.wasCurrent ? attempt(found) : run(found, millisOf(job.recheck))
  if (begun.failed !== undefined && !(state.wasCurrent && begun.failed._tag !== "OtherName")) return yield* begun.failed
  state.wasCurrent = true
  state.wait = 0
  let { cursors } = begun
  const subscription = Watch.subscriptionOf(subject, definition)
  const collected = Watch.collect(subject, (cursor) => RunRequests.tailOf({ subject, definition }, cursor))
  const keeping = { dataset: store.name, subject, opened, collected, emit }
  let wait = begun.failed === undefined ? 0 : firstWait
  let due = begunAt + (wait === 0 ? resync : wait)
  let isIncomplete = false
  const again = Effect.gen(function* () {
    const now = yield* Monotonic.now
    const isKept = subscription !== undefined && (yield* Watch.keep(keeping, cursors))
    isIncomplete = collected.isIncomplete() || isIncomplete
    // What could not be kept, or did not come, is read over HTTP.
    if (isKept && (!isIncomplete || wait > 0) && now < due) return
    const next = yield* attempt(cursors)
    if (next.failed?._tag === "OtherName") return yield* next.failed
    cursors = next.cursors
    // What failed was told, and is asked for again.
    wait = next.failed === undefined ? 0 : longer(wait)
    due = now + (wait === 0 ? resync : wait)
    collected.recall(cursors, isIncomplete && wait === 0)
    isIncomplete = isIncomplete && wait > 0
    yield* Watch.keep(keeping, cursors)
  })
  const cycle = Effect.forever(Effect.delay(again, job.every ?? "1 minute"))
  if (subscription === undefined) return yield* Effect.raceFirst(cycle, opened.lost)
  const since = Watch.sinceOf(subject, definition, cursors, started)
  const live = Effect.andThen(Watch.follow(subscription, since, keeping), Effect.never)
  return yield* Effect.raceAllFirst([cycle, live, opened.lost])
})

/** Tells that a catalog did not say which entities there are. */
const noCatalog = (
  dataset: string,
  { names }: SeriesParams.SeriesParams,
  { params }: Definition,
  { _tag: error, message: reason }: ApiError
): Event => ({ _tag: "Failed", dataset, entities: Params.items(params[names.entities]), error, reason })

const storeOf = ({ format, layout, to }: Existing) =>
  Predicate.isString(to) ? FolderStore.make(to, { layout, format }) : Effect.succeed(to)

/** The milliseconds of a length, of which none is refused by its name. */
const millisOf = (length: Duration.Input | undefined): number | undefined =>
  length === undefined
    ? undefined
    : Option.match(Duration.fromInput(length), { onNone: () => Number.NaN, onSome: Duration.toMillis })

const storeAt = (to: string | Store) => Effect.andThen(JobOptions.checkPlace(to), () => storeOf({ to }))

const prepare = Effect.fnUntraced(function* (job: Asked) {
  const { endpoint, lookBack, onRemoved, params } = job
  const store = yield* storeOf(job)
  return yield* Effect.catchTag(
    Prepare.prepare(store, { endpoint, params, lookBack: millisOf(lookBack), onRemoved }),
    "NoDataset",
    withFound(job.to)
  )
})

/** Adds what is there in place of a dataset, where that is known of the place. */
const withFound = (to: string | Store) => (error: NoDataset) =>
  Predicate.isString(to)
    ? Effect.flatMap(FolderStore.foundIn(to), (found) => new NoDataset({ dataset: error.dataset, found }))
    : error

/** Tells what a run would do. Asks the catalogs where the definition has wildcards, and changes nothing. */
export const check = Effect.fn("Dataset.check")(function* <E extends Endpoint.Info>(
  job: Given<E>
): Effect.fn.Return<Plan, DatasetError, Needs> {
  yield* JobOptions.check(plain(job))
  const prepared = yield* prepare(plain(job))
  const foreseen = yield* prepared.store.foresee ?? Effect.undefined
  const begun = { ...prepared, kept: foreseen?.kept ?? prepared.kept }
  const { plan } = yield* Effect.provide(Prepare.plan(begun, millisOf(job.recheck)), Discover.layer())
  const parts = [...plan.loads, ...plan.probes, ...plan.tails, ...plan.holes]
  return {
    isNew: begun.kept === undefined,
    missing: foreseen?.missing ?? [],
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
): Effect.fn.Return<Definition | undefined, DatasetError, FileSystem.FileSystem | Path.Path> {
  const store = yield* storeAt(to)
  return (yield* store.look)?.definition
})

/** Tells what a dataset holds, by entity; nothing where there is none. Takes and sends nothing. */
export const status = Effect.fn("Dataset.status")(function* (
  to: string | Store
): Effect.fn.Return<Status | undefined, DatasetError, FileSystem.FileSystem | Path.Path> {
  const store = yield* storeAt(to)
  const kept = yield* store.look
  if (kept === undefined) return undefined
  const found: Status = { definition: kept.definition, entities: yield* store.held }
  return found
})

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
  return yield* Compare.compare(yield* prepare({ to }))
})

/**
 * Proves that what is kept of a dataset is what was written, and emits events. Sends and changes nothing.
 *
 * **Details**
 *
 * Of a folder by checksums, order, repeats and the number of records. Of a table by the number of records of each entity, their first
 * and last times, and that none is there twice, where fields of the endpoint tell the records of one time apart: values that another
 * program changed in it are not seen. {@link compare} asks the service. A dataset that has no records yet emits one event, with zeros.
 */
export const verify = (to: string | Store): Stream.Stream<Event, DatasetError, FileSystem.FileSystem | Path.Path> =>
  Stream.callback<Event, DatasetError, FileSystem.FileSystem | Path.Path>((events) =>
    Effect.gen(function* () {
      const store = yield* storeAt(to)
      yield* Effect.catchTag(
        Verify.verify(store, (event) => Queue.offer(events, event)),
        "NoDataset",
        withFound(to)
      )
      yield* Queue.end(events)
    })
  )

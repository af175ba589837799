/**
 * A bulk download that many processes do together, as a durable workflow: it goes on when any of them is killed, also who submitted it. Its
 * files are those of `Download`, byte for byte; its bookkeeping has the same lines, in the order in which parts were done. Workers do it.
 */
import type { InvalidRequest, Misconfigured } from "@sluice/core/ApiError"
import type * as Bulk from "@sluice/core/Bulk"
import type * as Client from "@sluice/core/Client"
import type * as Endpoint from "@sluice/core/Endpoint"
import type * as Format from "@sluice/files/Format"
import type { BadDefinition } from "@sluice/datasets/Dataset"
import * as SharedDataset from "@sluice/datasets/SharedDataset"
import * as SharedFolder from "@sluice/files/SharedFolder"
import * as Kinds from "@sluice/node/internal/options/Kinds"
import * as Settings from "@sluice/node/internal/options/Settings"
import * as Shape from "@sluice/node/internal/options/Shape"
import { isObject } from "@sluice/files/internal/storage/Objects"
import * as SharedTable from "@sluice/datasets/SharedTable"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type * as WorkflowEngine from "effect/workflow/WorkflowEngine"
import * as Store from "./BackfillStore.ts"
import * as Request from "./internal/Request.ts"
import * as SqlFailure from "./internal/SqlFailure.ts"
import * as Workflows from "./internal/Workflows.ts"

/**
 * What to download, and into which folder: the members of a `Download.Job` that decide what the files hold.
 *
 * **Gotchas**
 *
 * The others are refused, also of a variable of that type. How many parts are read at the same time is `concurrency` of the worker.
 * A backfill is continued by being submitted again, whatever `resume` would say, goes on with the other parts after one that fails,
 * whatever `onFailure` says, and has no `verify`: not to use them without a word would do something else than the job says.
 */
export type Job<E extends Endpoint.Info = Endpoint.Any> = SharedFolder.Job<E>

/**
 * Which time series to load, and into which table of PostgreSQL: it becomes the table of a dataset, with which
 * `Dataset.sync` goes on. A worker needs the URL of the same database, as `database` of `Worker.layer`. `sluice worker`
 * takes the database of its cluster where no other is named.
 */
export type TableJob<E extends Endpoint.Info = Endpoint.Any> = SharedTable.Job<E>

/**
 * Which time series to load from a start to an end, and into which folder: it becomes that of a dataset, with which
 * `Dataset.sync` goes on. Its files are those that one sync makes of the same records, byte for byte. Nobody sees a
 * dataset there before all parts were tried.
 */
export type DatasetJob<E extends Endpoint.Info = Endpoint.Any> = SharedDataset.Job<E>

/** What a backfill does. */
export type AnyJob<E extends Endpoint.Info = Endpoint.Any> = Job<E> | TableJob<E> | DatasetJob<E>

/** How workers do a backfill. No option changes what it writes. */
export interface Options {
  /**
   * Which backfill gets the next free slot of a worker: the one with the highest priority, and of equal ones the one that came first.
   * Parts under way are read to their end. Default 0.
   */
  readonly priority?: number | undefined
  /** How many parts are read at once, over all workers. Default: as many as the workers read. Counts from the next beginning or retry on. */
  readonly concurrency?: number | undefined
}

const checkOptions = Settings.checker(
  Shape.of<Options>()({
    priority: Schema.optional(
      Schema.Number.check(Schema.makeFilter((value: number) => value === (value | 0), { expected: "a whole number" }))
    ),
    concurrency: Schema.optional(Kinds.count)
  })
)

/** Schema of {@link Status}. */
export const Status = Schema.Struct({
  ...Store.Backfill.fields,
  /** Parts that are done. */
  done: Schema.Int,
  /** Parts that failed. */
  failed: Schema.Int,
  /** Records of the parts that are done. */
  records: Schema.Finite,
  /** Bytes of the files that are done. */
  bytes: Schema.Finite,
  /** The first failed parts, at most a hundred. */
  failures: Schema.Array(Store.Failure),
  /**
   * Which workers can do their share. One whose settings are other than those of the backfill leaves it to others, and
   * so does one whose key is refused or that does not have the folder, for a minute; where none is able, the backfill
   * waits.
   */
  workers: Store.Workers
})
/** How far a backfill is. */
export type Status = typeof Status.Type

/** There is no such backfill. */
export class UnknownBackfill extends Schema.TaggedError<UnknownBackfill>()("UnknownBackfill", { id: Schema.String }) {
  override get message() {
    return `there is no backfill ${this.id} in this cluster`
  }
}

/** The state of the backfill does not allow this. */
export class WrongState extends Schema.TaggedError<WrongState>()("WrongState", {
  id: Schema.String,
  /** What was asked for, such as `resume`. */
  action: Schema.Literals(["pause", "resume", "cancel", "retry", "forget"]),
  state: Store.State,
  /** Whether what was under way when it was cancelled still ends. */
  ending: Schema.Boolean
}) {
  override get message() {
    const state = this.ending ? `${this.state}, and parts under way still end` : this.state
    return `cannot ${this.action} backfill ${this.id}: it is ${state}`
  }
}

type BackfillStoreFailed = Store.BackfillStoreFailed
type BackfillStore = Store.BackfillStore

/** Everything that may go wrong with a submission. */
export type SubmitError =
  | InvalidRequest
  | Bulk.BadSplit
  | Format.BadFormat
  | BadDefinition
  | Misconfigured
  | BackfillStoreFailed

/** What a submission needs. */
export type SubmitNeeds =
  | BackfillStore
  | Client.Client
  | FileSystem.FileSystem
  | Path.Path
  | WorkflowEngine.WorkflowEngine

/**
 * Submits a backfill, and returns its ID. Whoever submits may end; workers go on.
 *
 * **Details**
 *
 * The job is the ID: submitted again, a backfill that runs or has finished stays as it is, and one that was cancelled
 * or refused, or has failed parts, is retried. All options are checked, and one that is unknown is refused by its name;
 * the service and the folder are not asked before a worker begins. What is stored is the request, without the key. Options
 * that are given again replace those from before.
 */
export const submit: <E extends Endpoint.Info>(
  job: AnyJob<E>,
  options?: Options
) => Effect.Effect<string, SubmitError, SubmitNeeds> = Effect.fn("Backfill.submit")(function* <E extends Endpoint.Info>(
  job: AnyJob<E>,
  options: Options = {}
) {
  yield* checkOptions(options)
  const store = yield* Store.BackfillStore
  const request = yield* Effect.scoped(requestOf(job))
  const id = Request.idOf(request)
  const submitted = yield* Clock.currentTimeMillis
  const { concurrency, priority } = options
  const how = {
    ...(priority === undefined ? {} : { priority }),
    ...(concurrency === undefined ? {} : { concurrency: Math.floor(concurrency) })
  }
  const found = yield* store.add({
    id,
    generation: 1,
    state: "running",
    reason: null,
    error: null,
    request,
    parts: null,
    submitted,
    ended: null,
    ...how
  })
  const isOther = Object.entries(how).some(([name, value]) => Reflect.get(found, name) !== value)
  if (isOther) yield* store.change(id, found.generation, Store.State.literals, how)
  if (found.ended !== null && found.state !== "finished") {
    // An older version may have submitted it: from here on it is what this one says.
    yield* store.change(id, found.generation, Store.State.literals, { request })
    yield* Effect.ignore(retry(id))
  } else yield* start(found)
  return id
})

const requestOf = Effect.fnUntraced(function* <E extends Endpoint.Info>(job: AnyJob<E>) {
  // Type boundary: the union is told apart by a member of a member, which TypeScript does not narrow by.
  if (!Predicate.hasProperty(job, "into")) return yield* requestOfFolder(job as Job<E>)
  return Predicate.hasProperty(job.into, "folder")
    ? yield* requestOfDataset(job as DatasetJob<E>)
    : yield* requestOfTable(job as TableJob<E>)
})

/** The folder by its whole path. What is no path stays, to be refused by its name. */
const absolute = Effect.fnUntraced(function* (folder: string) {
  const path = yield* Path.Path
  return Predicate.isString(folder) && folder.trim() !== "" && !isObject(folder) ? path.resolve(folder) : folder
})

const requestOfDataset = Effect.fnUntraced(function* <E extends Endpoint.Info>(job: DatasetJob<E>) {
  const folder = yield* absolute(job.into.folder)
  const { identity } = yield* SharedDataset.make({ ...job, into: { ...job.into, folder } }, "submitter")
  return Request.make(identity, folder)
})

const requestOfFolder = Effect.fnUntraced(function* <E extends Endpoint.Info>(job: Job<E>) {
  const to = yield* absolute(job.to)
  const { identity } = yield* SharedFolder.make({ ...job, to }, "submitter")
  return Request.make(identity, to)
})

const requestOfTable = Effect.fnUntraced(function* <E extends Endpoint.Info>(job: TableJob<E>) {
  const { identity } = yield* SharedTable.make(job, "submitter")
  return Request.make(identity)
})

/** Begins the workflow, unless it has begun. */
const start = ({ generation, id }: Pick<Store.Backfill, "generation" | "id">) =>
  SqlFailure.asking(Workflows.Begin.execute({ id, generation }, { discard: true }))

const existing = Effect.fnUntraced(function* (id: string) {
  const found = yield* (yield* Store.BackfillStore).find(id)
  return found === undefined ? yield* new UnknownBackfill({ id }) : found
})

const statusOf = Effect.fnUntraced(function* (backfill: Store.Backfill) {
  const store = yield* Store.BackfillStore
  const totals = yield* store.totals(backfill.id)
  const workers = backfill.ended === null ? yield* store.workers(backfill.id) : { able: 0, unable: [] }
  const status: Status = { ...backfill, ...totals, workers }
  return status
})

/** Tells how far a backfill is. */
export const status: (id: string) => Effect.Effect<Status, UnknownBackfill | BackfillStoreFailed, BackfillStore> =
  Effect.fn("Backfill.status")(function* (id: string) {
    return yield* statusOf(yield* existing(id))
  })

/** Tells how far every backfill of the cluster is, the latest first. One that cannot be read is left out, with a warning in the log. */
export const list: Effect.Effect<ReadonlyArray<Status>, BackfillStoreFailed, BackfillStore> = Effect.gen(function* () {
  const all = yield* (yield* Store.BackfillStore).all
  const found = yield* Effect.forEach(all, (id) =>
    status(id).pipe(
      // Forgotten since.
      Effect.catchTag("UnknownBackfill", () => Effect.undefined),
      Effect.catchIf(
        ({ backfill }) => backfill !== undefined,
        (error) => Effect.as(Effect.logWarning(error.message), undefined)
      )
    )
  )
  return found.filter((one) => one !== undefined)
})

/** Milliseconds before the first look of `watch` after the one at once; each later one waits twice as long. */
const soonest = 50

/**
 * Tells how far a backfill is, at once and at intervals, until it has ended. The last status says how. The first looks follow
 * sooner than `every`, since a small backfill has ended by then.
 */
export const watch = (
  id: string,
  every: Duration.Input = "1 second"
): Stream.Stream<Status, UnknownBackfill | BackfillStoreFailed, BackfillStore> =>
  Stream.paginate(0, (look: number) =>
    Effect.gen(function* () {
      if (look > 0) yield* Effect.sleep(Math.min(Duration.toMillis(every), soonest * 2 ** (look - 1)))
      const now = yield* status(id)
      return [[now], now.ended === null ? Option.some(look + 1) : Option.none<number>()] as const
    })
  )

/** Submits a backfill and waits for its end. Interrupted, it leaves the backfill running where there are other workers. */
export const run = <E extends Endpoint.Info>(
  job: AnyJob<E>,
  options?: Options
): Effect.Effect<Status, SubmitError | UnknownBackfill, SubmitNeeds> =>
  Effect.flatMap(submit(job, options), (id) =>
    Stream.runLast(watch(id)).pipe(Effect.flatMap(Effect.fromOption), Effect.orDie)
  )

type Action<R = BackfillStore> = (
  id: string
) => Effect.Effect<void, UnknownBackfill | WrongState | BackfillStoreFailed, R>

const changing = (
  action: WrongState["action"],
  states: ReadonlyArray<Store.State>,
  change: (backfill: Store.Backfill, now: number) => Store.Change
): Action =>
  Effect.fnUntraced(function* (id: string) {
    const found = yield* existing(id)
    const store = yield* Store.BackfillStore
    const now = yield* Clock.currentTimeMillis
    const isEnding = action === "retry" && found.ended === null
    const may = !isEnding && (yield* store.change(id, found.generation, states, change(found, now)))
    if (!may) {
      const { state } = yield* existing(id)
      return yield* new WrongState({ id, action, state, ending: isEnding && state === "cancelled" })
    }
  })

/** Pauses a backfill: workers end the parts that are under way, and begin no other. */
export const pause: Action = changing("pause", ["running"], () => ({ state: "paused", reason: null, error: null }))

/** Lets a paused backfill go on. */
export const resume: Action = changing("resume", ["paused"], () => ({ state: "running", reason: null, error: null }))

const cancelled: Action = changing("cancel", ["running", "paused"], () => ({
  state: "cancelled",
  reason: null,
  error: null
}))

/**
 * Ends a cancelled backfill that no worker has begun, where no worker is known. One that is there may not have told yet: it
 * notes the parts of what it begins before it takes the folder, and cannot where the backfill was cancelled, so without
 * them there is nothing to release.
 */
const endUntouched = Effect.fnUntraced(function* ({ generation, id, parts }: Store.Backfill) {
  const store = yield* Store.BackfillStore
  // In one process the worker is here.
  if (!store.isShared || parts !== null) return
  const { able, unable } = yield* store.workers(id)
  if (able > 0 || unable.length > 0) return
  yield* store.change(id, generation, ["cancelled"], { ended: yield* Clock.currentTimeMillis })
})

/**
 * Cancels a backfill: parts that are under way are dropped, and the folder is released. Finished files are kept; `retry`, or a
 * `Download` of the same job, reads the rest.
 *
 * Workers are told once more where it is cancelled again and has not ended: whoever did so first may have been killed in between.
 *
 * **Details**
 *
 * A worker ends it, some seconds later. One that no worker has begun ends at once where no worker is known.
 */
export const cancel: Action<BackfillStore | WorkflowEngine.WorkflowEngine> = Effect.fn("Backfill.cancel")(function* (
  id: string
) {
  const found = yield* existing(id)
  // Whoever cancelled it may have ended before it had told the workers.
  if (found.state !== "cancelled" || found.ended !== null) yield* cancelled(id)
  // Looked at only now: no worker can begin it any more.
  const stopped = yield* existing(id)
  yield* endUntouched(stopped)
  yield* SqlFailure.asking(Workflows.End.execute({ id, generation: stopped.generation }, { discard: true }))
})

const again = changing("retry", ["cancelled", "refused", "incomplete", "finished"], ({ generation }) => ({
  state: "running",
  generation: generation + 1,
  reason: null,
  error: null,
  ended: null
}))

/** Begins a backfill that has ended again: parts that failed or whose files are gone are read, the others are kept. */
export const retry: Action<BackfillStore | WorkflowEngine.WorkflowEngine> = Effect.fn("Backfill.retry")(function* (
  id: string
) {
  // Where it fails because the backfill runs, whoever began it may have ended before it had told the workers.
  const result = yield* Effect.result(again(id))
  const found = yield* existing(id)
  if (found.ended === null && found.state === "running") yield* start(found)
  return yield* Effect.fromResult(result)
})

/**
 * Removes a backfill that has ended from the list, whatever its end: finished, incomplete, refused or cancelled, and what the
 * cluster has of it. What it has written stays. Fails with `WrongState` for one that has not ended. Workers do this
 * themselves when it has ended for as long as `keep` of `Worker.layer` says.
 *
 * **Details**
 *
 * The same job submitted again is a new backfill with the same ID, which goes on with what it finds in its folder or table.
 */
export const forget: Action = Effect.fn("Backfill.forget")(function* (id: string) {
  const found = yield* existing(id)
  const store = yield* Store.BackfillStore
  if (yield* store.forget(id, found.generation)) return
  const { ended, state } = yield* existing(id)
  return yield* new WrongState({ id, action: "forget", state, ending: ended === null && state === "cancelled" })
})

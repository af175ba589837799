/**
 * A bulk download that many processes do together, as a durable workflow: it goes on when any of them is killed, the one that
 * submitted it included. Its files are those of `Download`, byte for byte; its bookkeeping has the same lines, in the order in which
 * parts were done.
 *
 * The functions here only say what is wanted; workers (`Worker.layer`) do it.
 */
import type { InvalidRequest } from "@sluice/core/ApiError"
import type * as Bulk from "@sluice/core/Bulk"
import type * as Client from "@sluice/core/Client"
import type * as Endpoint from "@sluice/core/Endpoint"
import type * as Format from "@sluice/node/Format"
import type { BadDefinition } from "@sluice/node/Dataset"
import * as SharedFolder from "@sluice/node/SharedFolder"
import * as SharedTable from "@sluice/node/SharedTable"
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type * as WorkflowEngine from "effect/workflow/WorkflowEngine"
import * as Store from "./BackfillStore.ts"
import * as Request from "./internal/Request.ts"
import * as Workflows from "./internal/Workflows.ts"

/** What to download, and into which folder: as for a `Download`. */
export type Job<E extends Endpoint.Info = Endpoint.Any> = SharedFolder.Job<E>

/**
 * Which time series to load, and into which table of PostgreSQL: it becomes the table of a dataset, with which `Dataset.sync` goes
 * on. A worker needs the URL of the same database, as `database` of `Worker.layer`. `sluice worker` takes the database of its cluster
 * where no other is named.
 */
export type TableJob<E extends Endpoint.Info = Endpoint.Any> = SharedTable.Job<E>

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
  failures: Schema.Array(Store.Failure)
})
/** How far a backfill is. */
export type Status = typeof Status.Type

/** There is no such backfill. */
export class UnknownBackfill extends Schema.TaggedError<UnknownBackfill>()("UnknownBackfill", {
  id: Schema.String
}) {
  override get message() {
    return `there is no backfill ${this.id} in this cluster`
  }
}

/** The state of the backfill does not allow this. */
export class WrongState extends Schema.TaggedError<WrongState>()("WrongState", {
  id: Schema.String,
  /** What was asked for, such as `resume`. */
  action: Schema.Literals(["pause", "resume", "cancel", "retry"]),
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
export type SubmitError = InvalidRequest | Bulk.BadSplit | Format.BadFormat | BadDefinition | BackfillStoreFailed

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
 * The job is the ID: submitted again, a backfill that runs or has finished stays as it is, and one that was cancelled or refused,
 * or has failed parts, is retried. Parameters, split and format are checked; the service and the folder are not asked before a
 * worker begins. What is stored is the request, without the key.
 */
export const submit: <E extends Endpoint.Info>(
  job: Job<E> | TableJob<E>
) => Effect.Effect<string, SubmitError, SubmitNeeds> = Effect.fn("Backfill.submit")(function* <E extends Endpoint.Info>(
  job: Job<E> | TableJob<E>
) {
  const store = yield* Store.BackfillStore
  const request = yield* Effect.scoped("into" in job ? requestOfTable(job) : requestOfFolder(job))
  const id = Request.idOf(request)
  const submitted = yield* Clock.currentTimeMillis
  const found = yield* store.add({
    id,
    generation: 1,
    state: "running",
    reason: null,
    request,
    parts: null,
    submitted,
    ended: null
  })
  if (found.ended !== null && found.state !== "finished") yield* Effect.ignore(retry(id))
  else yield* start(found)
  return id
})

const requestOfFolder = Effect.fnUntraced(function* <E extends Endpoint.Info>(job: Job<E>) {
  const path = yield* Path.Path
  const to = path.resolve(job.to)
  const { identity } = yield* SharedFolder.make({ ...job, to }, "submitter")
  return Request.make(identity, to)
})

const requestOfTable = Effect.fnUntraced(function* <E extends Endpoint.Info>(job: TableJob<E>) {
  const { identity } = yield* SharedTable.make(job, "submitter")
  return Request.make(identity)
})

/** Begins the workflow, unless it has begun. */
const start = ({ generation, id }: Pick<Store.Backfill, "generation" | "id">) =>
  Workflows.Begin.execute({ id, generation }, { discard: true })

const existing = Effect.fnUntraced(function* (id: string) {
  const found = yield* (yield* Store.BackfillStore).find(id)
  return found === undefined ? yield* new UnknownBackfill({ id }) : found
})

const statusOf = Effect.fnUntraced(function* (backfill: Store.Backfill) {
  const totals = yield* (yield* Store.BackfillStore).totals(backfill.id)
  const status: Status = { ...backfill, ...totals }
  return status
})

/** Tells how far a backfill is. */
export const status: (id: string) => Effect.Effect<Status, UnknownBackfill | BackfillStoreFailed, BackfillStore> =
  Effect.fn("Backfill.status")(function* (id: string) {
    return yield* statusOf(yield* existing(id))
  })

/** Tells how far every backfill of the cluster is, the latest first. */
export const list: Effect.Effect<ReadonlyArray<Status>, BackfillStoreFailed, BackfillStore> = Effect.gen(function* () {
  const all = yield* (yield* Store.BackfillStore).all
  return yield* Effect.forEach(all, statusOf)
})

/** Tells how far a backfill is, at once and at intervals, until it has ended. The last status says how. */
export const watch = (
  id: string,
  every: Duration.Input = "1 second"
): Stream.Stream<Status, UnknownBackfill | BackfillStoreFailed, BackfillStore> =>
  Stream.paginate(false, (isLater: boolean) =>
    Effect.gen(function* () {
      if (isLater) yield* Effect.sleep(every)
      const now = yield* status(id)
      return [[now], now.ended === null ? Option.some(true) : Option.none<boolean>()] as const
    })
  )

/** Submits a backfill and waits for its end. Interrupted, it leaves the backfill running where there are other workers. */
export const run = <E extends Endpoint.Info>(
  job: Job<E> | TableJob<E>
): Effect.Effect<Status, SubmitError | UnknownBackfill, SubmitNeeds> =>
  Effect.flatMap(submit(job), (id) => Stream.runLast(watch(id)).pipe(Effect.flatMap(Effect.fromOption), Effect.orDie))

type Action = (id: string) => Effect.Effect<void, UnknownBackfill | WrongState | BackfillStoreFailed, BackfillStore>

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
export const pause: Action = changing("pause", ["running"], () => ({ state: "paused", reason: null }))

/** Lets a paused backfill go on. */
export const resume: Action = changing("resume", ["paused"], () => ({ state: "running", reason: null }))

const cancelled = changing("cancel", ["running", "paused"], () => ({ state: "cancelled", reason: null }))

/**
 * Cancels a backfill: parts that are under way are dropped, and the folder is released. Finished files are kept; `retry`, or a
 * `Download` of the same job, reads the rest.
 */
export const cancel: (
  id: string
) => Effect.Effect<
  void,
  UnknownBackfill | WrongState | BackfillStoreFailed,
  BackfillStore | WorkflowEngine.WorkflowEngine
> = Effect.fn("Backfill.cancel")(function* (id: string) {
  yield* cancelled(id)
  const { generation } = yield* existing(id)
  yield* Workflows.End.execute({ id, generation }, { discard: true })
})

const again = changing("retry", ["cancelled", "refused", "incomplete", "finished"], ({ generation }) => ({
  state: "running",
  generation: generation + 1,
  reason: null,
  ended: null
}))

/**
 * Begins a backfill that has ended again: parts that failed or whose files are gone are read, the others are kept.
 */
export const retry: (
  id: string
) => Effect.Effect<
  void,
  UnknownBackfill | WrongState | BackfillStoreFailed,
  BackfillStore | WorkflowEngine.WorkflowEngine
> = Effect.fn("Backfill.retry")(function* (id: string) {
  yield* again(id)
  yield* start(yield* existing(id))
})

/**
 * A watch: syncs again and again, keeps what the live stream of the series sends, and goes on when its database was away.
 */
import { type ApiError, isApiError } from "@sluice/core/ApiError"
import type { LiveError } from "@sluice/core/LiveError"
import * as Params from "@sluice/core/Params"
import * as Retry from "@sluice/core/Retry"
import type * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import { isObject } from "@sluice/files/internal/storage/Objects"
import * as Monotonic from "@sluice/files/internal/progress/Monotonic"
import type { DatasetError } from "../model/DatasetError.ts"
import type { Definition } from "../model/Definition.ts"
import type { Event } from "../model/Event.ts"
import * as JobOptions from "../model/Job.ts"
import type * as SeriesParams from "../model/SeriesParams.ts"
import type { Cursor } from "../model/Store.ts"
import * as RunRequests from "../plan/RunRequests.ts"
import * as Open from "./Open.ts"
import * as Watch from "../run/Watch.ts"

/** How often a dataset with a live stream is synced, in milliseconds. */
const resync = Duration.toMillis("1 hour")

/** The first wait after a sync that failed; each further one is twice as long, up to an hour. */
const firstWait = Duration.toMillis("1 minute")

/** A failure after which the same request may succeed. */
const isOutage = (error: unknown): error is ApiError => isApiError(error) && Retry.isTransient(error)

/** The wait after another failure. */
const longer = (wait: number) => Math.min(Math.max(firstWait, 2 * wait), resync)

/** A failure of a database, such as a restart, or of a bucket. Its dataset may be taken again when it is there. */
const isStoreFailure = (error: DatasetError | LiveError) =>
  error._tag === "StoreFailed" || error._tag === "StoreInUse" || (error._tag === "FileFailed" && isObject(error.path))

type WatchEvents = Queue.Queue<Event, DatasetError | LiveError | Cause.Done>

/** Watches, and takes the dataset again where its database fails after it was up to date once. */
export const watch = Effect.fnUntraced(function* (job: JobOptions.Watched, events: WatchEvents) {
  yield* JobOptions.checkWatched(job)
  const state = { wasCurrent: false, wait: 0 }
  // Afterwards the dataset tells what it is of: another run may have added to it meanwhile.
  const { endpoint: _, params: __, ...existing } = job
  const once = Effect.suspend(() => Effect.scoped(watchOnce(state.wasCurrent ? existing : job, events, state)))
  return yield* once.pipe(
    Effect.catchIf(
      (error) => state.wasCurrent && isStoreFailure(error),
      Effect.fnUntraced(function* ({ _tag, dataset, message }) {
        const wait = (state.wait = longer(state.wait))
        yield* Queue.offer(events, { _tag: "Failed", dataset, entities: [], error: _tag, reason: message })
        yield* Effect.sleep(wait)
      })
    ),
    Effect.forever
  )
})

/** Watches until something fails. */
const watchOnce = Effect.fnUntraced(function* (
  job: JobOptions.Watched,
  events: WatchEvents,
  state: { wasCurrent: boolean; wait: number }
) {
  const emit = (event: Event) => Queue.offer(events, event)
  const { cursors: found, definition: defined, opened, run, store, subject } = yield* Open.open(job, emit)
  const started = yield* Clock.currentTimeMillis
  const begunAt = yield* Monotonic.now
  const attempt = (cursors: ReadonlyMap<string, Cursor>) =>
    Effect.catchIf(run(cursors), isOutage, (failed) =>
      Effect.as(emit(noCatalog(store.name, subject, defined(), failed)), { cursors: new Map(cursors), failed })
    )
  const begun = yield* state.wasCurrent ? attempt(found) : run(found, Open.millisOf(job.recheck))
  if (begun.failed !== undefined && !(state.wasCurrent && begun.failed._tag !== "OtherName")) return yield* begun.failed
  state.wasCurrent = true
  state.wait = 0
  let { cursors } = begun
  const definition = defined()
  const subscription = Watch.subscriptionOf(subject, definition)
  const collected = Watch.collect(subject, store.cut, (cursor) => RunRequests.tailOf({ subject, definition }, cursor))
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
  // Without a metric that was retired meanwhile, the watch begins anew.
  const cycle = Effect.repeat(Effect.delay(again, job.every ?? "1 minute"), { until: () => defined() !== definition })
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

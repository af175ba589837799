/**
 * The share of one worker: it reads parts into their folder, no more than its slots at once, and only while nobody has
 * paused or cancelled their backfill.
 */
import * as Client from "@sluice/core/Client"
import type { CheckFailed } from "@sluice/files/Download"
import * as SharedFolder from "@sluice/files/SharedFolder"
import * as Recent from "@sluice/files/internal/progress/Recent"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import * as Predicate from "effect/Predicate"
import * as RcMap from "effect/RcMap"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { BackfillStore, BackfillStoreFailed, Failure, type State } from "../BackfillStore.ts"
import * as Fitness from "./Fitness.ts"
import * as Persistence from "./Persistence.ts"
import * as Slots from "./Slots.ts"
import * as Target from "./Target.ts"

/** A part could not be read. The others are. */
export class PartFailed extends Schema.TaggedError<PartFailed>()("PartFailed", Failure.fields) {}

/** The backfill was cancelled, or begun again, before this part was read. */
export class Stopped extends Schema.TaggedError<Stopped>()("Stopped", {}) {}

/** The backfill paused before this was done. */
export class Paused extends Schema.TaggedError<Paused>()("Paused", {}) {}

/** Another worker is to do this: what this one met may be its own trouble. */
export class LeftToOthers extends Schema.TaggedError<LeftToOthers>()("LeftToOthers", {}) {}

/** The service or the folder refuses the backfill as a whole. */
export class Refused extends Schema.TaggedError<Refused>()("Refused", {
  /** The tag of the error, such as `OtherJob`. */
  error: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return this.reason
  }
}

export interface Run {
  readonly id: string
  readonly generation: number
}

export interface Reader {
  readonly read: (part: number) => Effect.Effect<SharedFolder.DonePart, PartFailed | Stopped | Paused | LeftToOthers>
  /** Fails when the backfill is to end, and what is read of it to be dropped. */
  readonly stopped: Effect.Effect<never, Stopped>
  /** Whether a backfill of a higher priority waits for a slot. */
  readonly isOutranked: Effect.Effect<boolean>
}

/** The work that workflows give to the process they run in. */
export class Parts extends Context.Service<
  Parts,
  {
    /** Asks the store until it answers. */
    readonly persistently: Persistence.Persistently
    /** Fails when the store of backfills has refused something, and never ends otherwise. */
    readonly refused: Effect.Effect<never, BackfillStoreFailed>
    /** Waits while the backfill is paused; false where it is to end. */
    readonly mayGo: (run: Run) => Effect.Effect<boolean>
    /** Tells where its parts are to be read. */
    readonly placeOf: (run: Run) => Effect.Effect<Fitness.Place>
    /** Runs with one of the slots of this worker, of which the backfill with the highest priority gets the next. */
    readonly inSlot: <A, E, R>(run: Run, self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** Takes the folder, and tells what it has. */
    readonly begin: (run: Run) => Effect.Effect<SharedFolder.Found, Refused | Stopped | Paused | LeftToOthers>
    /** Opens the folder for parts that are read one after the other. */
    readonly reader: (run: Run) => Effect.Effect<Reader, Stopped | Paused | LeftToOthers, Scope.Scope>
    readonly read: (
      run: Run,
      part: number
    ) => Effect.Effect<SharedFolder.DonePart, PartFailed | Stopped | Paused | LeftToOthers>
    /** Does what is left when all parts were tried: makes the dataset of a folder, in one step. */
    readonly finish: (run: Run) => Effect.Effect<void, Stopped | Paused | LeftToOthers>
    readonly end: (run: Run) => Effect.Effect<void>
  }
>()("@sluice/cluster/internal/Parts") {}

/** Milliseconds between two looks at what the user wants, and for which an answer of the store is used. */
const lookEvery = 1_000

/**
 * Errors that the next part would meet too: a full disk, a database that is gone, a wrong key. The backfill pauses
 * until somebody has helped.
 */
const affectsAll: ReadonlySet<string> = new Set([
  "FileFailed",
  "UnexpectedEntry",
  "FolderLost",
  "BookkeepingDamaged",
  "StoreFailed",
  "StoreInUse",
  "DatasetDamaged",
  "Unauthorized",
  "Unfit"
])

/** Those of them that may be of one worker alone: its key, and whether it has the disk that others share. */
const ofWorker: ReadonlyMap<string, "key" | "folder"> = new Map([
  ["Unauthorized", "key"],
  ["FileFailed", "folder"],
  ["FolderLost", "folder"]
] as const)

/** Codes of PostgreSQL for values and rows that it does not take, which are of one part: classes 21, 22 and 23. */
const isOfPart = /^2[123]/

/** The tag by which users know an error: that of what the check of the first and last part met, where it is that. */
const tagOf = (error: CheckFailed | { readonly _tag: Exclude<string, "CheckFailed"> }) =>
  "error" in error ? error.error._tag : error._tag

/** Whether it is known what becomes of a run. */
const isSettled = Predicate.or(
  Predicate.or(Predicate.isTagged("Stopped"), Predicate.isTagged("Paused")),
  Predicate.isTagged("LeftToOthers")
)

const isOfAll = (error: { readonly _tag: string; readonly code?: unknown }) =>
  affectsAll.has(error._tag) && !(error._tag === "StoreFailed" && isOfPart.test(String(error.code)))

/** Builds the share of one worker. */
export const make: (
  options: Omit<Target.Options, "own">
) => Effect.Effect<
  Parts["Service"],
  never,
  BackfillStore | Client.Client | FileSystem.FileSystem | Path.Path | Scope.Scope
> = Effect.fnUntraced(function* (settings: Omit<Target.Options, "own">) {
  const { concurrency, worker } = settings
  const store = yield* BackfillStore
  const options = { ...settings, own: store.isShared ? undefined : yield* SharedFolder.ownFolders }
  const { persistently, refused } = yield* Persistence.make
  const client = yield* Client.Client
  const { scrub } = client.account
  const slots = Slots.make(concurrency)
  const holding = yield* Semaphore.make(1)

  const open = Effect.fnUntraced(function* (id: string) {
    const found = yield* persistently(
      Effect.catchIf(store.find(id), ({ backfill }) => backfill !== undefined, Effect.succeed)
    )
    if (found === undefined) return yield* new Stopped()
    if (found instanceof BackfillStoreFailed) return yield* Target.unreadable(found.reason, options)
    return yield* Target.open(found, options)
  })
  const folders = yield* RcMap.make({ lookup: open, idleTimeToLive: "1 minute" })
  const folderOf = ({ id }: Pick<Run, "id">) =>
    Effect.onError(RcMap.get(folders, id), () => RcMap.invalidate(folders, id))
  const fitness = yield* Fitness.make({ persistently, targetOf: (id) => folderOf({ id }) })

  // By the backfill: what takes a folder or table has ended before it is released.
  const takings = yield* RcMap.make({ lookup: (_id: string) => Semaphore.make(1) })
  const oneAtATime =
    ({ id }: Run) =>
    <A, E, R>(self: Effect.Effect<A, E, R>) =>
      Effect.scoped(Effect.flatMap(RcMap.get(takings, id), (taking) => taking.withPermit(self)))

  const states = yield* RcMap.make({
    lookup: (id: string) => Recent.make(persistently(store.find(id)), lookEvery),
    idleTimeToLive: "10 seconds"
  })
  const recentOf = ({ id }: Run) => RcMap.get(states, id)
  type Look = Effect.Success<ReturnType<typeof recentOf>>
  const stateIn = Effect.fnUntraced(function* ({ generation }: Run, recent: Look) {
    let found = yield* recent.get
    // The look may be older than this run, which was begun by a retry, or submitted again after it had been forgotten.
    if (found === undefined || found.generation < generation) {
      yield* recent.forget
      found = yield* recent.get
    }
    return found?.generation === generation ? found.state : "cancelled"
  })
  const stateOf = (run: Run) => Effect.scoped(Effect.flatMap(recentOf(run), (recent) => stateIn(run, recent)))
  const priorityIn = (recent: Look) => Effect.map(recent.get, (found) => found?.priority ?? 0)
  const mayGo = Effect.fnUntraced(function* (run: Run) {
    for (;;) {
      const state = yield* stateOf(run)
      if (state !== "paused") return state === "running"
      yield* Effect.sleep(lookEvery)
    }
  })
  const stopped = Effect.fnUntraced(function* (run: Run) {
    for (;;) {
      yield* Effect.sleep(lookEvery)
      const state = yield* stateOf(run)
      if (state !== "paused" && state !== "running") return yield* new Stopped()
    }
  })
  const refuseUnless = Effect.fnUntraced(function* (state: State) {
    if (state === "paused") return yield* new Paused()
    if (state !== "running") return yield* new Stopped()
  })
  const refuseUnlessRunning = (run: Run) => Effect.flatMap(stateOf(run), refuseUnless)

  const forgetState = ({ id }: Run) => Effect.scoped(Effect.flatMap(RcMap.get(states, id), ({ forget }) => forget))

  /** Where there may be other workers, users have to know whose key or disk it is. */
  const told = (reason: string) => (store.isShared ? `worker ${worker}: ${reason}` : reason)

  /** Fails with `LeftToOthers` where this may be the trouble of this worker alone, and there are others. */
  const leaveToOthers = Effect.fnUntraced(function* (run: Run, tag: string, reason: string) {
    // A backfill that was cancelled, or paused by another, has lost its folder or table by that.
    yield* forgetState(run)
    yield* refuseUnlessRunning(run)
    const setting = ofWorker.get(tag)
    if (setting === undefined) return
    const unable = { worker, setting, reason: `the worker ${worker} cannot take part: ${reason}` }
    if (yield* fitness.leave(run, unable)) return yield* new LeftToOthers()
  })

  /** Leaves the backfill to others, or pauses it, unless it has paused or ended. */
  const hold = Effect.fnUntraced(function* (run: Run, error: { readonly _tag: string; readonly message: string }) {
    const { generation, id } = run
    const reason = scrub(error.message)
    yield* leaveToOthers(run, error._tag, reason)
    const pause = { state: "paused", reason: told(reason), error: error._tag } as const
    const hasPaused = yield* persistently(store.change(id, generation, ["running"], pause))
    if (hasPaused) yield* Effect.logWarning(`Backfill ${id} pauses: ${reason}`)
    yield* forgetState(run)
    yield* refuseUnlessRunning(run)
    return yield* new Paused()
    // One at a time, so that it pauses once, whichever parts meet it.
  }, holding.withPermit)

  const opening = Effect.fnUntraced(function* (run: Run) {
    const recent = yield* recentOf(run)
    yield* Effect.flatMap(stateIn(run, recent), refuseUnless)
    // What a part has met since this one was given to this worker.
    if ((yield* fitness.placeOf(run)) === "elsewhere") return yield* new LeftToOthers()
    return { recent, folder: yield* folderOf(run) }
  })

  const once = Effect.fnUntraced(function* (run: Run, recent: Look, folder: Target.Target, part: number) {
    yield* Effect.flatMap(stateIn(run, recent), refuseUnless)
    const found = yield* folder.find(part)
    if (found !== undefined) return found
    return yield* Effect.provideService(folder.read(part), Client.Client, client).pipe(
      Effect.catchDefect((defect) => Effect.fail(new Defect({ message: Cause.pretty(Cause.die(defect)) }))),
      Effect.catchIf(
        (error) => !isOfAll(error),
        ({ _tag, message }) =>
          Effect.fail(new PartFailed({ part, file: folder.fileOf(part), error: _tag, reason: scrub(message) }))
      )
    )
  })

  const reader = Effect.fnUntraced(function* (run: Run) {
    const { folder, recent } = yield* Effect.catchIf(
      opening(run),
      (error) => !isSettled(error),
      (error) => hold(run, error)
    )
    const opened: Reader = {
      read: (part) =>
        Effect.catchIf(
          once(run, recent, folder, part),
          (error) => !isSettled(error) && error._tag !== "PartFailed",
          (error) => hold(run, error)
        ),
      stopped: stopped(run),
      isOutranked: Effect.map(priorityIn(recent), slots.isOutranked)
    }
    return opened
  })

  const read = (run: Run, part: number) =>
    Effect.scoped(Effect.flatMap(reader(run), (opened) => Effect.raceFirst(opened.read(part), opened.stopped)))

  const begin = Effect.fnUntraced(function* (run: Run) {
    yield* refuseUnlessRunning(run)
    return yield* Effect.scoped(Effect.flatMap(folderOf(run), (folder) => oneAtATime(run)(take(run, folder)))).pipe(
      Effect.catchIf(
        // A database that cannot be reached refuses nothing.
        (error) => error._tag === "StoreFailed" || error._tag === "Unfit",
        (error) => hold(run, error)
      ),
      Effect.catchIf(
        (error) => !isSettled(error),
        (error) => {
          const [tag, reason] = [tagOf(error), scrub(error.message)]
          return leaveToOthers(run, tag, reason).pipe(
            Effect.andThen(Effect.fail(new Refused({ error: tag, reason: ofWorker.has(tag) ? told(reason) : reason })))
          )
        }
      )
    )
  })

  const finish = Effect.fnUntraced(function* (run: Run) {
    // What was cancelled a moment ago is not finished: the last look may have been before that.
    yield* forgetState(run)
    yield* refuseUnlessRunning(run)
    const finished = Effect.flatMap(folderOf(run), (folder) => folder.finish ?? Effect.void)
    return yield* Effect.scoped(Effect.provideService(finished, Client.Client, client)).pipe(
      Effect.catchIf(
        (error) => error._tag !== "Stopped",
        (error) => hold(run, error)
      )
    )
  })

  const end = (run: Run): Effect.Effect<void> =>
    // Workers drop what they read of a cancelled backfill when they next look.
    Effect.flatMap(stateOf(run), (state) => (state === "cancelled" ? Effect.sleep(2 * lookEvery) : Effect.void)).pipe(
      Effect.andThen(oneAtATime(run)(release(run)))
    )

  /** Whether there is no later run: what was cancelled before a worker had begun it may have been begun again since. */
  const isLatest = ({ generation, id }: Run) =>
    Effect.map(persistently(store.find(id)), (found) => (found?.generation ?? generation) === generation)

  const release = (run: Run): Effect.Effect<void> =>
    Effect.scoped(Effect.flatMap(folderOf(run), (folder) => folder.end)).pipe(
      Effect.when(isLatest(run)),
      // It was forgotten, and this worker does not have its folder open.
      Effect.catchTag("Stopped", () => Effect.void),
      Effect.tapError((error) =>
        Effect.logWarning(`Backfill ${run.id} cannot release its folder or table: ${scrub(error.message)}`)
      ),
      Effect.retry({
        // A worker that cannot do the backfill will not be able to later.
        while: ({ _tag }) => _tag !== "Unfit",
        schedule: Schedule.min([Schedule.exponential("1 second"), Schedule.spaced("30 seconds")]).pipe(
          Schedule.upTo({ times: 5 })
        )
      }),
      Effect.ignore
    )

  /**
   * Takes the folder or table of a run. Leaves it free where the run was cancelled, also while it is taken: as with parts, that is
   * seen before another worker that ends the run releases it.
   */
  const take = Effect.fnUntraced(function* (run: Run, target: Target.Target) {
    const { generation, id } = run
    // Before it is taken, and only while nobody has cancelled: so what is cancelled without parts has nothing to release.
    const { parts } = target
    if (!(yield* persistently(store.change(id, generation, ["running", "paused"], { parts }))))
      return yield* new Stopped()
    const begin = Effect.provideService(target.begin, Client.Client, client)
    const result = yield* Effect.result(Effect.raceFirst(begin, stopped(run)))
    // This process may have stood still meanwhile, so that the end of the run came before.
    yield* forgetState(run)
    const state = yield* stateOf(run)
    if (state === "running" || state === "paused") return yield* Effect.fromResult(result)
    yield* release(run)
    return yield* new Stopped()
  })

  return {
    persistently,
    refused,
    mayGo,
    placeOf: fitness.placeOf,
    inSlot: (run, self) =>
      Effect.flatMap(Effect.scoped(Effect.flatMap(recentOf(run), priorityIn)), (priority) =>
        slots.within(priority)(self)
      ),
    begin,
    reader,
    read,
    finish,
    end
  }
})

/** A fault of ours, as far as a table may have it: without what an error may carry along. */
class Defect extends Schema.TaggedError<Defect>()("Defect", { message: Schema.String }) {}

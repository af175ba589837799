/**
 * The share of one worker: it reads parts into their folder, no more than its permits at once, and only while nobody has
 * paused or cancelled their backfill.
 */
import type { ApiError } from "@sluice/core/ApiError"
import * as Client from "@sluice/core/Client"
import type * as Endpoint from "@sluice/core/Endpoint"
import type { CheckFailed } from "@sluice/node/Download"
import * as SharedFolder from "@sluice/node/SharedFolder"
import * as SharedTable from "@sluice/node/SharedTable"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import * as RcMap from "effect/RcMap"
import type * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { hostname } from "node:os"
import { BackfillStore, type BackfillStoreFailed, Failure } from "../BackfillStore.ts"
import * as Persistence from "./Persistence.ts"
import * as Request from "./Request.ts"

/** A part could not be read. The others are. */
export class PartFailed extends Schema.TaggedError<PartFailed>()("PartFailed", Failure.fields) {}

/** The backfill was cancelled, or begun again, before this part was read. */
export class Stopped extends Schema.TaggedError<Stopped>()("Stopped", {}) {}

/** The backfill paused before this was done. */
export class Paused extends Schema.TaggedError<Paused>()("Paused", {}) {}

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

/** One run of a backfill. */
export interface Run {
  readonly id: string
  readonly generation: number
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
    /** Waits until this worker is to begin with further parts, so that those it began with are done first. */
    readonly inTurn: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** Takes the folder, and tells what it has. */
    readonly begin: (run: Run) => Effect.Effect<SharedFolder.Found, Refused | Stopped | Paused>
    readonly read: (run: Run, part: number) => Effect.Effect<SharedFolder.DonePart, PartFailed | Stopped | Paused>
    /** Releases the folder. */
    readonly end: (run: Run) => Effect.Effect<void>
  }
>()("@sluice/cluster/internal/Parts") {}

/** Milliseconds between two looks at what the user wants, and for which an answer of the store is used. */
const lookEvery = 1_000

/** Errors that the next part would meet too: a full disk, a database that is gone, a wrong key. The backfill pauses until somebody has helped. */
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

/** Codes of PostgreSQL for values and rows that it does not take, which are of one part: classes 21, 22 and 23. */
const isOfPart = /^2[123]/

const isOfAll = (error: { readonly _tag: string; readonly code?: unknown }) =>
  affectsAll.has(error._tag) && !(error._tag === "StoreFailed" && isOfPart.test(String(error.code)))

/** This process cannot do its share of the backfill, though others may. */
class Unfit extends Schema.TaggedError<Unfit>()("Unfit", { reason: Schema.String }) {
  override get message() {
    return this.reason
  }
}

/** What a worker can do. */
export interface Options {
  readonly endpoints: ReadonlyArray<Endpoint.Any>
  readonly concurrency: number
  /** Where tables are. */
  readonly database: Redacted.Redacted | undefined
}

/** Where the records of a backfill go: a folder or a table. */
interface Target {
  readonly identity: Schema.JsonObject
  readonly fileOf: (part: number) => string
  readonly begin: Effect.Effect<
    SharedFolder.Found,
    CheckFailed | SharedTable.TableOccupied | TargetError,
    Client.Client
  >
  readonly find: (part: number) => Effect.Effect<SharedFolder.DonePart | undefined, TargetError>
  readonly read: (
    part: number
  ) => Effect.Effect<SharedFolder.DonePart, SharedFolder.PartError | SharedTable.PartError, Client.Client>
  readonly end: Effect.Effect<void, TargetError>
}

type TargetError = Exclude<SharedFolder.PartError | SharedTable.PartError, ApiError>

/** Builds the share of one worker. */
export const make: (
  options: Options
) => Effect.Effect<
  Parts["Service"],
  never,
  BackfillStore | Client.Client | FileSystem.FileSystem | Path.Path | Scope.Scope
> = Effect.fnUntraced(function* ({ concurrency, database, endpoints }: Options) {
  const store = yield* BackfillStore
  const { persistently, refused } = yield* Persistence.make
  const client = yield* Client.Client
  const { scrub } = client.account
  const permits = yield* Semaphore.make(concurrency)
  // Some more than are read at once: what the engine writes before and after a part takes its time too.
  const turns = yield* Semaphore.make(concurrency + Math.ceil(concurrency / 2))

  const make = Effect.fnUntraced(function* (request: Request.Request, endpoint: Endpoint.Any, group: string) {
    const { into } = request
    if (into === undefined) return yield* SharedFolder.make(Request.jobOf(request, endpoint), group)
    const own = database === undefined ? undefined : SharedTable.databaseOf(database)
    if (database === undefined || own !== into.database) {
      const writes = `writes tables into ${own ?? "no database"}, not into ${into.database}`
      return yield* new Unfit({ reason: `the worker on ${hostname()} ${writes}` })
    }
    return yield* SharedTable.make(Request.tableJobOf(request, into, endpoint, database, concurrency), group)
  })

  const open = Effect.fnUntraced(function* (id: string) {
    const found = yield* persistently(store.find(id))
    if (found === undefined) return yield* new Unfit({ reason: `there is no backfill ${id}` })
    const { request } = found
    const endpoint = endpoints.find(({ path }) => path === request.endpoint)
    if (endpoint === undefined) {
      return yield* new Unfit({ reason: `the worker on ${hostname()} does not know the endpoint ${request.endpoint}` })
    }
    const target: Target = yield* make(request, endpoint, `backfill ${id}`).pipe(
      Effect.mapError((error) => (error instanceof Unfit ? error : new Unfit({ reason: scrub(error.message) })))
    )
    if (Request.idOf(Request.make(target.identity, request.folder)) !== id) {
      const root = client.account.root.url
      const why =
        root === request.root ? "has another version of Sluice" : `reads from ${root}, not from ${request.root}`
      return yield* new Unfit({ reason: `the worker on ${hostname()} ${why}` })
    }
    return target
  })
  const folders = yield* RcMap.make({ lookup: open, idleTimeToLive: "1 minute" })
  const folderOf = ({ id }: Run) => Effect.onError(RcMap.get(folders, id), () => RcMap.invalidate(folders, id))

  const states = yield* RcMap.make({
    lookup: (id: string) => Effect.cachedInvalidateWithTTL(persistently(store.find(id)), lookEvery),
    idleTimeToLive: "10 seconds"
  })
  const stateOf = Effect.fnUntraced(function* ({ generation, id }: Run) {
    const [look, forget] = yield* RcMap.get(states, id)
    let found = yield* look
    // A retry may be later than the look: this run is not begun in vain because of what was before it.
    if (found !== undefined && found.generation < generation) {
      yield* forget
      found = yield* look
    }
    return found?.generation === generation ? found.state : "cancelled"
  }, Effect.scoped)
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
  const refuseUnlessRunning = Effect.fnUntraced(function* (run: Run) {
    const state = yield* stateOf(run)
    if (state === "paused") return yield* new Paused()
    if (state !== "running") return yield* new Stopped()
  })

  /** Pauses the backfill, unless it has paused or ended, and waits until that is known here. */
  const hold = Effect.fnUntraced(function* (run: Run, reason: string) {
    const { generation, id } = run
    // Once, whichever parts meet it. A backfill that was cancelled does not pause: it has lost its folder or table by that.
    const hasPaused = yield* persistently(store.change(id, generation, ["running"], { state: "paused", reason }))
    if (hasPaused) yield* Effect.logWarning(`Backfill ${id} pauses: ${reason}`)
    yield* Effect.sleep(lookEvery)
    yield* refuseUnlessRunning(run)
    return yield* new Paused()
  })

  const once = Effect.fnUntraced(function* (run: Run, part: number) {
    yield* refuseUnlessRunning(run)
    const folder = yield* folderOf(run)
    const found = yield* folder.find(part)
    if (found !== undefined) return found
    const file = folder.fileOf(part)
    return yield* Effect.raceFirst(Effect.provideService(folder.read(part), Client.Client, client), stopped(run)).pipe(
      Effect.catchDefect((defect) => Effect.fail(new Defect({ message: Cause.pretty(Cause.die(defect)) }))),
      Effect.catchIf(
        (error) => error._tag !== "Stopped" && !isOfAll(error),
        (error) => Effect.fail(new PartFailed({ part, file, error: error._tag, reason: scrub(error.message) }))
      )
    )
  }, Effect.scoped)

  const read = Effect.fnUntraced(function* (run: Run, part: number) {
    return yield* permits
      .withPermits(1)(once(run, part))
      .pipe(
        Effect.catchIf(
          (error) => error._tag !== "Stopped" && error._tag !== "PartFailed" && error._tag !== "Paused",
          (error) => hold(run, scrub(error.message))
        )
      )
  })

  const begin = Effect.fnUntraced(function* (run: Run) {
    yield* refuseUnlessRunning(run)
    return yield* Effect.scoped(
      Effect.flatMap(folderOf(run), (folder) => Effect.provideService(folder.begin, Client.Client, client))
    ).pipe(
      Effect.catchTag("Unfit", ({ reason }) => hold(run, reason)),
      // A database that cannot be reached refuses nothing.
      Effect.catchIf(
        (error) => error._tag === "StoreFailed",
        (error) => hold(run, scrub(error.message))
      ),
      Effect.catchIf(
        (error) => error._tag !== "Paused" && error._tag !== "Stopped",
        (error) => Effect.fail(new Refused({ error: error._tag, reason: scrub(error.message) }))
      )
    )
  })

  const end = (run: Run): Effect.Effect<void> =>
    // Workers drop what they read of a cancelled backfill when they next look.
    Effect.flatMap(stateOf(run), (state) => (state === "cancelled" ? Effect.sleep(2 * lookEvery) : Effect.void)).pipe(
      Effect.andThen(release(run))
    )

  const release = (run: Run): Effect.Effect<void> =>
    Effect.scoped(Effect.flatMap(folderOf(run), (folder) => folder.end)).pipe(
      Effect.tapError((error) =>
        Effect.logWarning(`Backfill ${run.id} cannot release its folder: ${scrub(error.message)}`)
      ),
      Effect.retry(
        Schedule.min([Schedule.exponential("1 second"), Schedule.spaced("30 seconds")]).pipe(
          Schedule.upTo({ times: 5 })
        )
      ),
      Effect.ignore
    )

  return { persistently, refused, mayGo, inTurn: turns.withPermits(1), begin, read, end }
})

/** A fault of ours, as far as a table may have it: without what an error may carry along. */
class Defect extends Schema.TaggedError<Defect>()("Defect", { message: Schema.String }) {}

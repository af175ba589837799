/** `sluice backfill`: a download that the workers of a cluster do together; and what can be asked of one. */
import * as Backfill from "@sluice/cluster/Backfill"
import * as BackfillStore from "@sluice/cluster/BackfillStore"
import * as Cluster from "@sluice/cluster/Cluster"
import * as Worker from "@sluice/cluster/Worker"
import type { Misconfigured } from "@sluice/core/ApiError"
import * as Client from "@sluice/core/Client"
import * as Discover from "@sluice/core/Discover"
import * as Parameter from "@sluice/core/Parameter"
import { harmless } from "@sluice/core/PlainText"
import * as DatasetPostgres from "@sluice/datasets/DatasetPostgres"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Ref from "effect/Ref"
import * as Stream from "effect/Stream"
import * as Nearest from "../../endpoints/Nearest.ts"
import * as RelativeTime from "../../endpoints/RelativeTime.ts"
import * as Parameters from "../../endpoints/Parameters.ts"
import * as Suggestions from "../../endpoints/Suggestions.ts"
import * as ClusterUrl from "../../settings/ClusterUrl.ts"
import * as Connection from "../../settings/Connection.ts"
import * as GlobalFlags from "../../settings/GlobalFlags.ts"
import * as Amount from "../../terminal/Amount.ts"
import * as Pace from "../../terminal/Pace.ts"
import { jsonOf, Screen, type Side } from "../../terminal/Screen.ts"
import * as Style from "../../terminal/Style.ts"
import type { About } from "../flags/About.ts"
import { type Action, backfillFlags, type BackfillInput } from "../flags/BackfillFlags.ts"
import * as Download from "./Download.ts"
import * as EventOutput from "./EventOutput.ts"
import * as PlaceFlags from "./PlaceFlags.ts"

/** A backfill ended without all of its files, or paused where nobody else could let it go on. */
export class BackfillEnded extends Data.TaggedError("BackfillEnded")<{
  readonly status: Backfill.Status
  /** Whether there is no cluster, so that no other command knows of it. */
  readonly isAlone: boolean
  /** Names that were perhaps meant, where the service refused one. */
  readonly suggestions?: ReadonlyArray<string>
}> {
  override get message() {
    const { done, failed, failures, id, parts, reason, state } = this.status
    const [first] = failures
    const stuck = stuckBy(this.status)
    if (stuck !== undefined) return `backfill ${id} cannot go on: ${stuck}`
    if (state === "paused") return `backfill ${id} cannot go on: ${reason ?? "it is paused"}`
    if (state === "refused") {
      const why = (reason ?? "for no reason that was told").replace(/\.$/, "")
      return `backfill ${id} was refused: ${why}${Nearest.meant(this.suggestions ?? [])}`
    }
    if (state === "cancelled") return `backfill ${id} was cancelled with ${done} of ${parts ?? 0} parts done`
    return `${failed} of ${parts ?? 0} parts of backfill ${id} failed, the first with ${first?.file}: ${first?.reason}`
  }
}

export class WhichBackfill extends Data.TaggedError("WhichBackfill")<{ readonly message: string }> {}

/** Why no worker that is there can go on with a backfill; undefined where one can, or none has judged it. */
const stuckBy = ({ state, workers: { able, unable } }: Backfill.Status) =>
  state === "running" && able === 0 ? unable[0]?.reason : undefined

/** Whether it may have begun, and no worker has told that it is there. */
const isLeft = ({ state, workers: { able, unable } }: Backfill.Status) =>
  state === "running" && able === 0 && unable.length === 0

/** Whether it was cancelled, and no worker has told that it is there to end it. */
const isLeftCancelled = ({ ended, state, workers: { able, unable } }: Backfill.Status) =>
  state === "cancelled" && ended === null && able === 0 && unable.length === 0

/** The command of a worker that can do it. */
const workerOf = ({ into }: Backfill.Status["request"]) => {
  if (into === undefined) return "`sluice worker`"
  // A folder of sockets is no part of a URL.
  const url = into.database.startsWith("/") ? "<its URL>" : `postgres://${into.database}`
  return `\`sluice worker --into ${url}\``
}

/**
 * How long workers have to tell that they are there, which they do every five seconds, before a line says that there
 * are none.
 */
const toldWithin = 10_000

/**
 * What a status says in a line; `wereAwaited` where workers, if there are any, have had the time to tell. `isReasonTold` where another
 * line says why it goes no further.
 */
const lineOf = (status: Backfill.Status, wereAwaited: boolean, pace: Pace.Pace | undefined, isReasonTold = false) => {
  const { bytes, done, failed, id, parts, reason, records, request, state } = status
  const stuck = stuckBy(status)
  const isElsewhere = status.workers.unable[0]?.setting === "database"
  const cure = isElsewhere ? `; start one with ${workerOf(request)}` : ""
  const of = parts === null ? "no part begun" : `${Amount.count(done)} of ${Amount.count(parts)} parts`
  const failures = failed === 0 ? "" : `, ${Amount.count(failed)} failed`
  const { able, unable } = status.workers
  const apart =
    able === 0 || unable.length === 0 ? "" : `, ${unable.length} of ${unable.length + able} workers take no part`
  const said = wereAwaited && isLeft(status) ? `no worker is running; start ${workerOf(request)}` : reason
  const told = stuck === undefined ? said : `no worker can do it: ${stuck}${cure}`
  const why = told === null || isReasonTold ? "" : ` (${told})`
  const where = `${request.endpoint.slice(1)} to ${BackfillStore.placeOf(request)}`
  return harmless(
    `${id}  ${state}${why}: ${of}${failures}${Pace.textOf(pace)}, ${Amount.count(records)} records, ${Amount.bytes(bytes)}${apart}  ${where}`
  )
}

/** Whether a submission ends here without its files: it then fails with the reason. */
const isLast = (status: Backfill.Status, isAlone: boolean) =>
  status.state === "refused" || (isAlone && isStopped(status))

/** Whether a backfill without a cluster goes no further: the commands that resume one need a cluster. */
const isStopped = (status: Backfill.Status) => status.state === "paused" || stuckBy(status) !== undefined

/** Shows a status where it is another: on a terminal in the same line, else in one of its own. */
const shown =
  (isAlone: boolean, wereAwaited: () => boolean, now: () => number) =>
  ({ isTerminal }: Side) => {
    let before = ""
    let done = -1
    let pace: Pace.Pace | undefined
    const see = Pace.make()
    return (status: Backfill.Status) => {
      const seen = see(status, now())
      // What stands still would be another line each second.
      if (status.done !== done || status.state !== "running") pace = seen
      done = status.done
      const line = lineOf(status, wereAwaited(), pace, isLast(status, isAlone))
      if (line === before) return ""
      before = line
      return isTerminal ? `${Style.wipe}${line}` : `${line}\n`
    }
  }

type Place = Layer.Layer<Cluster.Services, Cluster.JoinError | Misconfigured, Exclude<Worker.Needs, Cluster.Services>>

/** Where a backfill goes: the folder of a download, the folder of a dataset, or a table of PostgreSQL. */
const placeOf = Effect.fnUntraced(function* (input: BackfillInput) {
  const { columns, statusColumns, numbers, ...ofFiles } = input.format
  const ofDatasets = PlaceFlags.named(
    { ...backfillFlags.layout, ...backfillFlags.update },
    { ...input.layout, ...input.update }
  )
  const place = yield* PlaceFlags.find<"Folder" | "Postgres">(input, {
    command: "backfill",
    noun: "a backfill",
    into: ["Folder", "Postgres"],
    intoIs: "the folder of a dataset, or a PostgreSQL",
    intoIsNot: "--into is neither a folder nor a URL that begins with postgres://",
    table: "the table for the records",
    unfit: {
      Output: { flags: ofDatasets, why: () => "is of a dataset: name its folder with --into" },
      // The parts of a dataset follow from its layout.
      Folder: {
        flags: PlaceFlags.named(
          { ...backfillFlags.split, columns: backfillFlags.format.columns },
          { ...input.split, columns }
        ),
        why: () => "is of a download, and --into names the folder of a dataset"
      },
      Postgres: {
        flags: [...PlaceFlags.named(backfillFlags.format, { ...ofFiles, columns }), ...ofDatasets],
        why: () => "is of files, and --into names a table"
      }
    }
  })
  const format = (usual: "ndjson" | "parquet") => ({ ...input.format, as: input.format.as ?? usual })
  switch (place._tag) {
    case "Output":
      return { files: { to: place.folder, format: format("ndjson") } }
    case "Folder":
      return { dataset: { folder: place.folder, layout: input.layout, format: format("parquet"), ...input.update } }
    default:
      return { table: { url: place.url, table: place.table, numbers, statusColumns } }
  }
})

/** Submits a backfill and shows how far it is. When it is stopped, the backfill goes on. */
export const submit = Effect.fnUntraced(function* (input: BackfillInput, about: About) {
  const screen = yield* Screen
  const { endpoint } = about.entry
  const url = yield* ClusterUrl.find(input.cluster)
  const isAlone = url === undefined
  const clock = yield* Clock.Clock
  /** By the wall clock, as the end of a backfill is told. */
  const begun = clock.currentTimeMillisUnsafe()
  const start = clock.monotonicTimeNanosUnsafe()
  const wereAwaited = () => !isAlone && Number(clock.monotonicTimeNanosUnsafe() - start) > toldWithin * 1_000_000
  const output = yield* EventOutput.make(shown(isAlone, wereAwaited, () => clock.currentTimeMillisUnsafe()))
  const isJson = output.isJson
  const params = yield* RelativeTime.resolve(endpoint.parameters, Parameters.given(input.parameters))
  const to = yield* placeOf(input)
  const { table } = to
  const secret = yield* ClusterUrl.secret
  const { concurrency } = input
  const place: Place = isAlone
    ? Layer.provideMerge(
        Worker.layer({ endpoints: [endpoint], concurrency, database: table?.url }),
        Cluster.layerMemory
      )
    : Cluster.layerClient({ url, secret })
  const program = Effect.gen(function* () {
    // A worker tries for a minute, for a database that comes back; one that never answered is told of at once.
    if (table !== undefined && isAlone) yield* answering(table)
    const how = isAlone ? {} : { priority: input.priority, concurrency }
    const id = yield* table !== undefined
      ? Effect.flatMap(named({ endpoint, params, split: input.split, into: table }), (job) => Backfill.submit(job, how))
      : to.dataset === undefined
        ? Effect.flatMap(Download.expanded({ endpoint, params, split: input.split, ...to.files }), (job) =>
            Backfill.submit(job, how)
          )
        : Effect.flatMap(named({ endpoint, params, into: to.dataset }), (job) => Backfill.submit(job, how))
    const newest = yield* Ref.make<BackfillStore.State>("running")
    const farewell = Effect.flatMap(Ref.get(newest), (state) =>
      screen.say(
        (screen.err.isTerminal ? "\n" : "") + (isAlone ? "Stopped. The same command continues.\n" : left(id, state))
      )
    )
    const last = yield* Backfill.watch(id).pipe(
      Stream.tap((status) => Effect.andThen(Ref.set(newest, status.state), output.tell(status))),
      Stream.takeUntil((status) => (isAlone ? isStopped(status) : wereAwaited() && isLeftCancelled(status))),
      Stream.runLast,
      Effect.flatMap(Effect.fromOption),
      Effect.catchTag("NoSuchElementError", Effect.die),
      Effect.onInterrupt(() => (isJson ? Effect.void : farewell))
    )
    if (screen.err.isTerminal && !isJson) yield* screen.say("\n")
    if (last.state === "finished") {
      const wasDone = isAlone ? (yield* Client.quota).sent === 0 : last.ended !== null && last.ended < begun
      if (wasDone && !isJson) yield* screen.say("All of it was there: it is kept, and nothing was read.\n")
      return
    }
    const isNamed = last.state === "refused" && last.error === "InvalidRequest"
    const suggestions = isNamed ? yield* Suggestions.ofRefused(endpoint, params) : []
    return yield* new BackfillEnded({ status: last, isAlone, suggestions })
  })
  yield* program.pipe(Effect.provide(Layer.provideMerge(place, Connection.layerDiscover)))
})

/** What becomes of a backfill of a cluster whose watching was stopped. */
const left = (id: string, state: BackfillStore.State) =>
  state === "cancelled"
    ? `Stopped watching: backfill ${id} is cancelled, and ends where a \`sluice worker\` runs.\n`
    : state === "paused"
      ? `Stopped watching: backfill ${id} is paused. \`sluice backfill resume ${id}\` lets it go on, \`sluice backfill cancel ${id}\` ends it.\n`
      : `Stopped watching: backfill ${id} goes on in the cluster. \`sluice backfill status ${id}\` tells how far it is, \`sluice backfill cancel ${id}\` ends it.\n`

/** Fails where the database of a table does not answer. What else may be wrong with the table, the backfill itself says. */
const answering = (into: Backfill.TableJob["into"]) =>
  DatasetPostgres.make(into).look.pipe(
    Effect.catchIf(
      (error) => error._tag !== "StoreFailed",
      () => Effect.void
    )
  )

/** Names what the wildcards among the entities of a table stand for. */
const named = Effect.fnUntraced(function* <Job extends Pick<Backfill.TableJob, "endpoint" | "params">>(job: Job) {
  const list = Parameter.find(job.endpoint.parameters, "Entities")?.name
  return list === undefined ? job : { ...job, params: yield* Discover.expand(job.endpoint, job.params, list) }
})

/** States in which an action is likely to be meant. One that was just cancelled may still end. */
const statesOf: Readonly<Record<Exclude<Action, "forget">, ReadonlyArray<BackfillStore.State>>> = {
  status: ["running", "paused"],
  pause: ["running"],
  resume: ["paused"],
  cancel: ["running", "paused"],
  retry: ["cancelled", "refused", "incomplete"]
}

/** The backfill that is meant, by its id or the beginning of it, or else the only one that the action fits. */
const meant = Effect.fnUntraced(function* (action: Action, id: string | undefined) {
  const all = yield* Backfill.list
  const fitting = all.filter(({ ended, state }) =>
    action === "forget" ? ended !== null : statesOf[action].includes(state)
  )
  // Where none fits, the action itself says why it is not for the one that is there.
  const likely = fitting.length > 0 || action === "retry" ? fitting : all.filter(({ ended }) => ended === null)
  const found = id === undefined ? likely : all.filter((one) => one.id.startsWith(id))
  const [only, ...others] = found
  if (only !== undefined && others.length === 0) return only.id
  const said = id === undefined ? `there is nothing to ${action}` : `there is no backfill ${id}`
  const message = only === undefined ? said : `several backfills may be meant: ${found.map((one) => one.id).join(", ")}`
  return yield* new WhichBackfill({ message })
})

const does = {
  pause: Backfill.pause,
  resume: Backfill.resume,
  cancel: Backfill.cancel,
  retry: Backfill.retry,
  forget: Backfill.forget
}

export const act = Effect.fnUntraced(function* (
  action: Action,
  id: string | undefined,
  flag: Redacted.Redacted | undefined
) {
  const screen = yield* Screen
  const isJson = yield* GlobalFlags.Json
  const url = yield* ClusterUrl.get(flag)
  const secret = yield* ClusterUrl.secret
  const program = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const line = (one: Backfill.Status) =>
      lineOf(one, action === "status" && now - one.submitted > toldWithin, Pace.average(one, now))
    const withPace = (one: Backfill.Status) => ({ ...one, ...Pace.average(one, now) })
    if (action === "status" && id === undefined) {
      const all = yield* Backfill.list
      if (isJson) return yield* screen.print(jsonOf(all.map(withPace)))
      return yield* screen.print(all.length === 0 ? "There are no backfills." : all.map(line).join("\n"))
    }
    const one = yield* meant(action, id)
    const before = yield* Backfill.status(one)
    if (action !== "status") yield* does[action](one)
    const status = action === "status" || action === "forget" ? before : yield* Backfill.status(one)
    if (isJson) return yield* screen.print(jsonOf(withPace(status)))
    if (action === "forget") return yield* screen.print(`forgotten: ${line(status)}`)
    const failures = status.failures.map(({ error, file, reason }) => harmless(`  ${file}: ${error}: ${reason}`))
    const unable = status.workers.unable.map(({ reason }) => harmless(`  left to other workers: ${reason}`))
    yield* screen.print([line(status), ...new Set(unable), ...failures].join("\n"))
  })
  yield* Effect.provide(program, Cluster.layerClient({ url, secret }))
})

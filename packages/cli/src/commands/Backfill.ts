/**
 * `sluice backfill`: a download that the workers of a cluster do together; and what can be asked of one.
 */
import * as Backfill from "@sluice/cluster/Backfill"
import * as BackfillStore from "@sluice/cluster/BackfillStore"
import * as Cluster from "@sluice/cluster/Cluster"
import * as Worker from "@sluice/cluster/Worker"
import * as Discover from "@sluice/core/Discover"
import * as Parameter from "@sluice/core/Parameter"
import { harmless, harmlessJson } from "@sluice/core/PlainText"
import * as DatasetPostgres from "@sluice/node/DatasetPostgres"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Ref from "effect/Ref"
import * as Stream from "effect/Stream"
import * as RelativeTime from "../endpoints/RelativeTime.ts"
import * as Parameters from "../endpoints/Parameters.ts"
import * as ClusterUrl from "../settings/ClusterUrl.ts"
import * as Connection from "../settings/Connection.ts"
import * as GlobalFlags from "../settings/GlobalFlags.ts"
import * as Amount from "../terminal/Amount.ts"
import { Screen, type Side } from "../terminal/Screen.ts"
import * as Style from "../terminal/Style.ts"
import type { About } from "./About.ts"
import type { Action, BackfillInput } from "./BackfillFlags.ts"
import * as Download from "./Download.ts"
import * as EventOutput from "./EventOutput.ts"
import * as Place from "./Place.ts"

/** A backfill ended without all of its files, or paused where nobody else could let it go on. */
export class BackfillEnded extends Data.TaggedError("BackfillEnded")<{
  readonly status: Backfill.Status
  /** Whether there is no cluster, so that no other command knows of it. */
  readonly isAlone: boolean
}> {
  override get message() {
    const { done, failed, failures, id, parts, reason, state } = this.status
    const [first] = failures
    if (state === "paused") return `backfill ${id} cannot go on: ${reason ?? "it is paused"}`
    if (state === "refused") return `backfill ${id} was refused: ${reason ?? "for no reason that was told"}`
    if (state === "cancelled") return `backfill ${id} was cancelled with ${done} of ${parts ?? 0} parts done`
    return `${failed} of ${parts ?? 0} parts of backfill ${id} failed, the first with ${first?.file}: ${first?.reason}`
  }
}

/** No backfill, or several, may be meant. */
export class WhichBackfill extends Data.TaggedError("WhichBackfill")<{ readonly message: string }> {}

/** What a status says in a line. */
const lineOf = ({ bytes, done, failed, id, parts, reason, records, request, state }: Backfill.Status) => {
  const of = parts === null ? "no part begun" : `${Amount.count(done)} of ${Amount.count(parts)} parts`
  const failures = failed === 0 ? "" : `, ${Amount.count(failed)} failed`
  const why = reason === null ? "" : ` (${reason})`
  const where = `${request.endpoint.slice(1)} to ${BackfillStore.placeOf(request)}`
  return harmless(
    `${id}  ${state}${why}: ${of}${failures}, ${Amount.count(records)} records, ${Amount.bytes(bytes)}  ${where}`
  )
}

/** Shows a status where it is another: on a terminal in the same line, else in one of its own. */
const shown = ({ isTerminal }: Side) => {
  let before = ""
  return (status: Backfill.Status) => {
    const line = lineOf(status)
    if (line === before) return ""
    before = line
    return isTerminal ? `${Style.wipe}${line}` : `${line}\n`
  }
}

const jsonOf = (status: unknown) => harmlessJson(JSON.stringify(status))

/** Submits a backfill and shows how far it is. When it is stopped, the backfill goes on. */
export const submit = Effect.fnUntraced(function* (input: BackfillInput, about: About) {
  const screen = yield* Screen
  const output = yield* EventOutput.make(shown)
  const isJson = output.isJson
  const { endpoint } = about.entry
  const url = yield* ClusterUrl.find(input.cluster)
  const params = yield* RelativeTime.resolve(endpoint.parameters, Parameters.given(input.parameters))
  const to = yield* placeOf(input)
  const files = Download.splitOf(
    { ...input, output: to.folder ?? "", format: Option.getOrElse(input.format, () => "ndjson" as const) },
    endpoint
  )
  const job = { ...files, endpoint, params }
  const place = Option.match(url, {
    onSome: (url) => Cluster.layerClient({ url }),
    onNone: () =>
      Worker.layer({
        endpoints: [endpoint],
        concurrency: Option.getOrUndefined(input.concurrency),
        database: to.into?.url
      }).pipe(Layer.provideMerge(Cluster.layerMemory))
  })
  const program = Effect.gen(function* () {
    const { into } = to
    // A worker tries for a minute, for a database that comes back; one that never answered is told of at once.
    if (into !== undefined && Option.isNone(url)) yield* answering(into)
    const id =
      into === undefined
        ? yield* Backfill.submit(yield* Download.expanded(job))
        : yield* Backfill.submit({ ...(yield* named(job)), into })
    const isAlone = Option.isNone(url)
    const newest = yield* Ref.make<BackfillStore.State>("running")
    const farewell = Effect.flatMap(Ref.get(newest), (state) =>
      screen.say(
        (screen.err.isTerminal ? "\n" : "") + (isAlone ? "Stopped. The same command continues.\n" : left(id, state))
      )
    )
    const last = yield* Backfill.watch(id).pipe(
      Stream.tap((status) => Effect.andThen(Ref.set(newest, status.state), output.tell(status))),
      // The commands that resume one need a cluster.
      Stream.takeUntil(({ state }) => isAlone && state === "paused"),
      Stream.runLast,
      Effect.flatMap(Effect.fromOption),
      Effect.catchTag("NoSuchElementError", Effect.die),
      Effect.onInterrupt(() => (isJson ? Effect.void : farewell))
    )
    if (screen.err.isTerminal && !isJson) yield* screen.say("\n")
    if (last.state !== "finished") return yield* new BackfillEnded({ status: last, isAlone })
  })
  yield* program.pipe(Effect.provide(Layer.provideMerge(Layer.merge(place, Discover.layer()), Connection.layer)))
})

/** What becomes of a backfill of a cluster whose watching was stopped. */
const left = (id: string, state: BackfillStore.State) =>
  state === "paused"
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

/** Flags that say how files are written. */
const ofFiles = ["format", "compression", "decimal", "columns"] as const

const refuse = (reason: string) => new Place.BadPlace({ reason, command: "backfill" })

/** Where the flags say that records go. */
const placeOf = Effect.fnUntraced(function* (input: BackfillInput) {
  const { into, output, table } = input
  if (Option.isNone(into)) {
    if (Option.isNone(output)) return yield* refuse("--output is missing: a folder; or --into, a PostgreSQL")
    if (Option.isSome(table)) return yield* refuse("--table is of a database: name it with --into")
    return { folder: output.value, into: undefined }
  }
  if (Option.isSome(output)) return yield* refuse("--output and --into exclude each other: a backfill has one place")
  if (Option.isNone(table)) return yield* refuse("--table is missing: the table for the records in this database")
  const flag = ofFiles.find((name) => input[name]._tag === "Some")
  if (flag !== undefined) return yield* refuse(`--${flag} is of files, and --into names a table`)
  return {
    folder: undefined,
    into: {
      url: yield* Place.postgres(into.value, "backfill"),
      table: table.value,
      numbers: Option.getOrUndefined(input.numbers),
      statusColumns: Option.getOrUndefined(input["status-columns"])
    }
  }
})

/** Names what the wildcards among the entities of a table stand for. */
const named = Effect.fnUntraced(function* <Job extends Pick<Backfill.TableJob, "endpoint" | "params">>(job: Job) {
  const list = Parameter.find(job.endpoint.parameters, "Entities")?.name
  return list === undefined ? job : { ...job, params: yield* Discover.expand(job.endpoint, job.params, list) }
})

/** The backfill that is meant, by its id or the beginning of it, or else the only one that the action fits. */
const meant = Effect.fnUntraced(function* (action: Action, id: Option.Option<string>) {
  const all = yield* Backfill.list
  const fits = (status: Backfill.Status) =>
    action === "retry" ? status.ended !== null && status.state !== "finished" : status.ended === null
  const found = Option.match(id, {
    onNone: () => all.filter(fits),
    onSome: (id) => all.filter((one) => one.id.startsWith(id))
  })
  const [only, ...others] = found
  if (only !== undefined && others.length === 0) return only.id
  const said = Option.match(id, {
    onNone: () => `there is nothing to ${action}`,
    onSome: (id) => `there is no backfill ${id}`
  })
  const message = only === undefined ? said : `several backfills may be meant: ${found.map((one) => one.id).join(", ")}`
  return yield* new WhichBackfill({ message })
})

const does = {
  pause: Backfill.pause,
  resume: Backfill.resume,
  cancel: Backfill.cancel,
  retry: Backfill.retry
}

/** Does what the word after `backfill` says. */
export const act = Effect.fnUntraced(function* (
  action: Action,
  id: Option.Option<string>,
  flag: Option.Option<Redacted.Redacted>
) {
  const screen = yield* Screen
  const isJson = yield* GlobalFlags.Json
  const url = yield* ClusterUrl.get(flag)
  const program = Effect.gen(function* () {
    if (action === "status" && Option.isNone(id)) {
      const all = yield* Backfill.list
      if (isJson) return yield* screen.print(jsonOf(all))
      return yield* screen.print(all.length === 0 ? "There are no backfills." : all.map(lineOf).join("\n"))
    }
    const one = yield* meant(action, id)
    if (action !== "status") yield* does[action](one)
    const status = yield* Backfill.status(one)
    if (isJson) return yield* screen.print(jsonOf(status))
    const failures = status.failures.map(({ error, file, reason }) => harmless(`  ${file}: ${error}: ${reason}`))
    yield* screen.print([lineOf(status), ...failures].join("\n"))
  })
  yield* Effect.provide(program, Cluster.layerClient({ url }))
})

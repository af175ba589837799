/**
 * Downloads a large request into a folder: one file for each part, complete or absent. A run that was stopped can be
 * continued.
 *
 * **Example** (Downloading minutes of two assets, a file for each month)
 *
 * ```ts
 * Download.run({
 *   endpoint: Timeseries.assetMetrics,
 *   params: {
 *     assets: ["btc", "eth"],
 *     metrics: ["PriceUSD"],
 *     frequency: "1m",
 *     start_time: "2020-01-01",
 *     end_time: "2024-01-01"
 *   },
 *   split: { by: "assets", every: "1 month" },
 *   to: "prices",
 *   format: { as: "csv", compression: "gzip" }
 * })
 * ```
 */
import "@sluice/node/internal/runtime/NodeVersion"
import type * as Bulk from "@sluice/core/Bulk"
import * as Client from "@sluice/core/Client"
import type { InvalidRequest } from "@sluice/core/ApiError"
import type * as Endpoint from "@sluice/core/Endpoint"
import * as Quota from "@sluice/core/Quota"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import * as Queue from "effect/Queue"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as AccessCheck from "./internal/download/AccessCheck.ts"
import type { DownloadError, PlanFailed } from "./internal/download/DownloadError.ts"
import type { Event } from "./internal/download/Event.ts"
import type { FolderError } from "./internal/folder/FolderError.ts"
import * as Files from "./internal/folder/Files.ts"
import * as Folder from "./internal/download/Folder.ts"
import * as JobOptions from "./internal/download/JobOptions.ts"
import * as Meter from "./internal/download/Meter.ts"
import * as Manifest from "./internal/download/Manifest.ts"
import * as Outcome from "./internal/download/Outcome.ts"
import * as Parts from "./internal/download/Parts.ts"
import * as Planning from "./internal/download/Planning.ts"
import * as Prepared from "./internal/download/Prepared.ts"
import * as Verify from "./internal/download/Verify.ts"
import * as Monotonic from "./internal/progress/Monotonic.ts"
import * as Kinds from "@sluice/node/internal/options/Kinds"
import * as Shape from "@sluice/node/internal/options/Shape"
import type { BadFormat } from "@sluice/core/internal/columns/FormatError"
import type * as Format from "./Format.ts"

export { CheckFailed, DownloadError, type Failure, PartsFailed, PlanFailed } from "./internal/download/DownloadError.ts"
export {
  Event,
  type Finished,
  type PartDone,
  type PartFailed,
  type PartStarted,
  type Planned,
  type Progress,
  type Started,
  type Verifying
} from "./internal/download/Event.ts"
export * from "./internal/folder/FolderError.ts"
export type { Resume } from "./internal/download/Folder.ts"

/** What to download, and into which folder. */
export interface Job<E extends Endpoint.Info = Endpoint.Any> {
  /** The endpoint to read. */
  readonly endpoint: E
  /** Its parameters. */
  readonly params: Bulk.ParamsOf<E>
  /** How to split the request: one file for each part. Default: one file for the whole request. */
  readonly split?: Bulk.Split<Bulk.ListName<E>> | undefined
  /** The folder; created if missing. Other files in it are not touched. */
  readonly to: string
  /** The format of the files, with its options. */
  readonly format: Format.Options
  /** Parts that are read at the same time. Default 10, as many as the service runs requests. */
  readonly concurrency?: number | undefined
  /** What to do after a part that cannot be read: `"stop"`, the default, or `"continue"` with the others. */
  readonly onFailure?: "stop" | "continue" | undefined
  /**
   * What to do when the folder holds an unfinished run of this download: continue it (`"allowed"`, the default) or fail
   * (`"never"`). `"required"` fails for a folder without a run. A finished run never fails: there is nothing to do.
   */
  readonly resume?: Folder.Resume | undefined
  /**
   * Whether to compare every finished file with its SHA-256 before anything else. Default false: only sizes are compared.
   * Fails with `FileChanged`, which names all changed files, and touches nothing. If all parts are done, nothing is sent to
   * the service. With `resume: "never"` nothing is downloaded: a folder without a download fails with `NothingToResume`,
   * and an unfinished one with `NotFinished` after its finished files were found unchanged.
   */
  readonly verify?: boolean | undefined
  /**
   * Whether to plan the download before it begins: see {@link plan}. Default false. The plan is an event, and stands in the
   * manifest with what the download then took beside it.
   */
  readonly plan?: boolean | undefined
  /** The most requests that may be planned: of more, `PlanExceeded` refuses the download before it begins. Plans the download. */
  readonly maxRequests?: number | undefined
  /** The most bytes of files that may be planned, in the same way. */
  readonly maxBytes?: number | undefined
  /**
   * Parameters as they were given, where `params` has something else in their place, such as `{ start_time: "-30d" }`. They
   * are kept in the folder for {@link begun}, and do not tell one download from another.
   */
  readonly given?: Readonly<Record<string, string>> | undefined
}

const check = JobOptions.checker(
  Shape.of<Job>()({
    ...JobOptions.files,
    concurrency: Schema.optional(Kinds.count),
    onFailure: Schema.optional(Schema.Literals(["stop", "continue"])),
    resume: Schema.optional(Schema.Literals(["allowed", "required", "never"])),
    plan: Schema.optional(Schema.Boolean),
    maxRequests: Schema.optional(Kinds.count),
    maxBytes: Schema.optional(Kinds.count),
    verify: Schema.optional(Schema.Boolean)
  })
)

/** What is planned: a {@link Job} without its folder. */
export type PlannedJob<E extends Endpoint.Info = Endpoint.Any> = Pick<
  Job<E>,
  "endpoint" | "params" | "split" | "format" | "maxRequests" | "maxBytes"
>

/**
 * Tells what a download would take, and downloads nothing: requests, records, bytes of its files and time under the rate limit, of
 * each entity and in total, as `Bulk.plan` does. Looks at no folder.
 */
export const plan = <E extends Endpoint.Info>(
  job: PlannedJob<E>
): Effect.Effect<
  Bulk.Plan,
  InvalidRequest | Bulk.BadSplit | BadFormat | PlanFailed | Bulk.PlanExceeded,
  Client.Client
> =>
  Effect.gen(function* () {
    // Type boundary: as in `run`, the parameters are data from here on, and `Bulk.split` checks them.
    const untyped = job as unknown as PlannedJob
    const { encode, manifest } = yield* Prepared.make(untyped)
    return yield* Planning.make(untyped.endpoint, manifest.parts, encode, untyped)
  })

/** The download that a folder has. */
export interface Begun {
  /** Path of the endpoint. */
  readonly endpoint: string
  /** The whole request. */
  readonly params: Schema.JsonObject
  /** What the job had as `given`; empty where it had nothing. */
  readonly given: Readonly<Record<string, string>>
}

/** Tells which download a folder has, finished or not; nothing where it has none. Touches nothing. */
export const begun = Effect.fnUntraced(function* (
  folder: string
): Effect.fn.Return<Begun | undefined, FolderError, FileSystem.FileSystem | Path.Path> {
  const found = yield* Folder.manifestOf(yield* Files.make, folder)
  return found === undefined ? undefined : { endpoint: found.endpoint, params: found.params, given: found.given ?? {} }
})

/**
 * A stream that downloads into a folder when it is run: it emits what happens as events, and ends when every file is complete.
 *
 * **Details**
 *
 * Files appear under their names only when they are complete. The folder `.sluice/` inside the folder has the bookkeeping,
 * without the key: the request and its parts in `manifest.json`, and a line with the SHA-256 of each finished file in
 * `done.ndjson`. After a kill, a full disk or a lost network, running the same job again keeps the finished files and reads
 * the others again; the files are the same, byte for byte, as those of an undisturbed run. A finished file that was removed
 * is read again. A finished file that was changed is detected by its size, and with `verify` by its checksum.
 *
 * A folder of another download, a folder that another process writes into, a folder with files of the same names, and a
 * folder with edited bookkeeping each fail with an error of their own, before anything is touched. Before the download
 * begins, one record of the first and of the last remaining part is requested; if that fails, no folder is created.
 *
 * Interrupting the stream closes files and sockets and leaves a folder that can be resumed. The run shares the permits of the
 * client fairly with other requests.
 *
 * **Gotchas**
 *
 * A request without `end_time` may see newer data when it is resumed: its files then do not show one moment.
 */
export const run = <E extends Endpoint.Info>(job: Job<E>): Stream.Stream<Event, DownloadError, Needs> =>
  Quota.inOwnLane(
    Stream.callback<Event, DownloadError, Needs>((events) =>
      Effect.andThen(
        // Type boundary: an endpoint whose parameters have types of its own is no `Endpoint.Any`, which takes data. From here
        // on the parameters are data; `Bulk.split` checks them before anything is sent.
        Effect.scoped(drive(job as unknown as Job, events)),
        Queue.end(events)
      )
    ),
    "download"
  )

/** The services that a download needs. */
type Needs = Client.Client | FileSystem.FileSystem | Path.Path

type Events = Queue.Queue<Event, DownloadError | Cause.Done>

const drive = Effect.fnUntraced(function* (job: Job, events: Events) {
  yield* check(job)
  const files = yield* Files.make
  yield* Folder.refuseUsed(files, job.to)
  const { encode, manifest } = yield* Prepared.make(job)
  const plan: Folder.DownloadPlan = {
    folder: job.to,
    resume: job.resume ?? "allowed",
    verify: job.verify ?? false,
    manifest
  }
  const emit = (event: Event) => Queue.offer(events, event)
  const found = yield* Folder.inspect(files, plan)
  if (plan.verify) yield* Verify.all(files, job.to, found, emit)
  yield* Folder.refuseUnfinished(plan, found)
  const isPlanned = job.plan === true || job.maxRequests !== undefined || job.maxBytes !== undefined
  const planned =
    isPlanned && found.left.length > 0 ? yield* Planning.make(job.endpoint, found.left, encode, job) : undefined
  if (planned !== undefined) yield* emit({ _tag: "Planned", folder: job.to, plan: planned })
  const begun = planned === undefined ? plan : { ...plan, manifest: withPlan(manifest, Outcome.begin(planned)) }
  const began = yield* Monotonic.now
  const { sent } = yield* Client.quota
  if (found.left.length > 0) yield* AccessCheck.first(job.endpoint, found.left)
  const claimed = found.left.length > 0 ? yield* Folder.claim(files, begun) : undefined
  const state = claimed ?? found
  const { parts } = state.manifest
  const earlier = Folder.count(state)
  const meter = Meter.make(parts.length, earlier, yield* Monotonic.now)
  yield* emit({ _tag: "Started", folder: job.to, resumed: state.isBegun, parts: parts.length, ...earlier })
  if (claimed !== undefined) {
    const note = Effect.gen(function* () {
      const { bytes, records } = meter.finished()
      const requests = (yield* Client.quota).sent - sent
      const own = claimed.isBegun
        ? { requests: null, millis: null }
        : { requests, millis: (yield* Monotonic.now) - began }
      yield* noteTaken(files, job.to, claimed.manifest, { records, bytes, ...own })
    })
    const reading = Effect.andThen(Parts.readAll({ job, encode, files, claimed, meter, emit }), note)
    const report = Effect.flatMap(Effect.all([Monotonic.now, Client.quota]), ([now, quota]) =>
      emit(meter.progress(now, quota))
    )
    yield* Effect.raceAllFirst([reading, Effect.forever(Effect.delay(report, "250 millis")), claimed.lost])
    yield* report
  }
  const { records, bytes } = meter.finished()
  // A run that was killed may have given a file its name again a moment ago: with a sync of any file it is on the disk.
  if (claimed === undefined) yield* Effect.ignore(Folder.sync(files, job.to))
  yield* emit({ _tag: "Finished", folder: job.to, files: parts.length, records, bytes })
})

const withPlan = ({ parts, ...rest }: Manifest.Manifest, plan: Outcome.Outcome): Manifest.Manifest => ({
  ...rest,
  plan,
  parts
})

/** Writes what was taken beside what was planned, where the manifest has a plan. */
const noteTaken = (files: Files.Files, folder: string, manifest: Manifest.Manifest, taken: Outcome.Taken) =>
  manifest.plan === undefined
    ? Effect.void
    : Manifest.rewrite(
        files,
        Folder.pathsOf(files, folder).bookkeeping,
        withPlan(manifest, Outcome.end(manifest.plan, taken))
      )

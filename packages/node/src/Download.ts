/**
 * A large request as files in a folder: one file of each part, whole or not there, and a run that was stopped goes on
 * where it was.
 *
 * **Example** (Downloading minutes of two assets, a file of each month)
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
 *   split: { by: "assets", every: "30 days" },
 *   to: "prices",
 *   format: { as: "csv", compression: "gzip" }
 * })
 * ```
 */
import * as Bulk from "@sluice/core/Bulk"
import * as Client from "@sluice/core/Client"
import type * as Endpoint from "@sluice/core/Endpoint"
import * as Params from "@sluice/core/Params"
import * as Quota from "@sluice/core/Quota"
import type * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import * as Queue from "effect/Queue"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as AccessCheck from "./internal/download/AccessCheck.ts"
import type { DownloadError } from "./internal/download/DownloadError.ts"
import type { Event } from "./internal/download/Event.ts"
import * as FileName from "./internal/download/FileName.ts"
import * as Files from "./internal/download/Files.ts"
import * as Folder from "./internal/download/Folder.ts"
import * as Manifest from "./internal/download/Manifest.ts"
import * as Meter from "./internal/download/Meter.ts"
import * as Parts from "./internal/download/Parts.ts"
import * as Verify from "./internal/download/Verify.ts"
import * as Format from "./Format.ts"

export { CheckFailed, DownloadError, type Failure, PartsFailed } from "./internal/download/DownloadError.ts"
export {
  Event,
  type Finished,
  type PartDone,
  type PartFailed,
  type PartStarted,
  type Progress,
  type Started,
  type Verifying
} from "./internal/download/Event.ts"
export * from "./internal/download/FolderError.ts"
export type { Resume } from "./internal/download/Folder.ts"

/** What is downloaded, and where to. */
export interface Job<E extends Endpoint.Info = Endpoint.Any> {
  readonly endpoint: E
  readonly params: Bulk.ParamsOf<E>
  /** How the request is cut: one file of each part. Default: one file of all. */
  readonly split?: Bulk.Split<Bulk.ListName<E>> | undefined
  /** The folder. It is made where it is not there; other files in it are left alone. */
  readonly to: string
  readonly format: Format.Options
  /** Parts that are read at once. Default 10, as many as the service runs. */
  readonly concurrency?: number | undefined
  /** What happens after a part that cannot be read: `"stop"`, the default, or `"continue"` with the others. */
  readonly onFailure?: "stop" | "continue" | undefined
  /**
   * What happens when the folder holds this download already, and not all of it: it is gone on with (`"allowed"`, the
   * default), or refused (`"never"`). `"required"` refuses a folder that holds none. One that is finished is never
   * refused: there is nothing to do.
   */
  readonly resume?: Folder.Resume | undefined
  /**
   * Whether every finished file of the folder is read and held to its SHA-256 before anything else; false when absent,
   * and they are held to their size alone. Fails with `FileChanged`, which names all files that were changed, and touches
   * nothing. Where all parts are done, nothing is sent to the service. With `resume: "never"` nothing is downloaded: a
   * folder without a download fails with `NothingToResume`, an unfinished one with `NotFinished` once its finished files
   * were found unchanged.
   */
  readonly verify?: boolean | undefined
}

/**
 * Downloads into a folder, and tells what happens.
 *
 * **Details**
 *
 * Files appear under their names only when they are whole. What the folder holds is written down in `.sluice/` inside of
 * it, without the key: the request and its parts in `manifest.json`, and a line with the SHA-256 of each finished file in
 * `done.ndjson`. After a kill, a full disk or a lost network, running the same job again keeps the finished files and
 * reads the others anew; the files are the same, byte for byte, as those of a run that nothing disturbed. A finished file
 * that was removed is read again; one that was changed is known by its size, and with `verify` by its checksum.
 *
 * The folder of another download, one that another process writes into, one with files of the same names, one whose
 * bookkeeping was edited: each fails with an error of its own before anything in it is touched. Before a run reads in
 * bulk it asks for one record of the first and of the last part that is left, and makes no folder if that fails.
 *
 * Interrupting the stream closes files and sockets and leaves a folder that can be resumed. The run shares the permits of
 * the client fairly with whatever else it reads.
 *
 * **Gotchas**
 *
 * A request without `end_time` may see other data when it is resumed: its files are then not those of one moment.
 */
export const run = <E extends Endpoint.Info>(job: Job<E>): Stream.Stream<Event, DownloadError, Needs> =>
  Quota.inOwnLane(
    Stream.callback<Event, DownloadError, Needs>((events) =>
      Effect.andThen(
        // Type boundary: every endpoint can be called with parameters that are known as data only.
        Effect.scoped(drive(job as unknown as Job, events)),
        Queue.end(events)
      )
    ),
    "download"
  )

/** What a download runs on. */
type Needs = Client.Client | FileSystem.FileSystem | Path.Path

type Events = Queue.Queue<Event, DownloadError | Cause.Done>

const drive = Effect.fnUntraced(function* (job: Job, events: Events) {
  const files = yield* Files.make
  const { encode, plan } = yield* prepare(job)
  const tell = (event: Event) => Queue.offer(events, event)
  yield* Folder.refuseUsed(files, plan)
  const found = yield* Folder.inspect(files, plan)
  if (plan.verify) yield* Verify.all(files, job.to, found, tell)
  yield* Folder.refuseUnfinished(plan, found)
  if (found.left.length > 0) yield* AccessCheck.first(job.endpoint, found.left)
  const claimed = found.left.length > 0 ? yield* Folder.claim(files, plan) : undefined
  const held = claimed ?? found
  const { parts } = held.manifest
  const earlier = Folder.count(held)
  const meter = Meter.make(parts.length, earlier, yield* Clock.currentTimeMillis)
  yield* tell({ _tag: "Started", folder: job.to, resumed: held.isBegun, parts: parts.length, ...earlier })
  if (claimed !== undefined) {
    const reading = Parts.readAll({ job, encode, files, held: claimed, meter, tell })
    yield* Effect.raceAllFirst([reading, report(meter, tell), claimed.lost])
  }
  const { records, bytes } = meter.finished()
  yield* tell({ _tag: "Finished", folder: job.to, files: parts.length, records, bytes })
})

/** Tells where the run stands, for ever. */
const report = Effect.fnUntraced(function* (meter: Meter.Meter, tell: Parts.Tell) {
  const client = yield* Client.Client
  const once = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    yield* tell(meter.progress(now, yield* client.quota.state))
  })
  return yield* Effect.forever(Effect.delay(once, "250 millis"))
})

/** Works out what the folder should hold; nothing is sent and no file is looked at. */
const prepare = Effect.fnUntraced(function* (job: Job) {
  const { endpoint, format, params, split = {} } = job
  const { account } = yield* Client.Client
  const [{ params: whole } = { params: {} }] = yield* Bulk.split(endpoint, params)
  const parts = yield* Bulk.split(endpoint, params, split)
  // Lists that are columns cannot be cut, so all files have the columns of the whole.
  const encode = yield* Format.encode(endpoint, whole, format)
  const names = FileName.all(endpoint, split, parts, Format.extension(format))
  const manifest = Manifest.make(
    {
      root: account.root.url,
      endpoint: endpoint.path,
      params: { ...whole, ...inOrder(split.by, parts) },
      split: plainSplit(split),
      format: plainFormat(format)
    },
    parts.map((part, place) => ({ ...part, file: names[place] ?? "" }))
  )
  const plan: Folder.DownloadPlan = {
    folder: job.to,
    resume: job.resume ?? "allowed",
    verify: job.verify ?? false,
    manifest
  }
  return { encode, plan }
})

/** The list that is cut, as its parts have it: in whatever order it is given, the download is the same. */
const inOrder = (by: string | undefined, parts: ReadonlyArray<Bulk.Part>): Schema.JsonObject =>
  by === undefined ? {} : { [by]: [...new Set(parts.flatMap(({ params }) => Params.items(params[by])))] }

const plainSplit = ({ by, every, size }: Bulk.Split): Schema.JsonObject => ({
  ...(by === undefined ? {} : { by }),
  ...(size === undefined ? {} : { size: Number.isFinite(size) ? size : "all" }),
  ...(every === undefined ? {} : { every: Duration.toMillis(every) })
})

const plainFormat = ({ as, ...options }: Format.Options): Schema.JsonObject => ({
  as,
  ...Object.fromEntries(
    Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  )
})

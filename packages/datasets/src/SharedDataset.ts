/**
 * The folder of a dataset into which several processes, on several machines, load a time series for the first time:
 * each reads other parts. What comes of it is what `Dataset.sync` makes in one process of the same records, byte for
 * byte, so that a sync goes on from where the load ended.
 *
 * The load belongs to a group, such as a backfill, rather than to a process. Which process reads which part is decided
 * elsewhere: `@sluice/cluster` does that.
 */
import "@sluice/node/internal/runtime/NodeVersion"
import type { ApiError, InvalidRequest } from "@sluice/core/ApiError"
import * as Bulk from "@sluice/core/Bulk"
import * as Client from "@sluice/core/Client"
import type * as Endpoint from "@sluice/core/Endpoint"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Struct from "effect/Struct"
import { randomUUID } from "node:crypto"
import type { Job as DatasetJob } from "./Dataset.ts"
import type { Job as DownloadJob } from "@sluice/files/Download"
import * as Recent from "@sluice/files/internal/progress/Recent"
import * as AccessCheck from "./internal/run/AccessCheck.ts"
import * as PublishLoad from "./internal/folder/PublishLoad.ts"
import {
  BadDefinition,
  LoadUnfinished,
  OtherDefinition,
  type StoreError,
  UnexpectedRecord
} from "./internal/model/DatasetError.ts"
import * as FolderOptions from "./internal/folder/FolderOptions.ts"
import * as Look from "./internal/folder/Look.ts"
import * as DatasetOptions from "./internal/model/Job.ts"
import * as Ledger from "./internal/ledger/Ledger.ts"
import * as Load from "./internal/load/Load.ts"
import * as LoadBook from "./internal/folder/LoadBook.ts"
import * as LoadRequests from "./internal/load/LoadRequests.ts"
import * as Rewrite from "./internal/rewrite/Rewrite.ts"
import * as SeriesParams from "./internal/model/SeriesParams.ts"
import * as Table from "./internal/folder/Table.ts"
import { CheckFailed } from "@sluice/files/internal/download/DownloadError"
import * as Bookkeeping from "@sluice/files/internal/folder/Bookkeeping"
import * as Checksum from "@sluice/files/internal/folder/Checksum"
import { among, told } from "@sluice/files/internal/folder/Differing"
import * as Files from "@sluice/files/internal/folder/Files"
import { FolderOccupied } from "@sluice/files/internal/folder/FolderError"
import * as GroupLock from "@sluice/files/internal/folder/GroupLock"
import * as Lock from "@sluice/files/internal/folder/Lock"
import * as PartFile from "@sluice/files/internal/folder/PartFile"
import type { BadFormat } from "@sluice/core/internal/columns/FormatError"
import { partAt } from "@sluice/files/internal/download/PartAt"
import * as SharedLoad from "./internal/load/SharedLoad.ts"
import * as Kinds from "@sluice/node/internal/options/Kinds"
import * as Request from "@sluice/node/internal/options/Request"
import * as Shape from "@sluice/node/internal/options/Shape"
import type { DonePart, Found, OwnFolders } from "@sluice/files/SharedFolder"

export { LoadUnfinished }

/** The folder that a load goes into, and how its files are cut and written: as of a `Dataset.Job`. */
export interface TargetFolder extends Pick<DatasetJob, "layout" | "format" | "lookBack" | "onRemoved"> {
  /** By the path that it has on every machine. Created if missing. */
  readonly folder: string
}

/** What to load, from a start to an end, and into which folder. */
export interface Job<E extends Endpoint.Info = Endpoint.Any> extends Pick<DownloadJob<E>, "endpoint" | "params"> {
  /** The folder that becomes the dataset. */
  readonly into: TargetFolder
}

const checkJob = DatasetOptions.refusing(
  Shape.faultOf(
    Shape.of<Job>()({
      endpoint: Request.endpoint,
      params: Request.params,
      into: Shape.of<TargetFolder>()({ ...DatasetOptions.kept, folder: Kinds.folder })
    })
  )
)

/** Everything that may go wrong with a part. */
export type PartError = ApiError | StoreError

/** The services that loading needs. */
export type Needs = Client.Client | FileSystem.FileSystem | Path.Path

/** A load that several processes share, as one of them sees it. */
export interface SharedDataset {
  /** What decides the files, as JSON: two jobs with the same are one load. */
  readonly identity: Schema.JsonObject
  /** How many parts the load has. */
  readonly parts: number
  /** Names a part by what it has. */
  readonly fileOf: (part: number) => string
  /**
   * Takes the folder for the group, unless it has it already, and tells what it holds. Fails, before anything is
   * touched, where the folder is in use or has something else, or where the service refuses a name. One process at a
   * time.
   */
  readonly begin: Effect.Effect<Found, CheckFailed | StoreError, Client.Client>
  /** Finds a part that some process of the group has read; undefined where none has. */
  readonly find: (part: number) => Effect.Effect<DonePart | undefined, StoreError>
  /** Reads a part into files. */
  readonly read: (part: number) => Effect.Effect<DonePart, PartError, Client.Client>
  /**
   * Makes the dataset of all parts that were read, in one step: it is not there before, and whole afterwards. What
   * could not be read it does not have, and the next sync asks for that. Repeated, it does nothing more. One process at
   * a time.
   *
   * Reads every file of these parts once, for its checksum; a part whose files are not those that were written is read again.
   */
  readonly finish: Effect.Effect<void, PartError, Client.Client>
  /** Releases the folder. A load that is not finished stays there for the group, and keeps syncs out. */
  readonly end: Effect.Effect<void, StoreError>
}

/**
 * Works out what the folder should hold, for a process of a group. Sends nothing and touches nothing. With `own`, this
 * process is all of the group.
 */
export const make: <E extends Endpoint.Info>(
  job: Job<E>,
  group: string,
  own?: OwnFolders
) => Effect.Effect<SharedDataset, InvalidRequest | Bulk.BadSplit | BadFormat | BadDefinition, Needs> =
  Effect.fnUntraced(function* <E extends Endpoint.Info>(given: Job<E>, group: string, own?: OwnFolders) {
    // Type boundary: as in `Download.run`, the parameters are data from here on; `Bulk.split` checks them.
    const { endpoint, into, params } = given as unknown as Job
    const refuse = (setting: string, reason: string) =>
      new BadDefinition({ endpoint: Request.pathOf(endpoint), setting, reason })

    // Jobs of downloads have it, and are spread into those of datasets.
    if (Predicate.hasProperty(given, "split") && given.split !== undefined) {
      return yield* refuse("split", "is of a download; the parts of a dataset follow from its layout")
    }
    yield* checkJob(given)
    const { folder } = into
    const files = yield* Files.make
    const paths = Look.pathsOf(files, folder)
    const load = yield* SharedLoad.make(endpoint, params, into)
    const { definition, entities, subject } = load
    const { names } = subject
    const requests: ReadonlyArray<Bulk.Part> = yield* Bulk.split(endpoint, params)
    const whole: Schema.JsonObject = requests[0]?.params ?? {}
    const end = SeriesParams.endOf(subject, whole)
    const missing = (setting: string, why: string) =>
      new BadDefinition({ endpoint: endpoint.path, setting, kind: "missing", reason: `is missing: ${why}` })
    if (end === undefined) return yield* missing(names.end, "a load by several workers reads up to there")
    if (SeriesParams.startOf(subject, definition) === undefined) {
      return yield* missing(names.start, "a load by several workers reads from there")
    }
    const layout = FolderOptions.layoutOf({ layout: into.layout }, FolderOptions.standard)
    const format = FolderOptions.formatOf(into.format, { as: "parquet" })
    const table = yield* Table.make(endpoint, definition, { layout, format })
    const cut = { byEntity: layout.byEntity, period: layout.period ?? undefined }
    const parts = LoadRequests.partsOf(subject, definition, cut, entities, end)
    const fileOf = (part: number) => {
      const request = parts[part]
      return request === undefined ? "" : LoadRequests.nameOf(request)
    }

    const identity: Schema.JsonObject = {
      root: definition.root,
      endpoint: endpoint.path,
      params: { ...definition.params, ...Struct.pick(whole, [names.end, names.endInclusive]) },
      split: {},
      format,
      dataset: { layout: { ...layout }, lookBack: definition.lookBack, onRemoved: definition.onRemoved }
    }
    const beginning: PublishLoad.Loading["beginning"] = { definition, field: subject.entity, layout, format }
    const loading: PublishLoad.Loading = { subject, beginning, parts }
    const lock = GroupLock.make(files, folder, paths.bookkeeping, group, own)
    const { check } = lock
    const writer = randomUUID()
    const free: PartFile.FreeBlocks = []
    let count = 0

    const doneOf = ({ bytes, part, records, sha256 }: Omit<DonePart, "file">): DonePart => ({
      part,
      file: fileOf(part),
      records,
      bytes,
      sha256
    })

    /** The parts that a ledger has. What a sync has read of those that were left has no sums of its own. */
    const adoptedOf = (head: LoadBook.Head, { cursors }: Ledger.Ledger): ReadonlyMap<number, DonePart> => {
      const sums = new Map(head.done?.map((part) => [part.part, part]))
      return new Map(
        parts.flatMap((request, part) =>
          PublishLoad.stateOf(cursors, request) === "done"
            ? [[part, doneOf(sums.get(part) ?? { part, records: 0, bytes: 0, sha256: "" })] as const]
            : []
        )
      )
    }

    /** What the folder has of the load. Touches nothing. */
    const inspect = Effect.gen(function* () {
      yield* files.expectFolder(paths.bookkeeping)
      if ((yield* files.size(files.join(paths.bookkeeping, Bookkeeping.ofDownload))) !== undefined) {
        return yield* new FolderOccupied({ folder, files: [], found: "a download" })
      }
      const head = yield* LoadBook.read(files, paths)
      const ledger = yield* Ledger.read(files, folder, paths.bookkeeping)
      if (head === undefined) {
        if (ledger !== undefined) return yield* new FolderOccupied({ folder, files: [], found: "a dataset" })
        return { isBegun: false, ledger, done: [] }
      }
      const values = among(Object.keys(identity), head.identity, identity)
      if (values.length > 0) return yield* new OtherDefinition({ dataset: folder, ...told(values) })
      const found = new Map((yield* LoadBook.all(files, paths, parts.length)).map((part) => [part.part, doneOf(part)]))
      if (ledger === undefined) return { isBegun: true, ledger, done: [...found.values()] }
      const states = parts.map((part) => PublishLoad.stateOf(ledger.cursors, part))
      if (states.some((state) => state !== "done")) yield* PublishLoad.agree(folder, loading, ledger)
      if (states.includes("partly")) return yield* new FolderOccupied({ folder, files: [], found: "a dataset" })
      const kept = adoptedOf(head, ledger)
      const done = states.flatMap((_, part) => kept.get(part) ?? found.get(part) ?? [])
      return { isBegun: true, ledger, done }
    })

    const begin = Effect.gen(function* () {
      const isMine = yield* Effect.isSuccess(check)
      if (!isMine) yield* Lock.look(files, folder, paths.bookkeeping)
      const { done } = yield* inspect
      if (done.length < parts.length) {
        const asked = AccessCheck.look(subject, definition, undefined)
        yield* Effect.mapError(asked, (error) => new CheckFailed({ part: 0, error }))
      }
      yield* files.makeFolder(paths.bookkeeping)
      yield* files.expectFolder(paths.bookkeeping)
      yield* lock.take
      const state = yield* inspect
      yield* files.makeFolder(paths.parts)
      yield* files.expectFolder(paths.parts)
      if (!state.isBegun) yield* LoadBook.write(files, paths, { by: group, identity })
      return { parts: parts.length, done: state.done }
    })

    /** What the ledger has of the load: nothing before the first end of it. It does not change while the group has the folder. */
    const adopted = yield* Recent.make(
      Effect.gen(function* () {
        const head = yield* LoadBook.read(files, paths)
        const ledger = yield* Ledger.read(files, folder, paths.bookkeeping)
        return head === undefined || ledger === undefined ? new Map<number, DonePart>() : adoptedOf(head, ledger)
      }),
      30_000
    )

    const find = Effect.fnUntraced(function* (part: number) {
      const found = yield* LoadBook.find(files, paths, part)
      return found === undefined ? (yield* adopted.get).get(part) : doneOf(found)
    })

    const read = Effect.fnUntraced(function* (part: number) {
      const request = yield* partAt(parts, part)
      const client = yield* Client.Client
      const { from, to } = request
      const now = yield* Clock.currentTimeMillis
      const counts: Rewrite.Counts = { records: 0, replaced: 0 }
      const written: Array<Rewrite.Written & { readonly _tag: "File" }> = []
      const target: Rewrite.Files<StoreError> = {
        layout,
        field: subject.entity,
        carried: [],
        filesOf: () => [],
        partitionsOf: () => [],
        read: ({ path }) => Stream.die(new Error(`a part of a load reads ${path}`)),
        refuse: (entity, time, reason) => new UnexpectedRecord({ dataset: folder, entity, time, reason }),
        // It gets one when all parts are there.
        pathFor: () => Effect.succeed(""),
        write: Effect.fnUntraced(function* (records) {
          const part = `${writer}-${++count}.part`
          const bytes = table.encode(records, { reuse: true })
          const place = files.join(paths.parts, part)
          return { part, ...(yield* PartFile.writePartial(files, place, bytes, () => {}, free, true)) }
        })
      }
      const { records, tracker } = SharedLoad.read(load, folder, request, client)
      const keep = Effect.gen(function* () {
        const spans = request.entities.map((entity) => ({ entity, from, to }))
        yield* Effect.scoped(
          Rewrite.apply(target, { spans, records }, counts, (one) => {
            if (one._tag === "File") written.push(one)
          })
        )
        yield* Effect.forEach(written, ({ part }) => files.sync(files.join(paths.parts, part)), {
          concurrency: 32,
          discard: true
        })
        const done = {
          part,
          records: counts.records,
          bytes: written.reduce((sum, { entry }) => sum + entry.bytes, 0),
          sha256: Checksum.ofText(written.map(({ entry }) => entry.sha256).join("\n")),
          ...Load.noteOf(request, tracker, now),
          files: written.map(({ entry, part }) => ({ ...Struct.omit(entry, ["path"]), name: part }))
        }
        yield* Effect.uninterruptible(Effect.andThen(check, LoadBook.add(files, paths, done)))
        return doneOf(done)
      })
      return yield* Effect.onError(keep, () =>
        Effect.forEach(written, ({ part }) => Effect.ignore(files.remove(files.join(paths.parts, part))), {
          discard: true
        })
      )
    })

    const finish = Effect.gen(function* () {
      yield* check
      const head = yield* LoadBook.read(files, paths)
      if (head === undefined) return
      const found = yield* LoadBook.all(files, paths, parts.length)
      const changed = yield* Effect.filter(found, (part) => LoadBook.isChanged(files, paths, part), { concurrency: 4 })
      for (const { part } of changed) {
        yield* Effect.logWarning(`Files of ${fileOf(part)} were changed since they were written: it is read again.`)
        yield* read(part)
      }
      const all = changed.length === 0 ? found : yield* LoadBook.all(files, paths, parts.length)
      const done = new Map([...(head.done ?? []), ...all].map((part) => [part.part, part]))
      const sums = [...done.values()].map(({ bytes, part, records, sha256 }) => ({ part, records, bytes, sha256 }))
      if (all.length > 0) yield* LoadBook.write(files, paths, { ...head, done: sums })
      if (yield* PublishLoad.adopt(files, paths, loading, all)) yield* LoadBook.forget(files, paths)
    })

    return {
      identity,
      parts: parts.length,
      fileOf,
      begin,
      find,
      read,
      finish,
      end: lock.release
    }
  })

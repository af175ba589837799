/**
 * A dataset in a folder: files that readers find by one glob, and the bookkeeping beside them in `.sluice`.
 *
 * A change writes its files as parts, then a line of the ledger, and then gives the parts their names. Until the line is on the
 * disk nothing has changed; from then on the change is completed, by this run or by the next.
 */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Format from "@sluice/files/Format"
import * as Bookkeeping from "@sluice/files/internal/folder/Bookkeeping"
import { between, told } from "@sluice/files/internal/folder/Differing"
import * as Files from "@sluice/files/internal/folder/Files"
import { FolderOccupied } from "@sluice/files/internal/folder/FolderError"
import * as FormatOptions from "@sluice/files/internal/format/Options"
import * as Lock from "@sluice/files/internal/folder/Lock"
import * as PartFile from "@sluice/files/internal/folder/PartFile"
import * as Changes from "../ledger/Changes.ts"
import * as Compact from "./Compact.ts"
import {
  BadDefinition,
  OtherDefinition,
  RunInterrupted,
  type StoreError,
  UnexpectedRecord
} from "../model/DatasetError.ts"
import * as Definition from "../model/Definition.ts"
import * as FolderColumns from "./FolderColumns.ts"
import * as FolderPast from "./FolderPast.ts"
import * as FolderRead from "./FolderRead.ts"
import * as FolderOptions from "./FolderOptions.ts"
import * as FolderState from "../ledger/FolderState.ts"
import * as FolderHistory from "./FolderHistory.ts"
import * as FolderVerify from "./FolderVerify.ts"
import * as LastRun from "../ledger/LastRun.ts"
import * as Ledger from "../ledger/Ledger.ts"
import * as Past from "../ledger/Past.ts"
import * as LoadBook from "./LoadBook.ts"
import * as Look from "./Look.ts"
import * as Paths from "./Paths.ts"
import * as HeldFile from "./HeldFile.ts"
import * as Recovery from "./Recovery.ts"
import * as Rewrite from "../rewrite/Rewrite.ts"
import * as Snapshots from "../snapshots/Snapshots.ts"
import * as Table from "./Table.ts"
import type { Applied, Change, OpenStore, Setup, Store, Time } from "../model/Store.ts"

/** Builds the store of a folder. Fails where its dataset has another layout or format. Touches nothing. */
export const make = Effect.fnUntraced(function* (
  folder: string,
  options: FolderOptions.Options = {}
): Effect.fn.Return<Store, StoreError, FileSystem.FileSystem | Path.Path> {
  const files = yield* Files.make
  const paths = Look.pathsOf(files, folder)
  const found = yield* Look.at(files, paths)
  const layout = FolderOptions.layoutOf(options, found?.layout ?? FolderOptions.standard)
  const { snapshots } = options
  const asked = FolderOptions.formatOf(options.format, found?.format ?? { as: "parquet" })
  const kind = Snapshots.kindOf(snapshots) ?? found?.snapshots ?? "none"
  const isRead = asked.as === "parquet" && kind !== "none" && options.format?.times !== "nanos"
  const format = isRead ? { ...asked, times: asked.times ?? Snapshots.times } : asked
  if (found !== undefined) {
    const values = [
      ...FolderOptions.otherLayout(found.layout, layout),
      ...between("format", FormatOptions.withDefaults(found.format), format)
    ]
    if (values.length > 0) return yield* new OtherDefinition({ dataset: folder, ...told(values) })
  }
  const { byEntity } = layout
  /** What a run would begin with, and the ledger that says so. */
  const foreseen = (look: Effect.Effect<Ledger.Ledger | undefined, StoreError>) =>
    Look.settled(
      files,
      paths,
      look,
      (ledger) => Effect.map(Recovery.foresee(files, paths, ledger), (found) => ({ ledger, ...found })),
      ({ missing }) => missing.length === 0
    )
  return {
    name: folder,
    // What has filled a file is kept, however much the request still brings.
    cut: { byEntity, period: layout.period ?? undefined, rows: byEntity ? layout.rows : undefined },
    keepsVersions: true,
    look: Effect.flatMap(Look.at(files, paths), (ledger) =>
      ledger === undefined
        ? Effect.undefined
        : Effect.map(LastRun.read(files, paths.bookkeeping, ledger.looked), (run) => ({ ...ledger, ...run }))
    ),
    foresee: foreseen(Look.at(files, paths)),
    open: (setup) => open(files, paths, setup, { layout, format, snapshots }),
    held: Effect.map(
      Look.settled(files, paths, Look.at(files, paths), (ledger) => FolderVerify.held(files, folder, ledger)),
      (found = []) => found
    ),
    reader: Effect.gen(function* () {
      // What was in files that are missing is not held.
      const found = yield* foreseen(Look.whole(files, paths))
      if (found === undefined) return undefined
      const { ledger } = found
      const kept = { ...found.kept, ...(yield* LastRun.read(files, paths.bookkeeping, ledger.looked)) }
      const source = { files, ...paths, look: Look.whole(files, paths) }
      const past = ledger.definition.versions && {
        ...FolderPast.make(source, ledger),
        kept: { ...kept, cursors: Past.cursorsThen(found.past, kept.cursors) }
      }
      // A list has no times, by which columns are found.
      const columns = ledger.field === "" ? undefined : FolderColumns.make(source, ledger)
      return { kept, read: FolderRead.records(source, ledger), columns, past }
    }),
    verify: Effect.fnUntraced(function* (series, emit) {
      for (;;) {
        yield* Lock.look(files, folder, paths.bookkeeping)
        const ledger = yield* Look.at(files, paths)
        if (ledger === undefined) return
        const json = yield* Table.jsonOf(series.endpoint, ledger)
        const known = Recovery.expectKnown(files, folder, Format.extension(ledger.format), ledger.files)
        yield* FolderVerify.histories(files, folder, paths.bookkeeping, ledger.histories)
        const read = FolderVerify.all(files, folder, ledger, series, json, emit)
        const result = yield* Effect.result(Effect.andThen(known, read))
        if (Result.isSuccess(result)) return
        // What looks like damage may be what a run has written since.
        yield* Lock.look(files, folder, paths.bookkeeping)
        const now = yield* Look.at(files, paths)
        if (now?.moment !== ledger.moment || now.changes !== ledger.changes) continue
        if (yield* Recovery.isPending(files, paths, now)) return yield* new RunInterrupted({ dataset: folder })
        return yield* Effect.fail(result.failure)
      }
    })
  }
})

/** Files that are flushed or removed at the same time. */
const concurrency = 32

type Beginning = Pick<Recovery.Beginning, "layout" | "format"> & Pick<FolderOptions.Options, "snapshots">

/** Takes a dataset until the scope closes, and completes a compaction that was stopped, or does one. */
export const open = Effect.fnUntraced(function* (
  files: Files.Files,
  paths: Recovery.Paths,
  setup: Setup,
  beginning: Beginning,
  compaction?: Compact.Compaction
) {
  const { bookkeeping, folder, parts } = paths
  const { path: endpoint } = setup.series.endpoint
  if (!Number.isSafeInteger(beginning.layout.rows) || beginning.layout.rows < 1) {
    const reason = "is no whole number above 0"
    return yield* new BadDefinition({ endpoint, setting: "layout.rows", reason })
  }
  const asked = Snapshots.kindOf(beginning.snapshots)
  const unfit = Snapshots.refusalOf(folder, beginning.format, asked)
  if (unfit !== undefined) return yield* new BadDefinition({ endpoint, setting: "snapshots", reason: unfit })
  yield* files.expectFolder(bookkeeping)
  if ((yield* files.size(files.join(bookkeeping, Bookkeeping.ofDownload))) !== undefined) {
    return yield* new FolderOccupied({ folder, files: [], found: "a download" })
  }
  // Made before anything is, so that a format that does not fit leaves no folder.
  yield* Table.make(setup.series.endpoint, setup.definition, beginning)
  yield* Lock.look(files, folder, bookkeeping)
  yield* files.makeFolder(bookkeeping)
  yield* files.expectFolder(bookkeeping)
  const lock = yield* Lock.hold(files, folder, bookkeeping)
  // A load may have begun and been stopped since it was looked for.
  if ((yield* files.size(files.join(bookkeeping, Ledger.name))) === undefined) yield* LoadBook.expectNone(files, paths)
  const {
    format,
    moment,
    snapshots: kept,
    working
  } = yield* Recovery.recover(files, paths, {
    definition: setup.definition,
    field: setup.series.entity,
    ...beginning,
    snapshots: asked
  })
  // A compaction may have changed it since it was looked for: changes of a run are cut by it.
  const moved = FolderOptions.otherLayout(working.layout, beginning.layout)
  if (moved.length > 0) return yield* new OtherDefinition({ dataset: folder, ...told(moved) })
  const { byEntity } = working.layout
  const state = FolderState.make(working)
  let definition: Definition.Definition = working.definition
  let table = yield* Table.make(setup.series.endpoint, working.definition, { layout: working.layout, format })
  const head: Changes.Head = { field: setup.series.entity, format, snapshots: kept }
  const changes = yield* Changes.open(files, bookkeeping, moment, working, head)
  const one = yield* Semaphore.make(1)
  const free: PartFile.FreeBlocks = []
  const named = Paths.make(files, { folder, field: setup.series.entity, extension: Format.extension(format) }, working)
  let count = 0
  const partName = () => `${moment.moment}-${++count}.part`
  /** Changes in the ledger of which something has yet to be done with files, or could not be done. */
  let undone = 0

  const entity = byEntity ? setup.series.entity : undefined
  const subject = { endpoint, format, entity, columns: table.columns }
  // A compaction is not told the address of a catalog: the next sync makes a version of it.
  const isLater = compaction !== undefined && kept === "ducklake"
  const snapshots = isLater
    ? undefined
    : yield* Snapshots.begin(files, paths, working, kept, beginning.snapshots, subject)
  /** What is undone is done by the next run, which makes a version of it. */
  const publish = (how: "publish" | "publishRewritten" | "publishNowAndThen") =>
    one.withPermits(1)(
      Effect.suspend(() =>
        snapshots === undefined || undone > 0 ? Effect.void : Effect.andThen(lock.check, snapshots[how])
      )
    )

  /** Makes a change take effect, with what it wrote. */
  const commit = Effect.fnUntraced(function* (
    change: Pick<Change, "cursors" | "forget">,
    written: ReadonlyArray<Rewrite.Written>,
    past: FolderHistory.Written,
    line_: Partial<Ledger.Line> = {}
  ) {
    yield* lock.check
    if (undone === 0) yield* changes.settle
    const cursors = yield* change.cursors
    const files_: Array<Ledger.Line["files"][number]> = []
    const same: Array<string> = []
    const deleted: Array<string> = []
    for (const one of written) {
      if (one._tag === "Emptied") deleted.push(one.path)
      else if (working.files.get(one.entry.path)?.sha256 === one.entry.sha256) same.push(one.part)
      else files_.push({ ...one.entry, part: one.part })
    }
    const told = FolderHistory.lineOf(past, working.looked)
    const line: Ledger.Line = { files: files_, deleted, cursors, forget: change.forget, ...told, ...line_ }
    undone += 1
    yield* changes.add(line)
    state.add(line)
    // Before the files: whoever reads a new file finds what it has replaced.
    yield* history.rename(past)
    for (const { part, path } of files_) {
      yield* files.makeFolder(files.join(folder, ...path.split("/").slice(0, -1)))
      yield* files.rename(files.join(parts, part), files.join(folder, path))
    }
    for (const part of same) yield* files.remove(files.join(parts, part))
    yield* Effect.forEach(deleted, (path) => files.remove(files.join(folder, path)), { concurrency, discard: true })
    if (working.removed === undefined) for (const path of deleted) named.free(path)
    yield* history.clear(past)
    undone -= 1
    return { written: files_.map(({ path }) => path), deleted }
  }, Effect.uninterruptible)

  /** Forgets what a change wrote that does not take effect. */
  const discard = (written: ReadonlyArray<Rewrite.Written>) =>
    Effect.forEach(
      written,
      (one) => (one._tag === "File" ? Effect.ignore(files.remove(files.join(parts, one.part))) : Effect.void),
      { discard: true }
    )

  const history = FolderHistory.make({ files, paths, series: setup.series, format, state, free })

  /** Has the files of a change written, and makes it take effect: all or nothing. */
  const carryOut = Effect.fnUntraced(function* <E>(
    change: Pick<Change, "cursors" | "forget">,
    /** Whether it is likely to write many files. Of these the disk writes several at once; a single one is open already. */
    isMany: boolean,
    write: (
      target: Pick<Rewrite.Files<StoreError>, "pathFor" | "write">,
      done: (written: Rewrite.Written) => void
    ) => Effect.Effect<void, E, Scope.Scope>,
    pastOf: Effect.Effect<FolderHistory.Written, StoreError>,
    line?: Partial<Ledger.Line>
  ) {
    const written: Array<Rewrite.Written> = []
    const begun: Array<string> = []
    const giveUp = Effect.andThen(
      Effect.sync(() => {
        for (const path of begun) named.free(path)
      }),
      Effect.suspend(() => discard(written))
    )
    const target: Parameters<typeof write>[0] = {
      pathFor: (partition, first) =>
        Effect.tap(named.pathFor(partition, first), (path) => Effect.sync(() => void begun.push(path))),
      write: Effect.fnUntraced(function* (records) {
        const part = partName()
        const bytes = table.encode(records, { reuse: true })
        return {
          part,
          ...(yield* PartFile.writePartial(files, files.join(parts, part), bytes, () => {}, free, isMany))
        }
      })
    }
    const writing = Effect.scoped(write(target, (one) => void written.push(one)))
    const past = yield* Effect.onError(Effect.andThen(writing, pastOf), () => giveUp)
    const unwritten = Effect.andThen(
      giveUp,
      Effect.suspend(() => history.discard(past))
    )
    const synced = Effect.forEach(
      isMany ? written : [],
      (one) => (one._tag === "File" ? files.sync(files.join(parts, one.part)) : Effect.void),
      { concurrency, discard: true }
    )
    const paths_ = written.map((one) => (one._tag === "File" ? one.entry.path : one.path))
    const ready = Effect.all([synced, history.sync(past), Paths.expectFolders(files, folder, paths_)], {
      discard: true
    })
    yield* Effect.onError(ready, () => unwritten)
    return { past, ...(yield* one.withPermits(1)(commit(change, written, past, line))) }
  })

  const source = {
    field: setup.series.entity,
    filesOf: state.filesOf,
    partitionsOf: state.partitionsOf,
    read: (entry: Ledger.FileEntry) => HeldFile.checked(files, folder, entry, format, table.json),
    refuse: (entity: string, time: Time, reason: string): StoreError =>
      new UnexpectedRecord({ dataset: folder, entity, time, reason })
  }

  const apply: OpenStore["apply"] = Effect.fnUntraced(function* (change) {
    const recorder = definition.versions && history.begin(definition, table.columns)
    const counts: Rewrite.Counts = { records: 0, replaced: 0 }
    const carried = change.removes === true ? [] : Definition.carriedOf(definition)
    const how = { ...source, layout: working.layout, carried, recording: recorder?.recording }
    const records = recorder?.gathered(change.records) ?? change.records
    const { deleted, past, written } = yield* carryOut(
      change,
      change.spans.length > 1,
      (target, done) => Rewrite.apply({ ...how, ...target }, { ...change, records }, counts, done),
      Effect.suspend(() => recorder?.write(partName) ?? Effect.succeed(FolderHistory.nothing))
    )
    // The change has taken effect. A version that cannot be made now is made at the end of the run, which fails where it cannot.
    yield* Effect.ignore(publish("publishNowAndThen"))
    const { revised } = past
    const applied: Applied = { ...counts, written, deleted, ...(revised === 0 ? {} : { revised }) }
    return applied
  })

  let isRewrite = false
  yield* Compact.run(
    working,
    compaction,
    Effect.fnUntraced(function* (group, line) {
      // What is new since the last version has one of its own.
      if (!isRewrite) yield* publish("publish")
      isRewrite = true
      const how = { ...source, layout: group.layout, carried: [] }
      const { deleted, written } = yield* carryOut(
        { cursors: Effect.succeed([]), forget: [] },
        true,
        (target, done) => Compact.write({ ...how, ...target }, group, done),
        Effect.suspend(() => history.merge(group.partition, group.histories, partName)),
        line
      )
      yield* Recovery.removeFolders(files, paths, deleted)
      return written.length
    })
  )
  yield* publish(isRewrite ? "publishRewritten" : "publish")

  const define: OpenStore["define"] = Effect.fnUntraced(function* (next) {
    table = yield* Table.make(setup.series.endpoint, next, { layout: working.layout, format })
    const line: Ledger.Line = { definition: next, files: [], deleted: [], cursors: [], forget: [] }
    definition = next
    snapshots?.define(table.columns)
    yield* one.withPermits(1)(Effect.uninterruptible(Effect.andThen(lock.check, changes.add(line))))
    state.add(line)
  })

  const note = (change: Partial<Past.Looked>) =>
    one.withPermits(1)(
      Effect.suspend(() => {
        if (definition.versions === undefined) return Effect.void
        const looked: Past.Looked = { ...working.looked, ...change }
        const line: Ledger.Line = { files: [], deleted: [], cursors: [], forget: [], looked }
        const adding = Effect.andThen(lock.check, changes.add(line))
        return Effect.andThen(
          Effect.uninterruptible(adding),
          Effect.sync(() => state.add(line))
        )
      })
    )
  const opened: OpenStore = {
    kept: {
      definition: working.definition,
      cursors: new Map(working.cursors),
      ...(yield* LastRun.read(files, bookkeeping, working.looked))
    },
    apply,
    looks: history.looks(note),
    define,
    settle: Effect.fnUntraced(function* (begun) {
      yield* publish("publish")
      if (begun === undefined) return
      yield* lock.check
      yield* LastRun.write(files, bookkeeping, begun)
    }),
    lost: lock.lost
  }
  return opened
})

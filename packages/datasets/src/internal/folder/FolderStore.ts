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
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import * as Format from "@sluice/files/Format"
import * as Bookkeeping from "@sluice/files/internal/folder/Bookkeeping"
import { between, told } from "@sluice/files/internal/folder/Differing"
import * as Files from "@sluice/files/internal/folder/Files"
import { FileChanged, FolderOccupied } from "@sluice/files/internal/folder/FolderError"
import * as FormatOptions from "@sluice/files/internal/format/Options"
import * as Lock from "@sluice/files/internal/folder/Lock"
import * as PartFile from "@sluice/files/internal/folder/PartFile"
import * as Changes from "../ledger/Changes.ts"
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
import * as Paths from "./Paths.ts"
import * as HeldFile from "./HeldFile.ts"
import * as Recovery from "./Recovery.ts"
import * as Rewrite from "./Rewrite.ts"
import * as Snapshots from "../snapshots/Snapshots.ts"
import * as Table from "./Table.ts"
import type { Applied, Change, OpenStore, Setup, Store } from "../model/Store.ts"

/** Paths of a folder's bookkeeping. */
export const pathsOf = (files: Files.Files, folder: string): Recovery.Paths => {
  const bookkeeping = files.join(folder, ".sluice")
  return { folder, bookkeeping, parts: files.join(bookkeeping, "parts") }
}

/** What the ledger of a folder says; nothing where there is none. Touches nothing. */
const lookAt = Effect.fnUntraced(function* (files: Files.Files, paths: Recovery.Paths) {
  yield* files.expectFolder(paths.bookkeeping)
  const ledger = yield* Ledger.read(files, paths.folder, paths.bookkeeping)
  if (ledger === undefined) yield* LoadBook.expectNone(files, paths)
  return ledger
})

/** What a folder without a dataset is: none, or that of a download. Touches nothing. */
export const foundIn = Effect.fnUntraced(function* (folder: string) {
  const files = yield* Files.make
  if ((yield* files.names(folder)) === undefined) return "nothing"
  const held = yield* files.names(pathsOf(files, folder).bookkeeping)
  return held?.includes(Bookkeeping.ofDownload) === true ? "download" : undefined
})

/** Builds the store of a folder. Fails where its dataset has another layout or format. Touches nothing. */
export const make = Effect.fnUntraced(function* (
  folder: string,
  options: FolderOptions.Options = {}
): Effect.fn.Return<Store, StoreError, FileSystem.FileSystem | Path.Path> {
  const files = yield* Files.make
  const paths = pathsOf(files, folder)
  const found = yield* lookAt(files, paths)
  const layout = FolderOptions.layoutOf(options, found?.layout ?? FolderOptions.standard)
  const { snapshots } = options
  const asked = FolderOptions.formatOf(options.format, found?.format ?? { as: "parquet" })
  const kind = Snapshots.kindOf(snapshots) ?? found?.snapshots ?? "none"
  const isRead = asked.as === "parquet" && kind !== "none" && options.format?.times !== "nanos"
  const format = isRead ? { ...asked, times: asked.times ?? Snapshots.times } : asked
  if (found !== undefined) {
    const values = [
      // The size of a file may change with every run: the files that are there stay as they are.
      ...between("layout", { ...found.layout, rows: layout.rows }, layout),
      ...between("format", FormatOptions.withDefaults(found.format), format)
    ]
    if (values.length > 0) return yield* new OtherDefinition({ dataset: folder, ...told(values) })
  }
  const { byEntity } = layout
  return {
    name: folder,
    // What has filled a file is kept, however much the request still brings.
    cut: { byEntity, period: layout.period ?? undefined, rows: byEntity ? layout.rows : undefined },
    keepsVersions: true,
    look: Effect.flatMap(lookAt(files, paths), (ledger) =>
      ledger === undefined
        ? Effect.undefined
        : Effect.map(LastRun.read(files, paths.bookkeeping, ledger.looked), (run) => ({ ...ledger, ...run }))
    ),
    foresee: Effect.gen(function* () {
      for (;;) {
        const ledger = yield* lookAt(files, paths)
        if (ledger === undefined) return undefined
        const result = yield* Effect.result(Recovery.foresee(files, paths, ledger))
        // What looks like a missing file may be what a run has replaced since.
        const now = yield* lookAt(files, paths)
        if (now?.moment === ledger.moment && now.changes === ledger.changes) return yield* Effect.fromResult(result)
      }
    }),
    open: (setup) => open(files, paths, setup, { layout, format, snapshots }),
    held: Effect.flatMap(lookAt(files, paths), (ledger) => FolderVerify.held(files, folder, ledger)),
    reader: Effect.gen(function* () {
      const ledger = yield* whole(files, paths)
      if (ledger === undefined) return undefined
      // What was in files that are missing is not held.
      const foreseen = yield* Recovery.foresee(files, paths, ledger)
      const kept = { ...foreseen.kept, ...(yield* LastRun.read(files, paths.bookkeeping, ledger.looked)) }
      const source = { files, ...paths, look: whole(files, paths) }
      const past = ledger.definition.versions && {
        ...FolderPast.make(source, ledger),
        kept: { ...kept, cursors: Past.cursorsThen(foreseen.past, kept.cursors) }
      }
      // A list has no times, by which columns are found.
      const columns = ledger.field === "" ? undefined : FolderColumns.make(source, ledger)
      return { kept, read: FolderRead.records(source, ledger), columns, past }
    }),
    verify: Effect.fnUntraced(function* (series, emit) {
      for (;;) {
        yield* Lock.look(files, folder, paths.bookkeeping)
        const ledger = yield* lookAt(files, paths)
        if (ledger === undefined) return
        const json = yield* Table.jsonOf(series.endpoint, ledger)
        const known = Recovery.expectKnown(files, folder, Format.extension(ledger.format), ledger.files)
        yield* FolderVerify.histories(files, folder, paths.bookkeeping, ledger.histories)
        const read = FolderVerify.all(files, folder, ledger, series, json, emit)
        const result = yield* Effect.result(Effect.andThen(known, read))
        if (Result.isSuccess(result)) return
        // What looks like damage may be what a run has written since.
        yield* Lock.look(files, folder, paths.bookkeeping)
        const now = yield* lookAt(files, paths)
        if (now?.moment !== ledger.moment || now.changes !== ledger.changes) continue
        if (yield* Recovery.isPending(files, paths, now)) return yield* new RunInterrupted({ dataset: folder })
        return yield* Effect.fail(result.failure)
      }
    })
  }
})

/**
 * What the ledger of a folder says, when all of its files have their names: a run that goes on gives them within moments. Nothing where
 * there is none.
 */
export const whole = Effect.fnUntraced(function* (files: Files.Files, paths: Recovery.Paths) {
  for (let look = 0; ; look++) {
    const ledger = yield* lookAt(files, paths)
    if (ledger === undefined || !(yield* Recovery.isPending(files, paths, ledger))) return ledger
    if (look === looks) return yield* new RunInterrupted({ dataset: paths.folder })
    yield* Effect.sleep("50 millis")
  }
})

/** How often. */
const looks = 100

type Beginning = Pick<Recovery.Beginning, "layout" | "format"> & Pick<FolderOptions.Options, "snapshots">

const open = Effect.fnUntraced(function* (
  files: Files.Files,
  paths: Recovery.Paths,
  setup: Setup,
  beginning: Beginning
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
    layout,
    moment,
    snapshots: kept,
    working
  } = yield* Recovery.recover(files, paths, {
    definition: setup.definition,
    field: setup.series.entity,
    ...beginning,
    snapshots: asked
  })
  const state = FolderState.make(working)
  let definition: Definition.Definition = working.definition
  let table = yield* Table.make(setup.series.endpoint, working.definition, { layout, format })
  const head: Changes.Head = { field: setup.series.entity, layout, format, snapshots: kept }
  const changes = yield* Changes.open(files, bookkeeping, moment, working, head)
  const one = yield* Semaphore.make(1)
  const free: PartFile.FreeBlocks = []
  const named = Paths.make(files, { folder, field: setup.series.entity, extension: Format.extension(format) }, working)
  let count = 0
  const partName = () => `${moment.moment}-${++count}.part`
  /** Changes in the ledger of which something has yet to be done with files, or could not be done. */
  let undone = 0

  const entity = layout.byEntity ? setup.series.entity : undefined
  const subject = { endpoint, format, entity, columns: table.columns }
  const snapshots = yield* Snapshots.begin(files, paths, working, kept, beginning.snapshots, subject)
  /** What is undone is done by the next run, which makes a version of it. */
  const publish = (how: "publish" | "publishNowAndThen") =>
    one.withPermits(1)(
      Effect.suspend(() =>
        snapshots === undefined || undone > 0 ? Effect.void : Effect.andThen(lock.check, snapshots[how])
      )
    )
  yield* publish("publish")

  /** The records of a file that is as it was written: those of another would get a checksum that says so. */
  const readOf = (entry: Ledger.FileEntry) =>
    Stream.unwrap(
      Effect.map(FolderVerify.checksumOf(files, files.join(folder, entry.path)), (sha256) =>
        sha256 === entry.sha256
          ? recordsOf(entry)
          : Stream.fail(new FileChanged({ folder, file: entry.path, reason: FolderVerify.differs }))
      )
    )

  const recordsOf = (entry: Ledger.FileEntry) =>
    Stream.mapError(HeldFile.records(files, files.join(folder, entry.path), format, table.json), (error): StoreError =>
      error._tag === "Unreadable" ? new FileChanged({ folder, file: entry.path, reason: error.reason }) : error
    )

  /** Makes a change take effect, with what it wrote. */
  const commit = Effect.fnUntraced(function* (
    change: Change,
    written: ReadonlyArray<Rewrite.Written>,
    past: FolderHistory.Written
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
    const line: Ledger.Line = { files: files_, deleted, cursors, forget: change.forget, ...told }
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
    for (const path of deleted) {
      yield* files.remove(files.join(folder, path))
      if (working.removed === undefined) named.free(path)
    }
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

  const apply: OpenStore["apply"] = Effect.fnUntraced(function* (change) {
    const recorder = definition.versions && history.begin(definition, table.columns)
    const counts: Rewrite.Counts = { records: 0, replaced: 0 }
    const written: Array<Rewrite.Written> = []
    const begun: Array<string> = []
    // Of many files the disk writes several at once when they are waited for together; a single one is open already.
    const isMany = change.spans.length > 1
    const giveUp = Effect.andThen(
      Effect.sync(() => {
        for (const path of begun) named.free(path)
      }),
      Effect.suspend(() => discard(written))
    )
    const target: Rewrite.Files<StoreError> = {
      layout,
      field: setup.series.entity,
      carried: change.removes === true ? [] : Definition.carriedOf(definition),
      filesOf: state.filesOf,
      partitionsOf: state.partitionsOf,
      read: readOf,
      recording: recorder?.recording,
      refuse: (entity, time, reason) => new UnexpectedRecord({ dataset: folder, entity, time, reason }),
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
    const writing = Effect.scoped(Rewrite.apply(target, change, counts, (one) => void written.push(one)))
    yield* Effect.onError(writing, () => giveUp)
    const past =
      recorder === undefined
        ? FolderHistory.nothing
        : yield* recorder.write(partName).pipe(Effect.onError(() => giveUp))
    const unwritten = Effect.andThen(
      giveUp,
      Effect.suspend(() => history.discard(past))
    )
    const synced = Effect.forEach(
      isMany ? written : [],
      (one) => (one._tag === "File" ? files.sync(files.join(parts, one.part)) : Effect.void),
      { concurrency: 32, discard: true }
    )
    const paths_ = written.map((one) => (one._tag === "File" ? one.entry.path : one.path))
    const ready = Effect.all([synced, history.sync(past), Paths.expectFolders(files, folder, paths_)], {
      discard: true
    })
    yield* Effect.onError(ready, () => unwritten)
    const committed = yield* one.withPermits(1)(commit(change, written, past))
    // The change has taken effect. A version that cannot be made now is made at the end of the run, which fails where it cannot.
    yield* Effect.ignore(publish("publishNowAndThen"))
    const applied: Applied = { ...counts, ...committed, ...(past.revised === 0 ? {} : { revised: past.revised }) }
    return applied
  })

  const define: OpenStore["define"] = Effect.fnUntraced(function* (next) {
    table = yield* Table.make(setup.series.endpoint, next, { layout, format })
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

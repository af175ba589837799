/**
 * Versions of a dataset's folder that others read while syncs go on: a Delta table beside it, `closes.delta` of `closes`, where no glob of
 * the dataset's own files meets it.
 *
 * A version has the files of one moment, under names that are used once: each is a second name of a file of the dataset (a hard link; in a
 * bucket a copy), so a sync that replaces the file takes nothing from a reader. `.sluice/delta.json` is written before each version and
 * has its text: a version that a kill prevented is written by the next run as it was meant. A file that no version has any more stays
 * for some days, for readers of older ones.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { randomUUID } from "node:crypto"
import * as Checksum from "@sluice/files/internal/folder/Checksum"
import * as ChecksummedJson from "@sluice/files/internal/folder/ChecksummedJson"
import type { Files, FilesError } from "@sluice/files/internal/folder/Files"
import { isObject } from "@sluice/files/internal/storage/Objects"
import type * as Format from "@sluice/files/Format"
import { BookkeepingDamaged, FileChanged } from "@sluice/files/internal/folder/FolderError"
import * as DeltaLog from "./DeltaLog.ts"
import type * as Ledger from "../ledger/Ledger.ts"
import type * as Recovery from "./Recovery.ts"

/** Name in the bookkeeping folder. */
const stateName = "delta.json"

/** The folder of the table of a dataset; nothing where that has no name of its own, such as `.` and a whole bucket. */
export const tableOf = (folder: string): string | undefined => {
  const named = folder.replace(/[/\\]+$/, "")
  const isUnnamed = isObject(folder) ? /^s3:\/\/[^/]*$/.test(named) : /(?:^|[/\\])\.{0,2}$/.test(named)
  return isUnnamed ? undefined : `${named}.delta`
}

/** What the times of files count that Delta reads: no finer ones. */
export const times = "micros"

/** Versions between two checkpoints, from each of which readers begin. */
const checkpointEvery = 10

/** How long what a version needs is kept after another followed, in milliseconds. */
const kept = Duration.toMillis("7 days")

/** How long after a version another follows, while a run goes on, in milliseconds. */
const pause = Duration.toMillis("1 minute")

/** Files that are linked or removed at the same time. */
const concurrency = 16

const Named = Schema.Struct({ path: Schema.String, at: Schema.Finite })

const State = Schema.Struct({
  delta: Schema.Literal(1),
  id: Schema.String,
  created: Schema.Finite,
  schema: Schema.String,
  version: Schema.Int,
  /** When the version was made, in milliseconds since 1970. */
  at: Schema.Finite,
  /** Its text. */
  commit: Schema.String,
  files: Schema.Array(Named),
  gone: Schema.Array(Named)
})
interface State extends Schema.Schema.Type<typeof State> {}

const decode = Schema.decodeUnknownResult(State)

/** Versions of an open dataset. */
export interface Snapshots {
  /** Makes a version of what the ledger has, where that is something else than the last one. */
  readonly publish: Effect.Effect<void, SnapshotError>
  /** The same where the last one is a minute old. */
  readonly publishNowAndThen: Effect.Effect<void, SnapshotError>
  /** From here on files have these columns. */
  readonly define: (columns: ReadonlyArray<DeltaLog.Column>) => void
}

type SnapshotError = FilesError | FileChanged

/** Why a dataset cannot have versions, if it cannot. */
export const refusalOf = (folder: string, format: Format.Options): string | undefined => {
  if (format.as !== "parquet" || format.times !== times) {
    return `are of Parquet files with times: ${times}, which Delta reads, and this dataset has others`
  }
  return tableOf(folder) === undefined ? "are beside the folder, under its name, and this one is not named" : undefined
}

const placesOf = (files: Files, { bookkeeping, folder }: Recovery.Paths) => {
  const root = tableOf(folder) ?? ""
  return { root, log: files.join(root, "_delta_log"), state: files.join(bookkeeping, stateName) }
}

/** A name for the bytes of a file: those of two entities may be the same. */
const pathOf = ({ path, sha256 }: Ledger.FileEntry) => `${Checksum.ofText(`${path} ${sha256}`)}.parquet`

const isData = (name: string) => /^[0-9a-f]{64}\.parquet$/.test(name)

/** Begins or goes on with a table of what a ledger has, and completes the version that a kill prevented. */
export const open = Effect.fnUntraced(function* (
  files: Files,
  paths: Recovery.Paths,
  working: Ledger.Working,
  /** The column that the folders of the dataset name; absent where files have it. */
  entity: string | undefined,
  columns: ReadonlyArray<DeltaLog.Column>
) {
  const { folder } = paths
  const { log, root, state: stateFile } = placesOf(files, paths)
  for (const path of [root, log]) {
    yield* files.expectFolder(path)
    yield* files.makeFolder(path)
    yield* files.expectFolder(path)
  }
  const versions = Effect.map(files.names(log), (names = []) => names.flatMap(DeltaLog.versionOf))
  const removeAll = (paths: ReadonlyArray<string>) =>
    Effect.forEach(paths, (path) => files.remove(files.join(root, path)), { concurrency, discard: true })

  /** That of the state, where it is in a bucket: another process that has the folder by now has written another. */
  let tag: string | undefined
  const read = Effect.gen(function* () {
    const stored = yield* files.read(stateFile)
    if (stored === undefined) return undefined
    tag = stored.tag
    const state = Result.flatMap(ChecksummedJson.open(stored.text), decode)
    if (Result.isFailure(state)) {
      return yield* new BookkeepingDamaged({ folder, file: stateFile, reason: "it was edited, or damaged" })
    }
    const { files: all, version } = state.success
    const found = new Set((yield* versions).map((one) => one.version))
    if (found.has(version)) return state.success
    // Its files are there before its text is. Where they are not, the dataset was moved, or somebody has removed the table: another begins.
    const names = new Set(yield* files.names(root))
    return (version === 0 || found.has(version - 1)) && all.every(({ path }) => names.has(path))
      ? state.success
      : undefined
  })

  let schema = DeltaLog.schemaOf(columns, entity)
  let last = yield* read
  const [foreign] = last === undefined ? yield* versions : []
  if (foreign !== undefined) {
    const reason = "the table is of another dataset; remove it to begin one, or move it away"
    return yield* new FileChanged({ folder: root, file: `_delta_log/${foreign.name}`, reason })
  }
  /** Whether the text of the last version may be missing. */
  let isPending = last !== undefined
  const complete = Effect.gen(function* () {
    if (last === undefined || !isPending) return
    const file = files.join(log, DeltaLog.commitName(last.version))
    if ((yield* files.size(file)) === undefined) yield* files.put(file, last.commit, "absent")
    isPending = false
  })
  yield* complete

  const known = new Set([...(last?.files ?? []), ...(last?.gone ?? [])].map(({ path }) => path))
  const found = (yield* files.names(root)) ?? []
  yield* removeAll(found.filter((name) => isData(name) && !known.has(name)))

  const checkpoint = Effect.fnUntraced(function* (table: DeltaLog.Table, { at, gone, version }: State, all: AllFiles) {
    const { bytes, size } = DeltaLog.checkpointOf(table, all, gone)
    yield* files.put(files.join(log, DeltaLog.checkpointName(version)), bytes)
    yield* files.put(files.join(log, DeltaLog.lastName), JSON.stringify({ version, size }))
    const names = (yield* versions).toSorted((a, b) => a.version - b.version)
    let first = 0
    for (const one of names.filter(({ isCheckpoint }) => isCheckpoint)) {
      const { modified = at } = (yield* files.read(files.join(log, one.name))) ?? {}
      if (modified > at - kept) break
      first = one.version
    }
    const old = names.filter((one) => one.version < first)
    yield* Effect.forEach(old, ({ name }) => files.remove(files.join(log, name)), { concurrency, discard: true })
  })

  const make = Effect.fnUntraced(function* (now: number) {
    yield* complete
    const before = new Map(last?.files.map(({ at, path }) => [path, at]))
    const wanted = new Map([...working.files.values()].map((entry) => [pathOf(entry), entry]))
    const all = [...wanted].map(([path, entry]): DeltaLog.File => ({ path, entry, at: before.get(path) ?? now }))
    const added = all.filter(({ path }) => !before.has(path))
    const removed = [...before.keys()].filter((path) => !wanted.has(path))
    const isOther = last?.schema !== schema
    if (added.length === 0 && removed.length === 0 && !isOther) return
    const share = Effect.fnUntraced(function* ({ entry, path }: DeltaLog.File) {
      const to = files.join(root, path)
      if ((yield* files.size(to)) === undefined) yield* files.share(files.join(folder, entry.path), to)
    })
    yield* Effect.forEach(added, share, { concurrency, discard: true })
    const table = { id: last?.id ?? randomUUID(), created: last?.created ?? now, schema, entity }
    const version = last === undefined ? 0 : last.version + 1
    const name = DeltaLog.commitName(version)
    if ((yield* files.size(files.join(log, name))) !== undefined) {
      const reason =
        "this version is of somebody else; remove the table to begin another, and change copies of it alone"
      return yield* new FileChanged({ folder: root, file: `_delta_log/${name}`, reason })
    }
    const gone = (last?.gone ?? []).filter(({ path }) => !wanted.has(path))
    const expired = gone.filter(({ at }) => at <= now - kept)
    const state: State = {
      delta: 1,
      id: table.id,
      created: table.created,
      schema,
      version,
      at: now,
      commit: DeltaLog.commitOf(table, { at: now, added, removed, isOther, isFirst: version === 0 }),
      files: all.map(({ at, path }) => ({ path, at })),
      gone: [...gone.filter(({ at }) => at > now - kept), ...removed.map((path) => ({ path, at: now }))]
    }
    yield* Effect.uninterruptible(
      Effect.gen(function* () {
        const text = `${JSON.stringify(ChecksummedJson.seal(state))}\n`
        tag = yield* files.put(stateFile, text, tag === undefined ? "absent" : { tag })
        last = state
        isPending = true
        yield* complete
      })
    )
    if (version % checkpointEvery === 0 && version > 0) yield* checkpoint(table, state, all)
    yield* removeAll(expired.map(({ path }) => path))
  })

  const publish = Effect.flatMap(Clock.currentTimeMillis, make)
  const snapshots: Snapshots = {
    publish,
    publishNowAndThen: Effect.flatMap(Clock.currentTimeMillis, (now) =>
      last !== undefined && now >= last.at && now < last.at + pause ? Effect.void : make(now)
    ),
    define: (columns) => {
      schema = DeltaLog.schemaOf(columns, entity)
    }
  }
  return snapshots
})

type AllFiles = ReadonlyArray<DeltaLog.File>

/** Removes the table, where there is one. */
export const remove = Effect.fnUntraced(function* (files: Files, paths: Recovery.Paths) {
  const { log, root, state } = placesOf(files, paths)
  if ((yield* files.size(state)) === undefined) return
  // Without a log there is no table; with one that lacks files there would be a wrong one.
  for (const folder of [log, root]) {
    const names = ((yield* files.names(folder)) ?? []).filter((name) => folder === log || isData(name))
    yield* Effect.forEach(names, (name) => files.remove(files.join(folder, name)), { concurrency, discard: true })
  }
  yield* files.remove(state)
})

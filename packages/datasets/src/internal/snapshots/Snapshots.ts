/**
 * Versions of a dataset's folder that others read while syncs go on, in a folder beside it, where no glob of the dataset's own files meets
 * them: `closes.delta` of `closes`, with the log of a Delta table, or `closes.ducklake`, of which a catalog of DuckLake tells.
 *
 * A version has the files of one moment, under names that follow from their paths and bytes: each is a second name of a file of the
 * dataset (a hard link; in a bucket a copy), so a sync that replaces the file takes nothing from a reader. A file that no version has any
 * more stays for some days, for readers of older ones.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { resolve } from "node:path"
import * as Checksum from "@sluice/files/internal/folder/Checksum"
import type { Files } from "@sluice/files/internal/folder/Files"
import { isObject } from "@sluice/files/internal/storage/Objects"
import type * as Format from "@sluice/files/Format"
import * as DeltaTable from "./DeltaTable.ts"
import type * as Ledger from "../ledger/Ledger.ts"
import { BadDefinition, type StoreError } from "../model/DatasetError.ts"
import { type Column, type File, isLake, kept, type Lake, type Next, type OpenLake } from "../model/VersionLog.ts"

/** What keeps versions. */
export type Kind = NonNullable<Ledger.Ledger["snapshots"]>

/** The folder of a dataset, and that of its bookkeeping. */
interface Paths {
  readonly folder: string
  readonly bookkeeping: string
}

/** What is asked for, as the ledger has it. */
export const kindOf = (asked: Kind | "none" | Lake | undefined) => (typeof asked === "object" ? "ducklake" : asked)

/** The folder of the table of a dataset; nothing where that has no name of its own, such as `.` and a whole bucket. */
const tableOf = (folder: string, kind: Kind): string | undefined => {
  const named = folder.replace(/[/\\]+$/, "")
  const isUnnamed = isObject(folder) ? /^s3:\/\/[^/]*$/.test(named) : /(?:^|[/\\])\.{0,2}$/.test(named)
  return isUnnamed ? undefined : `${named}.${kind}`
}

/** What the times of files count that readers of versions take: Delta has no finer ones. */
export const times = "micros"

/** How long after a version another follows, while a run goes on, in milliseconds. */
const pause = Duration.toMillis("1 minute")

/** Files that are linked or removed at the same time. */
const concurrency = 16

/** Bytes at the end of a Parquet file, of which the first four say how long the metadata before them is. */
const tail = 8

/** Versions of an open dataset. */
export interface Snapshots {
  /** Makes a version of what the ledger has, where that is something else than the last one. */
  readonly publish: Effect.Effect<void, StoreError>
  /** The same where files were rewritten since the last one, and nothing else has changed. */
  readonly publishRewritten: Effect.Effect<void, StoreError>
  /** The same where the last one is a minute old. */
  readonly publishNowAndThen: Effect.Effect<void, StoreError>
  /** From here on files have these columns. */
  readonly define: (columns: ReadonlyArray<Column>) => void
}

/** Why a dataset cannot have what is asked for, if it cannot. */
export const refusalOf = (folder: string, format: Format.Options, kind: Kind | "none" | undefined) => {
  if (kind === undefined || kind === "none") return undefined
  if (format.as !== "parquet" || format.times !== times) {
    return `are of Parquet files with times: ${times}, which their readers take, and this dataset has others`
  }
  return tableOf(folder, kind) === undefined
    ? "are beside the folder, under its name, and this one is not named"
    : undefined
}

/** What versions are of. */
interface Subject {
  readonly endpoint: string
  readonly format: Format.Options
  /** The column that the folders of the dataset name; absent where files have it. */
  readonly entity: string | undefined
  readonly columns: ReadonlyArray<Column>
}

/** Begins or goes on with the versions that a dataset is to have, and ends others. */
export const begin = Effect.fnUntraced(function* (
  files: Files,
  paths: Paths,
  working: Ledger.Working,
  kind: Kind | undefined,
  asked: Kind | "none" | Lake | undefined,
  subject: Subject
) {
  const { endpoint, format } = subject
  if (kind !== "delta") yield* removeDelta(files, paths)
  // Such as `.`, under which a dataset was opened that has a name elsewhere.
  const unnamed = refusalOf(paths.folder, format, kind)
  if (unnamed !== undefined) return yield* new BadDefinition({ endpoint, setting: "to", reason: `versions ${unnamed}` })
  if (kind !== "ducklake") return kind && (yield* open(files, paths, working, subject, kind))
  if (isLake(asked)) return yield* open(files, paths, working, subject, asked)
  const reason = 'are in a DuckLake catalog, whose address is not kept: name it again, or "none" to make no more'
  return yield* new BadDefinition({ endpoint, setting: "snapshots", reason })
})

/** A name for the bytes of a file: those of two entities may be the same. DuckLake has the entity from the name of a folder. */
const pathOf = ({ entity, path, sha256 }: Ledger.FileEntry, kind: Kind) => {
  const below = kind === "ducklake" && entity !== undefined ? path.slice(0, path.indexOf("/") + 1) : ""
  return `${below}${Checksum.ofText(`${path} ${sha256}`)}.parquet`
}

const isData = (name: string) => /^(?:[^/]+\/)?[0-9a-f]{64}\.parquet$/.test(name)

/** The files of versions in a folder. */
const dataIn = Effect.fnUntraced(function* (files: Files, root: string) {
  const names = (yield* files.names(root)) ?? []
  const folders = names.filter((name) => name.includes("="))
  const below = yield* Effect.forEach(folders, (folder) =>
    Effect.map(files.names(files.join(root, folder)), (names = []) => names.map((name) => `${folder}/${name}`))
  )
  return [...names, ...below.flat()].filter(isData)
})

const placesOf = (files: Files, { bookkeeping, folder }: Paths, kind: Kind) => {
  const root = tableOf(folder, kind) ?? ""
  return { root, log: files.join(root, "_delta_log"), state: files.join(bookkeeping, DeltaTable.stateName) }
}

/** Opens versions of what a ledger has. */
const open = Effect.fnUntraced(function* (
  files: Files,
  paths: Paths,
  working: Ledger.Working,
  { columns, entity }: Subject,
  how: "delta" | OpenLake
) {
  const kind = how === "delta" ? how : "ducklake"
  const places = placesOf(files, paths, kind)
  const { root } = places
  yield* makeFolder(files, root)
  const removeAll = (paths: ReadonlyArray<string>) =>
    Effect.forEach(paths, (path) => files.remove(files.join(root, path)), { concurrency, discard: true })

  const footerOf = Effect.fnUntraced(function* (path: string) {
    const { read, size } = yield* files.openAt(files.join(root, path))
    const end = yield* read(size - tail, size)
    return new DataView(end.buffer, end.byteOffset).getUint32(0, true)
  }, Effect.scoped)

  if (how === "delta") yield* makeFolder(files, places.log)
  const found = new Set(yield* dataIn(files, root))
  const log = yield* how === "delta"
    ? DeltaTable.open(files, paths.folder, places, entity, found)
    : Effect.succeed(how.versionsOf({ root: isObject(root) ? root : resolve(root), entity, names: found, footerOf }))
  const begun = yield* log.settle
  const known = new Set([...(begun?.files ?? []), ...(begun?.gone ?? [])].map(({ path }) => path))
  /**
   * Files that no version has. They are removed behind the next one: up to then another process may still make one that has them. In a bucket
   * a removal might take effect after a file was made again, so what the next one has stays.
   */
  let unknown = [...found].filter((name) => !known.has(name))

  let current = columns
  /** When the last version was made, as far as it is known. */
  let made = begun?.at
  const make = Effect.fnUntraced(function* (now: number, isRewrite: boolean) {
    const last = yield* log.settle
    const before = new Map(last?.files.map(({ at, path }) => [path, at]))
    const wanted = new Map([...working.files.values()].map((entry) => [pathOf(entry, kind), entry]))
    const all = [...wanted].map(([path, entry]): File => ({ path, entry, at: before.get(path) ?? now }))
    const added = all.filter(({ path }) => !before.has(path))
    const removed = [...before.keys()].filter((path) => !wanted.has(path))
    const schema = log.schemaOf(current)
    const isOther = last?.schema !== schema
    if (added.length === 0 && removed.length === 0 && !isOther) return
    const folders = new Set(added.map(({ path }) => path.slice(0, Math.max(0, path.lastIndexOf("/")))))
    yield* Effect.forEach(folders, (folder) =>
      folder === "" ? Effect.void : makeFolder(files, files.join(root, folder))
    )
    const share = Effect.fnUntraced(function* ({ entry, path }: File) {
      const to = files.join(root, path)
      if ((yield* files.size(to)) === undefined) yield* files.share(files.join(paths.folder, entry.path), to)
    })
    yield* Effect.forEach(added, share, { concurrency, discard: true })
    // A loss of power takes no name that a catalog elsewhere tells of: a sync of any file keeps all names before it, as that of Delta's state does.
    for (const { path } of kind === "ducklake" ? added.slice(-1) : []) yield* files.sync(files.join(root, path))
    const gone = (last?.gone ?? []).filter(({ path }) => !wanted.has(path))
    const expired = gone.filter(({ at }) => at <= now - kept)
    const next: Next = {
      at: now,
      schema,
      columns: current,
      files: all,
      added,
      removed,
      gone: [...gone.filter(({ at }) => at > now - kept), ...removed.map((path) => ({ path, at: now }))],
      isOther,
      isRewrite
    }
    // The version may be there though the commit fails.
    unknown = unknown.filter((name) => !wanted.has(name))
    yield* log.commit(next)
    made = now
    yield* removeAll([...expired.map(({ path }) => path), ...unknown])
    unknown = []
  })

  const publish = (isRewrite: boolean) => Effect.flatMap(Clock.currentTimeMillis, (now) => make(now, isRewrite))
  const snapshots: Snapshots = {
    publish: publish(false),
    publishRewritten: publish(true),
    publishNowAndThen: Effect.flatMap(Clock.currentTimeMillis, (now) =>
      made !== undefined && now >= made && now < made + pause ? Effect.void : make(now, false)
    ),
    define: (columns) => {
      current = columns
    }
  }
  return snapshots
})

const makeFolder = Effect.fnUntraced(function* (files: Files, path: string) {
  yield* files.expectFolder(path)
  yield* files.makeFolder(path)
  yield* files.expectFolder(path)
})

/** Removes the Delta table, where there is one. Versions in a catalog stay as the last run has left them. */
const removeDelta = Effect.fnUntraced(function* (files: Files, paths: Paths) {
  const { log, root, state } = placesOf(files, paths, "delta")
  if ((yield* files.size(state)) === undefined) return
  // Without a log there is no table; with one that lacks files there would be a wrong one.
  for (const folder of [log, root]) {
    const names = ((yield* files.names(folder)) ?? []).filter((name) => folder === log || isData(name))
    yield* Effect.forEach(names, (name) => files.remove(files.join(folder, name)), { concurrency, discard: true })
  }
  yield* files.remove(state)
})

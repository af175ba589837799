/**
 * Versions of a folder as a Delta table. `.sluice/delta.json` is written before each version and has its text: a version that a kill
 * prevented is written by the next run as it was meant.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { randomUUID } from "node:crypto"
import * as ChecksummedJson from "@sluice/files/internal/folder/ChecksummedJson"
import type { Files } from "@sluice/files/internal/folder/Files"
import { BookkeepingDamaged, FileChanged } from "@sluice/files/internal/folder/FolderError"
import * as DeltaLog from "./DeltaLog.ts"
import { type File, kept, type Next, type VersionLog } from "../model/VersionLog.ts"

/** Name in the bookkeeping folder. */
export const stateName = "delta.json"

/** Versions between two checkpoints, from each of which readers begin. */
const checkpointEvery = 10

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

/** The folder of the table, that of its log, and the file that says what its last version is. */
interface Places {
  readonly root: string
  readonly log: string
  readonly state: string
}

/** Begins or goes on with a table, of which there are files of these names. */
export const open = Effect.fnUntraced(function* (
  files: Files,
  folder: string,
  { log, root, state: stateFile }: Places,
  /** The column that the folders of the dataset name; absent where files have it. */
  entity: string | undefined,
  names: ReadonlySet<string>
) {
  const versions = Effect.map(files.names(log), (names = []) => names.flatMap(DeltaLog.versionOf))

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
    return (version === 0 || found.has(version - 1)) && all.every(({ path }) => names.has(path))
      ? state.success
      : undefined
  })

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

  const checkpoint = Effect.fnUntraced(function* (
    table: DeltaLog.Table,
    { at, gone, version }: State,
    all: ReadonlyArray<File>
  ) {
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
    yield* Effect.forEach(old, ({ name }) => files.remove(files.join(log, name)), { concurrency: 16, discard: true })
  })

  const commit = Effect.fnUntraced(function* (next: Next) {
    const { at, files: all, gone, schema } = next
    const table = { id: last?.id ?? randomUUID(), created: last?.created ?? at, schema, entity }
    const version = last === undefined ? 0 : last.version + 1
    const name = DeltaLog.commitName(version)
    const isMade = (yield* files.size(files.join(log, name))) !== undefined
    const found = isMade ? yield* files.read(stateFile) : undefined
    // In a bucket it may be that of another process which has the folder. Then the state is another too, and the next one refused.
    if (isMade && (found === undefined || found.tag === tag)) {
      const reason =
        "this version is of somebody else; remove the table to begin another, and change copies of it alone"
      return yield* new FileChanged({ folder: root, file: `_delta_log/${name}`, reason })
    }
    const state: State = {
      delta: 1,
      id: table.id,
      created: table.created,
      schema,
      version,
      at,
      commit: DeltaLog.commitOf(table, { ...next, isFirst: version === 0 }),
      files: all.map(({ at, path }) => ({ path, at })),
      gone
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
  })

  const table: VersionLog = {
    settle: Effect.map(complete, () => last),
    schemaOf: (columns) => DeltaLog.schemaOf(columns, entity),
    commit
  }
  return table
})

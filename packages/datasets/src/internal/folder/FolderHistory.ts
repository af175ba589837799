/**
 * Writes the histories of a folder with the changes that they tell of.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Zlib from "node:zlib"
import type { Column } from "@sluice/core/internal/columns/Column"
import type * as Format from "@sluice/files/Format"
import * as Compressed from "@sluice/files/internal/format/Compressed"
import type { Files, FilesError } from "@sluice/files/internal/folder/Files"
import { BookkeepingDamaged } from "@sluice/files/internal/folder/FolderError"
import * as PartFile from "@sluice/files/internal/folder/PartFile"
import type { Definition } from "../model/Definition.ts"
import * as Moment from "../model/Moment.ts"
import * as SeriesParams from "../model/SeriesParams.ts"
import type { Series, Time } from "../model/Store.ts"
import * as Comparing from "../versions/Comparing.ts"
import * as Gathered from "../versions/Gathered.ts"
import * as History from "../versions/History.ts"
import * as FolderVerify from "./FolderVerify.ts"
import * as Layout from "../ledger/Layout.ts"
import type * as FolderState from "../ledger/FolderState.ts"
import type * as Ledger from "../ledger/Ledger.ts"
import * as Past from "../ledger/Past.ts"
import * as ReadBack from "./ReadBack.ts"
import type * as Recovery from "./Recovery.ts"

/** What a history is written with. */
export interface Place {
  readonly files: Files
  readonly paths: Recovery.Paths
  readonly series: Series
  readonly format: Format.Options
  readonly state: Pick<FolderState.FolderState, "ledger" | "historiesOf">
  readonly free: PartFile.FreeBlocks
}

/** The histories that a change wrote, and how late its newest records came. */
export interface Written {
  readonly histories: NonNullable<Ledger.Line["histories"]>
  /** Histories that are part of these now. */
  readonly merged: ReadonlyArray<string>
  /** How many records came with other values. */
  readonly revised: number
  readonly delay: number | undefined
  readonly first: number | undefined
  readonly late: number | undefined
}

/** Histories of fewer bytes together are compressed again as one. Longer ones, of which that takes time and saves little, stay members of one file. */
const few = 8_192

/** The lowest level takes half of the time of the usual one. */
const compress = (lines: Uint8Array) => Zlib.gzipSync(lines, { level: 1 })

/** Where no versions are kept. */
export const nothing: Written = {
  histories: [],
  merged: [],
  revised: 0,
  delay: undefined,
  first: undefined,
  late: undefined
}

/** What the ledger is told with a change. */
export const lineOf = (
  { delay, first, histories, late, merged }: Written,
  looked: Past.Looked = {}
): Pick<Ledger.Line, "histories" | "merged" | "looked"> => {
  const longest = History.extreme(Math.max, [looked.delay, delay])
  const latest = History.extreme(Math.max, [looked.late, late])
  const least = History.extreme(Math.min, [looked.first, first])
  const isNews = longest !== looked.delay || latest !== looked.late || least !== looked.first
  return {
    ...(histories.length === 0 ? {} : { histories }),
    ...(merged.length === 0 ? {} : { merged }),
    ...(isNews && {
      looked: {
        ...looked,
        ...(longest === undefined ? {} : { delay: longest }),
        ...(latest === undefined ? {} : { late: latest }),
        ...(least === undefined ? {} : { first: least })
      }
    })
  }
}

interface Begun {
  readonly partition: Layout.Partition
  readonly recording: History.Recording
}

/** Begins to keep the histories of an open folder. */
export const make = ({ files, format, free, paths, series, state }: Place) => {
  const { bookkeeping, folder, parts } = paths
  const { ledger: working } = state
  const pathOf = (name: string) => files.join(bookkeeping, Past.histories, name)
  const partOf = (name: string) => files.join(parts, name)

  /** The bytes of a history as it was written: another one would get a checksum that says so. */
  const expectWhole = Effect.fnUntraced(function* ({ path, sha256 }: Past.HistoryEntry) {
    const file = pathOf(path)
    if ((yield* FolderVerify.checksumOf(files, file)) === sha256) return file
    return yield* new BookkeepingDamaged({ folder, file, reason: FolderVerify.differs })
  })

  /** Histories with more lines. Several files of gzip, one behind the other, are one. */
  const joined = Effect.fnUntraced(function* (
    before: ReadonlyArray<Past.HistoryEntry>,
    lines: Uint8Array,
    compressed: Uint8Array
  ) {
    const opened = yield* Effect.forEach(before, (entry) => Effect.flatMap(expectWhole(entry), files.openAt))
    if (opened.reduce((sum, { size }) => sum + size, 0) > few) {
      const old = Stream.flatMap(Stream.fromIterable(opened), ReadBack.piecesOf)
      return Stream.concat(old, Stream.succeed(compressed))
    }
    if (opened.length === 0) return Stream.succeed(compressed)
    const old = yield* Effect.forEach(opened, ({ read, size }) => read(0, size))
    return Stream.succeed(compress(Buffer.concat([...old.map((bytes) => Zlib.gunzipSync(bytes)), lines])))
  })

  /** Writes the next file of the history of a partition. */
  const write = Effect.fnUntraced(function* (
    partition: Layout.Partition,
    bytes: Stream.Stream<Uint8Array, FilesError | BookkeepingDamaged>,
    part: string
  ) {
    const { entity, period } = partition
    const written = yield* PartFile.writePartial(files, partOf(part), bytes, () => {}, free, true)
    const names = { ...(entity === undefined ? {} : { entity }), ...(period === undefined ? {} : { period }) }
    return { path: Past.nextName(partition, state.historiesOf(partition)), ...names, ...written, part }
  })

  /** Writes lines behind the history of a partition: as another file of it, with those that are as short. */
  const append = Effect.fnUntraced(function* (partition: Layout.Partition, lines: ReadonlyArray<string>, part: string) {
    const text = new TextEncoder().encode(lines.join(""))
    const compressed = compress(text)
    const held = state.historiesOf(partition)
    const merged = held.slice(Past.staying(held, compressed.length))
    const entry = yield* write(partition, yield* joined(merged, text, compressed), part)
    return { entry, merged: merged.map(({ path }) => path) }
  }, Effect.scoped)

  /** When the run before had looked: when it ended, or where it did not, when it began. */
  let before: Time | undefined
  /** When it began, where it has ended. */
  let began: Time | undefined
  /** The latest moment of a change. */
  let changed: Time | undefined
  /** The present. A clock may have gone back since the run before, or since the last change. */
  const present = Effect.map(Clock.currentTimeMillis, (millis) => {
    const now = Moment.ofMillis(millis)
    const next = before !== undefined && before > now ? Moment.next(before) : now
    return (changed = changed !== undefined && changed > next ? changed : next)
  })
  /** Whether a change since then has told how late records come. */
  let hasTold = false

  const lookedAt = (at: Time | undefined, begun?: Time) => {
    before = at
    began = begun
    hasTold = false
  }
  /** Begins behind what the ledger says. */
  const lookAgain = () => {
    const { at, tried } = working.looked ?? {}
    const ended = Past.syncedOf(working.looked)
    const hasEnded = tried === undefined || (ended !== undefined && ended >= tried)
    lookedAt(hasEnded ? ended : tried, hasEnded ? at : undefined)
    return before
  }
  lookAgain()

  /** Begins to record a change. */
  const begin = (definition: Definition, columns: ReadonlyArray<Column>) => {
    const { endpoint } = series
    const comparing = Comparing.make(series, format, columns)
    const every = SeriesParams.everyOf(endpoint, definition.params)
    const metrics = SeriesParams.metricsOf(endpoint, definition)
    const [cursors, fresh] = [new Map(working.cursors), new Map(working.fresh)]
    // Of a load that became several changes the first ones have noted the metrics that it adds.
    for (const [entity, columns] of working.had) {
      const cursor = cursors.get(entity)
      if (cursor !== undefined) cursors.set(entity, { ...cursor, columns })
    }
    const [looked, complete] = [before, working.looked?.at]
    const looking = began !== undefined && looked !== undefined && began < looked ? began : undefined
    const cursorOf = (entity: string) => cursors.get(entity)
    const freshTo = (entity: string) => fresh.get(entity)
    const begun: Array<Begun> = []
    return {
      /** Makes columns of what arrives, where the files are Parquet, so that it can be compared with their pages. */
      gathered: <E>(records: Stream.Stream<unknown, E>): Stream.Stream<unknown, E> =>
        format.as === "parquet" ? Gathered.of(records, { columns, entity: series.entity, format }) : records,
      recording: (partition: Layout.Partition) => {
        const { entity } = partition
        const fields = { entity: series.entity, ...(entity === undefined ? {} : { fixed: entity }) }
        const recording = History.record({
          fields,
          comparing,
          every,
          metrics,
          looked,
          looking,
          complete,
          cursorOf,
          freshTo
        })
        begun.push({ partition, recording })
        return recording
      },
      /** Writes what was recorded. Until the change takes effect nothing of it is there. */
      write: Effect.fnUntraced(function* (partName: () => string) {
        const now = yield* present
        const found = begun.map(({ partition, recording }) => ({ partition, ...recording.end(now) }))
        // What is behind in periods that ended long ago tells nothing of how late a record comes.
        const newest = new Map<string, string>()
        for (const { partition } of found) {
          const { entity = "", period = "" } = partition
          if (period >= (newest.get(entity) ?? "")) newest.set(entity, period)
        }
        const isNewest = ({ entity = "", period = "" }: Layout.Partition) => newest.get(entity) === period
        const written: Array<Written["histories"][number]> = []
        const merged: Array<string> = []
        const byPartition = Map.groupBy(found, ({ partition }) => Layout.idOf(partition))
        const writing = Effect.forEach(
          byPartition.values(),
          Effect.fnUntraced(function* (members) {
            const lines = members.flatMap(({ lines }) => lines)
            const [first] = members
            if (lines.length === 0 || first === undefined) return
            const one = yield* append(first.partition, lines, partName())
            written.push(one.entry)
            merged.push(...one.merged)
          }),
          { discard: true }
        )
        yield* Effect.onError(writing, () => discard({ ...nothing, histories: written }))
        const all: Written = {
          histories: written,
          merged,
          revised: found.reduce((sum, { revised }) => sum + revised, 0),
          delay: History.extreme(
            Math.max,
            found.filter(({ partition }) => isNewest(partition)).map(({ delay }) => delay)
          ),
          first: History.extreme(
            Math.min,
            found.map(({ first }) => first)
          ),
          late: History.extreme(
            Math.max,
            found.map(({ late }) => late)
          )
        }
        if (all.delay !== undefined) hasTold = true
        return all
      })
    }
  }

  const discard = ({ histories }: Written) =>
    Effect.forEach(histories, ({ part }) => Effect.ignore(files.remove(partOf(part))), { discard: true })

  /** Writes histories as one of another partition: lines of a record stay in their order, since one of them has all. */
  const merge = Effect.fnUntraced(function* (
    partition: Layout.Partition,
    held: ReadonlyArray<Past.HistoryEntry>,
    partName: () => string
  ) {
    if (held.length === 0) return nothing
    const lines = Stream.flatMap(Stream.rechunk(Stream.fromIterable(held), 1), (entry) =>
      Stream.unwrap(Effect.map(expectWhole(entry), (file) => ReadBack.decompressed(files, file))).pipe(
        Stream.mapError((error) =>
          error._tag === "Unreadable"
            ? new BookkeepingDamaged({ folder, file: pathOf(entry.path), reason: error.reason })
            : error
        )
      )
    )
    const entry = yield* write(partition, Compressed.compress(lines, "gzip"), partName())
    const merged: Written = { ...nothing, histories: [entry], merged: held.map(({ path }) => path) }
    return merged
  })

  return {
    begin,
    discard,
    merge,
    /** What a store is told of runs, which `note` keeps. */
    looks: <E>(note: (looked: Past.Looked) => Effect.Effect<void, E>) => ({
      begin: (at: Time) =>
        Effect.suspend(() => {
          const last = lookAgain()
          return note({ tried: last !== undefined && last > at ? last : at })
        }),
      end: Effect.fnUntraced(function* (at: Time, isWhole: boolean) {
        // A clock may have gone back since the run before.
        const { told: count = 0, tried = at } = working.looked ?? {}
        const looked = tried > at ? tried : at
        if (!isWhole) return lookedAt(looked)
        const told = count + (hasTold ? 1 : 0)
        const ended = yield* present
        yield* note({ at: looked, ended, ...(told === 0 ? {} : { told }) })
        lookedAt(ended, looked)
      })
    }),
    sync: ({ histories }: Written) =>
      Effect.forEach(histories, ({ part }) => files.sync(partOf(part)), { concurrency: 32, discard: true }),
    rename: ({ histories: written }: Written): Effect.Effect<void, FilesError> =>
      written.length === 0
        ? Effect.void
        : Effect.andThen(
            files.makeFolder(files.join(bookkeeping, Past.histories)),
            Effect.forEach(written, ({ part, path }) => files.rename(partOf(part), pathOf(path)), { discard: true })
          ),
    /** Removes what is part of other histories now. */
    clear: ({ merged }: Written) => Effect.forEach(merged, (path) => files.remove(pathOf(path)), { discard: true })
  }
}

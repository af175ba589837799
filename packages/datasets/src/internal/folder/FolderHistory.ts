/**
 * Writes the histories of a folder with the changes that they tell of.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Zlib from "node:zlib"
import type * as Format from "@sluice/files/Format"
import * as Checksum from "@sluice/files/internal/folder/Checksum"
import type { Files, FilesError } from "@sluice/files/internal/folder/Files"
import { BookkeepingDamaged } from "@sluice/files/internal/folder/FolderError"
import * as PartFile from "@sluice/files/internal/folder/PartFile"
import type { Definition } from "../model/Definition.ts"
import * as Moment from "../model/Moment.ts"
import * as SeriesParams from "../model/SeriesParams.ts"
import type { Series, Time } from "../model/Store.ts"
import * as History from "../versions/History.ts"
import * as FolderVerify from "./FolderVerify.ts"
import * as Layout from "../ledger/Layout.ts"
import type * as Ledger from "../ledger/Ledger.ts"
import { histories } from "../ledger/Ledger.ts"
import * as ReadBack from "./ReadBack.ts"
import type * as Recovery from "./Recovery.ts"

/** The name of the history of a partition. */
export const nameOf = (partition: Layout.Partition): string =>
  `${Checksum.ofText(Layout.idOf(partition)).slice(0, 32)}.versions`

/** What a history is written with. */
export interface Place {
  readonly files: Files
  readonly paths: Recovery.Paths
  readonly series: Series
  readonly format: Format.Options
  readonly working: Ledger.Working
  readonly free: PartFile.FreeBlocks
}

/** The histories that a change wrote, and how late its newest records came. */
export interface Written {
  readonly histories: NonNullable<Ledger.Line["histories"]>
  readonly delay: number | undefined
  readonly first: number | undefined
}

/** Bytes of a history that is compressed as a whole with each change. */
const few = 65_536

/** Where no versions are kept. */
export const nothing: Written = { histories: [], delay: undefined, first: undefined }

const pick = (choose: (...values: ReadonlyArray<number>) => number, values: ReadonlyArray<number | undefined>) => {
  const known = values.filter((value) => value !== undefined)
  return known.length === 0 ? undefined : choose(...known)
}

/** What the ledger is told with a change. */
export const lineOf = (
  { delay, first, histories }: Written,
  looked: Ledger.Looked = {}
): Pick<Ledger.Line, "histories" | "looked"> => {
  const [longest, least] = [pick(Math.max, [looked.delay, delay]), pick(Math.min, [looked.first, first])]
  const isNews = longest !== looked.delay || least !== looked.first
  return {
    ...(histories.length === 0 ? {} : { histories }),
    ...(isNews && {
      looked: {
        ...looked,
        ...(longest === undefined ? {} : { delay: longest }),
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
export const make = ({ files, format, free, paths, series, working }: Place) => {
  const { bookkeeping, folder, parts } = paths
  const pathOf = (name: string) => files.join(bookkeeping, histories, name)
  const partOf = (name: string) => files.join(parts, name)

  /** The bytes of a history as it was written: another one would get a checksum that says so. */
  const expectWhole = Effect.fnUntraced(function* ({ path, sha256 }: Ledger.HistoryEntry) {
    const file = pathOf(path)
    if ((yield* FolderVerify.checksumOf(files, file)) === sha256) return file
    return yield* new BookkeepingDamaged({ folder, file, reason: FolderVerify.differs })
  })

  /** A history with more lines. Several files of gzip, one behind the other, are one. */
  const longer = Effect.fnUntraced(function* (before: Ledger.HistoryEntry | undefined, lines: Uint8Array) {
    if (before === undefined) return Stream.succeed(Zlib.gzipSync(lines))
    const opened = yield* files.openAt(yield* expectWhole(before))
    if (opened.size > few) return Stream.concat(ReadBack.piecesOf(opened), Stream.succeed(Zlib.gzipSync(lines)))
    const old = Zlib.gunzipSync(yield* opened.read(0, opened.size))
    return Stream.succeed(Zlib.gzipSync(Buffer.concat([old, lines])))
  })

  const append = Effect.fnUntraced(function* (partition: Layout.Partition, lines: ReadonlyArray<string>, part: string) {
    const { entity, period } = partition
    const path = nameOf(partition)
    const bytes = yield* longer(working.histories.get(path), new TextEncoder().encode(lines.join("")))
    const written = yield* PartFile.writePartial(files, partOf(part), bytes, () => {}, free, true)
    const names = { ...(entity === undefined ? {} : { entity }), ...(period === undefined ? {} : { period }) }
    return { path, ...names, ...written, part }
  }, Effect.scoped)

  /** When the run before had looked. */
  let before = working.looked?.tried ?? working.looked?.at

  /** Begins to record a change. */
  const begin = (definition: Definition, columns: ReadonlyArray<{ readonly name: string }>) => {
    const { endpoint } = series
    const comparing = History.comparing(
      series,
      format,
      columns.map(({ name }) => name)
    )
    const every = SeriesParams.everyOf(endpoint, definition.params)
    const metrics = SeriesParams.metricsOf(endpoint, definition)
    const [cursors, fresh] = [new Map(working.cursors), new Map(working.fresh)]
    const looked = before
    const cursorOf = (entity: string) => cursors.get(entity)
    const freshTo = (entity: string) => fresh.get(entity)
    const begun: Array<Begun> = []
    return {
      recording: (partition: Layout.Partition) => {
        const { entity } = partition
        const fields = { entity: series.entity, ...(entity === undefined ? {} : { fixed: entity }) }
        const recording = History.record({ fields, comparing, every, metrics, looked, cursorOf, freshTo })
        begun.push({ partition, recording })
        return recording
      },
      /** Writes what was recorded. Until the change takes effect nothing of it is there. */
      write: Effect.fnUntraced(function* (partName: () => string) {
        const clock = Moment.ofMillis(yield* Clock.currentTimeMillis)
        // A clock may have gone back since the run before.
        const now: Time = before !== undefined && before > clock ? Moment.next(before) : clock
        const found = begun.map(({ partition, recording }) => ({ partition, ...recording.end(now) }))
        // What is behind in periods that ended long ago tells nothing of how late a record comes.
        const newest = new Map<string, string>()
        for (const { partition } of found) {
          const { entity = "", period = "" } = partition
          if (period >= (newest.get(entity) ?? "")) newest.set(entity, period)
        }
        const isNewest = ({ entity = "", period = "" }: Layout.Partition) => newest.get(entity) === period
        const written: Array<Written["histories"][number]> = []
        const byPartition = Map.groupBy(found, ({ partition }) => Layout.idOf(partition))
        const writing = Effect.forEach(
          byPartition.values(),
          Effect.fnUntraced(function* (members) {
            const lines = members.flatMap(({ lines }) => lines)
            const [first] = members
            if (lines.length > 0 && first !== undefined) written.push(yield* append(first.partition, lines, partName()))
          }),
          { discard: true }
        )
        yield* Effect.onError(writing, () => discard({ ...nothing, histories: written }))
        const all: Written = {
          histories: written,
          delay: pick(
            Math.max,
            found.filter(({ partition }) => isNewest(partition)).map(({ delay }) => delay)
          ),
          first: pick(
            Math.min,
            found.map(({ first }) => first)
          )
        }
        return all
      })
    }
  }

  const discard = ({ histories }: Written) =>
    Effect.forEach(histories, ({ part }) => Effect.ignore(files.remove(partOf(part))), { discard: true })

  return {
    begin,
    discard,
    lookedAt: (at: Time | undefined) => {
      before = at
    },
    sync: ({ histories }: Written) =>
      Effect.forEach(histories, ({ part }) => files.sync(partOf(part)), { concurrency: 32, discard: true }),
    rename: ({ histories: written }: Written): Effect.Effect<void, FilesError> =>
      written.length === 0
        ? Effect.void
        : Effect.andThen(
            files.makeFolder(files.join(bookkeeping, histories)),
            Effect.forEach(written, ({ part, path }) => files.rename(partOf(part), pathOf(path)), { discard: true })
          )
  }
}

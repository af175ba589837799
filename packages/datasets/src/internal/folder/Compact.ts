/**
 * Brings the files of a folder into a layout of longer periods, which are fewer, without a request to the service.
 *
 * The ledger has the new layout first. Then each partition of it takes the place of those of shorter periods in one change: its files and
 * its history are written, and those of the others are removed. So a dataset is readable between any two changes, and who opens it
 * completes what was stopped, before anything else: only then do changes follow that are cut by the new layout.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Layout from "../ledger/Layout.ts"
import type * as Ledger from "../ledger/Ledger.ts"
import * as Past from "../ledger/Past.ts"
import type { StoreError } from "../model/DatasetError.ts"
import type { Compacting } from "../model/Event.ts"
import * as FolderRead from "./FolderRead.ts"
import * as Rewrite from "../rewrite/Rewrite.ts"
import * as Source from "../rewrite/Source.ts"

/** What is asked for. Without it, only what was stopped is completed. */
export interface Compaction {
  readonly layout: Layout.Layout
  readonly emit: (told: Omit<Compacting, "_tag" | "dataset">) => Effect.Effect<unknown>
}

/** A partition, and what becomes part of it. */
export interface Group {
  readonly layout: Layout.Layout
  readonly partition: Layout.Partition
  readonly files: Array<Ledger.FileEntry>
  readonly histories: Array<Past.HistoryEntry>
}

const idOf = ({ entity, period }: Ledger.FileEntry | Past.HistoryEntry) => Layout.idOf({ entity, period })

/** Partitions of a layout, and the files and histories of periods that are not longer. */
const groupsOf = ({ files, histories }: Ledger.Working, layout: Layout.Layout): ReadonlyArray<Group> => {
  const groups = new Map<string, Group>()
  const rank = Layout.periods.indexOf(layout.period)
  const groupOf = (one: Ledger.FileEntry | Past.HistoryEntry) => {
    if (Layout.periods.indexOf(Layout.periodOf(one)) > rank) return undefined
    const partition = Layout.partitionOf(layout, one.entity ?? "", one.period ?? "")
    const id = Layout.idOf(partition)
    const group = groups.get(id) ?? { layout, partition, files: [], histories: [] }
    groups.set(id, group)
    return group
  }
  for (const entry of [...files.values()].toSorted(FolderRead.inOrder)) groupOf(entry)?.files.push(entry)
  for (const entry of [...Past.byPartition(histories.values()).values()].flat()) {
    const group = groupOf(entry)
    // Those of the partition itself stay as they are.
    if (group !== undefined && idOf(entry) !== Layout.idOf(group.partition)) group.histories.push(entry)
  }
  return [...groups.values()]
}

/** Whether there is something of shorter periods, or, of what is asked for, more files than the layout needs. */
const isOpen = ({ files, histories, layout, partition }: Group, asked: Compaction | undefined): boolean =>
  histories.length > 0 ||
  files.some((entry) => idOf(entry) !== Layout.idOf(partition)) ||
  (asked !== undefined && files.length > Math.ceil(files.reduce((sum, { rows }) => sum + rows, 0) / layout.rows))

/**
 * The layouts by which a layout is reached. Files that entities share are merged, all those of a partition at once: by way of months and
 * years these are few.
 */
const stepsTo = (layout: Layout.Layout): ReadonlyArray<Layout.Layout> => {
  const end = Layout.periods.indexOf(layout.period)
  return layout.byEntity ? [layout] : Layout.periods.slice(0, end + 1).map((period) => ({ ...layout, period }))
}

/** Compacts what there is to compact. `replace` makes one change of a group, with more of its line, and tells how many files it wrote. */
export const run = Effect.fnUntraced(function* (
  working: Ledger.Working,
  asked: Compaction | undefined,
  replace: (group: Group, line: Partial<Ledger.Line>) => Effect.Effect<number, StoreError>
) {
  const { files, histories, layout } = working
  if (asked === undefined && Layout.hasOnePeriod(layout, [...files.values(), ...histories.values()])) return
  const nothing = { layout, partition: { entity: undefined, period: undefined }, files: [], histories: [] }
  const isOther = asked !== undefined && JSON.stringify(asked.layout) !== JSON.stringify(layout)
  if (isOther) yield* replace(nothing, { layout: asked.layout, isDone: true })
  const steps = stepsTo(working.layout)
  const openOf = (layout: Layout.Layout) =>
    groupsOf(working, layout).filter((group) => isOpen(group, layout === steps.at(-1) ? asked : undefined))
  const before = new Set(openOf(steps.at(-1) ?? layout).flatMap((group) => group.files.map(({ path }) => path)))
  const told = { files: before.size, compacted: 0, written: 0, records: 0 }
  for (const layout of steps) {
    for (const group of openOf(layout)) {
      told.written += yield* replace(group, { isDone: true })
      for (const { path, rows } of group.files) {
        const isFirst = before.delete(path)
        // What a step has written is no file of before.
        if (!isFirst) told.written -= 1
        told.compacted += isFirst ? 1 : 0
        told.records += isFirst ? rows : 0
      }
      yield* asked?.emit({ ...told }) ?? Effect.void
    }
  }
  // Whoever looks at the ledger need not look for files that are removed.
  if (told.files > 0) yield* replace(nothing, { isDone: true })
  else yield* asked?.emit(told) ?? Effect.void
})

/** Writes the files of a group. */
export const write = Effect.fnUntraced(function* (
  files: Rewrite.Files<StoreError>,
  { files: entries, partition }: Group,
  done: (written: Rewrite.Written) => void
) {
  const fields = FolderRead.fieldsOf(files, partition)
  const read = (some: ReadonlyArray<Ledger.FileEntry>) =>
    Source.make(Stream.flatMap(Stream.rechunk(Stream.fromIterable(some), 1), files.read), fields)
  const id = Layout.idOf(partition)
  // One after the other files of an entity are in order, but for what others may have begun of the partition itself; those of several
  // entities are so in each of their partitions.
  const chainOf = partition.entity === undefined ? idOf : (entry: Ledger.FileEntry) => String(idOf(entry) === id)
  const source = Source.merge(yield* Effect.forEach(Map.groupBy(entries, chainOf).values(), read), fields)
  const counts = { records: 0, replaced: 0 }
  for (let head = yield* source.head; head !== undefined; head = yield* source.head) {
    yield* Rewrite.writeNew(files, source, head.record, counts, done)
  }
  for (const { path } of entries) done({ _tag: "Emptied", path })
})

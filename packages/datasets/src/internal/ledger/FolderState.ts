/**
 * The files of a dataset's folder by partition, in the order of their records.
 */
import * as Ledger from "./Ledger.ts"
import * as Keys from "../model/Keys.ts"
import * as Layout from "./Layout.ts"
import * as Past from "./Past.ts"

/** What the folder has, as changes are added to it. */
export interface FolderState {
  readonly ledger: Ledger.Working
  /** Adds a change. */
  readonly add: (line: Ledger.Line) => void
  readonly filesOf: (partition: Layout.Partition) => ReadonlyArray<Ledger.FileEntry>
  readonly partitionsOf: (entity: string) => ReadonlyArray<Layout.Partition>
  /** The files of the history of a partition, in order. */
  readonly historiesOf: (partition: Layout.Partition) => ReadonlyArray<Past.HistoryEntry>
}

const partitionOf = ({ entity, period }: Ledger.FileEntry | Past.HistoryEntry): Layout.Partition => ({ entity, period })

/** Begins with what a ledger has. */
export const make = (ledger: Ledger.Working): FolderState => {
  const byPartition = new Map<string, ReadonlyArray<Ledger.FileEntry>>()
  /** By entity; under an empty name, those of files that entities share. */
  const byEntity = new Map<string, Map<string, Layout.Partition>>()
  const drop = (entry: Ledger.FileEntry) => {
    const partition = partitionOf(entry)
    const id = Layout.idOf(partition)
    const others = (byPartition.get(id) ?? []).filter(({ path }) => path !== entry.path)
    byPartition.set(id, others)
    if (others.length === 0) byEntity.get(partition.entity ?? "")?.delete(id)
  }
  const put = (entry: Ledger.FileEntry) => {
    const partition = partitionOf(entry)
    const id = Layout.idOf(partition)
    byPartition.set(
      id,
      [...(byPartition.get(id) ?? []), entry].toSorted((a, b) => Keys.compare(a.start, b.start))
    )
    const entity = partition.entity ?? ""
    const partitions = byEntity.get(entity) ?? new Map<string, Layout.Partition>()
    byEntity.set(entity, partitions.set(id, partition))
  }
  for (const entry of ledger.files.values()) put(entry)
  const histories = Past.byPartition(ledger.histories.values())
  /** Takes those of the partitions of a change as the ledger has them then. */
  const putHistories = ({ histories: written = [], merged = [] }: Ledger.Line) => {
    const gone = new Set(merged)
    for (const { part: _, ...entry } of written) {
      const id = Layout.idOf(partitionOf(entry))
      histories.set(id, [...(histories.get(id) ?? []).filter(({ path }) => !gone.has(path)), entry])
    }
  }
  return {
    ledger,
    add: (line) => {
      const replaced = [...line.deleted, ...line.files.map(({ path }) => path)]
      for (const path of replaced) {
        const entry = ledger.files.get(path)
        if (entry !== undefined) drop(entry)
      }
      Ledger.add(ledger, line)
      putHistories(line)
      for (const { path } of line.files) put(ledger.files.get(path)!)
    },
    filesOf: (partition) => byPartition.get(Layout.idOf(partition)) ?? [],
    historiesOf: (partition) => histories.get(Layout.idOf(partition)) ?? [],
    partitionsOf: (entity) => [...(byEntity.get(entity)?.values() ?? []), ...(byEntity.get("")?.values() ?? [])]
  }
}

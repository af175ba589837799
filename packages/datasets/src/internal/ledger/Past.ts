/**
 * What a ledger says of the past of a dataset that keeps versions: its histories, when runs have looked, and what they had not read then.
 */
import * as Schema from "effect/Schema"
import * as Checksum from "@sluice/files/internal/folder/Checksum"
import * as Range from "../model/Bounds.ts"
import * as Layout from "./Layout.ts"
import { Cursor, type Time } from "../model/Store.ts"

/** Schema of {@link HistoryEntry}. */
export const HistoryEntry = Schema.Struct({
  /** Below `versions` of the bookkeeping. */
  path: Schema.String.check(Schema.isPattern(/^[0-9a-f]{32}(?:-\d{1,9})?\.versions$/)),
  entity: Schema.optionalKey(Schema.String),
  period: Schema.optionalKey(Schema.String),
  bytes: Schema.Int,
  sha256: Schema.String
})
/** A file of the history of a partition: see `History.ts`. */
export interface HistoryEntry extends Schema.Schema.Type<typeof HistoryEntry> {}

/** The number of a file of a history: each is of later changes than those with lower ones. */
const numberOf = ({ path }: HistoryEntry): number => Number(/-(\d+)\./.exec(path)?.[1] ?? 0)

/** The name of the file that follows on those of a partition. No other ever had it. */
export const nextName = (partition: Layout.Partition, held: ReadonlyArray<HistoryEntry>): string => {
  const last = held.at(-1)
  return `${Checksum.ofText(Layout.idOf(partition)).slice(0, 32)}-${last === undefined ? 1 : numberOf(last) + 1}.versions`
}

/** The files of each partition, by its id, in order. */
export const byPartition = (entries: Iterable<HistoryEntry>): Map<string, ReadonlyArray<HistoryEntry>> => {
  const found = Map.groupBy(entries, ({ entity, period }) => Layout.idOf({ entity, period }))
  return new Map([...found].map(([id, own]) => [id, own.toSorted((a, b) => numberOf(a) - numberOf(b))]))
}

/** Bytes of files of a history that are merged whatever their number: the least that a file takes on a disk. */
const least = 4_096

/**
 * How many of the files of a partition stay when a change writes so many bytes more: the others become one file with what it writes. Each
 * that stays is longer than twice all behind it, so that there are few, and none is written often.
 */
export const staying = (held: ReadonlyArray<HistoryEntry>, more: number): number => {
  let [count, behind] = [held.length, more]
  for (
    let last = held.at(-1);
    last !== undefined && last.bytes <= Math.max(2 * behind, least);
    last = held[count - 1]
  ) {
    behind += last.bytes
    count -= 1
  }
  return count
}

/** The folder of histories, in the bookkeeping. */
export const histories = "versions"

/** Schema of {@link Looked}. */
export const Looked = Schema.Struct({
  /** Where the last complete run began: what came later was not there then. */
  at: Schema.optionalKey(Schema.String),
  /** When that run had ended, and all that it found was written. */
  ended: Schema.optionalKey(Schema.String),
  /** Where the last run began, whether it has ended or not. */
  tried: Schema.optionalKey(Schema.String),
  /** The longest time in milliseconds from the end of the newest record's interval until a run found it. */
  delay: Schema.optionalKey(Schema.Finite),
  /** The longest time from the end of a record's interval until a complete run did not find it, of those that came after it. */
  late: Schema.optionalKey(Schema.Finite),
  /** How many complete runs have told of such times. */
  told: Schema.optionalKey(Schema.Int),
  /** The shortest of those that the first load found: all that is known until a run finds more. */
  first: Schema.optionalKey(Schema.Finite)
})
/** When runs have looked, and how late records came, of a dataset that keeps versions. */
export interface Looked extends Schema.Schema.Type<typeof Looked> {}

/** When the last complete run ended: as of that moment there is what it found. */
export const syncedOf = ({ at, ended = at }: Looked = {}): Time | undefined => ended

/** Times of an entity; null where they have no beginning or no end. */
export type Bounds = NonNullable<Cursor["todo"]>[number]

const BoundsOf = Cursor.fields.todo

/** Schemas of a ledger that is written as a whole. */
export const fields = {
  histories: Schema.optionalKey(Schema.Array(HistoryEntry)),
  looked: Schema.optionalKey(Looked),
  /** As {@link Past} has them. */
  fresh: Schema.optionalKey(Schema.Array(Schema.Tuple([Schema.String, Schema.NullOr(Schema.String)]))),
  unread: Schema.optionalKey(Schema.Array(Schema.Struct({ entity: Schema.String, times: BoundsOf }))),
  had: Schema.optionalKey(Schema.Array(Schema.Tuple([Schema.String, Cursor.fields.columns])))
}

/** What a ledger says of the past, as changes are added to it. */
export interface Past {
  /** By path. */
  readonly histories: Map<string, HistoryEntry>
  looked: Looked | undefined
  /**
   * Entities that were added, or have begun earlier, since the last complete run, and until when what they have is fresh: null where all
   * is.
   */
  readonly fresh: Map<string, Time | null>
  /** What the last complete run left unread of entities, and what was in files that were lost since. */
  readonly unread: Map<string, ReadonlyArray<Bounds>>
  /** Metrics that entities had when the last complete run had looked, or before, where they got others since. */
  readonly had: Map<string, ReadonlyArray<string>>
}

/** The same of a ledger that does not change; absent where no versions are kept. */
export interface Held {
  readonly histories?: ReadonlyMap<string, HistoryEntry> | undefined
  readonly looked?: Looked | undefined
  readonly fresh?: ReadonlyMap<string, Time | null> | undefined
  readonly unread?: ReadonlyMap<string, ReadonlyArray<Bounds>> | undefined
  readonly had?: ReadonlyMap<string, ReadonlyArray<string>> | undefined
}

/** Begins with what is held. */
export const begin = ({ fresh, had, histories, looked, unread }: Held): Past => ({
  histories: new Map(histories),
  looked,
  fresh: new Map(fresh),
  unread: new Map(unread),
  had: new Map(had)
})

type Written = Schema.Struct.Type<typeof fields>

/** Begins with what was written. */
export const ofWritten = ({ fresh, had, histories = [], looked, unread = [] }: Written): Past => ({
  histories: new Map(histories.map((entry) => [entry.path, entry])),
  looked,
  fresh: new Map(fresh),
  unread: new Map(unread.map(({ entity, times = [] }) => [entity, times])),
  had: new Map(had)
})

/** What is written of it: nothing of what is empty. */
export const write = ({
  fresh = new Map(),
  had = new Map(),
  histories = new Map(),
  looked,
  unread = new Map()
}: Held): Written => ({
  ...(histories.size === 0 ? {} : { histories: [...histories.values()] }),
  ...(looked === undefined ? {} : { looked }),
  ...(fresh.size === 0 ? {} : { fresh: [...fresh] }),
  ...(unread.size === 0 ? {} : { unread: [...unread].map(([entity, times]) => ({ entity, times })) }),
  ...(had.size === 0 ? {} : { had: [...had] })
})

/** Notes what a cursor has that the one before had not. */
export const noteFresh = (
  { fresh, had }: Past,
  before: Cursor | undefined,
  { columns, entity, from }: Cursor
): void => {
  if (before !== undefined && !had.has(entity) && columns.some((name) => !before.columns.includes(name))) {
    had.set(entity, [...before.columns, ...(before.left ?? []).map(({ name }) => name)])
  }
  if (before === undefined) fresh.set(entity, null)
  else if (before.from !== null && (from === null || from < before.from) && fresh.get(entity) !== null) {
    const to = fresh.get(entity) ?? ""
    fresh.set(entity, to > before.from ? to : before.from)
  }
}

/** Notes that runs have looked. A complete one begins another past. */
export const noteLooked = (past: Past, cursors: ReadonlyMap<string, Cursor>, looked: Looked): void => {
  if (looked.at !== past.looked?.at) {
    past.fresh.clear()
    past.unread.clear()
    past.had.clear()
    for (const { entity, todo } of cursors.values()) if (todo !== undefined) past.unread.set(entity, todo)
  }
  past.looked = looked
}

/** Notes that times of an entity were lost. */
export const noteLost = ({ unread }: Past, entity: string, times: Bounds): void => {
  unread.set(entity, [...(unread.get(entity) ?? []), times])
}

/**
 * How far entities were when the last complete run had looked: a run that was killed since may have marked as unread what it was to read
 * again, and of these times all is held that was known before it.
 */
export const cursorsThen = (
  { fresh, unread }: Held,
  cursors: ReadonlyMap<string, Cursor>
): ReadonlyMap<string, Cursor> => {
  const then = (cursor: Cursor): Cursor => {
    const { entity, todo = [] } = cursor
    const freshTo = fresh?.get(entity)
    if (freshTo === null || todo.length === 0) return cursor
    const mayLack = [...(unread?.get(entity) ?? []), ...(freshTo === undefined ? [] : [{ from: null, to: freshTo }])]
    return { ...cursor, todo: todo.flatMap((one) => mayLack.flatMap((other) => Range.both(one, other))) }
  }
  return new Map([...cursors].map(([entity, cursor]) => [entity, then(cursor)]))
}

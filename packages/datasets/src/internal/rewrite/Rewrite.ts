/**
 * Applies a change to the files of a folder: the records of some spans are replaced, and each file that this concerns is written
 * anew beside the one it takes the place of.
 *
 * A record never moves from one file to another. A file has the records from its own start to that of the next file of its
 * partition, and only new records behind the last of a partition begin another file. So a reader of all files meets no record
 * twice and misses none that it met before, whichever of the files were replaced meanwhile.
 *
 * Records of one entity at one moment, such as trades, have no place of their own, so they stay together: a file may
 * have some more than its layout says.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Pull from "effect/Pull"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type * as Arr from "effect/Array"
import * as Carried from "../versions/Carried.ts"
import type * as History from "../versions/History.ts"
import type * as Ledger from "../ledger/Ledger.ts"
import * as Calendar from "../model/Calendar.ts"
import * as Keys from "../model/Keys.ts"
import * as Layout from "../ledger/Layout.ts"
import * as Source from "./Source.ts"
import type { Change, Span, Time } from "../model/Store.ts"

/** A file that has been written, or one that lost all its records. */
export type Written =
  | { readonly _tag: "File"; readonly entry: Ledger.FileEntry; readonly part: string }
  | { readonly _tag: "Emptied"; readonly path: string }

/** What a file holds, as its records pass by. */
export interface Content {
  rows: number
  /** The place of the first record. */
  start: Keys.Key | undefined
  first: Time
  last: Time
}

/** What the rewriting needs of its store. */
export interface Files<E> {
  readonly layout: Layout.Layout
  /** The field that names a record's entity. */
  readonly field: string
  /** Fields that a new record takes over from the one it replaces. */
  readonly carried: ReadonlyArray<string>
  /** The files of a partition, in order. */
  readonly filesOf: (partition: Layout.Partition) => ReadonlyArray<Ledger.FileEntry>
  /** Partitions with files of this entity; of all entities where files are shared. */
  readonly partitionsOf: (entity: string) => ReadonlyArray<Layout.Partition>
  /** The records of a file. */
  readonly read: (entry: Ledger.FileEntry) => Stream.Stream<unknown, E>
  /** Writes records to a part, and tells its name, its bytes and its checksum. */
  readonly write: <E2>(
    records: Stream.Stream<unknown, E2>
  ) => Effect.Effect<{ readonly part: string; readonly bytes: number; readonly sha256: string }, E | E2>
  /** The error of a record that has no place. */
  readonly refuse: (entity: string, time: Time, reason: string) => E
  /** Sees what becomes of the records of a partition; absent where versions are not kept. */
  readonly recording?: ((partition: Layout.Partition) => History.Recording) | undefined
  /** A path for a new file. */
  readonly pathFor: (partition: Layout.Partition, first: Time) => Effect.Effect<string, E>
}

/** An existing file that a change concerns, with the places between which its records are. */
interface Concerned {
  readonly entry: Ledger.FileEntry
  readonly partition: Layout.Partition
  readonly from: Keys.Key
  readonly to: Keys.Key
  readonly isLast: boolean
  /** The spans in its range. */
  readonly bounds: ReadonlyArray<Bounds>
}

/** A span as two places. Where the change ends before its span, that is known at the end of its records. */
interface Bounds {
  readonly from: Keys.Key
  to: Keys.Key
}

const boundsOf = ({ entity, from, to }: Span): Bounds => ({
  from: { entity, time: from ?? "" },
  to: { entity, time: to }
})

/** Counts of a change. */
export interface Counts {
  records: number
  replaced: number
}

/** What of a change its files follow from. */
type Asked<E> = Pick<Change, "spans" | "until"> & { readonly records: Stream.Stream<unknown, E> }

/** Writes the files of a change, and tells what to do with them when it takes effect. */
export const apply = Effect.fnUntraced(function* <E, E2>(
  files: Files<E>,
  { records, spans, until }: Asked<E2>,
  counts: Counts,
  done: (written: Written) => void
): Effect.fn.Return<void, E | E2, Scope.Scope> {
  const concerned = concernedBy(files, spans)
  const source = yield* Source.make(records, { entity: files.field })
  /** Shortens the only span to what the change has, behind its last record. */
  const shorten =
    until &&
    (yield* Effect.cached(
      Effect.map(until, (time) => {
        for (const { bounds } of time === undefined ? [] : concerned) {
          for (const span of bounds) span.to = { ...span.to, time }
        }
        return time
      })
    ))
  let at = 0
  for (;;) {
    const head = yield* source.head
    const next = concerned[at]
    if (head === undefined && next === undefined) return
    const end = head === undefined ? yield* shorten ?? Effect.undefined : undefined
    if (end !== undefined && next !== undefined && (next.from.time ?? "") >= end) return
    const isBehind = next === undefined || (head !== undefined && Keys.isBefore(source.fields, head.record, next.from))
    if (isBehind && head !== undefined) {
      yield* writeNew(files, source, head.record, counts, done)
    } else if (next !== undefined) {
      yield* rewrite(files, next, source, shorten, counts, done)
      at++
    }
  }
})

/** Existing files in whose range a span lies, in the order of their records. */
const concernedBy = <E>(files: Files<E>, spans: ReadonlyArray<Span>) => {
  const found = new Map<string, Layout.Partition>()
  const ofEntity = new Map<string, Array<Bounds>>()
  for (const span of spans) {
    const { entity } = span
    for (const partition of files.partitionsOf(entity)) found.set(Layout.idOf(partition), partition)
    const others = ofEntity.get(entity)
    if (others === undefined) ofEntity.set(entity, [boundsOf(span)])
    else others.push(boundsOf(span))
  }
  const all = spans.map(boundsOf)
  return [...found.values()]
    .flatMap((partition): ReadonlyArray<Concerned> => {
      const { entity } = partition
      const bounds = (entity === undefined ? all : (ofEntity.get(entity) ?? [])).filter(isIn(partition))
      const entries = files.filesOf(partition)
      return entries.flatMap((entry, index) => {
        const from = index === 0 ? Layout.startOf(partition) : entry.start
        // What comes behind a full one is for another file, so that it is not written anew for that.
        const isFull = entity !== undefined && entry.rows >= files.layout.rows
        const next = entries[index + 1]?.start
        const to = next ?? (isFull ? Keys.behind({ entity, time: entry.last }) : Layout.endOf(partition))
        const own = bounds.filter((span) => Keys.compare(span.from, to) < 0 && Keys.compare(from, span.to) < 0)
        return own.length === 0
          ? []
          : [{ entry, partition, from, to, isLast: next === undefined && !isFull, bounds: own }]
      })
    })
    .toSorted((a, b) => Keys.compare(a.from, b.from))
}

/** Whether a span has times of a partition. */
const isIn =
  ({ period }: Layout.Partition) =>
  ({ from, to }: Bounds): boolean =>
    period === undefined ||
    ((from.time ?? "") < Calendar.endOf(period) && (to.time === undefined || to.time > Calendar.startOf(period)))

/** Writes the records of a partition that has no file yet, or of its files from here on. */
export const writeNew = Effect.fnUntraced(function* <E, E2>(
  files: Files<E>,
  source: Source.Source<E2>,
  first: unknown,
  counts: Counts,
  done: (written: Written) => void
) {
  const start = Keys.keyOf(source.fields, first)
  const partition = Layout.partitionOf(files.layout, start.entity, start.time ?? "")
  const end = Layout.endOf(partition)
  const room = roomOf(files.layout.rows)
  const recording = files.recording?.(partition)
  const next = Effect.map(source.head, (head) => {
    if (head === undefined || !Keys.isBefore(source.fields, head.record, end)) return []
    const taken = takeInto(room, source, head.record, end)
    counts.records += taken.length
    recording?.fresh(taken)
    return taken
  })
  const path = yield* files.pathFor(partition, start.time ?? "")
  const written = yield* writeFile(files, fieldsOf(files, partition), path, partition, start, next)
  done(written)
  // Nothing would be taken the next time either.
  if (written.entry.rows === 0) {
    return yield* Effect.fail(files.refuse(start.entity, start.time ?? "", "belongs to no file"))
  }
})

/** How many more records a file takes. */
interface Room {
  rows: number
  /** Behind the last record that belongs to it whatever its number. */
  to: Keys.Key | undefined
}

const roomOf = (rows: number): Room => ({ rows, to: undefined })

/** Takes of the next records, the first of which is `head`, those for which a file has room; none where it is full. */
const takeInto = <E>(room: Room, source: Source.Source<E>, head: unknown, end: Keys.Key): ReadonlyArray<unknown> => {
  const { fields } = source
  const isOwn = room.to !== undefined && Keys.isBefore(fields, head, room.to)
  if (room.rows <= 0 && !isOwn) return []
  const to = isOwn && room.to !== undefined && Keys.compare(room.to, end) < 0 ? room.to : end
  const taken = source.take(to, isOwn ? Infinity : room.rows)
  room.rows -= taken.length
  // An array may end between records of a moment.
  if (!isOwn && room.rows <= 0) room.to = Keys.behind(Keys.keyOf(fields, taken[taken.length - 1]))
  return taken
}

/** How records of a partition are found: those of one entity need not say of which. */
const fieldsOf = <E>({ field }: Files<E>, { entity }: Layout.Partition): Keys.Fields => ({
  entity: field,
  ...(entity === undefined ? {} : { fixed: entity })
})

/** Writes a file of what `next` gives, until it gives nothing. */
const writeFile = Effect.fnUntraced(function* <E, E2>(
  files: Files<E>,
  fields: Keys.Fields,
  path: string,
  partition: Layout.Partition,
  start: Keys.Key,
  next: Effect.Effect<ReadonlyArray<unknown>, E2>
) {
  const content: Content = { rows: 0, start: undefined, first: "", last: "" }
  const written = yield* files.write(streamOf(next, fields, content))
  const { entity, period } = partition
  // The first file of a partition may get records from before its start.
  const begin = content.start !== undefined && Keys.compare(content.start, start) < 0 ? content.start : start
  const entry: Ledger.FileEntry = {
    path,
    ...(entity === undefined ? {} : { entity }),
    ...(period === undefined ? {} : { period }),
    start: { entity: begin.entity, time: begin.time ?? "" },
    rows: content.rows,
    first: content.first,
    last: content.last,
    bytes: written.bytes,
    sha256: written.sha256
  }
  return { _tag: "File" as const, entry, part: written.part } satisfies Written
})

/** A stream of what `next` gives, whose records are counted. */
const streamOf = <E>(
  next: Effect.Effect<ReadonlyArray<unknown>, E>,
  fields: Keys.Fields,
  content: Content
): Stream.Stream<unknown, E> => {
  const isShared = fields.fixed === undefined
  const see = (records: ReadonlyArray<unknown>) => {
    content.start ??= Keys.keyOf(fields, records[0])
    content.rows += records.length
    // Where entities share a file, an array may begin with the last records of one and end with the first of another.
    const ends = isShared ? Keys.ends(fields, records) : [records[0], records[records.length - 1]]
    for (const record of ends) {
      const time = Keys.timeOf(record)
      if (content.first === "" || time < content.first) content.first = time
      if (time > content.last) content.last = time
    }
  }
  const pull: Pull.Pull<Arr.NonEmptyReadonlyArray<unknown>, E> = Effect.flatMap(next, (records) => {
    const [first] = records
    if (records.length === 0 || first === undefined) return Cause.done()
    see(records)
    // Type boundary: it has a first record.
    return Effect.succeed(records as Arr.NonEmptyReadonlyArray<unknown>)
  })
  return Stream.fromPull(Effect.succeed(pull))
}

/** Writes a file anew: without the records in the spans, and with the new ones. */
const rewrite = Effect.fnUntraced(function* <E, E2>(
  files: Files<E>,
  { bounds, entry, isLast, partition, to }: Concerned,
  source: Source.Source<E2>,
  shorten: Effect.Effect<unknown> | undefined,
  counts: Counts,
  done: (written: Written) => void
) {
  const { entity } = partition
  const fields = fieldsOf(files, partition)
  const isWithin = (record: unknown) => Keys.isBefore(source.fields, record, to)
  const begin = yield* source.head
  const isUntouched =
    entity !== undefined &&
    !(begin !== undefined && isWithin(begin.record)) &&
    bounds.every(
      (span) => (span.from.time ?? "") > entry.last || (span.to.time !== undefined && span.to.time <= entry.first)
    )
  if (isUntouched) return
  const room = roomOf(isLast ? files.layout.rows : Infinity)
  const recording = files.recording?.(partition)
  const merged = Effect.gen(function* () {
    const old = yield* Source.make(files.read(entry), fields)
    const carried = Carried.make(fields, files.carried)
    let at = 0
    // Where they are compared, old records are taken with the new ones of their times, so that few are held at once; and where it is not
    // known yet how many are replaced.
    const isTogether = (recording ?? shorten) !== undefined && entity !== undefined
    // What stands before its last record belongs to it, whether there is room or not.
    if (isLast && isTogether) room.to = Keys.behind({ entity, time: entry.last })
    const takeOld = (before: Keys.Key, likely?: number) => {
      const taken = old.take(before, Infinity, likely)
      if (isLast && !isTogether) room.to = Keys.behind(Keys.keyOf(fields, taken[taken.length - 1]))
      return taken
    }
    /** Takes old records that are replaced, up to a place. */
    const replace = Effect.fnUntraced(function* (before: Keys.Key, likely?: number) {
      for (let left = likely; ;) {
        const head = yield* old.head
        if (head === undefined || !Keys.isBefore(fields, head.record, before)) return
        const replaced = takeOld(before, left)
        left = left && left - replaced.length
        counts.replaced += replaced.length
        carried.note(replaced)
        recording?.replaced(replaced)
      }
    })
    /** The next records of the file. Behind those it had, as many as there is room for. */
    const next: Effect.Effect<ReadonlyArray<unknown>, E | E2> = Effect.gen(function* () {
      for (;;) {
        const span = bounds[at]
        const kept = yield* old.head
        const isKept = kept !== undefined && (span === undefined || Keys.isBefore(fields, kept.record, span.from))
        if (isKept) {
          const taken = takeOld(span?.from ?? to)
          recording?.skip()
          room.rows -= taken.length
          return taken
        }
        if (span === undefined) return []
        const isOld = kept !== undefined && Keys.isBefore(fields, kept.record, span.to)
        if (isOld && !isTogether) {
          yield* replace(span.to)
          continue
        }
        const end = Keys.compare(span.to, to) < 0 ? span.to : to
        const head = yield* source.head
        if (head !== undefined && Keys.isBefore(source.fields, head.record, end)) {
          const taken = takeInto(kept === undefined || isTogether ? room : roomOf(Infinity), source, head.record, end)
          if (taken.length > 0 || !isOld) {
            if (kept !== undefined && !isTogether) room.rows -= taken.length
            counts.records += taken.length
            if (isTogether && taken.length > 0) {
              const behind = Keys.behind(Keys.keyOf(fields, taken[taken.length - 1]))
              yield* replace(Keys.compare(behind, span.to) < 0 ? behind : span.to, taken.length)
            }
            const fresh = carried.onto(taken)
            recording?.fresh(fresh)
            return fresh
          }
        }
        if (isOld) {
          if (head === undefined) yield* shorten ?? Effect.void
          yield* replace(span.to)
          if (Keys.isBefore(fields, kept.record, span.to)) continue
        }
        const rest = carried.rest()
        if (rest.length > 0) {
          recording?.fresh(rest)
          room.rows -= rest.length
          return rest
        }
        at++
      }
    })
    return yield* writeFile(files, fields, entry.path, partition, entry.start, next)
  })
  const written = yield* Effect.scoped(merged)
  if (written.entry.rows === 0) done({ _tag: "Emptied", path: entry.path })
  else done(written)
})

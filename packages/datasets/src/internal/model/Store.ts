/**
 * Where a dataset is kept: the interface between the engine, which decides what to ask the service, and a folder or a database,
 * which holds the records.
 *
 * A store knows nothing of requests. It replaces the records of some spans by others, all or nothing, and keeps the cursors of
 * their entities with them, so that a run that was killed at any moment is continued by the next without loss and without
 * repeats.
 */
import type { ApiError } from "@sluice/core/ApiError"
import type { AnyColumn } from "@sluice/core/Columns"
import type * as Endpoint from "@sluice/core/Endpoint"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { Definition } from "./Definition.ts"
import type { StoreError, UnexpectedRecord } from "./DatasetError.ts"
import type { Verifying } from "./Event.ts"

/** A length of the calendar, in UTC. */
export const Period = Schema.Literals(["day", "month", "year"])
export type Period = typeof Period.Type

/** A time as the service writes it, with nine fractional digits: such texts sort as their moments. */
export type Time = string

/** The records of one entity from one time to another. */
export interface Span {
  /** The entity. */
  readonly entity: string
  /** The first time in it; absent where it begins with the series. */
  readonly from: Time | undefined
  /** The first time after it; absent where it has no end. */
  readonly to: Time | undefined
}

/** Times between two records at which a series of a frequency should have others. */
export const Hole = Schema.Struct({
  /** The first time that is missing. */
  from: Schema.String,
  /** The first time after it that is there. */
  to: Schema.String,
  /** How often it was asked for in vain. */
  tries: Schema.Int,
  /** When it was asked for the last time, in milliseconds since 1970. */
  asked: Schema.Finite
})
export type Hole = typeof Hole.Type

const Bounds = Schema.Struct({ from: Schema.NullOr(Schema.String), to: Schema.NullOr(Schema.String) })

/**
 * How far an entity is. A store keeps it with the records, as JSON, and reads nothing of it but `entity`.
 */
export const Cursor = Schema.Struct({
  entity: Schema.String,
  /** Where the entity was asked for from; null from the beginning of its series. */
  from: Schema.NullOr(Schema.String),
  /** Time of the first record, as far as is known. */
  first: Schema.optionalKey(Schema.String),
  /** Time of the last record; null where there is none. */
  last: Schema.NullOr(Schema.String),
  /** The metrics it has; empty where the endpoint has none to choose. */
  columns: Schema.Array(Schema.String),
  /**
   * What was not read yet: of an entity that is read in several parts, of a long reply that is kept change by change, and what was
   * in files that are missing.
   */
  todo: Schema.optionalKey(Schema.Array(Bounds)),
  /**
   * Of a cache, what was read when it could still be revised or added to, and when that was, in milliseconds since 1970. Absent where runs
   * read all up to now.
   */
  provisional: Schema.optionalKey(Schema.Array(Schema.Struct({ ...Bounds.fields, looked: Schema.Finite }))),
  /** Records a day, as far as is known. */
  pace: Schema.optionalKey(Schema.Finite),
  /** Time of the earliest record that the service may still revise, where one is before the look-back. */
  open: Schema.optionalKey(Schema.String),
  /** What is missing, before the look-back. */
  holes: Schema.optionalKey(Schema.Array(Hole)),
  /** What the last run read again: from when, and a checksum of it. The same again is no news. */
  seen: Schema.optionalKey(Schema.Struct({ from: Schema.String, digest: Schema.String })),
  /** When the entity was found gone from the service or from the definition, in milliseconds since 1970. */
  gone: Schema.optionalKey(Schema.Finite),
  /** Of metrics that are no longer asked for, from where to which record they were read, and what of it was not or is lost. */
  left: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        name: Schema.String,
        from: Schema.NullOr(Schema.String),
        last: Schema.NullOr(Schema.String),
        todo: Schema.optionalKey(Schema.Array(Bounds))
      })
    )
  )
})
export type Cursor = typeof Cursor.Type

/**
 * A change of a dataset.
 *
 * **Details**
 *
 * The records are all that is held of the spans afterwards: what was there before is removed, whether the service still has it
 * or not, but for values of metrics that are no longer asked for (`retired` of the definition): these stay, in the new record of their
 * time or by themselves. Where metrics were added, the engine asks for the whole of an entity again.
 *
 * Spans are sorted by entity (by code units, as `Array.sort` does) and then by time, do not overlap, and those of a change that
 * runs at the same time are of other partitions (see {@link Cut}). Records are sorted by entity, then by time, and belong to one
 * of the spans. Arrays of the stream may be lazy: each is valid until the next is pulled.
 */
export interface Change {
  /** What the records replace. */
  readonly spans: ReadonlyArray<Span>
  /**
   * Where the only span of the change ends, if before its own end: it is known after the last record alone. Only for stores whose
   * {@link Cut} has `rows`.
   */
  readonly until?: Effect.Effect<Time | undefined> | undefined
  /** The records of the spans. */
  readonly records: Stream.Stream<unknown, ApiError | UnexpectedRecord>
  /**
   * The cursors to keep with the records, by the entity. To be asked for once, after the last record, and in one step
   * with the moment in which the change takes effect: no other change may ask for its cursors in between, because two
   * changes of one entity may run at the same time, and each cursor counts in those that were asked for before.
   */
  readonly cursors: Effect.Effect<ReadonlyArray<Cursor>>
  /** Whether values of metrics that are no longer asked for are removed too: the entity is. */
  readonly removes?: boolean | undefined
  /** Entities whose cursors are removed with the change. */
  readonly forget: ReadonlyArray<string>
}

/** What a change did. */
export interface Applied {
  /** Records of the stream. */
  readonly records: number
  /** Records that were held in the spans before. */
  readonly replaced: number
  /** Those of them that came with other values, where versions are kept; absent where none did. */
  readonly revised?: number
  /** Names of what was written and of what was removed: files below the folder. Empty for a database. */
  readonly written: ReadonlyArray<string>
  /** Names of what was removed. */
  readonly deleted: ReadonlyArray<string>
}

/** How the engine has to cut a run into changes, so that two at the same time never write the same. */
export interface Cut {
  /** Whether each entity is kept apart from the others. Otherwise a change has all entities of a period. */
  readonly byEntity: boolean
  /** Into what the time of an entity is cut; absent where it is not. */
  readonly period: Period | undefined
  /** After how many records of an entity a change ends though the request goes on; absent where none does. */
  readonly rows?: number | undefined
}

/** What tells the records of a series apart. */
export interface Series {
  /** The endpoint that has it. */
  readonly endpoint: Endpoint.Any
  /** The field that names a record's entity, such as `asset`. */
  readonly entity: string
  /** The field of its time. */
  readonly time: "time"
  /**
   * Fields that tell records of one entity and time apart; absent where there is one record at a time, empty where only all
   * fields together do.
   */
  readonly identity: ReadonlyArray<string> | undefined
}

/** What a store needs to begin. */
export interface Setup {
  /** What the dataset is made of. */
  readonly definition: Definition
  /** The series that it keeps. */
  readonly series: Series
}

/** What is kept of a dataset, apart from its records. */
export interface Kept {
  /** What the dataset was made of. */
  readonly definition: Definition
  /** By entity. */
  readonly cursors: ReadonlyMap<string, Cursor>
  /** When the last run that ended without a failure began, in milliseconds since 1970, where the store keeps that. */
  readonly begun?: number | undefined
  /** When that run ended, where the store keeps it. */
  readonly synced?: Time | undefined
}

/** What a run would begin with. */
export interface Foreseen {
  /** As if what is missing had never been read. */
  readonly kept: Kept
  /** Files that somebody else has moved away or removed. */
  readonly missing: ReadonlyArray<string>
  /** Whether files of shorter periods are left by a compaction that was stopped, which the next run completes. */
  readonly isCompacting?: boolean
}

/** The records held of an entity. */
export interface Held {
  /** The entity. */
  readonly entity: string
  /** The number of its records. */
  readonly rows: number
  /** Time of its first and last record. */
  readonly first: Time
  /** Time of its last record. */
  readonly last: Time
}

/** Records that are read from a dataset. */
export interface HeldRange {
  /** In ascending order. */
  readonly entities: ReadonlyArray<string>
  /** The first time; absent from the beginning of the series. */
  readonly from: Time | undefined
  /** The first time behind it; absent where it has no end. */
  readonly to: Time | undefined
  /** The metrics; empty where the endpoint has none to choose. */
  readonly metrics: ReadonlyArray<string>
  /** Metrics that are held, and not asked for. */
  readonly others: ReadonlyArray<string>
}

/** Records of a range, as the service would send them, as far as their format keeps that. */
export type HeldRecords = Stream.Stream<unknown, StoreError>

/** Columns that are read from a dataset. */
export interface HeldColumns {
  /** The parameters of the read. */
  readonly params: Schema.JsonObject
  /** The columns that are read, in the order in which they are given. */
  readonly names: ReadonlyArray<string>
  /** Those that need all digits of the service. */
  readonly exact: ReadonlyArray<string>
}

/** Rows of a range that were read together, of which those from one index to another are given. Valid until the next are pulled. */
export type HeldRows =
  | {
      readonly _tag: "Records"
      readonly records: ReadonlyArray<unknown>
      readonly from: number
      readonly to: number
    }
  | {
      readonly _tag: "Columns"
      /** The column of a name; nothing where all its values are absent. */
      readonly column: (name: string) => AnyColumn | undefined
      readonly from: number
      readonly to: number
    }

/** What reads columns of a range, without making records where the format has columns too. */
export interface HeldColumnReader {
  /** Fails with `BadFormat` where the format does not keep one of the columns, or not all digits of one that needs them. */
  readonly check: (series: Series, columns: HeldColumns) => Effect.Effect<void, StoreError>
  /** Reads the rows that {@link HeldReader.read} gives as records, in the same order. */
  readonly read: (series: Series, range: HeldRange, columns: HeldColumns) => Stream.Stream<HeldRows, StoreError>
}

/** What is kept at one moment, and what reads records of it. */
export interface HeldReader {
  /** What is kept of the dataset. */
  readonly kept: Kept
  /** Reads a range, in the order of the series. */
  readonly read: (series: Series, range: HeldRange) => HeldRecords
  /** Absent where columns are made of records. */
  readonly columns?: HeldColumnReader | undefined
  /** Absent where no versions are kept. */
  readonly past?: HeldPast | undefined
}

/** What reads what a dataset held before. */
export interface HeldPast {
  /** When the last complete run ended; absent before the first. */
  readonly looked: Time | undefined
  /** What was kept then. */
  readonly kept: Kept
  /** Reads a range as it was at a moment. */
  readonly read: (series: Series, range: HeldRange, asOf: Time) => HeldRecords
  /** Reads what changed of a range, in the order of the series, and of one record in the order of time. */
  readonly revisions: (series: Series, range: HeldRange) => Stream.Stream<Revised, StoreError>
}

/** A change of a record. */
export interface Revised {
  /** The entity of the record. */
  readonly entity: string
  /** The time of the record. */
  readonly time: Time
  /** When it was knowable. */
  readonly at: Time
  /** Absent where the record came late, or again. */
  readonly before: unknown
  /** Absent where the service took the record back. */
  readonly after: unknown
}

/** A dataset that this process has taken: no other changes it until the scope closes. */
export interface OpenStore {
  /** What was kept when the store was opened, after a change that a kill had left half done was completed or undone. */
  readonly kept: Kept
  /**
   * Applies a change, all or nothing. After a failure or an interruption nothing of it is held. Several may run at the same
   * time.
   */
  readonly apply: (change: Change) => Effect.Effect<Applied, ApiError | StoreError>
  /**
   * Keeps a definition that holds more than the one before, before any record of it comes. Where it has more columns, records
   * held have none of them until a change replaces them.
   */
  readonly define: (definition: Definition) => Effect.Effect<void, StoreError>
  /**
   * Notes that a run begins to look then, and later that it has looked at all entities and failed with none. What comes in a run was not
   * there when the one before looked, whether that has ended or not. Absent where versions are not kept.
   */
  readonly looks?:
    | {
        /** A run begins to look. */
        readonly begin: (at: Time) => Effect.Effect<void, StoreError>
        /** It has looked, at all entities and without a failure where it is whole. */
        readonly end: (at: Time, isWhole: boolean) => Effect.Effect<void, StoreError>
      }
    | undefined
  /**
   * To be done when a run has applied what there was: what others read is brought up to date. `begun` says when the run began, where
   * it has read all.
   */
  readonly settle?: ((begun: number | undefined) => Effect.Effect<void, StoreError>) | undefined
  /** Fails when another process has taken the dataset, and never ends otherwise. */
  readonly lost: Effect.Effect<never, StoreError>
}

/** A place for one dataset. */
export interface Store {
  /** The folder or table, as messages name it. */
  readonly name: string
  /** How changes are cut for this store. */
  readonly cut: Cut
  /** Whether it can keep what was replaced. */
  readonly keepsVersions?: boolean | undefined
  /** What is kept, without taking or changing anything; nothing where there is no dataset. */
  readonly look: Effect.Effect<Kept | undefined, StoreError>
  /**
   * What a run would begin with, without taking or changing anything; nothing where there is no dataset. Absent where
   * that is what {@link Store.look} tells. Fails as a run would, where a file was changed.
   */
  readonly foresee?: Effect.Effect<Foreseen | undefined, StoreError> | undefined
  /**
   * Takes the dataset until the scope closes, and creates it where there is none. Fails where another process has taken it, and
   * where another dataset is there. A change that a kill left half done is completed or undone before.
   */
  readonly open: (setup: Setup) => Effect.Effect<OpenStore, StoreError, Scope.Scope>
  /**
   * What is kept, and what reads records of that moment back, in the order of the series; nothing where there is no dataset. Absent of
   * places that others read better. Takes nothing, and may go on while a run changes the dataset.
   */
  readonly reader?: Effect.Effect<HeldReader | undefined, StoreError> | undefined
  /** The records held, by entity, in order. Takes nothing. */
  readonly held: Effect.Effect<ReadonlyArray<Held>, StoreError>
  /**
   * Proves that what is kept is what was written: checksums, order, no repeats, and the number of records. Takes and changes
   * nothing, and emits events now and then.
   */
  readonly verify: (
    series: Series,
    emit: (event: Verifying) => Effect.Effect<unknown>
  ) => Effect.Effect<void, StoreError>
}

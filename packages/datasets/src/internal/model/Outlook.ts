/**
 * What a dataset holds, and what a run of it would do.
 */
import type { Definition } from "./Definition.ts"
import type { Held, Span, Time } from "./Store.ts"

/** A request that a run would send, and what it would replace. */
export interface Request {
  /** Why: `new` records after the last one, `earlier` ones, a `hole`, `columns` that were added, or to see whether there is news. */
  readonly reason: "new" | "earlier" | "hole" | "columns" | "probe"
  /** The entities that are asked for. */
  readonly entities: ReadonlyArray<string>
  /** The first time that is asked for; absent from the beginning of the series. */
  readonly from: string | undefined
  /** The first time that is not asked for any more; absent where the request has no end. */
  readonly to: string | undefined
}

/** What a run would do. */
export interface Plan {
  /** Whether there is no dataset yet. */
  readonly isNew: boolean
  /** Files of a folder that were moved away or removed, whose times are asked for again. */
  readonly missing: ReadonlyArray<string>
  /** Whether it would first complete a compaction that was stopped and has left files of shorter periods. */
  readonly isCompacting: boolean
  /** Entities that the dataset has or will have. */
  readonly entities: ReadonlyArray<string>
  /** Entities that are new to the dataset. */
  readonly added: ReadonlyArray<string>
  /** Entities that the service no longer has. */
  readonly gone: ReadonlyArray<string>
  /** Entities that the definition no longer has; their records stay. */
  readonly dropped: ReadonlyArray<string>
  /** Metrics that are new to the dataset. */
  readonly columns: ReadonlyArray<string>
  /** The requests that a run would send. */
  readonly requests: ReadonlyArray<Request>
}

/** What a dataset holds. */
export interface Status {
  /** What the dataset was made of. */
  readonly definition: Definition
  /** What is held of each entity. */
  readonly entities: ReadonlyArray<Held>
  /** Entities, and wildcards without any, of which a part or all was not read yet, such as by a first run that was stopped. */
  readonly unread: ReadonlyArray<string>
  /** Entities that the service or the definition no longer has. */
  readonly gone: ReadonlyArray<string>
  /** How many times or ranges of times are missing between records that are there. */
  readonly holes: number
  /** The times that are missing, of each entity: those holes, what was not read yet, and what was in missing files. */
  readonly lacking: ReadonlyArray<Span>
  /** Files of a folder that were moved away or removed. */
  readonly missing: ReadonlyArray<string>
  /** Whether files of shorter periods are left by a compaction that was stopped, which the next run completes. */
  readonly isCompacting: boolean
  /**
   * When the last complete sync ended: the latest moment as of which a read knows all without the service. Absent before the first, and of
   * tables, which do not keep it.
   */
  readonly synced: Time | undefined
}

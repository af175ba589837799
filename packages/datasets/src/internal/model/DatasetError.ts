/**
 * Every error of a dataset, as one closed union.
 */
import { ApiError, InvalidRequest } from "@sluice/core/ApiError"
import { BadSplit } from "@sluice/core/Bulk"
import * as Schema from "effect/Schema"
import {
  BookkeepingDamaged,
  FileChanged,
  FileFailed,
  FolderInUse,
  FolderLost,
  FolderOccupied,
  UnexpectedEntry
} from "@sluice/files/internal/folder/FolderError"
import { Difference, sayValues } from "@sluice/files/internal/folder/Differing"
import { BadFormat, Unwritable } from "@sluice/core/internal/columns/FormatError"

const place = {
  /** The folder or table. */
  dataset: Schema.String
}

/** A definition from which no dataset can be made, or options by which none can be read or audited. Nothing was sent. */
export class BadDefinition extends Schema.TaggedError<BadDefinition>()("BadDefinition", {
  /** Path of the endpoint; empty where the job names none. */
  endpoint: Schema.String,
  /** The parameter or setting that prevents it, such as `metrics` or `layout.period`. */
  setting: Schema.String,
  /** `missing`: it has to be given; `reading`: of a read or an audit. Absent where what is given for a dataset does not fit. */
  kind: Schema.optional(Schema.Literals(["missing", "reading"])),
  reason: Schema.String
}) {
  override get message() {
    const what = this.kind === "reading" ? "" : "no dataset can be made: "
    return `${this.endpoint === "" ? "" : `${this.endpoint}: `}${what}"${this.setting}" ${this.reason}`
  }
}

/** The folder or table has a dataset of another definition. Nothing was sent, and nothing was touched. */
export class OtherDefinition extends Schema.TaggedError<OtherDefinition>()("OtherDefinition", {
  ...place,
  /** Settings that differ, such as `params.frequency` or `layout.period`. */
  differs: Schema.Array(Schema.String),
  /** What they are in the dataset and in the job, as text. Of entities and metrics `missing` says it. */
  values: Schema.optional(Schema.Array(Difference)),
  /** Entities or metrics of the dataset, where the job names none of them. */
  missing: Schema.optional(Schema.Array(Schema.String))
}) {
  override get message() {
    const { missing = [], values } = this
    const more = missing.length > 5 ? ` and ${missing.length - 5} more` : ""
    const lost = missing.length === 0 ? "" : `; missing: ${missing.slice(0, 5).join(", ")}${more}`
    return `${this.dataset} has a dataset that differs in ${this.differs.join(", ")}; a dataset can grow by entities, metrics and an earlier start, and drop entities and metrics as long as one stays, so choose another place, or the same settings${lost}${sayValues(values)}`
  }
}

/** There is no dataset. */
export class NoDataset extends Schema.TaggedError<NoDataset>()("NoDataset", {
  ...place,
  /** What is there: no folder, a download, or a cache. Absent of a folder with none of them, and of other places. */
  found: Schema.optional(Schema.Literals(["nothing", "download", "cache"])),
  /** Of a cache the folders of its calls, each a dataset. */
  folders: Schema.optional(Schema.Array(Schema.String)),
  /** `reading`: of a read. Absent of a job that names only a place. */
  kind: Schema.optional(Schema.Literal("reading"))
}) {
  override get message() {
    if (this.found === "nothing") return `the folder ${this.dataset} does not exist, so no dataset is there`
    if (this.found === "download") return `${this.dataset} holds a download and not a dataset`
    if (this.found === "cache")
      return `${this.dataset} is a cache; each of its folders is a dataset: ${this.folders?.join(", ")}`
    if (this.kind === "reading") return `there is no dataset in ${this.dataset}`
    return `${this.dataset} has no dataset; name the endpoint and its parameters to begin one`
  }
}

/** A newer version of Sluice has written the dataset. Nothing was touched. */
export class NewerVersion extends Schema.TaggedError<NewerVersion>()("NewerVersion", {
  ...place,
  /** The version of its bookkeeping. */
  found: Schema.Finite,
  /** The latest version that this Sluice knows. */
  known: Schema.Finite
}) {
  override get message() {
    return `${this.dataset} was written by a newer version of Sluice (bookkeeping ${this.found}, and this one knows ${this.known}); update Sluice`
  }
}

/** The service sent a record that was not asked for, or a list that cannot be one. Nothing of the request is kept. */
export class UnexpectedRecord extends Schema.TaggedError<UnexpectedRecord>()("UnexpectedRecord", {
  ...place,
  /** Of a list what identifies the item; empty of the list as a whole. */
  entity: Schema.String,
  /** Empty of a list, which has no times. */
  time: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    if (this.time === "") {
      return `${this.dataset}: the ${this.entity === "" ? "list" : `item ${this.entity} of the list`} ${this.reason}`
    }
    return `${this.dataset}: the record of ${this.entity} at ${this.time} ${this.reason}`
  }
}

/**
 * The service has the records of an entity that the definition names under another name: the entity was renamed, or the name is a
 * provider's. The records of all others are kept.
 *
 * Where the definition has the other name too, the run does not fail: records under the old name are kept or removed,
 * as `gone` says.
 */
export class OtherName extends Schema.TaggedError<OtherName>()("OtherName", {
  ...place,
  /** At least one. */
  names: Schema.Array(
    Schema.Struct({
      /** The name in the definition. */
      entity: Schema.String,
      /** The name in the records. */
      now: Schema.String
    })
  )
}) {
  override get message() {
    const each = this.names.map(({ entity, now }) => `records of "${entity}" come under the name "${now}"`)
    const add = this.names.map(({ now }) => `"${now}"`)
    return `${this.dataset}: ${each.join(", ")}; add ${add.join(", ")} to the list, or name it in place of the other in a new dataset`
  }
}

/** What a dataset holds is not what was written. Nothing was touched. */
export class DatasetDamaged extends Schema.TaggedError<DatasetDamaged>()("DatasetDamaged", {
  ...place,
  /** What is wrong, one sentence for each. */
  issues: Schema.Array(Schema.String),
  /** Files that have issues, of a folder; absent where no file is at fault by itself. */
  files: Schema.optional(Schema.Array(Schema.String))
}) {
  override get message() {
    const [first = "", ...others] = this.issues
    return `${this.dataset} is damaged: ${first}${others.length === 0 ? "" : `, and ${others.length} more`}`
  }
}

/** Files of a dataset are no longer there. Nothing was touched. The next sync asks for their times again. */
export class FileMissing extends Schema.TaggedError<FileMissing>()("FileMissing", {
  ...place,
  /** Name of the file. */
  file: Schema.String,
  /** Names of other files that are missing. */
  others: Schema.optional(Schema.Array(Schema.String))
}) {
  override get message() {
    const { dataset, file, others = [] } = this
    return others.length === 0
      ? `${file} is missing in ${dataset}; sync again, which reads its records again`
      : `${file} and ${others.length} more are missing in ${dataset}; sync again, which reads their records again`
  }
}

/** A database failed. What it has committed is kept, and the next run continues from there. */
export class StoreFailed extends Schema.TaggedError<StoreFailed>()("StoreFailed", {
  ...place,
  /** The operation, such as `commit`. */
  operation: Schema.String,
  /** `occupied`: there is a table of this name that no sync has made. Absent where the database itself failed. */
  kind: Schema.optional(Schema.Literal("occupied")),
  /** The code of the database, if any. */
  code: Schema.optional(Schema.String),
  reason: Schema.String
}) {
  override get message() {
    const code = this.code === undefined ? "" : ` (${this.code})`
    const where = this.operation === "connect" ? `to the database of ${this.dataset}` : `in ${this.dataset}`
    return `cannot ${this.operation} ${where}${code}: ${this.reason}`
  }
}

/** Another process has taken the dataset. */
export class StoreInUse extends Schema.TaggedError<StoreInUse>()("StoreInUse", {
  ...place,
  /** What has taken it, where that is known, such as `backfill 5f3a`, or a process that has the file of DuckDB open. */
  by: Schema.optional(Schema.String)
}) {
  override get message() {
    const { by = "another sync", dataset } = this
    return `${dataset} is in use by ${by}; wait for it to end, or stop it and start again`
  }
}

/**
 * The folder has the first load of a dataset, by many workers, which was stopped before its end. Nothing was touched.
 * The folder becomes a dataset when it has ended.
 */
export class LoadUnfinished extends Schema.TaggedError<LoadUnfinished>()("LoadUnfinished", {
  ...place,
  /** What loads it, such as `backfill 5f3a`. */
  by: Schema.String
}) {
  override get message() {
    return `${this.dataset} is loaded for the first time by ${this.by}, which has not ended; it becomes a dataset when that has`
  }
}

/** The table has something that this load has not begun. Nothing was touched. */
export class TableOccupied extends Schema.TaggedError<TableOccupied>()("TableOccupied", {
  ...place,
  reason: Schema.String
}) {
  override get message() {
    return `cannot begin a backfill in ${this.dataset}: ${this.reason}`
  }
}

/** A run was ended while it gave files their names, so that some are not yet as the dataset has them. Nothing is lost. */
export class RunInterrupted extends Schema.TaggedError<RunInterrupted>()("RunInterrupted", place) {
  override get message() {
    return `${this.dataset}: a run was ended in the middle of a change; sync again, which completes it, and then verify`
  }
}

/** A read wants what the dataset does not have, and may ask nobody for it or has asked in vain. */
export class NotHeld extends Schema.TaggedError<NotHeld>()("NotHeld", {
  ...place,
  /** At least one. Without a beginning or an end it is that of the series; a wildcard stands for all that it may mean. */
  ranges: Schema.Array(
    Schema.Struct({
      entity: Schema.String,
      from: Schema.optional(Schema.String),
      to: Schema.optional(Schema.String),
      /** The metric that is missing; absent where all are. */
      metric: Schema.optional(Schema.String),
      /** Since when no sync asks for it, where it is retired and that is known. */
      since: Schema.optional(Schema.String),
      /** Of one that is retired: whether the service refuses it, or a job left it out. */
      isRefused: Schema.optional(Schema.Boolean)
    })
  ),
  /** Of a read as of a later moment: when the last sync ended. */
  synced: Schema.optional(Schema.String),
  /** Whether a sync has asked the service for it in vain. */
  isAsked: Schema.optional(Schema.Boolean),
  /** Whether it is the cache of a call, which no sync fills. */
  isCache: Schema.optional(Schema.Boolean)
}) {
  override get message() {
    const { dataset, isAsked, isCache, ranges, synced } = this
    const [first, ...others] = ranges
    const { entity = "", from, isRefused, metric, since, to } = first ?? {}
    if (synced !== undefined) {
      return `${dataset}: the last sync ended at ${synced}, and what was known later is not held; read as of ${synced}, or sync first`
    }
    const times = `${from === undefined ? "" : ` from ${from}`}${to === undefined ? "" : ` until ${to}`}`
    const more = others.length === 0 ? "" : `, and ${others.length} more`
    const lacking = `${dataset} does not have ${metric === undefined ? "" : `${metric} of `}${entity}${times}${more}`
    const when = since === undefined ? "" : ` since ${since}`
    if (isRefused === true) return `${lacking}; the service refuses ${metric}${when}`
    if (isAsked === true) return `${lacking}; the service gave nothing of it`
    if (isCache === true) return `${lacking}; read it without offline`
    const left = isRefused === false ? `no sync asks for ${metric}${when}: ` : ""
    return `${lacking}; ${left}read it without offline, or sync ${isRefused === false ? "with it" : "first"}`
  }
}

/** Schema of {@link StoreError}. */
export const StoreError = Schema.Union([
  BadDefinition,
  FolderInUse,
  FolderLost,
  FolderOccupied,
  BookkeepingDamaged,
  UnexpectedEntry,
  FileChanged,
  FileMissing,
  FileFailed,
  Unwritable,
  BadFormat,
  OtherDefinition,
  NewerVersion,
  UnexpectedRecord,
  OtherName,
  DatasetDamaged,
  StoreFailed,
  StoreInUse,
  LoadUnfinished,
  RunInterrupted
])

/** Every error of a place where datasets are kept. */
// A type of its own, so that an editor shows its name and not its members.
export type StoreError = Exclude<typeof StoreError.Type, never>

/** Every error of what reads a dataset and asks the service nothing. */
export type HeldError = StoreError | NoDataset | NotHeld | BadSplit | InvalidRequest

const Failure = Schema.Struct({
  /** The entities whose records could not be read. */
  entities: Schema.Array(Schema.String),
  error: Schema.Union([...ApiError.members, UnexpectedRecord, Unwritable])
})

/** A request that failed. */
export type Failure = typeof Failure.Type

/** Some records could not be read. All others are kept, and the next run asks for the rest. */
export class SyncFailed extends Schema.TaggedError<SyncFailed>()("SyncFailed", {
  ...place,
  /** At least one. */
  failed: Schema.Array(Failure)
}) {
  override get message() {
    const [first] = this.failed
    const more =
      this.failed.length > 1
        ? `, and ${this.failed.length - 1} more ${this.failed.length === 2 ? "request" : "requests"} failed`
        : ""
    // This error names a record by its number alone.
    const of = first?.error._tag === "Unwritable" ? `of ${first.entities.join(", ")}, ` : ""
    return `${this.dataset} is not current: ${of}${first?.error.message}${more}; what was read is kept, so sync again for the rest`
  }
}

/** Schema of {@link DatasetError}, for sending errors between processes. */
export const DatasetError = Schema.Union([
  ...ApiError.members,
  BadSplit,
  NoDataset,
  NotHeld,
  SyncFailed,
  ...StoreError.members
])

/** Every error of a dataset. */
export type DatasetError = ApiError | HeldError | SyncFailed

export { InvalidRequest }

/** Events of a download: plain data, which the schema encodes as JSON. */
import * as Schema from "effect/Schema"
import { Plan } from "@sluice/core/Bulk"
import { Quota } from "../progress/QuotaState.ts"

const totals = {
  /** Records in finished files. */
  records: Schema.Finite,
  /** Bytes of finished files. */
  bytes: Schema.Finite
}

const part = {
  /** Index of the part, from 0. */
  part: Schema.Finite,
  /** Name of its file in the folder. */
  file: Schema.String
}

/** Finished files are compared with their checksums. Emitted after every file, and every 64 MiB of one. */
export const Verifying = Schema.TaggedStruct("Verifying", {
  folder: Schema.String,
  /** Finished files. */
  files: Schema.Finite,
  /** How many of them were read. */
  verified: Schema.Finite,
  /** Bytes read so far. */
  bytes: Schema.Finite
})
export type Verifying = typeof Verifying.Type

/** The plan of what is left to read, where one was asked for. Nothing of it has been requested. */
export const Planned = Schema.TaggedStruct("Planned", { folder: Schema.String, plan: Plan })
export type Planned = typeof Planned.Type

/** The folder is locked, and reading begins. */
export const Started = Schema.TaggedStruct("Started", {
  folder: Schema.String,
  /** Whether an earlier run is continued. */
  resumed: Schema.Boolean,
  parts: Schema.Finite,
  /** Parts that an earlier run has finished; `records` and `bytes` are theirs. */
  done: Schema.Finite,
  ...totals
})
export type Started = typeof Started.Type

/** The reading of a part begins. */
export const PartStarted = Schema.TaggedStruct("PartStarted", part)
export type PartStarted = typeof PartStarted.Type

/** A file is complete and has its name. */
export const PartDone = Schema.TaggedStruct("PartDone", { ...part, ...totals })
export type PartDone = typeof PartDone.Type

/** A part could not be read; with `onFailure: "continue"` the others are read. */
export const PartFailed = Schema.TaggedStruct("PartFailed", {
  ...part,
  /** The tag of the error, such as `Forbidden`. */
  error: Schema.String,
  reason: Schema.String
})
export type PartFailed = typeof PartFailed.Type

/** The state of the download, four times a second. */
export const Progress = Schema.TaggedStruct("Progress", {
  parts: Schema.Finite,
  /** Parts that are done. */
  done: Schema.Finite,
  /** Parts that failed in this run. */
  failed: Schema.Finite,
  /** Parts that are being read. */
  running: Schema.Finite,
  /** Records so far, including those of unfinished files. */
  records: Schema.Finite,
  /** Bytes so far, including those of unfinished files. */
  bytes: Schema.Finite,
  /** Records per second, over the last ten seconds. */
  recordsPerSecond: Schema.Finite,
  /** Bytes per second, over the last ten seconds. */
  bytesPerSecond: Schema.Finite,
  /** Milliseconds since this run began. */
  elapsed: Schema.Finite,
  /**
   * Milliseconds to the end at the speed of the last ten seconds, if the remaining parts have as many records as those
   * done; null until one part is done.
   */
  left: Schema.NullOr(Schema.Finite),
  quota: Quota
})
export type Progress = typeof Progress.Type

/** Every part is done. */
export const Finished = Schema.TaggedStruct("Finished", {
  folder: Schema.String,
  /** Files, one for each part. */
  files: Schema.Finite,
  ...totals
})
export type Finished = typeof Finished.Type

/** Schema of {@link Event}. */
export const Event = Schema.Union([Verifying, Planned, Started, PartStarted, PartDone, PartFailed, Progress, Finished])

/** An event of a download. */
export type Event = typeof Event.Type

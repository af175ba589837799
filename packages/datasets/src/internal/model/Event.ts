/**
 * Events of a sync: plain data, which the schema encodes as JSON.
 */
import * as Schema from "effect/Schema"
import { Quota } from "@sluice/files/internal/progress/QuotaState"

const place = {
  /** The folder or table. */
  dataset: Schema.String
}

/** What is kept is compared with what was written. */
export const Verifying = Schema.TaggedStruct("Verifying", {
  ...place,
  /** Files, or entities of a table. */
  files: Schema.Finite,
  /** How many of them were read. */
  verified: Schema.Finite,
  /** Records read so far. */
  records: Schema.Finite,
  /** Entities that no sync has read to the end; absent where there are none. */
  unread: Schema.optionalKey(Schema.Finite)
})
export type Verifying = typeof Verifying.Type

/** Files of shorter periods become files of longer ones. */
export const Compacting = Schema.TaggedStruct("Compacting", {
  ...place,
  /** Files that take part, as far as is known. */
  files: Schema.Finite,
  /** How many of them are part of others by now. */
  compacted: Schema.Finite,
  /** Files that were written in their place. */
  written: Schema.Finite,
  /** Records in these. */
  records: Schema.Finite
})
export type Compacting = typeof Compacting.Type

/** The dataset is taken, and what to ask for is known. */
export const Started = Schema.TaggedStruct("Started", {
  ...place,
  /** Whether this run makes the dataset. */
  isNew: Schema.Boolean,
  entities: Schema.Finite,
  /** Requests that are planned: a large one may take several pages. */
  requests: Schema.Finite,
  /** Entities that the dataset did not have before; the first hundred. */
  added: Schema.Array(Schema.String),
  /** How many they are. */
  addedCount: Schema.Finite,
  /** Entities that the service no longer has; the first hundred. */
  gone: Schema.Array(Schema.String),
  /** How many they are. */
  goneCount: Schema.Finite,
  /** Entities that the definition no longer has, and whose records stay; the first hundred. */
  dropped: Schema.Array(Schema.String),
  /** How many they are. */
  droppedCount: Schema.Finite
})
export type Started = typeof Started.Type

/** Records were kept. */
export const Changed = Schema.TaggedStruct("Changed", {
  ...place,
  /** The entities of the change; the first hundred. */
  entities: Schema.Array(Schema.String),
  /** Records of the service in it. */
  records: Schema.Finite,
  /** Records that were held in their place before. */
  replaced: Schema.Finite,
  /** Those of them that came with other values, of a dataset that keeps versions; absent where none did. */
  revised: Schema.optionalKey(Schema.Finite),
  /** Files that were written, and files that were removed. */
  written: Schema.Array(Schema.String),
  deleted: Schema.Array(Schema.String)
})
export type Changed = typeof Changed.Type

/** A request failed; the others go on. */
export const Failed = Schema.TaggedStruct("Failed", {
  ...place,
  /** The entities of the request; the first hundred. */
  entities: Schema.Array(Schema.String),
  /** The tag of the error, such as `Forbidden`. */
  error: Schema.String,
  reason: Schema.String
})
export type Failed = typeof Failed.Type

/** Metrics that the dataset has are no longer asked for: the job leaves them out, or the service refuses them. Their values stay. */
export const Retired = Schema.TaggedStruct("Retired", {
  ...place,
  metrics: Schema.Array(Schema.String),
  reason: Schema.String
})
export type Retired = typeof Retired.Type

/** The live stream of a dataset that is watched is lost. Another connection is being opened, and what it missed is read over HTTP. */
export const Disconnected = Schema.TaggedStruct("Disconnected", {
  ...place,
  /** The tag of the error. */
  error: Schema.String,
  reason: Schema.String
})
export type Disconnected = typeof Disconnected.Type

/** The live stream of a dataset that is watched is open. */
export const Connected = Schema.TaggedStruct("Connected", {
  ...place,
  /** Counted from 1. */
  connection: Schema.Finite
})
export type Connected = typeof Connected.Type

/** The state of the run, four times a second. */
export const Progress = Schema.TaggedStruct("Progress", {
  /** Requests so far: those that were planned, and those whose need the replies have shown. */
  requests: Schema.Finite,
  /** Requests that are done. */
  done: Schema.Finite,
  /** Requests that failed. */
  failed: Schema.Finite,
  /** Requests that are being read. */
  running: Schema.Finite,
  /** Records so far. */
  records: Schema.Finite,
  /** Milliseconds since this run began. */
  elapsed: Schema.Finite,
  quota: Quota
})
export type Progress = typeof Progress.Type

/** The dataset is current. */
export const Finished = Schema.TaggedStruct("Finished", {
  ...place,
  entities: Schema.Finite,
  /** Records that the service sent. */
  records: Schema.Finite,
  /** Records that were held in their place before. */
  replaced: Schema.Finite,
  /** Changes: none where there was no news. */
  changes: Schema.Finite,
  /** The newest time that is held of any entity; null where nothing is held. */
  newest: Schema.NullOr(Schema.String)
})
export type Finished = typeof Finished.Type

/** Schema of {@link Event}. */
export const Event = Schema.Union([
  Verifying,
  Compacting,
  Started,
  Changed,
  Failed,
  Retired,
  Disconnected,
  Connected,
  Progress,
  Finished
])

/** An event of a sync, a watch, a verification, or a compaction. */
export type Event = typeof Event.Type

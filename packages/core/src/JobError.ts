/**
 * Every error of a job beside those of a call, as one closed union.
 *
 * Each names the job, so that its results can be read later, except {@link JobUnconfirmed}, where nobody here knows its id.
 */
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import { ApiError } from "./ApiError.ts"
import { Timestamp } from "./Timestamp.ts"

const origin = {
  /** Path of the endpoint that started the job, such as `/blockchain-job/transactions`. */
  endpoint: Schema.String,
  /** The `job_id`. */
  id: Schema.String
}

const part = (sentence: string) => sentence.replace(/(?<!\.)\.$/, "")

/**
 * The start of a job was sent, and no whole reply tells what became of it: the job may be running.
 *
 * **Details**
 *
 * Sluice does not send it again, because each start makes a job of its own, and the service offers no way to find a job
 * without its id. Whoever accepts a second job can start it again.
 */
export class JobUnconfirmed extends Schema.TaggedError<JobUnconfirmed>()("JobUnconfirmed", {
  endpoint: Schema.String,
  /** The reply's `CF-RAY` header; absent when no reply came. */
  trace: Schema.optional(Schema.String),
  /** The reply's status, where one came. */
  status: Schema.optional(Schema.Finite),
  reason: Schema.String
}) {
  override get message() {
    const trace = this.trace === undefined ? "" : ` (trace ${this.trace})`
    return `${this.endpoint}: a job may be running, but its id did not arrive: ${part(this.reason)}${trace}`
  }
}

/** The service could not complete the job. */
export class JobFailed extends Schema.TaggedError<JobFailed>()("JobFailed", {
  ...origin,
  /** The status of the job: `failed`, or a newer word that came with an error. */
  status: Schema.String,
  /** The service's stable identifier of the error, if it gave one. */
  type: Schema.optional(Schema.String),
  reason: Schema.String
}) {
  override get message() {
    return `${this.endpoint}: job ${this.id} failed: ${part(this.reason)}`
  }
}

/** The service no longer keeps the results of the job. They take a new job. */
export class JobExpired extends Schema.TaggedError<JobExpired>()("JobExpired", {
  ...origin,
  /** When they expired, where the service says so. */
  since: Schema.optional(Timestamp)
}) {
  override get message() {
    const since = this.since === undefined ? "" : ` since ${this.since}`
    return `${this.endpoint}: the results of job ${this.id} have expired${since}`
  }
}

/** The job was not done when the polling schedule ended. It may be done later: read its results by its id. */
export class JobUnfinished extends Schema.TaggedError<JobUnfinished>()("JobUnfinished", {
  ...origin,
  /** The last status: `running`, or a word that is newer than this library. */
  status: Schema.String,
  /** How long it was waited for. */
  waited: Schema.Duration
}) {
  override get message() {
    const seconds = Duration.seconds(Math.round(Duration.toSeconds(this.waited)))
    return `${this.endpoint}: job ${this.id} is still ${this.status} after ${Duration.format(seconds)}`
  }
}

/** The service lists no job of this id for this key. */
export class JobUnknown extends Schema.TaggedError<JobUnknown>()("JobUnknown", origin) {
  override get message() {
    return `${this.endpoint}: the service knows no job ${this.id}`
  }
}

/** The address of a result is none that Sluice reads. Nothing was requested from it. */
export class JobResultRefused extends Schema.TaggedError<JobResultRefused>()("JobResultRefused", {
  ...origin,
  /** The number of the file, from 1. */
  file: Schema.Finite,
  reason: Schema.String
}) {
  override get message() {
    return `${this.endpoint}: file ${this.file} of job ${this.id} is not read: ${this.reason}`
  }
}

/** The host of the results does not give out a file, although the service lists it. */
export class JobResultGone extends Schema.TaggedError<JobResultGone>()("JobResultGone", {
  ...origin,
  /** The number of the file, from 1. */
  file: Schema.Finite,
  /** The status of the host's reply: 401, 403, 404 or 410. */
  status: Schema.Finite,
  /** The records of the job emitted before. */
  delivered: Schema.Finite
}) {
  override get message() {
    const came = `; after ${this.delivered} records`
    return `${this.endpoint}: file ${this.file} of job ${this.id} is not given out (status ${this.status})${came}`
  }
}

/** A request failed after the job was started. The job is not affected: read its results by its id. */
export class JobUnread extends Schema.TaggedError<JobUnread>()("JobUnread", {
  ...origin,
  /** Why the request failed. */
  error: ApiError,
  /** The records of the job emitted before. */
  delivered: Schema.Finite
}) {
  override get message() {
    const came = this.delivered === 0 ? "" : ` after ${this.delivered} records`
    return `${this.error.message}; job ${this.id} was not read to its end${came}`
  }
}

/** Schema of {@link JobError}, for sending errors between processes. */
export const JobError = Schema.Union([
  JobUnconfirmed,
  JobFailed,
  JobExpired,
  JobUnfinished,
  JobUnknown,
  JobResultRefused,
  JobResultGone,
  JobUnread
])

/** Every error of a job beside those of `ApiError`. */
export type JobError = typeof JobError.Type

/** Tells whether a value is one of the errors of {@link JobError}. */
export const isJobError: (value: unknown) => value is JobError = Schema.is(JobError)

/** The status of jobs. Source: docs/interface.md 13.2. */
import * as Schema from "effect/Schema"
import * as Endpoint from "../Endpoint.ts"
import { id, many, one, text, texts, timestamp, word } from "../internal/wire/fields.ts"
import * as Params from "../Params.ts"

/** Why a job failed. Source: docs/interface.md 13.2. */
export const JobError = Schema.Struct({
  /** Stable identifier. */
  type: text,
  /** For people; it may change. */
  message: text
})
export interface JobError extends Schema.Schema.Type<typeof JobError> {}

/** One file of the results. Source: docs/interface.md 13.2. */
export const JobResult = Schema.Struct({
  /** Its address on another host, which needs no key. It may hold a signature, so treat it as a secret. */
  url: text
})
export interface JobResult extends Schema.Schema.Type<typeof JobResult> {}

/** One job. Source: docs/interface.md 13.2. */
export const Job = Schema.Struct({
  /** The `job_id` with which it was started. */
  id,
  /** Whether it is done; open list. */
  status: word(["running", "completed", "failed", "expired"]),
  /** When the job was started. */
  creation_time: timestamp,
  /** When the job ended, well or not; absent until then. */
  completion_time: timestamp,
  /** When its results are, or were, deleted. */
  expiration_time: timestamp,
  /** Of a failed job. */
  error: one<JobError>(JobError),
  /** Of a completed job: its files, in order. */
  results: many<JobResult>(JobResult),
  /** With `include_warnings`. */
  warnings: texts
})
export interface Job extends Schema.Schema.Type<typeof Job> {}

/** Parameters of {@link list}. Source: docs/interface.md 13.2. */
export const ListParams = Schema.Struct({
  /** The ids of jobs. */
  ids: Params.entities(Params.requiredList, "id"),
  /** Adds the warnings of the jobs. */
  include_warnings: Params.detail(Params.boolean),
  ...Params.pretty
})
export interface ListParams extends Schema.Schema.Type<typeof ListParams> {}

/**
 * Tells the status of jobs, and where the results of completed ones lie. In one reply. Source: docs/interface.md 13.2.
 */
export const list: Endpoint.Endpoint<ListParams, Job> = Endpoint.make("/jobs", {
  section: "13.2",
  params: ListParams,
  record: Job
})

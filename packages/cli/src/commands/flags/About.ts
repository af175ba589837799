/** What an invocation names: an endpoint, a live operation or a job, whose parameters are flags of the command. */
import type { Entry, JobEntry, LiveEntry } from "@sluice/core/Endpoints"
import type * as Parameter from "@sluice/core/Parameter"
import type * as Descriptions from "../../endpoints/Descriptions.ts"
import type * as Parameters from "../../endpoints/Parameters.ts"

/** The endpoint, the live operation or the job that an invocation names. */
export interface About<E extends Entry | LiveEntry | JobEntry = Entry> {
  readonly entry: E
  readonly parameters: Parameter.Parameters
  readonly flags: Parameters.Flags
  /** Its description; absent unless help is shown. */
  readonly described: Descriptions.Endpoint | undefined
}

/** What an invocation names, if anything. */
export interface Named {
  readonly about?: About | undefined
  readonly live?: About<LiveEntry> | undefined
  readonly job?: About<JobEntry> | undefined
  /** What `schema` describes: its records are read by pages, or live. */
  readonly read?: About<Entry | LiveEntry> | undefined
}

export interface Given {
  readonly endpoint: string
  /** Its parameters, by the wire's name. */
  readonly parameters: Readonly<Record<string, unknown>>
}

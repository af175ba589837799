/**
 * What a process tells the state of a shared quota, and what it is answered.
 *
 * Times are durations in whole milliseconds or the store's own, so the clocks of process and store need not agree.
 */
import type { Policy, Reply, State } from "../../Quota.ts"
import type { Hold, Patience } from "../quota/Window.ts"

/** One exchange of a process with the store. */
export interface Step extends Patience {
  /** Name of the process, the same for as long as it lives. */
  readonly process: string
  /** The state that the process knows, as the store named it; empty before its first answer. */
  readonly generation: string
  /** The name of the state if this step is the first: another one in each step. */
  readonly nonce: string
  /** Its number among the steps of the process, which ascends; absent where nobody counts. */
  readonly nth?: number | undefined
  /** What the process knows of its steps; absent before its first answer. */
  readonly before?: Before | undefined
  /** Requests that wait for a permit. */
  readonly want: number
  /** How long the first of them has waited. */
  readonly waited: number
  /** What happened since the last step, in order. */
  readonly events: ReadonlyArray<Event>
  /** Everything the process has sent and the store may not know. Joins the process to the others. */
  readonly join?: Join | undefined
  /** How long the permits of the process are kept if it is not heard of again. */
  readonly lease: number
}

/** The steps of a process. */
export interface Before {
  /** How many were answered. */
  readonly count: number
  /** The time of the store, as the process reckons it from the last answer. */
  readonly now: number
}

/** Something that happened to a permit. */
export type Event =
  /** The head of the reply. */
  | { readonly type: "head"; readonly id: string; readonly reply: Reply }
  /** The end of the body, or of a request without a reply. */
  | { readonly type: "end"; readonly id: string }
  /** Nobody waits for this permit any more, and nothing was sent. */
  | { readonly type: "unused"; readonly id: string }

/** How a process joins. */
export interface Join {
  /** The most requests of all processes at once. The setting of the process that joined last counts. */
  readonly parallel: number
  /** The window to assume until a reply names one. */
  readonly planned?: Policy | undefined
  /** The windows that replies have named, for a store that has lost them. */
  readonly policies: ReadonlyArray<Policy>
  /** Whether the process has sent requests without the store, as others may have that have not joined again yet. */
  readonly alone: boolean
  /** The requests of the process: not ended, or of the last two windows. */
  readonly requests: ReadonlyArray<Sent>
}

/** A request that was sent. */
export interface Sent {
  /** Id of the request. */
  readonly id: string
  /** Its number among the requests of the process, from 1. */
  readonly nth: number
  /** Time since the head of its reply; negative where none has come. */
  readonly age: number
  /** Whether its permit is still held. */
  readonly held: boolean
}

/** The answer of the store. */
export interface Answer {
  /** Name of the state. */
  readonly generation: string
  /** Its time. */
  readonly now: number
  /** Whether the store does not know the process, or not any more. Nothing was done: the process has to join. */
  readonly isUnknown: boolean
  /** Permits for the process that it has not been told of. */
  readonly granted: ReadonlyArray<string>
  /** The time after which the process should ask again; absent when another process or an event tells it. */
  readonly wait: number | undefined
  /** What the process waits for, if for anything. */
  readonly cause: "permit" | "window" | "service" | undefined
  /** The same as a text, where it waits for the service. */
  readonly reason: string | undefined
  /** The wait is longer than the longest: the requests that wait are to fail. `until` is how long it is. */
  readonly tooLong: Hold | undefined
  /** The windows that replies have named. */
  readonly policies: ReadonlyArray<Policy>
  /** What is known of all processes. */
  readonly state: State
  /** Processes that are alive. */
  readonly processes: number
}

/** The state of a shared quota: the window of an account, and the processes and permits that share it. */
import * as Window from "../quota/Window.ts"

/** The state, which is plain data. Times are whole milliseconds. */
export interface State extends Window.Window {
  /** Name of the state: another name means that the state was lost. */
  readonly generation: string
  /** The newest time, and what is added to the clock so that time never goes backwards. */
  now: number
  offset: number
  /** Nothing is sent before, because processes that sent something have yet to say so. */
  grace: number
  /** The last number of a permit. */
  last: number
  /** In the order in which they are served. */
  processes: Array<Process>
  permits: Array<PermitState>
  /** When a process has promised to ask again. */
  tickAt: number
  ticker: string
}

/** A process that shares the quota. */
export interface Process {
  readonly id: string
  /** Its steps. */
  made: number
  /** The number that it gave the last of them. */
  nth: number
  /** Without a step until then, it counts as dead. */
  lease: number
  want: number
  /** How many of its requests that other states have permitted are known. */
  told: number
}

/** A request that may be sent, runs, or has not been read to its end. */
export interface PermitState extends Window.Sent {
  readonly id: string
  readonly process: string
  /** Whether the process knows of it. */
  isTold: boolean
  /** Whether its head has come. */
  isReplied: boolean
}

/** How long after the lease of a process a request may still be on its way to the service, in milliseconds. */
export const underway = 5_000

/** The state of an account that nobody has used. */
export const make = (generation: string, clock: number): State => ({
  ...Window.make(undefined, 1),
  generation,
  now: clock,
  offset: 0,
  grace: Window.never,
  last: 0,
  processes: [],
  permits: [],
  tickAt: Window.never,
  ticker: ""
})

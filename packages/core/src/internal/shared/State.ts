/**
 * The state of a shared quota: what one process keeps in closures, as data that a store can hold.
 */
import * as OtherClients from "../quota/OtherClients.ts"
import type { Policy } from "../../Quota.ts"

/** A moment that has never been. */
export const never = -1

/** The state but for the log of replies. */
export interface State {
  /** Name of the state: another name means that the state was lost. */
  generation: string
  /** The newest time, and what is added to the clock so that time never goes backwards. */
  now: number
  offset: number
  /** Nothing is sent before, because processes that sent something have yet to say so. */
  grace: number
  /** The part of every limit that is used: one in so many. */
  share: number
  /** The last number of a permit. */
  last: number
  /** The most requests at once. */
  parallel: number
  planned?: Policy | undefined
  policies: ReadonlyArray<Policy>
  isKnown: boolean
  isNamed: boolean
  plan?: string | undefined
  block: Block
  refusals: number
  refusedAt: number
  others: Others
  pace: PaceState
  /** What held requests back when the newest probe was sent. */
  probed?: { policies: ReadonlyArray<Policy>; block: Block } | undefined
  /** The permit of the probe that waits for its reply. */
  probe?: string | undefined
  sentAt: number
  sent: number
  rejected: number
  /** In the order in which they are served. */
  processes: Array<Process>
  permits: Array<PermitState>
  /** When a process has promised to ask again. */
  tickAt: number
  ticker: string
}

/** Requests that clients outside the store have sent with the same key, as the newest reply shows them. */
export interface Others {
  readonly count: number
  /** When all of those counted have left the window. */
  readonly until: number
  readonly window: number
  /** When the first of them leaves the window, if the reply tells. */
  readonly first: number | undefined
}

/** No request is sent before `until`. */
export interface Block {
  readonly until: number
  /** Whether the service named the wait. */
  readonly isAsked: boolean
}

/** A process that shares the quota. */
export interface Process {
  readonly id: string
  /** Without a step until then, it counts as dead. */
  lease: number
  want: number
}

/** A request that may be sent, runs, or has not been read to its end. */
export interface PermitState {
  readonly id: string
  readonly process: string
  readonly sent: number
  readonly isProbe: boolean
  /** Whether the process knows of it. */
  isTold: boolean
  /** Whether its head has come. */
  isReplied: boolean
}

/** The search for the limit of a service that names none. */
export interface PaceState {
  rates?: Rates | undefined
  kept: ReadonlyArray<Policy>
  /** Requests that may run at once; as many as allowed when absent. */
  parallel?: number | undefined
  needed: number
  refusedAt: number
  since: number
  accepted: number
  seen: number
  sinceGrowth: number
  isUsedUp: boolean
}

/** Requests per millisecond. */
export interface Rates {
  readonly current: number
  readonly confirmed: number
  /** Absent when none was refused. */
  readonly refused?: number | undefined
}

/** The times of replies by permit, in the order of time. */
export interface Log {
  /** Replies later than this. */
  readonly countAfter: (time: number) => number
  /** The time of the so-manieth newest reply, from 1. */
  readonly newest: (place: number) => number | undefined
  /** Whether there is a reply to the request with this permit. */
  readonly has: (id: string) => boolean
  /** Adds a reply, in place of one to the same request. */
  readonly add: (id: string, time: number) => void
  /** Removes a reply. */
  readonly remove: (id: string) => void
  /** Drops replies up to this time. */
  readonly trim: (time: number) => void
}

/** Assumed until the first reply. */
export const strictest: Policy = { limit: 10, window: 6_000 }

/** Nothing but window and permits holds requests back. */
export const notBlocked: Block = { until: never, isAsked: false }

/** The state of an account that nobody has used. */
export const make = (generation: string, clock: number): State => ({
  generation,
  now: clock,
  offset: 0,
  grace: never,
  share: 1,
  last: 0,
  parallel: 1,
  policies: [strictest],
  isKnown: false,
  isNamed: false,
  block: notBlocked,
  refusals: 0,
  refusedAt: never,
  others: OtherClients.none,
  pace: {
    kept: [],
    needed: 10,
    refusedAt: never,
    since: never,
    accepted: 0,
    seen: 0,
    sinceGrowth: 0,
    isUsedUp: false
  },
  sentAt: never,
  sent: 0,
  rejected: 0,
  processes: [],
  permits: [],
  tickAt: never,
  ticker: ""
})

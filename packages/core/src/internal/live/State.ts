/** What a subscription keeps from one connection to the next. */
import type * as Duration from "effect/Duration"
import type * as Scope from "effect/Scope"
import type { LiveError, TooSlow } from "../../LiveError.ts"
import type { LiveMessage, Origin } from "../../LiveMessage.ts"
import type * as Retry from "../../Retry.ts"
import type * as Call from "../call/Call.ts"
import type * as Buffer from "./Buffer.ts"
import type * as Connection from "./socket/Connection.ts"
import type * as Frames from "./socket/Frames.ts"
import type * as Lanes from "./lanes/Lanes.ts"
import type * as Moment from "../retry/Moment.ts"
import type * as Seam from "./lanes/Seam.ts"
import type * as Sequence from "./Sequence.ts"

/**
 * When records are delivered. `series`: as the service publishes them, so after a broken connection all records wait until what was
 * missed is read over HTTP, for as long as `overlap`. `arrival`: as soon as they are there, and what was missed behind them, marked
 * `filled`. Blocks and order books always come in order.
 */
export type Order = "series" | "arrival"

/** What a subscription reads, and how. */
export interface Plan {
  readonly kind: Frames.Kind
  readonly shape: Lanes.Shape
  readonly connection: Connection.Settings
  readonly retry: Retry.Policy
  /** When to connect again after a lost connection, once one has worked. */
  readonly reconnect: Retry.Policy
  readonly overlap: Duration.Duration
  /** The call of the first connection. */
  readonly call: Call.Call
  /** The call of the others, and of the first where history was read: the last record of each entity comes first. */
  readonly again: Call.Call
  /** Reads the history of the series over HTTP; absent where there is none. */
  readonly history: Seam.ReadRange | undefined
  /** Reads records of the stream over HTTP; absent where HTTP has none, or others. */
  readonly fill: Seam.ReadRange | undefined
  /** Where history begins. */
  readonly since: string | undefined
  readonly order: Order
  /** Sees each record before it is delivered, and says of a live one why it cannot be right. */
  readonly verify: ((record: object, origin: Origin, connection: number) => string | undefined) | undefined
}

/** Where messages wait for their reader. */
export type Out = Buffer.Buffer<LiveMessage<object>, LiveError, TooSlow>

/** What a session keeps from one connection to the next. */
export interface State {
  readonly plan: Plan
  readonly lanes: Lanes.Lanes
  /** What outlives a connection, such as a look at what HTTP shows late. */
  readonly scope: Scope.Scope
  /** Seams that wait to be closed beside the records of the connection. */
  readonly aside: Array<Seam.Seam>
  /** When the first connection was opened, by both clocks of this machine in milliseconds. */
  opened: Moment.Moment | undefined
  /** Whether the reader knows of entities that were not asked for. */
  hasWarned: boolean
  /** Whether the reader knows that records of before `since` come. */
  hasToldEarly: boolean
  connections: number
  /** Whether the connection brought anything. */
  hasNews: boolean
  attempts: number
  readonly jumps: Sequence.Jumps
  /** The frame that could not be read and ended the connection, if one did, without its number. */
  damaged: string | undefined
  /** When the frames came that are delivered now, by the monotonic clock; absent where they did not wait. */
  waitingSince: number | undefined
  /** When the frames that are delivered now came; see `received` of `Data`. */
  received: string
  /** Writes a moment of the wall clock, or the present, in the same way. */
  readonly now: (wall?: number) => string
  readonly out: Out
}

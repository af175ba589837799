/**
 * What live operations need of a client.
 */
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { TooManyConnections } from "../../LiveError.ts"
import type * as Retry from "../../Retry.ts"
import type * as RecordDecoder from "../wire/RecordDecoder.ts"
import type * as Buffer from "./Buffer.ts"
import type * as Connection from "./socket/Connection.ts"
import type { Order } from "./State.ts"

/** What a live client gives the sessions of its subscriptions. */
export interface Engine {
  readonly connection: Connection.Settings
  readonly retry: Retry.Policy
  readonly reconnect: Retry.Policy
  readonly overlap: Duration.Duration
  readonly capacity: number
  readonly maxBufferedBytes: number
  readonly whenFull: Buffer.WhenFull
  readonly order: Order
  readonly maxFrameBytes: number
  /** Takes one of the connections that the key may have, until the scope closes. */
  readonly acquire: (endpoint: string) => Effect.Effect<void, TooManyConnections, Scope.Scope>
  /** Decoders of records whose columns depend on the call. */
  readonly decoders: RecordDecoder.Cache
}

/**
 * What live operations need of a client. Every live client carries it, but it is not part of its type: programs do not need
 * it, and it may change in any version.
 */
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { TooManyConnections } from "../../LiveError.ts"
import type * as Retry from "../../Retry.ts"
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
}

// A registered symbol, because a program may contain two copies of this module.
const key = Symbol.for("@sluice/core/live/Engine")

export const attach = <Client extends object>(client: Client, engine: Engine): Client =>
  Object.assign(client, { [key]: engine })

export const of = (client: object): Engine =>
  // Type boundary: every client is made by `LiveClient.make`, or is a copy of one that was.
  Reflect.get(client, key) as Engine

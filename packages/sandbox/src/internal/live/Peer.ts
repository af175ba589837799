/**
 * The other end of a connection, over a socket or in memory.
 */
import type * as Effect from "effect/Effect"

export interface Peer {
  /** Sends a frame; tells whether the reader keeps up, so that another one may follow at once. */
  readonly send: (frame: string | Uint8Array<ArrayBuffer>) => boolean
  readonly drained: Effect.Effect<void>
  readonly ping: () => void
  /** Closes in good order, after what has been sent. */
  readonly close: (code: number, reason: string) => void
  /** Ends the connection without a word. */
  readonly destroy: () => void
  /** Answers no ping from now on. */
  readonly mute: () => void
  readonly ended: Effect.Effect<void>
}

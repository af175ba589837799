/** One connection of a live stream, and the frames that came over it. */
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as Socket from "effect/socket/Socket"
import { type Item, itemOf } from "./Item.ts"
import { unclear } from "./Undecided.ts"

/** When a connection is closed. */
export interface Until {
  /** After so long. */
  readonly within: Duration.Input
  /** When this holds of the frames so far. */
  readonly enough: (frames: ReadonlyArray<Item>) => boolean
}

export type Heard = Effect.Success<ReturnType<typeof listen>>

/** Opens a connection, takes its frames, and closes it. Fails where it is neither opened nor refused. */
export const listen = Effect.fnUntraced(function* (construct: () => Socket.WebSocketLike, { enough, within }: Until) {
  const frames: Array<Item> = []
  const ended = Deferred.makeUnsafe<void>()
  const end = () => void Deferred.doneUnsafe(ended, Effect.void)
  let isOpen = false
  let refused: number | undefined
  const socket = yield* Effect.acquireRelease(
    // The error holds the URL, and so the key.
    Effect.try({ try: construct, catch: () => unclear("no connection") }),
    (socket) => Effect.sync(() => socket.close(1000))
  )
  if ("binaryType" in socket) socket.binaryType = "arraybuffer"
  socket.addEventListener("open", () => {
    isOpen = true
  })
  socket.addEventListener("message", ({ data }) => {
    const frame = itemOf(Predicate.isString(data) ? data : new TextDecoder().decode(bytesOf(data)))
    if (frame === undefined) return
    frames.push(frame)
    if (enough(frames)) end()
  })
  socket.addEventListener("error", (event) => {
    refused = statusOf(event)
    end()
  })
  socket.addEventListener("close", end)
  yield* Effect.timeoutOption(Deferred.await(ended), within)
  if (!isOpen && refused === undefined) return yield* unclear("no connection")
  return {
    /** The status that refused the handshake; absent where the connection was opened. */
    refused,
    /** The frames that are JSON objects. */
    frames
  }
}, Effect.scoped)

const bytesOf = (data: unknown) => (data instanceof Uint8Array || data instanceof ArrayBuffer ? data : new Uint8Array())

/** The status of the reply that refused the handshake. */
const statusOf = (event: unknown) => {
  const error = Predicate.hasProperty(event, "error") ? event.error : event
  const status = Predicate.hasProperty(error, "status") ? Number(error.status) : Number.NaN
  return Number.isInteger(status) ? status : undefined
}

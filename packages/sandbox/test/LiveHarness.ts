import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Socket from "effect/socket/Socket"
import type { Row } from "./Harness.ts"

/** How a connection ended, as the client saw it. */
export interface Ended {
  readonly tag: string
  readonly code: number | undefined
  readonly reason: string | undefined
}

/** What a client has seen of a stream so far. */
export interface Seen {
  readonly frames: Array<string | Uint8Array>
  ended: Ended | undefined
}

/** The address of a stream. */
export const address = Effect.fnUntraced(function* (path: string, fault = "", key = "demo-key") {
  const { streamFaultUrl, streamUrl } = yield* Sandbox.Sandbox
  const root = fault === "" ? streamUrl : streamFaultUrl(fault)
  return `${root}${path}${key === "" ? "" : `${path.includes("?") ? "&" : "?"}api_key=${key}`}`
})

/** Opens a stream, and reads it in the background for as long as the scope lasts. */
export const open = Effect.fnUntraced(function* (path: string, fault = "", key = "demo-key") {
  const seen: Seen = { frames: [], ended: undefined }
  const socket = yield* Socket.makeWebSocket(yield* address(path, fault, key), { openTimeout: "1 hour" })
  const read = Effect.gen(function* () {
    const { pull } = yield* socket.reader
    while (true) seen.frames.push(...(yield* pull))
  }).pipe(
    Effect.catch(({ reason }) =>
      Effect.sync(() => {
        const isClose = reason._tag === "SocketCloseError"
        seen.ended = {
          tag: reason._tag,
          code: isClose ? reason.code : undefined,
          reason: isClose ? reason.closeReason : undefined
        }
      })
    )
  )
  yield* Effect.forkScoped(Effect.scoped(read))
  yield* Effect.yieldNow
  return seen
})

/** A frame as a record; a binary one has to be one too. */
export const record = (frame: string | Uint8Array): Row =>
  // Type boundary: the tests look at what was sent, whatever it is.
  JSON.parse(typeof frame === "string" ? frame : new TextDecoder().decode(frame)) as Row

/** The records seen so far. */
export const records = ({ frames }: Seen): ReadonlyArray<Row> => frames.map(record)

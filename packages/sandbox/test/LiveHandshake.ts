import { WebSocket } from "@effect/platform-node/NodeWS"
import * as Effect from "effect/Effect"

/** The reply to a handshake that was refused; a status of 0 where the socket ended without one. */
export interface RefusedHandshake {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

/** Attempts a handshake over a socket that the stand-in refuses. */
export const refusal = (url: string): Effect.Effect<RefusedHandshake> =>
  Effect.callback((resume) => {
    const socket = new WebSocket(url)
    socket.on("error", () => resume(Effect.succeed({ status: 0, headers: {}, body: "" })))
    socket.on("open", () => resume(Effect.die("the handshake was accepted")))
    socket.on("unexpected-response", (_, response) => {
      let body = ""
      response.setEncoding("utf8")
      response.on("data", (part: string) => {
        body += part
      })
      response.on("end", () =>
        resume(Effect.succeed({ status: response.statusCode ?? 0, headers: response.headers, body }))
      )
    })
    return Effect.sync(() => socket.terminate())
  })

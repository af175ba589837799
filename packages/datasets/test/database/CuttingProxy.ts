/**
 * Stands between a client and a server, and breaks all connections for good at a message of the client: before it reaches the
 * server, or after it has, when only its answer is lost.
 */
import { Effect } from "effect"
import { connect, createServer, type Socket } from "node:net"

/** Where connections break. */
export interface Cut {
  readonly at: number
  readonly lost: "message" | "answer"
}

/** A proxy to a port, until the scope closes. `sent` counts what clients sent at once, which is a statement as a rule. */
export const make = (target: number, cut?: Cut) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<{ readonly port: number; sent: number; readonly close: Effect.Effect<void> }>((resume) => {
        const sockets = new Set<Socket>()
        let isCut = false
        const breakAll = () => {
          isCut = true
          for (const socket of sockets) socket.destroy()
        }
        const server = createServer((client) => {
          if (isCut) {
            client.destroy()
            return
          }
          const upstream = connect({ host: "127.0.0.1", port: target, noDelay: true })
          for (const socket of [client, upstream]) {
            sockets.add(socket)
            socket.on("error", () => undefined)
            socket.on("close", () => {
              sockets.delete(socket)
              client.destroy()
              upstream.destroy()
            })
          }
          let isAnswerLost = false
          client.on("data", (chunk: Buffer) => {
            self.sent++
            const isHere = cut !== undefined && self.sent === cut.at
            if (isHere && cut.lost === "message") return breakAll()
            isAnswerLost ||= isHere
            upstream.write(chunk)
          })
          upstream.on("data", (chunk: Buffer) => {
            if (isAnswerLost) return breakAll()
            client.write(chunk)
          })
        })
        const self = {
          port: 0,
          sent: 0,
          close: Effect.callback<void>((resume) => {
            breakAll()
            server.close(() => resume(Effect.void))
          })
        }
        server.listen(0, "127.0.0.1", () => {
          const address = server.address()
          self.port = typeof address === "object" ? (address?.port ?? 0) : 0
          resume(Effect.succeed(self))
        })
      }),
      ({ close }) => close
    ),
    (self) => self
  )

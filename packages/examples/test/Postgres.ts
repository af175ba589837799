import { PGlite } from "@electric-sql/pglite"
import { Effect } from "effect"
import { Duplex } from "node:stream"

/** Where a connection breaks: before a message reaches the server, or after it has, when only its answer is lost. */
export interface Cut {
  readonly after: number
  readonly lost: "message" | "answer"
}

/** A PostgreSQL in WebAssembly, which has one session, so one connection at a time. */
export const make = Effect.map(
  Effect.acquireRelease(
    Effect.promise(() => PGlite.create()),
    (database) => Effect.promise(() => database.close())
  ),
  (database) => ({
    query: (sql: string) => Effect.promise(async () => (await database.query(sql)).rows),
    exec: (sql: string) => Effect.promise(() => database.exec(sql)),
    /** Connections of one process, which break for good where the cut says; `sent` counts their messages. */
    process: (cut?: Cut) => {
      const self = { sent: 0, stream: () => connect() }
      const isCut = (lost: Cut["lost"]) =>
        cut !== undefined && (self.sent > cut.after || (lost === cut.lost && self.sent === cut.after))
      const connect = () => {
        // As in a server, what the connection before left open ends with it.
        const ready = database.exec("ROLLBACK").then(() => database.exec("DISCARD ALL"))
        const answer = async (message: Uint8Array) => {
          await ready
          self.sent++
          if (isCut("message")) throw new Error("connection lost")
          const reply = await database.execProtocolRaw(message)
          if (isCut("answer")) throw new Error("connection lost")
          if (reply.length > 0) socket.push(reply)
        }
        const socket = new Duplex({
          read: () => undefined,
          write: (message: Uint8Array, _, done) => void answer(message).then(() => done(), done)
        })
        return socket
      }
      return self
    }
  })
)

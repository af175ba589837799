/**
 * A port for a server that starts later, or never. The system gives ports from 32768 on to whoever asks for any, and to every connection
 * that is opened, so one of those may be taken before it is used.
 */
import * as Effect from "effect/Effect"
import { randomInt } from "node:crypto"
import { createServer } from "node:net"

const isFree = (port: number) =>
  Effect.callback<boolean>((resume) => {
    const server = createServer()
    server.once("error", () => resume(Effect.succeed(false)))
    server.listen(port, "127.0.0.1", () => server.close(() => resume(Effect.succeed(true))))
  })

/** Finds a port of this machine on which nothing listens. */
export const find: Effect.Effect<number> = Effect.suspend(() => {
  const port = randomInt(20_000, 32_768)
  return Effect.flatMap(isFree(port), (free) => (free ? Effect.succeed(port) : find))
})

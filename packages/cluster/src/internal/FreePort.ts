/**
 * A port that nobody listens on.
 */
import * as Effect from "effect/Effect"
import { createServer } from "node:net"

/** Finds a free port. Somebody else may take it before it is used; then the worker fails to start, and can be started again. */
export const find: Effect.Effect<number> = Effect.callback<number>((resume) => {
  const server = createServer()
  server.listen(0, () => {
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    server.close(() => resume(Effect.succeed(port)))
  })
})

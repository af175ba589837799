import * as Effect from "effect/Effect"
import { createServer, request } from "node:http"

/**
 * Stands before a service and writes down what is asked of it: how often each path and query, without the key. What it refuses
 * because of the quota has sent nothing, and is counted apart.
 */
export const make = (root: string) =>
  Effect.gen(function* () {
    const { origin, pathname } = new URL(root)
    const asked = new Map<string, number>()
    let refused = 0
    const server = createServer((incoming, outgoing) => {
      const url = new URL(incoming.url ?? "", origin)
      const named = new URL(url)
      named.searchParams.delete("api_key")
      const key = `${named.pathname}${named.search}`
      const forwarded = request(url, { method: "GET", headers: incoming.headers }, (reply) => {
        if (reply.statusCode === 429) {
          refused += 1
          const times = (asked.get(key) ?? 1) - 1
          if (times === 0) asked.delete(key)
          else asked.set(key, times)
        }
        outgoing.writeHead(reply.statusCode ?? 502, reply.headers)
        reply.pipe(outgoing)
      })
      forwarded.on("error", () => outgoing.destroy())
      outgoing.on("close", () => forwarded.destroy())
      forwarded.end()
      asked.set(key, (asked.get(key) ?? 0) + 1)
    })
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => {
        server.listen(0, "127.0.0.1", () => resume(Effect.void))
      }),
      () =>
        Effect.sync(() => {
          server.closeAllConnections()
          server.close()
        })
    )
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    return {
      root: `http://127.0.0.1:${port}${pathname}`,
      /** Requests so far. */
      count: () => [...asked.values()].reduce((sum, times) => sum + times, 0),
      asked,
      /** Requests that were answered with 429. */
      refused: () => refused,
      forget: () => asked.clear()
    }
  })

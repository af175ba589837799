import * as Effect from "effect/Effect"
import { createServer, request } from "node:http"

/** Stands before a service and writes down what is asked of it: how often each path and query, without the key. */
export const make = (root: string) =>
  Effect.gen(function* () {
    const { origin, pathname } = new URL(root)
    const asked = new Map<string, number>()
    const server = createServer((incoming, outgoing) => {
      const url = new URL(incoming.url ?? "", origin)
      const forwarded = request(url, { method: "GET", headers: incoming.headers }, (reply) => {
        outgoing.writeHead(reply.statusCode ?? 502, reply.headers)
        reply.pipe(outgoing)
      })
      forwarded.on("error", () => outgoing.destroy())
      outgoing.on("close", () => forwarded.destroy())
      forwarded.end()
      url.searchParams.delete("api_key")
      const key = `${url.pathname}${url.search}`
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
      forget: () => asked.clear()
    }
  })

import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as Http from "node:http"
import { createServer } from "node:http"
import type { AddressInfo, Socket } from "node:net"

/** A server that answers as a test wants, and remembers what it saw. */
export interface Server {
  /** Root for a client; ends in `/v4`. */
  readonly url: string
  readonly port: number
  /** Requests in the order they came. */
  readonly requests: ReadonlyArray<Pick<Http.IncomingMessage, "url" | "headers">>
  /** Connections accepted since the start. */
  readonly accepted: () => number
  /** The most connections open at once. */
  readonly most: () => number
  /** Connections open now. */
  readonly open: Effect.Effect<number>
  /** One element for every connection that has closed. */
  readonly closed: Queue.Dequeue<Socket>
}

/** Listens on a free port of this machine until the scope closes. */
export const serve = (listener: Http.RequestListener) =>
  Effect.gen(function* () {
    const requests: Array<Pick<Http.IncomingMessage, "url" | "headers">> = []
    const closed = yield* Queue.unbounded<Socket>()
    const open = new Set<Socket>()
    let accepted = 0
    let most = 0
    const node = createServer((request, response) => {
      requests.push({ url: request.url ?? "", headers: request.headers })
      listener(request, response)
    })
    node.on("connection", (socket) => {
      accepted += 1
      open.add(socket)
      most = Math.max(most, open.size)
      socket.once("close", () => {
        open.delete(socket)
        Queue.offerUnsafe(closed, socket)
      })
    })
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => {
        node.listen(0, "127.0.0.1", () => resume(Effect.void))
      }),
      () =>
        Effect.callback<void>((resume) => {
          node.close(() => resume(Effect.void))
          node.closeAllConnections()
        })
    )
    // Type boundary: a server that listens on a port has an address of this form.
    const { port } = node.address() as AddressInfo
    const server: Server = {
      url: `http://127.0.0.1:${port}/v4`,
      port,
      requests,
      accepted: () => accepted,
      most: () => most,
      open: Effect.callback((resume) => {
        node.getConnections((_, count) => resume(Effect.succeed(count)))
      }),
      closed
    }
    return server
  })

/** Answers with JSON. */
export const json = (response: Http.ServerResponse, body: unknown, headers: Http.OutgoingHttpHeaders = {}) => {
  response.writeHead(200, { "content-type": "application/json", "x-ratelimit-limit": "6000, 6000;w=20", ...headers })
  response.end(JSON.stringify(body))
}

/** So many pages of one asset each, named by their place; the token is the number of the next page. */
export const pagesOf =
  (count: number, more: object = {}): Http.RequestListener =>
  (request, response) => {
    const page = Number(new URL(request.url ?? "", "http://here").searchParams.get("next_page_token") ?? 0)
    json(response, {
      data: [{ asset: `asset${page}`, full_name: `Asset ${page}` }],
      ...(page + 1 < count ? { next_page_token: String(page + 1), ...more } : {})
    })
  }

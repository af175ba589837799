/**
 * Sends single requests to the service and gives the replies as they came, so that no mistake of an endpoint hides.
 *
 * Requests are sent one after the other, under the quota of the client and with its key. A request that was sent before is not
 * sent again.
 */
import * as Client from "@sluice/core/Client"
import { withoutKey } from "@sluice/core/PlainText"
import * as Root from "@sluice/core/Root"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as UrlParams from "effect/http/UrlParams"
import * as Layer from "effect/Layer"
import * as Record from "effect/Record"
import * as Redacted from "effect/Redacted"
import * as Socket from "effect/socket/Socket"
import * as Stream from "effect/Stream"
import * as Connection from "./Connection.ts"
import * as Headers from "./Headers.ts"
import { notAsked, unclear, type Undecided } from "./Undecided.ts"

export type Query = Readonly<Record<string, string | number | boolean>>

export interface Way {
  /** A key that the service does not know, in place of the user's. */
  readonly wrongKey?: boolean
  /** Asks the community root, without a key. */
  readonly atCommunity?: boolean
  /** The bytes of the body that are read; 16 MiB by default. */
  readonly most?: number
}

/** A reply, whatever its status. */
export interface Reply {
  readonly status: number
  /** By their names in lower case, without the key. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: string
  /** Whether the body was longer than what was read of it. */
  readonly isCut: boolean
}

export class Service extends Context.Service<
  Service,
  {
    /** Sends a request, and receives its reply. */
    readonly get: (path: string, query?: Query, way?: Way) => Effect.Effect<Reply, Undecided>
    /** Opens a live stream, and takes its frames. The second time, the frames are those of the first. */
    readonly listen: (path: string, query: Query, until: Connection.Until) => Effect.Effect<Connection.Heard, Undecided>
    readonly isCommunity: Effect.Effect<boolean, Undecided>
    /** How the community root is asked. Fails where it is not known. */
    readonly community: Effect.Effect<Way, Undecided>
    /** Whether the client has a key to send. */
    readonly hasKey: boolean
    readonly used: Effect.Effect<number>
  }
>()("@sluice/cli/Service") {}

/** The longest wait for a reply with its body. */
const patience = Duration.seconds(60)

const usualMost = 16 * 1024 * 1024

/** The requests of a survey, whatever the service answers. */
const mostRequests = 190

/** How often a request is sent that is refused with 429 or a 5xx, and the least pause before it is sent again. */
const attempts = 3
const pause = Duration.seconds(1)

/** The pause behind a reply where the service names no limit: that of the smallest published plan, ten requests in six seconds. */
const slowest = Duration.millis(700)

const wrong = Redacted.make("sluice-doctor-wrong-key")

/** Provides the requests of a client. */
export const layer: Layer.Layer<Service, never, Client.Client | HttpClient.HttpClient | Socket.WebSocketConstructor> =
  Layer.effect(
    Service,
    Effect.gen(function* () {
      const { account, quota } = yield* Client.Client
      // Ties the socket to a scope, with which a body that is not read to its end is closed.
      const http = HttpClient.withScope(yield* HttpClient.HttpClient)
      const construct = yield* Socket.WebSocketConstructor
      const { apiKey, root } = account
      const replies = new Map<string, Exit.Exit<Reply, Undecided>>()
      const connections = new Map<string, Exit.Exit<Connection.Heard, Undecided>>()
      let used = 0

      const exchange = Effect.fnUntraced(function* (path: string, query: Query, way: Way) {
        if (used >= mostRequests) return yield* unclear(`${mostRequests} requests were sent`)
        const { atCommunity = false, most = usualMost, wrongKey = false } = way
        const key = atCommunity ? undefined : wrongKey ? wrong : apiKey
        const address = `${atCommunity ? Root.community.url : root.url}${path}`
        const permit = yield* Effect.mapError(quota.acquire, (held) =>
          unclear(held._tag === "WaitTooLong" ? "the rate limit is exhausted" : withoutKey(held.reason))
        )
        const plain = HttpClientRequest.get(address, { acceptJson: true }).pipe(HttpClientRequest.setUrlParams(query))
        const request = key === undefined ? plain : HttpClientRequest.setUrlParam(plain, "api_key", key)
        used += 1
        const received = Effect.gen(function* () {
          const { headers: raw, status, stream } = yield* http.execute(request)
          const headers = Record.map(raw, account.scrub)
          // Other keys and roots have limits of their own.
          if (!atCommunity && !wrongKey) {
            yield* permit.observe({ status, ...Headers.limits(headers) })
          }
          const reply: Reply = { status, headers, ...(yield* read(stream, most)) }
          return reply
        })
        // The error of the library is dropped: it holds the request.
        const reply = yield* within(Effect.mapError(received, () => unclear("no complete reply")))
        const { limit } = yield* quota.state
        if (!Number.isFinite(limit)) yield* Effect.sleep(slowest)
        return reply
      }, Effect.scoped)

      const send = Effect.fnUntraced(function* (path: string, query: Query, way: Way) {
        let reply = yield* exchange(path, query, way)
        for (let n = 1; n < attempts && (reply.status === 429 || reply.status >= 500); n++) {
          yield* Effect.sleep(pause)
          reply = yield* exchange(path, query, way)
        }
        return reply
      }, alone)

      const get = (path: string, query: Query = {}, way: Way = {}) =>
        once(replies, [path, query, way], send(path, query, way))

      const isCommunity = Effect.map(
        get("/reference-data/assets", { page_size: 100 }),
        ({ headers }) => root.url === Root.community.url || headers["x-ratelimit-plan"] === "community"
      )

      const community = Effect.gen(function* () {
        if (yield* isCommunity) return {}
        if (root.url === Root.paid.url) return { atCommunity: true }
        return yield* notAsked("the community root of this service is not known")
      })

      const listen = Effect.fnUntraced(function* (path: string, query: Query, until: Connection.Until) {
        if (yield* isCommunity) return yield* notAsked("the community root has no live streams")
        const all = apiKey === undefined ? query : { ...query, api_key: Redacted.value(apiKey) }
        const pairs = new URLSearchParams(Object.entries(all).map(([name, value]) => [name, String(value)]))
        const connect = () => {
          used += 1
          // The URL holds the key. It goes nowhere else.
          return construct(`${root.url.replace(/^http/, "ws")}${path}?${pairs}`)
        }
        return yield* once(connections, [path, query], Connection.listen(connect, until))
      })

      return Service.of({
        get,
        listen,
        isCommunity,
        community,
        hasKey: apiKey !== undefined,
        used: Effect.sync(() => used)
      })
    })
  )

/** Runs an effect unless it was run under this name before. */
const once = Effect.fnUntraced(function* <A, R>(
  before: Map<string, Exit.Exit<A, Undecided>>,
  name: ReadonlyArray<unknown>,
  effect: Effect.Effect<A, Undecided, R>
) {
  const key = JSON.stringify(name)
  const exit = before.get(key) ?? (yield* Effect.exit(effect))
  before.set(key, exit)
  return yield* exit
})

/** Without redirects, which could take the key to another host, and without spans, which would hold the headers. */
const alone = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  self.pipe(
    Effect.provideService(UrlParams.CurrentRedactedNames, ["api_key"]),
    Effect.provideService(HttpClient.TracerPropagationEnabled, false),
    Effect.provideService(HttpClient.TracerDisabledWhen, () => true)
  )

const within = <A, R>(self: Effect.Effect<A, Undecided, R>) =>
  Effect.timeoutOrElse(self, {
    duration: patience,
    orElse: () => Effect.fail(unclear(`no complete reply within ${Duration.format(patience)}`))
  })

/** Reads the start of a body, as text. */
const read = <E, R>(body: Stream.Stream<Uint8Array, E, R>, most: number) => {
  const decoder = new TextDecoder()
  let bytes = 0
  let text = ""
  return body.pipe(
    Stream.takeUntil((chunk) => {
      bytes += chunk.length
      // Decoded at once: the chunk is valid until the next one is pulled.
      text += decoder.decode(chunk, { stream: true })
      return bytes > most
    }),
    Stream.runDrain,
    Effect.map(() => ({ body: text + decoder.decode(), isCut: bytes > most }))
  )
}

/** Requests the file of a result from its own host, without the key and outside the quota. */
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Record from "effect/Record"
import type { Engine, Opened } from "../http/Engine.ts"
import * as Exchange from "../http/Exchange.ts"
import * as Refusal from "../http/Refusal.ts"
import * as RateLimitHeaders from "../quota/RateLimitHeaders.ts"

/** How a client requests files. */
export interface Options {
  readonly engine: Engine
  readonly scrub: (text: string) => string
  /** The client's longest wait. */
  readonly longestWait: Duration.Duration
}

/** Sends a URL as it is, since a signature may depend on the spelling of the query. */
const sendTo = Effect.fnUntraced(function* (engine: Engine, endpoint: string, url: string) {
  const request = HttpClientRequest.get(url)
  const { attempt, bodyOf, ...head } = yield* engine.exchange({
    endpoint,
    request,
    address: new URL(url),
    isService: false
  })
  yield* attempt.head(head)
  return { ...head, body: yield* bodyOf() }
})

/** Requests a file once. Its socket is held until the scope closes. Errors name the endpoint. */
export const open = Effect.fnUntraced(function* (
  { engine, longestWait, scrub }: Options,
  endpoint: string,
  url: string
) {
  // A connection returns to its pool a moment later. A request sent sooner would open another connection.
  yield* Effect.addFinalizer(() => Effect.yieldNow)
  const { body, headers, status } = yield* Exchange.guarded(sendTo(engine, endpoint, url))
  const { retryAfter } = RateLimitHeaders.parse(Record.map(headers, scrub), yield* Clock.currentTimeMillis)
  const reply: Refusal.Reply = {
    endpoint,
    root: new URL(url).origin,
    status,
    trace: undefined,
    replacement: undefined,
    notice: undefined,
    limits: { retryAfter },
    longestWait,
    scrub
  }
  // What the host says may quote its URL, whose signature is a secret.
  const text = `the host of the results answered with ${status === 0 ? "a redirect" : `status ${status}`}`
  const refuse = () => Refusal.toApiError(reply, { type: undefined, text })
  return status === 200 ? ({ trace: undefined, notice: undefined, body, refuse } satisfies Opened) : yield* refuse()
})

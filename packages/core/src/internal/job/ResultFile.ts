/**
 * Requests the file of a result from its own host, without the key and outside the quota.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { fromRefusal } from "../../ApiError.ts"
import type { Engine, Opened } from "../http/Engine.ts"
import * as RateLimitHeaders from "../quota/RateLimitHeaders.ts"

/** How a client requests files. */
export interface Options {
  readonly engine: Engine
  readonly scrub: (text: string) => string
  /** The client's longest wait. */
  readonly longestWait: Duration.Duration
}

/** Requests a file once. Its socket is held until the scope closes. Errors name the endpoint. */
export const open = Effect.fnUntraced(function* (
  { engine, longestWait, scrub }: Options,
  endpoint: string,
  url: string
) {
  const { body, headers, status } = yield* engine.openUrl(endpoint, url)
  const { retryAfter } = RateLimitHeaders.parse(headers, yield* Clock.currentTimeMillis)
  const asked = retryAfter === undefined ? undefined : Duration.millis(retryAfter)
  const refusal = () =>
    fromRefusal({
      endpoint,
      root: new URL(url).origin,
      status,
      trace: undefined,
      plan: undefined,
      limit: undefined,
      retryAfter: asked,
      longestWait: asked !== undefined && Duration.isGreaterThan(asked, longestWait) ? longestWait : undefined,
      notice: undefined,
      type: undefined,
      // What the host says may quote its URL, whose signature is a secret.
      text: `the host of the results answered with ${status === 0 ? "a redirect" : `status ${status}`}`,
      replacement: undefined
    })
  return status === 200
    ? ({ trace: undefined, notice: undefined, body, scrub, refuse: refusal } satisfies Opened)
    : yield* refusal()
})

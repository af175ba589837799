import { assert, describe, it } from "@effect/vitest"
import { ApiError, BlockchainJobs, Client, Timeseries } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { serve } from "./Server.ts"

const key = "the-key-of-this-test"

/** A service that redirects everything to another host, and lists a job with a file of its own. */
const redirecting = Effect.gen(function* () {
  const other = yield* serve((_, response) => response.end('{"account":"a","balance":"1"}\n'))
  const service = yield* serve((request, response) => {
    const { headers, url = "" } = request
    if (url.startsWith("/v4/jobs")) {
      const job = { id: "j", status: "completed", results: [{ url: `http://${headers.host}/file.gz` }] }
      return response.end(JSON.stringify({ data: [job] }))
    }
    return response.writeHead(302, { location: `http://127.0.0.1:${other.port}${url}` }).end()
  })
  const layer = Client.layer({ root: service.url, apiKey: Redacted.make(key) }).pipe(
    Layer.provide(FetchHttpClient.layer)
  )
  return { layer, other }
})

const params = { assets: ["btc"], metrics: ["PriceUSD"] } as const
const { accountBalances } = BlockchainJobs

const calls: ReadonlyArray<readonly [string, Effect.Effect<unknown, unknown, Client.Client>]> = [
  ["a list", Stream.runDrain(Timeseries.assetMetrics(params))],
  ["a page", Stream.runDrain(Timeseries.assetMetrics.pages(params))],
  ["lines", Stream.runDrain(Timeseries.assetMetrics({ ...params, format: "json_stream" }))],
  ["the results of a job", Stream.runDrain(accountBalances.results("j"))],
  ["the start of a job", accountBalances.submit({ assets: "btc", accounts: "a", at_height: 1 })]
]

const unavailable = (error: unknown) =>
  error instanceof ApiError.Unavailable ? error : (error as { readonly error?: unknown }).error

describe("A redirect over fetch", () => {
  it.live.each(calls)("is not followed, so no other host sees the key or gives the records: %s", ([, call]) =>
    Effect.gen(function* () {
      const { layer, other } = yield* redirecting
      const error = yield* Effect.flip(Effect.provide(call, layer))
      assert.deepStrictEqual(other.requests, [])
      assert.deepInclude(unavailable(error), { _tag: "Unavailable", phase: "reply", status: 302 } as never)
    }).pipe(Effect.scoped)
  )

  it.live.each(calls)("fails the same where a browser hides its status: %s", ([name, call]) =>
    Effect.gen(function* () {
      const asked: Array<RequestRedirect | undefined> = []
      const fetch: typeof globalThis.fetch = (url, init) => {
        asked.push(init?.redirect)
        const listed = { data: [{ id: "j", status: "completed", results: [{ url: "https://files.example.com/f" }] }] }
        if (String(url).includes("/jobs?")) return Promise.resolve(Response.json(listed))
        // Like the reply to a redirect in a browser, this has the status 0 and neither headers nor body.
        return Promise.resolve(Response.error())
      }
      const layer = Client.layer({ root: "https://api.example.com/v4" }).pipe(Layer.provide(FetchHttpClient.layer))
      const error = yield* Effect.flip(Effect.provide(call, layer)).pipe(
        Effect.provideService(FetchHttpClient.Fetch, fetch)
      )
      assert.deepStrictEqual([...new Set(asked)], ["manual"])
      if (name === "the start of a job") return assert.deepInclude(error, { _tag: "JobUnconfirmed" } as never)
      const found = unavailable(error)
      assert.deepInclude(found, { _tag: "Unavailable", transient: false, status: undefined } as never)
      assert.match(String(found), /redirect/)
    })
  )
})

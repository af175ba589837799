import { assert, describe, it } from "@effect/vitest"
import { ReferenceData } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { json, serve } from "./Server.ts"

const apiKey = Redacted.make("k:e,y&=+ #")

/** A list of so many characters. */
const list = (length: number) => `${"a:b,".repeat(Math.ceil(length / 4)).slice(0, length - 1)}c`

const read = (length: number) => Stream.runDrain(ReferenceData.assets({ assets: list(length) }))

describe("the query of a request", () => {
  it.live(
    "has commas, colons and other allowed characters without escapes, and escapes what would change its meaning",
    () =>
      Effect.gen(function* () {
        const server = yield* serve((_, response) => json(response, { data: [] }))
        yield* ReferenceData.assets({ assets: ["a:b", "c/d?e@f$", "*!(~)", "x&y=z+1;#", "' \"%2C", "é😀"] }).pipe(
          Stream.runDrain,
          Effect.provide(NodeClient.layer({ root: server.url, apiKey }))
        )
        assert.deepStrictEqual(
          server.requests.map(({ url }) => url),
          [
            "/v4/reference-data/assets?page_size=10000&assets=a:b,c/d?e@f$,*!(~),x%26y%3Dz%2B1%3B%23,%27%20%22%252C,%C3%A9%F0%9F%98%80&api_key=k:e,y%26%3D%2B%20%23"
          ]
        )
      })
  )

  it.live("is as long as the client counts: the longest has 10,000 characters", () =>
    Effect.gen(function* () {
      const server = yield* serve((_, response) => json(response, { data: [] }))
      const fixed = "/v4/reference-data/assets?page_size=10000&assets=&api_key=k:e,y%26%3D%2B%20%23".length
      const error = yield* Effect.gen(function* () {
        yield* read(10_000 - fixed)
        return yield* Effect.flip(read(10_001 - fixed))
      }).pipe(Effect.provide(NodeClient.layer({ root: server.url, apiKey })))
      assert.deepInclude(error, { _tag: "InvalidRequest", kind: "tooLong" } as const)
      assert.deepStrictEqual(
        server.requests.map(({ url }) => url?.length),
        [10_000]
      )
    })
  )
})

import { assert, describe, it } from "@effect/vitest"
import { Client, ReferenceData, Retry } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { inspect } from "node:util"
import * as Call from "../../core/src/internal/call/Call.ts"
import * as Engine from "../../core/src/internal/http/Engine.ts"
import * as PageRequest from "../../core/src/internal/http/PageRequest.ts"
import { until } from "./Harness.ts"
import { pagesOf, serve } from "./Server.ts"

const key = "zebra-7f3a91cd"
const apiKey = Redacted.make(key)

/** What JSON makes of a value; of a fiber it makes nothing. */
const toJson = (value: unknown) =>
  Fiber.isFiber(value)
    ? ""
    : (JSON.stringify(value, (_, inner: unknown) => (typeof inner === "bigint" ? 0 : inner)) ?? "")

const assertClean = (value: unknown) => {
  const seen = inspect(value, { depth: 10, showHidden: true, getters: true, maxArrayLength: null })
  for (const text of [seen, toJson(value), String(value)]) {
    const at = text.indexOf(key)
    assert.strictEqual(at, -1, `the key in: ${text.slice(Math.max(0, at - 200), at + 50)}`)
  }
}

const assets = ReferenceData.assets({ page_size: 20 })
const lines = ReferenceData.assets({ format: "json_stream" })

/** A fiber whose request is under way, or whose body is. */
const running = (stream: typeof assets) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkScoped(Stream.runDrain(stream))
    yield* until(Client.quota, ({ inFlight }) => inFlight > 0)
    yield* Effect.sleep("20 millis")
    return fiber
  })

type Value = Effect.Effect<unknown, unknown, Client.Client | HttpClient.HttpClient | Scope.Scope>

const values: Readonly<Record<string, Value>> = {
  "the client": Client.Client,
  "the HTTP client beneath it": HttpClient.HttpClient,
  "the context of both": Effect.context<Client.Client | HttpClient.HttpClient>(),
  "both after a call": Effect.andThen(Stream.runDrain(assets), Effect.context<Client.Client | HttpClient.HttpClient>()),
  "a fiber that waits for a page": running(assets),
  "a fiber that waits for lines": running(lines),
  "a fiber that was interrupted": Effect.tap(running(lines), Fiber.interrupt),
  "the client while it waits": Effect.andThen(running(assets), Effect.context<Client.Client>()),
  "the pages, though every next_page_url carries it": Stream.runCollect(ReferenceData.assets.pages({ page_size: 100 })),
  "the envelope of a page": Client.Client.use((client) =>
    PageRequest.page(Engine.of(client), { call: Call.make(ReferenceData.assets, { page_size: 20 }) })
  ),
  "the metrics": Effect.andThen(Stream.runDrain(assets), Metric.snapshot)
}

/** Takes its time, and names the key in every page, as the service does. */
const slow = Effect.gen(function* () {
  const more = { next_page_url: `http://here/v4/reference-data/assets?api_key=${key}&next_page_token=1` }
  const reply = pagesOf(3, more)
  return yield* serve((request, response) => {
    setTimeout(() => reply(request, response), 100)
  })
})

describe("the key shows in no public value of the client on Node", () => {
  it.live.each(Object.entries(values))("%s", ([, value]) =>
    Effect.gen(function* () {
      const { url } = yield* slow
      const options = { root: url, apiKey, retry: Retry.none }
      const client = Layer.merge(NodeClient.layer(options), NodeClient.layerHttp(options))
      assertClean(yield* Effect.provide(value, client))
    })
  )

  it("its settings and its layers", () => {
    const options = { apiKey, connect: "1 second" } satisfies NodeClient.Options
    for (const value of [options, NodeClient.layer(options), NodeClient.layerHttp(options)]) assertClean(value)
    assertClean(NodeClient.layerConfig(options))
  })
})

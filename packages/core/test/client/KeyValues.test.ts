import * as util from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Account, Client, Quota, ReferenceData, Retry, Root, Timeseries } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Call from "../../src/internal/call/Call.ts"
import * as Engine from "../../src/internal/http/Engine.ts"
import * as PageRequest from "../../src/internal/http/PageRequest.ts"
import * as FakeApi from "../FakeApi.ts"
import * as Virtual from "../Virtual.ts"

/** A key with characters a URL writes differently. */
const key = "k3y+/=s3cr3t é"

const forms = [key, encodeURIComponent(key), new URLSearchParams([["k", key]]).toString().slice(2)]

const apiKey = Redacted.make(key)

/** What JSON makes of a value; a fiber holds numbers it does not know. */
const toJson = (value: unknown) =>
  JSON.stringify(value, (_, inner: unknown) => (typeof inner === "bigint" ? String(inner) : inner)) ?? ""

/** Every way a value is printed by those who do not think about it. */
const facesOf = (value: unknown): ReadonlyArray<string> => [
  String(value),
  toJson(value),
  util.inspect(value, { depth: 10, showHidden: true, getters: true, maxArrayLength: null, maxStringLength: null }),
  util.format("%o", value)
]

const assertClean = (value: unknown) => {
  for (const text of facesOf(value)) {
    for (const form of forms) assert.notInclude(text, form)
  }
}

const url = `${FakeApi.root}/reference-data/assets?api_key=${encodeURIComponent(key)}&next_page_token=1`

/** A service whose pages name the key, as the real one's do, and whose refusals quote it. */
const api = () =>
  FakeApi.serve(({ target }) => {
    if (target.startsWith("/reference-data/assets")) {
      const isFirst = !target.includes("next_page_token")
      return Effect.succeed(FakeApi.page([FakeApi.asset("btc")], undefined, isFirst ? { next_page_url: url } : {}))
    }
    if (target.startsWith("/reference-data/pairs")) return Effect.never
    return Effect.succeed(FakeApi.refusal(403, "forbidden", `the key ${key} may not, see ${url}`))
  })

const assets = ReferenceData.assets()
const waiting = ReferenceData.pairs()
const refused = Timeseries.assetMetrics({ assets: ["btc"], metrics: ["PriceUSD"] })
const request: Engine.Request = { call: Call.make(ReferenceData.assets) }

type Value = Effect.Effect<unknown, unknown, Client.Services | Scope.Scope>

const values: Readonly<Record<string, Value>> = {
  "the client": Client.Client,
  "its account": Account.Account,
  "the quota it shares": Quota.Quota,
  "its context": Effect.context<Client.Services>(),
  "its quota": Client.quota,
  "a change of its quota": Stream.runHead(Client.quotaChanges),
  "an endpoint": Effect.succeed(ReferenceData.assets),
  "a stream": Effect.succeed(assets),
  "a stream that was run": Effect.as(Stream.runDrain(assets), assets),
  "the records": Stream.runCollect(assets),
  "the pages": Stream.runCollect(ReferenceData.assets.pages()),
  "the exit of a stream": Effect.exit(Stream.runDrain(assets)),
  "the exit of a refused stream": Effect.exit(Stream.runDrain(refused)),
  "the cause of a refusal": Effect.flip(Effect.sandbox(Stream.runDrain(refused))),
  "the error of a refusal": Effect.flip(Stream.runDrain(refused)),
  "a fiber that waits for its reply": Effect.gen(function* () {
    const fiber = yield* Effect.forkScoped(Stream.runDrain(waiting))
    yield* Effect.sleep("1 second")
    return fiber
  }),
  "the exit of an interrupted fiber": Effect.gen(function* () {
    const fiber = yield* Effect.forkScoped(Stream.runDrain(waiting))
    yield* Effect.sleep("1 second")
    yield* Fiber.interrupt(fiber)
    return [fiber, yield* Fiber.await(fiber)]
  }),
  "the scope of a request": Effect.gen(function* () {
    const client = yield* Client.Client
    yield* Engine.of(client).open(request)
    return yield* Effect.scope
  }),
  "the head of a reply": Client.Client.use((client) => Engine.of(client).open(request)),
  "the envelope of a page": Client.Client.use((client) => PageRequest.page(Engine.of(client), request))
}

describe("the key shows in no public value", () => {
  it.effect.each(Object.entries(values))("%s", ([, value]) =>
    Effect.gen(function* () {
      const shown = yield* Virtual.run(
        Effect.scoped(
          Effect.flatMap(value, (shown) => Effect.sync(() => assertClean(shown))).pipe(
            Effect.provide(api().layer({ apiKey, retry: Retry.none }))
          )
        )
      )
      assert.isUndefined(shown)
    })
  )

  it.effect("the settings of a client, its layer, and what is wrong with them", () =>
    Effect.gen(function* () {
      const options: Client.Options = { apiKey, root: Root.paid, idle: "1 second" }
      const layer = Client.layer(options).pipe(Layer.provide(api().http))
      for (const value of [options, layer, apiKey]) assertClean(value)
      for (const wrong of [{ root: "no url" }, { parallel: -1 }, { idle: 0 }]) {
        const built = yield* Effect.exit(Effect.scoped(Layer.build(api().layer({ ...options, ...wrong }))))
        assert.isTrue(Exit.isFailure(built))
        assertClean(built)
      }
    })
  )

  it.effect("a root whose URL has it in its query", () =>
    Effect.gen(function* () {
      const built = yield* Effect.exit(
        Effect.scoped(Layer.build(api().layer({ apiKey, root: `${FakeApi.root}?api_key=${encodeURIComponent(key)}` })))
      )
      assertClean(built)
    })
  )
})

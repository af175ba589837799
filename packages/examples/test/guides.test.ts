import { assert, describe, it } from "@effect/vitest"
import { Misconfigured } from "@sluice/core/ApiError"
import { Client, Retry } from "@sluice/core"
import { Sandbox } from "@sluice/sandbox"
import { ConfigProvider, Effect, Layer } from "effect"
import { closes } from "../src/closes.ts"
import { countOf } from "../src/guides/answers.ts"
import { results } from "../src/guides/balances.ts"
import { behind } from "../src/guides/behindProxy.ts"
import { twoPages } from "../src/guides/continueLater.ts"
import { worth } from "../src/guides/numbers.ts"
import { clientOver, newest } from "../src/guides/overFetch.ts"
import { plan } from "../src/guides/plan.ts"
import { quota } from "../src/guides/quota.ts"
import { inMemory, printed, shownAfter } from "./Guides.ts"

describe("the programs of the guides", () => {
  it.live("print what the pages say", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* printed(closes), shownAfter("README.md", "closes.ts"))
      assert.deepStrictEqual(yield* printed(closes), shownAfter("docs/getting-started.md", "closes.ts"))
      assert.deepStrictEqual(yield* printed(twoPages), shownAfter("docs/resuming.md", "guides/continueLater.ts"))
    }).pipe(Effect.provide(inMemory))
  )

  it.live("print what is known of the quota", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* printed(quota), shownAfter("docs/quotas.md", "guides/quota.ts"))
    }).pipe(Effect.provide(inMemory))
  )

  it.live("say what a download would take", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* printed(plan), [
        "coinbase-btc-usd-spot: 4344 records",
        "kraken-btc-usd-spot: 4344 records",
        "12 requests; not known: a catalog does not list the holes of a series"
      ])
    }).pipe(Effect.provide(inMemory))
  )

  it.live("add up numbers to the last digit", () =>
    Effect.gen(function* () {
      const { nanos, total } = yield* worth
      assert.deepStrictEqual([total, String(nanos)], ["166520.7768909606", "59219501435"])
    }).pipe(Effect.provide(inMemory))
  )

  it.live("read the results of a job by its id", () =>
    Effect.gen(function* () {
      const [record] = yield* results
      assert.strictEqual(record?.account, "treasury-btc")
    }).pipe(Effect.provide(inMemory))
  )

  for (const [fault, answer] of [
    [undefined, /^\d+ prices$/],
    ["status=403", /^the licence/],
    ["status=503", /^try again later$/]
  ] as const) {
    it.live(`have an answer to ${fault ?? "no fault"}`, () =>
      Effect.gen(function* () {
        assert.match(yield* countOf("btc"), answer)
      }).pipe(Effect.provide(Sandbox.layerClient((given) => Client.layer({ ...given, retry: Retry.none }), { fault })))
    )
  }

  it.live("say which parameter is wrong", () =>
    Effect.gen(function* () {
      assert.match(yield* countOf("no-such-asset"), /^check assets: /)
    }).pipe(Effect.provide(inMemory))
  )

  it.live("read over fetch", () =>
    Effect.gen(function* () {
      const { url } = yield* Sandbox.Sandbox
      assert.match((yield* Effect.provide(newest("btc"), clientOver(url, "demo-key"))) ?? "", /^\d+\.\d+$/)
    }).pipe(Effect.provide(Sandbox.layer()))
  )

  it.live("refuse a proxy of a kind that it does not speak to, before anything is sent", () =>
    Effect.gen(function* () {
      const key = ConfigProvider.layer(ConfigProvider.fromUnknown({ SLUICE: { API_KEY: "demo-key" } }))
      yield* Effect.provide(Effect.void, Layer.provide(behind("http://proxy.example:3128"), key))
      const refused = yield* Effect.flip(
        Effect.provide(Effect.void, Layer.provide(behind("socks5://proxy.example"), key))
      )
      assert.instanceOf(refused, Misconfigured)
    })
  )
})

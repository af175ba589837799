import { assert, describe, it } from "@effect/vitest"
import { BlockchainV2, Client, Endpoints, Root } from "@sluice/core"
import { Dialect, Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { inVirtualTime, outcome } from "./Harness.ts"

const { words } = Dialect.questions.disabledParameters

const chain = Endpoints.all.filter(({ community, path }) => community && path.startsWith("/blockchain-v2/"))

/** A client of a community root within the process, both on the test clock. */
const client = (dialect: Partial<Dialect.Dialect>) =>
  Layer.effect(
    Client.Client,
    Effect.flatMap(Sandbox.Sandbox, ({ communityUrl }) => Client.make({ root: communityUrl }))
  ).pipe(Layer.provideMerge(Sandbox.layerMemory({ dialect })))

const month = 30 * 86_400_000

describe("The chain lists of the community root", () => {
  for (const disabledParameters of words) {
    it.effect(`are read without the size of a page, where it is disabled: ${disabledParameters}`, () =>
      Effect.gen(function* () {
        const { stats } = yield* Sandbox.Sandbox
        assert.strictEqual(chain.length, 6)
        for (const endpoint of chain) {
          for (const size of [{}, { page_size: 7 }]) {
            // Type boundary: all of them take these parameters.
            const pages = endpoint.pages({ asset: "eth", paging_from: "end", ...size } as never)
            const { error, records } = yield* outcome(Stream.take(pages, 1))
            assert.isUndefined(error, endpoint.path)
            assert.strictEqual(records[0]?.data.length, 100, endpoint.path)
          }
        }
        assert.deepStrictEqual(Object.keys((yield* stats).statuses), ["200"])
      }).pipe(inVirtualTime, Effect.provide(client({ disabledParameters })))
    )

    it.effect(`show a month, and a hundred updates of an account: ${disabledParameters}`, () =>
      Effect.gen(function* () {
        const params = { asset: "btc", accounts: "treasury-btc" }
        const records = yield* Stream.runCollect(BlockchainV2.balanceUpdates(params))
        assert.strictEqual(records.length, 100)
        const latest = yield* Stream.runCollect(BlockchainV2.balanceUpdates({ ...params, paging_from: "end" }))
        const [first, last] = [records[0]?.consensus_time, latest[0]?.consensus_time]
        assert.isAtMost(Math.abs(Date.parse(last!) - Date.parse(first!) - month), 86_400_000)
      }).pipe(inVirtualTime, Effect.provide(client({ disabledParameters })))
    )
  }

  it.effect("refuse what is disabled there, before anything is sent", () =>
    Effect.gen(function* () {
      for (const params of [{ start_time: "2026-01-01" }, { end_height: 9 }, { limit_per_account: 3 }]) {
        const error = yield* Stream.runDrain(BlockchainV2.balanceUpdates({ asset: "btc", ...params })).pipe(
          Effect.flip,
          Effect.provide(Layer.effect(Client.Client, Client.make({ root: Root.community })))
        )
        const [parameter] = Object.keys(params)
        assert.deepInclude(error, { _tag: "InvalidRequest", kind: "unknown", parameter } as const)
        assert.include(String(error), "is disabled at the community root")
      }
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )
})

import { assert, describe, it } from "@effect/vitest"
import { BlockchainV2, Endpoint, Endpoints, Retry } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import * as FakeApi from "../FakeApi.ts"
import * as Fixtures from "../Fixtures.ts"

const json = (body: unknown): FakeApi.Reply => ({ body: JSON.stringify(body) })

const block = { block_hash: "00ff", height: "7" }

const read = (options?: Endpoint.SingleOptions) => BlockchainV2.block({ asset: "btc", block_hash: "00ff" }, options)

describe("Fixtures of single records", () => {
  it("are one for every endpoint that gives one, and for no other path", () => {
    assert.deepStrictEqual(
      Fixtures.singles.map(({ path }) => path).sort(),
      Endpoints.singles.map(({ path }) => path).sort()
    )
  })
})

describe.each(Fixtures.singles.map((fixture) => [fixture.path, fixture] as const))("%s", (path, fixture) => {
  const single = Endpoints.singles.find((one) => one.path === path)!

  it.effect.each(Fixtures.byName(fixture.replies))("gives the record of the reply: %s", ([, { body, query }]) =>
    Effect.gen(function* () {
      const api = FakeApi.make([json(body), json(body)])
      const read = Effect.all([
        single(Fixtures.paramsOf(path, query)),
        Stream.runCollect(Endpoint.fromSingle(single)(Fixtures.paramsOf(path, query)))
      ])
      const [record, records] = yield* Effect.provide(read, api.layer())
      assert.deepStrictEqual(record, body)
      assert.deepStrictEqual(records, [record])
      const { searchParams, pathname } = api.seen[0]!.url
      assert.deepStrictEqual(Object.fromEntries(searchParams), Fixtures.sentOf(path, query))
      const parts = path.split("/").map((part) => Fixtures.queryOf(path, query)[part.replaceAll(/[{}]/g, "")] ?? part)
      assert.strictEqual(pathname, `/v4${parts.join("/")}`)
    })
  )

  it.effect.each(Fixtures.byName(fixture.broken))("refuses: %s", ([, { at, body }]) =>
    Effect.gen(function* () {
      const api = FakeApi.make([json(body)])
      const error = yield* single(Fixtures.paramsOf(path)).pipe(Effect.flip, Effect.provide(api.layer()))
      assert.deepInclude(error, { _tag: "Decode", endpoint: path, path: at } as const)
    })
  )
})

describe("A single record", () => {
  it.effect("is asked for again after a fault that may pass, and counts the attempts when it does not", () =>
    Effect.gen(function* () {
      const down: FakeApi.Reply = { status: 503, body: "" }
      const api = FakeApi.make([FakeApi.cut, down, json(block), down])
      const run = Effect.gen(function* () {
        const first = yield* read()
        const error = yield* Effect.flip(read({ retry: Retry.none }))
        return [first, error] as const
      })
      const fiber = yield* Effect.forkChild(Effect.provide(run, api.layer()))
      yield* TestClock.adjust("10 minutes")
      const [first, error] = yield* Fiber.join(fiber)
      assert.deepStrictEqual(first, block)
      assert.deepInclude(error, { _tag: "Unavailable", attempts: 1 } as const)
    })
  )

  it.effect("is asked for once more when its text is damaged, and then given up", () =>
    Effect.gen(function* () {
      const damaged: FakeApi.Reply = { body: "<html>" }
      const api = FakeApi.make([damaged, json(block), damaged, damaged])
      const run = Effect.all([read(), Effect.flip(read())])
      const fiber = yield* Effect.forkChild(Effect.provide(run, api.layer()))
      yield* TestClock.adjust("1 minute")
      const [record, error] = yield* Fiber.join(fiber)
      assert.deepStrictEqual(record, block)
      assert.strictEqual(error._tag, "Decode")
      assert.strictEqual(api.seen.length, 4)
    })
  )

  it.effect("fails with the error of the service, also when it comes with status 200", () =>
    Effect.gen(function* () {
      const error = { error: { type: "not_found", message: "Block '00ff' not found." } }
      const api = FakeApi.make([FakeApi.refusal(404, "not_found", error.error.message), json(error)])
      const errors = yield* Effect.provide(Effect.all([Effect.flip(read()), Effect.flip(read())]), api.layer())
      assert.deepStrictEqual(
        errors.map(({ _tag }) => _tag),
        ["NotFound", "NotFound"]
      )
    })
  )

  it.effect("keeps every digit of a number, and fields nobody has described", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([{ body: '{"block_hash":"00ff","height":"7","new":{"n":12345678901234567890}}' }])
      const record = yield* Effect.provide(read(), api.layer())
      assert.deepStrictEqual(record, { ...block, new: { n: "12345678901234567890" } } as never)
    })
  )
})

const bad = ["", " ", "a/b", "/", ".", "..", "\ud800", 7, null, ["btc"], undefined]

describe("A part of the path", () => {
  it.effect("is escaped, and no part of the query", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([FakeApi.page([])])
      const params = { asset: "a b?c#d%2F\\é", account: "..a", start_height: 5 }
      yield* Effect.provide(
        Stream.runDrain(BlockchainV2.accountBalanceUpdates(params)),
        api.layer({ apiKey: Redacted.make("key") })
      )
      const { pathname, searchParams } = api.seen[0]!.url
      const asset = "a%20b%3Fc%23d%252F%5C%C3%A9"
      assert.strictEqual(pathname, `/v4/blockchain-v2/${asset}/accounts/..a/balance-updates`)
      assert.deepStrictEqual(
        [...searchParams],
        [
          ["page_size", "10000"],
          ["start_height", "5"],
          ["paging_from", "start"],
          ["api_key", "key"]
        ]
      )
    })
  )

  it.effect("is refused by name when it is empty, a step, or holds a slash; nothing is sent", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([])
      const errors = yield* Effect.forEach(bad, (block_hash) =>
        Effect.flip(BlockchainV2.block({ asset: "btc", block_hash } as never))
      ).pipe(Effect.provide(api.layer()))
      for (const [index, error] of errors.entries()) {
        assert.deepInclude(error, { _tag: "InvalidRequest", parameter: "block_hash" } as const, String(bad[index]))
      }
      const given = yield* Effect.flip(
        BlockchainV2.block({ asset: "btc", block_hash: "00" }, { query: { asset: "eth" } })
      ).pipe(Effect.provide(api.layer()))
      assert.deepInclude(given, { _tag: "InvalidRequest", kind: "misplaced", parameter: "asset" } as const)
      assert.deepStrictEqual(yield* api.requests, [])
    })
  )
})

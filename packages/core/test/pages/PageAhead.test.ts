import { assert, describe, it } from "@effect/vitest"
import { ReferenceData } from "@sluice/core"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as FakeApi from "../FakeApi.ts"

const first = "/reference-data/assets?page_size=10000"
const after = (token: string) => `${first}&next_page_token=${token}`

const names = Stream.map(({ asset }: { readonly asset: string }) => asset)

const never = (body: string): FakeApi.Reply => ({ body: [body, Effect.never] })

describe("A page requested ahead", () => {
  it.effect("is not requested for a caller who stops within the first page", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([FakeApi.assets(["a", "b"], "t1")])
      const taken = yield* ReferenceData.assets().pipe(
        names,
        Stream.take(2),
        Stream.runCollect,
        Effect.provide(api.layer())
      )
      assert.deepStrictEqual(taken, ["a", "b"])
      assert.deepStrictEqual(yield* api.requests, [first])
    })
  )

  it.effect("is requested once the records of the second page are read, and no other is", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([FakeApi.assets(["a"], "t1"), FakeApi.assets(["b"], "t2"), FakeApi.assets(["c"], "t3")])
      const seen = yield* ReferenceData.assets().pipe(
        names,
        Stream.mapEffect((name) => Effect.map(api.requests, (requests) => [name, requests.length])),
        Stream.take(2),
        Stream.runCollect,
        Effect.provide(api.layer())
      )
      assert.deepStrictEqual(seen, [
        ["a", 1],
        ["b", 3]
      ])
      assert.deepStrictEqual(yield* api.requests, [first, after("t1"), after("t2")])
    })
  )

  it.effect("is requested ahead of whole pages as well", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([FakeApi.assets(["a"], "t1"), FakeApi.assets(["b"], "t2"), FakeApi.assets(["c"])])
      const seen = yield* ReferenceData.assets.pages().pipe(
        Stream.mapEffect(({ page }) => Effect.map(api.requests, (requests) => [page, requests.length])),
        Stream.runCollect,
        Effect.provide(api.layer())
      )
      assert.deepStrictEqual(seen, [
        [1, 1],
        [2, 3],
        [3, 3]
      ])
    })
  )

  it.effect("is not requested from an empty page, as more of them may follow", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([FakeApi.assets(["a"], "t1"), FakeApi.assets([], "t2"), FakeApi.assets([], "t3")])
      const read = ReferenceData.assets().pipe(Stream.runDrain, Effect.result)
      const result = yield* Effect.provide(read, api.layer({ limits: { maxEmptyPages: 2 } }))
      assert.isTrue(Result.isFailure(result))
      assert.deepStrictEqual(yield* api.requests, [first, after("t1"), after("t2")])
    })
  )

  it.effect("fails the stream behind the records before it", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([
        FakeApi.assets(["a"], "t1"),
        FakeApi.assets(["b"], "t2"),
        { status: 403, body: `{"error":{"type":"forbidden","message":"no"}}` }
      ])
      const seen: Array<string> = []
      const read = ReferenceData.assets().pipe(
        Stream.runForEach(({ asset }) => Effect.sync(() => seen.push(asset))),
        Effect.flip
      )
      const error = yield* Effect.provide(read, api.layer())
      assert.strictEqual(error._tag, "Forbidden")
      assert.deepStrictEqual(seen, ["a", "b"])
    })
  )

  it.effect("is interrupted, and its socket closed, with a stream that ends before it arrives", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const api = FakeApi.make([
        FakeApi.assets(["a"], "t1"),
        FakeApi.assets(["b"], "t2"),
        Effect.as(Deferred.succeed(begun, undefined), never(`{"data":[`))
      ])
      const read = ReferenceData.assets().pipe(
        names,
        Stream.tap((name) => (name === "b" ? Deferred.await(begun) : Effect.void)),
        Stream.take(2),
        Stream.runCollect
      )
      const counted = Effect.gen(function* () {
        assert.deepStrictEqual(yield* read, ["a", "b"])
        assert.strictEqual(yield* api.open, 0)
      })
      yield* Effect.provide(counted, api.layer())
      assert.deepStrictEqual(yield* api.requests, [first, after("t1"), after("t2")])
    })
  )
})

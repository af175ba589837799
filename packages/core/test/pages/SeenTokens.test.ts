import { assert, describe, it } from "@effect/vitest"
import { Client, ReferenceData } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as SeenTokens from "../../src/internal/pages/SeenTokens.ts"
import * as FakeApi from "../FakeApi.ts"

const long = (n: number) => `${"long-token-".repeat(100)}${n}`

describe("page tokens", () => {
  it("are known when they come again, the first of them too", () => {
    for (const first of ["t", long(0)]) {
      const tokens = SeenTokens.make(first)
      assert.isFalse(tokens.isRepeated("a"))
      assert.isFalse(tokens.isRepeated(long(1)))
      assert.isTrue(tokens.isRepeated(first))
      assert.isTrue(tokens.isRepeated(long(1)))
    }
  })

  it("are found in a cycle longer than what is remembered", () => {
    const tokens = SeenTokens.make(undefined)
    const cycle = 250_000
    let asked = 0
    while (!tokens.isRepeated(String(asked % cycle)) && asked < 10 * cycle) asked += 1
    assert.isAtLeast(asked, cycle)
    assert.isAtMost(asked, 3 * cycle)
  })

  it("are found at once where one comes twice in a row, however many came before", () => {
    const tokens = SeenTokens.make(undefined)
    for (let page = 0; page < 250_000; page++) assert.isFalse(tokens.isRepeated(`page ${page}`))
    assert.isTrue(tokens.isRepeated("page 249999"))
  })

  it.effect("that lead back to a page fail with Decode, however long they are", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([
        FakeApi.assets(["a"], long(1)),
        FakeApi.assets(["b"], long(2)),
        FakeApi.assets(["c"], long(1))
      ])
      const error = yield* ReferenceData.assets().pipe(Stream.runDrain, Effect.flip, Effect.provide(api.layer()))
      assert.deepInclude({ ...error }, { _tag: "Decode", page: 3, path: "next_page_token" })
    })
  )
})

/** A service whose pages are empty, each with a new token, but for those the numbers of which are given. */
const hollow = (records: ReadonlyArray<number>, last = Infinity) => {
  let page = 0
  return FakeApi.serve(() => {
    page += 1
    const names = records.includes(page) ? [`asset-${page}`] : []
    return Effect.succeed(FakeApi.assets(names, page === last ? undefined : `token-${page}`))
  })
}

const read = (api: FakeApi.FakeApi, maxEmptyPages?: number) =>
  Effect.gen(function* () {
    const names: Array<string> = []
    const outcome = yield* ReferenceData.assets().pipe(
      Stream.runForEach(({ asset }) => Effect.sync(() => names.push(asset))),
      Effect.result,
      Effect.provide(api.layer({ plan: "default", limits: { maxEmptyPages } }))
    )
    return { names, error: outcome._tag === "Failure" ? outcome.failure : undefined, requests: api.seen.length }
  })

describe("empty pages", () => {
  it.effect("without end are given up after a thousand", () =>
    Effect.gen(function* () {
      const { error, names, requests } = yield* read(hollow([]))
      assert.deepStrictEqual([names, requests], [[], 1_000])
      assert.deepInclude(
        { ...error },
        {
          _tag: "Decode",
          page: 1_000,
          path: "data",
          setting: "limits.maxEmptyPages",
          issue: "1000 pages in a row were empty although more were to follow"
        }
      )
    })
  )

  it.effect("are given up after as many in a row as the client says, after the records before them", () =>
    Effect.gen(function* () {
      const { error, names, requests } = yield* read(hollow([1, 3, 6]), 3)
      assert.deepStrictEqual(names, ["asset-1", "asset-3", "asset-6"])
      assert.deepInclude({ ...error }, { _tag: "Decode", page: 9 })
      assert.strictEqual(requests, 9)
    })
  )

  it.effect("are given up by those who read pages as well", () =>
    Effect.gen(function* () {
      const api = hollow([2])
      const pages: Array<number> = []
      const error = yield* ReferenceData.assets.pages().pipe(
        Stream.runForEach(({ page }) => Effect.sync(() => pages.push(page))),
        Effect.flip,
        Effect.provide(api.layer({ limits: { maxEmptyPages: 2 } }))
      )
      assert.deepStrictEqual(pages, [1, 2, 3, 4])
      assert.deepInclude({ ...error }, { _tag: "Decode", page: 4 })
    })
  )

  it.effect("are no failure where the last of them says that there are no more", () =>
    Effect.gen(function* () {
      const { error, requests } = yield* read(hollow([], 3), 3)
      assert.isUndefined(error)
      assert.strictEqual(requests, 3)
    })
  )

  it.effect("are not bounded by less than one", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(
        Effect.provide(Client.quota, FakeApi.make([]).layer({ limits: { maxEmptyPages: 0 } }))
      )
      assert.deepInclude({ ...error }, { _tag: "Misconfigured", setting: "limits.maxEmptyPages" })
      assert.include(error.message, "expected pages, at least one")
    })
  )
})

import { assert, describe, it } from "@effect/vitest"
import { type ApiError, ReferenceData, Retry } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as FakeApi from "../FakeApi.ts"

const many = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => `asset${from + index}`)

const first = many(0, 3_000)
const second = many(3_000, 6_000)

const body = (names: ReadonlyArray<string>, token?: string) => String(FakeApi.assets(names, token).body)

/** Takes the place of the quote before a name, far inside of the page. */
const damage = (text: string, name = "asset2000") => text.replace(`"${name}"`, `'${name}"`)

const read = (bodies: ReadonlyArray<FakeApi.Reply["body"]>, retry?: Retry.Policy) =>
  Effect.gen(function* () {
    const api = FakeApi.make(bodies.map((body) => ({ body: body! })))
    const names: Array<string> = []
    const error = yield* ReferenceData.assets().pipe(
      Stream.runForEach(({ asset }) => Effect.sync(() => names.push(asset))),
      Effect.match({ onFailure: (error): ApiError.ApiError | undefined => error, onSuccess: () => undefined }),
      Effect.provide(api.layer({ retry: retry ?? Retry.make({ base: "1 millis" }) }))
    )
    return { names, error, tokens: api.seen.map(({ url }) => url.searchParams.get("next_page_token")) }
  })

describe("a page that is damaged inside", () => {
  const whole = body(first, "t")
  const bytes = FakeApi.bytes(whole)
  const at = whole.indexOf('"asset2000"') + 3
  const damages: Readonly<Record<string, FakeApi.Reply["body"]>> = {
    "is not JSON": damage(whole),
    "is not UTF-8": [bytes.with(at, 0xff)],
    "has lost a comma": whole.replace(',{"asset":"asset2000"', ' {"asset":"asset2000"'),
    "has lost a brace": whole.replace('},{"asset":"asset2000"', ' ,{"asset":"asset2000"')
  }
  for (const [name, damaged] of Object.entries(damages)) {
    it.live(`is asked for once more, and no record is lost or repeated: it ${name}`, () =>
      Effect.gen(function* () {
        const { error, names, tokens } = yield* read([damaged, whole, body(second)])
        assert.isUndefined(error)
        assert.deepStrictEqual(names, [...first, ...second])
        assert.deepStrictEqual(tokens, [null, null, "t"])
      })
    )

    it.live(`fails with Decode when it is damaged again: it ${name}`, () =>
      Effect.gen(function* () {
        const { error, names, tokens } = yield* read([damaged, damaged])
        assert.strictEqual(error?._tag, "Decode")
        assert.deepInclude(error, { page: 1, path: `data[${names.length}]` })
        assert.isAbove(names.length, 1_500)
        assert.deepStrictEqual(names, first.slice(0, names.length))
        assert.deepStrictEqual(tokens, [null, null])
      })
    )
  }

  it.live("is asked for by its own token, and the pages before it are not", () =>
    Effect.gen(function* () {
      const { error, names, tokens } = yield* read([whole, damage(body(second), "asset4000"), body(second)])
      assert.isUndefined(error)
      assert.deepStrictEqual(names, [...first, ...second])
      assert.deepStrictEqual(tokens, [null, "t", "t"])
    })
  )

  it.live("is asked for once each, however many there are", () =>
    Effect.gen(function* () {
      const last = body(second)
      const { error, names } = yield* read([damage(whole), whole, damage(last, "asset4000"), last])
      assert.isUndefined(error)
      assert.deepStrictEqual(names, [...first, ...second])
    })
  )

  it.live("may be cut or refused while it is asked for again, as any page", () =>
    Effect.gen(function* () {
      const { error, names } = yield* read([damage(whole), whole.slice(0, -500), whole, body(second)])
      assert.isUndefined(error)
      assert.deepStrictEqual(names, [...first, ...second])
    })
  )

  const others: Readonly<Record<string, string>> = {
    "other records": body(many(1, 3_001), "t"),
    "fewer records": body(first.slice(0, 100), "t"),
    "another token": body(first, "other")
  }
  for (const [name, other] of Object.entries(others)) {
    it.live(`fails with Decode, rather than guess, when it comes back with ${name}`, () =>
      Effect.gen(function* () {
        const { error, names } = yield* read([damage(whole), other])
        assert.deepInclude(error, {
          _tag: "Decode",
          issue: "the page changed when requested again, as its first copy was damaged"
        } as const)
        assert.deepStrictEqual(names, first.slice(0, names.length))
      })
    )
  }

  it.live("is not asked for again where the policy sends everything once", () =>
    Effect.gen(function* () {
      const { error, tokens } = yield* read([damage(whole)], Retry.none)
      assert.strictEqual(error?._tag, "Decode")
      assert.deepStrictEqual(tokens, [null])
    })
  )

  it.live("is asked for again where pages are kept together, and where they are read from the end", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([damage(whole), whole, body(second)].map((body) => ({ body })))
      const pages = yield* ReferenceData.assets.pages().pipe(Stream.runCollect, Effect.provide(api.layer()))
      assert.deepStrictEqual(
        pages.map(({ data }) => data.map(({ asset }) => asset)),
        [first, second]
      )
      const back = FakeApi.make([damage(whole), whole, body(second)].map((body) => ({ body })))
      const records = yield* ReferenceData.assets({ paging_from: "end" }).pipe(
        Stream.map(({ asset }) => asset),
        Stream.runCollect,
        Effect.provide(back.layer())
      )
      assert.deepStrictEqual(records, [...first.toReversed(), ...second.toReversed()])
    })
  )
})

describe("a large page", () => {
  const pages = [0, 500, 1_000].map((from) => many(from, from + 500).map(FakeApi.asset))
  const lists = {
    "a few objects": [{ asset: "x" }, { asset: "y" }],
    "as many objects as records": many(0, 500).map(FakeApi.asset)
  }
  for (const [name, unsupported] of Object.entries(lists)) {
    for (const key of ["unsupported", "warnings"]) {
      it.effect(`loses no page when its envelope ends in ${key}, ${name} that look like records`, () =>
        Effect.gen(function* () {
          const api = FakeApi.make(
            pages.map((data, index) =>
              FakeApi.page(data, index === 2 ? undefined : String(index + 1), { [key]: unsupported })
            )
          )
          const all = yield* Stream.runCollect(ReferenceData.assets()).pipe(Effect.provide(api.layer()))
          assert.deepStrictEqual(all, pages.flat())
          assert.strictEqual(api.seen.length, 3)
        })
      )
    }
  }

  it.effect("that can be read in two ways fails with Decode and gives no record", () =>
    Effect.gen(function* () {
      const [data, other] = pages.map((page) => JSON.stringify(page))
      const api = FakeApi.make([{ body: `{"data":${data},"next_page_token":"1","data":${other}}` }])
      const error = yield* Stream.runDrain(ReferenceData.assets()).pipe(Effect.flip, Effect.provide(api.layer()))
      assert.deepInclude(error, {
        _tag: "Decode",
        page: 1,
        path: "data",
        issue: "stands in the page twice, so that it can be read in two ways"
      } as const)
    })
  )
})

import { assert, describe, it } from "@effect/vitest"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import { address, envelope, fetch, faulty, pages, refused } from "./Harness.ts"

const path = "/timeseries/asset-metrics?assets=btc&metrics=PriceUSD&page_size=5&end_time=2010-07-31"

// Follows so many pages, wherever they lead.
const walk = Effect.fnUntraced(function* (fault: string, query: string, count: number) {
  const { faultUrl } = yield* Sandbox.Sandbox
  const seen: Array<string> = []
  let url = yield* address(query, "demo-key", faultUrl(fault))
  while (seen.length < count) {
    const page = envelope(yield* fetch(url))
    seen.push(JSON.stringify(page.data))
    url = page.next_page_url ?? ""
  }
  return seen
})

describe("Faults of paging", () => {
  for (const from of ["start", "end"]) {
    const query = `${path}&paging_from=${from}`

    it.effect(`cycle-token: page N leads back to the first, from the ${from}`, () =>
      Effect.gen(function* () {
        const [first, second, third] = (yield* pages(query)).map((page) => JSON.stringify(page))
        assert.deepStrictEqual(yield* walk("cycle-token=2", query, 5), [first, second, first, second, first])
        assert.deepStrictEqual(yield* walk("cycle-token=1", query, 3), [first, first, first])
        assert.deepStrictEqual(yield* walk("cycle-token=3", query, 5), [first, second, third, first, second])
        // There are three pages.
        assert.deepStrictEqual(yield* walk("cycle-token=9", query, 5), [first, second, third, first, second])
      }).pipe(Effect.provide(Sandbox.layerMemory()))
    )

    it.effect(`foreign-token: refused like the token of any other query, from the ${from}`, () =>
      Effect.gen(function* () {
        const { next_page_token = "", next_page_url = "" } = envelope(yield* faulty("foreign-token", query))
        const detail = `Bad parameter 'next_page_token'. Value '${next_page_token}' is not supported.`
        refused(yield* fetch(next_page_url), 400, "bad_parameter", detail)
        // The service without the fault says the same.
        const { url } = yield* Sandbox.Sandbox
        const again = `${url}${query}&api_key=demo-key&next_page_token=${next_page_token}`
        refused(yield* fetch(again), 400, "bad_parameter", detail)
      }).pipe(Effect.provide(Sandbox.layerMemory()))
    )
  }

  for (const from of ["start", "end"]) {
    const query = `${path}&paging_from=${from}`

    it.effect(`empty-page=N: so many empty pages with a token each, and then the real one, from the ${from}`, () =>
      Effect.gen(function* () {
        const { faultUrl } = yield* Sandbox.Sandbox
        const walked = yield* pages(query, faultUrl("empty-page=3"))
        const lengths = walked.map((page) => page.length)
        assert.deepStrictEqual(lengths.slice(0, 8), [0, 0, 0, 5, 0, 0, 0, 5])
        assert.deepStrictEqual(walked.flat(), (yield* pages(query)).flat())
      }).pipe(Effect.provide(Sandbox.layerMemory()))
    )

    it.effect(`overlap: each page but the first has records of the one before, from the ${from}`, () =>
      Effect.gen(function* () {
        const { faultUrl } = yield* Sandbox.Sandbox
        const [first = [], second = []] = yield* pages(query)
        const [same, more = []] = yield* pages(query, faultUrl("overlap=2"))
        assert.deepStrictEqual(same, first)
        const expected = from === "start" ? [...first.slice(-2), ...second] : [...second, ...first.slice(0, 2)]
        assert.deepStrictEqual(more, expected)
      }).pipe(Effect.provide(Sandbox.layerMemory()))
    )

    it.effect(`long-token: leads on as long as the service takes an address of its length, from the ${from}`, () =>
      Effect.gen(function* () {
        const { faultUrl } = yield* Sandbox.Sandbox
        assert.deepStrictEqual(yield* pages(query, faultUrl("long-token=8000")), yield* pages(query))
        const { next_page_url = "" } = envelope(yield* faulty("long-token=10000", query))
        assert.strictEqual((yield* fetch(next_page_url)).status, 414)
      }).pipe(Effect.provide(Sandbox.layerMemory()))
    )
  }

  it.effect("foreign-next-url: leads to the origin that was named, with the token of the true next page", () =>
    Effect.gen(function* () {
      const plain = envelope(yield* faulty("slow=0", path))
      const seen = envelope(yield* faulty("foreign-next-url=http://127.0.0.1:9", path))
      assert.strictEqual(seen.next_page_token, plain.next_page_token)
      assert.strictEqual(new URL(seen.next_page_url ?? "").origin, "http://127.0.0.1:9")
      assert.strictEqual(new URL(seen.next_page_url ?? "").search, new URL(plain.next_page_url ?? "").search)
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )
})

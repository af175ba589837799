import { assert, describe, it } from "@effect/vitest"
import { Bulk, Timeseries } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as FakeApi from "./FakeApi.ts"
import * as Virtual from "./Virtual.ts"

const markets = "coinbase-btc-usd-spot"

const book = (second: number, size: string) => ({
  market: markets,
  time: `2026-01-01T00:00:0${second}.000000000Z`,
  coin_metrics_id: String(second),
  asks: [{ price: "2", size }],
  bids: [{ price: "1", size }]
})

const line = (record: object) => `${JSON.stringify(record)}\n`

describe("order books", () => {
  it.effect("are asked for in pages of 500, and of 100 where they are whole", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([FakeApi.page([]), FakeApi.page([]), FakeApi.page([])])
      const read = (params: object) =>
        Stream.runDrain(Timeseries.marketOrderbooks({ markets, ...params })).pipe(Effect.provide(api.layer()))
      yield* read({})
      yield* read({ depth_limit: "full_book" })
      yield* read({ page_size: 10_000 })
      const path = `/timeseries/market-orderbooks?page_size`
      assert.deepStrictEqual(yield* api.requests, [
        `${path}=500&markets=${markets}&paging_from=start`,
        `${path}=100&markets=${markets}&depth_limit=full_book&paging_from=start`,
        `${path}=10000&markets=${markets}&paging_from=start`
      ])
      const error = yield* Effect.flip(read({ depth_limit: "10pct_mid_price", page_size: 101 }))
      assert.deepInclude(error, { _tag: "InvalidRequest", parameter: "page_size" } as const)
    })
  )

  it.effect("may be as long as whole books are, without a limit set for them", () =>
    Effect.gen(function* () {
      const levels = Array.from({ length: 20_000 }, (_, n) => ({ price: `${n + 1}.00000000`, size: "0.00000001" }))
      const books = Array.from({ length: 9 }, (_, n) => ({ ...book(n + 1, "1"), asks: levels }))
      const api = FakeApi.make([FakeApi.page(books)])
      const read = yield* Timeseries.marketOrderbooks({ markets, depth_limit: "full_book" }).pipe(
        Stream.runCount,
        Effect.provide(api.layer())
      )
      assert.strictEqual(read, 9)
    })
  )

  it.effect(
    "are read again from the start of a cut json_stream that begins with a whole book, and not cut along time",
    () =>
      Effect.gen(function* () {
        const [whole, first, second] = [book(1, "5"), book(2, "3"), book(3, "0")]
        const api = FakeApi.make([
          { body: [line(whole), line(first), FakeApi.cut] },
          { body: line(whole) + line(first) + line(second) }
        ])
        const params = { markets, dataset: "updates", start_with_snapshot: true, start_time: "2026-01-01" } as const
        const read = Timeseries.marketOrderbooks({ ...params, format: "json_stream" })
        const records = yield* Virtual.run(Stream.runCollect(read).pipe(Effect.provide(api.layer())))
        assert.deepStrictEqual<ReadonlyArray<unknown>>(records, [whole, first, second])
        const [asked, again] = yield* api.requests
        assert.strictEqual(again, asked)
        const range = { ...params, end_time: "2026-01-03" }
        const refused = yield* Effect.flip(Bulk.split(Timeseries.marketOrderbooks, range, { every: "1 day" }))
        assert.deepInclude(refused, { _tag: "BadSplit", parameter: "start_with_snapshot" } as const)
      })
  )
})

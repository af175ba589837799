import { assert, layer } from "@effect/vitest"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import { get, pages, refused, type Row, rows } from "./Harness.ts"

// Type boundary: the tests look at what was sent.
const items = (row: Row | undefined, field: string) => (row?.[field] ?? []) as ReadonlyArray<Row>

const hour = "start_time=2024-03-01T09:00:00&end_time=2024-03-01T10:00:00"

/** Asserts that a series begins and ends where the catalog says. */
const spans = Effect.fnUntraced(function* (path: string) {
  for (const { asset, max_time, min_time } of yield* rows(`/catalog-all/${path}`)) {
    const all = `/timeseries/${path}?assets=${asset}&page_size=1`
    assert.strictEqual((yield* rows(`${all}&paging_from=start`))[0]?.["time"], min_time)
    assert.strictEqual((yield* rows(all))[0]?.["time"], max_time)
  }
})

layer(Sandbox.layerMemory())("The series of chains", (it) => {
  it.effect("have fee rates minute by minute, each once and ascending, with the fees they come to", () =>
    Effect.gen(function* () {
      yield* spans("mempool-feerates")
      const all = yield* rows(`/timeseries/mempool-feerates?assets=btc&${hour}&page_size=200`)
      assert.lengthOf(all, 61)
      for (const row of all) {
        const feerates = items(row, "feerates")
        assert.isNotEmpty(feerates)
        const rates = feerates.map((one) => Number(one["feerate"]))
        assert.deepStrictEqual(
          rates,
          [...new Set(rates)].toSorted((a, b) => a - b)
        )
        for (const one of feerates) {
          assert.isAtLeast(Number(one["count"]), 1)
          assert.closeTo(Number(one["fees"]), Number(one["feerate"]) * Number(one["consensus_size"]), 0.001)
        }
      }
    })
  )

  it.effect("have ten fee rates on a page, and 200 at most", () =>
    Effect.gen(function* () {
      const path = `/timeseries/mempool-feerates?assets=btc&${hour}`
      assert.deepStrictEqual(
        (yield* pages(path)).map((page) => page.length),
        [10, 10, 10, 10, 10, 10, 1]
      )
      const message = "Bad parameter 'page_size'. Must be at most 200."
      refused(yield* get(`${path}&page_size=201`), 400, "bad_parameter", message)
    })
  )

  it.effect("refuse an asset that is not followed so", () =>
    Effect.gen(function* () {
      const message = "Bad parameter 'assets'. Value 'eth' is not supported."
      refused(yield* get("/timeseries/mempool-feerates?assets=btc,eth"), 400, "bad_parameter", message)
    })
  )
})

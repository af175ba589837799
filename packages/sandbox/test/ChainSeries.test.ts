import { assert, layer } from "@effect/vitest"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Assets from "../src/data/Assets.ts"
import * as Ledger from "../src/data/chain/Ledger.ts"
import { get, pages, refused, type Row, rows } from "./Harness.ts"

// Type boundary: the tests look at what was sent.
const chainsOf = (row: Row | undefined) => (row?.["chains"] ?? []) as ReadonlyArray<ReadonlyArray<Row>>

const number = (row: Row, field: string) => Number(row[field])

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
  it.effect("begin and end where the catalog says", () =>
    Effect.forEach(["mempool-feerates", "asset-chains", "mining-pool-tips-summary"], spans)
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

  it.effect("show forks: two blocks of one height after one parent, and what a reorganisation replaces", () =>
    Effect.gen(function* () {
      const day = "start_time=2024-03-01&end_time=2024-03-01"
      const all = yield* rows(`/timeseries/asset-chains?assets=btc,eth&${day}&page_size=10000`)
      assert.lengthOf(all, 2 * 1440)
      const forks = all.filter((row) => row["chains_count"] === "2")
      assert.isNotEmpty(forks)
      assert.isNotEmpty(all.filter((row) => row["reorg"] === "true" && row["reorg_depth"] === "1"))
      for (const row of forks) {
        const asset = Assets.find(String(row["asset"]))!
        const tips = chainsOf(row).map((chain) => Ledger.blockOf(asset, String(chain.at(-1)?.["hash"])))
        assert.deepStrictEqual(
          tips.map((tip) => tip?.isStale),
          [false, true]
        )
      }
      for (const row of all) {
        const chains = chainsOf(row)
        assert.strictEqual(row["chains_count"], String(chains.length))
        const tips = chains.map((chain) => chain.at(-1))
        assert.strictEqual(new Set(tips.map((tip) => tip?.["hash"])).size, chains.length)
        assert.strictEqual(new Set(tips.map((tip) => tip?.["height"])).size, 1)
        for (const chain of chains) {
          const first = Number(chain[0]?.["height"])
          assert.deepStrictEqual(
            chain.map((block) => Number(block["height"])),
            [first, first + 1, first + 2]
          )
          assert.isTrue(chain.every((block) => String(block["time"]) <= String(row["time"])))
        }
      }
    })
  )

  it.effect("have alerts that are on beyond their threshold, several at a time, and heartbeats where asked for", () =>
    Effect.gen(function* () {
      const names = "block_count_empty_6b_hi,mempool_feerate_mean_hi,time_since_last_block_hi"
      const path = `/timeseries/asset-alerts?assets=btc&alerts=${names}&start_time=2024-03-01&end_time=2024-03-01`
      const all = yield* rows(`${path}&page_size=10000`)
      assert.lengthOf(all, 3 * 1440)
      assert.deepStrictEqual(
        all.slice(0, 3).map((row) => [row["time"], row["alert"]]),
        names.split(",").map((name) => ["2024-03-01T00:00:00.000000000Z", name])
      )
      for (const { status, threshold, value } of all) {
        const isBeyond = threshold !== undefined && Number(value) >= Number(threshold)
        assert.strictEqual(status, isBeyond ? "on" : "off")
      }
      assert.sameMembers([...new Set(all.map((row) => row["status"]))], ["on", "off"])
      assert.deepStrictEqual((yield* pages(`${path}&page_size=1000`)).toReversed().flat(), all)
      const beating = JSON.parse((yield* get(`${path}&include_heartbeats=true`)).text) as Row
      assert.deepStrictEqual(beating["heartbeats"], [{ asset: "btc", time: "2026-11-01T00:00:00.000000000Z" }])
      assert.notInclude((yield* get(path)).text, "heartbeats")
    })
  )

  it.effect("refuse an alert that does not exist with 404, though with the type of a 400", () =>
    Effect.gen(function* () {
      const message = "Bad parameter 'alerts'. Value 'none' is not supported."
      refused(yield* get("/timeseries/asset-alerts?assets=btc&alerts=none"), 404, "bad_parameter", message)
    })
  )

  it.effect("have a balance sheet of each DeFi protocol once a day, within times or within heights", () =>
    Effect.gen(function* () {
      const path = "/timeseries/defi-balance-sheets?defi_protocols=aave_v*_eth"
      const all = yield* rows(`${path}&start_time=2024-03-01&end_time=2024-03-10T12:00:00&page_size=10000`)
      assert.deepStrictEqual([...new Set(all.map((row) => row["defi_protocol"]))], ["aave_v2_eth", "aave_v3_eth"])
      const heights = all
        .filter((row) => row["defi_protocol"] === "aave_v2_eth")
        .map((row) => number(row, "block_height"))
      const [first = 0, last = 0] = [heights[0], heights.at(-1)]
      assert.lengthOf(heights, 10)
      const some = yield* rows(`${path}&start_height=${first}&end_height=${last}&end_inclusive=false&page_size=10000`)
      assert.lengthOf(some, 2 * 9)
      assert.lengthOf(yield* rows(`${path}&start_height=${first + 1}&end_height=${last}`), 2 * 9)
      const both = yield* get(`${path}&start_height=${first}&start_time=2024-03-01`)
      refused(both, 400, "bad_parameter", "Bad parameter 'start_height'. It cannot be used together with 'start_time'.")
    })
  )

  it.effect("refuse an asset that is not followed so", () =>
    Effect.gen(function* () {
      const message = "Bad parameter 'assets'. Value 'eth' is not supported."
      refused(yield* get("/timeseries/mempool-feerates?assets=btc,eth"), 400, "bad_parameter", message)
    })
  )
})

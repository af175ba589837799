import { assert, describe, it } from "@effect/vitest"
import { ConstituentSnapshots, ConstituentTimeframes } from "@sluice/core"
import { Format } from "@sluice/files"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { withClient } from "../../node/test/Harness.ts"

const metric = "volume_trusted_spot_usd_1d"

const over = <A, E, R>(program: Effect.Effect<A, E, R>) => withClient(program)

describe("Constituents", () => {
  for (const constituentOrder of ["ascending", "newest"] as const) {
    const service = Sandbox.layer({ dialect: { constituentOrder, emptyLastPage: "yes" } })

    it.live(`are a record each, of one time over page borders, with the ${constituentOrder} order`, () =>
      Effect.gen(function* () {
        const range = { metric, start_time: "2024-01-01", end_time: "2024-06-30" }
        const all = yield* Stream.runCollect(ConstituentSnapshots.assetMetrics(range))
        const keys = all.map(({ exchange, time }) => `${time} ${exchange}`)
        assert.strictEqual(new Set(keys).size, all.length)
        assert.isAbove(all.length, new Set(all.map(({ time }) => time)).size)
        for (const paging_from of ["start", "end"] as const) {
          const some = ConstituentSnapshots.assetMetrics({ ...range, page_size: 3, paging_from })
          const found = (yield* Stream.runCollect(some)).map(({ exchange, time }) => `${time} ${exchange}`)
          assert.sameMembers(found, keys)
          assert.strictEqual(found.length, keys.length)
        }
        const now = yield* Stream.runCollect(ConstituentSnapshots.assetMetrics({ metric, at_time: "now" }))
        assert.strictEqual(new Set(now.map(({ time }) => time)).size, 1)
        assert.deepStrictEqual(yield* Stream.runCollect(ConstituentSnapshots.assetMetrics({ metric })), now)
        const frames = yield* Stream.runCollect(ConstituentTimeframes.assetMetrics({ metric, page_size: 4 }))
        const open = frames.filter(({ end_time }) => end_time === null)
        assert.sameMembers(
          open.map(({ exchange }) => exchange),
          now.map(({ exchange }) => exchange)
        )
        assert.isTrue(frames.every((frame) => "end_time" in frame))
        assert.strictEqual(new Set(frames.map((frame) => JSON.stringify(frame))).size, frames.length)
        const starts = frames.map(({ start_time }) => start_time)
        const ascending = starts.toSorted()
        assert.deepStrictEqual(starts, constituentOrder === "newest" ? ascending.toReversed() : ascending)
      }).pipe(over, Effect.provide(service))
    )
  }

  it.live("are written as csv, a row for each", () =>
    Effect.gen(function* () {
      const encoder = yield* Format.encode(ConstituentTimeframes.assetMetrics, { metric }, { as: "csv" })
      const kraken = ConstituentTimeframes.assetMetrics({ metric, constituents: "kraken" })
      const csv = yield* encoder(kraken).pipe(Stream.decodeText, Stream.mkString)
      const [header, ...rows] = csv.trimEnd().split(/\r?\n/)
      assert.strictEqual(header, "start_time,exchange,market,asset,pair,end_time")
      assert.isAbove(rows.length, 1)
      for (const row of rows) assert.match(row, /^2\d{3}-\d\d-01T[^,]*,kraken,,,,/)
    }).pipe(over, Effect.provide(Sandbox.layer()))
  )
})

import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Timeseries } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as TestMode from "../../../core/test/TestMode.ts"
import * as Days from "../database/Days.ts"
import { collected, temporary } from "./Harness.ts"

const { assetMetrics } = Timeseries

const params = { assets: ["btc", "eth"], metrics: ["PriceUSD"], start_time: "2026-08-20" }

/** Intervals as text. */
const shown = (all: ReadonlyArray<Dataset.Covered>) =>
  all.map(({ entity, from = "", isEmpty, state, to = "" }) =>
    [entity, from.slice(0, 10), to.slice(0, 10), state, ...(isEmpty ? ["empty"] : [])].join(" ")
  )

describe("the coverage of a dataset", () => {
  it.live("tells what is final, what may change, what is empty and what is missing, and sends nothing", () =>
    Effect.gen(function* () {
      const service = yield* Days.make(2)
      const from = yield* temporary
      const job = {
        endpoint: assetMetrics,
        params: { ...params, assets: ["btc"] },
        to: from,
        lookBack: "7 days"
      } as const
      const tell = (asked: object = {}) =>
        Effect.map(Dataset.coverage(assetMetrics, { ...params, assets: ["btc"], ...asked }, { from }), shown)
      assert.deepStrictEqual(yield* tell(), ["btc 2026-08-20  missing"])
      yield* Stream.runDrain(Dataset.sync(job)).pipe(
        Effect.provide(service.layer),
        Effect.provideService(Clock.Clock, service.clock)
      )
      const whole = yield* Effect.provideService(tell(), Clock.Clock, service.clock)
      // The service has not had some days yet.
      assert.deepStrictEqual(whole, [
        "btc 2026-08-20 2026-09-04 final",
        "btc 2026-09-04 2026-09-05 provisional empty",
        "btc 2026-09-05 2026-09-23 final",
        "btc 2026-09-23 2026-09-25 provisional",
        "btc 2026-09-25 2026-09-27 provisional empty",
        "btc 2026-09-27 2026-09-30 provisional",
        "btc 2026-09-30 2026-10-01 provisional empty"
      ])
      const wider = yield* tell({ assets: ["btc", "eth"], start_time: "2026-08-01", end_time: "2026-08-25" })
      assert.deepStrictEqual(wider, [
        "btc 2026-08-01 2026-08-20 missing",
        "btc 2026-08-20 2026-08-26 final",
        "eth 2026-08-01 2026-08-26 missing"
      ])
      assert.deepStrictEqual(
        (yield* tell({ assets: ["*"], end_time: "2026-08-25" }))[0],
        "* 2026-08-20 2026-08-26 missing"
      )
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live("is right about what is final: syncs leave it as it is", () =>
    Effect.gen(function* () {
      let revised = 0
      for (const seed of TestMode.seeds(1, 6)) {
        const service = yield* Days.make(seed)
        const from = yield* temporary
        yield* Effect.gen(function* () {
          const sync = Stream.runDrain(Dataset.sync({ endpoint: assetMetrics, params, to: from, lookBack: "4 days" }))
          /** What is final, and its records. */
          const final: Array<readonly [one: Dataset.Covered, records: ReadonlyArray<string>]> = []
          const recordsOf = ({ entity, from: start, to }: Dataset.Covered) =>
            collected(
              Dataset.read(
                assetMetrics,
                { ...params, assets: [entity], start_time: start, end_time: to, end_inclusive: false },
                { from, offline: true }
              )
            )
          let before: ReadonlyArray<string> = []
          for (let day = 0; day < TestMode.times(2, 8); day += 0.5) {
            service.at(day)
            yield* sync
            for (const [one, records] of final) assert.deepStrictEqual(yield* recordsOf(one), records, `seed ${seed}`)
            const all = yield* Dataset.coverage(assetMetrics, params, { from })
            for (const one of all) if (one.state === "final") final.push([one, yield* recordsOf(one)])
            assert.isTrue(all.every(({ state }) => state !== "missing"))
            const now = yield* collected(
              Dataset.read(assetMetrics, { ...params, end_time: "2026-09-30" }, { from, offline: true })
            )
            if (before.length > 0 && now.join() !== before.join()) revised += 1
            before = now
          }
        }).pipe(Effect.provide(service.layer), Effect.provideService(Clock.Clock, service.clock))
      }
      assert.isAbove(revised, 0)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})

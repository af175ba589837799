import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import type { Timeseries } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Draw from "../../../core/test/Draw.ts"
import * as TestMode from "../../../core/test/TestMode.ts"
import * as Days from "../database/Days.ts"
import { collected, temporary } from "./Harness.ts"
import { none, revising, series, spanOf, still, time, type World } from "./Requests.ts"

const [metrics, candles, trades] = series

const markets = ["coinbase-btc-usd-spot", "ascendex-apt-btc-spot", "binance-eth-usdt-spot"]

/** Series, of which some entities are drawn, and times before the present. */
const ways = [
  { ...candles, steps: 90, name: "markets", entities: markets, isRevised: false },
  { ...metrics, steps: 90, name: "assets", entities: ["btc", "eth", "ltc"], isRevised: true },
  // The last records of no two of them are of one time.
  { ...trades, steps: 20, name: "markets", entities: markets, isRevised: false },
  { ...metrics, steps: 90, name: "assets", entities: ["btc", "eth", "ltc"], isRevised: false }
]

describe("a final time of an entity", () => {
  it.live(
    "is not asked for again by the reads of a dataset, whatever entities and times they are of",
    () =>
      Effect.gen(function* () {
        const counts = { requests: 0, shared: 0, final: 0 }
        for (const seed of TestMode.seeds(2, 24)) {
          const draw = Draw.from(seed)
          const from = yield* temporary
          const way = ways[seed % ways.length]!
          const { endpoint, entities, isRevised, name, read, step, steps } = way
          const { at, clock, layer, meet, seen }: World = yield* isRevised ? revising(seed) : still
          let now = isRevised ? Days.first : Date.UTC(2026, 10, 1)
          at(now)
          // Type boundary: the parameters of one of the series above.
          const call = endpoint as typeof Timeseries.marketTrades
          const reading = (params: object, isOffline = false) =>
            collected(Dataset.read(call, params as never, { from, ...(isOffline && { offline: true }) }))
          const all = { ...read({ start_time: time(now - 2 * step * steps) }), [name]: entities } as never
          yield* Effect.gen(function* () {
            // A file has several of the parts that are lacking, each of which is a change.
            const layout = { period: draw.one(["month", "none"] as const) }
            const begin = { ...read({ start_time: time(now - step * draw.below(steps)) }), [name]: [entities[0]] }
            yield* Stream.runDrain(
              Dataset.sync({ endpoint: call, params: begin as never, to: from, layout, format: { as: "ndjson" } })
            )
            for (let turn = 0; turn < 6; turn++) {
              now += step * draw.one([0, 1, 3, draw.below(20)])
              at(now)
              const start = now - step * draw.below(steps)
              const params = {
                ...read({ start_time: time(start), end_time: time(start + step * draw.below(steps / 3)) }),
                [name]: entities.filter((_, index) => index === turn % 3 || draw.below(2) === 0)
              }
              const when = `seed ${seed}, ${endpoint.path}, ${layout.period}, ${time(now)}, ${JSON.stringify(params)}`
              /** Reads, and looks that nothing of what was final is asked for. */
              const looked = Effect.fnUntraced(function* <A, E, R>(reading: Effect.Effect<A, E, R>) {
                const final = (yield* Dataset.coverage(call, all, { from })).filter(({ state }) => state === "final")
                counts.final += final.length
                const before = seen.length
                const found = yield* reading
                // Some ask for the latest records alone: those of the look-back.
                for (const url of seen.slice(before).filter(({ search }) => !search.includes("limit_per"))) {
                  const asked = (url.searchParams.get(name) ?? "").split(",")
                  for (const [begin, end] of spanOf(url)) {
                    counts.requests += 1
                    if (asked.length > 1) counts.shared += 1
                    for (const one of final.filter(({ entity }) => asked.includes(entity))) {
                      const [first, last] = [one.from, one.to].map((time = "") => Date.parse(time))
                      const both = Math.min(end, last!) - Math.max(begin, Number.isNaN(first!) ? -Infinity : first!)
                      // Times are asked for in whole milliseconds.
                      assert.isAtMost(both, 1, `${when}: ${url.search} of ${JSON.stringify(one)}`)
                    }
                  }
                }
                return found
              })
              // A read that is given up, or fails, leaves what it has kept.
              if (draw.below(4) === 0) yield* looked(Effect.timeoutOption(reading(params), draw.below(60)))
              if (draw.below(4) === 0) {
                const fault = draw.one(["reset", "status=500", "truncate-line=1"])
                let count = draw.below(4)
                meet(() => (count-- > 0 ? undefined : fault))
                yield* looked(Effect.ignore(reading(params)))
                meet(none)
              }
              const found = yield* looked(reading(params))
              const sent = seen.length
              assert.deepStrictEqual(yield* reading(params), found, when)
              assert.deepStrictEqual(yield* reading(params, true), found, when)
              assert.strictEqual(seen.length, sent, when)
              if (!isRevised) assert.deepStrictEqual(found, yield* collected(call(params as never)), when)
            }
            yield* Stream.runDrain(Dataset.verify(from))
          }).pipe(Effect.provide(layer), Effect.provideService(Clock.Clock, clock))
        }
        assert.isAbove(Math.min(counts.final, counts.shared, counts.requests), 2, JSON.stringify(counts))
      }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)),
    600_000
  )
})

import { assert, describe, it } from "@effect/vitest"
import { type Endpoint, Timeseries } from "@sluice/core"
import type { Dataset } from "@sluice/datasets"
import * as Effect from "effect/Effect"
import * as Grouping from "../../src/internal/plan/Grouping.ts"
import * as RunRequests from "../../src/internal/plan/RunRequests.ts"
import * as SeriesParams from "../../src/internal/model/SeriesParams.ts"

const at = (date: string) => `${date}T00:00:00.000000000Z`

const cursor = (entity: string, last: string | null, more: Partial<Dataset.Cursor> = {}): Dataset.Cursor => ({
  entity,
  from: at("2020-01-01"),
  last: last === null ? null : at(last),
  columns: [],
  ...more
})

const params = { markets: ["a", "b", "c"], frequency: "1d", start_time: at("2020-01-01") }

/** The plan of a day in January for daily candles of three markets. */
const planOf = Effect.fnUntraced(function* (
  cursors: ReadonlyArray<Dataset.Cursor>,
  cut: Dataset.Cut,
  start = params.start_time,
  window?: RunRequests.Given["window"]
) {
  // Type boundary: an endpoint whose parameters have types of its own is kept as one whose parameters are data.
  const endpoint: Endpoint.Info = Timeseries.marketCandles
  const wanted = { ...params, start_time: start }
  const given: RunRequests.Given = {
    subject: yield* SeriesParams.make(endpoint as Endpoint.Any, wanted),
    definition: {
      root: "https://example.com/v4",
      endpoint: endpoint.path,
      params: wanted,
      lookBack: 7 * 86_400_000,
      onRemoved: "keep"
    },
    cut,
    cursors: new Map(cursors.map((one) => [one.entity, one])),
    entities: params.markets,
    listed: new Set(params.markets),
    begins: new Map(),
    now: Date.parse("2026-01-03"),
    window
  }
  return { given, plan: RunRequests.make(given) }
})

const short = (parts: ReadonlyArray<RunRequests.Part>) =>
  parts.map(({ entities, from, to }) => [entities.join(), from?.slice(0, 10), to?.slice(0, 10)])

const days = (all: ReadonlyArray<{ readonly from: string | null; readonly to: string | null }> = []) =>
  all.map(({ from, to }) => [from?.slice(0, 10), to?.slice(0, 10)])

const byMonth: Dataset.Cut = { byEntity: false, period: "month" }

describe("what a run asks for", () => {
  it.effect("is one record of what has none, and not all since the start with what has", () =>
    Effect.gen(function* () {
      for (const cut of [byMonth, { byEntity: false, period: undefined }, { byEntity: true, period: undefined }]) {
        const { plan } = yield* planOf([cursor("a", "2026-01-02"), cursor("b", null), cursor("c", "2026-01-02")], cut)
        assert.deepStrictEqual(
          plan.probes.map(({ entities, limit }) => [entities, limit]),
          [[["b"], 1]]
        )
        assert.isTrue(
          plan.tails.every(({ entities, from }) => entities.join() === "a,c" && (from ?? "") > at("2025-12-25"))
        )
      }
    })
  )

  it.effect("is read in turn where it is of one file", () =>
    Effect.gen(function* () {
      const behind = cursor("b", "2026-01-01", { gone: 1 })
      const cursors = [cursor("a", "2026-01-02"), behind, cursor("c", "2026-01-02")]
      const { given, plan } = yield* planOf(cursors, byMonth)
      assert.deepStrictEqual(short(plan.tails), [
        ["a,c", "2025-12-26", "2026-01-01"],
        ["a,c", "2026-01-01", "2026-02-01"],
        ["b", "2025-12-25", "2026-01-01"],
        ["b", "2026-01-01", "2026-02-01"]
      ])
      assert.deepStrictEqual(
        Grouping.inTurns(given, plan.tails).map((some) => short(some).map(([entities]) => entities)),
        [
          ["a,c", "b"],
          ["a,c", "b"]
        ]
      )
    })
  )

  it.effect("is once what an earlier start and the look-back have in common", () =>
    Effect.gen(function* () {
      const cursors = params.markets.map((market) => cursor(market, "2026-01-02", { from: at("2026-01-01") }))
      const apart: Dataset.Cut = { byEntity: true, period: "year" }
      const { plan } = yield* planOf(cursors, apart, at("2025-12-20"))
      assert.deepStrictEqual(short(plan.loads), [["a,b,c", "2025-12-20", "2026-01-01"]])
      assert.deepStrictEqual(short(plan.tails), [["a,b,c", "2026-01-01", undefined]])
      // In one file of all entities the earlier part is read to its end.
      const whole = (yield* planOf(cursors, { byEntity: false, period: undefined }, at("2025-12-20"))).plan
      assert.deepStrictEqual([short(whole.loads), whole.tails], [[["a,b,c", "2025-12-20", undefined]], []])
    })
  )

  it.effect("is what a window lacks, in turns where a file has it, and what was provisional before", () =>
    Effect.gen(function* () {
      const looked = Date.parse("2025-11-08")
      const held = cursor("a", "2025-11-07", {
        todo: [
          { from: at("2024-03-01"), to: at("2025-10-01") },
          { from: at("2025-11-08"), to: null }
        ],
        provisional: [{ from: at("2025-11-01"), to: at("2025-11-08"), looked }]
      })
      const make = Effect.fnUntraced(function* (from: string, to: string | null, staleBefore: number) {
        const window = { from: at(from), to: to === null ? null : at(to), staleBefore }
        const cut = { byEntity: true, period: "year" } as const
        const { given, plan } = yield* planOf([held], cut, params.start_time, window)
        const { begun, loads, tails } = RunRequests.make({ ...given, entities: ["a"] })
        assert.deepStrictEqual([tails, plan.probes, plan.holes], [[], [], []])
        const { provisional, todo } = begun.get("a") ?? {}
        const turns = loads.map(({ from, to, turn }) => [from?.slice(0, 10), to?.slice(0, 10), turn])
        return { turns, todo: days(todo), provisional: days(provisional) }
      })
      assert.deepStrictEqual(yield* make("2025-09-01", "2025-11-05", looked + 1), {
        turns: [
          ["2025-09-01", "2025-10-01", 0],
          ["2025-11-01", "2025-11-05", 1]
        ],
        todo: [
          ["2025-09-01", "2025-10-01"],
          ["2025-11-01", "2025-11-05"],
          ["2024-03-01", "2025-09-01"],
          ["2025-11-08", undefined]
        ],
        // Of what is read, how much stays so shows afterwards.
        provisional: [
          ["2025-09-01", "2025-10-01"],
          ["2025-11-01", "2025-11-05"],
          ["2025-11-05", "2025-11-08"]
        ]
      })
      // It was read a moment ago.
      const none = { turns: [], todo: [], provisional: [] }
      assert.deepStrictEqual(yield* make("2025-10-15", "2025-11-05", looked), none)
      assert.deepStrictEqual(yield* make("2025-10-15", "2025-10-20", looked + 1), none)
      // Up to now.
      const open = yield* make("2025-11-05", null, looked + 1)
      assert.deepStrictEqual(open.turns, [["2025-11-05", undefined, 0]])
      assert.deepStrictEqual(open.provisional, [
        ["2025-11-01", "2025-11-05"],
        ["2025-11-05", undefined]
      ])
    })
  )

  it.effect("notes so many provisional times of a cache, and the earliest as one", () =>
    Effect.gen(function* () {
      const provisional = Array.from({ length: 150 }, (_, day) => {
        const from = Date.UTC(2025, 0, 1 + 2 * day)
        const to = from + 86_400_000
        const [begin = "", end = ""] = [from, to].map((millis) => new Date(millis).toISOString().slice(0, 10))
        return { from: at(begin), to: at(end), looked: to }
      })
      const cursors = [cursor("a", "2025-11-07", { provisional, todo: [{ from: at("2025-11-08"), to: null }] })]
      const window = { from: at("2025-12-01"), to: at("2025-12-02"), staleBefore: 0 }
      const { plan } = yield* planOf(cursors, { byEntity: true, period: "year" }, params.start_time, window)
      const kept = plan.begun.get("a")?.provisional ?? []
      assert.lengthOf(kept, 100)
      assert.deepStrictEqual(kept[0], {
        from: at("2025-01-01"),
        to: provisional[51]?.to ?? null,
        looked: provisional[0]?.looked ?? 0
      })
      assert.deepStrictEqual(kept.slice(1, -1), provisional.slice(52))
      assert.deepInclude(kept.at(-1), { from: window.from, to: window.to })
    })
  )

  it.effect("begins with the look-back where what was not read yet begins later", () =>
    Effect.gen(function* () {
      // A file of all entities that is missing, and the rest of a first load that was interrupted.
      const oneFile: Dataset.Cut = { byEntity: false, period: undefined }
      for (const [cut, to] of [
        [oneFile, at("2026-01-02")],
        [{ byEntity: true, period: "year" }, null]
      ] as const) {
        const todo = [{ from: at("2026-01-01"), to }]
        const cursors = params.markets.map((market) => cursor(market, "2026-01-02", { todo }))
        const { plan } = yield* planOf(cursors, cut)
        assert.deepStrictEqual([short(plan.loads), plan.tails], [[["a,b,c", "2025-12-26", undefined]], []])
      }
    })
  )

  it.effect("is as few requests as may be, whatever the order of names", () =>
    Effect.gen(function* () {
      const cursors = [cursor("a", "2020-01-02"), cursor("b", null), cursor("c", "2020-01-02")]
      const { given } = yield* planOf(cursors, { byEntity: true, period: undefined })
      const wanted = params.markets.map((entity) => ({
        reason: "new" as const,
        entity,
        from: at("2020-01-01"),
        to: undefined
      }))
      const early = { ...given, now: Date.parse("2020-01-03") }
      assert.deepStrictEqual(short(Grouping.group(early, wanted)), [
        ["a,c", "2020-01-01", undefined],
        ["b", "2020-01-01", undefined]
      ])
    })
  )
})

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
      for (const cut of [
        { byEntity: true, period: "year" },
        { byEntity: false, period: undefined }
      ] as const) {
        const { plan } = yield* planOf(cursors, cut, at("2025-12-20"))
        assert.deepStrictEqual(short(plan.loads), [["a,b,c", "2025-12-20", "2026-01-01"]])
        assert.deepStrictEqual(short(plan.tails), [["a,b,c", "2026-01-01", undefined]])
      }
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
      const make = Effect.fnUntraced(function* (from: string, to: string | null, maxAge: number, now = looked + 10) {
        const window = { from: at(from), to: to === null ? null : at(to), age: { now, maxAge } }
        const cut = { byEntity: true, period: "year" } as const
        const { given, plan } = yield* planOf([held], cut, params.start_time, window)
        const { begun, loads, tails } = RunRequests.make({ ...given, entities: ["a"] })
        assert.deepStrictEqual([tails, plan.probes, plan.holes], [[], [], []])
        const { provisional, todo } = begun.get("a") ?? {}
        const turns = loads.map(({ from, to, turn }) => [from?.slice(0, 10), to?.slice(0, 10), turn])
        return { turns, todo: days(todo), provisional: days(provisional) }
      })
      const stale = yield* make("2025-09-01", "2025-11-05", 10)
      assert.deepStrictEqual(stale, {
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
      assert.deepStrictEqual(yield* make("2025-10-15", "2025-11-05", 11), none)
      assert.deepStrictEqual(yield* make("2025-10-15", "2025-10-20", 10), none)
      // At the very moment by a clock that may be behind, and later than now by the clock that found it missing.
      assert.deepStrictEqual(yield* make("2025-09-01", "2025-11-05", 0, looked), stale)
      assert.deepStrictEqual(yield* make("2025-09-01", "2025-11-05", 11, looked - 1), stale)
      // Up to now.
      const open = yield* make("2025-11-05", null, 10)
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
      const window = { from: at("2025-12-01"), to: at("2025-12-02"), age: { now: 0, maxAge: 0 } }
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

  it.effect(
    "begins with the look-back before what is open where nothing is held, as it may have come since it was found empty",
    () =>
      Effect.gen(function* () {
        const todo = [
          { from: at("2025-11-01"), to: at("2025-12-01") },
          { from: at("2026-01-01"), to: null }
        ]
        const plan = Effect.map(planOf([cursor("a", null, { todo })], byMonth, at("2025-11-01")), ({ given }) =>
          RunRequests.make({ ...given, entities: ["a"] })
        )
        assert.deepStrictEqual(short((yield* plan).loads), [
          ["a", "2025-11-01", "2025-12-01"],
          ["a", "2025-12-25", "2026-01-01"],
          ["a", "2026-01-01", "2026-02-01"]
        ])
      })
  )

  it.effect("begins with the look-back where what was not read yet begins later", () =>
    Effect.gen(function* () {
      // The rest of a first load that was interrupted.
      const todo = [{ from: at("2026-01-01"), to: null }]
      const cursors = params.markets.map((market) => cursor(market, "2026-01-02", { todo }))
      const { plan } = yield* planOf(cursors, { byEntity: true, period: "year" })
      assert.deepStrictEqual([short(plan.loads), plan.tails], [[["a,b,c", "2025-12-26", undefined]], []])
    })
  )

  it.effect(
    "is nothing that is final: entities share a request where they lack the same, and of what is new in reads",
    () =>
      Effect.gen(function* () {
        const hole = (date: string, days: number) => ({
          from: at(date),
          to: new Date(Date.parse(date) + days * 86_400_000).toISOString().replace(".000Z", ".000000000Z"),
          asked: 0,
          tries: 0
        })
        const cursors = [
          cursor("a", "2026-01-02", { holes: [hole("2025-03-01", 1), hole("2025-06-01", 2)] }),
          cursor("b", "2026-01-01", { holes: [hole("2025-03-01", 1)] }),
          cursor("c", "2026-01-02", { todo: [{ from: at("2025-05-01"), to: at("2025-05-03") }] })
        ]
        const { given, plan } = yield* planOf(cursors, { byEntity: true, period: "year" })
        const holesOf = ({ holes }: RunRequests.RunRequests) => holes.map((part) => [...short([part])[0]!, part.turn])
        assert.deepStrictEqual(short(plan.loads), [["c", "2025-05-01", "2025-05-03"]])
        assert.deepStrictEqual(short(plan.tails), [["a,b,c", "2025-12-25", undefined]])
        assert.deepStrictEqual(holesOf(plan), [["a,b", "2025-03-01", "2025-06-03", 0]])
        const read = RunRequests.make({ ...given, isRead: true })
        assert.deepStrictEqual(short(read.loads), short(plan.loads))
        assert.deepStrictEqual(short(read.tails), [
          ["a,c", "2025-12-26", undefined],
          ["b", "2025-12-25", undefined]
        ])
        assert.deepStrictEqual(holesOf(read), [
          ["a,b", "2025-03-01", "2025-03-02", 0],
          ["a", "2025-06-01", "2025-06-03", 1]
        ])
        // Of many markets a read has as few requests as a sync.
        const requestsOf = (count: number) => {
          const all = Array.from({ length: count }, (_, index) => {
            const last = new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString().replace("Z", "000000Z")
            return { ...cursor(`m${index}`, null), last }
          })
          const names = all.map(({ entity }) => entity)
          const many = {
            cursors: new Map(all.map((one) => [one.entity, one])),
            entities: names,
            listed: new Set(names)
          }
          const read = { ...given, ...many, isRead: true }
          // Markets that have traded since behind as many records as were asked for, and what is read again in files that they share.
          const behind = RunRequests.tailsOf(read, names)
          const shared = { ...given, ...many, cut: byMonth, recheck: 30 * 86_400_000 }
          return [RunRequests.make(read).tails, behind, RunRequests.make(shared).loads].map(({ length }) => length)
        }
        const { mostApart } = RunRequests
        assert.deepStrictEqual(
          [requestsOf(mostApart), requestsOf(500)],
          [
            [mostApart, mostApart, 2],
            [1, 1, 2]
          ]
        )
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

import { assert, describe, it } from "@effect/vitest"
import { type ApiError, type Client, type Endpoint, Endpoints } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Described from "./Described.ts"
import * as FakeApi from "./FakeApi.ts"

/** What a parameter may be, with what is written into the query, and what it may not be. */
interface Rule {
  readonly parameters: ReadonlyArray<string>
  /** Where it holds; wherever the parameter is, if not given. */
  readonly paths?: RegExp
  readonly good: ReadonlyArray<readonly [value: unknown, written: string]>
  readonly bad: ReadonlyArray<unknown>
}

const itself = (...values: ReadonlyArray<string>) => values.map((value) => [value, value] as const)

const rules: ReadonlyArray<Rule> = [
  {
    parameters: ["page_size"],
    good: [
      [1, "1"],
      [10_000, "10000"]
    ],
    bad: [0, -1, 1.5, 10_001, Number.NaN, Infinity, "100", true, null]
  },
  { parameters: ["paging_from"], good: itself("start", "end"), bad: ["middle", "START", "", 0, null] },
  { parameters: ["next_page_token"], good: itself("0.MjAyNi0wNy0zMFQ="), bad: ["", " ", 7, null] },
  { parameters: ["format"], good: itself("json", "json_stream"), bad: ["csv", "JSON", "", true, null] },
  {
    parameters: ["limit"],
    good: [...itself("none", "1", "10", "100"), [1, "1"], [100, "100"]],
    bad: [0, 101, -1, 1.5, Number.NaN, Infinity, "0", "101", "1e2", "+1", "01", " 1", "1.0", "all", "None", "", null]
  },
  {
    parameters: [
      "pretty",
      "reviewable",
      "start_inclusive",
      "end_inclusive",
      "null_as_zero",
      "ignore_forbidden_errors",
      "ignore_unsupported_errors"
    ],
    good: [
      [true, "true"],
      [false, "false"]
    ],
    bad: ["true", "false", "yes", "", 0, 1, null]
  },
  {
    parameters: ["start_time", "end_time", "classification_start_time", "classification_end_time"],
    good: itself(
      "2006-01-20",
      "20060120",
      "2006-01-20T00:00:00",
      "2006-01-20T00:00:00Z",
      "2006-01-20T00:00:00.000Z",
      "2006-01-20T23:59:59.123456Z",
      "2006-01-20T23:59:59.123456789Z",
      "2006-01-20T235959.123456789",
      "20060120T000000",
      "20060120T235959Z",
      "20060120T00:00:00.000Z",
      "20060120T235959.123456789Z",
      "2024-02-29"
    ),
    bad: [
      "yesterday",
      "2006",
      "2006-01",
      "2006-1-20",
      "20-01-2006",
      "200601-20",
      "2006-01-20 00:00:00",
      "2006-01-20T00:00Z",
      "2006-01-20T00:00:00z",
      "2006-01-20T00:00:00+01:00",
      "2006-01-20T00:00:00.1Z",
      "2006-01-20T00:00:00.1234567890Z",
      "2006-01-20T24:00:00Z",
      "2006-01-20T00:60:00Z",
      "2006-02-30",
      "2023-02-29",
      "2006-13-01",
      " 2006-01-20",
      "N/A",
      "*",
      "",
      1_137_715_200_000,
      null
    ]
  },
  { parameters: ["version"], good: itself("*", "3.0", "2.6"), bad: ["", "  ", 3, null] },
  {
    parameters: ["exchange", "base", "quote", "asset", "symbol", "publisher", "cusip", "figi", "isin"],
    good: itself("coinbase", "BTC-USD"),
    bad: ["", " ", 7, ["coinbase"], null]
  },
  {
    parameters: ["asset_class", "source_type"],
    good: itself("digital", "equity", "fixed_income", "exchange", "platform", "composite", "evaluated", "newer"),
    bad: ["", 7, ["digital"], null]
  },
  {
    parameters: ["type"],
    good: itself("spot", "future", "option", "bond", "perpetual"),
    bad: ["", 7, ["spot"], null]
  },
  {
    parameters: [
      "indexes",
      "protocols",
      "chains",
      "pairs",
      "metrics",
      "networks",
      "full_names",
      "class_ids",
      "sector_ids",
      "subsector_ids",
      "exchange_assets",
      "institutions",
      "alerts"
    ],
    good: [...itself("a", "a,b", "Bitcoin Cash"), [["a"], "a"], [["a", "b"], "a,b"], [" a , b ", "a,b"]],
    bad: ["", " ", ",", "a,,b", "a,", [], [""], ["a,b"], ["a", " "], [7], 7, true, null]
  },
  {
    parameters: ["include"],
    paths: /^\/reference-data\//,
    good: [...itself("talos"), [["talos"], "talos"]],
    bad: ["", ",", [], [""], 7, null]
  },
  {
    parameters: ["include", "exclude"],
    paths: /^\/catalog(?:-all)?\/assets$/,
    good: [
      ...itself("metrics", "markets", "exchanges"),
      [["markets"], "markets"],
      [["metrics", "markets", "exchanges"], "metrics,markets,exchanges"]
    ],
    bad: ["trades", "Metrics", "", [], [""], ["metrics", "trades"], ["metrics,markets"], 7, null]
  },
  {
    parameters: ["include", "exclude"],
    paths: /^\/catalog(?:-all)?\/markets$/,
    good: [
      ...itself("trades", "orderbooks", "quotes", "funding_rates", "openinterest", "liquidations"),
      [["quotes"], "quotes"],
      [["trades", "openinterest"], "trades,openinterest"]
    ],
    bad: ["metrics", "contract_prices", "open_interest", "", [], [""], ["trades", "greeks"], ["trades,quotes"], 7, null]
  }
]

/** docs/interface.md 4.1, 4.2, 4.6.2: of these at most one may be given. */
const exclusions: ReadonlyArray<readonly [path: string, ...parameters: ReadonlyArray<readonly [string, unknown]>]> = [
  ["/profile/assets", ["assets", "btc"], ["full_names", "Bitcoin"]],
  ["/profile/networks", ["networks", "bitcoin"], ["full_names", ["Bitcoin"]]],
  ["/reference-data/markets", ["cusip", "912810TM0"], ["figi", "BBG00"], ["isin", "US912810TM09"]],
  ["/timeseries/asset-metrics", ["start_time", "2026-01-01"], ["start_height", 0], ["start_hash", "h"]],
  ["/timeseries/asset-metrics", ["end_time", "2026-01-01"], ["end_height", 0], ["end_hash", "h"]]
]

const find = (path: string): Endpoint.Any => Endpoints.all.find((endpoint) => endpoint.path === path)!

const call = (path: string, params: object) => find(path)({ ...Described.required(path), ...params } as never)

const sent = Effect.fnUntraced(function* (path: string, params: { readonly format?: unknown }) {
  const api = FakeApi.make([params.format === "json_stream" ? { body: "" } : FakeApi.page([])])
  yield* Stream.runDrain(call(path, params)).pipe(Effect.provide(api.layer()))
  assert.strictEqual(api.seen.length, 1)
  return api.seen[0]!.url.searchParams
})

/** Why a call is refused, as records and as pages, with nothing sent. */
const refused = Effect.fnUntraced(function* (path: string, params: object) {
  const api = FakeApi.make([])
  const read = (stream: Stream.Stream<unknown, ApiError.ApiError, Client.Client>) =>
    Stream.runDrain(stream).pipe(Effect.flip, Effect.provide(api.layer()))
  const error = yield* read(call(path, params))
  assert.deepStrictEqual(yield* read(find(path).pages({ ...Described.required(path), ...params } as never)), error)
  assert(error._tag === "InvalidRequest", error.message)
  assert.strictEqual(error.endpoint, path)
  const which = error.kind === "missing" ? "parameter" : "invalid parameter"
  assert.include(error.message, `${path}: ${which} "${error.parameter}"`)
  assert.deepStrictEqual(yield* api.requests, [])
  return error
})

const cases = rules.flatMap(({ paths = /./, ...rule }) =>
  rule.parameters.flatMap((parameter) =>
    Described.having(parameter)
      .filter(({ path }) => paths.test(path))
      .map(({ path }) => [path, parameter, rule] as const)
  )
)

describe("The rules of parameters", () => {
  it("are known for every parameter of every path, but identifiers and those of the time series alone", () => {
    const known = new Set(cases.map(([path, parameter]) => `${path} ${parameter}`))
    const open = Described.all
      .filter(({ path }) => path !== "/timeseries/asset-metrics")
      .flatMap(({ identifiers, parameters, path }) =>
        parameters.filter((name) => !identifiers.includes(name)).map((name) => `${path} ${name}`)
      )
    assert.deepStrictEqual(
      open.filter((one) => !known.has(one)),
      ["/reference-data/protocols markets"]
    )
  })

  it.effect.each(cases)("%s takes %s as the interface allows, and writes it as the wire has it", ([path, name, rule]) =>
    Effect.gen(function* () {
      for (const [value, written] of rule.good) {
        assert.strictEqual((yield* sent(path, { [name]: value })).get(name), written)
      }
    })
  )

  it.effect.each(cases)("%s refuses anything else in %s, names it and sends nothing", ([path, name, rule]) =>
    Effect.gen(function* () {
      for (const value of rule.bad) {
        const error = yield* refused(path, { [name]: value })
        assert.deepInclude(error, { kind: "malformed", parameter: name }, JSON.stringify(value))
      }
    })
  )

  it.effect.each(Described.all.map((one) => [one.path, one] as const))(
    "%s refuses every parameter that only other paths have, names it and sends nothing",
    ([path, { parameters }]) =>
      Effect.gen(function* () {
        const names = new Set(["api_key", "unheard_of", ...Described.all.flatMap(({ parameters }) => parameters)])
        for (const name of [...names].filter((name) => !parameters.includes(name))) {
          assert.deepInclude(yield* refused(path, { [name]: "1" }), { kind: "unknown", parameter: name })
        }
      })
  )

  it.effect.each(exclusions)("%s refuses any two of those that exclude each other: %j", ([path, ...all]) =>
    Effect.gen(function* () {
      for (const [index, one] of all.entries()) {
        assert.strictEqual((yield* sent(path, Object.fromEntries([one]))).get(one[0]), String(one[1]))
        for (const other of all.slice(index + 1)) {
          const [first, second] = [one[0], other[0]]
          for (const pair of [
            [one, other],
            [other, one]
          ]) {
            const error = yield* refused(path, Object.fromEntries(pair))
            assert.deepInclude(error, { kind: "excluded", parameter: second })
            assert.include(error.message, `"${first}"`)
          }
          const params = { ...Object.fromEntries([other]), [first]: undefined }
          assert.isTrue((yield* sent(path, params)).has(second), "what is undefined is not given")
        }
      }
    })
  )

  it.effect.each(Described.all.filter(({ paged }) => !paged).map(({ path }) => [path]))(
    "%s comes whole: its request has nothing about pages",
    ([path = ""]) =>
      Effect.gen(function* () {
        const api = FakeApi.make([FakeApi.page([])])
        yield* Stream.runDrain(call(path, {})).pipe(Effect.provide(api.layer()))
        assert.deepStrictEqual(yield* api.requests, [path])
      })
  )
})

import { assert, describe, it } from "@effect/vitest"
import { type ApiError, type Client, Identifier, ReferenceData } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Read from "../table/Read.ts"
import * as FakeApi from "../FakeApi.ts"
import * as TestMode from "../TestMode.ts"

/** Names in the forms of docs/interface.md 11.1. */
const good = [
  "btc",
  "1inch",
  "*",
  "coinbase-btc-usd-spot",
  "deribit-ETH-27JUN25-2400-P-option",
  "talos:BTC",
  "talos:coinbase",
  "talos:BTC-PERP/USD",
  "talos:USD Coin",
  "other_vendor:btc",
  "talos:by-id:24",
  "talos:by-id:0",
  "talos:by-id:18446744073709551616",
  "talos:coinbase:BTC-USD",
  "talos:by-id:1001:24"
]

const malformed = [
  "",
  " ",
  ":",
  "::",
  "talos:",
  ":BTC",
  " :BTC",
  "talos: ",
  "talos::BTC",
  "talos:BTC:",
  "ta los:BTC",
  "talos:by-id",
  "talos:by-id:",
  "talos:by-id:x",
  "talos:by-id:-1",
  "talos:by-id:1.5",
  "talos:by-id:1e3",
  "talos:by-id:0x10",
  "talos:by-id: 24",
  "talos:by-id:24:",
  "talos:by-id:24:x",
  "talos:by-id:1:2:3",
  "ta los:by-id:24",
  ":by-id:24",
  "talos:coinbase:BTC:USD",
  "talos:coinbase:",
  "btc,eth",
  "talos:BTC,ETH",
  "talos:by-id:24,25"
]

/** Text the service could read, but which the wire's comma list does not carry as it is. */
const untidy = [" btc", "btc ", "\tbtc", "btc\n", " talos:BTC", "talos:BTC ", "talos:BTC\n"]

/** What is sent of a parameter, for each of these values, by one client. */
const sent = <A>(
  parameter: string,
  values: ReadonlyArray<A>,
  call: (value: A) => Stream.Stream<unknown, ApiError.ApiError, Client.Client>
) => {
  const api = FakeApi.make(values.map(() => FakeApi.page([])))
  return Effect.forEach(values, (value) => Stream.runDrain(call(value))).pipe(
    Effect.map(() => api.seen.map(({ url }) => url.searchParams.get(parameter))),
    Effect.provide(api.layer())
  )
}

const refusal = (result: Result.Result<unknown, Identifier.NotIdentifier>) =>
  Result.isFailure(result) ? result.failure : undefined

describe("Identifier", () => {
  it.each(good)("knows %j for one", (text) => {
    assert.isTrue(Identifier.isIdentifier(text))
  })

  it.each(malformed)("knows %j for none", (text) => {
    assert.isFalse(Identifier.isIdentifier(text))
  })

  it("builds the three forms, and those of a market", () => {
    const built: ReadonlyArray<readonly [string, Result.Result<string, Identifier.NotIdentifier>]> = [
      ["btc", Identifier.byName("btc")],
      ["talos:BTC", Identifier.bySymbol("talos", "BTC")],
      ["talos:coinbase:BTC-USD", Identifier.bySymbol("talos", "coinbase", "BTC-USD")],
      ["vendor:BTC", Identifier.bySymbol("vendor", "BTC")],
      ["talos:by-id:24", Identifier.byId("talos", 24)],
      ["talos:by-id:0", Identifier.byId("talos", 0)],
      ["talos:by-id:1001:24", Identifier.byId("talos", 1001, 24)],
      ["talos:by-id:9007199254740991", Identifier.byId("talos", Number.MAX_SAFE_INTEGER)],
      ["talos:by-id:9223372036854775807", Identifier.byId("talos", 9_223_372_036_854_775_807n)],
      ["talos:by-id:1001:24", Identifier.byId("talos", 1001n, 24)]
    ]
    for (const [text, result] of built) assert.strictEqual(Result.getOrThrow(result), text)
  })

  it("builds the same from parts known to be right", () => {
    assert.strictEqual<string>(Identifier.byNameUnsafe("btc"), "btc")
    assert.strictEqual<string>(Identifier.bySymbolUnsafe("talos", "coinbase", "BTC-USD"), "talos:coinbase:BTC-USD")
    assert.strictEqual<string>(Identifier.byIdUnsafe("talos", 24n), "talos:by-id:24")
  })

  const refused: ReadonlyArray<readonly [string, Result.Result<string, Identifier.NotIdentifier>]> = [
    ["an empty name", Identifier.byName("")],
    ["a blank name", Identifier.byName(" ")],
    ["a name with a colon", Identifier.byName("talos:BTC")],
    ["a name with a comma", Identifier.byName("btc,eth")],
    ["an empty namespace", Identifier.bySymbol("", "BTC")],
    ["a namespace with a space", Identifier.bySymbol("ta los", "BTC")],
    ["a namespace with a colon", Identifier.bySymbol("talos:by-id", "24")],
    ["a namespace with a comma", Identifier.bySymbol("btc,talos", "BTC")],
    ["an empty symbol", Identifier.bySymbol("talos", "")],
    ["a blank symbol", Identifier.bySymbol("talos", " ")],
    ["a symbol with a colon", Identifier.bySymbol("talos", "coinbase:BTC-USD")],
    ["a symbol with a comma", Identifier.bySymbol("talos", "BTC,ETH")],
    ["a symbol that is the mark of numbers", Identifier.bySymbol("talos", "by-id")],
    ["an exchange that is the mark of numbers", Identifier.bySymbol("talos", "by-id", "24")],
    ["an empty exchange", Identifier.bySymbol("talos", "", "BTC-USD")],
    ["an empty symbol of a market", Identifier.bySymbol("talos", "coinbase", "")],
    ["an empty namespace of a number", Identifier.byId("", 24)],
    ["a namespace of a number with a space", Identifier.byId("ta los", 24)],
    ["a namespace of a number with a colon", Identifier.byId("talos:by-id", 24)],
    ["a namespace of a number with a comma", Identifier.byId("btc,talos", 24)],
    ["a negative number", Identifier.byId("talos", -1)],
    ["a negative bigint", Identifier.byId("talos", -1n)],
    ["a fraction", Identifier.byId("talos", 1.5)],
    ["no number", Identifier.byId("talos", Number.NaN)],
    ["infinity", Identifier.byId("talos", Number.POSITIVE_INFINITY)],
    ["a number that is no longer exact", Identifier.byId("talos", Number.MAX_SAFE_INTEGER + 1)],
    ["a number written with an exponent", Identifier.byId("talos", 1e21)],
    ["a wrong second number", Identifier.byId("talos", 1001, -24)]
  ]

  it.each(refused)("refuses %s, and says which text", (_, result) => {
    const error = refusal(result)
    assert.strictEqual(error?._tag, "NotIdentifier")
    assert.include(error?.message, JSON.stringify(error?.text))
  })

  it("throws what the constructors fail with, where the parts are said to be right", () => {
    assert.throws(() => Identifier.byNameUnsafe("a:b"), Identifier.NotIdentifier)
    assert.throws(() => Identifier.bySymbolUnsafe("talos", ""), Identifier.NotIdentifier)
    assert.throws(() => Identifier.byIdUnsafe("talos", -1), Identifier.NotIdentifier)
  })

  // Half of a pair of surrogates is no text that a URL can hold.
  const whole = Schema.String.check(Schema.makeFilter((text) => text.isWellFormed()))
  const part = Schema.Union([whole, Schema.Literals(["talos", "by-id", "BTC", " ", "a b", "", "\t", "btc "])])
  const number = Schema.Union([Schema.Int, Schema.BigInt, Schema.Finite])

  it.effect.prop(
    "writes nothing that a call changes: whatever a constructor accepts is sent as it is",
    { namespace: part, first: part, second: part, left: number, right: number },
    ({ first, left, namespace, right, second }) =>
      Effect.gen(function* () {
        const built = [
          Identifier.byName(first),
          Identifier.bySymbol(namespace, first),
          Identifier.bySymbol(namespace, first, second),
          Identifier.byId(namespace, left),
          Identifier.byId(namespace, left, right)
        ].flatMap((result) => (Result.isSuccess(result) ? [result.success] : []))
        for (const one of built) {
          assert.isTrue(Identifier.isIdentifier(one))
        }
        const given = built.flatMap((one) => [one, [one], ["btc", one]])
        assert.deepStrictEqual(
          yield* sent("assets", given, (assets) => ReferenceData.assets({ assets })),
          given.map((assets) => (Array.isArray(assets) ? assets.join(",") : assets))
        )
      }),
    { arbitrary: { runs: TestMode.times(50, 200) } }
  )

  it.each(untidy)("is no text that a call would tidy: %j", (text) => {
    const [namespace = "", symbol] = text.split(":")
    const built = symbol === undefined ? Identifier.byName(namespace) : Identifier.bySymbol(namespace, symbol)
    assert.strictEqual(refusal(built)?._tag, "NotIdentifier")
  })
})

/** Each path is tried with a fourth of the values, and each value with a fourth of the paths; in a long run all. */
const isTried = (value: number, path: number) => TestMode.isLong || (value + path) % 4 === 0

describe("Identifiers in calls", () => {
  const paths = Read.identifiers.map(([path, parameter], nth) => [path, parameter, nth] as const)

  it("are accepted by filters of reference data, profiles, taxonomies and catalogs", () => {
    const sections = new Set(Read.identifiers.map(([path]) => path.split("/")[1]))
    assert.includeMembers([...sections], ["reference-data", "profile", "taxonomy", "catalog", "catalog-all"])
  })

  it.effect.each(paths)("%s sends %s in all forms, as an array or a comma list", ([path, parameter, nth]) =>
    Effect.gen(function* () {
      const given = [good, good.join(","), good.join(" , "), ...good].filter((_, at) => isTried(at, nth))
      assert.deepStrictEqual(
        yield* sent(parameter, given, (value) => Read.endpointOf(path)({ [parameter]: value } as never)),
        given.map((value) => (Array.isArray(value) ? value.join(",") : String(value).replaceAll(" , ", ",")))
      )
    })
  )

  const single = malformed.filter((text) => !text.includes(","))
  const refused = [
    ...single,
    ...single.map((text) => ["btc", text]),
    "btc,talos:by-id:x",
    "talos:BTC,,btc",
    ["a,b"],
    [],
    7,
    null,
    {}
  ]

  it.effect.each(paths)("%s refuses malformed ones in %s, names it and sends nothing", ([path, parameter, nth]) =>
    Effect.gen(function* () {
      const api = FakeApi.make([])
      const values = refused.filter((_, at) => isTried(at, nth))
      yield* Effect.forEach(values, (value) =>
        Effect.map(Effect.flip(Stream.runDrain(Read.endpointOf(path)({ [parameter]: value } as never))), (error) =>
          assert.deepInclude(error, { _tag: "InvalidRequest", endpoint: path, parameter } as const)
        )
      ).pipe(Effect.provide(api.layer()))
      assert.deepStrictEqual(yield* api.requests, [])
    })
  )

  it.effect("are said to be wrong in words that show the right forms", () =>
    Effect.gen(function* () {
      const error = yield* ReferenceData.assets({ assets: "talos:by-id:x" }).pipe(
        Stream.runDrain,
        Effect.flip,
        Effect.provide(FakeApi.make([]).layer())
      )
      assert.deepInclude(error, { _tag: "InvalidRequest", parameter: "assets", value: "talos:by-id:x" } as const)
      assert.include(error.message, "<namespace>:by-id:<number>")
    })
  )

  it.effect("are not asked of lists that name nothing of a provider's", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([FakeApi.page([])])
      yield* Stream.runDrain(ReferenceData.indexes({ indexes: "a:b:c:d" })).pipe(Effect.provide(api.layer()))
      assert.deepStrictEqual(yield* api.requests, ["/reference-data/indexes?page_size=10000&indexes=a:b:c:d"])
    })
  )
})

import { assert, describe, it } from "@effect/vitest"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import { envelope, get, lines, rows } from "./Harness.ts"

const list = (query: string) => Effect.map(get(`/reference-data/markets?format=json_stream&${query}`), lines)

const reply = (protocolWarnings: "object" | "array" | "plural") =>
  Effect.map(get("/reference-data/protocols?protocols=morpho&chains=eth"), envelope).pipe(
    Effect.provide(Sandbox.layerMemory({ dialect: { protocolWarnings } }))
  )

describe("Reference data", () => {
  it.effect("finds assets and exchanges by their three forms", () =>
    Effect.gen(function* () {
      for (const id of ["btc", "talos:BTC", "talos:by-id:24"]) {
        assert.deepStrictEqual(yield* rows(`/reference-data/assets?assets=${id}`), [
          { asset: "btc", full_name: "Bitcoin" }
        ])
      }
      const [kraken] = yield* rows("/reference-data/exchanges?exchanges=talos:kraken&include=talos")
      const provider = JSON.stringify(kraken?.["talos"])
      const [, id] = /"cm_ext_exchange_by_id":"([^"]*)"/.exec(provider) ?? []
      assert.deepStrictEqual(yield* rows(`/reference-data/exchanges?exchanges=${id}&include=talos`), [kraken ?? {}])
      assert.deepStrictEqual(
        yield* rows("/reference-data/markets?exchange=talos:kraken&base=talos:BTC&quote=usdt&type=spot"),
        [...(yield* rows("/reference-data/markets?markets=kraken-btc-usdt-spot"))]
      )
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("adds the provider array only when it is asked for", () =>
    Effect.gen(function* () {
      const [plain] = yield* rows("/reference-data/assets?assets=btc")
      const [full] = yield* rows("/reference-data/assets?assets=btc&include=talos")
      assert.deepStrictEqual(full, {
        ...plain,
        talos: [
          {
            cm_ext_asset: "talos:BTC",
            cm_ext_asset_by_id: "talos:by-id:24",
            symbol: "BTC",
            currency_id: "24",
            description: "Bitcoin",
            alias_for_currency: null,
            alias_for_chain_symbol: null
          }
        ]
      })
      const [market] = yield* rows("/reference-data/markets?page_size=1&include=talos")
      assert.match(JSON.stringify(market?.["talos"]), /"market_id":\d+/)
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("filters markets by each of their fields", () =>
    Effect.gen(function* () {
      const bonds = yield* list("type=bond")
      const { cusip, figi, isin } = bonds[7] ?? {}
      for (const query of [`cusip=${String(cusip)}`, `figi=${String(figi)}`, `isin=${String(isin)}`]) {
        assert.deepStrictEqual(yield* list(query), [bonds[7] ?? {}])
      }
      for (const row of yield* list("publisher=finra")) assert.strictEqual(row["type"], "bond")
      assert.deepStrictEqual(yield* list("asset_class=fixed_income"), bonds)
      const evaluated = yield* list("source_type=evaluated&asset_class=fixed_income")
      assert.isAbove(evaluated.length, 0)
      for (const row of evaluated) assert.strictEqual(row["publisher"], "ice")
      for (const row of yield* list("exchange=deribit&asset_class=digital")) {
        assert.deepStrictEqual([row["asset_class"], row["source_type"]], ["digital", "exchange"])
      }
      assert.deepStrictEqual(yield* list("exchange=deribit&source_type=composite"), [])
      const ofEth = yield* list("asset=eth&exchange=deribit&type=future")
      assert.isAbove(ofEth.length, 0)
      for (const row of ofEth)
        assert.include([row["base"], row["quote"], row["size_asset"], row["margin_asset"]], "eth")
      assert.deepStrictEqual(yield* list("base=nothing"), [])
      const types = new Set((yield* list("")).flatMap((row) => Object.keys(row)))
      for (const field of [
        "strike",
        "settlement_price",
        "pool_config_id",
        "variable_fee",
        "coupon_rate",
        "order_size_min"
      ]) {
        assert.isTrue(types.has(field), field)
      }
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("keeps reviewable metrics, or the others", () =>
    Effect.gen(function* () {
      const path = "/reference-data/asset-metrics?page_size=10000"
      const all = yield* rows(path)
      const yes = yield* rows(`${path}&reviewable=true`)
      const no = yield* rows(`${path}&reviewable=false`)
      assert.isAbove(yes.length, 0)
      assert.strictEqual(yes.length + no.length, all.length)
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("warns about protocols in the form that was asked for", () =>
    Effect.gen(function* () {
      const { data, warning } = yield* reply("object")
      assert.isTrue(data.every((row) => row["protocol"] === "morpho"))
      assert.hasAllKeys(warning, ["type", "message"])
      assert.deepStrictEqual((yield* reply("array")).warning, [warning])
      assert.deepStrictEqual((yield* reply("plural")).warnings, [warning])
    })
  )
})

import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Examples from "../src/endpoints/Examples.ts"
import { services, sluice } from "./Process.ts"

layer(services, { excludeTestServices: true })("schema", (it) => {
  it.effect("prints a table with what its columns say, and JSON Schema, without a word to the service", () =>
    Effect.gen(function* () {
      const trades = ["schema", "timeseries/market-trades"]
      const nowhere = { SLUICE_BASE_URL: "http://127.0.0.1:1/v4" }
      const json = yield* sluice(trades, nowhere)
      assert.strictEqual(json.code, 0, json.stderr)
      assert.deepInclude(JSON.parse(json.stdout).properties.block_height, {
        description: "Height of the block, as text.",
        type: ["string", "null"],
        format: "int64"
      })
      const { code, stdout } = yield* sluice(
        [...trades, "--as", "duckdb", "--columns", "market,time,block_height"],
        nowhere
      )
      assert.strictEqual(code, 0)
      assert.strictEqual(
        stdout,
        `CREATE TABLE "market-trades" (
  "market" VARCHAR NOT NULL,
  "time" TIMESTAMP_NS NOT NULL,
  "block_height" BIGINT
);

COMMENT ON COLUMN "market-trades"."market" IS 'The market, such as \`coinbase-btc-usd-spot\`.';

COMMENT ON COLUMN "market-trades"."time" IS 'The moment of the record, to the nanosecond.';

COMMENT ON COLUMN "market-trades"."block_height" IS 'Height of the block.';
`
      )
    })
  )

  it.effect("describes live streams by path or name: the same records as of their series", () =>
    Effect.gen(function* () {
      const series = yield* sluice(["schema", "timeseries/market-trades", "--as", "postgres"])
      for (const name of ["timeseries-stream/market-trades", "Live.marketTrades"]) {
        const live = yield* sluice(["schema", name, "--as", "postgres"])
        assert.deepStrictEqual([live.code, live.stderr], [0, ""])
        assert.match(live.stdout, /^CREATE TABLE "market-trades"[^;]*"cm_sequence_id"/)
        assert.include(live.stdout, /^.*PRIMARY KEY.*$/m.exec(series.stdout)?.[0] ?? "none")
      }
      const metrics = yield* sluice(["schema", "timeseries-stream/asset-metrics", "--metrics", "ReferenceRateUSD"])
      assert.include(Object.keys(JSON.parse(metrics.stdout).properties), "ReferenceRateUSD")
      assert.include(
        (yield* sluice(["schema", "Live.marketTrade"])).stderr,
        'did you mean "timeseries-stream/market-trades"'
      )
    })
  )

  it.effect("has examples that run, and says what it needs", () =>
    Effect.gen(function* () {
      for (const { command } of Examples.schema) {
        const { code, stderr, stdout } = yield* sluice(command.split(" ").slice(1))
        assert.deepStrictEqual([code, stderr], [0, ""], command)
        assert.match(stdout, /^(?:CREATE TABLE|\{)/)
      }
      const { code, stderr } = yield* sluice(["schema", "timeseries/asset-metrics"])
      assert.strictEqual(code, 2)
      assert.include(stderr, "Add --metrics")
    })
  )
})

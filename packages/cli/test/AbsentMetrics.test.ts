import { assert, describe, it, layer } from "@effect/vitest"
import { Timeseries } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"
import * as AbsentMetrics from "../src/commands/data/AbsentMetrics.ts"
import { services, sluice } from "./Process.ts"

const params = { assets: ["btc", "usdc"], metrics: ["PriceUSD", "TxCnt", "HashRate"], frequency: "1d" }
const time = "2020-01-01T00:00:00.000000000Z"
const usdc = { asset: "usdc", time, PriceUSD: "1.5" }

const says = (names: string) =>
  `no record of /timeseries/asset-metrics has ${names}; the service leaves out metrics that it does not have`

/** What is logged while records are read. */
const heardOf = Effect.fnUntraced(function* (records: ReadonlyArray<unknown>, count?: number, given: object = params) {
  const heard: Array<unknown> = []
  const logger = Logger.make<unknown, void>(({ message }) => void heard.push(message))
  const source = { endpoint: Timeseries.assetMetrics, params: given }
  const read = Stream.runDrain(AbsentMetrics.warn(Stream.fromIterable(records), source, count))
  yield* Effect.provide(read, Logger.layer([logger]))
  return heard.flat()
})

describe("metrics that no record has", () => {
  it.effect("are warned of by name, once", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* heardOf([usdc, usdc]), [says("TxCnt, HashRate")])
    })
  )

  it.effect("are not those that another entity of the call has, or that are null", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* heardOf([usdc, { ...usdc, asset: "btc", TxCnt: "7", HashRate: null }]), [])
    })
  )

  it.effect("are not told of a reply without records, and of a wildcard", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* heardOf([]), [])
      assert.deepStrictEqual(yield* heardOf([usdc], undefined, { ...params, metrics: "*" }), [])
    })
  )

  it.effect("are not told where a limit ended the records: others may have them", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* heardOf([usdc], 1), [])
      assert.deepStrictEqual(yield* heardOf([usdc], 2), [says("TxCnt, HashRate")])
    })
  )
})

const asked = (assets: string) => {
  const call = `get timeseries/asset-metrics --assets ${assets} --metrics PriceUSD,HashRate --start_time 2026-01-01`
  return [...call.split(" "), "--end_time", "2026-01-03", "--ignore_unsupported_errors"]
}

layer(services, { excludeTestServices: true })("the command get", (it) => {
  it.effect("names a metric that no record has, and none where --limit ended the records", () =>
    Effect.gen(function* () {
      for (const format of ["table", "ndjson", "csv"]) {
        const told = yield* sluice([...asked("usdc"), "--format", format])
        assert.include(told.stderr, says("HashRate"), format)
      }
      for (const words of [
        asked("usdc,btc"),
        [...asked("usdc,btc"), "--limit", "1"],
        [...asked("usdc"), "--limit", "1"]
      ]) {
        const { code, stderr } = yield* sluice(words)
        assert.deepStrictEqual([code, stderr], [0, ""])
      }
    })
  )
})

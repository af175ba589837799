import { assert, describe, it } from "@effect/vitest"
import { Batch, Live, Timeseries } from "@sluice/core"
import { Format } from "@sluice/files"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"
import { withClient } from "../../../node/test/Harness.ts"

const params = { assets: ["btc", "usdc"], metrics: ["PriceUSD", "TxCnt", "HashRate"], frequency: "1d" }
const time = "2020-01-01T00:00:00.000000000Z"
const usdc = { asset: "usdc", time, PriceUSD: "1.5" }

const says = (names: string) =>
  `no record of a call to /timeseries/asset-metrics has ${names}; the service leaves out metrics that it does not have`

/** What is logged while the records of some files are written, by one encoder. */
const heardOf = Effect.fnUntraced(function* <E, R>(
  files: ReadonlyArray<Stream.Stream<unknown, E, R>>,
  as: Format.Name = "ndjson",
  given: object = params,
  endpoint: Parameters<typeof Format.encode>[0] = Timeseries.assetMetrics
) {
  const heard: Array<unknown> = []
  const logger = Logger.make<unknown, void>(({ message }) => void heard.push(message))
  const encode = yield* Format.encode(endpoint, given, { as })
  const write = Effect.forEach(files, (records) => Stream.runDrain(encode(records)))
  yield* Effect.provide(write, Logger.layer([logger]))
  return heard.flat()
})

const of = (...records: ReadonlyArray<unknown>) => Stream.fromIterable(records)

describe("metrics that no record has", () => {
  for (const as of ["ndjson", "csv", "parquet", "arrow"] as const) {
    it.effect(`are warned of by name, in ${as}`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* heardOf([of(usdc, usdc)], as), [says("TxCnt, HashRate")])
      })
    )
  }

  it.effect("are warned of once for all files", () =>
    Effect.gen(function* () {
      const other = { ...usdc, TxCnt: null }
      assert.deepStrictEqual(yield* heardOf([of(other), of(usdc), of(other)]), [says("HashRate"), says("TxCnt")])
    })
  )

  it.effect("are not those that another entity of the call has, or that are null", () =>
    Effect.gen(function* () {
      const records = of(usdc, { ...usdc, asset: "btc", TxCnt: "7", HashRate: null })
      assert.deepStrictEqual(yield* heardOf([records]), [])
    })
  )

  it.effect("are not told of a reply without records, of a wildcard, and of a live stream", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* heardOf([of()]), [])
      assert.deepStrictEqual(yield* heardOf([of(usdc)], "ndjson", { ...params, metrics: "*" }), [])
      assert.deepStrictEqual(yield* heardOf([of(usdc)], "ndjson", params, Live.assetMetrics), [])
    })
  )

  it.live("are found in the bytes of a reply too", () =>
    Effect.gen(function* () {
      const some = { ...params, start_time: "2024-01-01", end_time: "2024-01-03", ignore_unsupported_errors: true }
      const heard = Effect.forEach([some.assets, "usdc"], (assets) =>
        heardOf([Timeseries.assetMetrics({ ...some, assets }, { lazy: Batch.lazy })])
      )
      assert.deepStrictEqual(yield* withClient(heard), [[], [says("HashRate")]])
    }).pipe(Effect.provide(Sandbox.layer()))
  )
})

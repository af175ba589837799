import { assert, describe, it } from "@effect/vitest"
import { Client, FastReader, Retry, Timeseries } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as FakeApi from "../FakeApi.ts"
import { assertSame } from "../Same.ts"
import { seeds } from "../TestMode.ts"
import * as Virtual from "../Virtual.ts"
import * as Draw from "../Draw.ts"

const keys = ["PriceUSD", "TxCnt", "__proto__", "constructor", "toString", "\\ud800", "1", "", "data", "TxCnt-status"]

const values = [
  `"1.5"`,
  `"ü\\n\\u0041"`,
  "null",
  "1E400",
  "-0",
  "12345678901234567890",
  `"\\ud800"`,
  `"\\udc00x"`,
  "[1]",
  `{"a":"}"}`,
  "true",
  "01",
  `"\u0001"`,
  `"`
]

/** Texts of records in order, most of them of one layout, so that the reader learns it; some are damaged or invalid. */
const textsOf = (seed: number): ReadonlyArray<string> => {
  const random = Draw.from(seed).below
  return Array.from({ length: 1 + random(60) }, (_, at) => {
    const time = `2026-01-01T00:00:00.${String(at).padStart(9, "0")}Z`
    const others = Array.from({ length: random(8) === 0 ? 1 + random(2) : 0 }, () => {
      // Most values are texts: one that is none of a metric ends the stream.
      const value = random(3) === 0 ? values[random(values.length)] : values[random(2)]
      return `,"${keys[random(keys.length)]}":${value}`
    })
    return `{"asset":"btc","time":"${time}","PriceUSD":"${at}.25","TxCnt":"${random(100)}"${others.join("")}}`
  })
}

/** What a client gives of a body: its records, and the error behind them. */
const read = (body: string, format: "json" | "json_stream", isFast: boolean) => {
  const { http } = FakeApi.serve(() => Effect.succeed({ body }))
  const client = Client.layer({ root: FakeApi.root, retry: Retry.make({ times: 0 }) }).pipe(Layer.provide(http))
  const records: Array<unknown> = []
  return Timeseries.assetMetrics({ assets: "btc", metrics: ["PriceUSD", "TxCnt"], format }).pipe(
    Stream.runForEach((record) => Effect.sync(() => records.push(record))),
    Effect.result,
    Effect.map((outcome) => ({ records, error: outcome._tag === "Failure" ? outcome.failure.message : undefined })),
    Effect.provide(isFast ? client.pipe(Layer.provide(FastReader.layer)) : client),
    Virtual.run
  )
}

describe("A client without FastReader", () => {
  it.effect("gives the records and errors of one with it, of any body", () =>
    Effect.gen(function* () {
      let [whole, failed] = [0, 0]
      for (const seed of seeds(40, 1_500)) {
        const texts = textsOf(seed)
        const page = `{"data":[${texts.join(",")}]}`
        const lines = texts.map((text) => `${text}\n`).join("")
        for (const [format, body] of [["json", page] as const, ["json_stream", lines] as const]) {
          const plain = yield* read(body, format, false)
          assertSame(yield* read(body, format, true), plain, `${format}, seed ${seed}`)
          if (plain.error === undefined) {
            whole += 1
            assert.lengthOf(plain.records, texts.length)
          } else failed += 1
        }
      }
      // Both kinds of bodies are among them.
      assert.isAbove(whole, 10)
      assert.isAbove(failed, 10)
    })
  )
})

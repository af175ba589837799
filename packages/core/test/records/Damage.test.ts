import { assert, describe, it } from "@effect/vitest"
import { Retry, Timeseries } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as FakeApi from "../FakeApi.ts"
import { readAssets as read } from "../ReadAssets.ts"
import * as Virtual from "../Virtual.ts"

const asked = "/reference-data/assets?format=json_stream"

const names = ["a", "b", "c", "d"]

const notUtf8 = new Uint8Array([...FakeApi.bytes('{"asset":"c'), 0xe9, ...FakeApi.bytes('"}\n')])

const ways = [
  ["is no JSON", '{"asset":"c\n', ""],
  ["is no UTF-8", notUtf8, ""],
  ["is no object", "7\n", ""],
  ["has lost the line feed before the next", '{"asset":"c"}{"asset":"d"}\n', ""],
  ["has lost the name of its record", '{"asse4":"c"}\n', ".asset"],
  ["has a field of another type", '{"asset":"c","full_name":1}\n', ".full_name"]
] as const

/** A reply whose third line is this one. */
const damaged = (line: string | Uint8Array): FakeApi.Reply => ({ body: [FakeApi.lines(["a", "b"]), line] })

const whole: FakeApi.Reply = { body: FakeApi.lines(names) }

const row = (n: number) => ({ asset: "btc", time: `2026-01-0${n}T00:00:00.000000000Z`, PriceUSD: `${n}` })

const line = (n: number) => `${JSON.stringify(row(n))}\n`

describe("a line of a json_stream that cannot be read", () => {
  it.effect.each(ways)("is asked for once more, and read then: it %s", ([, line]) =>
    Effect.gen(function* () {
      const result = yield* read([damaged(line), whole])
      assert.deepStrictEqual(result, { names, error: undefined, requests: [asked, asked], open: 0 })
    })
  )

  it.effect.each(ways)("fails with its line after exactly one request more: it %s", ([, line, path]) =>
    Effect.gen(function* () {
      const { error, ...result } = yield* read([damaged(line), damaged(line)])
      assert.deepStrictEqual(result, { names: ["a", "b"], requests: [asked, asked], open: 0 })
      assert.strictEqual(error?._tag, "Decode")
      assert.deepInclude(error, { line: 3, path })
    })
  )

  it.effect("is asked for once at every place, however many are damaged", () =>
    Effect.gen(function* () {
      const bodies = ["oops\n", ...names.map((_, index) => `${FakeApi.lines(names.slice(0, index + 1))}oops\n`)]
      const result = yield* read([...bodies.map((body) => ({ body })), whole])
      assert.deepStrictEqual(result, { names, error: undefined, requests: Array(6).fill(asked), open: 0 })
    })
  )

  it.effect("is not forgotten over a cut in between", () =>
    Effect.gen(function* () {
      const { error, requests } = yield* read([damaged("oops\n"), { status: 503 }, damaged("oops\n")])
      assert.strictEqual(error?._tag, "Decode")
      assert.lengthOf(requests, 3)
    })
  )

  it.effect("is not asked for again where the policy sends every request once", () =>
    Effect.gen(function* () {
      const { error, requests } = yield* read([damaged("oops\n")], { retry: Retry.none })
      assert.strictEqual(error?._tag, "Decode")
      assert.lengthOf(requests, 1)
    })
  )

  it.effect("is not asked for again when it is longer than the limit: that is no damage", () =>
    Effect.gen(function* () {
      const { error, requests } = yield* read([damaged(`${"x".repeat(200)}\n`)], { limits: { maxLineBytes: 100 } })
      assert.deepInclude({ ...error }, { _tag: "Decode", line: 3, issue: "the line is longer than 100 bytes" })
      assert.lengthOf(requests, 1)
    })
  )

  it.effect("is asked for from the last record on in a series", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([
        { body: line(1) + line(2) + line(3).replace('"time"', '"tima"') },
        // The record that has to come back may be damaged as well.
        { body: line(2).replace('"time"', '"tima"') },
        { body: line(2) + line(3) }
      ])
      const rows = yield* Timeseries.assetMetrics({ assets: "btc", metrics: "PriceUSD", format: "json_stream" }).pipe(
        Stream.runCollect,
        Effect.provide(api.layer({ retry: Retry.make({ times: 2 }) })),
        Virtual.run
      )
      assert.deepStrictEqual<ReadonlyArray<unknown>>(rows, [1, 2, 3].map(row))
      const from = "&start_time=2026-01-02T00:00:00.000000000Z&start_inclusive=true"
      const first = "/timeseries/asset-metrics?assets=btc&metrics=PriceUSD&format=json_stream"
      assert.deepStrictEqual(yield* api.requests, [first, first + from, first + from])
    })
  )
})

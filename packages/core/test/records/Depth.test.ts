import { assert, describe, it } from "@effect/vitest"
import { ReferenceData, Retry, Timeseries } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Json from "../../src/internal/wire/Json.ts"
import * as FakeApi from "../FakeApi.ts"

const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`

const levels = 131_072
const tooDeep = nested(levels + 1)
const issue = /^the (?:body|line) is too nested$/

const read = (body: string, format?: "json_stream") =>
  Effect.gen(function* () {
    const api = FakeApi.make([{ body }])
    const names: Array<string> = []
    const error = yield* ReferenceData.assets(format === undefined ? {} : { format }).pipe(
      Stream.runForEach(({ asset }) => Effect.sync(() => names.push(asset))),
      Effect.flip,
      Effect.provide(api.layer({ retry: Retry.none }))
    )
    return { names, error }
  })

describe("JSON that is too nested", () => {
  it("is not parsed, however it ends", () => {
    assert.isArray(Json.parse(nested(levels)))
    assert.isUndefined(Json.parse(tooDeep))
    assert.isUndefined(Json.parse(`{"a":[1,{"b":[${'{"a":'.repeat(levels)}1${"}".repeat(levels)}]}]}`))
    assert.strictEqual(Json.flawOf("[".repeat(levels + 1)), "too nested")
    assert.strictEqual(Json.flawOf("[".repeat(levels)), "not JSON")
  })

  it("is told by the lists and objects that are open, and not by those of texts", () => {
    assert.isArray(Json.parse(`[${"[],".repeat(levels)}{}]`))
    const text = `${"[".repeat(levels)}\\"{\\\\`
    assert.deepStrictEqual(Json.parse(`["${text}"]`), [JSON.parse(`"${text}"`)])
    assert.isUndefined(Json.parse(`["]]]]",${tooDeep}]`))
  })

  it.effect.each([
    ["a page that is nothing else", tooDeep],
    ["a page that never closes it", "[".repeat(levels + 1)],
    ["the envelope of a page", `{"data":[],"warnings":${tooDeep}}`],
    ["the envelope of a large page", `{"data":[{"asset":"a"}${" ".repeat(20_000)}],"warnings":${tooDeep}}`],
    ["a record of a page", `{"data":[{"asset":"a","new":${tooDeep}}]}`]
  ] as const)("fails with Decode, which says so: %s", ([, body]) =>
    Effect.gen(function* () {
      const { error, names } = yield* read(body)
      assert.deepStrictEqual(names, [])
      assert.isTrue(error._tag === "Decode" && issue.test(error.issue), error.message)
    })
  )

  it.effect.each([
    ["a line that is nothing else", tooDeep],
    ["a line that never closes it", "[".repeat(levels + 1)],
    ["a field of a line", `{"asset":"c","new":${tooDeep}}`]
  ] as const)("fails with Decode at its line, after the records before it: %s", ([, line]) =>
    Effect.gen(function* () {
      const { error, names } = yield* read(`${FakeApi.lines(["a", "b"])}${line}\n`, "json_stream")
      assert.deepStrictEqual(names, ["a", "b"])
      assert.isTrue(error._tag === "Decode" && error.line === 3 && issue.test(error.issue), error.message)
    })
  )

  it.effect("is no reason to fail below that, also where a record is told from others by all it holds", () =>
    Effect.gen(function* () {
      const record = `{"asset":"btc","time":"2026-07-31T12:00:00.000000000Z","new":${nested(20_000)}}`
      const api = FakeApi.make([{ body: `${record}\n` }])
      const records = yield* Timeseries.assetMetrics({
        assets: "btc",
        metrics: "PriceUSD",
        frequency: "1b",
        format: "json_stream"
      }).pipe(Stream.runCollect, Effect.provide(api.layer()))
      assert.deepStrictEqual(
        records.map(({ asset }) => asset),
        ["btc"]
      )
    })
  )
})

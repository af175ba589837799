import { assert, describe, it } from "@effect/vitest"
import { ReferenceData, Retry, Timeseries } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as FakeApi from "../FakeApi.ts"

const asked = "/reference-data/assets?format=json_stream"

/** Reads assets to the end or the error, once. */
const read = (api: FakeApi.FakeApi) =>
  Effect.gen(function* () {
    const names: Array<string> = []
    const outcome = yield* ReferenceData.assets({ format: "json_stream" }, { retry: Retry.none }).pipe(
      Stream.runForEach(({ asset }) => Effect.sync(() => names.push(asset))),
      Effect.result,
      Effect.provide(api.layer())
    )
    return { names, error: outcome._tag === "Failure" ? outcome.failure : undefined }
  })

const readBody = (body: FakeApi.Reply["body"]) => read(FakeApi.make([{ body: body ?? "" }]))

/** Cuts bytes at the given places, each modulo what is left. */
const split = (bytes: Uint8Array, places: ReadonlyArray<number>) => {
  const chunks: Array<Uint8Array> = []
  let from = 0
  for (const place of places) {
    const to = from + (place % (bytes.length - from + 1))
    chunks.push(bytes.slice(from, to))
    from = to
  }
  return [...chunks, bytes.slice(from)]
}

const multibyte = ["btc", "naïve", "бит", "比特币", "🪙🪙", "\u2028", "a\\n"]

const places = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 400 })))

describe("JsonStream", () => {
  it.effect("asks once, without page size and without order", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([{ body: "" }, { body: "" }])
      yield* Effect.all([
        Stream.runDrain(ReferenceData.assets({ assets: ["a", "b"], format: "json_stream" })),
        Stream.runDrain(Timeseries.assetMetrics({ assets: "*", metrics: ["A", "B"], format: "json_stream" }))
      ]).pipe(Effect.provide(api.layer()))
      assert.deepStrictEqual(yield* api.requests, [
        "/reference-data/assets?assets=a,b&format=json_stream",
        "/timeseries/asset-metrics?assets=*&metrics=A,B&format=json_stream"
      ])
    })
  )

  it.effect.prop(
    "gives the same records whatever the borders of the chunks, which may arrive together",
    { places },
    ({ places }) =>
      Effect.gen(function* () {
        const chunks = split(FakeApi.bytes(FakeApi.lines(multibyte)), places)
        const { names, error } = yield* readBody(chunks)
        assert.isUndefined(error)
        assert.deepStrictEqual(names, multibyte)
      }),
    { arbitrary: { runs: 150 } }
  )

  it.effect.prop(
    "gives the same records whatever the borders of the chunks, each arriving alone, with CRLF and blank lines",
    { places },
    ({ places }) =>
      Effect.gen(function* () {
        const text = `\r\n${FakeApi.lines(multibyte).replaceAll("\n", "\r\n \n\n")}`
        const chunks = split(FakeApi.bytes(text), places).flatMap((chunk) => [chunk, Effect.yieldNow])
        const { names, error } = yield* readBody(chunks)
        assert.isUndefined(error)
        assert.deepStrictEqual(names, multibyte)
      }),
    { arbitrary: { runs: 100 } }
  )

  it.effect.each([
    ["nothing", "", []],
    ["only blank lines", "\n\r\n \n\n", []],
    ["CRLF", '{"asset":"a"}\r\n{"asset":"b"}\r\n', ["a", "b"]],
    ["blank lines that keep the connection alive", '\n{"asset":"a"}\n\n\r\n   \n{"asset":"b"}\n\n', ["a", "b"]],
    ["white space round a line", ' \t{"asset":"a"} \n', ["a"]],
    ["blanks after the last line", '{"asset":"a"}\n  ', ["a"]],
    ["a byte order mark", '\uFEFF{"asset":"a"}\n', ["a"]]
  ] as const)("reads a body of %s", ([, body, expected]) =>
    Effect.gen(function* () {
      const { names, error } = yield* readBody(body)
      assert.isUndefined(error)
      assert.deepStrictEqual(names, [...expected])
    })
  )

  const good = FakeApi.lines(["a", "b"])

  it.effect.each([
    ["text that is no JSON", `${good}oops\n${FakeApi.lines(["c"])}`, 3, ""],
    ["JSON that is no object", `${good}7\n`, 3, ""],
    ["a whole envelope", `{"data":[]}\n`, 1, ".asset"],
    ["a record without its name", `${good}{"full_name":"C"}\n${FakeApi.lines(["d"])}`, 3, ".asset"],
    ["a field of the wrong type", `${good}{"asset":"c","full_name":1}\n`, 3, ".full_name"],
    ["an error of null", `${good}{"error":null}\n`, 3, ".asset"],
    ["a broken line after blank ones", `\n\r\n${good}\n\n \noops\n`, 8, ""],
    ["a broken record after blank ones", `\n${good}\n{"asset":null}\n`, 5, ".asset"],
    ["two records on one line", `${good}{"asset":"c"}{"asset":"d"}\n`, 3, ""]
  ] as const)("emits the records before %s, then fails at its line", ([, body, line, path]) =>
    Effect.gen(function* () {
      const expected = body.startsWith('{"data"') ? [] : ["a", "b"]
      // Together, line by line, and byte by byte: the answer is the same.
      const lineByLine = body.split(/(?<=\n)/).flatMap((chunk) => [chunk, Effect.void])
      const byteByByte = split(
        FakeApi.bytes(body),
        Array.from(body, () => 1)
      )
      for (const chunks of [[body], lineByLine, byteByByte]) {
        const { names, error } = yield* readBody(chunks)
        assert.deepStrictEqual(names, expected)
        assert.strictEqual(error?._tag, "Decode")
        assert.deepInclude(error, { endpoint: "/reference-data/assets", line, path })
      }
    })
  )

  it.effect("fails on a line with an error as the status of its type would, after the records before it", () =>
    Effect.gen(function* () {
      const body = `${good}{"error":{"type":"forbidden","message":"not yours"}}\n`
      const { names, error } = yield* read(FakeApi.make([{ body, headers: { "cf-ray": "r" } }]))
      assert.deepStrictEqual(names, ["a", "b"])
      assert.strictEqual(error?._tag, "Forbidden")
      assert.deepInclude(error, { reason: "not yours", trace: "r" })
    })
  )

  it.effect("fails on an error in its first line, with or without a line end", () =>
    Effect.gen(function* () {
      const error = { error: { type: "bad_parameter", message: "Bad parameter 'assets'. Value 'x' is not supported." } }
      const read = yield* readBody(`${JSON.stringify(error)}\n`)
      assert.strictEqual(read.error?._tag, "InvalidRequest")
      assert.deepInclude(read.error, { parameter: "assets", value: "x" })
    })
  )

  it.effect("takes a record that has a column named error for a record", () =>
    Effect.gen(function* () {
      const row = { asset: "btc", time: "2026-01-01T00:00:00.000000000Z", error: "1" }
      const api = FakeApi.make([{ body: `${JSON.stringify(row)}\n` }])
      const rows = yield* Timeseries.assetMetrics({ assets: "btc", metrics: "error", format: "json_stream" }).pipe(
        Stream.runCollect,
        Effect.provide(api.layer())
      )
      assert.deepStrictEqual<ReadonlyArray<unknown>>(rows, [row])
    })
  )

  it.effect("keeps keys it does not know", () =>
    Effect.gen(function* () {
      const row = { asset: "a", brand_new: { deep: [1] } }
      const api = FakeApi.make([{ body: `${JSON.stringify(row)}\n` }])
      const rows = yield* ReferenceData.assets({ format: "json_stream" }).pipe(
        Stream.runCollect,
        Effect.provide(api.layer())
      )
      assert.deepStrictEqual<ReadonlyArray<unknown>>(rows, [row])
    })
  )

  it.effect("fails on bytes that are not UTF-8, whatever chunk they come in", () =>
    Effect.gen(function* () {
      const bad = new Uint8Array([...FakeApi.bytes('{"asset":"'), 0xff, 0xfe, ...FakeApi.bytes('"}\n')])
      const { names, error } = yield* readBody([good, Effect.void, bad])
      assert.deepStrictEqual(names, ["a", "b"])
      assert.strictEqual(error?._tag, "Decode")
      assert.deepInclude(error, { line: 3 })
    })
  )

  it.effect("emits the good lines that come in one chunk with bytes that are not UTF-8", () =>
    Effect.gen(function* () {
      const chunk = new Uint8Array([...FakeApi.bytes(`${good}{"asset":"`), 0xff, ...FakeApi.bytes("\n")])
      const { names, error } = yield* readBody([chunk])
      assert.deepStrictEqual(names, ["a", "b"])
      assert.strictEqual(error?._tag, "Decode")
      assert.deepInclude(error, { line: 3 })
    })
  )

  it.effect("stops reading when the consumer has enough, and closes the socket", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([{ body: [good, Effect.never] }])
      const taken = yield* ReferenceData.assets({ format: "json_stream" }).pipe(
        Stream.take(1),
        Stream.runCollect,
        Effect.provide(api.layer())
      )
      assert.strictEqual(taken.length, 1)
      assert.strictEqual(yield* api.open, 0)
      assert.deepStrictEqual(yield* api.requests, [asked])
    })
  )
})

import { assert, describe, it } from "@effect/vitest"
import { Bulk, Client, ReferenceData, Retry, Timeseries } from "@sluice/core"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as FakeApi from "../FakeApi.ts"

/** Names that every object has without being given them, so that a table of plain objects seems to hold them. */
const words = Object.getOwnPropertyNames(Object.prototype)

const time = "2024-01-01T00:00:00.000000000Z"

/** A record of a series as JSON text, with one more key where a value is given. */
const row = (word: string, value?: unknown) =>
  `{"asset":"a","time":"${time}"${value === undefined ? "" : `,${JSON.stringify(word)}:${JSON.stringify(value)}`}}`

/** The ways to read a series, each with the reply that brings these records. */
const ways: ReadonlyArray<readonly [object, (rows: ReadonlyArray<string>) => string]> = [
  [{}, (rows) => `{"data":[${rows.join(",")}]}`],
  [{ format: "json_stream" }, (rows) => rows.map((row) => `${row}\n`).join("")]
]

const apiKey = Redacted.make("s3cr3t")

/** The error of a call that gets this reply. */
const failing = (reply: FakeApi.Reply) =>
  Stream.runDrain(ReferenceData.assets()).pipe(
    Effect.flip,
    Effect.provide(FakeApi.make([reply]).layer({ retry: Retry.none }))
  )

describe("outside text that is a name of JavaScript's own", () => {
  it.effect.each(words)("as a metric is a column: present, null and absent are read, a number is refused: %s", (word) =>
    Effect.gen(function* () {
      for (const [format, written] of ways) {
        const read = (rows: ReadonlyArray<string>) =>
          Timeseries.assetMetrics({ assets: ["a"], metrics: [word], ...format }).pipe(
            Stream.runCollect,
            Effect.provide(FakeApi.make([{ body: written(rows) }]).layer({ retry: Retry.none }))
          )
        const rows = [row(word, "1.5"), row(word), row(word, null)]
        assert.deepStrictEqual(
          (yield* read(rows)).map((record) => JSON.stringify(record)),
          rows
        )
        const error = yield* Effect.flip(read([row(word), row(word, 5)]))
        assert.deepInclude(error, { _tag: "Decode", issue: "Expected string | null" } as const)
      }
    })
  )

  it.effect.each(words)("as an unknown key of a record, or of a page, is kept or passed over: %s", (word) =>
    Effect.gen(function* () {
      const key = JSON.stringify(word)
      const body = `{"data":[{"asset":"a",${key}:{"x":1}}],${key}:[1]}`
      const records = yield* Stream.runCollect(ReferenceData.assets()).pipe(
        Effect.provide(FakeApi.make([{ body }]).layer())
      )
      assert.strictEqual(JSON.stringify(records), `[{"asset":"a",${key}:{"x":1}}]`)
    })
  )

  it.effect.each(words)("as the type of an error has the meaning of a type that is not known: %s", (word) =>
    Effect.gen(function* () {
      const error = JSON.stringify({ error: { type: word, message: "no" } })
      assert.deepInclude(yield* failing({ body: error }), { _tag: "Unavailable", status: 200, reason: "no" } as const)
      assert.deepInclude(yield* failing({ status: 403, body: error }), { _tag: "Forbidden", type: word } as const)
    })
  )

  it.effect.each(words)("as the code of a broken connection is a code that is not known: %s", (word) =>
    Effect.gen(function* () {
      for (const code of [word, word.toUpperCase()]) {
        const error = yield* Stream.runDrain(ReferenceData.assets()).pipe(
          Effect.flip,
          Effect.provide(FakeApi.make([Effect.fail(new FakeApi.Cut({ code }))]).layer({ retry: Retry.none }))
        )
        assert.deepInclude(error, { _tag: "Unavailable", phase: "connect" } as const)
      }
    })
  )

  it.effect.each(words)("as the plan of a reply leaves the quota as it is: %s", (word) =>
    Effect.gen(function* () {
      const reply = { ...FakeApi.page([]), headers: { "x-ratelimit-plan": word } }
      const quota = yield* Effect.andThen(Stream.runDrain(ReferenceData.assets()), Client.quota).pipe(
        Effect.provide(FakeApi.make([reply]).layer({ plan: word }))
      )
      assert.isNumber(quota.limit)
    })
  )

  it.effect.each(words)("as the root or a policy in the environment is a typed refusal: %s", (word) =>
    Effect.gen(function* () {
      const { http } = FakeApi.make([])
      const refused = (env: Record<string, string>) =>
        Client.Client.pipe(
          Effect.provide(Client.layerConfig({ apiKey })),
          Effect.provide(http),
          Effect.flip,
          Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env })))
        )
      assert.deepInclude(yield* refused({ SLUICE_BASE_URL: word }), { _tag: "Misconfigured", setting: "root" } as const)
      assert.deepInclude(yield* refused({ SLUICE_DEPRECATED: word }), { _tag: "Misconfigured", setting: "deprecated" })
    })
  )

  it.effect.each(words)(
    "as a parameter, a list item or the name to split by is a typed refusal or an item: %s",
    (word) =>
      Effect.gen(function* () {
        const api = FakeApi.make([FakeApi.page([]), FakeApi.page([])])
        // Type boundary: what a program without types can pass.
        const loose = ReferenceData.assets as unknown as (
          params: object,
          options?: object
        ) => ReturnType<typeof ReferenceData.assets>
        const named = Object.fromEntries([[word, "x"]])
        const unknown = yield* Stream.runDrain(loose(named)).pipe(Effect.flip, Effect.provide(api.layer()))
        assert.deepInclude(unknown, { _tag: "InvalidRequest", parameter: word } as const)
        yield* Stream.runDrain(loose({ assets: [word] })).pipe(Effect.provide(api.layer()))
        yield* Stream.runDrain(loose({}, { query: named })).pipe(Effect.provide(api.layer()))
        assert.deepStrictEqual(yield* api.requests, [
          `/reference-data/assets?page_size=10000&assets=${word}`,
          `/reference-data/assets?page_size=10000&${word}=x`
        ])
        const split = yield* Effect.flip(
          Bulk.split(ReferenceData.assets, { assets: ["a"] }, { by: word } as unknown as { readonly by: "assets" })
        )
        assert.deepInclude(split, { _tag: "BadSplit", parameter: word } as const)
      })
  )

  it.effect.each(words)("as a parameter of a part that was read back names the part's failure: %s", (word) =>
    Effect.gen(function* () {
      const params = Object.fromEntries([[word, "x"]])
      const read = Bulk.records(ReferenceData.assets, [{ index: 0, params }] as ReadonlyArray<Bulk.Part<object>>)
      const error = yield* Stream.runDrain(read).pipe(Effect.flip, Effect.provide(FakeApi.make([]).layer()))
      assert.deepInclude(error, { _tag: "PartFailed", part: 0 } as const)
      assert.deepInclude(error.error, { _tag: "InvalidRequest", parameter: word } as const)
    })
  )
})

describe("a key that no URL can carry", () => {
  it.effect.each(["\ud800", "k\udfffk", "\udc00\ud800"])("is misconfigured: %j", (text) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(
        Client.make({ apiKey: Redacted.make(text) }).pipe(Effect.provide(FakeApi.make([]).http), Effect.scoped)
      )
      assert.deepInclude(error, { _tag: "Misconfigured", setting: "apiKey" } as const)
      assert.notInclude(error.message, text)
    })
  )
})

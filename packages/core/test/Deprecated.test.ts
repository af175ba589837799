import { assert, describe, it } from "@effect/vitest"
import { type ApiError, type Client, Endpoint, Params } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as FakeApi from "./FakeApi.ts"

const definition = {
  section: "4.5",
  params: Schema.Struct({ assets: Params.list, ...Params.paging, ...Params.format }),
  record: Schema.Struct({ asset: Schema.String })
}

const old = Endpoint.make("/catalog/assets", { ...definition, deprecated: { replacement: "/catalog-v2/assets" } })

const older = Endpoint.make("/catalog/things", { ...definition, deprecated: {} })

const current = Endpoint.make("/current", definition)

const observe = (script: ReadonlyArray<FakeApi.Script>, options?: Client.Options) => {
  const said: Array<string> = []
  const api = FakeApi.make(script)
  const logger = Logger.make(({ logLevel, message }) => {
    said.push(`${logLevel} ${String(message)}`)
  })
  return { api, said, layers: [api.layer(options), Logger.layer([logger])] as const }
}

const pages = (count: number) => Array.from({ length: count }, () => FakeApi.assets(["a"]))

describe("Deprecated", () => {
  it("is data on the endpoint", () => {
    assert.deepStrictEqual(old.deprecated, { replacement: "/catalog-v2/assets" })
    assert.deepStrictEqual(older.deprecated, {})
    assert.isUndefined(current.deprecated)
  })

  it.effect("warns once for each endpoint, unless told otherwise, and reads it all the same", () =>
    Effect.gen(function* () {
      const { layers, said } = observe(pages(6))
      const reads = [old(), old({ assets: "a" }), older(), old.pages(), older(), current()]
      yield* Effect.forEach(reads, (read) => Stream.runDrain<unknown, unknown, Client.Client>(read)).pipe(
        Effect.provide(layers[0]),
        Effect.provide(layers[1])
      )
      assert.deepStrictEqual(said, [
        "Warn /catalog/assets is deprecated; use /catalog-v2/assets instead",
        "Warn /catalog/things is deprecated"
      ])
    })
  )

  it.effect("says nothing until the stream runs", () =>
    Effect.gen(function* () {
      const { layers, said } = observe([])
      yield* Effect.sync(() => old()).pipe(Effect.provide(layers[0]), Effect.provide(layers[1]))
      assert.deepStrictEqual(said, [])
    })
  )

  it.effect("says nothing under the policy ignore", () =>
    Effect.gen(function* () {
      const { layers, said } = observe(pages(1), { deprecated: "ignore" })
      const all = yield* Stream.runCollect(old()).pipe(Effect.provide(layers[0]), Effect.provide(layers[1]))
      assert.strictEqual(all.length, 1)
      assert.deepStrictEqual(said, [])
    })
  )

  it.effect.each([
    ["records", old()],
    ["json_stream", old({ format: "json_stream" })],
    ["pages", old.pages()]
  ] as const)("fails before any request under the policy fail: %s", ([, read]) =>
    Effect.gen(function* () {
      const { api, layers, said } = observe([], { deprecated: "fail" })
      const error = yield* Stream.runDrain<unknown, ApiError.ApiError, Client.Client>(read).pipe(
        Effect.flip,
        Effect.provide(layers[0]),
        Effect.provide(layers[1])
      )
      assert.deepInclude(error, { _tag: "Deprecated", replacement: "/catalog-v2/assets" } as const)
      assert.deepStrictEqual(yield* api.requests, [])
      assert.deepStrictEqual(said, [])
    })
  )

  it.effect("reads an endpoint that is not deprecated under the policy fail", () =>
    Effect.gen(function* () {
      const { layers } = observe(pages(1), { deprecated: "fail" })
      const all = yield* Stream.runCollect(current()).pipe(Effect.provide(layers[0]))
      assert.strictEqual(all.length, 1)
    })
  )

  it.effect.each([
    ["a deprecated endpoint", old, "/catalog-v2/assets"],
    ["an endpoint nobody knew to be deprecated", current, undefined]
  ] as const)("fails when the service says that it is gone: %s", ([, endpoint, replacement]) =>
    Effect.gen(function* () {
      const gone = { status: 410, headers: { "cf-ray": "ray" } }
      const { api, layers } = observe([gone, gone], { deprecated: "ignore" })
      for (const read of [endpoint(), endpoint({ format: "json_stream" })]) {
        const error = yield* Stream.runDrain(read).pipe(Effect.flip, Effect.provide(layers[0]))
        assert.deepInclude(error, { _tag: "Deprecated", replacement, trace: "ray" } as const)
      }
      assert.strictEqual((yield* api.requests).length, 2)
    })
  )
})

import { assert, describe, it } from "@effect/vitest"
import { type ApiError, type Client, Endpoint, Params } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as FakeApi from "../FakeApi.ts"
import * as Observed from "../Observed.ts"

const definition = {
  section: "4.5",
  params: Schema.Struct({ assets: Params.list, ...Params.paging, ...Params.format }),
  record: Schema.Struct({ asset: Schema.String })
}

const old = Endpoint.make("/catalog/assets", { ...definition, deprecated: { replacement: ["/catalog-v2/assets"] } })

const older = Endpoint.make("/catalog/things", { ...definition, deprecated: { replacement: [] } })

const current = Endpoint.make("/current", definition)

const pages = (count: number) => Array.from({ length: count }, () => FakeApi.assets(["a"]))

describe("Deprecated", () => {
  it("is data on the endpoint", () => {
    assert.deepStrictEqual(old.deprecated, { replacement: ["/catalog-v2/assets"] })
    assert.deepStrictEqual(older.deprecated, { replacement: [] })
    assert.isUndefined(current.deprecated)
  })

  it.effect("warns once for each endpoint, unless told otherwise, and reads it all the same", () =>
    Effect.gen(function* () {
      const { run, said } = Observed.make(pages(6))
      const reads = [old(), old({ assets: "a" }), older(), old.pages(), older(), current()]
      yield* run(Effect.forEach(reads, (read) => Stream.runDrain<unknown, unknown, Client.Client>(read)))
      assert.deepStrictEqual(said, [
        "Warn /catalog/assets is deprecated; use /catalog-v2/assets instead",
        "Warn /catalog/things is deprecated"
      ])
    })
  )

  it.effect("says nothing until the stream runs", () =>
    Effect.gen(function* () {
      const { run, said } = Observed.make([])
      yield* run(Effect.sync(() => old()))
      assert.deepStrictEqual(said, [])
    })
  )

  it.effect("says nothing under the policy ignore", () =>
    Effect.gen(function* () {
      const { run, said } = Observed.make(pages(1), { deprecated: "ignore" })
      const all = yield* run(Stream.runCollect(old()))
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
      const { api, run, said } = Observed.make([], { deprecated: "fail" })
      const error = yield* run(Effect.flip(Stream.runDrain<unknown, ApiError.ApiError, Client.Client>(read)))
      assert.deepInclude(error, { _tag: "Deprecated", replacement: ["/catalog-v2/assets"] } as const)
      assert.deepStrictEqual(yield* api.requests, [])
      assert.deepStrictEqual(said, [])
    })
  )

  it.effect("reads an endpoint that is not deprecated under the policy fail", () =>
    Effect.gen(function* () {
      const { run } = Observed.make(pages(1), { deprecated: "fail" })
      const all = yield* run(Stream.runCollect(current()))
      assert.strictEqual(all.length, 1)
    })
  )

  it.effect.each([
    ["a deprecated endpoint", old, ["/catalog-v2/assets"]],
    ["an endpoint nobody knew to be deprecated", current, []]
  ] as const)("fails when the service says that it is gone: %s", ([, endpoint, replacement]) =>
    Effect.gen(function* () {
      const gone = { status: 410, headers: { "cf-ray": "ray" } }
      const { api, run } = Observed.make([gone, gone], { deprecated: "ignore" })
      for (const read of [endpoint(), endpoint({ format: "json_stream" })]) {
        const error = yield* run(Effect.flip(Stream.runDrain(read)))
        assert.deepInclude(error, { _tag: "Deprecated", replacement, trace: "ray" } as const)
      }
      assert.strictEqual((yield* api.requests).length, 2)
    })
  )
})

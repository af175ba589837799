import { assert, describe, it } from "@effect/vitest"
import { Endpoints } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import * as FakeApi from "./FakeApi.ts"
import * as Fixtures from "./Fixtures.ts"

const json = (body: unknown): FakeApi.Reply => ({ body: JSON.stringify(body) })

const empty = FakeApi.page([])

it("has a fixture for every endpoint and an endpoint for every fixture", () => {
  assert.deepStrictEqual(Fixtures.all.map(({ path }) => path).sort(), Endpoints.all.map(({ path }) => path).sort())
})

describe.each(Fixtures.all.map((fixture) => [fixture.path, fixture] as const))("%s", (path, fixture) => {
  const endpoint = Fixtures.endpointOf(fixture)

  it.effect.each(fixture.replies.map((reply) => [reply.name, reply] as const))("accepts: %s", ([, { query, body }]) =>
    Effect.gen(function* () {
      const api = FakeApi.make([json(body), empty])
      const params = Fixtures.paramsOf(path, query)
      const records = yield* endpoint(params).pipe(Stream.runCollect, Effect.provide(api.layer()))
      const reversed = new URLSearchParams(query).get("paging_from") === "end"
      assert.deepStrictEqual(records, reversed ? body.data.toReversed() : [...body.data])
    })
  )

  it.effect.each(fixture.replies.map((reply) => [reply.name, reply] as const))(
    "accepts as lines of a json_stream: %s",
    ([, { query, body }]) =>
      Effect.gen(function* () {
        const api = FakeApi.make([{ body: body.data.map((record) => `${JSON.stringify(record)}\n`).join("") }])
        const params = { ...(Fixtures.paramsOf(path, query) as object), format: "json_stream" } as never
        const records = yield* endpoint(params).pipe(Stream.runCollect, Effect.provide(api.layer()))
        assert.deepStrictEqual(records, [...body.data])
      })
  )

  it.effect.each(fixture.broken.map((broken) => [broken.name, broken] as const))("refuses: %s", ([, { at, body }]) =>
    Effect.gen(function* () {
      const api = FakeApi.make([json(body), empty])
      const params = Fixtures.paramsOf(path, included(body))
      const error = yield* endpoint(params).pipe(Stream.runDrain, Effect.flip, Effect.provide(api.layer()))
      assert.strictEqual(error._tag, "Decode")
      assert.deepInclude(error, { endpoint: path, path: at, page: 1 })
    })
  )

  const lines = fixture.broken.filter(({ at }) => at !== "data")
  it.effect.each(lines.map((broken) => [broken.name, broken] as const))(
    "refuses as a line of a json_stream, after the records before it: %s",
    ([, { at, body }]) =>
      Effect.gen(function* () {
        const data = Array.isArray(body.data) ? body.data : []
        const index = Number(/\d+/.exec(at)?.[0])
        const api = FakeApi.make([{ body: data.map((record) => `${JSON.stringify(record)}\n`).join("") }])
        const params = { ...(Fixtures.paramsOf(path, included(body)) as object), format: "json_stream" } as never
        const read: Array<unknown> = []
        const error = yield* endpoint(params).pipe(
          Stream.runForEach((record) => Effect.sync(() => read.push(record))),
          Effect.flip,
          Effect.provide(api.layer())
        )
        assert.deepStrictEqual(read, data.slice(0, index))
        assert.strictEqual(error._tag, "Decode")
        assert.deepInclude(error, { line: index + 1, path: at.replace(/^data\[\d+\]/, "") })
      })
  )
})

/** The provider's array is described only where it was asked for. */
const included = ({ data }: Fixtures.Broken["body"]) =>
  Array.isArray(data) && data.some((record) => Predicate.hasProperty(record, "talos")) ? "include=talos" : ""

import { assert, describe, it } from "@effect/vitest"
import { Endpoints, Retry } from "@sluice/core"
import * as Table from "@sluice/interface/Table"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as FakeApi from "../FakeApi.ts"
import * as Fixtures from "../Fixtures.ts"
import * as Read from "../table/Read.ts"
import * as TestMode from "../TestMode.ts"

const json = (body: unknown): FakeApi.Reply => ({ body: JSON.stringify(body) })

const empty = FakeApi.page([])

describe("Fixtures", () => {
  it("are there for every endpoint, and for no other path", () => {
    assert.deepStrictEqual(Fixtures.all.map(({ path }) => path).sort(), Endpoints.all.map(({ path }) => path).sort())
  })

  it.each(Fixtures.byHand)("of %s are written for the path that names the file", (file, path) => {
    assert.strictEqual(file, path)
    Table.find(path)
  })

  it("have names that differ", () => {
    for (const { broken, path, replies } of Fixtures.all) {
      for (const names of [replies, broken].map((all) => all.map(({ name }) => name))) {
        assert.deepStrictEqual([...new Set(names)], names, path)
      }
    }
  })
})

describe.each(Fixtures.all.map((fixture) => [fixture.path, fixture] as const))("%s", (path, fixture) => {
  const endpoint = Read.endpointOf(path)
  // What one decoder reads of lines, and what it refuses, is tried once.
  const isTried = TestMode.isLong || Fixtures.isFirstReader(path)
  const offersStream = isTried && endpoint.formats.includes("json_stream")

  it.effect.each(Fixtures.byName(isTried ? fixture.replies : fixture.replies.slice(0, 1)))(
    "accepts: %s",
    ([, { query, body }]) =>
      Effect.gen(function* () {
        const api = FakeApi.make([json(body), empty])
        const records = yield* endpoint(Fixtures.paramsOf(path, query)).pipe(
          Stream.runCollect,
          Effect.provide(api.layer({ apiKey: Redacted.make("key") }))
        )
        const reversed = new URLSearchParams(query).get("paging_from") === "end"
        assert.deepStrictEqual(records, reversed ? body.data.toReversed() : [...body.data])
        const usual = endpoint.parameters.get("page_size")?.usual
        const from = /(?:^|&)limit_per_/.test(query ?? "") ? "end" : "start"
        assert.deepStrictEqual(Object.fromEntries(api.seen[0]?.url.searchParams ?? []), {
          ...(usual === undefined ? {} : { page_size: String(usual) }),
          ...(endpoint.order === "series" ? { paging_from: from } : {}),
          ...Fixtures.sentOf(path, query),
          api_key: "key"
        })
      })
  )

  it.effect.each(Fixtures.byName(offersStream ? fixture.replies : []))(
    "accepts as lines of a json_stream: %s",
    ([, { query, body }]) =>
      Effect.gen(function* () {
        const api = FakeApi.make([FakeApi.stream(body.data)])
        const records = yield* endpoint(Fixtures.paramsOf(path, query, { format: "json_stream" })).pipe(
          Stream.runCollect,
          Effect.provide(api.layer())
        )
        assert.deepStrictEqual(records, [...body.data])
        assert.deepStrictEqual(Object.fromEntries(api.seen[0]?.url.searchParams ?? []), {
          ...Fixtures.sentOf(path, query),
          format: "json_stream"
        })
      })
  )

  it.effect.each(Fixtures.byName(isTried ? fixture.broken : []))("refuses: %s", ([, { at, body }]) =>
    Effect.gen(function* () {
      const api = FakeApi.make([json(body), empty])
      const error = yield* endpoint(Fixtures.paramsOf(path)).pipe(
        Stream.runDrain,
        Effect.flip,
        Effect.provide(api.layer())
      )
      assert.strictEqual(error._tag, "Decode")
      assert.deepInclude(error, { endpoint: path, path: at, page: 1 })
    })
  )

  it.effect.each(Fixtures.byName(offersStream ? fixture.broken.filter(({ at }) => at !== "data") : []))(
    "refuses as a line of a json_stream, after the records before it: %s",
    ([, { at, body }]) =>
      Effect.gen(function* () {
        const data = Array.isArray(body.data) ? body.data : []
        const index = Number(/\d+/.exec(at)?.[0])
        const api = FakeApi.make([FakeApi.stream(data)])
        const read: Array<unknown> = []
        const error = yield* endpoint(
          Fixtures.paramsOf(path, "", { format: "json_stream" }),
          // Asked for once more, the same line would come again.
          { retry: Retry.none }
        ).pipe(
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

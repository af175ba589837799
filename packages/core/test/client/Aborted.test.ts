import { assert, describe, it } from "@effect/vitest"
import { ReferenceData, Retry } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as FakeApi from "../FakeApi.ts"

const pages = ReferenceData.assets()
const lines = ReferenceData.assets({ format: "json_stream" })

const options = { retry: Retry.none, limits: { maxErrorBytes: 2_000 } }

/** Requests, those of them that were aborted, and sockets in use when all is read. */
const seen = Effect.fnUntraced(function* (api: FakeApi.FakeApi, stream: typeof pages) {
  yield* Effect.exit(Stream.runDrain(stream).pipe(Effect.provide(api.layer(options))))
  return [(yield* api.requests).length, yield* api.aborted, yield* api.open]
})

const refused = (message: string) => FakeApi.refusal(400, "bad_parameter", message)

describe("A request is aborted", () => {
  it.effect.each([
    ["two pages", pages, [FakeApi.assets(["a"], "t"), FakeApi.assets(["b"])]],
    ["lines", lines, [{ body: [FakeApi.lines(["a"]), FakeApi.lines(["b"])] }]],
    ["an error", pages, [refused("no")]],
    ["an error without a body", pages, [{ status: 404 }]]
  ] as const)("never behind the end of its body, so that its connection can be used again: %s", ([, stream, script]) =>
    Effect.gen(function* () {
      const api = FakeApi.make(script)
      assert.deepStrictEqual(yield* seen(api, stream), [script.length, 0, 0])
    })
  )

  it.effect.each([
    ["the reader has enough", Stream.take(lines, 1), [{ body: [FakeApi.lines(["a", "b"]), Effect.never] }]],
    ["the reader fails", Stream.mapEffect(lines, () => Effect.die("enough")), [{ body: [FakeApi.lines(["a"]), "{"] }]],
    ["an error is too long", pages, [refused("no".repeat(2_000))]],
    ["a line is no record", lines, [{ body: ["[]\n", FakeApi.lines(["a"])] }]],
    ["a body breaks", pages, [{ body: ['{"data":[', FakeApi.cut] }]]
  ] as const)("when its body is not read to the end: %s", ([, stream, script]) =>
    Effect.gen(function* () {
      const api = FakeApi.make(script)
      const [, aborted, open] = yield* seen(api, stream)
      assert.deepStrictEqual([aborted, open], [1, 0])
    })
  )
})

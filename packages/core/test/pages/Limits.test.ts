import { assert, describe, it } from "@effect/vitest"
import { Client, ReferenceData } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as FakeApi from "../FakeApi.ts"
import * as Reading from "../records/Reading.ts"

const read = (script: ReadonlyArray<FakeApi.Script>, limits: Client.Limits, format?: "json_stream") =>
  Effect.map(
    Reading.read(ReferenceData.assets(format === undefined ? {} : { format }), script, { limits }),
    ({ error, open, records, requests }) => ({
      names: records.map(({ asset }) => asset),
      error,
      requests: requests.length,
      open
    })
  )

const page = (names: ReadonlyArray<string>) => JSON.stringify({ data: names.map((asset) => ({ asset })) })

/** An endless body: whoever reads on without a bound never comes to its end. */
const endless = Array.from({ length: 10_000 }, () => "x".repeat(1_000))

describe("Client.Limits", () => {
  it.effect("a page as long as the bound is read", () =>
    Effect.gen(function* () {
      const body = page(["a", "b"])
      const { error, names } = yield* read([{ body }], { maxPageBytes: body.length })
      assert.isUndefined(error)
      assert.deepStrictEqual(names, ["a", "b"])
    })
  )

  it.effect("a longer page fails with Decode, is not asked for again and leaves no socket open", () =>
    Effect.gen(function* () {
      const body = page(["a", "b"])
      const result = yield* read([{ headers: { "cf-ray": "ray" }, body }], { maxPageBytes: body.length - 1 })
      assert.deepInclude(result, { names: [], requests: 1, open: 0 })
      assert.deepInclude(result.error, {
        _tag: "Decode",
        path: "",
        trace: "ray",
        setting: "limits.maxPageBytes",
        issue: `the body is longer than ${body.length - 1} bytes`
      } as const)
    })
  )

  it.effect("a page without end is given up at the bound", () =>
    Effect.gen(function* () {
      const { error, open } = yield* read([{ body: endless }], { maxPageBytes: 1_048_576 })
      assert.deepInclude(error, { _tag: "Decode", issue: "the body is longer than 1 MiB" } as const)
      assert.strictEqual(open, 0)
    })
  )

  it.effect("a line over the bound fails with Decode after the records before it", () =>
    Effect.gen(function* () {
      const { error, names, open } = yield* read(
        [{ body: [FakeApi.lines(["a", "b"]), ...endless] }],
        { maxLineBytes: 65_536 },
        "json_stream"
      )
      assert.deepStrictEqual(names, ["a", "b"])
      assert.deepInclude(error, {
        _tag: "Decode",
        line: 3,
        issue: "the line is longer than 64 KiB",
        setting: "limits.maxLineBytes"
      } as const)
      assert.strictEqual(open, 0)
    })
  )

  it.effect("blank lines without end are given up at the bound of a line, after the records before them", () =>
    Effect.gen(function* () {
      const blanks = Array.from({ length: 1_000 }, () => "\n".repeat(1_000))
      const { error, names } = yield* read(
        [{ body: [FakeApi.lines(["a"]), ...blanks] }],
        { maxLineBytes: 65_536 },
        "json_stream"
      )
      assert.deepStrictEqual(names, ["a"])
      assert.deepInclude(error, {
        _tag: "Decode",
        issue: "nothing but blank lines for 64 KiB",
        setting: "limits.maxLineBytes"
      } as const)
    })
  )

  it.effect("an error body is read up to the bound, and its status is what counts", () =>
    Effect.gen(function* () {
      const { error, open } = yield* read([{ status: 403, body: endless }], { maxErrorBytes: 100 })
      assert.strictEqual(error?._tag, "Forbidden")
      assert.isAtMost(error?.message.length ?? 0, 1_000)
      assert.strictEqual(open, 0)
    })
  )

  it.effect.each(["maxPageBytes", "maxLineBytes", "maxErrorBytes", "maxReceivingBytes"] as const)(
    "a bound of nothing is refused by its name: %s",
    (name) =>
      Effect.gen(function* () {
        for (const bytes of [0, -1, Number.NaN]) {
          const layer = FakeApi.make([]).layer({ limits: { [name]: bytes } })
          const error = yield* Effect.provide(Client.quota, layer).pipe(Effect.flip)
          assert.deepInclude(error, { _tag: "Misconfigured", setting: `limits.${name}` } as const)
        }
      })
  )
})

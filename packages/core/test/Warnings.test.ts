import { assert, describe, it } from "@effect/vitest"
import { ReferenceData } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"
import * as FakeApi from "./FakeApi.ts"

const one = { type: "partial_result", message: "Some chains have no data yet." }
const two = { type: "renamed_chain", message: "Renamed." }

describe("Warnings", () => {
  it.effect.each([
    ["one object", { warning: one }, [one]],
    ["an array under the singular name", { warning: [one, two] }, [one, two]],
    ["an array under the plural name", { warnings: [one, two] }, [one, two]],
    ["both names at once", { warning: one, warnings: [two] }, [one, two]],
    ["null", { warning: null, warnings: null }, []],
    ["empty lists", { warning: [], warnings: [] }, []],
    ["no key at all", {}, []],
    ["keys beyond the two", { warning: { ...one, since: "2026" } }, [one]]
  ] as const)("reads warnings beside the records: %s", ([, more, expected]) =>
    Effect.gen(function* () {
      const api = FakeApi.make([FakeApi.page([], undefined, more)])
      const [page] = yield* ReferenceData.protocols.pages().pipe(Stream.runCollect, Effect.provide(api.layer()))
      assert.deepStrictEqual(page?.warnings, [...expected])
    })
  )

  it.effect("logs a warning once when only the records are read, though every page has it, and goes on", () =>
    Effect.gen(function* () {
      const said: Array<string> = []
      const logger = Logger.make(({ logLevel, message }) => {
        said.push(`${logLevel} ${String(message)}`)
      })
      const market = { market: "m", protocol: "p" }
      const api = FakeApi.make([
        FakeApi.page([market], "1", { warning: one }),
        FakeApi.page([market], undefined, { warning: one })
      ])
      const all = yield* ReferenceData.protocols().pipe(
        Stream.runCollect,
        Effect.provide(api.layer()),
        Effect.provide(Logger.layer([logger]))
      )
      assert.strictEqual(all.length, 2)
      assert.deepStrictEqual(said, [`Warn The service warns (${one.type}): ${one.message}`])
    })
  )
})
